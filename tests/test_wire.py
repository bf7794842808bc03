"""What `wire` promises: the JSON in the frames equals the bytes on the socket, without keys."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg import Frame, Recorder, ToolCall, execute, execute_all, step_of, tool
from course_pkg.practice import PracticeServer
from course_pkg.wire import STEPS, events_of, steps_of

MESSAGES: Any = [{"role": "user", "content": "What is the weather in 北京 \u2028 today?"}]
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Look up the weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "The city."}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
]
REQUEST: dict[str, Any] = {"model": "practice", "messages": MESSAGES, "tools": TOOLS}


@pytest.fixture(scope="module")
def practice() -> Iterator[PracticeServer]:
    with PracticeServer() as server:
        yield server


@pytest.fixture
async def client(practice: PracticeServer, tee: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The plain asynchronous client, behind a proxy that keeps every byte."""
    proxy = tee(practice.port)
    async with openai.AsyncOpenAI(api_key="any-key", base_url=proxy.base_url) as made:
        yield made, proxy


# --- the same bytes -------------------------------------------------------------------------------


async def test_plain_frames_are_the_bytes_on_the_socket(client: Any) -> None:
    plain, proxy = client

    with Recorder() as recorder:
        await plain.chat.completions.create(**REQUEST)

    sent, received = recorder.frames
    assert [sent.body] == proxy.requests
    assert [received.body] == proxy.answers


async def test_streamed_frames_are_the_bytes_on_the_socket(client: Any) -> None:
    plain, proxy = client

    with Recorder() as recorder:
        stream = await plain.chat.completions.create(**REQUEST, stream=True)
        chunks = [chunk async for chunk in stream]

    sent, received = recorder.frames
    assert [sent.body] == proxy.requests
    assert [received.body] == proxy.answers
    assert [event["choices"][0]["delta"] for event in received.json[:-1]] == [
        chunk.choices[0].delta.to_dict() for chunk in chunks
    ]


@pytest.mark.parametrize("stream", [False, True])
def test_frames_of_the_synchronous_client_are_the_bytes_too(
    practice: PracticeServer, tee: Any, stream: bool
) -> None:
    proxy = tee(practice.port)

    with (
        openai.OpenAI(api_key="any-key", base_url=proxy.base_url) as plain,
        Recorder() as recorder,
    ):
        answer = plain.chat.completions.create(**REQUEST, stream=stream)
        list(answer)

    sent, received = recorder.frames
    assert [sent.body] == proxy.requests
    assert [received.body] == proxy.answers


async def test_the_json_of_a_frame_is_what_the_socket_carried(client: Any) -> None:
    plain, proxy = client

    with Recorder() as recorder:
        await plain.chat.completions.create(**REQUEST)

    sent, received = recorder.frames
    assert sent.json == json.loads(proxy.requests[0]) == REQUEST
    assert received.json == json.loads(proxy.answers[0])


async def test_recording_does_not_change_what_is_sent_or_received(
    practice: PracticeServer, tee: Any
) -> None:
    proxy = tee(practice.port)

    for _ in range(2):
        async with openai.AsyncOpenAI(api_key="any-key", base_url=proxy.base_url) as plain:
            with Recorder():
                await plain.chat.completions.create(**REQUEST)
        async with openai.AsyncOpenAI(api_key="any-key", base_url=proxy.base_url) as plain:
            await plain.chat.completions.create(**REQUEST)

    assert len(set(proxy.requests)) == 1
    assert len(set(proxy.answers)) == 1


def test_a_packed_answer_is_kept_as_it_crossed_and_read_unpacked(service: Any, write: Any) -> None:
    payload = {"object": "list", "data": []}
    packed = gzip.compress(json.dumps(payload).encode(), mtime=0)
    headers = (("content-type", "application/json"), ("content-encoding", "gzip"))
    served = service(write.Answer(pieces=(packed,), headers=headers))

    with openai.OpenAI(api_key="any-key", base_url=served.base_url) as plain, Recorder() as kept:
        plain.models.list()

    assert kept.frames[1].body == packed
    assert kept.frames[1].json == payload


# --- where a recorder is laid ---------------------------------------------------------------------


def ask(plain: openai.OpenAI) -> None:
    plain.chat.completions.create(model="m", messages=MESSAGES)


@pytest.fixture
def asking(service: Any, write: Any) -> Iterator[Callable[[], None]]:
    """A function that asks a model once, with a client that knows of no recorder."""
    served = service(write.text("Hello"))
    with openai.OpenAI(api_key="any-key", base_url=served.base_url) as plain:
        yield lambda: ask(plain)


def test_nothing_is_recorded_outside_the_block(asking: Callable[[], None]) -> None:
    asking()
    with Recorder() as recorder:
        asking()
    asking()

    assert len(recorder.frames) == 2


def test_nested_recorders_each_keep_their_own_frames(asking: Callable[[], None]) -> None:
    with Recorder() as outer:
        asking()
        with Recorder() as inner:
            asking()

    assert [frame.number for frame in outer.frames] == [1, 2, 3, 4]
    assert [frame.number for frame in inner.frames] == [1, 2]


async def test_nested_recorders_record_a_tool_once_each() -> None:
    @tool
    def add(a: int) -> int:
        return a + 1

    with Recorder() as outer, Recorder() as inner:
        await execute(ToolCall(id="c1", name="add", arguments='{"a": 1}'), [add])

    assert len(outer.frames) == len(inner.frames) == 2


def test_a_recorder_that_is_laid_twice_records_once(asking: Callable[[], None]) -> None:
    with Recorder() as recorder, recorder:
        asking()

    assert len(recorder.frames) == 2


def test_frames_are_kept_when_the_block_raises(asking: Callable[[], None]) -> None:
    recorder = Recorder()

    def ask_and_fail() -> None:
        with recorder:
            asking()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask_and_fail()

    assert len(recorder.frames) == 2


async def test_tasks_and_threads_of_asyncio_inherit_the_recorder(
    asking: Callable[[], None],
) -> None:
    async def in_a_task() -> None:
        await asyncio.to_thread(asking)

    with Recorder() as recorder:
        await asyncio.gather(in_a_task(), in_a_task())

    assert len(recorder.frames) == 4


async def test_a_tool_that_asks_a_model_is_recorded_from_its_thread(
    asking: Callable[[], None],
) -> None:
    @tool
    def ask_another() -> str:
        asking()
        return "asked"

    with Recorder() as recorder:
        await execute(ToolCall(id="c1", name="ask_another", arguments="{}"), [ask_another])

    assert [frame.wire for frame in recorder.frames] == ["local", "model", "model", "local"]


def test_two_threads_do_not_share_a_recorder(asking: Callable[[], None]) -> None:
    inside, outside = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait(5)
        asking()
        outside.set()

    thread = threading.Thread(target=other)
    thread.start()
    with Recorder() as recorder:
        inside.set()
        outside.wait(5)
    thread.join()

    assert recorder.frames == ()


async def test_the_recorders_own_client_is_recorded_without_a_block(
    service: Any, write: Any
) -> None:
    served = service(write.text("Hello"))
    recorder = Recorder()

    async with openai.AsyncOpenAI(
        api_key="any-key", base_url=served.base_url, http_client=recorder.http_client()
    ) as plain:
        await plain.chat.completions.create(model="m", messages=MESSAGES)

    assert [frame.label for frame in recorder.frames] == ["POST /v1/chat/completions", "200"]


def test_the_recorders_own_client_records_once_inside_its_block(service: Any, write: Any) -> None:
    served = service(write.text("Hello"))

    with (
        Recorder() as recorder,
        openai.OpenAI(
            api_key="any-key", base_url=served.base_url, http_client=recorder.sync_http_client()
        ) as plain,
    ):
        ask(plain)

    assert len(recorder.frames) == 2


def test_the_recorders_own_client_keeps_the_time_limit_of_the_sdk() -> None:
    with (
        openai.OpenAI(api_key="any-key", base_url="http://127.0.0.1:1") as plain,
        openai.OpenAI(
            api_key="any-key",
            base_url="http://127.0.0.1:1",
            http_client=Recorder().sync_http_client(),
        ) as recorded,
    ):
        assert recorded.timeout == plain.timeout


def test_the_recorders_own_client_follows_a_redirect_as_the_sdk_does(
    service: Any, write: Any
) -> None:
    target = service(write.text("Hello"))
    moved = (("location", f"{target.base_url}/chat/completions"),)
    served = service(write.Answer(status=308, headers=moved))
    recorder = Recorder()

    with openai.OpenAI(
        api_key="any-key", base_url=served.base_url, http_client=recorder.sync_http_client()
    ) as plain:
        ask(plain)

    assert [frame.label for frame in recorder.frames][1::2] == ["308", "200"]


def test_other_exchanges_than_with_a_model_are_left_aside(service: Any, write: Any) -> None:
    served = service(write.json({"temperature": 3}))

    with Recorder() as recorder, httpx2.Client() as plain:
        plain.get(f"{served.base_url}/weather")

    assert recorder.frames == ()


# --- what goes wrong ------------------------------------------------------------------------------


def test_a_refused_connection_leaves_a_frame_that_says_so() -> None:
    with (
        openai.OpenAI(api_key="any-key", base_url="http://127.0.0.1:1", max_retries=0) as plain,
        Recorder() as recorder,
        pytest.raises(openai.APIConnectionError),
    ):
        ask(plain)

    sent, received = recorder.frames
    assert received.error.startswith("ConnectError")
    assert received.request is sent


def test_an_answer_that_breaks_off_keeps_what_came(service: Any, write: Any) -> None:
    served = service(write.Answer(pieces=(b'{"id": "c', b'", "cho'), dropped=True))

    with (
        openai.OpenAI(api_key="any-key", base_url=served.base_url, max_retries=0) as plain,
        Recorder() as recorder,
        pytest.raises(openai.APIConnectionError),
    ):
        ask(plain)

    assert recorder.frames[1].body == b'{"id": "c", "cho'
    assert recorder.frames[1].error.startswith("RemoteProtocolError")


def test_each_try_of_a_retried_request_is_recorded(service: Any, write: Any) -> None:
    full = write.json({"error": {"message": "full"}}, status=429, headers=(("retry-after", "0"),))
    served = service(full, write.text("Hello"))

    with openai.OpenAI(api_key="any-key", base_url=served.base_url) as plain, Recorder() as kept:
        ask(plain)

    assert [frame.status for frame in kept.frames] == [None, 429, None, 200]


async def test_a_stream_that_nobody_reads_to_its_end_is_recorded_once(client: Any) -> None:
    plain, _ = client

    with Recorder() as recorder:
        stream = await plain.chat.completions.create(**REQUEST, stream=True)
        await anext(aiter(stream))
        await stream.close()

    assert len(recorder.frames) == 2
    assert recorder.frames[1].error == ""


async def test_a_tool_that_raises_leaves_a_frame_with_the_error() -> None:
    @tool
    def fail() -> None:
        raise KeyError("harbour")

    with Recorder() as recorder:
        await execute(ToolCall(id="c1", name="fail", arguments=""), [fail])

    assert recorder.frames[1].error == "KeyError: 'harbour'"


async def test_recording_does_not_change_a_value_that_cannot_be_shown() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no words")

    @tool
    def make():
        return Odd()

    call = ToolCall(id="c1", name="make", arguments="")

    with Recorder() as recorder:
        recorded = await execute(call, [make])
    plain = await execute(call, [make])

    assert recorded.text == plain.text
    assert recorder.frames[1].label == "returned"


# --- keys -----------------------------------------------------------------------------------------


def everything(recorder: Recorder) -> str:
    """Whatever can be read of the frames."""
    return "\n".join(
        f"{frame!r} {frame.headers} {frame.text} {frame.json} {frame.error}"
        for frame in recorder.frames
    )


@pytest.mark.parametrize("shape", ["{key}", "Bearer {key}", "sk-test***1234", "密钥sk-test**34"])
@pytest.mark.parametrize("packed", [False, True])
def test_no_frame_holds_a_key_though_the_service_quotes_it(
    service: Any, write: Any, key: str, shape: str, packed: bool
) -> None:
    said = f"Incorrect API key provided: {shape.format(key=key)}."
    body = json.dumps({"error": {"message": said}}, ensure_ascii=False).encode()
    headers = (("content-type", "application/json"), ("x-echo", f"Bearer {key}"))
    if packed:
        body, headers = gzip.compress(body), (*headers, ("content-encoding", "gzip"))
    served = service(write.Answer(pieces=(body,), status=401, headers=headers))

    with (
        openai.OpenAI(api_key=key, base_url=served.base_url, max_retries=0) as plain,
        Recorder() as recorder,
        pytest.raises(openai.AuthenticationError),
    ):
        ask(plain)

    shown = everything(recorder)
    assert "sk-test" not in shown
    assert key[-4:] not in shown
    assert "Incorrect API key provided: " in shown


def test_a_key_of_another_form_is_hidden_with_stars_too(service: Any, write: Any) -> None:
    served = service(write.json({"error": {"message": "key gsk_****5678 is wrong"}}, status=401))

    with (
        openai.OpenAI(
            api_key="gsk_12345678901234565678", base_url=served.base_url, max_retries=0
        ) as plain,
        Recorder() as recorder,
        pytest.raises(openai.AuthenticationError),
    ):
        ask(plain)

    assert "5678" not in everything(recorder)
    assert "key (hidden) is wrong" in recorder.frames[1].text


@pytest.mark.parametrize(
    "name", ["authorization", "api-key", "x-api-key", "cookie", "x-auth-token", "x-goog-api-key"]
)
def test_a_header_that_holds_a_credential_is_hidden(service: Any, write: Any, name: str) -> None:
    served = service(write.text("Hello"))

    with Recorder() as recorder, httpx2.Client() as plain:
        plain.post(f"{served.base_url}/chat/completions", headers={name: "secret-words"}, json={})

    assert recorder.frames[0].header(name) == "(hidden)"
    assert "secret-words" not in everything(recorder)


async def test_a_key_in_a_tools_arguments_or_value_is_hidden(key: str) -> None:
    @tool
    def echo(text: str) -> str:
        return f"{text} {key}"

    arguments = json.dumps({"text": key})

    with Recorder() as recorder:
        await execute(ToolCall(id="c1", name="echo", arguments=arguments), [echo])

    assert key not in everything(recorder)


def test_ordinary_words_are_not_taken_for_keys(service: Any, write: Any) -> None:
    served = service(write.text("Use sklearn, ask-me, task-force and sk-."))

    with openai.OpenAI(api_key="any-key", base_url=served.base_url) as plain, Recorder() as kept:
        ask(plain)

    assert "Use sklearn, ask-me, task-force and sk-." in kept.frames[1].text


# --- frames ---------------------------------------------------------------------------------------


async def test_model_and_tool_frames_stand_in_the_order_in_which_they_crossed() -> None:
    @tool
    async def add(a: int) -> int:
        return a + 1

    calls = [
        ToolCall(id=f"c{number}", name="add", arguments=f'{{"a": {number}}}') for number in (1, 2)
    ]

    with Recorder() as recorder:
        await execute_all(calls, [add])

    assert [frame.number for frame in recorder.frames] == [1, 2, 3, 4]
    answers = [frame for frame in recorder.frames if frame.direction == "received"]
    assert [(frame.request.json["arguments"]["a"], frame.json) for frame in answers] == [
        (1, 2),
        (2, 3),
    ]


def test_an_answer_tells_how_long_it_took() -> None:
    ticks = iter([0.0, 1.0, 3.5])
    recorder = Recorder(clock=lambda: next(ticks))
    from course_pkg.wire.recorder import Payload

    sent = recorder.add(Payload(wire="model", direction="sent", label="POST"))
    received = recorder.add(Payload(wire="model", direction="received", label="200", request=sent))

    assert sent.duration_s is None
    assert received.duration_s == 2.5


def test_listeners_hear_each_frame_until_they_end_it(asking: Callable[[], None]) -> None:
    heard: list[Frame] = []
    recorder = Recorder()
    end = recorder.listen(heard.append)

    with recorder:
        asking()
        end()
        asking()

    assert heard == list(recorder.frames[:2])


def test_a_cleared_recorder_counts_from_one_again(asking: Callable[[], None]) -> None:
    with Recorder() as recorder:
        asking()
        recorder.clear()
        asking()

    assert [frame.number for frame in recorder.frames] == [1, 2]


def frame(direction: Any, payload: Any, request: Frame | None = None, **more: Any) -> Frame:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    made = {"number": 1, "wire": "model", "direction": direction, "label": "x", "body": body}
    return Frame(**(made | {"request": request} | more))


def test_a_payload_that_is_no_json_is_shown_as_text() -> None:
    page = frame("received", b"<html>\xff</html>")

    assert page.json is None
    assert page.text == "<html>\ufffd</html>"


ASKED = frame("sent", {"messages": MESSAGES, "tools": TOOLS})
RETURNED = frame("sent", {"messages": [*MESSAGES, {"role": "tool", "content": "x"}]})
CALLS = {"choices": [{"message": {"content": None, "tool_calls": [{"id": "c1"}]}}]}
TEXT = {"choices": [{"message": {"content": "Hello"}}]}
LISTED = frame("sent", {"method": "tools/list"}, wire="mcp", label="tools/list")
CALLED = frame("sent", {"method": "tools/call"}, wire="mcp", label="tools/call")


@pytest.mark.parametrize(
    ("made", "steps"),
    [
        (ASKED, (1, 2)),
        (frame("sent", {"messages": MESSAGES}), (2,)),
        (frame("sent", {"messages": [{"role": "system", "content": "x"}, *MESSAGES]}), (1, 2)),
        (frame("received", CALLS, ASKED), (3,)),
        (frame("received", TEXT, ASKED), (3,)),
        (frame("sent", {"name": "add"}, wire="local"), (4,)),
        (frame("received", 3, wire="local"), (4,)),
        (RETURNED, (5,)),
        (frame("received", TEXT, RETURNED), (6,)),
        (frame("received", CALLS, RETURNED), (3,)),
        (frame("sent", b""), (1,)),
        (frame("received", b"<html>", ASKED), (3,)),
        (frame("received", {"choices": [None]}, ASKED), (3,)),
        (frame("sent", ["odd"]), (1,)),
        (LISTED, (1,)),
        (frame("received", {"result": {}}, LISTED, wire="mcp", label="result"), (1,)),
        (frame("sent", {}, wire="mcp", label="initialize"), (1,)),
        (CALLED, (4,)),
        (frame("received", {"error": {}}, CALLED, wire="mcp", label="error"), (4,)),
        (frame("received", {}, wire="mcp", label="notifications/progress"), (4,)),
        (frame("received", {}, wire="mcp", label="notifications/tools/list_changed"), (1,)),
        (frame("received", b"hello", wire="mcp", label="junk"), (4,)),
        (frame("sent", b"", wire="sidecar", label="GET /tools"), (1,)),
        (frame("sent", {"name": "x"}, wire="sidecar", label="POST /execute"), (4,)),
    ],
)
def test_each_frame_has_its_steps(made: Frame, steps: tuple[int, ...]) -> None:
    assert steps_of(made) == steps
    assert step_of(made) == steps[-1]


def test_there_are_six_steps_in_order() -> None:
    assert [step.number for step in STEPS] == [1, 2, 3, 4, 5, 6]


# --- event streams --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ('data: {"a": 1}\n\ndata: [DONE]\n\n', [{"a": 1}, "[DONE]"]),
        ('data: {"a": 1}\r\n\r\n', [{"a": 1}]),
        ('data: {"a":\rdata: 1}\r\r', [{"a": 1}]),
        ("data:x\n\n", ["x"]),
        (": ping\n\nevent: error\ndata: 1\n\n", [1]),
        ("data: cut off", ["cut off"]),
        ('data: {"a": "x\u2028y\x85z"}\n\n', [{"a": "x\u2028y\x85z"}]),
        ("\ufeffdata: 1\n\n", [1]),
        ("", []),
    ],
)
def test_events_are_read_as_the_standard_says(text: str, events: list[Any]) -> None:
    assert list(events_of(text)) == events


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers()), max_size=5))
def test_events_come_back_as_they_were_written(values: list[Any]) -> None:
    text = "".join(f"data: {json.dumps(value, ensure_ascii=False)}\n\n" for value in values)

    assert list(events_of(text)) == values


@given(st.text())
def test_any_text_can_be_read_as_events(text: str) -> None:
    assert isinstance(list(events_of(text)), list)
