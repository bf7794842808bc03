"""What `lint` finds in definitions of tools, and in which forms it reads them."""

from __future__ import annotations

from typing import Any

import pytest

from course_pkg.samples import toolbox
from course_pkg.schema import lint

GOOD: dict[str, Any] = {
    "name": "get_weather",
    "description": "Get the weather in a city. Returns the temperature and a word for the sky.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The city, for example Paris."},
            "days": {
                "type": "integer",
                "minimum": 1,
                "maximum": 7,
                "default": 1,
                "description": "How many days, from 1 to 7. Default 1.",
            },
        },
        "required": ["city"],
        "additionalProperties": False,
    },
}


def codes(source: Any) -> list[str]:
    return [finding.code for finding in lint(source)]


def described(**changes: Any) -> dict[str, Any]:
    return {**GOOD, **changes}


def with_part(part: Any, **root: Any) -> dict[str, Any]:
    """A definition with one parameter, which is described."""
    text = "What it is, for example 1, at most 9. Default 1."
    described_part = {"description": text, **part} if isinstance(part, dict) else part
    schema = {"type": "object", "properties": {"x": described_part}, "additionalProperties": False}
    return described(parameters={**schema, **root})


def test_a_good_definition_has_no_findings() -> None:
    assert lint(GOOD) == ()


def test_the_tools_of_the_course_have_no_errors_and_no_warnings() -> None:
    assert [finding for finding in lint(toolbox()) if finding.severity != "advice"] == []


# --- forms ----------------------------------------------------------------------------------------

SCHEMA = GOOD["parameters"]
FACTS = {"name": "get_weather", "description": GOOD["description"]}


@pytest.mark.parametrize(
    "source",
    [
        {"type": "function", "function": GOOD},
        {"type": "function", "strict": False, **GOOD},
        {**FACTS, "input_schema": SCHEMA},
        {**FACTS, "inputSchema": SCHEMA},
        [GOOD],
        {"model": "m", "messages": [], "tools": [{"type": "function", "function": GOOD}]},
        {"tools": [{**FACTS, "inputSchema": SCHEMA}], "nextCursor": "x"},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{**FACTS, "inputSchema": SCHEMA}]}},
        {"functions": [GOOD]},
    ],
)
def test_a_definition_is_read_in_every_form(source: Any) -> None:
    assert lint(source) == ()


@pytest.mark.parametrize("source", [None, 3, "get_weather", [], {}, {"tools": []}, [1], {"a": 1}])
def test_what_is_no_definition_is_told_kindly(source: Any) -> None:
    with pytest.raises(ValueError, match="Chat Completions"):
        lint(source)


def test_a_finding_names_the_tool_and_errors_come_first() -> None:
    found = lint([GOOD, {**with_part({"default": "a", "type": "integer"}), "name": "GetIt"}])

    assert {finding.tool for finding in found} == {"GetIt"}
    assert [finding.severity for finding in found] == ["error", "advice"]


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", ["name_missing"]),
        (None, ["name_missing"]),
        ("get weather", ["name_illegal"]),
        ("get.weather", ["name_illegal"]),
        ("获取天气", ["name_illegal"]),
        ("get_" + "x" * 61, ["name_illegal"]),
        ("getWeather", ["name_not_snake_case"]),
        ("get-weather", ["name_not_snake_case"]),
        ("weather_data", ["name_no_verb"]),
        ("2get", ["name_not_snake_case"]),
        ("searches_docs", []),
    ],
)
def test_a_name_is_legal_in_the_house_style_and_begins_with_a_verb(
    name: Any, expected: list[str]
) -> None:
    found = [code for code in codes(described(name=name)) if code.startswith("name")]

    assert found[: len(expected)] == expected
    assert bool(found) == bool(expected)


def test_mcp_takes_dots_and_is_told_that_others_do_not() -> None:
    source = {"description": GOOD["description"], "inputSchema": SCHEMA, "name": "stock.find_part"}

    assert codes(source) == ["name_needs_mapping"]
    assert codes({**source, "name": "stock find"})[0] == "name_illegal"


def test_a_name_twice_and_too_many_tools_are_told() -> None:
    many = [{**GOOD, "name": f"get_weather_{at}"} for at in range(21)]

    assert codes([GOOD, GOOD]) == ["name_duplicate"]
    assert codes(many) == ["too_many_tools"]


# --- descriptions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["description_missing"]),
        ("Get weather.", ["description_vague"]),
        (
            "This function is for the weather tool.",
            ["description_no_verb", "description_vague"],
        ),
        ("Weather data of a city, returns text.", ["description_no_verb"]),
        ("Get the temperature in a city today.", ["description_no_result"]),
        ("Gets the weather. Returns a sentence.", []),
        ("查询一个城市今天的天气,返回温度。", []),
    ],
)
def test_a_description_begins_with_a_verb_and_says_what_comes_back(
    text: str, expected: list[str]
) -> None:
    assert codes(described(description=text)) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "string", "description": ""}, ["parameter_undescribed"]),
        ({"type": "string", "description": "city"}, ["parameter_vague", "description_no_example"]),
        ({"type": "string", "description": "The city to look at."}, ["description_no_example"]),
        ({"type": "string", "description": "The city.", "examples": ["Paris"]}, []),
        ({"type": "string", "enum": ["a"], "description": "Which of them."}, []),
        ({"type": "integer", "minimum": 2, "description": "How many days."},
         ["description_no_limits"]),
        ({"type": "integer", "minimum": 2, "description": "Days, at least two."}, []),
        ({"type": "string", "format": "date", "description": "The day to look at."},
         ["description_no_limits"]),
        ({"type": "integer", "default": 3, "description": "How many results."},
         ["description_no_default"]),
        ({"type": "integer", "default": 3, "description": "How many. Default 3."}, []),
        ({"type": ["string", "null"], "default": None, "description": "A note, or null."}, []),
    ],
)  # fmt: skip
def test_a_parameter_says_what_it_is_with_example_limits_and_default(
    part: Any, expected: list[str]
) -> None:
    assert codes(with_part(part)) == expected


# --- schemas --------------------------------------------------------------------------------------

NESTED: Any = {"type": "string", "description": "A text, for example a."}
for _name in "dcb":
    NESTED = {
        "type": "object",
        "description": f"Part {_name}, like the rest.",
        "properties": {_name: NESTED},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("definition", "code", "path", "severity"),
    [
        (with_part({"type": "string"}, additionalProperties=True), None, "", ""),
        (with_part({"type": "object", "properties": {}}), "additionalProperties_missing",
         "/properties/x", "warning"),
        (with_part({}), "type_missing", "/properties/x", "warning"),
        (with_part({"type": "integer"}, required=["y"]), "required_unknown", "/", "error"),
        (with_part({"type": "integer", "default": "1"}), "default_invalid", "/properties/x",
         "error"),
        (with_part({"type": "integer", "examples": [1, "b"]}), "example_invalid", "/properties/x",
         "error"),
        (with_part({"type": "integer", "enum": [1, "b"]}), "enum_not_of_type", "/properties/x",
         "error"),
        (with_part({"type": "integer", "minimum": 3, "maximum": 2}), "bounds_crossed",
         "/properties/x", "error"),
        (with_part({"type": "string", "pattern": "[0-9]{5}"}), "pattern_unanchored",
         "/properties/x", "warning"),
        (with_part({"type": "string", "pattern": "^(a+)+$"}), "pattern_could_run_away",
         "/properties/x", "warning"),
        (with_part({"type": "string", "pattern": "("}), "pattern_invalid",
         "/properties/x/pattern", "error"),
        (with_part({"$ref": "#/$defs/None"}), "ref_unresolvable", "/properties/x", "error"),
        (with_part({"$ref": "https://example.invalid/a"}), "ref_unresolvable", "/properties/x",
         "error"),
        (with_part({"type": "text"}), "schema_invalid", "/properties/x/type", "error"),
        (with_part({"type": "string"}, type="array"), "root_not_object", "/", "error"),
        (with_part({"type": "string"}, anyOf=[{"required": ["x"]}]), "root_combinator", "/",
         "warning"),
        (with_part(NESTED), "nesting_too_deep", "/", "warning"),
        (with_part({"oneOf": [{"type": "number"}, {"type": "integer"}]}), "branches_overlap",
         "/properties/x/oneOf", "warning"),
        (described(parameters=None), "schema_missing", "/", "warning"),
        (described(parameters=[]), "schema_invalid", "/", "error"),
        (described(parameters={"properties": {}, "additionalProperties": False}),
         "root_not_object", "/", "error"),
    ],
)  # fmt: skip
def test_a_flaw_of_a_schema_is_found_at_its_place(
    definition: Any, code: str | None, path: str, severity: str
) -> None:
    found = lint(definition)

    if code is None:
        assert found == ()
    else:
        assert (code, path, severity) in [(item.code, item.path, item.severity) for item in found]


def test_three_levels_of_objects_are_not_too_many() -> None:
    assert "nesting_too_deep" not in codes(with_part(NESTED["properties"]["b"]))


@pytest.mark.parametrize(
    ("branches", "overlap"),
    [
        ([{"type": "string"}, {"type": "integer"}], False),
        ([{"type": "string", "minLength": 3}, {"type": "string", "maxLength": 5}], True),
        ([{"type": "string", "pattern": "^[0-9]+$"}, {"type": "string", "pattern": "^[a-z]+$"}],
         False),
        ([{"const": 1}, {"const": True}], False),
        ([{"enum": ["a", "b"]}, {"enum": ["b", "c"]}], True),
        ([{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 5}], True),
        ([{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}], True),
        ([{"type": "object", "properties": {"k": {"const": 1}}, "required": ["k"]},
          {"type": "object", "properties": {"k": {"const": 2}}, "required": ["k"]}], False),
        ([{"type": "object", "properties": {"k": {"const": 1}}},
          {"type": "object", "properties": {"k": {"const": 2}}}], True),
    ],
)  # fmt: skip
def test_branches_of_one_of_overlap_where_a_value_fits_two(
    branches: list[Any], *, overlap: bool
) -> None:
    found = lint(with_part({"oneOf": branches}))

    assert ("branches_overlap" in [finding.code for finding in found]) == overlap


def test_an_overlap_is_shown_by_a_value() -> None:
    found = lint(with_part({"oneOf": [{"type": "number"}, {"type": "integer"}]}))

    (text,) = [finding.text for finding in found if finding.code == "branches_overlap"]
    assert text == "oneOf branches overlap: 0 fits branches 1 and 2, so oneOf refuses it."


# --- the strict subset ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"additionalProperties": True}, "additionalProperties_not_false", "/"),
        ({"required": []}, "property_not_required", "/properties/x"),
        ({"anyOf": [{}]}, "root_combinator_not_strict", "/"),
        ({"allOf": [{}]}, "allOf_not_strict", "/"),
        ({"patternProperties": {"^a": {}}}, "patternProperties_not_strict", "/"),
        ({"minProperties": 1}, "keyword_not_strict", "/"),
    ],
)
def test_a_strict_definition_keeps_the_rules_of_the_subset(
    changes: Any, code: str, path: str
) -> None:
    root = {"required": ["x"], "additionalProperties": False, **changes}
    definition = {**with_part({"type": "integer"}, **root), "strict": True}

    assert (code, path) in [(finding.code, finding.path) for finding in lint(definition)]


def test_what_is_strict_has_no_finding_and_says_nothing_twice() -> None:
    strict = {**with_part({"type": "integer"}, required=["x"]), "strict": True}
    loose = {**with_part({"type": "integer"}, required=["x"]), "strict": True}
    del loose["parameters"]["additionalProperties"]

    assert codes(strict) == []
    assert codes(loose) == ["additionalProperties_not_false"]
