"""Each factual sentence of notebook 01, proved."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from course_pkg import ModelClient, ModelError, Recorder, ToolCall, execute, run, tool, toolbox
from course_pkg.conversation import start
from course_pkg.executor import execute_all
from course_pkg.samples import MORE_TOOL_NAMES, TOOL_NAMES, get_weather
from course_pkg.schema import SchemaError, check, check_schema, lint
from course_pkg.tools import compare, legal_names, real_names

WEATHER = get_weather.definition()
SCHEMA = get_weather.input_schema
QUESTION = start("What is the weather in Paris?")
PAGE = Path(__file__).parents[2] / "notebooks" / "01_tool_schemas.ipynb"


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    async with ModelClient(max_retries=0) as made:
        yield made


def named(name: str) -> dict[str, Any]:
    return {"type": "function", "function": WEATHER["function"] | {"name": name}}


@tool
def find_train(start: str, end: str, max_changes: int = 2) -> str:
    """Find the next train between two stations. Returns its departure time.

    Args:
        start: Station of departure, for example Lyon.
        end: Station of arrival, for example Milan.
        max_changes: How often to change at most. Default 2, which suits most people.
    """
    return f"The next train from {start} to {end} leaves at 10:04."


async def test_a_name_is_all_that_the_service_demands(client: ModelClient) -> None:
    reply = await client.ask(QUESTION, [{"type": "function", "function": {"name": "f"}}])

    assert reply.calls == ()


async def test_with_a_whole_definition_the_model_calls_although_no_function_runs(
    client: ModelClient,
) -> None:
    (call,) = (await client.ask(QUESTION, [WEATHER])).calls

    assert (call.name, json.loads(call.arguments)) == ("get_weather", {"city": "Paris"})


async def test_without_a_name_the_service_refuses(client: ModelClient) -> None:
    with pytest.raises(ModelError, match="name' is missing") as caught:
        await client.ask(QUESTION, [{"type": "function", "function": {"description": "x"}}])

    assert caught.value.status == 400


async def test_the_type_of_a_tool_must_be_told(client: ModelClient) -> None:
    with pytest.raises(ModelError, match="must be 'function'"):
        await client.ask(QUESTION, [{"function": {"name": "f"}}])


@pytest.mark.parametrize("name", ["get weather", "weather.get", "获取天气", "x" * 65, ""])
async def test_a_name_with_other_characters_or_more_than_64_is_refused(
    client: ModelClient, name: str
) -> None:
    with pytest.raises(ModelError) as caught:
        await client.ask(QUESTION, [named(name)])

    assert caught.value.status == 400


@pytest.mark.parametrize("name", ["x" * 64, "a-B_9", "9lives", "WeatherData"])
async def test_other_names_are_legal_even_if_they_are_poor(client: ModelClient, name: str) -> None:
    assert await client.ask(QUESTION, [named(name)])


async def test_a_root_that_is_no_object_is_refused(client: ModelClient) -> None:
    function = WEATHER["function"] | {"parameters": {"type": "array"}}

    with pytest.raises(ModelError, match="'object'"):
        await client.ask(QUESTION, [{"type": "function", "function": function}])


async def test_with_strict_a_service_accepts_only_stricter_schemas(client: ModelClient) -> None:
    strict = {"type": "function", "function": WEATHER["function"] | {"strict": True}}

    with pytest.raises(ModelError, match="'strict': true"):
        await client.ask(QUESTION, [strict])


@pytest.mark.parametrize("name", ["WeatherData", "weather_data", "2nd_try"])
def test_lint_finds_names_against_the_house_rule_and_says_how_to_mend_them(name: str) -> None:
    found = [finding for finding in lint(named(name)) if finding.path == "name"]

    assert found
    assert all(finding.fix for finding in found)


def test_a_name_that_keeps_the_house_rule_has_no_finding() -> None:
    assert lint(named("get_weather")) == ()


def test_names_are_mapped_and_mapped_back() -> None:
    legal = legal_names(["weather.get", "stock.find", "get_weather"])

    assert legal["weather.get"] == "weather_get"
    assert [real_names(legal)[name] for name in legal.values()] == list(legal)


def test_the_four_words_of_a_schema_are_in_the_weather_tool() -> None:
    assert set(SCHEMA) == {"type", "properties", "required", "additionalProperties"}
    assert (SCHEMA["type"], SCHEMA["required"], SCHEMA["additionalProperties"]) == (
        "object",
        ["city"],
        False,
    )


def test_three_problems_are_found_at_once() -> None:
    assert check({"city": "Paris"}, SCHEMA) == []
    assert len(check({"town": "Paris", "unit": "kelvin"}, SCHEMA)) == 3


def test_without_additional_properties_false_a_misspelt_name_passes_in_silence() -> None:
    open_schema = {"type": "object", "properties": {"city": {"type": "string"}}}

    assert check({"town": "Paris"}, open_schema) == []


def test_required_inside_a_property_is_no_schema() -> None:
    with pytest.raises(SchemaError, match="required: True is not of type 'array'"):
        check_schema({"type": "object", "properties": {"city": {"required": True}}})


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("string", "Paris", 7),
        ("number", 2.5, "2.5"),
        ("integer", 3, 3.5),
        ("boolean", True, 1),
        ("array", ["a"], "a"),
        ("object", {"a": 1}, ["a"]),
        ("null", None, 0),
    ],
)
def test_each_of_the_six_types_and_null_takes_its_own_values(
    kind: str, good: Any, bad: Any
) -> None:
    assert check(good, {"type": kind}) == []
    assert check(bad, {"type": kind}) != []


def test_there_are_no_other_types() -> None:
    with pytest.raises(SchemaError):
        check_schema({"type": "float"})


def test_a_function_says_nearly_all_of_its_definition() -> None:
    function = find_train.definition()["function"]
    properties = function["parameters"]["properties"]

    assert function["name"] == "find_train"
    assert function["description"].startswith("Find the next train")
    assert [part["type"] for part in properties.values()] == ["string", "string", "integer"]
    assert function["parameters"]["required"] == ["start", "end"]
    assert function["parameters"]["additionalProperties"] is False


async def test_a_tool_is_still_a_function_and_the_loop_can_call_it(client: ModelClient) -> None:
    outcome = await run("Find a train from Lyon to Milan.", [find_train], client)

    assert find_train(start="Lyon", end="Milan") in (outcome.answer or "")


def drifted() -> dict[str, Any]:
    definition = copy.deepcopy(find_train.definition())
    properties = definition["function"]["parameters"]["properties"]
    properties["origin"] = properties.pop("start")
    return definition


def test_compare_finds_a_parameter_that_was_renamed_and_nothing_where_both_agree() -> None:
    assert [finding.code for finding in compare(find_train, drifted())] == [
        "parameter_missing",
        "parameter_unknown",
    ]
    assert compare(find_train, find_train.definition()) == ()


async def test_every_call_that_follows_a_drifted_definition_fails() -> None:
    call = ToolCall(id="c", name="find_train", arguments='{"origin": "Lyon", "end": "Milan"}')

    assert (await execute(call, [find_train])).is_error


async def test_the_tools_are_in_each_request_whether_used_or_not(client: ModelClient) -> None:
    with Recorder() as recorder:
        await run(QUESTION[0]["content"], toolbox("get_weather", "calculate"), client)

    sent = [frame.json["tools"] for frame in recorder.frames if frame.label.startswith("POST")]
    assert len(sent) == 2
    assert sent[0] == sent[1] == toolbox("get_weather", "calculate").definitions()


async def test_nearly_all_of_a_request_is_definitions_and_more_tools_make_it_longer(
    client: ModelClient,
) -> None:
    sizes, tokens = [], []
    for count in (1, 3, 5):
        tools = toolbox(*TOOL_NAMES[:count])
        with Recorder() as recorder:
            reply = await client.ask(start("Hello."), tools)
        sizes.append(len(recorder.frames[0].body))
        tokens.append(reply.usage.prompt_tokens)

    definitions = len(json.dumps(toolbox().definitions(), ensure_ascii=False).encode())
    assert sizes == sorted(sizes)
    assert tokens == sorted(tokens)
    assert definitions / sizes[-1] > 0.9


def test_the_tools_of_the_course_are_those_of_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert len(toolbox(*TOOL_NAMES, *MORE_TOOL_NAMES)) == 10
    assert all(f"{name}(" in text for name in (*TOOL_NAMES, *MORE_TOOL_NAMES))


@pytest.mark.parametrize(
    ("amount", "fits"),
    [(100, True), ({"value": 100, "currency": "USD"}, True), ({"value": 100}, False)],
)
def test_a_payment_is_a_number_or_an_object_with_value_and_currency(
    amount: Any, fits: bool
) -> None:
    schema = toolbox("make_payment")["make_payment"].input_schema

    assert (check({"amount": amount}, schema) == []) == fits


def test_an_object_may_stand_inside_the_arguments() -> None:
    schema = toolbox("create_user")["create_user"].input_schema
    contact = {"kind": "email", "address": "anna@example.com"}

    assert check({"name": "Anna", "contact": contact}, schema) == []
    assert check({"name": "Anna", "contact": "anna@example.com"}, schema) != []


async def test_the_sample_calls_of_the_page_run() -> None:
    calls = [ToolCall(id="c", name="make_payment", arguments='{"amount": 100}')]

    assert not any(result.is_error for result in await execute_all(calls, toolbox("make_payment")))


@pytest.mark.parametrize(
    ("name", "in_mcp"),
    [("stock.count", True), ("a" * 128, True), ("a" * 129, False), ("stock count", False)],
)
def test_mcp_allows_dots_and_128_characters_which_the_chat_interface_does_not(
    name: str, in_mcp: bool
) -> None:
    from mcp.shared.tool_name_validation import validate_tool_name

    assert validate_tool_name(name).is_valid is in_mcp
    assert legal_names([name])[name] != name
