"""The same loop over a model that only writes text, with real HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from course_pkg import Limits, Recorder, run, toolbox
from course_pkg.conversation import problems, start
from course_pkg.lessons.text_model import TextModel, in_words
from course_pkg.text_calls import FORMATS

TOOLS = toolbox("get_weather", "calculate")
SUM = "What is 12 * 7?"
BOTH = "What is the weather in Paris and in Tokyo?"
CALL = '<tool_call>\n{"name": "calculate", "arguments": {"expression": "12 * 7"}}\n</tool_call>'

each_format = pytest.mark.parametrize("form", [*FORMATS, "bare_json"])


def sent(recorder: Recorder) -> list[Any]:
    return [frame.json for frame in recorder.frames if frame.label.startswith("POST")]


@each_format
async def test_the_loop_runs_as_with_any_client(form: Any) -> None:
    async with TextModel(form=form) as client:
        outcome = await run(SUM, TOOLS, client)

    assert (outcome.reason, outcome.calls, problems(outcome.messages)) == ("answered", 1, [])
    assert "84" in (outcome.answer or "")


@pytest.mark.parametrize("form", FORMATS)
async def test_two_calls_in_one_text_are_both_run(form: Any) -> None:
    async with TextModel(form=form) as client:
        outcome = await run(BOTH, TOOLS, client)

    cities = [call.arguments for call in outcome.turns[0].reply.calls]
    assert cities == ['{"city": "Paris"}', '{"city": "Tokyo"}']
    assert all(city in (outcome.answer or "") for city in ("Paris", "Tokyo"))


@each_format
async def test_no_tools_field_and_no_tool_message_crosses_the_wire(form: Any) -> None:
    async with TextModel(form=form) as client:
        with Recorder() as recorder:
            await run(SUM, TOOLS, client, parallel_tool_calls=True)

    roles = [message["role"] for message in sent(recorder)[1]["messages"]]
    assert [set(body) for body in sent(recorder)] == [{"model", "messages"}] * 2
    assert roles == ["system", "user", "assistant", "user"]


async def test_a_streamed_text_comes_to_the_same() -> None:
    async with TextModel() as client:
        outcome = await run(SUM, TOOLS, client, stream=True)

    assert (outcome.reason, outcome.calls) == ("answered", 1)


async def test_the_system_prompt_stays_and_the_tools_follow_it() -> None:
    messages = start(SUM, system_prompt="Be brief.")

    written = in_words(messages, TOOLS.definitions(), "hermes")

    assert written[0]["content"].startswith("Be brief.\n\nYou can use these tools.")
    assert messages[0]["content"] == "Be brief."


async def test_the_closing_turn_without_tools_answers_from_the_results() -> None:
    async with TextModel() as client:
        outcome = await run(SUM, TOOLS, client, limits=Limits(max_turns=1))

    assert (outcome.reason, outcome.calls) == ("turn_limit", 1)
    assert "84" in (outcome.answer or "")


async def test_choice_none_leaves_the_tools_out_of_the_prompt() -> None:
    async with TextModel() as client:
        with Recorder() as recorder:
            reply = await client.ask(start(SUM), TOOLS, tool_choice="none")

    assert "tools" not in sent(recorder)[0]["messages"][0]["content"]
    assert reply.calls == ()


async def test_a_forced_choice_that_the_text_ignores_is_noted() -> None:
    async with TextModel() as client:
        reply = await client.ask(start("Hello."), TOOLS, tool_choice="required")

    assert reply.notes == ("required_not_honoured",)


async def test_a_call_in_a_text_that_was_cut_off_is_never_run(
    service: Callable[..., Any], write: Any
) -> None:
    cut = service(write.text(CALL, finish_reason="length"))
    async with TextModel(cut.settings) as client:
        outcome = await run(SUM, TOOLS, client, limits=Limits(max_turns=1))

    assert [result.error_kind for result in outcome.turns[0].results] == ["truncated"]


async def test_half_a_call_goes_back_as_an_error_and_the_loop_goes_on(
    service: Callable[..., Any], write: Any
) -> None:
    half = service(write.text(CALL.replace("}}", "")), write.text(CALL), write.text("84"))
    async with TextModel(half.settings) as client:
        outcome = await run(SUM, TOOLS, client)

    kinds = [[bool(result.is_error) for result in turn.results] for turn in outcome.turns]
    assert (outcome.answer, kinds) == ("84", [[True], [False], []])


async def test_thinking_is_kept_apart_and_not_sent_again(
    service: Callable[..., Any], write: Any
) -> None:
    thinks = service(write.text(f"<think>Multiply.</think>\n{CALL}"), write.text("84"))
    async with TextModel(thinks.settings) as client:
        outcome = await run(SUM, TOOLS, client)

    assert outcome.turns[0].reply.reasoning == "Multiply."
    assert "Multiply." not in str(thinks.requests[1].json)


async def test_a_call_that_was_read_is_not_noted_as_unread() -> None:
    async with TextModel() as client:
        reply = await client.ask(start(SUM), TOOLS)

    assert (reply.notes, reply.finish_reason) == ((), "tool_calls")
    assert reply.usage.prompt_tokens > 0
