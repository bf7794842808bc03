"""Each factual sentence of notebook 08, proved.

Not here: the figures of the two small models. They were counted by hand with files that no test
may download; the page says how. What follows from them by arithmetic is here.
"""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest

from course_pkg import ModelClient, ModelError, Recorder, ToolCall, execute_all, run, toolbox
from course_pkg.conversation import problems, start
from course_pkg.lessons.text_model import TextModel
from course_pkg.samples import calculate
from course_pkg.schema import check
from course_pkg.text_calls import (
    FORMATS,
    as_message,
    call_in_words,
    looks_like_call,
    parse_text,
    tools_prompt,
)
from course_pkg.wire import Frame, steps_of

TOOLS = toolbox("get_weather", "calculate")
SUM = "What is 12 * 7?"
SAID = '{"name": "calculate", "arguments": {"expression": "12 * 7"}}'
TAGS = f"<tool_call>{SAID}</tool_call>"
SEARCH = ToolCall(id="call_1", name="search_docs", arguments='{"query": "5 < 6", "num_results": 2}')


def sent(frames: Any) -> list[Any]:
    found: list[Frame] = [frame for frame in frames if frame.label.startswith("POST")]
    return [frame.json for frame in found]


def found_in(text: str) -> int:
    return len(parse_text(text, TOOLS).calls)


async def test_an_unread_call_stands_in_the_text_and_is_noted() -> None:
    async with ModelClient(model="practice:hermes_text") as client:
        reply = await client.ask(start(SUM), TOOLS)

    assert (reply.calls, reply.notes) == ((), ("looks_like_tool_call",))
    assert looks_like_call(reply.text or "", TOOLS)


async def test_the_parser_makes_the_message_that_a_reading_server_sends() -> None:
    async with ModelClient(model="practice:hermes_text") as client:
        reply = await client.ask(start(SUM), TOOLS)
    async with ModelClient() as reading:
        wanted = await reading.ask(start(SUM), TOOLS)

    made = as_message(reply.text or "", TOOLS)["tool_calls"]
    assert [call["function"] for call in made] == [
        call["function"] for call in wanted.message["tool_calls"]
    ]


async def test_a_server_without_its_two_options_says_so() -> None:
    async with ModelClient(model="practice:auto_choice_off") as client:
        with pytest.raises(ModelError, match=r"--enable-auto-tool-choice.*--tool-call-parser"):
            await client.ask(start(SUM), TOOLS, tool_choice="auto")


async def test_which_tools_there_are_is_decided_by_each_request() -> None:
    async with ModelClient() as client:
        offers = [TOOLS, toolbox("get_weather"), TOOLS]
        replies = [await client.ask(start(SUM), offered) for offered in offers]

    names = [[call.name for call in reply.calls] for reply in replies]
    assert names == [["calculate"], [], ["calculate"]]


def test_the_prompt_holds_the_whole_definition() -> None:
    prompt = tools_prompt(toolbox("calculate"), "hermes")
    inside = prompt[prompt.index("<tools>") + len("<tools>") : prompt.index("</tools>")]

    assert json.loads(inside) == calculate.definition()


async def test_a_model_that_is_told_so_by_its_prompt_answers_with_a_call_as_text() -> None:
    messages = start(SUM, system_prompt=tools_prompt(toolbox("calculate"), "hermes"))
    async with ModelClient() as client:
        with Recorder() as recorder:
            reply = await client.ask(messages)

    assert set(sent(recorder.frames)[0]) == {"model", "messages"}
    assert (reply.calls, parse_text(reply.text or "", TOOLS).calls[0].name) == ((), "calculate")


async def test_a_call_from_text_is_checked_and_run_like_any_other() -> None:
    good = parse_text(TAGS, TOOLS).calls
    wrong = parse_text(TAGS.replace("expression", "sum"), TOOLS).calls

    results = await execute_all([*good, *wrong], TOOLS)

    assert [(result.text == "84", result.is_error) for result in results] == [
        (True, False),
        (False, True),
    ]


def test_the_text_held_no_id_so_the_parser_made_one() -> None:
    assert "call_" not in TAGS.replace("tool_call", "")
    assert parse_text(TAGS, TOOLS).calls[0].id.startswith("call_")


async def test_the_loop_runs_over_text_and_nothing_of_tools_is_in_a_field() -> None:
    async with TextModel() as client:
        with Recorder() as recorder:
            outcome = await run("What is the weather in Paris?", TOOLS, client)

    messages = [message for body in sent(recorder.frames) for message in body["messages"]]
    assert {name for body in sent(recorder.frames) for name in body} == {"model", "messages"}
    assert {name for message in messages for name in message} == {"role", "content"}
    assert "tool" not in {message["role"] for message in messages}
    assert outcome.reason == "answered"


async def test_the_notebooks_own_conversation_has_everything_in_its_place() -> None:
    async with TextModel() as client:
        outcome = await run(SUM, TOOLS, client)

    roles = [message["role"] for message in outcome.messages]
    assert (roles, problems(outcome.messages)) == (["user", "assistant", "tool", "assistant"], [])


async def test_the_view_names_steps_by_fields_so_two_stay_unlit() -> None:
    async with TextModel() as client:
        with Recorder() as recorder:
            await run(SUM, TOOLS, client)

    steps = {step for frame in recorder.frames for step in steps_of(frame)}
    assert steps == {1, 2, 3, 4}


@pytest.mark.parametrize("form", FORMATS)
async def test_the_loop_is_the_same_in_each_format(form: Any) -> None:
    async with TextModel(form=form) as client:
        outcome = await run(SUM, TOOLS, client)

    assert (outcome.reason, outcome.calls) == ("answered", 1)


def test_an_xml_reader_refuses_what_stands_between_parameter_tags() -> None:
    with pytest.raises(ET.ParseError):
        ET.fromstring(call_in_words(SEARCH, "qwen3_coder"))


def test_only_the_schema_says_whether_a_value_in_tags_is_a_number() -> None:
    written = call_in_words(SEARCH, "qwen3_coder")
    told = parse_text(written, toolbox("search_docs")).calls[0].arguments
    untold = parse_text(written).calls[0].arguments

    values = [json.loads(arguments)["num_results"] for arguments in (told, untold)]
    assert values == [2, "2"]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (f"Let me see.\n{TAGS}\nOne moment.", 1),
        (f"<think>\nPerhaps {TAGS}?\n</think>\nIt is 84.", 0),
        (f"This is how I would write it:\n```\n{TAGS}\n```", 0),
        (f"I write {TAGS} and wait.", 0),
        (f'It is written "{TAGS}"', 0),
        (f"`{TAGS}`", 0),
        (f"Sure: {TAGS}", 1),
        (f"{TAGS} One moment.", 1),
        (TAGS.removesuffix("</tool_call>"), 1),
    ],
)
def test_the_safe_line(text: str, calls: int) -> None:
    assert found_in(text) == calls


def test_a_missing_tag_is_forgiven_only_if_the_json_is_whole() -> None:
    whole, cut = TAGS.removesuffix("</tool_call>"), TAGS[:60]

    problems_found = [parse_text(text, TOOLS).calls[0].problem for text in (whole, cut)]

    assert problems_found == ["", "unclosed_call"]


def message_to_ada(content: str) -> str:
    said = f'{{"name": "send_message", "arguments": {{"to": "Ada", "content": "{content}"}}}}'
    return f"<tool_call>\n{said}\n</tool_call>"


@pytest.mark.parametrize(
    ("text", "kind"), [(message_to_ada('Say "yes".'), "invalid_json"), (TAGS[:70], "unclosed_call")]
)
async def test_a_broken_call_is_not_run_and_gets_an_error(text: str, kind: str) -> None:
    tools = toolbox("send_message", "calculate")

    results = await execute_all(parse_text(text, tools).calls, tools)

    assert [(result.is_error, result.error_kind) for result in results] == [(True, kind)]


async def test_a_raw_line_break_has_one_reading_and_is_mended() -> None:
    tools = toolbox("send_message")

    [result] = await execute_all(parse_text(message_to_ada("one\ntwo"), tools).calls, tools)

    assert not result.is_error


def test_a_regular_expression_ends_at_a_tag_inside_a_value() -> None:
    said = '{"name": "search_docs", "arguments": {"query": "what is </tool_call>"}}'
    text = f"<tool_call>{said}</tool_call>"
    found = re.search("<tool_call>(.*?)</tool_call>", text)

    assert found is not None
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(found[1])
    assert parse_text(text).calls[0].arguments == '{"query": "what is </tool_call>"}'


def test_the_fourth_format_is_off_unless_asked_for_and_takes_one_call_and_no_word_more() -> None:
    fenced = f"```json\n{SAID}\n```"
    texts = [SAID, fenced, f"Sure:\n{fenced}", SAID.replace("calculate", "unknown")]

    assert [found_in(text) for text in texts] == [0, 0, 0, 0]
    asked_for = [len(parse_text(text, TOOLS, formats=["bare_json"]).calls) for text in texts]
    assert asked_for == [1, 1, 0, 0]


def test_22_of_30_may_stand_for_56_to_86_percent() -> None:
    share, n, z = 22 / 30, 30, 1.96
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)

    assert [round(100 * bound) for bound in (centre - half, centre + half)] == [56, 86]


def test_a_wrong_expression_fits_the_schema_as_well_as_the_right_one() -> None:
    right, wrong = "(15 + 27) / 6", "15 + 27 / 6"

    for expression in (right, wrong):
        assert check({"expression": expression}, calculate.input_schema) == []
    assert (calculate(right), calculate(wrong)) == (7, 19.5)


async def test_half_a_call_can_be_written_again(service: Callable[..., Any], write: Any) -> None:
    half = service(write.text(TAGS[:70]), write.text(TAGS), write.text("84"))
    async with TextModel(half.settings) as client:
        outcome = await run(SUM, TOOLS, client)

    assert (outcome.reason, outcome.failed_calls, outcome.answer) == ("answered", 1, "84")
