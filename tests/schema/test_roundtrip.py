"""What a conversion promises: arguments for the new schema come back as arguments for the old."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from course_pkg.schema import ConversionError, check, convert, explain

SOME = settings(max_examples=100, deadline=None)

LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "minimum": 0, "exclusiveMaximum": 9},
        {"type": ["number", "null"]},
        {"type": "string", "enum": ["a", "b"]},
        {"enum": [1, 2]},
        {"const": "a"},
        {"const": 5},
        {"type": "boolean"},
        {"type": "null"},
        {"$ref": "#/$defs/Leaf"},
        {"$ref": "#/$defs/Leaf", "description": "A text."},
        {"$ref": "#/$defs/Tree"},
    ]
)
DEFINITIONS = {
    "Leaf": {"type": "string"},
    "Tree": {
        "type": "object",
        "properties": {"kid": {"$ref": "#/$defs/Tree"}, "v": {"type": "integer"}},
        "additionalProperties": False,
    },
}


def _object(a: Any, b: Any, required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": a, "b": b}, "required": required}


def _tagged(a: Any, b: Any) -> list[Any]:
    return [
        {"type": "object", "properties": {"tag": {"const": tag}, "a": part}, "required": ["tag"]}
        for tag, part in (("x", a), ("y", b))
    ]


REQUIRED = st.sampled_from([[], ["a"], ["a", "b"]])
PARTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(_object, inner, inner, REQUIRED),
        st.builds(lambda a: {"type": "array", "items": a}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"oneOf": _tagged(a, b)}, inner, inner),
        st.builds(lambda a: {"allOf": [a], "description": "One."}, inner),
    ),
    max_leaves=5,
)
SCHEMAS = st.one_of(
    st.builds(_object, PARTS, PARTS, REQUIRED),
    st.builds(lambda a, b: {"type": "object", "oneOf": _tagged(a, b)}, PARTS, PARTS),
).map(lambda schema: {**schema, "$defs": DEFINITIONS})


def instances(schema: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Instances of the schemas above and of what they are converted to."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return instances(root["$defs"][name], root, depth + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            parts = schema[keyword]
            ends = [part for part in parts if depth > 4 and part.get("type") == "null"]
            return st.one_of([instances(part, root, depth) for part in ends or parts])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if depth > 4 and "null" in kinds:
        kinds = ["null"]
    return st.one_of([_of_type(kind, schema, root, depth) for kind in kinds])


def _of_type(kind: str, schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    if kind == "object":
        return _objects(schema, root, depth)
    if kind == "array":
        return st.lists(
            instances(schema.get("items", {"type": "null"}), root, depth + 1), max_size=2
        )
    plain = {
        "string": st.sampled_from(["a", "1", ""]),
        "integer": st.integers(schema.get("minimum", -5), 8),
        "number": st.sampled_from([0.5, 3, -1]),
        "boolean": st.booleans(),
    }
    return plain.get(kind, st.none())


def _objects(schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    required = schema.get("required", [])
    known = schema.get("properties", {})
    optional = {} if depth > 3 else {n: p for n, p in known.items() if n not in required}
    return st.fixed_dictionaries(
        {name: instances(known[name], root, depth + 1) for name in required},
        optional={name: instances(part, root, depth + 1) for name, part in optional.items()},
    )


@SOME
@given(data=st.data())
def test_strict_arguments_come_back_as_arguments_for_the_original(data: Any) -> None:
    schema = data.draw(SCHEMAS)
    try:
        converted = convert(schema, "openai-strict")
    except ConversionError:
        return
    arguments = data.draw(instances(converted.schema, converted.schema))

    back = converted.decode(arguments)

    assert check(arguments, converted.schema) == []
    # A combination at the root is widened, and the original still refuses what does not belong
    # together.
    assert "oneOf" in schema or explain(check(back, schema)) == ""


@SOME
@given(data=st.data())
def test_what_fits_the_original_fits_the_strict_schema_with_nulls(data: Any) -> None:
    schema = data.draw(SCHEMAS)
    try:
        converted = convert(schema, "openai-strict")
    except ConversionError:
        return
    arguments = data.draw(instances(schema, schema))

    filled = with_nulls(arguments, converted.schema, converted.schema)

    assert explain(check(filled, converted.schema)) == ""


def with_nulls(value: Any, schema: Any, root: Any) -> Any:
    """The value with null where a property of the strict schema is absent."""
    if "$ref" in schema:
        return with_nulls(value, root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    for part in schema.get("anyOf", []):
        filled = with_nulls(value, part, root)
        if check(filled, {**part, "$defs": root.get("$defs", {})}) == []:
            return filled
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {
            **{name: with_nulls(value.get(name), part, root) for name, part in known.items()},
            **{name: part for name, part in value.items() if name not in known},
        }
    return (
        [with_nulls(part, schema["items"], root) for part in value]
        if (isinstance(value, list) and "items" in schema)
        else value
    )


@SOME
@given(data=st.data())
def test_what_fits_the_original_fits_the_narrow_dialect(data: Any) -> None:
    schema = data.draw(SCHEMAS)
    converted = convert(schema, "gemini")
    arguments = data.draw(instances(schema, schema))

    text = explain(check(arguments, without_nullable(converted.schema)))

    assert text == ""


def without_nullable(schema: Any) -> Any:
    """`nullable` in the words of JSON Schema; choices take numbers as well as their texts."""
    if isinstance(schema, list):
        return [without_nullable(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: without_nullable(part) for key, part in schema.items() if key != "nullable"}
    if isinstance(made.get("enum"), list):
        made = {"enum": [*made["enum"], *(int(v) for v in made["enum"] if v.isdecimal())]}
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") else made


@SOME
@given(data=st.data())
def test_narrow_arguments_come_back_the_same_where_they_fit_already(data: Any) -> None:
    schema = data.draw(SCHEMAS)
    arguments = data.draw(instances(schema, schema))

    assert convert(schema, "gemini").decode(arguments) == arguments
