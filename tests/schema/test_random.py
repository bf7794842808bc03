"""What holds for any schema and any instance."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_pkg.schema import (
    ConversionError,
    Problem,
    SchemaError,
    apply_defaults,
    branches,
    check,
    convert,
    explain,
    from_strict,
    inline,
    lint,
    to_strict,
)
from course_pkg.schema.validators import validator

SOME = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def is_valid(instance: Any, schema: Any) -> bool:
    """The library's own verdict."""
    check({}, {})  # imports jsonschema the quick way
    from jsonschema import Draft202012Validator, FormatChecker

    return bool(
        Draft202012Validator(schema, format_checker=FormatChecker(["date"])).is_valid(instance)
    )


def reached(instance: Any, path: Any) -> bool:
    for key in path:
        try:
            instance = instance[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def all_problems(found: Any) -> list[Problem]:
    inner = [part for problem in found for branch in problem.branches for part in branch]
    return [*found, *(all_problems(inner) if inner else [])]


@SOME
@given(data=st.data())
def test_the_verdict_is_the_librarys(data: Any, schemas: Any, values: Any) -> None:
    schema, instance = data.draw(schemas), data.draw(values)

    assert (check(instance, schema) == []) == is_valid(instance, schema)


@SOME
@given(data=st.data())
def test_every_path_of_every_problem_is_in_the_instance(
    data: Any, schemas: Any, values: Any
) -> None:
    schema, instance = data.draw(schemas), data.draw(values)

    found = all_problems(check(instance, schema))

    assert all(reached(instance, problem.path) for problem in found)


@SOME
@given(data=st.data())
def test_problems_are_in_order_and_none_comes_twice(data: Any, schemas: Any, values: Any) -> None:
    schema, instance = data.draw(schemas), data.draw(values)

    found = check(instance, schema)

    assert len(set(found)) == len(found)
    assert found == check(instance, json.loads(json.dumps(schema)))


@SOME
@given(data=st.data())
def test_an_explanation_can_be_sent_and_is_short(data: Any, schemas: Any, values: Any) -> None:
    schema, instance = data.draw(schemas), data.draw(values)

    text = explain(check(instance, schema))

    assert len(text) < 6_000
    assert text.encode("utf-8") is not None


@SOME
@given(data=st.data())
def test_each_choice_has_the_verdict_of_its_keyword(data: Any, schemas: Any, values: Any) -> None:
    schema, instance = data.draw(schemas), data.draw(values)
    part = {key: schema[key] for key in ("anyOf", "oneOf", "$defs") if key in schema}

    found = [choice for choice in branches(instance, schema) if choice.path == ()]

    if len(part) == 2 and found:
        assert found[0].valid == is_valid(instance, part)
        assert found[0].blamed is None or found[0].matched == ()


@SOME
@given(data=st.data())
def test_an_inlined_schema_gives_the_same_verdicts(data: Any, schemas: Any, values: Any) -> None:
    schema, instance = data.draw(schemas), data.draw(values)

    assert is_valid(instance, inline(schema)) == is_valid(instance, schema)


@SOME
@given(data=st.data())
def test_what_fits_the_schema_fits_the_one_without_a_combination_at_its_root(
    data: Any, schemas: Any, values: Any
) -> None:
    schema, instance = data.draw(schemas), data.draw(values)

    try:
        flat = convert({"type": "object", **schema}, "no-root-combinator").schema
    except ConversionError:
        return

    assert not {"anyOf", "oneOf", "allOf", "not"} & set(flat)
    assert is_valid(instance, flat) or not is_valid(instance, {"type": "object", **schema})


@SOME
@given(data=st.data())
def test_what_fits_the_strict_schema_comes_back_or_is_told(
    data: Any, arguments_schemas: Any, values: Any
) -> None:
    schema, instance = data.draw(arguments_schemas), data.draw(values)

    back = from_strict(instance, schema)
    try:
        found = lint_strict(to_strict(schema))
    except ConversionError as refusal:
        found = []
        told = (refusal.path[0], bool(refusal.hint))
    else:
        told = ("/", True)

    assert told == ("/", True)
    assert [finding for finding in found if finding.severity == "error"] == []
    assert back == from_strict(back, schema)


def lint_strict(schema: Any) -> Any:
    return lint(
        {"function": {"name": "get_it", "description": "d", "parameters": schema, "strict": True}}
    )


@SOME
@given(data=st.data())
def test_the_narrow_dialect_has_its_own_words_only(data: Any, arguments_schemas: Any) -> None:
    schema = data.draw(arguments_schemas)

    made = convert(schema, "gemini")

    assert list(made.schema["properties"]) == ["a", "b"]
    assert "$ref" not in json.dumps(made.schema)
    validator({key: part for key, part in made.schema.items() if key != "nullable"})


@SOME
@given(data=st.data())
def test_defaults_leave_what_is_there(data: Any, schemas: Any, values: Any) -> None:
    schema, instance = data.draw(schemas), data.draw(values)
    before = json.dumps(instance)

    assert apply_defaults(instance, schema) == instance
    assert json.dumps(instance) == before


@SOME
@given(data=st.data())
def test_any_schema_can_be_looked_over(data: Any, schemas: Any) -> None:
    found = lint({"name": "get_it", "description": "Get it.", "parameters": data.draw(schemas)})

    assert all(finding.text and finding.fix for finding in found)


@SOME
@given(
    schema=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "properties", "items", "anyOf", "required", "pattern", "$ref"]
                ),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    )
)
def test_what_is_no_schema_is_refused_with_a_kind_and_a_place(schema: Any) -> None:
    try:
        check("a", schema)
    except SchemaError as refusal:
        told = (bool(refusal.kind), refusal.path[0])
    else:
        told = (True, "/")

    assert told == (True, "/")


KEYS = [
    "type",
    "properties",
    "items",
    "anyOf",
    "$ref",
    "$schema",
    "$id",
    "default",
    "name",
    "tools",
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["object", "#", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=10,
)


@SOME
@given(source=ANYTHING, schema=ANYTHING, instance=ANYTHING)
def test_nothing_that_comes_in_ends_in_another_error_than_those_promised(
    source: Any, schema: Any, instance: Any
) -> None:
    works = [
        lambda: lint(source),
        lambda: lint({"name": source, "description": source, "parameters": schema}),
        lambda: explain(check(instance, schema)),
        lambda: branches(instance, schema),
        lambda: to_strict(schema),
        lambda: convert(schema, "gemini"),
        lambda: apply_defaults(instance, schema),
    ]

    for work in works:
        with contextlib.suppress(ValueError):  # SchemaError and ConversionError are of this kind
            work()
