"""Each factual sentence of notebook 06, proved."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from openai import BadRequestError, OpenAI

from course_pkg import (
    Limits,
    ModelClient,
    ModelError,
    Recorder,
    ToolCall,
    execute_all,
    run,
    tool,
    toolbox,
    turns,
)
from course_pkg.conversation import problems, start, trim, user
from course_pkg.dialects import DIALECTS, definition_of
from course_pkg.model import Accumulator, Reply

TOOLS = toolbox("get_weather", "calculate")
SUM = "What is 12 * 7?"


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    async with ModelClient(max_retries=0) as made:
        yield made


async def test_one_run_may_use_several_tools(client: ModelClient) -> None:
    outcome = await run("What is the weather in Paris? What is 12 * 7?", TOOLS, client)

    names = [call.name for turn in outcome.turns for call in turn.reply.calls]
    assert (outcome.reason, names) == ("answered", ["get_weather", "calculate"])


async def test_the_last_turn_is_the_one_without_calls(client: ModelClient) -> None:
    seen = [turn async for turn in turns(start(SUM), TOOLS, client)]

    assert [(bool(turn.reply.calls), turn.stop) for turn in seen] == [
        (True, ""),
        (False, "answered"),
    ]


async def test_the_conversation_grows_in_place(client: ModelClient) -> None:
    messages = start(SUM)

    await run(messages, TOOLS, client)

    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]


@tool
def measure(place: str) -> str:
    """Measure the water level at a place."""
    time.sleep(0.2 if place == "A" else 0.1)
    return place


async def test_calls_run_side_by_side_and_results_keep_the_order_of_the_calls() -> None:
    calls = [ToolCall(id=p, name="measure", arguments=json.dumps({"place": p})) for p in "ABCD"]

    began = time.monotonic()
    results = await execute_all(calls, [measure])

    assert [result.text for result in results] == ["A", "B", "C", "D"]
    assert time.monotonic() - began < 0.4


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("auto", []),
        ("none", []),
        ("required", ...),
        ({"type": "function", "function": {"name": "calculate"}}, ["calculate"]),
    ],
)
async def test_tool_choice_does_what_the_page_says(
    client: ModelClient, choice: Any, names: Any
) -> None:
    reply = await client.ask(start("Hello."), TOOLS, tool_choice=choice)

    found = [call.name for call in reply.calls]
    assert found if names is ... else found == names


@pytest.mark.parametrize("choice", ["any", {"function": {"name": "calculate"}}])
async def test_two_copied_forms_of_tool_choice_are_refused(
    client: ModelClient, choice: Any
) -> None:
    with pytest.raises(ModelError) as refused:
        await client.ask(start(SUM), TOOLS, tool_choice=choice)

    assert refused.value.status == 400


async def test_a_forced_choice_is_sent_with_the_first_turn_only(client: ModelClient) -> None:
    with Recorder() as recorder:
        outcome = await run(SUM, TOOLS, client, tool_choice="required")

    sent = [frame.json for frame in recorder.frames if frame.label.startswith("POST")]
    assert [payload["tool_choice"] for payload in sent] == ["required", "auto"]
    assert outcome.reason == "answered"


async def test_a_choice_that_is_forced_at_every_turn_never_answers(client: ModelClient) -> None:
    messages = start(SUM)
    for _ in range(3):
        reply = await client.ask(messages, TOOLS, tool_choice="required")
        messages.append(reply.message)
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": "84"} for call in reply.calls
        ]
        assert reply.calls


async def test_a_choice_without_tools_is_refused_so_it_is_left_out(client: ModelClient) -> None:
    assert "tool_choice" not in client.request(start(SUM), [], tool_choice="auto")

    chosen = client.settings
    with OpenAI(base_url=chosen.base_url, api_key=chosen.api_key) as plain:
        messages: Any = start(SUM)
        with pytest.raises(BadRequestError):
            plain.chat.completions.create(model="practice", messages=messages, tool_choice="auto")


async def test_after_the_last_turn_the_model_is_asked_once_without_tools(
    client: ModelClient,
) -> None:
    with Recorder() as recorder:
        outcome = await run(SUM, TOOLS, client, limits=Limits(max_turns=1))

    last = [frame.json for frame in recorder.frames if frame.label.startswith("POST")][-1]
    assert (outcome.reason, "tools" in last) == ("turn_limit", False)
    assert outcome.answer


async def test_a_cut_off_text_is_no_answer(client: ModelClient) -> None:
    outcome = await run("Hello.", TOOLS, client, max_completion_tokens=2)

    assert outcome.reason == "cut_off"


async def test_a_cut_off_call_is_never_run_and_gets_a_result(client: ModelClient) -> None:
    reply = await client.ask(start(SUM), TOOLS, max_completion_tokens=3)

    results = await execute_all(reply.calls, TOOLS)

    assert [result.error_kind for result in results] == ["truncated"]


class Forcing(ModelClient):
    """Demands a call in every turn that has tools, so that the same call comes again and again."""

    async def ask(self, messages: Any, tools: Any = (), **options: Any) -> Reply:
        return await super().ask(messages, tools, **{**options, "tool_choice": "required"})


async def test_the_loop_stops_at_the_fifth_equal_call() -> None:
    async with Forcing() as client:
        outcome = await run(SUM, TOOLS, client, limits=Limits(max_turns=20))

    results = [result for turn in outcome.turns for result in turn.results]
    calls = [result.error_kind for result in results]
    assert (outcome.reason, calls) == ("repeated_call", ["", "", "", "", "repeated_call"])


async def streamed(client: ModelClient) -> list[Any]:
    with Recorder() as recorder:
        await client.ask(start("What is the weather in Paris?"), TOOLS, stream=True)
    return [event for event in recorder.frames[1].json if event != "[DONE]"]


async def test_a_streamed_call_comes_as_a_name_then_pieces_with_its_index(
    client: ModelClient,
) -> None:
    deltas = [chunk["choices"][0]["delta"] for chunk in await streamed(client) if chunk["choices"]]
    pieces = [delta["tool_calls"][0] for delta in deltas if delta.get("tool_calls")]

    assert pieces[0]["function"]["name"] == "get_weather"
    assert all(set(piece) == {"index", "function"} for piece in pieces[1:])


async def test_no_piece_holds_the_whole_object(client: ModelClient) -> None:
    deltas = [chunk["choices"][0]["delta"] for chunk in await streamed(client) if chunk["choices"]]
    pieces = [delta["tool_calls"][0] for delta in deltas if delta.get("tool_calls")]
    texts = [piece["function"]["arguments"] for piece in pieces]

    assert json.loads("".join(texts)) == {"city": "Paris"}
    assert "".join(texts) not in texts


async def test_a_stream_without_a_finish_reason_counts_as_cut_off(client: ModelClient) -> None:
    accumulator = Accumulator()
    for chunk in (await streamed(client))[:-2]:
        accumulator.add(chunk)

    assert accumulator.payload()["choices"][0]["finish_reason"] is None


@tool
async def wait_for_tide(place: str) -> str:
    """Wait for the next tide at a place, for example "Dover"."""
    await asyncio.sleep(60)
    return "here"


async def test_after_an_interrupt_each_call_has_a_result_and_the_list_goes_on(
    client: ModelClient,
) -> None:
    messages = start("Wait for the tide at Dover.")
    task = asyncio.create_task(run(messages, [wait_for_tide], client))
    await asyncio.sleep(0.5)
    task.cancel()
    await asyncio.wait([task])

    messages.append(user(SUM))
    outcome = await run(messages, TOOLS, client)

    assert (problems(messages), outcome.reason) == ([], "answered")


async def test_a_follow_up_question_leans_on_what_was_said_before(client: ModelClient) -> None:
    messages = start("What is the weather in London?", system_prompt="Be brief.")
    await run(messages, TOOLS, client)
    messages.append(user("And in Singapore?"))

    assert "Singapore" in ((await run(messages, TOOLS, client)).answer or "")


async def test_trim_cuts_whole_groups_and_keeps_the_system_message(client: ModelClient) -> None:
    messages = start("What is the weather in London?", system_prompt="Be brief.")
    await run(messages, TOOLS, client)
    messages.append(user("And in Singapore?"))
    await run(messages, TOOLS, client)

    shorter = trim(messages, max_chars=900)

    assert problems(shorter) == []
    assert shorter[0]["role"] == "system"
    assert len(shorter) < len(messages)


def test_arguments_are_a_string_in_two_dialects_and_an_object_in_two() -> None:
    call = ToolCall(id="call_1", name="get_weather", arguments='{"city": "北京"}')
    kinds = {}
    for dialect in DIALECTS:
        written = dialect.write_call(call)
        inner = {**written, **written.get("function", {}), **written.get("params", {})}
        kinds[dialect.name] = type(inner.get("arguments", inner.get("input")))

    assert kinds == {
        "Chat Completions": str,
        "Responses": str,
        "Anthropic Messages": dict,
        "MCP": dict,
    }


def test_the_field_of_the_schema_has_another_name_in_each_family() -> None:
    definition = definition_of(TOOLS["get_weather"])
    last = [list(dialect.write_definition(definition)) for dialect in DIALECTS[1:]]

    assert ["parameters" in last[0], "input_schema" in last[1], "inputSchema" in last[2]] == [
        True,
        True,
        True,
    ]


async def test_tools_that_are_offered_once_only_allow_no_second_call() -> None:
    async with ModelClient() as client:
        first = await client.ask(start("What is 12 * 7?"), TOOLS)
        second = await client.ask(start("What is 12 * 7?"))

    assert (len(first.calls), len(second.calls)) == (1, 0)
