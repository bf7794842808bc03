"""The sidecar: a service that runs tools over HTTP, and tools that ask it.

What must not work is in `security/test_escapes.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course_pkg import Recorder, Toolbox, run
from course_pkg.executor import execute
from course_pkg.programs import AllowList, Program, tools_of
from course_pkg.samples.programs import sample_programs
from course_pkg.sidecar import Sidecar, SidecarClient, SidecarError, sidecar_tools
from course_pkg.tools import Tool, ToolCall, ToolError, tool

TOKEN = "made-up" + "-token-of-a-test-0123456789"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: the first.
        b: the second.
    """
    return a + b


@tool(side_effect=True, timeout_s=2.0)
async def send(text: str) -> dict[str, str]:
    """Send a text.

    Args:
        text: what to send.
    """
    return {"sent": text}


@tool
def fail() -> None:
    """Fail, with a word about it."""
    raise ToolError("The drawer is locked. Ask the user for the key.")


@tool
def break_down() -> None:
    """Break down."""
    raise RuntimeError("a bug")


@tool
def print_much() -> str:
    """Give a long text."""
    return "x" * 500_000


@pytest.fixture
def sidecar() -> Iterator[Sidecar]:
    """A running service with a few tools."""
    with Sidecar([add, send, fail, break_down, print_much]) as running:
        yield running


@pytest.fixture
async def tools(sidecar: Sidecar) -> Toolbox:
    """The tools that ask it."""
    return Toolbox(await sidecar_tools(sidecar.url, sidecar.token))


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="c1", name=name, arguments=json.dumps(arguments))


def _ask(sidecar: Sidecar, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(sidecar.url.removeprefix("http://"), timeout=10)
    headers = {"Authorization": f"Bearer {sidecar.token}", "Content-Type": "application/json"}
    connection.request(method, path, json.dumps(body) if body else None, headers)
    answer = connection.getresponse()
    raw = answer.read()
    connection.close()
    return answer.status, json.loads(raw) if raw else None


# --- the service ----------------------------------------------------------------------------------


def test_the_list_of_tools_is_what_a_client_needs_to_offer_them(sidecar: Sidecar) -> None:
    status, answer = _ask(sidecar, "GET", "/tools")

    assert status == 200
    assert answer["tools"][1] == {
        "name": "send",
        "description": "Send a text.",
        "input_schema": dict(send.input_schema),
        "side_effect": True,
        "timeout_s": 2.0,
    }


ANSWERS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("add", {"a": 2, "b": 3}, {"text": "5", "is_error": False}),
    ("send", {"text": "会议"}, {"text": '{"sent": "会议"}', "is_error": False}),
    (
        "fail",
        {},
        {
            "text": "The drawer is locked. Ask the user for the key.",
            "is_error": True,
            "error_kind": "tool_error",
        },
    ),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), ANSWERS)
def test_what_a_tool_gives_is_an_answer_and_so_is_its_failure(
    sidecar: Sidecar, name: str, arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    asked = {"name": name, "arguments": arguments}

    assert _ask(sidecar, "POST", "/execute", asked) == (200, expected)


KINDS = [
    ("add", {"a": "many"}, "invalid_arguments"),
    ("subtract", {}, "unknown_tool"),
    ("break_down", {}, "tool_failed"),
]


@pytest.mark.parametrize(("name", "arguments", "kind"), KINDS)
def test_what_the_model_got_wrong_is_no_matter_of_http(
    sidecar: Sidecar, name: str, arguments: dict[str, Any], kind: str
) -> None:
    status, answer = _ask(sidecar, "POST", "/execute", {"name": name, "arguments": arguments})

    assert (status, answer["is_error"], answer["error_kind"]) == (200, True, kind)


def test_a_long_result_is_cut(sidecar: Sidecar) -> None:
    _, answer = _ask(sidecar, "POST", "/execute", {"name": "print_much", "arguments": {}})

    assert len(answer["text"]) <= 20_000


def test_answers_of_the_same_request_are_the_same_bytes(sidecar: Sidecar) -> None:
    host, token = sidecar.url.removeprefix("http://"), sidecar.token
    raw = f"GET /tools HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    answers = set()
    for _ in range(2):
        with socket.create_connection(("127.0.0.1", int(host.split(":")[1]))) as connection:
            connection.sendall(raw)
            answers.add(_whole_answer(connection))

    assert len(answers) == 1
    assert not {b"date:", b"server:"} & {line[:5].lower() for line in answers.pop().split(b"\r\n")}


def _whole_answer(connection: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"}"):  # head and body may come one after the other
        part = connection.recv(100_000)
        if not part:
            break
        answer += part
    return answer


def test_the_head_of_the_list_can_be_asked_for(sidecar: Sidecar) -> None:
    assert _ask(sidecar, "HEAD", "/tools") == (200, None)


def test_many_can_ask_at_once(sidecar: Sidecar) -> None:
    sums: list[Any] = []

    def ask(number: int) -> None:
        asked = {"name": "add", "arguments": {"a": number, "b": 1}}
        sums.append(_ask(sidecar, "POST", "/execute", asked)[1]["text"])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(map(int, sums)) == list(range(1, 9))


async def test_one_more_than_may_run_at_once_is_told_to_come_back() -> None:
    @tool
    async def wait() -> str:
        """Wait a moment."""
        await asyncio.sleep(1.0)
        return "done"

    with Sidecar([wait]) as sidecar:
        client = sidecar.client()
        asked = [client.execute("wait", {}) for _ in range(9)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        afterwards = await client.execute("wait", {})

    assert afterwards == "done"
    refused = [answer for answer in answers if isinstance(answer, SidecarError)]
    assert [str(answer) for answer in refused] == [
        "The sidecar refused with status 503: 8 tools are running already. Ask again when one of "
        "them is done."
    ]


def test_a_body_that_does_not_come_is_not_waited_for_without_end() -> None:
    with Sidecar([add], body_timeout_s=0.2) as sidecar:
        host, token = sidecar.url.removeprefix("http://"), sidecar.token
        head = f"POST /execute HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        rest = "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
        with socket.create_connection(("127.0.0.1", int(host.split(":")[1]))) as connection:
            connection.sendall((head + rest).encode())
            answer = _whole_answer(connection)

    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"slow_body"' in answer


def test_a_mistake_of_the_service_is_told_in_json_without_its_insides() -> None:
    broken = Tool(name="broken", description="", input_schema={"type": "nonsense"}, run=print)
    with Sidecar([broken]) as sidecar:
        status, answer = _ask(sidecar, "POST", "/execute", {"name": "broken", "arguments": {}})

    assert (status, answer["error"]["code"]) == (500, "own_mistake")
    assert "(SchemaError)" in answer["error"]["message"]


# --- starting and stopping ------------------------------------------------------------------------


def test_closing_leaves_no_thread_and_no_port_and_may_be_done_twice() -> None:
    before = threading.active_count()
    sidecar = Sidecar([add]).start()
    port = int(sidecar.url.rpartition(":")[2])

    sidecar.close()
    sidecar.close()

    assert threading.active_count() == before
    with pytest.raises(ConnectionError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_a_service_that_does_not_run_has_no_address_and_no_token() -> None:
    sidecar = Sidecar([add])

    for read in (lambda: sidecar.url, lambda: sidecar.token, sidecar.client):
        with pytest.raises(SidecarError, match=r"does not run\. Call start\(\) first"):
            read()


def test_a_second_start_changes_nothing_and_a_new_one_makes_a_new_token(sidecar: Sidecar) -> None:
    first = (sidecar.url, sidecar.token)

    assert (sidecar.start().url, sidecar.token) == first
    sidecar.close()
    assert sidecar.start().token != first[1]


def test_a_port_that_is_taken_is_an_error_that_names_it(sidecar: Sidecar) -> None:
    port = int(sidecar.url.rpartition(":")[2])

    with pytest.raises(SidecarError, match=f"Port {port} on 127.0.0.1 is taken"):
        Sidecar([add], port=port).start()


@pytest.mark.parametrize("port", [-1, 70_000])
def test_a_port_that_is_none_is_an_error(port: int) -> None:
    with pytest.raises(SidecarError, match="Use 0 to get a free one"):
        Sidecar([add], port=port).start()


def test_closing_ends_what_is_running(tmp_path: Path) -> None:
    programs = AllowList([_beating(tmp_path)], folder=tmp_path)
    sidecar = Sidecar(tools_of(programs)).start()
    asking = threading.Thread(target=_ask_and_lose, args=(sidecar,))
    asking.start()
    _wait_for(tmp_path / "heart")

    sidecar.close()
    asking.join(10)

    assert _becomes_still(tmp_path / "heart")
    assert not asking.is_alive()


def test_a_client_that_goes_away_ends_its_program(tmp_path: Path) -> None:
    programs = AllowList([_beating(tmp_path)], folder=tmp_path)
    with Sidecar(tools_of(programs)) as sidecar:
        connection = http.client.HTTPConnection(sidecar.url.removeprefix("http://"))
        headers = {"Authorization": f"Bearer {sidecar.token}", "Content-Type": "application/json"}
        body = json.dumps({"name": "beat", "arguments": {}})
        connection.request("POST", "/execute", body, headers)
        _wait_for(tmp_path / "heart")

        connection.close()

        assert _becomes_still(tmp_path / "heart")


def _beating(folder: Path) -> Program:
    script = folder / "beat.py"
    script.write_text(
        "import time\nwhile True: open('heart', 'a').write('.'); time.sleep(0.01)", encoding="utf-8"
    )
    return Program(name="beat", description="Go on.", command=(sys.executable, "-I", str(script)))


def _ask_and_lose(sidecar: Sidecar) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        _ask(sidecar, "POST", "/execute", {"name": "beat", "arguments": {}})


def _wait_for(file: Path) -> None:
    for _ in range(1_000):
        if file.exists():
            return
        threading.Event().wait(0.01)


def _becomes_still(file: Path) -> bool:
    for _ in range(20):
        size = file.stat().st_size
        threading.Event().wait(0.3)
        if file.stat().st_size == size:
            return True
    return False


def test_nothing_is_logged_whatever_comes(
    sidecar: Sidecar, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    _ask(sidecar, "POST", "/execute", {"name": "break_down", "arguments": {}})
    with socket.create_connection(("127.0.0.1", int(sidecar.url.rpartition(":")[2]))) as connection:
        connection.sendall(b"no http\r\n\r\n")
        connection.recv(1_000)

    logged = [record for record in caplog.records if record.name != "asyncio"]
    assert (logged, capfd.readouterr()) == ([], ("", ""))


def test_the_package_is_there_without_the_dear_libraries() -> None:
    code = (
        "import sys, course_pkg.sidecar; "
        "print({'starlette', 'uvicorn', 'h11'} & set(sys.modules) or 'light')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    assert "starlette" not in ended.stdout
    assert "uvicorn" not in ended.stdout


# --- the tools ------------------------------------------------------------------------------------


async def test_the_tools_are_those_of_the_service(tools: Toolbox) -> None:
    assert list(tools) == ["add", "send", "fail", "break_down", "print_much"]
    assert tools["add"].definition() == add.definition()
    assert tools["send"].side_effect


async def test_a_tool_asks_the_service_for_its_text(tools: Toolbox) -> None:
    assert await tools["add"](a=2, b=3) == "5"


@pytest.mark.parametrize(
    ("name", "text"), [("fail", "The drawer is locked"), ("break_down", "a bug")]
)
async def test_a_failure_there_is_an_error_result_here(
    tools: Toolbox, name: str, text: str
) -> None:
    result = await execute(_call(name), tools)

    assert result.is_error
    assert text in result.text


async def test_the_loop_runs_such_a_tool_as_any_other(tmp_path: Path) -> None:
    programs = sample_programs(tmp_path / "work")
    with Sidecar(tools_of(programs)) as sidecar:
        outcome = await run(
            "Count the words of files/notes.txt", await sidecar_tools(sidecar.url, sidecar.token)
        )

    assert "39 words" in outcome.answer


async def test_both_exchanges_are_recorded_on_the_wire_of_the_sidecar(sidecar: Sidecar) -> None:
    with Recorder() as recorder:
        (first, *_) = await sidecar_tools(sidecar.url, sidecar.token)
        await first(a=2, b=3)

    seen = [(frame.wire, frame.direction, frame.label) for frame in recorder.frames]
    assert seen == [
        ("sidecar", "sent", "GET /tools"),
        ("sidecar", "received", "200"),
        ("sidecar", "sent", "POST /execute"),
        ("sidecar", "received", "200"),
    ]
    assert recorder.frames[2].json == {"name": "add", "arguments": {"a": 2, "b": 3}}
    assert recorder.frames[3].json == {"text": "5", "is_error": False}


async def test_what_runs_in_the_service_is_not_recorded_a_second_time() -> None:
    with Recorder() as recorder, Sidecar([add]) as sidecar:
        await sidecar.client().execute("add", {"a": 2, "b": 3})

    assert {frame.wire for frame in recorder.frames} == {"sidecar"}


async def test_no_frame_no_repr_and_no_error_holds_the_token(sidecar: Sidecar) -> None:
    client, token = sidecar.client(), sidecar.token
    with Recorder() as recorder:
        await client.execute("add", {"a": 2, "b": 3})
        sidecar.close()
        with pytest.raises(SidecarError) as error:
            await client.execute("add", {"a": 2, "b": 3})

    shown = [repr(client), repr(sidecar), str(error.value), repr(error.value)]
    shown += [f"{frame!r} {frame.headers} {frame.text} {frame.error}" for frame in recorder.frames]
    assert not [text for text in shown if token in text]


async def test_a_service_that_is_down_is_an_error_that_says_how_to_start_it(
    sidecar: Sidecar,
) -> None:
    client = sidecar.client()
    tools = await client.tools()
    sidecar.close()

    result = await execute(_call("add", a=2, b=3), tools)

    assert (result.is_error, result.text) == (
        True,
        "The sidecar does not answer (ConnectError). Start it with Sidecar(tools).start(), and "
        "take its url and token from there.",
    )


async def test_a_wrong_token_is_an_error_that_does_not_repeat_it(sidecar: Sidecar) -> None:
    with pytest.raises(SidecarError, match="does not take this token") as error:
        await sidecar_tools(sidecar.url, TOKEN)

    assert TOKEN not in str(error.value)


@pytest.mark.parametrize("token", ["", "with space", "päss", "a\r\nX-Other: b", "x" * 1_001])
def test_a_token_that_no_header_can_hold_is_an_error_before_it_is_sent(token: str) -> None:
    with pytest.raises(SidecarError, match="none that a sidecar makes"):
        SidecarClient(url="http://127.0.0.1:9", token=token)


URLS = [
    "https://127.0.0.1:8000",
    "http://example.com:8000",
    "http://10.0.0.1:8000",
    "http://127.0.0.1.evil.example:8000",
    "http://127.0.0.1@evil.example:8000",
    "http://0.0.0.0:8000",
    "ftp://127.0.0.1",
    "127.0.0.1:8000",
    "",
    "http://[",
]


@pytest.mark.parametrize("url", URLS)
def test_a_client_gives_the_token_to_this_computer_only(url: str) -> None:
    with pytest.raises(SidecarError, match=r"is not on this computer|is no URL"):
        SidecarClient(url=url, token=TOKEN)


ODD_ANSWERS = {
    "a page": b"<html>Jupyter</html>",
    "no json": b"{",
    "a list": b"[]",
    "another object": b'{"data": 1}',
    "tools of another form": b'{"tools": [{"name": "x"}]}',
    "tools that are no list": b'{"tools": 5}',
    "deep": b"[" * 100_000,
    "far too long": b'{"tools": []}' + b" " * 2_000_000,
    "nothing": b"",
}


@pytest.mark.parametrize("body", ODD_ANSWERS.values(), ids=ODD_ANSWERS)
async def test_what_answers_and_is_no_sidecar_is_told_as_such(
    service: Callable[..., Any], write: Any, body: bytes
) -> None:
    other = service(write.Answer(pieces=(body,)))

    with pytest.raises(SidecarError, match="What answered there is no sidecar"):
        await sidecar_tools(f"http://127.0.0.1:{other.port}", TOKEN)


async def test_an_answer_without_a_text_is_told_as_none_of_a_sidecar(
    service: Callable[..., Any], write: Any
) -> None:
    other = service(write.json({"text": 5}))
    client = SidecarClient(url=f"http://127.0.0.1:{other.port}", token=TOKEN)

    with pytest.raises(SidecarError, match="What answered there is no sidecar"):
        await client.execute("add", {})


async def test_a_refusal_is_told_with_its_reason(service: Callable[..., Any], write: Any) -> None:
    error = {"error": {"code": "busy", "message": "Come back later."}}
    other = service(write.json(error, status=503))

    with pytest.raises(SidecarError, match=r"refused with status 503: Come back later\."):
        await sidecar_tools(f"http://127.0.0.1:{other.port}", TOKEN)


async def test_an_answer_that_does_not_come_is_not_waited_for_without_end(
    service: Callable[..., Any], write: Any
) -> None:
    other = service(write.json({"text": "late"}, wait_s=1.0))
    client = SidecarClient(url=f"http://127.0.0.1:{other.port}", token=TOKEN)

    with pytest.raises(SidecarError, match=r"did not answer within 0\.2 seconds"):
        await client.execute("add", {}, timeout_s=0.2)


async def test_a_redirect_is_not_followed_with_the_token(
    service: Callable[..., Any], write: Any
) -> None:
    headers = (("location", "http://127.0.0.1:9/tools"), ("content-type", "application/json"))
    other = service(write.Answer(pieces=(b"{}",), status=307, headers=headers))

    with pytest.raises(SidecarError, match="refused with status 307"):
        await sidecar_tools(f"http://127.0.0.1:{other.port}", TOKEN)


async def test_no_proxy_of_the_environment_gets_the_token(
    sidecar: Sidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    assert len(await sidecar_tools(sidecar.url, sidecar.token)) == 5


async def test_a_remote_tool_has_time_for_its_own_limit_and_the_way(tools: Toolbox) -> None:
    assert (send.timeout_s or 0) < (tools["send"].timeout_s or 0)


async def test_a_toolbox_may_hold_local_tools_and_those_of_a_sidecar(
    sidecar: Sidecar, tools: Toolbox
) -> None:
    @tool
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    mixed: list[Tool] = [double, tools["add"]]

    texts = [
        (await execute(_call("double", number=4), mixed)).text,
        (await execute(_call("add", a=1, b=1), mixed)).text,
    ]

    assert texts == ["8", "2"]
