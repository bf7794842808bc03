"""Each factual sentence of notebook 02, proved."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from course_pkg import ModelClient, ModelError, Outcome, Recorder, exercise, run, toolbox
from course_pkg.conversation import start
from course_pkg.samples import create_user, search_docs, send_emails
from course_pkg.schema import (
    FORMATS,
    NotStrictableError,
    apply_defaults,
    check,
    explain,
    from_strict,
    lint,
    strict_findings,
    to_strict,
)

MOBILE = {"type": "string", "pattern": r"^1[3-9]\d{9}$"}
EMAIL = {"type": "string", "format": "email"}
MESSAGE = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "urgent": {"type": "boolean", "default": False}},
    "required": ["to"],
}
ARABIC = "١٢٣٤"
TOO_MANY = "Search the docs for anyOf, 25 results."

#: Which formats jsonschema knows with, and without, what JupyterLab happens to bring along.
FORMATS_KNOWN = """
import sys
sys.modules['rfc3987_syntax'] = None
if sys.argv[1] == 'bare':
    for name in ('rfc3339_validator', 'rfc3986_validator', 'isoduration', 'fqdn'):
        sys.modules[name] = None
from jsonschema import Draft202012Validator
print(*Draft202012Validator.FORMAT_CHECKER.checkers)
"""


def fits(value: Any, schema: dict[str, Any]) -> bool:
    return not check(value, schema)


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    async with ModelClient(max_retries=0) as made:
        yield made


@pytest.fixture
async def outcome(client: ModelClient) -> Outcome:
    return await run(TOO_MANY, toolbox("search_docs"), client)


# --- numbers, choices, texts, lists, objects ------------------------------------------------------


def test_an_integer_alone_lets_500_stars_in() -> None:
    assert fits(500, {"type": "integer"})


@pytest.mark.parametrize("limit", [1, 5])
def test_minimum_and_maximum_allow_the_limit_itself(limit: int) -> None:
    assert fits(limit, {"type": "integer", "minimum": 1, "maximum": 5})


def test_exclusive_minimum_does_not_allow_the_limit_itself() -> None:
    celsius = {"type": "number", "exclusiveMinimum": -273.15}

    assert not fits(-273.15, celsius)
    assert fits(-273.1, celsius)


@pytest.mark.parametrize("percent", [0, 100])
def test_a_discount_of_0_or_100_percent_is_fine(percent: int) -> None:
    assert fits(percent, {"type": "number", "minimum": 0, "maximum": 100})


def test_a_near_miss_of_an_enum_gets_a_suggestion() -> None:
    unit = {"type": "string", "enum": ["celsius", "fahrenheit"]}

    assert 'Did you mean "celsius"?' in explain(check("Celsius", unit))


@pytest.mark.parametrize(("text", "expected"), [("Li", False), ("Lin", True), ("学" * 20, True)])
def test_lengths_count_characters(text: str, expected: bool) -> None:
    assert fits(text, {"type": "string", "minLength": 3, "maxLength": 20}) is expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [("13812345678", True), ("12812345678", False), ("1381234567", False), ("138123456789", False)],
)
def test_the_mobile_pattern_is_a_1_a_digit_from_3_and_nine_more(
    number: str,
    expected: bool,
) -> None:
    assert fits(number, MOBILE) is expected


def test_receivers_are_one_to_fifty_and_none_comes_twice() -> None:
    recipients = send_emails.input_schema["properties"]["recipients"]
    fifty = [f"a{n}@example.com" for n in range(50)]

    assert (recipients["minItems"], recipients["maxItems"]) == (1, 50)
    assert fits(fifty, recipients)
    assert not fits([*fifty, "b@example.com"], recipients)
    assert not fits([fifty[0], fifty[0]], recipients)


def test_the_path_leads_to_the_place_in_an_inner_object() -> None:
    arguments = {"name": "Anna", "contact": {"kind": "phone", "number": 13812345678}}

    assert "contact.number: expected text" in explain(check(arguments, create_user.input_schema))


@pytest.mark.parametrize(("levels", "expected"), [(3, False), (4, True)])
def test_lint_stops_at_three_levels(levels: int, expected: bool) -> None:
    deep: dict[str, Any] = {"type": "string"}
    for key in range(levels):
        deep = {"type": "object", "properties": {str(key): deep}}
    definition = {"type": "function", "function": {"name": "book_trip", "parameters": deep}}

    assert ("nesting_too_deep" in {finding.code for finding in lint(definition)}) is expected


# --- what surprises people ------------------------------------------------------------------------


def test_a_default_is_not_filled_in_by_a_check() -> None:
    arguments = {"to": "Ana"}

    assert fits(arguments, MESSAGE)
    assert arguments == {"to": "Ana"}


def test_apply_defaults_fills_it_in_and_leaves_the_arguments_as_they_were() -> None:
    arguments = {"to": "Ana"}

    assert apply_defaults(arguments, MESSAGE) == {"to": "Ana", "urgent": False}
    assert arguments == {"to": "Ana"}


def test_the_library_checks_formats_only_when_they_are_switched_on() -> None:
    switched_on = Draft202012Validator(EMAIL, format_checker=FormatChecker())

    assert Draft202012Validator(EMAIL).is_valid("no address")
    assert not switched_on.is_valid("no address")


def test_which_formats_are_known_depends_on_what_is_installed() -> None:
    known = {
        mode: set(
            subprocess.run(
                [sys.executable, "-c", FORMATS_KNOWN, mode],
                capture_output=True,
                text=True,
                check=True,
                encoding="utf-8",
            ).stdout.split()
        )
        for mode in ("bare", "rich")
    }

    assert "email" in known["bare"]
    assert "date-time" not in known["bare"]
    assert known["bare"] <= known["rich"]


def test_an_unknown_format_passes_in_silence() -> None:
    schema = {"type": "string", "format": "phone"}

    assert Draft202012Validator(schema, format_checker=FormatChecker()).is_valid("no number")
    assert fits("no number", schema)


def test_formats_can_be_turned_off() -> None:
    assert "email" in FORMATS
    assert check("no address", EMAIL, formats=False) == []


def test_a_pattern_is_a_search() -> None:
    assert fits("room 12345", {"type": "string", "pattern": r"\d{4}"})
    assert not fits("room 12345", {"type": "string", "pattern": r"^\d{4}$"})


def test_python_and_a_validator_built_on_it_take_the_digits_of_other_scripts() -> None:
    assert re.search(r"^\d{4}$", ARABIC)
    assert Draft202012Validator({"pattern": r"^\d{4}$"}).is_valid(ARABIC)


def test_the_courses_check_takes_0_to_9_only() -> None:
    assert not fits(ARABIC, {"type": "string", "pattern": r"^\d{4}$"})


def test_nobody_differs_about_0_to_9_in_brackets() -> None:
    pattern = "^[0-9]{4}$"

    assert not re.search(pattern, ARABIC)
    assert not fits(ARABIC, {"pattern": pattern})
    assert fits("2026", {"pattern": pattern})


@pytest.mark.parametrize(
    ("value", "expected"), [(1, True), (1.0, True), (1.5, False), (True, False)]
)
def test_one_point_zero_is_a_whole_number_and_true_is_not(
    value: Any,
    expected: bool,
) -> None:
    assert fits(value, {"type": "integer"}) is expected


def test_python_counts_true_as_1() -> None:
    assert isinstance(True, int)
    assert int(True) == 1


@pytest.mark.parametrize(
    ("value", "expected"), [({"note": "Hi"}, True), ({"note": None}, True), ({}, False)]
)
def test_required_is_about_presence_and_the_type_about_null(
    value: Any,
    expected: bool,
) -> None:
    note = {
        "type": "object",
        "properties": {"note": {"type": ["string", "null"]}},
        "required": ["note"],
    }

    assert fits(value, note) is expected


def test_unknown_names_pass_unless_the_object_is_closed() -> None:
    typo = {"to": "Ana", "urgnet": True}

    assert fits(typo, MESSAGE)
    assert 'Did you mean "urgent"?' in explain(
        check(typo, MESSAGE | {"additionalProperties": False})
    )


def test_nan_is_neither_smaller_nor_larger_and_pythons_parser_reads_it() -> None:
    value = json.loads("NaN")

    assert not value < 0
    assert not value > 0
    assert value != value


def test_the_library_lets_nan_through_and_the_courses_check_does_not() -> None:
    share = {"type": "number", "minimum": 0, "maximum": 1}

    assert Draft202012Validator(share).is_valid(float("nan"))
    assert "a number that JSON has" in explain(check(float("nan"), share))


# --- errors, and the loop that they pay for -------------------------------------------------------


def test_all_problems_are_named_at_once_each_with_its_place_and_advice() -> None:
    arguments = {"name": "Li", "contact": {"kind": "email", "address": "li"}, "age": 30}

    problems = check(arguments, create_user.input_schema)

    assert [problem.where for problem in problems] == ["", "contact", "name"]
    assert all(
        problem.expected and problem.found and problem.advice in explain(problems)
        for problem in problems
        if problem.choice is None
    )


def test_search_docs_gives_at_most_ten_results() -> None:
    assert search_docs.input_schema["properties"]["num_results"]["maximum"] == 10


def test_the_model_does_as_it_is_told_and_corrects_itself(outcome: Outcome) -> None:
    calls = [call for turn in outcome.turns for call in turn.reply.calls]

    assert [json.loads(call.arguments)["num_results"] for call in calls] == [25, 10]
    assert outcome.reason == "answered"


def test_the_problem_went_back_as_the_result_of_the_call(outcome: Outcome) -> None:
    (result,) = outcome.turns[0].results

    assert result.error_kind == "invalid_arguments"
    assert "at most 10, found 25. Give 10 or less." in result.text


async def test_the_first_call_never_reached_the_function(client: ModelClient) -> None:
    with Recorder() as recorder:
        await run(TOO_MANY, toolbox("search_docs"), client)

    started = [f for f in recorder.frames if f.wire == "local" and f.direction == "sent"]
    assert len(started) == 1


# --- strict mode ----------------------------------------------------------------------------------


def strict_tool(schema: dict[str, Any]) -> dict[str, Any]:
    function = {"name": "search_docs", "strict": True, "parameters": schema}
    return {"type": "function", "function": function}


OPEN = {"type": "object", "properties": {}, "required": []}
CLOSED = OPEN | {"additionalProperties": False}
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    "schema",
    [
        OPEN,
        CLOSED | {"properties": {"a": TEXT}},
        CLOSED | {"properties": {"a": {"oneOf": [TEXT]}}, "required": ["a"]},
        CLOSED | {"anyOf": [CLOSED, CLOSED]},
    ],
    ids=["open object", "not required", "oneOf", "anyOf at the root"],
)
async def test_each_rule_of_strict_mode_is_refused_with_400_when_broken(
    client: ModelClient, schema: dict[str, Any]
) -> None:
    with pytest.raises(ModelError) as refused:
        await client.ask(start("Hello."), [strict_tool(schema)])

    assert refused.value.status == 400


async def test_what_to_strict_makes_is_accepted(client: ModelClient) -> None:
    strict = to_strict(search_docs.input_schema)

    assert await client.ask(start("Hello."), [strict_tool(strict)])
    assert list(strict_findings(strict)) == []


def test_an_optional_argument_becomes_required_and_may_be_null_and_its_default_goes() -> None:
    strict = to_strict(search_docs.input_schema)

    assert strict["required"] == ["query", "num_results"]
    assert strict["properties"]["num_results"]["type"] == ["integer", "null"]
    assert "default" not in strict["properties"]["num_results"]


def test_a_null_that_means_left_out_is_left_out_again() -> None:
    arguments = {"query": "anyOf", "num_results": None}

    assert from_strict(arguments, search_docs.input_schema) == {"query": "anyOf"}


def test_an_object_with_unknown_names_cannot_be_strict_and_the_error_says_what_to_do() -> None:
    readings = {"type": "object", "additionalProperties": {"type": "number"}}

    with pytest.raises(NotStrictableError, match="list the keys"):
        to_strict({"type": "object", "properties": {"readings": readings}})


def test_keywords_that_strict_mode_lacks_are_not_sent() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "minLength": 3}}}

    assert "minLength" not in to_strict(schema)["properties"]["a"]


def test_the_schema_of_exercise_3_has_holes_and_refuses_null() -> None:
    schema = exercise("02.3").material()

    assert fits({"place": "xBJ1015", "celsius": -273.15, "unit": "celsius"}, schema)
    assert not fits({"place": "BJ101", "celsius": 20, "taken_by": None}, schema)
