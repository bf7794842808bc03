"""What `mcp_client` promises: a remote tool is a tool, and whatever a server does is survived."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course_pkg import ToolCall, execute, run, tool
from course_pkg.executor import MAX_RESULT_CHARS
from course_pkg.mcp_client import Connection, ServerError, Target, connect
from course_pkg.mcp_client.blocks import said, size_of
from course_pkg.mcp_client.results import outcome_of
from course_pkg.mcp_server import HttpService, high_level, low_level
from course_pkg.tools import TemporaryToolError, Toolbox, ToolError

ERAS = ["legacy", "modern"]
VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def greet(name: str) -> str:
    """Greet someone."""
    if not name:
        raise ToolError("Give a name, 王 say.")
    return f"你好, {name}"


BOX = Toolbox([add, greet])

#: The same tools as a program.
PROGRAM = """
from course_pkg import tool
from course_pkg.mcp_server import high_level, run_stdio
from course_pkg.tools import Toolbox, ToolError

@tool
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

@tool
def greet(name: str) -> str:
    "Greet someone."
    if not name:
        raise ToolError("Give a name, 王 say.")
    return f"你好, {name}"

run_stdio(high_level(Toolbox([add, greet]), name="sums"))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("a folder") / "server.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return [sys.executable, str(path)]


@pytest.fixture(params=["stdio", "http", "in process", "low level"])
def place(request: pytest.FixtureRequest, program: list[str]) -> Iterator[Any]:
    if request.param == "stdio":
        yield program
    elif request.param == "http":
        with HttpService(high_level(BOX, name="sums")) as service:
            yield service.url
    else:
        make: Callable[..., Any] = high_level if request.param == "in process" else low_level
        yield make(BOX, name="sums")


@pytest.fixture(params=ERAS)
async def connection(place: Any, request: pytest.FixtureRequest) -> AsyncIterator[Connection]:
    async with Connection(place, name="sums", era=request.param) as opened:
        yield opened


@contextlib.asynccontextmanager
async def to(server: Any, **options: Any) -> AsyncIterator[Connection]:
    async with Connection(server, **options) as opened:
        yield opened


def texts(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in blocks], **more}


# --- three transports, two eras -------------------------------------------------------------------


async def test_tools_are_listed_and_called(connection: Connection) -> None:
    outcome = await connection.call("greet", {"name": "王"})

    assert [tool.name for tool in connection.tools] == ["add", "greet"]
    assert (outcome.text, outcome.is_error, outcome.kind) == ("你好, 王", False, "")


async def test_the_era_is_the_one_that_was_asked_for(connection: Connection) -> None:
    assert connection.protocol_version == VERSIONS[connection.era]


async def test_a_remote_tool_is_a_tool(connection: Connection) -> None:
    calls = [
        ToolCall(id="c1", name="add", arguments='{"a": 2, "b": 3}'),
        ToolCall(id="c2", name="add", arguments='{"a": 2}'),
        ToolCall(id="c3", name="greet", arguments='{"name": ""}'),
    ]

    good, unchecked, failed = [await execute(call, connection.tools) for call in calls]

    assert (good.text, good.is_error) == ("5", False)
    assert (unchecked.error_kind, "b" in unchecked.text) == ("invalid_arguments", True)
    assert (failed.text, failed.error_kind) == ("Give a name, 王 say.", "tool_error")


async def test_many_calls_at_once_each_get_their_own_answer(connection: Connection) -> None:
    outcomes = await asyncio.gather(*(connection.call("add", {"a": n, "b": 1}) for n in range(20)))

    assert [outcome.text for outcome in outcomes] == [str(n + 1) for n in range(20)]


async def test_auto_takes_the_newest_protocol_that_the_server_speaks(scripted: Any) -> None:
    found = []
    for eras in (["modern"], ["legacy"], ["legacy", "modern"]):
        async with to(scripted(eras=eras)) as connection:
            found.append(connection.era)

    assert found == ["modern", "legacy", "modern"]


async def test_a_run_takes_local_and_remote_tools_together(
    program: list[str], service: Any, write: Any
) -> None:
    from course_pkg import ModelClient

    @tool
    def double(n: int) -> int:
        return 2 * n

    served = service(
        write.calls(("c1", "add", '{"a": 2, "b": 3}'), ("c2", "double", '{"n": 4}')),
        write.text("5 and 8."),
    )
    async with to(program) as connection, ModelClient(served.settings) as client:
        outcome = await run("Add, double.", [*connection.tools, double], client)

    assert [result.text for result in outcome.turns[0].results] == ["5", "8"]


# --- opened here, used there, closed elsewhere ----------------------------------------------------


async def test_a_connection_is_opened_used_and_closed_in_three_tasks(program: list[str]) -> None:
    connection = await asyncio.create_task(connect(program))
    outcome = await asyncio.create_task(connection.call("add", {"a": 1, "b": 1}))
    await asyncio.create_task(connection.close())

    assert outcome.text == "2"
    assert not connection.is_open


async def test_closing_twice_and_before_opening_is_fine(scripted: Any) -> None:
    connection = Connection(scripted())
    await connection.close()
    await connection.open()
    await connection.close()
    await connection.close()

    with pytest.raises(ServerError, match="not open") as error:
        await connection.call("t1")
    assert error.value.kind == "closed"


async def test_nothing_is_left_after_closing(scripted: Any) -> None:
    tasks, threads = asyncio.all_tasks(), threading.active_count()
    async with to(scripted(calls={"t1": {"pid": True}})) as connection:
        process = int((await connection.call("t1")).text)

    await asyncio.sleep(0.05)
    assert not is_running(process)
    assert (asyncio.all_tasks(), threading.active_count()) == (tasks, threads)


async def comes_true(condition: Callable[[], bool]) -> bool:
    for _ in range(200):
        if condition():
            return True
        await asyncio.sleep(0.05)
    return False


def is_running(process: int) -> bool:
    if sys.platform == "win32":
        command = ["tasklist", "/FI", f"PID eq {process}"]
        return str(process) in subprocess.run(command, capture_output=True, text=True).stdout
    shown = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True
    )
    return shown.stdout.strip() not in ("", "Z", "Zs")


async def test_a_connection_that_nobody_holds_any_more_is_closed(scripted: Any) -> None:
    connection = await connect(scripted(calls={"t1": {"pid": True}}))
    process = int((await connection.call("t1")).text)

    del connection
    gc.collect()

    assert await comes_true(lambda: not is_running(process))


async def test_closing_while_a_call_waits_ends_the_call(scripted: Any) -> None:
    connection = await connect(scripted(calls={"t1": {"do": "hang"}}))
    waiting = asyncio.create_task(connection.call("t1"))
    await asyncio.sleep(0.1)

    await connection.close()

    with pytest.raises(ServerError, match="not open"):
        await waiting


async def test_a_cancelled_opening_leaves_no_task(scripted: Any) -> None:
    tasks = asyncio.all_tasks()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(connect(scripted(start="hang")), 0.3)

    assert await comes_true(lambda: asyncio.all_tasks() == tasks)


async def test_a_cancelled_call_is_cancelled_on_the_server_and_others_work(scripted: Any) -> None:
    server = scripted(tools=["t1", "slow"], calls={"slow": {"do": "hang"}})
    async with to(server) as connection:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connection.call("slow"), 0.2)
        outcome = await connection.call("t1")

    assert outcome.text == "{}"


def test_a_connection_of_another_event_loop_says_so(scripted: Any) -> None:
    async def opened() -> Connection:
        return await connect(scripted())

    connection = asyncio.run(opened())

    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(connection.call("t1"))


# --- results --------------------------------------------------------------------------------------

SILENT = "The tool 't1' reported an error and did not say which."
AUDIO = {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}
IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
CSV = {"uri": "file:///t.csv", "mimeType": "text/csv", "text": "a,b\n1,2"}
BLOB = {"uri": "file:///t.bin", "mimeType": "application/octet-stream", "blob": "AAECAw=="}
LINK = {"type": "resource_link", "uri": "https://example.invalid/x", "name": "more", "size": 12}


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "text", "text": "high 09:12"}, "high 09:12"),
        (IMAGE, "[image, image/png, 8 bytes: not shown here]"),
        (AUDIO, "[audio, audio/wav, 1 byte: not shown here]"),
        ({"type": "resource", "resource": CSV}, "[resource file:///t.csv, text/csv]\na,b\n1,2"),
        (
            {"type": "resource", "resource": BLOB},
            "[resource file:///t.bin, application/octet-stream, 4 bytes: not shown here]",
        ),
        (LINK, "[link to https://example.invalid/x, named more, 12 bytes]"),
        ({"type": "hat", "a": 1}, "[a block of the type 'hat' with a: it cannot be shown here]"),
        ({"type": "image"}, "[image, of an unknown type, without data: not shown here]"),
        ({"type": "text"}, "[a block of the type 'text': it cannot be shown here]"),
        ({"text": "x"}, "[a block without a type with text: it cannot be shown here]"),
        (7, "[a block without a type: it cannot be shown here]"),
    ],
)  # fmt: skip
def test_each_kind_of_block_is_said_in_text(block: Any, text: str) -> None:
    assert said(block) == text


@pytest.mark.parametrize("size", range(7))
def test_the_size_of_what_is_not_shown_is_its_size_in_bytes(size: int) -> None:
    import base64

    assert size_of(base64.b64encode(bytes(size)).decode()) == size


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (texts("one", "two"), "one\ntwo"),
        ({"content": [], "structuredContent": {"地": "青岛"}}, '{"地": "青岛"}'),
        ({"structuredContent": [1, 2]}, "[1, 2]"),
        (texts('{"a": 1}', structuredContent={"a": 1}), '{"a": 1}'),
        (texts("5", structuredContent={"result": 5}), "5"),
        (texts("true", structuredContent={"result": True}), "true"),
        (texts("abc", structuredContent={"result": "abc"}), "abc"),
        (texts("1", "2", structuredContent={"result": [1, 2]}), "1\n2"),
        (texts("a", "b", structuredContent={"result": ["a", "b"]}), "a\nb"),
        (texts("Low at 15:20", structuredContent={"trace": "t"}), 'Low at 15:20\n{"trace": "t"}'),
        (texts(""), "Done. The tool returned nothing."),
        ({}, "Done. The tool returned nothing."),
        ({"content": None}, "Done. The tool returned nothing."),
        ({"content": "plain"}, "plain"),
        ({"content": {"type": "text", "text": "alone"}}, "alone"),
        (texts("no such port", isError=True), "no such port"),
        ({"content": [], "isError": True}, SILENT),
        (texts(" ", isError=True), SILENT),
        ({"content": [IMAGE], "isError": True}, "[image, image/png, 8 bytes: not shown here]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("era", ERAS)
async def test_a_result_is_read_whatever_it_holds(
    scripted: Any, era: str, result: Any, text: str
) -> None:
    async with to(scripted(calls={"t1": {"result": result or {"x": 1}}}), era=era) as connection:
        outcome = await connection.call("t1")

    assert outcome.text == text
    assert outcome.is_error == (result.get("isError") is True)


async def test_the_blocks_of_a_result_are_there_as_they_came(scripted: Any) -> None:
    blocks = [IMAGE, {"type": "video", "data": "AAAA"}, LINK]
    async with to(scripted(calls={"t1": {"result": {"content": blocks}}})) as connection:
        outcome = await connection.call("t1")

    assert list(outcome.blocks) == blocks


@pytest.mark.parametrize("chars", [MAX_RESULT_CHARS + 1, 20_000_000])
async def test_a_long_result_is_cut_in_the_middle(scripted: Any, chars: int) -> None:
    async with to(scripted(calls={"t1": {"chars": chars}}), call_timeout_s=120) as connection:
        outcome = await connection.call("t1")

    assert MAX_RESULT_CHARS - 99 < len(outcome.text) <= MAX_RESULT_CHARS
    assert f"of {chars:,} characters in all" in outcome.text


@pytest.mark.parametrize("era", ERAS)
async def test_a_long_result_over_http_is_cut_too(service: Any, write: Any, era: str) -> None:
    served = service(write.mcp({"t1": texts("x" * 3_000_000)}))

    async with to(f"http://127.0.0.1:{served.port}/mcp", era=era) as connection:
        outcome = await connection.call("t1")

    assert MAX_RESULT_CHARS - 99 < len(outcome.text) <= MAX_RESULT_CHARS


async def test_a_protocol_error_is_an_outcome_with_its_code(scripted: Any) -> None:
    error = {"code": -32011, "message": "The tide table is being printed", "data": {"page": 3}}
    async with to(scripted(calls={"t1": {"error": error}})) as connection:
        outcome = await connection.call("t1")

    assert (outcome.kind, outcome.code, outcome.is_error) == ("protocol_error", -32011, True)
    assert outcome.text == (
        "The server refused the call of 't1' with error -32011: "
        "The tide table is being printed. Data: {'page': 3}."
    )


async def test_an_unknown_tool_is_a_protocol_error_or_an_error_result(scripted: Any) -> None:
    async with to(scripted()) as theirs, to(high_level(BOX, name="sums")) as ours:
        outcomes = [await theirs.call("nope"), await ours.call("nope")]

    assert [outcome.kind for outcome in outcomes] == ["protocol_error", "error_result"]
    assert all("nope" in outcome.text for outcome in outcomes)


async def test_a_protocol_error_is_a_tool_error_for_the_model(scripted: Any) -> None:
    error = {"code": -32603, "message": "Internal server error"}
    async with to(scripted(calls={"t1": {"error": error}})) as connection:
        result = await execute(ToolCall(id="c", name="t1", arguments=""), connection.tools)

    assert (result.error_kind, "-32603" in result.text) == ("tool_error", True)


SUM_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (texts("five", structuredContent={"n": "five"}), "n"),
        (texts("five", structuredContent={}), "n"),
        (texts("five"), "There is no structured content."),
    ],
)
async def test_a_result_that_does_not_fit_its_output_schema_is_an_error_that_shows_it(
    scripted: Any, result: Any, reason: str
) -> None:
    listed = {"name": "t1", "inputSchema": {"type": "object"}, "outputSchema": SUM_SCHEMA}
    async with to(scripted(tools=[listed], calls={"t1": {"result": result}})) as connection:
        outcome = await connection.call("t1")

    assert outcome.kind == "unfit_result"
    assert reason in outcome.text
    assert "What came:\nfive" in outcome.text


def test_an_error_result_need_not_fit_the_output_schema() -> None:
    outcome = outcome_of("t1", texts("no", isError=True), SUM_SCHEMA)

    assert (outcome.text, outcome.kind) == ("no", "error_result")


# --- lists of tools -------------------------------------------------------------------------------


def page(*tools: Any, cursor: Any = None) -> dict[str, Any]:
    return {"tools": list(tools), **({} if cursor is None else {"nextCursor": cursor})}


@pytest.mark.parametrize(
    ("pages", "more", "names", "warning"),
    [
        ([page("a", "b", cursor="1"), page("c", cursor="2"), page("d")], {}, "a b c d", ""),
        ([page("a", cursor="1"), page(cursor="2"), page("b")], {}, "a b", ""),
        ([page("a", cursor="")], {"repeat_last": True}, "a", ""),
        ([page("a", cursor="s")], {"repeat_last": True}, "a", "cursor did not advance"),
        ([page("a", cursor="1"), page("b", cursor="1")], {}, "a b", "cursor did not advance"),
        (
            [page("a", cursor="1"), page("a", cursor="2"), page("a", cursor="3")],
            {"repeat_last": True},
            "a",
            "cursor did not advance",
        ),
        ([page(cursor=str(n)) for n in range(200)], {}, "", "had no end after 100 pages"),
        ([page("a", "a", "b")], {}, "a b", "lists the tool 'a' twice"),
        ([page()], {}, "", ""),
    ],
)
@pytest.mark.parametrize("era", ERAS)
async def test_all_pages_of_a_list_are_read_and_an_endless_one_is_left(
    scripted: Any, era: str, pages: list[Any], more: Any, names: str, warning: str
) -> None:
    async with to(scripted(pages=pages, **more), era=era) as connection:
        found = " ".join(tool.name for tool in connection.tools)

    assert found == names
    assert warning in " ".join(connection.warnings)
    assert bool(connection.warnings) == bool(warning)


def with_schema(schema: Any) -> dict[str, Any]:
    return {"name": "bad", "inputSchema": schema}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"name": "bad"}, "'bad' was left out: it has no input schema"),
        (with_schema("object"), "'bad' was left out: it has no input schema"),
        (with_schema({}), "has no type, and must have the type 'object'"),
        (with_schema({"type": "array"}), "must have the type 'object', not 'array'"),
        (with_schema({"type": "object", "properties": {"a": {"type": "txt"}}}), "not valid"),
        (with_schema({"type": "object", "$ref": "https://example.invalid/s.json"}), "not valid"),
        ({"inputSchema": {"type": "object"}}, "None was left out: it has no name"),
        ({"name": 7, "inputSchema": {"type": "object"}}, "7 was left out: it has no name"),
        ("", "'' was left out: it has no name"),
        (None, "None was left out: it has no name"),
    ],
)
@pytest.mark.parametrize("era", ERAS)
async def test_one_unusable_tool_is_left_out_and_the_others_work(
    scripted: Any, era: str, bad: Any, reason: str
) -> None:
    async with to(scripted(tools=["t1", bad, "t2"]), era=era) as connection:
        outcome = await connection.call("t2")

    assert [tool.name for tool in connection.tools] == ["t1", "t2"]
    assert (len(connection.warnings), outcome.text) == (1, "{}")
    assert reason in connection.warnings[0]


async def test_what_else_is_wrong_with_a_definition_does_not_matter(scripted: Any) -> None:
    listed = {"name": "t1", "title": 7, "icons": "x", "annotations": [], "_meta": 3}
    async with to(scripted(tools=[{**listed, "inputSchema": {"type": "object"}}])) as connection:
        outcome = await connection.call("t1")

    assert (outcome.text, connection.warnings) == ("{}", ())


async def test_an_output_schema_that_is_none_is_told_and_not_used(scripted: Any) -> None:
    listed = {"name": "t1", "inputSchema": {"type": "object"}, "outputSchema": {"type": 3}}
    result = texts("ok", structuredContent={"a": 1})
    async with to(scripted(tools=[listed], calls={"t1": {"result": result}})) as connection:
        outcome = await connection.call("t1")

    assert not outcome.is_error
    assert "The output schema of the tool 't1' is not valid" in connection.warnings[0]


async def test_names_that_no_chat_takes_are_made_legal_and_lead_back(scripted: Any) -> None:
    calls = {"stock.find/part": {"result": texts("found")}}
    async with to(scripted(tools=["stock.find/part", "ok"], calls=calls)) as connection:
        first, second = connection.tools
        result = await execute(ToolCall(id="c", name=first.name, arguments=""), [first])

    assert (first.name, second.name, result.text) == ("stock_find_part", "ok", "found")


async def test_hints_of_the_server_say_what_has_a_side_effect(scripted: Any) -> None:
    schema = {"type": "object"}
    tools = [
        {"name": "read", "inputSchema": schema, "annotations": {"readOnlyHint": True}},
        {"name": "write", "inputSchema": schema, "annotations": {"readOnlyHint": False}},
        {"name": "unknown", "inputSchema": schema},
    ]
    async with to(scripted(tools=tools)) as connection:
        assert [tool.side_effect for tool in connection.tools] == [False, True, True]


@pytest.mark.parametrize("era", ERAS)
async def test_changed_tools_are_noticed_and_read_again(scripted: Any, era: str) -> None:
    server = scripted(calls={"t1": {"tools": ["t2", "t3"]}})
    async with to(server, era=era, follow_changes=True) as connection:
        await connection.call("t1")
        noticed = connection.has_changes
        await connection.refresh()

    assert noticed
    assert not connection.has_changes
    assert [tool.name for tool in connection.tools] == ["t2", "t3"]


# --- what servers do ------------------------------------------------------------------------------


async def failure_of(waiting: Any) -> ServerError:
    with pytest.raises(ServerError) as caught:
        await waiting
    return caught.value


@pytest.mark.parametrize("era", ["auto", *ERAS])
async def test_a_server_that_dies_at_once_is_told_with_its_log(scripted: Any, era: str) -> None:
    error = await failure_of(connect(scripted(start="die", stderr="no table 王\n"), era=era))

    assert error.kind == "not_opened"
    assert "ended before it had answered" in str(error)
    assert error.log == "no table 王"


@pytest.mark.parametrize("era", ["auto", *ERAS])
async def test_a_server_that_never_answers_is_left_in_time(scripted: Any, era: str) -> None:
    began = time.monotonic()
    error = await failure_of(connect(scripted(start="hang"), era=era, open_timeout_s=0.5))

    assert (error.kind, "within 0.5 seconds" in str(error)) == ("timeout", True)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (["no-such-program-here"], "could not be started: FileNotFoundError"),
        ("http://127.0.0.1:9/mcp", "could not be opened: ConnectError"),
    ],
)
async def test_a_server_that_is_not_there_is_told(target: Any, words: str) -> None:
    error = await failure_of(connect(target, name="tides"))

    assert error.kind == "not_opened"
    assert f"The server 'tides' ({''.join(target) if target[0] != 'h' else target}) {words}" in str(
        error
    )


@pytest.mark.parametrize("target", ["python server.py", [], [3], ""])
def test_what_is_no_target_is_refused(target: Any) -> None:
    with pytest.raises(ValueError, match=r"list"):
        Connection(target)


def test_an_era_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="There is no era '2024'"):
        Connection(["python"], era="2024")


@pytest.mark.parametrize("era", ERAS)
async def test_a_crash_is_told_with_the_log_and_reopen_helps(scripted: Any, era: str) -> None:
    server = scripted(tools=["t1", "crash"], calls={"crash": {"do": "crash"}})
    async with to(server, era=era, name="tides") as connection:
        error = await failure_of(connection.call("crash"))
        again = await failure_of(connection.call("t1"))
        kept = connection.tools[0]
        await connection.reopen()
        outcome = await connection.call("t1")
        result = await execute(ToolCall(id="c", name="t1", arguments=""), [kept])

    assert str(error) == (
        "The server 'tides' has gone: the connection was closed. Open it again with "
        "`await connection.reopen()`.\nThe end of its log:\nTraceback: out of luck"
    )
    assert (error.kind, again.kind, outcome.text, result.text) == ("gone", "gone", "{}", "{}")


async def test_the_model_is_told_of_a_crash_without_the_log(scripted: Any) -> None:
    async with to(scripted(calls={"t1": {"do": "crash"}}), name="tides") as connection:
        result = await execute(ToolCall(id="c", name="t1", arguments=""), connection.tools)

    assert result.text == "The server 'tides' has gone: the connection was closed."


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_hangs_ends_in_time_and_later_calls_work(scripted: Any, era: str) -> None:
    server = scripted(tools=["t1", "slow"], calls={"slow": {"do": "hang"}})
    async with to(server, era=era, call_timeout_s=0.3) as connection:
        error = await failure_of(connection.call("slow"))
        outcome = await connection.call("t1")

    assert (error.kind, "within 0.3 seconds" in str(error)) == ("timeout", True)
    assert outcome.text == "{}"


async def test_the_limit_of_a_connection_comes_before_the_executors(scripted: Any) -> None:
    server = scripted(calls={"t1": {"do": "hang"}})
    async with to(server, call_timeout_s=0.3) as connection:
        call = ToolCall(id="c", name="t1", arguments="")
        result = await execute(call, connection.tools, timeout_s=0.1)

    assert (result.error_kind, "within 0.3 seconds" in result.text) == ("tool_error", True)


@pytest.mark.parametrize("era", ["auto", *ERAS])
async def test_junk_is_skipped_and_a_warning_names_the_line(scripted: Any, era: str) -> None:
    before, between = ["ready, 3 tools", "", '{"not": "jsonrpc"}', "42"], ["called t1"]
    server = scripted(junk_before=before, junk_between=between)
    async with to(server, era=era) as connection:
        outcome = await connection.call("t1", {"a": 1})

    told = " ".join(connection.warnings)
    assert outcome.text == '{"a": 1}'
    assert len(connection.warnings) == 4
    assert all(line in told for line in [*before, *between])


@pytest.mark.parametrize(
    ("answer", "text", "kind"),
    [
        ({"content": [{"type": "text", "text": "tide \ud83d high"}]}, "tide \ufffd high", ""),
        ("plain text", "its answer is no valid JSON-RPC message", "protocol_error"),
        ([1, 2], "its answer is no valid JSON-RPC message", "protocol_error"),
    ],
)
async def test_an_answer_that_the_sdk_drops_is_not_waited_for(
    scripted: Any, answer: Any, text: str, kind: str
) -> None:
    server = scripted(eras=["legacy"], calls={"t1": {"result": answer}})
    async with to(server, era="legacy", call_timeout_s=5) as connection:
        outcome = await connection.call("t1")

    assert text in outcome.text
    assert outcome.kind == kind


async def test_warnings_do_not_grow_for_ever(scripted: Any) -> None:
    async with to(scripted(junk_before=[f"line {n}" for n in range(500)])) as connection:
        assert len(connection.warnings) == 100


async def test_output_in_another_encoding_is_read_with_replaced_letters(scripted: Any) -> None:
    server = scripted(encoding="gbk", calls={"t1": {"result": texts("tide 潮 09:12")}})
    async with to(server) as connection:
        outcome = await connection.call("t1")

    assert outcome.text.startswith("tide \ufffd")
    assert outcome.text.endswith(" 09:12")
    assert "no UTF-8" in connection.warnings[0]


async def test_the_log_of_a_server_is_there_and_hides_secrets(scripted: Any) -> None:
    secret = "made-up" + "-token-98765"
    target = Target(scripted(stderr=f"key {secret}\nready\n"), env={"KEY": secret})
    async with to(target) as connection:
        await connection.call("t1")
        while_open = connection.server_log

    assert while_open == connection.server_log == "key (hidden)\nready"


async def test_a_stderr_without_a_file_descriptor_does_not_matter(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr(sys, "stderr", io.StringIO())  # as in a notebook on Windows
    error = await failure_of(connect(scripted(start="die", stderr="why\n")))

    assert error.log == "why"


def test_the_sdks_own_way_fails_without_a_file_descriptor() -> None:
    """What we are spared: `errlog=sys.stderr` is the SDK's default."""
    code = (
        "import asyncio, io, sys; sys.stderr = io.StringIO()\n"
        "from mcp import Client, StdioServerParameters\n"
        "async def main():\n"
        "    async with Client(StdioServerParameters(command=sys.executable)): pass\n"
        "try: asyncio.run(main())\n"
        "except BaseException as error: print(type(error).__name__, 'fileno' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "UnsupportedOperation True"


def test_nothing_of_the_sdks_log_gets_into_a_notebook_cell(scripted: Any, tmp_path: Path) -> None:
    code = (
        "import asyncio, json, sys\nfrom course_pkg.mcp_client import Connection\n"
        "async def main():\n"
        "    async with Connection(json.loads(sys.argv[1])) as c: await c.call('t1')\n"
        "asyncio.run(main())\n"
    )
    server = json.dumps(scripted(junk_before=["junk"], junk_between=["junk"]))
    done = subprocess.run(
        [sys.executable, "-c", code, server], capture_output=True, text=True, check=True
    )

    assert (done.stdout, done.stderr) == ("", "")


async def test_an_answer_that_cannot_be_read_is_told(scripted: Any) -> None:
    async with to(scripted(pages=[{"tools": ["t1"]}, page("t1", cursor="c")])) as connection:
        await connection.refresh()
    error = await failure_of(connect(scripted(pages=[page("t1", cursor=[1])]), name="tides"))

    assert error.kind == "not_opened"


# --- HTTP: sessions, statuses, restarts -----------------------------------------------------------


async def test_a_lost_session_is_begun_anew_once(service: Any, write: Any) -> None:
    served = service(write.mcp_sessions([200, 404, 200]))
    async with to(f"http://127.0.0.1:{served.port}/mcp", era="legacy") as connection:
        outcomes = [await connection.call("t1") for _ in range(3)]

    assert [outcome.text for outcome in outcomes] == ["ok"] * 3
    assert "no longer knew the session" in connection.warnings[0]


async def test_several_calls_that_find_the_session_lost_begin_one_new_one(
    service: Any, write: Any
) -> None:
    served = service(write.mcp_sessions([404, 404, 404, 200]))
    async with to(f"http://127.0.0.1:{served.port}/mcp", era="legacy") as connection:
        outcomes = await asyncio.gather(*(connection.call("t1") for _ in range(3)))

    begun = [one for one in served.requests if one.body and one.json.get("method") == "initialize"]
    assert [outcome.text for outcome in outcomes] == ["ok"] * 3
    assert len(begun) == 2


@pytest.mark.parametrize(("statuses", "opens"), [([404], 99), ([404], 1)])
async def test_a_session_that_stays_lost_is_a_clear_error(
    service: Any, write: Any, statuses: list[int], opens: int
) -> None:
    served = service(write.mcp_sessions(statuses, opens=opens))
    async with to(f"http://127.0.0.1:{served.port}/mcp", era="legacy", name="s") as connection:
        error = await failure_of(connection.call("t1"))

    assert error.kind == "session_lost"
    assert "The server 's' no longer knew the session (HTTP status 404)." in str(error)


@pytest.mark.parametrize("status", [400, 401, 500, 503])
async def test_another_status_is_a_protocol_error(service: Any, write: Any, status: int) -> None:
    served = service(write.mcp_sessions([status, 200]))
    async with to(f"http://127.0.0.1:{served.port}/mcp", era="legacy") as connection:
        first, second = await connection.call("t1"), await connection.call("t1")

    assert (first.kind, second.text) == ("protocol_error", "ok")
    assert f"HTTP status {status}" in first.text


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_that_was_stopped_is_told_and_reopen_helps(era: str) -> None:
    server = high_level(BOX, name="sums")
    with HttpService(server) as first:
        connection = await connect(first.url, era=era, name="sums")
        await connection.call("add", {"a": 1, "b": 2})
    error = await failure_of(connection.call("add", {"a": 1, "b": 2}))

    with HttpService(server, port=first.port):
        await connection.reopen()
        outcome = await connection.call("add", {"a": 1, "b": 2})
        await connection.close()

    assert (error.kind, outcome.text) == ("gone", "3")
    assert "ConnectError" in str(error)


@pytest.mark.parametrize("era", ERAS)
async def test_a_restarted_server_is_found_again(era: str) -> None:
    server = high_level(BOX, name="sums")
    with HttpService(server) as first:
        connection = await connect(first.url, era=era)
    with HttpService(server, port=first.port):
        outcome = await connection.call("add", {"a": 1, "b": 2})
        await connection.close()

    assert outcome.text == "3"


async def test_a_temporary_error_of_a_remote_tool_is_its_text() -> None:
    @tool
    def busy() -> str:
        raise TemporaryToolError("Busy. Try again in a minute.")

    async with to(high_level(Toolbox([busy]), name="busy")) as connection:
        outcome = await connection.call("busy")

    assert (outcome.text, outcome.kind) == ("Busy. Try again in a minute.", "error_result")
