"""What `loop` promises: it ends, says why, and leaves a conversation that can go on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg import (
    Limits,
    ModelClient,
    ModelError,
    Outcome,
    Recorder,
    Settings,
    run,
    tool,
    toolbox,
    turns,
)
from course_pkg.conversation import problems, start
from course_pkg.executor import Decision, ScriptedApprover
from course_pkg.loop import ConversationError
from course_pkg.model import Accumulator, Reply, reply_from
from course_pkg.model.errors import Service


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    Args:
        a: A number.
        b: Another number.
    """
    return a + b


ADD = ("c1", "add", '{"a": 2, "b": 3}')


@pytest.fixture
async def ask(service: Any) -> AsyncIterator[Callable[..., Any]]:
    """`await ask([answers], question, tools, **options)` runs the loop against a scripted service.

    The service is then `ask.service`.
    """
    clients = []

    async def go(script: list[Any], question: Any = "2 + 3?", tools: Any = (add,), **options: Any):
        go.service = service(*script)
        client = ModelClient(go.service.settings, max_retries=0)
        clients.append(client)
        return await run(question, tools, client, **options)

    yield go
    for client in clients:
        await client.close()


def can_go_on(outcome: Outcome) -> bool:
    return problems(outcome.messages) == []


# --- the usual way --------------------------------------------------------------------------------


async def test_a_question_is_answered_from_the_results(ask: Any, write: Any) -> None:
    outcome = await ask([write.calls(ADD), write.text("It is 5.")])

    assert (outcome.reason, outcome.answer) == ("answered", "It is 5.")
    assert [message["role"] for message in outcome.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert outcome.messages[2] == {"role": "tool", "tool_call_id": "c1", "content": "5"}


async def test_an_outcome_counts_turns_calls_failures_and_tokens(ask: Any, write: Any) -> None:
    both = (ADD, ("c2", "add", "{}"))

    outcome = await ask([write.calls(*both), write.text("It is 5.")])

    assert repr(outcome) == (
        "Outcome(reason='answered', answer='It is 5.', turns=2, calls=2, failed_calls=1)"
    )
    assert (outcome.usage.prompt_tokens, outcome.usage.completion_tokens) == (20, 10)


async def test_the_second_request_holds_the_first_reply_and_its_results(
    ask: Any, write: Any
) -> None:
    outcome = await ask([write.calls(ADD), write.text("It is 5.")])

    assert ask.service.requests[1].json["messages"] == outcome.messages[:3]


async def test_a_system_prompt_opens_a_new_conversation(ask: Any, write: Any) -> None:
    outcome = await ask([write.text("5")], system_prompt="Be brief.")

    assert outcome.messages[0] == {"role": "system", "content": "Be brief."}


async def test_a_conversation_grows_in_place_and_goes_on(ask: Any, write: Any) -> None:
    messages = start("2 + 3?")

    first = await ask([write.calls(ADD), write.text("It is 5.")], messages)
    messages.append({"role": "user", "content": "And again?"})
    second = await ask([write.text("Still 5.")], messages)

    assert first.messages is second.messages is messages
    assert ask.service.requests[0].json["messages"] == messages[:-1]


async def test_options_go_with_each_request(ask: Any, write: Any) -> None:
    await ask([write.calls(ADD), write.text("5")], temperature=0, parallel_tool_calls=False)

    assert [request.json["parallel_tool_calls"] for request in ask.service.requests] == [
        False,
        False,
    ]


async def test_a_streamed_run_is_the_plain_run(ask: Any, write: Any) -> None:
    delta = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "add"}}]}
    arguments = {"tool_calls": [{"index": 0, "function": {"arguments": ADD[2]}}]}
    first = write.events(
        {"choices": [{"delta": delta}]},
        {"choices": [{"delta": arguments, "finish_reason": "tool_calls"}]},
    )
    second = write.events({"choices": [{"delta": {"content": "5"}, "finish_reason": "stop"}]})

    outcome = await ask([first, second], stream=True)

    assert (outcome.answer, outcome.calls, outcome.failed_calls) == ("5", 1, 0)


async def test_turns_come_one_by_one_as_they_are_done(service: Any, write: Any) -> None:
    served = service(write.calls(ADD), write.text("5"))
    messages = start("2 + 3?")

    async with ModelClient(served.settings) as client:
        seen = [
            (turn.number, len(messages), turn.stop) async for turn in turns(messages, [add], client)
        ]

    assert seen == [(1, 3, ""), (2, 4, "answered")]


async def test_turns_that_nobody_asks_for_are_not_taken(service: Any, write: Any) -> None:
    served = service(write.calls(ADD))
    messages = start("2 + 3?")

    async with ModelClient(served.settings) as client:
        going = turns(messages, [add], client)
        await anext(going)
        await going.aclose()

    assert len(served.requests) == 1
    assert problems(messages) == []


# --- several calls --------------------------------------------------------------------------------


async def test_parallel_results_stand_in_the_order_of_the_calls(ask: Any, write: Any) -> None:
    async def wait(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    calls = [
        (f"c{n}", "wait", f'{{"seconds": {seconds}}}')
        for n, seconds in enumerate([0.04, 0.0, 0.02])
    ]

    outcome = await ask([write.calls(*calls), write.text("Done.")], "?", [wait])

    assert [item["tool_call_id"] for item in outcome.messages[2:5]] == ["c0", "c1", "c2"]
    assert [item["content"] for item in outcome.messages[2:5]] == ["0.04", "0.0", "0.02"]


@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_eight_calls_run_side_by_side(ask: Any, write: Any, kind: str) -> None:
    threads, tasks = threading.Barrier(8, timeout=5), asyncio.Barrier(8)

    def plain(n: int) -> int:
        threads.wait()  # goes on when all eight wait
        return n

    async def later(n: int) -> int:
        await tasks.wait()
        return n

    made = tool(name="wait")(plain if kind == "plain" else later)
    calls = [(f"c{n}", "wait", f'{{"n": {n}}}') for n in range(8)]

    outcome = await ask([write.calls(*calls), write.text("Done.")], "?", [made])

    assert [result.value for result in outcome.turns[0].results] == list(range(8))


async def test_one_failing_call_leaves_the_others_their_results(ask: Any, write: Any) -> None:
    calls = [("c1", "add", "{}"), ("c2", "add", '{"a": 1}'), ("c3", "sub", "{}")]

    outcome = await ask([write.calls(*calls), write.text("Done.")])

    assert [result.error_kind for result in outcome.turns[0].results] == [
        "invalid_arguments",
        "",
        "unknown_tool",
    ]


# --- where a run ends -----------------------------------------------------------------------------


async def test_after_the_turn_limit_the_model_is_asked_once_without_tools(
    ask: Any, write: Any
) -> None:
    calls = [write.calls((f"c{n}", "add", f'{{"a": {n}}}')) for n in range(3)]

    outcome = await ask(
        [*calls, write.text("I give up.")],
        limits=Limits(max_turns=3),
        tool_choice="auto",
        parallel_tool_calls=True,
    )

    assert (outcome.reason, outcome.answer) == ("turn_limit", "I give up.")
    assert ["tools" in request.json for request in ask.service.requests] == [True] * 3 + [False]
    assert set(ask.service.requests[3].json) == {"model", "messages"}


async def test_a_model_that_never_answers_is_stopped_all_the_same(ask: Any, write: Any) -> None:
    def answer(request: Any) -> Any:
        return write.calls(("c1", "add", f'{{"a": {len(request.body)}}}'))

    outcome = await ask([answer], limits=Limits(max_turns=4))

    assert (outcome.reason, len(outcome.turns)) == ("turn_limit", 5)
    assert outcome.turns[-1].results[0].error_kind == "unknown_tool"
    assert can_go_on(outcome)


async def test_the_same_call_is_not_run_again_and_again(ask: Any, write: Any) -> None:
    ran = []

    @tool
    def look(at: str) -> str:
        ran.append(at)
        return "nothing"

    script = [write.calls(("c1", "look", f'{{"at": "{"AB"[n % 2]}"}}')) for n in range(9)]

    outcome = await ask([*script, write.text("?")], "?", [look], limits=Limits(max_repeats=3))

    assert outcome.reason == "repeated_call"
    assert ran == ["A", "B", "A", "B"]
    assert outcome.turns[4].results[0].error_kind == "repeated_call"
    assert can_go_on(outcome)


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "add"}}])
async def test_a_forced_choice_holds_for_the_first_turn_only(
    ask: Any, write: Any, choice: Any
) -> None:
    await ask([write.calls(ADD), write.calls(ADD), write.text("5")], tool_choice=choice)

    assert [request.json["tool_choice"] for request in ask.service.requests] == [
        choice,
        "auto",
        "auto",
    ]


@pytest.mark.parametrize("choice", ["auto", "none"])
async def test_a_free_choice_holds_for_every_turn(ask: Any, write: Any, choice: str) -> None:
    await ask([write.calls(ADD), write.text("5")], tool_choice=choice)

    assert [request.json["tool_choice"] for request in ask.service.requests] == [choice, choice]


@pytest.mark.parametrize(
    ("message", "finish_reason", "reason"),
    [
        ({"content": "Half an ans"}, "length", "cut_off"),
        ({"content": None}, "stop", "empty"),
        ({"content": " \n"}, "stop", "empty"),
        ({"content": "", "tool_calls": []}, "stop", "empty"),
        ({"content": None, "refusal": "I will not."}, "stop", "refused"),
        ({"content": ""}, "content_filter", "refused"),
    ],
)
async def test_the_outcome_says_why_there_is_no_answer(
    ask: Any, write: Any, message: Any, finish_reason: str, reason: str
) -> None:
    completion = write.completion({"role": "assistant", **message}, finish_reason=finish_reason)

    outcome = await ask([write.json(completion)])

    assert outcome.reason == reason
    assert can_go_on(outcome)


async def test_a_call_that_was_cut_off_is_not_run_and_the_model_is_told(
    ask: Any, write: Any
) -> None:
    outcome = await ask([write.calls(ADD, finish_reason="length"), write.text("5")])

    assert outcome.turns[0].results[0].error_kind == "truncated"
    assert outcome.reason == "answered"


async def test_broken_arguments_do_not_stay_in_the_history(ask: Any, write: Any) -> None:
    outcome = await ask([write.calls(("c1", "add", '{"a": 2')), write.text("5")])

    (call,) = outcome.messages[1]["tool_calls"]
    assert call["function"]["arguments"] == "{}"
    assert outcome.turns[0].reply.calls[0].arguments == '{"a": 2'
    assert can_go_on(outcome)


async def test_calls_are_not_run_where_the_choice_forbids_them(ask: Any, write: Any) -> None:
    outcome = await ask([write.calls(ADD), write.text("5")], tool_choice="none")

    assert outcome.turns[0].results[0].error_kind == "calls_forbidden"
    assert outcome.warnings == ("none_not_honoured",)
    assert can_go_on(outcome)


async def test_a_run_asks_before_it_changes_something_outside(ask: Any, write: Any) -> None:
    sent = []

    @tool(side_effect=True)
    def send(to: str) -> str:
        sent.append(to)
        return "sent"

    script = [write.calls(("c1", "send", '{"to": "Ada"}')), write.text("Not sent.")]

    outcome = await ask(script, "?", [send], approve=ScriptedApprover(["refuse"]))

    assert (sent, outcome.failed_calls) == ([], 1)
    assert "approve" not in ask.service.requests[0].json


# --- ids over the whole conversation --------------------------------------------------------------


async def test_an_id_that_comes_again_in_each_turn_is_made_another(ask: Any, write: Any) -> None:
    outcome = await ask([write.calls(ADD), write.calls(ADD), write.calls(ADD), write.text("5")])

    ids = [m["tool_call_id"] for m in outcome.messages if m["role"] == "tool"]
    assert ids[0] == "c1"
    assert len(set(ids)) == 3
    assert outcome.turns[1].reply.calls[0].notes == ("call_id",)
    assert can_go_on(outcome)


async def test_an_id_of_an_earlier_run_is_not_used_again(ask: Any, write: Any) -> None:
    messages = start("2 + 3?")
    await ask([write.calls(ADD), write.text("5")], messages)
    messages.append({"role": "user", "content": "Again."})

    await ask([write.calls(ADD), write.text("5")], messages)

    assert len({m["tool_call_id"] for m in messages if m["role"] == "tool"}) == 2


async def test_the_same_answers_get_the_same_ids_in_each_run(ask: Any, write: Any) -> None:
    script = [write.calls(ADD), write.calls(ADD), write.text("5")]

    assert (await ask(script)).messages == (await ask(script)).messages


# --- warnings -------------------------------------------------------------------------------------


async def test_an_outcome_shows_what_was_odd_once(ask: Any, write: Any) -> None:
    outcome = await ask([write.text("It is 5.")], tool_choice="required")

    assert repr(outcome) == (
        "Outcome(reason='answered', answer='It is 5.', turns=1, calls=0, failed_calls=0, "
        "warnings=('required_not_honoured',))"
    )


async def test_a_call_that_is_quoted_in_an_answer_is_not_run(ask: Any, write: Any) -> None:
    said = 'Send {"name": "add", "arguments": {"a": 1}} to the service.'

    outcome = await ask([write.text(said)])

    assert (outcome.answer, outcome.calls, outcome.warnings) == (said, 0, ())


# --- what fails -----------------------------------------------------------------------------------


async def test_a_failing_service_keeps_what_had_been_reached(ask: Any, write: Any) -> None:
    with Recorder() as recorder, pytest.raises(ModelError) as caught:
        await ask([write.calls(ADD), write.page("<html>busy</html>", status=502)])

    outcome = caught.value.outcome
    assert (outcome.reason, len(outcome.turns)) == ("model_failed", 1)
    assert [frame.wire for frame in recorder.frames] == ["model"] * 2 + ["local"] * 2 + [
        "model"
    ] * 2
    assert can_go_on(outcome)


@pytest.mark.parametrize(
    ("failing", "kind"),
    [
        (lambda write: write.page("<html>busy</html>", status=502), "server_error"),
        (lambda write: write.page("<html>busy</html>"), "bad_response"),
        (lambda write: write.json({}, status=401), "wrong_key"),
        (lambda write: write.Answer(dropped=True), "connection"),
        (lambda write: write.json(write.completion(None)), "bad_response"),
        (lambda write: write.json({"choices": []}), "bad_response"),
    ],
)
async def test_after_a_failure_the_same_list_goes_on(
    ask: Any, write: Any, failing: Callable[[Any], Any], kind: str
) -> None:
    messages = start("2 + 3?")
    with pytest.raises(ModelError) as caught:
        await ask([write.calls(ADD), failing(write)], messages)

    outcome = await ask([write.text("It is 5.")], messages)

    assert caught.value.kind == kind
    assert (outcome.reason, outcome.answer) == ("answered", "It is 5.")
    assert caught.value.outcome.messages is messages


async def test_a_refused_connection_keeps_frames_and_question() -> None:
    nowhere = Settings(kind="remote", base_url="http://127.0.0.1:1/v1", model="m", api_key="any")

    with Recorder() as recorder:
        async with ModelClient(nowhere, max_retries=0) as client:
            with pytest.raises(ModelError) as caught:
                await run("2 + 3?", [add], client)

    assert caught.value.outcome.messages == start("2 + 3?")
    assert len(recorder.frames) == 2


async def test_a_broken_conversation_is_refused_before_it_is_sent(ask: Any, write: Any) -> None:
    messages = [*start("?"), {"role": "tool", "tool_call_id": "c9", "content": "x"}]

    with pytest.raises(ConversationError, match="heal"):
        await ask([write.text("5")], messages)

    assert ask.service.requests == []


async def test_a_tool_that_hangs_does_not_stop_the_run(ask: Any, write: Any) -> None:
    async def wait() -> None:
        await asyncio.sleep(60)

    script = [write.calls(("c1", "wait", "")), write.text("Too slow.")]

    outcome = await ask(script, "?", [wait], limits=Limits(tool_timeout_s=0.05))

    assert outcome.turns[0].results[0].error_kind == "timeout"
    assert outcome.reason == "answered"


# --- an interrupt ---------------------------------------------------------------------------------


async def test_an_interrupt_while_tools_run_leaves_a_conversation_that_goes_on(
    ask: Any, write: Any
) -> None:
    began = asyncio.Event()

    async def wait() -> None:
        began.set()
        await asyncio.sleep(60)

    messages = start("2 + 3?")
    script = [write.calls(ADD, ("c2", "wait", "{}"))]
    running = asyncio.create_task(ask(script, messages, [add, wait]))
    await began.wait()
    await asyncio.sleep(0.05)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert problems(messages) == []
    assert messages[2]["content"] == "5"
    assert "interrupted" in messages[3]["content"]
    assert (await ask([write.text("It is 5.")], messages)).reason == "answered"


async def test_an_interrupt_while_the_model_answers_leaves_the_list_as_it_was(
    ask: Any, write: Any
) -> None:
    messages = start("2 + 3?")
    running = asyncio.create_task(ask([write.Answer(wait_s=0.5)], messages))
    await asyncio.sleep(0.1)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert messages == start("2 + 3?")


async def test_a_callers_mistake_in_one_tool_stops_the_others_too(ask: Any, write: Any) -> None:
    from course_pkg import Tool
    from course_pkg.schema import SchemaError

    ended = []

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(1)

    wrong = Tool(name="wrong", description="", input_schema={"type": "text"}, run=print)
    messages = start("?")
    script = [write.calls(("c1", "wait", "{}"), ("c2", "wrong", "{}"))]

    with pytest.raises(SchemaError):
        await ask(script, messages, [wait, wrong])
    await asyncio.sleep(0)

    assert ended == [1]
    assert problems(messages) == []


def test_a_keyboard_interrupt_in_a_tool_is_raised_after_the_history_is_mended() -> None:
    code = """
import asyncio
from course_pkg import ToolCall
from course_pkg.conversation import problems, start
from course_pkg.loop import turns
from course_pkg.model import Reply
call = {"id": "c1", "type": "function", "function": {"name": "stop", "arguments": "{}"}}
message = {"role": "assistant", "content": None, "tool_calls": [call]}
class Model:
    async def ask(self, messages, tools, **options):
        calls = (ToolCall(id="c1", name="stop", arguments="{}"),)
        return Reply(message=message, text=None, calls=calls)
async def stop():
    raise KeyboardInterrupt
messages = start("?")
async def main():
    async for turn in turns(messages, [stop], Model()):
        pass
try:
    asyncio.run(main())
except KeyboardInterrupt:
    assert problems(messages) == [] and len(messages) == 3, messages
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.stdout.strip(), done.stderr) == ("interrupted", "")


# --- any answer -----------------------------------------------------------------------------------


SERVICE = Service(where="The model 'm' at here", key="")


class Scripted:
    """A model that gives prepared replies, the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)

    async def ask(self, *_values: Any, **_options: Any) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def chunks_of(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    pieces = []
    for index, call in enumerate(calls):
        arguments = call["arguments"]
        opening = {"index": index, "id": f"c{index}", "function": {"name": "note"}}
        pieces.append(opening)
        pieces += [{"index": index, "function": {"arguments": part}} for part in arguments]
    choices = [{"delta": {"tool_calls": [piece]}} for piece in pieces]
    return [{"choices": [one]} for one in [*choices, {"delta": {}, "finish_reason": "tool_calls"}]]


ARGUMENTS = st.sampled_from(['{"text": "a"}', "{}", '{"text"', "", "null"])
PARTS = ARGUMENTS.flatmap(
    lambda text: st.integers(0, len(text)).map(lambda at: [text[:at], text[at:]])
)
STREAMS = st.lists(st.fixed_dictionaries({"arguments": PARTS}), min_size=1, max_size=3)


@given(calls=STREAMS, data=st.data())
async def test_any_order_and_any_loss_of_chunks_leaves_a_right_conversation(
    calls: list[dict[str, Any]], data: st.DataObject
) -> None:
    ran = []

    async def note(text: str = "") -> str:
        ran.append(text)
        return "noted"

    chunks = data.draw(st.permutations(chunks_of(calls)))
    kept = chunks[: data.draw(st.integers(1, len(chunks)))]
    accumulator = Accumulator()
    for chunk in kept:
        accumulator.add(chunk)
    reply = reply_from(accumulator.payload(), SERVICE, streamed=True)
    done = Reply(message={"role": "assistant", "content": "Done."}, text="Done.")
    messages = start("?")

    model: Any = Scripted(reply, done)
    await run(messages, [note], model, limits=Limits(max_turns=3))

    assert problems(messages) == []
    assert not ran or any(chunk["choices"][0].get("finish_reason") for chunk in kept)


# --- recording ------------------------------------------------------------------------------------


async def test_a_recorder_around_a_run_sees_every_step_in_order(ask: Any, write: Any) -> None:
    from course_pkg import step_of

    with Recorder() as recorder:
        await ask([write.calls(ADD), write.text("It is 5.")])

    assert [frame.label for frame in recorder.frames] == [
        "POST /v1/chat/completions",
        "200",
        "add",
        "returned",
        "POST /v1/chat/completions",
        "200",
    ]
    assert [step_of(frame) for frame in recorder.frames] == [2, 3, 4, 4, 5, 6]


async def test_two_runs_at_the_same_time_have_each_its_own_recorder(ask: Any, write: Any) -> None:
    async def recorded(number: int) -> Any:
        with Recorder() as recorder:
            await ask([write.calls(ADD), write.text(str(number))], str(number))
        return recorder.frames

    both = await asyncio.gather(recorded(1), recorded(2))

    assert [len(frames) for frames in both] == [6, 6]
    assert [frames[-1].json["choices"][0]["message"]["content"] for frames in both] == ["1", "2"]


async def test_a_run_is_the_same_with_and_without_a_recorder(ask: Any, write: Any) -> None:
    script = [write.calls(ADD, ("c2", "add", '{"a": "x"}')), write.text("It is 5.")]

    with Recorder():
        recorded = await ask(script)
    plain = await ask(script)

    assert recorded == plain


async def test_a_refusal_by_the_user_is_not_argued_with() -> None:
    no = ScriptedApprover([Decision(approved=False, reason="not now")])

    outcome = await run("Tell Ada that I am late.", toolbox("send_message"), approve=no)

    (result,) = [result for turn in outcome.turns for result in turn.results]
    assert (outcome.reason, result.error_kind) == ("answered", "not_approved")
    assert "The reason: not now. Do not make it again" in result.text


async def test_a_mended_call_stands_in_the_history_as_it_ran() -> None:
    async with ModelClient(model="practice:code_fence") as client:
        outcome = await run("What is the weather in Paris?", toolbox("get_weather"), client)

    function = outcome.messages[1]["tool_calls"][0]["function"]
    assert function == {"name": "get_weather", "arguments": '{"city": "Paris"}'}


async def test_a_mended_name_stands_in_the_history_as_the_tools_own() -> None:
    async with ModelClient(model="practice:name_prefixed") as client:
        outcome = await run("What is the weather in Paris?", toolbox("get_weather"), client)

    names = [
        call["function"]["name"]
        for message in outcome.messages
        for call in message.get("tool_calls", [])
    ]
    assert names == ["get_weather"]
