"""What `wire` promises for MCP: each JSON-RPC message is a frame, with the JSON of the pipe."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course_pkg import ModelClient, Recorder, run, tool
from course_pkg.mcp_client import Connection, ServerError, Target
from course_pkg.mcp_server import HttpService, high_level
from course_pkg.tools import Toolbox
from course_pkg.wire.mcp import hiding

SECRET = "made-up" + "-token-98765"
ERAS = ["auto", "legacy", "modern"]

#: JSON that a careless copy would change.
ODD_VALUES: dict[str, Any] = {
    "chinese": "北京 \u2028 \u0085 🙂",
    "big": 2**70,
    "float": 1.0,
    "small": 1e-9,
    "zero": -0.0,
    "nothing": None,
    "no": False,
    "nested": [[[{}]], {"": ""}, []],
    "quotes": "\"\\/\b\f\n\r\t\u0001'",
    "jsonrpc": "2.0",
}


@tool
def echo(text: str) -> str:
    """Give a text back."""
    return text


@tool
def fail(text: str) -> str:
    """Fail."""
    raise ValueError(text)


@pytest.fixture
def http() -> Iterator[HttpService]:
    with HttpService(high_level(Toolbox([echo, fail]), name="texts")) as service:
        yield service


def lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line.strip()]


def bodies(recorder: Recorder, direction: str) -> list[bytes]:
    return [frame.body for frame in recorder.frames if frame.direction == direction]


# --- the same JSON --------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_frames_hold_the_json_that_crossed_the_pipe(
    scripted: Any, teed: Any, tmp_path: Path, era: str
) -> None:
    server = scripted(
        junk_before=["hello", '{"is": "json"}', "[1, 2]"],
        calls={"refused": {"error": {"code": -7, "message": "不", "data": ODD_VALUES}}},
        tools=["t1", {"name": "t2", "inputSchema": {"type": "object"}, "icons": 7}],
    )

    with Recorder() as recorder:
        async with Connection(teed(server), era=era) as connection:
            await connection.call("t1", ODD_VALUES)
            await connection.call("refused")
            await connection.call("unknown")

    sent = bodies(recorder, "sent")
    received = bodies(recorder, "received")
    assert sent == lines(tmp_path / "sent")
    assert [value_of(body) for body in received] == [
        value_of(line) for line in lines(tmp_path / "received")
    ]


def value_of(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body


@pytest.mark.parametrize("era", ERAS)
async def test_frames_hold_the_bytes_of_requests_over_http(
    http: HttpService, tee: Any, era: str
) -> None:
    proxy = tee(http.port)

    with Recorder() as recorder:
        async with Connection(f"http://127.0.0.1:{proxy.port}/mcp", era=era) as connection:
            await connection.call("echo", {"text": "北京 \u2028"})
            await connection.call("fail", {"text": "x"})

    assert bodies(recorder, "sent") == [body for body in proxy.requests if body]


@pytest.mark.parametrize("era", ERAS)
async def test_frames_hold_the_json_of_answers_over_http(
    http: HttpService, tee: Any, era: str
) -> None:
    proxy = tee(http.port)

    with Recorder() as recorder:
        async with Connection(f"http://127.0.0.1:{proxy.port}/mcp", era=era) as connection:
            await connection.call("echo", {"text": "北京 \u2028"})
            await connection.call("fail", {"text": "x"})

    crossed = messages_in(proxy.received.decode())
    received = [frame.json for frame in recorder.frames if frame.direction == "received"]
    assert sorted(map(str, received)) == sorted(map(str, crossed))


def messages_in(stream: str) -> list[Any]:
    places = [found.start() for found in re.finditer(r'\{"jsonrpc"', stream)]
    return [json.JSONDecoder().raw_decode(stream, place)[0] for place in places]


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_in_this_process_has_frames_too(era: str) -> None:
    with Recorder() as recorder:
        async with Connection(high_level(Toolbox([echo]), name="texts"), era=era) as connection:
            await connection.call("echo", {"text": "北京"})

    asked, answer = [frame for frame in recorder.frames if "北京" in frame.text and is_mcp(frame)]
    assert asked.json["params"]["arguments"] == {"text": "北京"}
    assert answer.json["result"]["content"] == [{"type": "text", "text": "北京"}]


def is_mcp(frame: Any) -> bool:
    return bool(frame.wire == "mcp")


# --- what a frame says ----------------------------------------------------------------------------


async def test_a_frame_is_named_by_its_method_and_paired_with_its_answer(scripted: Any) -> None:
    with Recorder() as recorder:
        async with Connection(scripted(), era="legacy") as connection:
            await connection.call("t1")
            await connection.call("unknown")

    told = [
        (frame.label, frame.request.number if frame.request else None) for frame in recorder.frames
    ]
    assert told == [
        ("initialize", None),
        ("result", 1),
        ("notifications/initialized", None),
        ("tools/list", None),
        ("result", 4),
        ("tools/call", None),
        ("result", 6),
        ("tools/call", None),
        ("error", 8),
    ]


async def test_junk_is_a_frame_with_an_error(scripted: Any) -> None:
    with Recorder() as recorder:
        async with Connection(scripted(junk_before=["server ready 好"])):
            pass

    (junk,) = [frame for frame in recorder.frames if frame.error]
    assert (junk.label, junk.text, junk.error) == (
        "junk",
        "server ready 好",
        "This is no JSON-RPC message.",
    )


async def test_a_question_of_the_server_and_our_answer_are_frames(scripted: Any) -> None:
    server = scripted(eras=["legacy"], calls={"t1": {"ask": "ping"}})

    with Recorder() as recorder:
        async with Connection(server) as connection:
            await connection.call("t1")
            await asyncio.sleep(0.05)

    (asked,) = [frame for frame in recorder.frames if frame.label == "ping"]
    (answer,) = [frame for frame in recorder.frames if frame.request is asked]
    assert (asked.direction, answer.direction, answer.json["result"]) == ("received", "sent", {})


async def test_a_request_that_a_crash_left_open_has_a_frame_that_says_so(scripted: Any) -> None:
    with Recorder() as recorder:
        async with Connection(scripted(calls={"t1": {"do": "crash"}})) as connection:
            with pytest.raises(ServerError):
                await connection.call("t1")

    last = next(
        frame for frame in recorder.frames if frame.request and frame.request.label == "tools/call"
    )
    assert (last.label, last.error) == ("no answer", "The connection was closed.")


async def test_headers_of_the_protocol_are_in_frames_over_http(http: HttpService) -> None:
    with Recorder() as recorder:
        async with Connection(http.url, era="modern") as connection:
            await connection.call("echo", {"text": "a"})

    (call,) = [frame for frame in recorder.frames if frame.label == "tools/call"]
    assert call.header("mcp-protocol-version") == "2026-07-28"
    assert call.header("mcp-method") == "tools/call"
    assert call.header("mcp-name") == "echo"


async def test_a_status_is_in_the_frame_with_the_body_that_came(service: Any, write: Any) -> None:
    served = service(write.page("<h1>not here</h1>", status=404))
    url = f"http://127.0.0.1:{served.port}/mcp"

    with Recorder() as recorder, pytest.raises(ServerError):
        await Connection(url).open()

    answer = recorder.frames[1]
    assert (answer.status, answer.text, answer.error) == (
        404,
        "<h1>not here</h1>",
        "HTTP status 404.",
    )


# --- credentials ----------------------------------------------------------------------------------


async def test_a_value_of_env_is_in_no_frame_and_no_log(scripted: Any) -> None:
    server = scripted(calls={"t1": {"environment": "KEY"}}, stderr="unused")
    target = Target(server, env={"KEY": SECRET})

    with Recorder() as recorder:
        async with Connection(target) as connection:
            outcome = await connection.call("t1")

    assert outcome.text == SECRET
    assert not [frame for frame in recorder.frames if SECRET in frame.text]


@pytest.mark.parametrize("secret", [SECRET, 'with "quotes" \\ in it', "schlüssel-王-secret"])
def test_a_secret_is_hidden_in_whatever_way_json_writes_it(secret: str) -> None:
    hide = hiding(["short", secret])
    bodies = [json.dumps([secret], ensure_ascii=escaped).encode() for escaped in (True, False)]

    assert [hide(body) for body in bodies] == [b'["(hidden)"]'] * 2
    assert hide(b'["short"]') == b'["short"]'


async def test_a_credential_in_a_header_is_in_no_frame(http: HttpService) -> None:
    target = Target(http.url, headers={"Authorization": f"Bearer {SECRET}"})

    with Recorder() as recorder:
        async with Connection(target) as connection:
            await connection.call("echo", {"text": SECRET})

    assert {frame.header("authorization") for frame in recorder.frames} == {"", "(hidden)"}
    assert not [frame for frame in recorder.frames if SECRET in f"{frame.headers} {frame.text}"]


# --- which recorder -------------------------------------------------------------------------------


async def test_the_frames_of_a_call_are_in_the_recorder_of_the_cell_that_asks(
    scripted: Any,
) -> None:
    with Recorder() as first:
        connection = await Connection(scripted()).open()
    count = len(first.frames)

    with Recorder() as second:
        await connection.call("t1")
    await connection.call("t1")
    await connection.close()

    assert [frame.label for frame in second.frames] == ["tools/call", "result"]
    assert len(first.frames) == count


async def test_nested_recorders_each_keep_the_frames(scripted: Any) -> None:
    async with Connection(scripted()) as connection:
        with Recorder() as outer, Recorder() as inner:
            await connection.call("t1")

    assert [frame.label for frame in outer.frames] == ["tools/call", "result"]
    assert [frame.body for frame in outer.frames] == [frame.body for frame in inner.frames]


async def test_following_changes_is_a_request_that_stays_open(scripted: Any) -> None:
    with Recorder() as recorder:
        async with Connection(scripted(), era="auto", follow_changes=True):
            pass

    assert [frame.label for frame in recorder.frames] == [
        *["server/discover", "result"],
        *["subscriptions/listen", "notifications/subscriptions/acknowledged"],
        *["tools/list", "result"],
        "notifications/cancelled",
    ]


async def test_two_cells_at_once_each_have_their_own_frames(scripted: Any) -> None:
    async def cell(number: int) -> list[Any]:
        with Recorder() as recorder:
            await connection.call("t1", {"n": number})
        return [frame.json for frame in recorder.frames]

    async with Connection(scripted()) as connection:
        found = await asyncio.gather(*(cell(number) for number in range(5)))

    assert [frames[0]["params"]["arguments"] for frames in found] == [{"n": n} for n in range(5)]
    assert [frames[1]["id"] for frames in found] == [frames[0]["id"] for frames in found]


async def test_frames_of_the_model_and_of_the_server_are_in_order(
    scripted: Any, service: Any, write: Any
) -> None:
    served = service(write.calls(("c1", "t1", "{}")), write.text("Done."))

    async with Connection(scripted()) as connection, ModelClient(served.settings) as client:
        with Recorder() as recorder:
            await run("Call t1.", connection.tools, client)

    assert [frame.wire for frame in recorder.frames] == [
        *["model", "model"],
        *["local", "mcp", "mcp", "local"],
        *["model", "model"],
    ]


async def test_a_change_is_told_to_the_recorder_of_the_cell_that_is_waiting(scripted: Any) -> None:
    server = scripted(calls={"t1": {"tools": ["t1", "t2"]}})

    async with Connection(server) as connection:
        with Recorder() as recorder:
            await connection.call("t1")

    assert [frame.label for frame in recorder.frames] == [
        "tools/call",
        "notifications/tools/list_changed",
        "result",
    ]


async def test_without_a_recorder_nothing_is_kept(scripted: Any) -> None:
    async with Connection(scripted()) as connection:
        await connection.call("t1")
        with Recorder() as recorder:
            pass

    assert recorder.frames == ()
