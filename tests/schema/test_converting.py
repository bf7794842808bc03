"""What conversions promise: the target's words, the way back, and a refusal with a reason."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from course_pkg.schema import (
    ConversionError,
    NotStrictableError,
    SchemaError,
    apply_defaults,
    check,
    convert,
    from_strict,
    inline,
    to_strict,
)


def arguments(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": []}


def strict_part(part: Any, **root: Any) -> Any:
    return to_strict({**arguments(x=part), "required": ["x"], **root})["properties"]["x"]


# --- strict ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "strict"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"enum": ["a", 1]}, {"type": ["string", "integer", "null"], "enum": ["a", 1, None]}),
        ({"const": 1}, {"anyOf": [{"type": "integer", "const": 1}, {"type": "null"}]}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]},
         {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]},
         {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        ({"type": "string", "default": "a", "minLength": 1, "format": "uri"},
         {"type": ["string", "null"]}),
        ({"type": "string", "format": "date"}, {"type": ["string", "null"], "format": "date"}),
    ],
)  # fmt: skip
def test_an_optional_property_may_be_null_instead(part: Any, strict: Any) -> None:
    made = to_strict(arguments(x=part))

    assert made["properties"]["x"] == strict
    assert (made["required"], made["additionalProperties"]) == (["x"], False)


@pytest.mark.parametrize(
    ("part", "strict"),
    [
        ({"properties": {"a": {"const": 1}}, "required": ["a"]},
         {"type": "object", "properties": {"a": {"type": "integer", "const": 1}},
          "required": ["a"], "additionalProperties": False}),
        ({"type": "object", "additionalProperties": False},
         {"type": "object", "additionalProperties": False, "properties": {}, "required": []}),
        ({"allOf": [{"type": "string"}], "description": "d"},
         {"description": "d", "type": "string"}),
        ({"allOf": [{"type": "integer", "minimum": 1}, {"minimum": 3, "maximum": 5}]},
         {"type": "integer", "minimum": 3, "maximum": 5}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]},
         {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"$ref": "#/$defs/S"}, {"$ref": "#/$defs/S"}),
        ({"$ref": "#/$defs/S", "description": "d"}, {"type": "string", "description": "d"}),
        ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
    ],
)  # fmt: skip
def test_a_part_is_said_in_the_subset(part: Any, strict: Any) -> None:
    assert strict_part(part, **{"$defs": {"S": {"type": "string"}}}) == strict


@pytest.mark.parametrize(
    ("part", "path", "words"),
    [
        ({"type": "object"}, "/properties/x", "array of {key, value}"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "/properties/x", "list"),
        ({"type": "object", "properties": {}, "additionalProperties": True}, "/properties/x",
         "list"),
        ({"type": "array", "items": {"type": "object"}}, "/properties/x/items", "list the keys"),
        ({"type": "array"}, "/properties/x", "Give items"),
        ({}, "/properties/x", "Give a type"),
        (True, "/properties/x", "Give a type"),
        ({"properties": {}, "patternProperties": {"a": {"type": "null"}}}, "/properties/x", "list"),
        ({"oneOf": [{"type": "string", "minLength": 1}, {"type": "string"}]},
         "/properties/x/oneOf", "Use anyOf"),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, "/properties/x/anyOf/1", "list"),
    ],
)  # fmt: skip
def test_what_cannot_be_strict_is_refused_with_place_and_hint(
    part: Any, path: str, words: str
) -> None:
    with pytest.raises(NotStrictableError) as caught:
        to_strict(arguments(x=part))

    assert (caught.value.kind, caught.value.path) == ("not_strictable", path)
    assert words in caught.value.hint


@pytest.mark.parametrize("target", ["no-root-combinator", "openai-strict", "gemini"])
@pytest.mark.parametrize("part", [{"$ref": "#/$defs/None"}, {"type": "text"}, {"pattern": "("}])
def test_a_schema_that_cannot_be_used_is_not_converted(target: str, part: Any) -> None:
    with pytest.raises(SchemaError):
        convert(arguments(x=part), target)


def test_a_tool_without_arguments_can_be_strict() -> None:
    assert to_strict({"type": "object"}) == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


def test_a_type_that_holds_itself_stays_a_reference() -> None:
    node = {"type": "object", "properties": {"kid": {"$ref": "#/$defs/N", "description": "d"}}}

    made = to_strict({**arguments(x={"$ref": "#/$defs/N"}), "$defs": {"N": node}})

    assert made["properties"]["x"] == {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}
    assert made["$defs"]["N"]["additionalProperties"] is False


def test_null_is_absent_again_where_it_was_optional_and_not_allowed() -> None:
    schema = {
        **arguments(
            a={"type": "string"},
            b={"type": ["string", "null"]},
            c={"type": "null"},
            d={"type": "array", "items": arguments(e={"type": "integer"})},
            f={"anyOf": [arguments(g={"type": "string"}), {"type": "string"}]},
        ),
        "required": ["c"],
    }
    sent = {"a": None, "b": None, "c": None, "d": [{"e": None}, {"e": 1}], "f": {"g": None}}
    before = copy.deepcopy(sent)

    back = from_strict(sent, schema)

    assert back == {"b": None, "c": None, "d": [{}, {"e": 1}], "f": {}}
    assert sent == before


def test_what_is_left_out_for_the_wire_is_noted_and_still_checked() -> None:
    schema = arguments(x={"type": "string", "minLength": 3})

    converted = convert(schema, "openai-strict")

    assert converted.notes == ("minLength at /properties/x is not sent; it is still checked here.",)
    assert check(converted.decode({"x": "a"}), schema) != []


# --- the root -------------------------------------------------------------------------------------

SHAPES = {
    "type": "object",
    "description": "A shape.",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "oneOf": [
        {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
         "required": ["kind", "r"], "additionalProperties": False},
        {"$ref": "#/$defs/Rect"},
    ],
    "$defs": {
        "Rect": {"properties": {"kind": {"const": "rect"}, "w": {"type": "number"}},
                 "required": ["kind", "w"], "additionalProperties": False},
    },
}  # fmt: skip


def test_branches_at_the_root_are_offered_side_by_side() -> None:
    made = convert(SHAPES, "no-root-combinator").schema

    assert list(made["properties"]) == ["name", "kind", "r", "w"]
    assert made["properties"]["kind"] == {"enum": ["circle", "rect"]}
    assert made["required"] == ["name", "kind"]
    assert made["description"] == "A shape. Give one of: kind, r | kind, w."


def test_conditions_at_the_root_are_left_out_and_noted() -> None:
    schema = {**arguments(a={"type": "string"}), "not": {"required": ["a"]}, "allOf": [
        {"properties": {"b": {"type": "integer"}}, "required": ["b"]}
    ]}  # fmt: skip

    converted = convert(schema, "no-root-combinator")

    assert list(converted.schema["properties"]) == ["a", "b"]
    assert converted.schema["required"] == ["b"]
    assert [note.split()[0] for note in converted.notes] == ["not", "allOf"]


@pytest.mark.parametrize("target", ["no-root-combinator", "openai-strict", "gemini"])
def test_a_root_that_is_no_object_is_refused(target: str) -> None:
    schema = {"anyOf": [{"type": "object", "properties": {}}, {"type": "string"}]}

    with pytest.raises(ConversionError, match="/anyOf/1 is no object"):
        convert(schema, target)


def test_an_unknown_target_is_answered_with_those_to_choose_from() -> None:
    with pytest.raises(ValueError, match="openai-strict, no-root-combinator, gemini"):
        convert({}, "other")


# --- the narrow dialect ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "narrow"),
    [
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "minimum": 0}),
        ({"type": "integer", "exclusiveMaximum": 5, "maximum": 9},
         {"type": "integer", "maximum": 4}),
        ({"type": "integer", "exclusiveMinimum": 0.5}, {"type": "integer", "minimum": 1}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"], "description": "d"},
         {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "d"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
         {"type": "string", "nullable": True}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]},
         {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"const": 1}, {"type": "string", "enum": ["1"]}),
        ({"enum": ["a", None]}, {"type": "string", "enum": ["a"], "nullable": True}),
        ({"enum": [True]}, {"type": "boolean"}),
        ({"type": "number", "enum": [1.5, 2], "minimum": 1},
         {"type": "string", "enum": ["1.5", "2"]}),
        ({"type": "string", "format": "email"}, {"type": "string"}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
         {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}),
        ({"allOf": [{"$ref": "#/$defs/S"}, {"maxLength": 3}]}, {"type": "string", "maxLength": 3}),
        ({"type": "object", "patternProperties": {"a": {}}, "title": "T"}, {"type": "object"}),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
         {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        ({"$ref": "#/$defs/N"},
         {"type": "object", "properties": {"kid": {"type": "object"}}}),
    ],
)  # fmt: skip
def test_a_part_is_said_in_the_narrow_dialect(part: Any, narrow: Any) -> None:
    definitions = {
        "S": {"type": "string"},
        "N": {"type": "object", "properties": {"kid": {"$ref": "#/$defs/N"}}},
    }

    made = convert({**arguments(x=part), "$defs": definitions}, "gemini").schema

    assert made["properties"]["x"] == narrow


def test_names_that_look_like_keywords_are_left_alone() -> None:
    names = ["default", "const", "$ref", "title", "properties", "enum", "additionalProperties"]
    schema = arguments(**{name: {"type": "string", "title": "x"} for name in names})

    made = convert(schema, "gemini").schema

    assert made["properties"] == {name: {"type": "string"} for name in names}


def test_texts_are_numbers_again_wherever_they_stand() -> None:
    schema = arguments(
        level={"enum": [0, 1, 1.5, "1"]},
        many={"type": "array", "items": {"anyOf": [{"const": 7}, {"type": "boolean"}]}},
        text={"type": "string"},
    )

    back = convert(schema, "gemini").decode({"level": "1.5", "many": ["7", True], "text": "7"})

    assert back == {"level": 1.5, "many": [7, True], "text": "7"}


# --- references and defaults ----------------------------------------------------------------------


def test_inlining_keeps_only_what_holds_itself() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A"}, "n": {"$ref": "#/$defs/N"}},
        "$defs": {
            "A": {"items": {"$ref": "#/$defs/B"}},
            "B": {"type": "string"},
            "N": {"properties": {"kid": {"$ref": "#/$defs/N"}, "b": {"$ref": "#/$defs/B"}}},
        },
    }

    made = inline(schema)

    assert made["properties"] == {
        "a": {"items": {"type": "string"}},
        "n": {"$ref": "#/$defs/N"},
    }
    assert made["$defs"] == {
        "N": {"properties": {"kid": {"$ref": "#/$defs/N"}, "b": {"type": "string"}}}
    }


@pytest.mark.parametrize(
    "named",
    [
        {"additionalProperties": False},
        {"type": "object", "minProperties": 2},
        {"properties": {"b": {"type": "integer"}}, "additionalProperties": False},
        False,
        True,
    ],
)
@pytest.mark.parametrize("instance", [{}, {"a": 1}, {"a": 1, "b": 1}, {"a": "x"}])
def test_keywords_beside_a_reference_still_mean_the_same(named: Any, instance: Any) -> None:
    schema = {
        "items": {
            "$ref": "#/$defs/N",
            "properties": {"a": {"type": "integer"}},
            "minProperties": 1,
        },
        "$defs": {"N": named},
    }

    assert bool(check([instance], inline(schema))) == bool(check([instance], schema))


def test_defaults_are_filled_in_on_a_copy_and_only_where_nothing_is() -> None:
    schema = arguments(
        units={"type": "string", "default": "c"},
        note={"type": ["string", "null"], "default": "x"},
        place=arguments(zoom={"default": [1]}),
        stops={"type": "array", "items": {"$ref": "#/$defs/Stop"}},
        pick={"anyOf": [{"type": "string"}, arguments(depth={"default": 2})]},
        absent=arguments(inner={"default": 1}),
    )
    schema["$defs"] = {"Stop": arguments(wait={"default": 5})}
    given = {"note": None, "place": {}, "stops": [{}, {"wait": 1}], "pick": {}}

    filled = apply_defaults(given, schema)

    assert filled == {
        "note": None,
        "place": {"zoom": [1]},
        "stops": [{"wait": 5}, {"wait": 1}],
        "pick": {"depth": 2},
        "units": "c",
    }
    assert given == {"note": None, "place": {}, "stops": [{}, {"wait": 1}], "pick": {}}
    filled["place"]["zoom"].append(2)
    assert apply_defaults({"place": {}}, schema)["place"] == {"zoom": [1]}
