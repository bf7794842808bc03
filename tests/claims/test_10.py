"""Each factual sentence of notebook 10, proved.

That the two best-known sample servers speak the older version is proved in `tests/interop`, and
what a server answers to each wrong form in `tests/test_mcp_wrong_forms.py`.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import json
import runpy
import shutil
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client

from course_pkg import ModelClient, Recorder, run, tool, toolbox
from course_pkg.conversation import start
from course_pkg.lessons.exercises import exercise
from course_pkg.lessons.exercises.n10 import FACTS
from course_pkg.lessons.scripts import ONE_CALL
from course_pkg.lessons.text_model import TextModel
from course_pkg.lessons.third_party import NO_NODE, NOT_ASKED, open_third_party
from course_pkg.lessons.wrong_forms import RIGHT_FORM, WRONG_FORMS, send_wrong_form
from course_pkg.mcp_client import Connection, ServerError, connect
from course_pkg.mcp_server import HttpService, high_level, low_level
from course_pkg.schema import check
from course_pkg.wire import Frame

SERVER = [sys.executable, "-m", "course_pkg", "mcp-server"]
TROUBLED = [sys.executable, "-m", "course_pkg.lessons.servers.troubled"]
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
SUM = "What is 12 * 7?"
CALL: dict[str, Any] = {"expression": "12 * 7"}
DOVER = {"place": "Dover"}


@pytest.fixture
async def tides() -> AsyncIterator[Connection]:
    async with Connection(TROUBLED, name="tides", call_timeout_s=1) as opened:
        yield opened


@pytest.fixture
def service() -> Iterator[HttpService]:
    with HttpService(high_level(toolbox("calculate"))) as opened:
        yield opened


def here() -> Any:
    """A server in this process: the messages are those of the pipe, as a test below proves."""
    return high_level(toolbox())


async def opening(place: Any, **options: Any) -> list[Frame]:
    """The frames of an opening and one call, without those of the tool itself."""
    async with contextlib.AsyncExitStack() as stack:
        with Recorder() as recorder:
            opened = await stack.enter_async_context(Connection(place, **options))
            await opened.call("calculate", CALL)
        return [frame for frame in recorder.frames if frame.wire == "mcp"]


def labels(frames: list[Frame]) -> list[str]:
    return [f"{frame.direction} {frame.label}" for frame in frames]


def call_of(frames: Any) -> Frame:
    found: Frame = next(frame for frame in frames if frame.label == "tools/call")
    return found


# --- the messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_there_are_requests_answers_with_their_id_and_notifications(era: str) -> None:
    frames = await opening(here(), era=era)

    for frame in frames:
        keys = set(frame.json) - {"jsonrpc", "params"}
        answers = frame.request is not None
        assert keys in ([{"id", "result"}] if answers else [{"id", "method"}, {"method"}])
        assert frame.request is None or frame.json["id"] == frame.request.json["id"]
        assert frame.json["jsonrpc"] == "2.0"


async def test_the_older_opening_is_a_handshake_then_a_list() -> None:
    frames = await opening(here(), era="legacy")

    assert labels(frames)[:5] == [
        "sent initialize",
        "received result",
        "sent notifications/initialized",
        "sent tools/list",
        "received result",
    ]
    assert frames[1].json["result"]["protocolVersion"] == "2025-11-25"


async def test_a_call_has_a_name_and_an_object_of_arguments_and_its_result_has_blocks() -> None:
    frames = await opening(here(), era="legacy")

    assert call_of(frames).json["params"] == {"name": "calculate", "arguments": CALL}
    assert frames[-1].json["result"] == {
        "content": [{"type": "text", "text": "84"}],
        "isError": False,
    }


async def test_in_the_newer_era_there_is_no_handshake_and_each_request_says_its_version() -> None:
    frames = await opening(here())

    requests = [frame.json for frame in frames if frame.direction == "sent" and frame.label]
    assert labels(frames)[0] == "sent server/discover"
    assert "sent initialize" not in labels(frames)
    assert {request["params"]["_meta"][VERSION_KEY] for request in requests} == {"2026-07-28"}


async def test_discovery_may_be_left_out() -> None:
    frames = await opening(high_level(toolbox("calculate")), era="2026-07-28")

    assert "sent server/discover" not in labels(frames)
    assert frames[-1].json["result"]["content"][0]["text"] == "84"


async def test_the_server_confirms_with_a_notification_that_has_no_id() -> None:
    frames = await opening(here(), follow_changes=True)

    [told] = [frame for frame in frames if frame.direction == "received" and frame.request is None]
    assert (told.label, "id" in told.json) == ("notifications/subscriptions/acknowledged", False)
    assert told.json["params"]["notifications"] == {"toolsListChanged": True}


@pytest.mark.parametrize(("era", "subscribes"), [("legacy", False), ("auto", True)])
async def test_only_in_the_newer_era_the_client_subscribes(era: str, *, subscribes: bool) -> None:
    frames = await opening(here(), era=era, follow_changes=True)

    assert ("sent subscriptions/listen" in labels(frames)) is subscribes


async def test_a_server_of_the_older_era_refuses_discovery_and_then_shakes_hands() -> None:
    with Recorder() as recorder:
        async with Connection(TROUBLED) as opened:
            assert opened.protocol_version == "2025-11-25"

    assert labels(list(recorder.frames))[:4] == [
        "sent server/discover",
        "received error",
        "sent initialize",
        "received result",
    ]


# --- transports -----------------------------------------------------------------------------------


def first_answer(line: bytes) -> Any:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(SERVER, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(line + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())


async def test_a_call_of_the_newer_era_may_be_the_first_line_and_one_of_the_older_may_not() -> None:
    server = high_level(toolbox("calculate"))
    lines = [call_of(await opening(server, era=era)).body for era in ("auto", "legacy")]

    new, old = [first_answer(line) for line in lines]

    assert new["result"]["content"][0]["text"] == "84"
    assert "error" in old


async def test_a_call_is_the_same_bytes_on_each_transport(service: HttpService) -> None:
    places = [high_level(toolbox("calculate")), SERVER, service.url]

    frames = [call_of(await opening(place)) for place in places]

    assert len({frame.body for frame in frames}) == 1
    assert [name for name, _ in (*frames[0].headers, *frames[1].headers)] == []


def mcp_headers(frame: Frame) -> dict[str, str]:
    return {name: value for name, value in frame.headers if name.startswith("mcp-")}


async def test_over_http_three_headers_repeat_the_body(service: HttpService) -> None:
    frame = call_of(await opening(service.url))

    params = frame.json["params"]
    assert mcp_headers(frame) == {
        "mcp-method": frame.json["method"],
        "mcp-name": params["name"],
        "mcp-protocol-version": params["_meta"][VERSION_KEY],
    }


async def test_in_the_older_era_there_are_two_once_the_handshake_is_done(
    service: HttpService,
) -> None:
    frames = await opening(service.url, era="legacy")

    assert set(mcp_headers(call_of(frames))) == {"mcp-protocol-version", "mcp-session-id"}
    assert "mcp-session-id" not in mcp_headers(frames[0])


# --- pages ----------------------------------------------------------------------------------------


async def test_the_sdks_list_is_one_page_and_ours_is_all() -> None:
    server = low_level(toolbox(), page_size=2)
    async with Client(server) as client:
        page = await client.list_tools()
    with Recorder() as recorder:
        async with Connection(server) as opened:
            names = [tool.name for tool in opened.tools]

    lists = [frame for frame in recorder.frames if frame.label == "tools/list"]
    answers = [frame for frame in recorder.frames if frame.request in lists]
    came = [frame.json["result"].get("nextCursor") for frame in answers]
    sent = [frame.json["params"].get("cursor") for frame in lists]
    assert (len(page.tools), len(names), len(lists)) == (2, len(toolbox()), 3)
    assert (came[-1], sent[0], sent[1:]) == (None, None, came[:-1])


# --- who discovers what ---------------------------------------------------------------------------


async def test_the_loop_uses_both_layers_in_this_order() -> None:
    async with Connection(SERVER, era="legacy") as opened, ModelClient() as model:
        with Recorder() as recorder:
            await opened.refresh()
            await run(SUM, opened.tools, model)

    order = [(frame.wire, frame.direction) for frame in recorder.frames if frame.wire != "local"]
    pair = [("sent"), ("received")]
    wires = ["mcp", "model", "mcp", "model"]
    assert order == [(wire, direction) for wire in wires for direction in pair]
    assert [frame.wire for frame in recorder.frames].count("local") == 2


async def test_arguments_are_a_string_for_the_model_and_an_object_for_the_server() -> None:
    async with Connection(here()) as opened, ModelClient() as model:
        with Recorder() as recorder:
            outcome = await run(SUM, opened.tools, model)

    said = outcome.turns[0].reply.calls[0].arguments
    sent = call_of(recorder.frames).json["params"]["arguments"]
    assert (type(said), type(sent), json.loads(said)) == (str, dict, sent)


async def test_a_model_that_is_offered_nothing_calls_nothing() -> None:
    async with Connection(here()) as opened, ModelClient() as model:
        reply = await model.ask(start(SUM))

    assert len(opened.tools) > 1
    assert reply.calls == ()


async def test_the_offer_may_stand_in_the_prompt() -> None:
    async with Connection(here()) as opened, TextModel() as model:
        outcome = await run(SUM, opened.tools, model)

    assert (outcome.calls, outcome.reason) == (1, "answered")


# --- what tutorials get wrong ---------------------------------------------------------------------


async def test_no_tool_runs_for_a_wrong_form() -> None:
    ran = []

    @tool
    def calculate(expression: str) -> str:
        """Note an expression."""
        ran.append(expression)
        return "5"

    with HttpService(high_level([calculate])) as service:
        answers = [await send_wrong_form(form, service.url) for form in WRONG_FORMS]
        before = len(ran)
        right = await send_wrong_form(RIGHT_FORM, service.url)

    assert (before, len(ran), right.status) == (0, 1, 200)
    assert all(answer.status >= 400 for answer in answers)
    assert sum(bool(answer.error) for answer in answers) > len(answers) / 2


async def test_a_tool_that_fails_is_answered_with_status_200(service: HttpService) -> None:
    async with Connection(service.url) as opened:
        with Recorder() as recorder:
            outcome = await opened.call("calculate", {"expression": "two"})

    answer = next(frame for frame in recorder.frames if frame.request is call_of(recorder.frames))
    assert (outcome.kind, answer.status, answer.label) == ("error_result", 200, "result")


async def test_the_first_block_lacks_the_warning_and_a_picture_is_named(tides: Connection) -> None:
    outcome = await tides.call("survey", DOVER)

    assert "Warning" not in outcome.blocks[0]["text"]
    assert outcome.text.splitlines()[-1] == "Warning: the quay is closed."
    assert outcome.blocks[1]["data"] not in outcome.text
    assert "[image, image/png, 67 bytes" in outcome.text


def test_a_shorthand_is_no_keyword_so_it_says_nothing() -> None:
    anything: list[Any] = [{}, {"city": 5}, "Paris", None]

    assert [check(value, {"city": "string"}) for value in anything] == [[], [], [], []]


async def test_a_tool_with_a_shorthand_is_left_out_and_the_others_work() -> None:
    async with Connection([*TROUBLED, "shorthand"]) as opened:
        outcome = await opened.call("read_tide", DOVER)

    assert "find_port" not in [tool.name for tool in opened.tools]
    assert any("'find_port' was left out" in warning for warning in opened.warnings)
    assert outcome.text == "Dover: 2.4 m"


# --- across cells, and through failures -----------------------------------------------------------


def root(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def in_a_cell(work: Any) -> Any:
    """Each cell of a notebook is a task of its own."""
    return await asyncio.create_task(work)


async def test_the_sdks_client_cannot_be_closed_by_another_task() -> None:
    client = Client(high_level(toolbox("calculate")))
    await in_a_cell(client.__aenter__())
    result = await in_a_cell(client.call_tool("calculate", CALL))

    with pytest.raises(BaseException) as caught:  # noqa: PT011 - it may come in a group
        await in_a_cell(client.__aexit__(None, None, None))

    assert result.content[0].text == "84"
    assert "in a different task than it was entered in" in str(root(caught.value))


async def test_ours_can_and_its_process_is_gone() -> None:
    before = set(psutil.Process().children())
    opened = await in_a_cell(connect(TROUBLED))
    outcome = await in_a_cell(opened.call("read_tide", DOVER))
    [server] = set(psutil.Process().children()) - before

    await in_a_cell(opened.close())

    assert outcome.text == "Dover: 2.4 m"
    assert not server.is_running()


FORGETFUL = """
import asyncio, os, psutil, sys
from course_pkg.mcp_client import connect

async def main():
    await connect([sys.executable, "-m", "course_pkg.lessons.servers.troubled"])
    print(psutil.Process().children()[0].pid, flush=True)
    os._exit(0)

asyncio.run(main())
"""


def test_a_forgotten_server_ends_with_the_program_that_started_it() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FORGETFUL], capture_output=True, text=True, check=True, timeout=60
    )

    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(int(ended.stdout)).wait(timeout=10)


async def test_a_crash_tells_the_end_of_the_log_and_reopening_helps(tides: Connection) -> None:
    with pytest.raises(ServerError, match="number that is no number") as caught:
        await tides.call("crash")

    await tides.reopen()

    assert caught.value.kind == "gone"
    assert (await tides.call("read_tide", DOVER)).text == "Dover: 2.4 m"


async def test_after_the_limit_the_server_is_told_and_the_next_call_works(
    tides: Connection,
) -> None:
    with Recorder() as recorder, pytest.raises(ServerError) as caught:
        await tides.call("hang")

    assert caught.value.kind == "timeout"
    assert labels(list(recorder.frames))[-1] == "sent notifications/cancelled"
    assert (await tides.call("read_tide", DOVER)).text == "Dover: 2.4 m"


async def test_a_call_that_is_never_answered_waits_longer_than_the_page_does() -> None:
    async with Connection(TROUBLED) as patient:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(patient.call("hang"), 1.5)


async def test_rubbish_has_a_row_and_a_warning_and_the_answer_is_taken() -> None:
    with Recorder() as recorder:
        async with Connection([*TROUBLED, "rubbish"]) as opened:
            outcome = await opened.call("read_tide", DOVER)

    [junk] = [frame for frame in recorder.frames if frame.label == "junk"]
    assert junk.text == "Reading the gauge ..."
    assert any(junk.text in warning for warning in opened.warnings)
    assert outcome.text == "Dover: 2.4 m"


async def test_the_two_kinds_of_error_are_outcomes_and_told_apart(tides: Connection) -> None:
    failed = await tides.call("read_tide", {"place": "Rome"})
    refused = await tides.call("read_moon", DOVER)

    assert [(one.kind, one.code, one.is_error) for one in (failed, refused)] == [
        ("error_result", 0, True),
        ("protocol_error", -32602, True),
    ]


@pytest.mark.parametrize("make", [high_level, low_level])
async def test_our_own_server_answers_an_unknown_tool_with_an_error_result(make: Any) -> None:
    async with Connection(make(toolbox("calculate"))) as opened:
        outcome = await opened.call("read_moon", DOVER)

    assert outcome.kind == "error_result"


# --- event loops ----------------------------------------------------------------------------------


def test_await_at_the_top_of_a_file_is_a_syntax_error_and_in_a_cell_it_is_allowed() -> None:
    with pytest.raises(SyntaxError, match="await"):
        compile("await main()", "file.py", "exec")

    assert compile("await main()", "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def test_the_script_works_as_a_process_of_its_own(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(ONE_CALL)], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "Dover: 2.4 m\n", "")


async def test_inside_a_running_loop_the_same_file_fails() -> None:
    with (
        warnings.catch_warnings(action="ignore"),
        pytest.raises(RuntimeError, match="cannot be called from a running event loop"),
    ):
        runpy.run_path(str(ONE_CALL), run_name="__main__")


async def test_its_main_can_be_awaited(capsys: pytest.CaptureFixture[str]) -> None:
    await runpy.run_path(str(ONE_CALL))["main"]()

    assert capsys.readouterr().out == "Dover: 2.4 m\n"


# --- exercises ------------------------------------------------------------------------------------


async def test_the_session_of_the_first_exercise_comes_out_the_same_when_recorded_again() -> None:
    with Recorder() as recorder:
        opened = await connect([*TROUBLED, "paged"], name="tides", call_timeout_s=1)
        ports = ({"place": "Brest"}, DOVER)
        await asyncio.gather(*(opened.call("read_tide", port) for port in ports))
        await opened.call("read_tide", {"place": "Rome"})
        await opened.call("read_moon", DOVER)
        with contextlib.suppress(ServerError):
            await opened.call("hang")
    frames = [frame for frame in recorder.frames if frame.body]
    await opened.close()

    kept = exercise("10.1").material()
    assert [frame.body for frame in frames] == [frame.body for frame in kept]
    assert labels(frames) == labels(list(kept))


def test_the_facts_follow_from_the_session() -> None:
    messages = [frame.json for frame in exercise("10.1").material()]
    results = {item["id"]: item["result"] for item in messages if "result" in item}
    calls = {item["id"]: item["params"] for item in messages if item.get("method") == "tools/call"}
    dover = {"name": "read_tide", "arguments": DOVER}

    assert {
        "version": results[2]["protocolVersion"],
        "tools": sum(len(result.get("tools", [])) for result in results.values()),
        "dover": results[next(key for key in calls if calls[key] == dover)]["content"][0]["text"],
        "failed": next(key for key in results if results[key].get("isError")),
        "refused": next(item["id"] for item in messages if "error" in item and item["id"] in calls),
        "unanswered": messages[-1]["params"]["requestId"],
    } == FACTS


async def test_the_third_party_is_skipped_unless_it_is_asked_for() -> None:
    assert await open_third_party({}) == (None, NOT_ASKED)


@pytest.mark.skipif(
    shutil.which("npx", path=str(Path(sys.executable).parent)) is not None,
    reason="Node is part of this environment.",
)
async def test_without_node_it_says_what_is_missing(tmp_path: Path) -> None:
    environment = {"COURSE_LIVE": "1", "PATH": str(tmp_path)}

    assert await open_third_party(environment) == (None, NO_NODE)
