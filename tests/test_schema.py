"""What `schema` promises: every problem, in words that one can act on."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.schema import SchemaError, check, check_schema, explain, json_type

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1},
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def test_a_valid_instance_has_no_problems() -> None:
    assert check({"city": "北京", "unit": "celsius"}, WEATHER) == []


def test_every_problem_is_found_at_once_and_in_the_order_of_the_paths() -> None:
    problems = check({"unit": "kelvin", "days": 9}, WEATHER)

    assert [(problem.where, problem.keyword) for problem in problems] == [
        ("", "required"),
        ("days", "maximum"),
        ("unit", "enum"),
    ]


def test_two_missing_names_are_one_problem_that_names_both() -> None:
    schema = {"type": "object", "required": ["city", "unit"]}

    (problem,) = check({}, schema)

    assert problem.advice == 'Add "city", "unit".'


def test_items_are_ordered_as_numbers() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    instance = [1] * 12
    instance[2], instance[10] = "two", "ten"

    assert [problem.where for problem in check(instance, schema)] == ["[2]", "[10]"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"city": 3}, "city: expected text (string), found 3. Give text (string), not a whole"),
        ({"city": ""}, 'city: expected text of at least 1 character, found "". Make it longer.'),
        ({"city": "a", "unit": "celsus"}, 'Did you mean "celsius"?'),
        ({"city": "a", "days": "3"}, "Give the value itself, not a text that holds it."),
        ({"city": "a", "towns": 1}, 'Leave out "towns".'),
        ({"citty": "a"}, 'Did you mean "city"?'),
    ],
)
def test_each_problem_says_what_to_do(arguments: dict[str, Any], words: str) -> None:
    assert words in explain(check(arguments, WEATHER))


def test_the_problems_of_each_branch_are_told() -> None:
    schema = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["lat"]}]}

    (problem,) = check(3, schema)

    assert [[part.keyword for part in branch] for branch in problem.branches] == [
        ["type"],
        ["type"],
    ]


def test_more_than_ten_problems_are_counted() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}

    text = explain(check(["x"] * 15, schema))

    assert text.splitlines()[-1] == "And 5 more."


def test_a_long_value_is_cut_in_the_words() -> None:
    text = explain(check({"city": ["x" * 500]}, WEATHER))

    assert len(text) < 250


def test_a_keyword_without_words_of_its_own_is_still_explained() -> None:
    schema = {"type": "array", "contains": {"type": "integer"}}

    assert "contains" in explain(check(["a"], schema))


def test_a_schema_that_is_none_is_refused_with_the_place() -> None:
    with pytest.raises(SchemaError, match="properties/city/type"):
        check_schema({"type": "object", "properties": {"city": {"type": "text"}}})


def test_a_pattern_that_python_cannot_read_is_refused() -> None:
    with pytest.raises(SchemaError, match="pattern"):
        check_schema({"type": "string", "pattern": "^\\p{L}+$"})


def test_nothing_is_fetched_from_a_network() -> None:
    with pytest.raises(SchemaError, match="nothing is fetched"):
        check({}, {"$ref": "https://example.invalid/geo.json"})


def test_a_change_of_the_callers_schema_does_not_reach_the_kept_validator() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    check({"a": 1}, schema)

    schema["properties"]["a"]["type"] = "string"

    assert check({"a": 1}, schema) != []


def test_true_is_no_integer_and_one_point_nought_is() -> None:
    assert check(True, {"enum": [1]}) != []
    assert check(1.0, {"type": "integer"}) == []


def test_the_dialect_is_the_one_that_the_schema_names() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "string"}, {"type": "integer"}],
    }

    assert [problem.where for problem in check(["a", "b"], schema)] == ["[1]"]


@pytest.mark.parametrize(
    ("value", "name"),
    [(True, "boolean"), (1, "integer"), (1.5, "number"), (None, "null"), ([], "array")],
)
def test_json_types_are_told_apart(value: Any, name: str) -> None:
    assert json_type(value) == name


def test_the_first_check_does_not_load_the_grammar_that_costs_seconds() -> None:
    code = (
        "import sys; from course_pkg.schema import check; check({}, {'type': 'object'});"
        "assert 'jsonschema' in sys.modules; assert 'rfc3987_syntax' not in sys.modules"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stderr == ""


SIMPLE_SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "string", "maxLength": 3},
            {"type": "integer", "minimum": 0},
            {"type": ["number", "null"]},
            {"enum": [1, "a", None, True]},
            {"const": 0},
            {"type": "boolean"},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items, "maxItems": 3}, inner),
        st.builds(lambda *parts: {"anyOf": list(parts)}, inner, inner),
        st.builds(
            lambda a, b: {
                "type": "object",
                "properties": {"a": a, "b": b},
                "required": ["a"],
                "additionalProperties": False,
            },
            inner,
            inner,
        ),
    ),
    max_leaves=5,
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "long text"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(schema=SIMPLE_SCHEMAS, instance=JSON_VALUES)
def test_the_verdict_is_the_librarys(schema: dict[str, Any], instance: Any) -> None:
    verdict = check(instance, schema) == []

    # Here, and not above: jsonschema is quick to import only after our own first check.
    from jsonschema import Draft202012Validator

    assert verdict == Draft202012Validator(schema).is_valid(instance)


@given(schema=SIMPLE_SCHEMAS, instance=JSON_VALUES)
def test_each_problem_can_be_put_into_words(schema: dict[str, Any], instance: Any) -> None:
    text = explain(check(instance, schema))

    assert json.dumps(text)
    assert "None" not in text
