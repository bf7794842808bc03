"""The MCP server from outside: as a subprocess, over HTTP, and as the course's own command."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from course_pkg.lessons.wrong_forms import RIGHT_FORM
from course_pkg.mcp_server import HttpService, HttpServiceError, high_level, low_level

OFFER = Path(__file__).with_name("offered_over_mcp.py")
ERAS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
START_TIMEOUT_S = 60.0
in_both_eras = pytest.mark.parametrize("era", ERAS)
both_makers = pytest.mark.parametrize("maker", ["high_level", "low_level"])


def loaded(path: Path) -> ModuleType:
    """What the two test files of the server share."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


offer = loaded(OFFER)


@asynccontextmanager
async def connected(transport: str, maker: str, era: str, folder: Path) -> AsyncIterator[Client]:
    """The SDK's client of the server that `offered_over_mcp.py` makes."""
    if transport == "memory":
        async with Client(offer.server(maker), mode=era) as client:
            yield client
    elif transport == "stdio":
        parameters = StdioServerParameters(command=sys.executable, args=[str(OFFER), maker])
        with (folder / "stderr.txt").open("w", encoding="utf-8") as log:
            async with Client(stdio_client(parameters, errlog=log), mode=era) as client:
                yield client
    else:
        with HttpService(offer.server(maker)) as service:
            async with (
                httpx2.AsyncClient(trust_env=False, timeout=30) as http,
                Client(streamable_http_client(service.url, http_client=http), mode=era) as client,
            ):
                yield client


def fits(text: str, expected: str) -> bool:
    """Whether a text is the expected one, or begins so where that ends in …"""
    return text.startswith(expected[:-1]) if expected.endswith("…") else text == expected


# --- the same everywhere --------------------------------------------------------------------------


@dataclass(kw_only=True)
class Observed:
    """What one client saw of the server, on one way, in one era."""

    version: str
    schemas: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    progress: list[Any] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)


#: A server process takes a second to start, so each way is gone once and looked at often.
_observed: dict[tuple[str, str, str], Observed] = {}


async def observed(way: tuple[str, str, str], folder: Path) -> Observed:
    if way not in _observed:
        async with connected(*way, folder) as client:
            seen = Observed(version=client.protocol_version)
            await see_lists(client, seen)
            await see_calls(client, seen)
            await see_texts(client, seen)
            await see_errors(client, seen)
        _observed[way] = seen
    return _observed[way]


async def see_lists(client: Client, seen: Observed) -> None:
    seen.schemas = {item.name: item.input_schema for item in (await client.list_tools()).tools}
    resources = (await client.list_resources()).resources
    templates = (await client.list_resource_templates()).resource_templates
    prompts = (await client.list_prompts()).prompts
    seen.names = [item.name for item in (*resources, *templates, *prompts)]


async def see_calls(client: Client, seen: Observed) -> None:
    for expected in offer.CALLS:
        seen.answers.append(await client.call_tool(expected.name, expected.arguments))

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        seen.progress.append((progress, total, message))

    await client.call_tool("count_to", {"limit": 2}, progress_callback=hear)
    await asyncio.sleep(0.05)  # the SDK tells of progress in tasks of their own


async def see_texts(client: Client, seen: Observed) -> None:
    document = await client.read_resource("test://pages/two%20words")
    prompt = await client.get_prompt("praise", {"page": "雨"})
    for content in (document.contents[0], prompt.messages[0].content):
        seen.texts.append(getattr(content, "text", ""))


async def see_errors(client: Client, seen: Observed) -> None:
    for ask in (
        lambda: client.read_resource("test://pages/broken"),
        lambda: client.get_prompt("fail", {}),
        lambda: client.read_resource("test://pages/../broken"),
    ):
        with pytest.raises(MCPError) as caught:
            await ask()
        seen.errors.append((caught.value.code, caught.value.message))


on_each_way = pytest.mark.parametrize(
    "way",
    [
        (transport, maker, era)
        for transport in ("memory", "stdio", "http")
        for maker in ("high_level", "low_level")
        for era in ERAS
    ],
    ids="-".join,
)


@on_each_way
async def test_each_call_is_answered_alike(way: tuple[str, str, str], tmp_path: Path) -> None:
    different = []
    for expected, result in zip(offer.CALLS, (await observed(way, tmp_path)).answers, strict=True):
        (content,) = result.content
        answered = (result.is_error, result.structured_content)
        if answered != (expected.is_error, expected.structured) or not fits(
            content.text, expected.text
        ):
            different.append((expected.name, answered, content.text))

    assert different == []


@on_each_way
async def test_no_answer_holds_what_is_internal(way: tuple[str, str, str], tmp_path: Path) -> None:
    said = repr(await observed(way, tmp_path))

    assert offer.SECRET not in said
    assert "Traceback" not in said


@on_each_way
async def test_the_same_things_are_listed(way: tuple[str, str, str], tmp_path: Path) -> None:
    seen = await observed(way, tmp_path)

    assert seen.schemas == {name: dict(item.input_schema) for name, item in offer.TOOLS.items()}
    assert [seen.version, *seen.names] == [
        ERAS[way[-1]],
        *("one", "two words", "broken"),
        "documents",
        *("praise", "fail"),
    ]


@on_each_way
async def test_progress_documents_and_prompts_arrive(
    way: tuple[str, str, str], tmp_path: Path
) -> None:
    seen = await observed(way, tmp_path)

    assert seen.progress == [(1, 2, "at 1"), (2, 2, "at 2")]
    assert seen.texts == ["# two words\n\n你好", "Praise this:\n雨"]


@on_each_way
async def test_what_fails_inside_is_told_without_reasons(
    way: tuple[str, str, str], tmp_path: Path
) -> None:
    assert (await observed(way, tmp_path)).errors == [
        (-32603, "Error reading resource test://pages/broken"),
        (-32603, "The prompt fail failed inside the server."),
        (-32602, "Unknown resource: test://pages/../broken"),
    ]


# --- stdio ----------------------------------------------------------------------------------------


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    """Where started processes are kept, and ended after the test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def start(processes: list[subprocess.Popen[str]], words: Sequence[str]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    processes.append(process)
    return process


COMMAND = ("-m", "course_pkg", "mcp-server")
both_commands = pytest.mark.parametrize("options", [(), ("--low-level",)])


@both_makers
def test_stdout_holds_json_and_nothing_else(
    maker: str, processes: list[subprocess.Popen[str]]
) -> None:
    call = json.loads(RIGHT_FORM.body)
    lines = []
    for number, name in enumerate(("print_rubbish", "crash"), start=1):
        params = call["params"] | {"name": name, "arguments": {}}
        lines.append(json.dumps(call | {"id": number, "params": params}))

    process = start(processes, [str(OFFER), maker])
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in lines]
    rest, log = process.communicate(timeout=START_TIMEOUT_S)

    assert sorted(answer["id"] for answer in answers) == [1, 2]
    assert rest == ""
    assert "rubbish" in log
    assert offer.SECRET in log


@both_commands
def test_the_command_ends_when_stdin_ends(
    options: Sequence[str], processes: list[subprocess.Popen[str]]
) -> None:
    process = start(processes, [*COMMAND, *options])

    out, log = process.communicate(timeout=START_TIMEOUT_S)

    assert (process.returncode, out) == (0, "")
    assert log == "The MCP server answers on stdin and stdout until stdin ends.\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows sends Ctrl+C to a whole console")
@both_commands
def test_ctrl_c_ends_the_command_although_stdin_is_open(
    options: Sequence[str], processes: list[subprocess.Popen[str]]
) -> None:
    process = start(processes, [*COMMAND, *options])
    assert process.stderr is not None
    process.stderr.readline()
    time.sleep(0.5)  # it says so just before it serves

    process.send_signal(signal.SIGINT)

    assert process.wait(5) == -signal.SIGINT


@both_commands
@in_both_eras
async def test_the_course_offers_its_samples_on_stdio(
    options: Sequence[str], era: str, tmp_path: Path
) -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[*COMMAND, *options])
    with (tmp_path / "stderr.txt").open("w", encoding="utf-8") as log:
        async with Client(stdio_client(parameters, errlog=log), mode=era) as client:
            names = [item.name for item in (await client.list_tools()).tools]
            result = await client.call_tool("count_word", {"word": "schema"})
            prompt = await client.get_prompt("summarize_page", {"page": "time-limits"})
            document = await client.read_resource("course://documents/time-limits")

    assert names[:2] == ["get_weather", "search_docs"]
    assert set(result.structured_content or {}) == {"word", "pages", "times"}
    assert getattr(document.contents[0], "text", "?") in getattr(
        prompt.messages[0].content, "text", ""
    )


def test_a_port_needs_http(processes: list[subprocess.Popen[str]]) -> None:
    process = start(processes, [*COMMAND, "--port", "8765"])

    out, log = process.communicate(timeout=START_TIMEOUT_S)

    assert (process.returncode, out) == (2, "")
    assert log == "--port goes with --http: stdio has no port.\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows sends Ctrl+C to a whole console")
@both_commands
async def test_the_command_serves_over_http_until_ctrl_c(
    options: Sequence[str], processes: list[subprocess.Popen[str]]
) -> None:
    process = start(processes, [*COMMAND, "--http", *options])
    assert process.stderr is not None
    url = process.stderr.readline().split()[5]

    async with Client(url) as client:
        result = await client.call_tool("calculate", {"expression": "2 + 3"})
    process.send_signal(signal.SIGINT)
    out, log = process.communicate(timeout=START_TIMEOUT_S)

    assert getattr(result.content[0], "text", "") == "5"
    assert (process.returncode, out, log) == (0, "", "")


# --- HTTP -----------------------------------------------------------------------------------------


@pytest.fixture(params=[high_level, low_level], scope="module")
def service(request: pytest.FixtureRequest) -> Iterator[HttpService]:
    """A running server of one kind, then of the other."""
    with HttpService(request.param(offer.TOOLS)) as running:
        yield running


def serving_threads() -> int:
    return sum(thread.name == "mcp-server" for thread in threading.enumerate())


def test_the_url_is_on_this_computer_and_ends_in_mcp(service: HttpService) -> None:
    assert service.url == f"http://127.0.0.1:{service.port}/mcp"
    assert repr(service) == f"HttpService({service.url})"


def call(service: HttpService, **headers: str) -> httpx2.Response:
    with httpx2.Client(trust_env=False, timeout=30) as http:
        body = RIGHT_FORM.body.replace('"calculate"', '"add"')
        right = {**RIGHT_FORM.headers, "Mcp-Name": "add"}
        return http.post(service.url, headers=right | headers, content=body)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:8888"}, 200),
    ],
)
def test_only_this_computer_is_answered(
    service: HttpService, headers: dict[str, str], status: int
) -> None:
    assert call(service, **headers).status_code == status


def test_a_session_of_the_handshake_era_may_not_be_begun_by_a_foreign_page(
    service: HttpService,
) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "page", "version": "1"},
        },
    }
    headers = {"Accept": "application/json, text/event-stream", "Origin": "http://evil.example"}
    with httpx2.Client(trust_env=False, timeout=30) as http:
        answer = http.post(service.url, headers=headers, json=body)

    assert answer.status_code == 403


@pytest.mark.parametrize("make", [high_level, low_level])
@in_both_eras
async def test_it_stops_within_a_second_while_a_client_is_connected(make: Any, era: str) -> None:
    before = serving_threads()
    service = HttpService(make(offer.TOOLS))
    async with (
        httpx2.AsyncClient(trust_env=False, timeout=5) as http,
        Client(
            streamable_http_client(service.url, http_client=http, terminate_on_close=False),
            mode=era,
        ) as client,
    ):
        await client.call_tool("add", {"a": 1, "b": 2})
        await asyncio.sleep(0.1)  # the handshake era opens a stream that stays
        begun = time.monotonic()
        await asyncio.to_thread(service.close)
        took_s = time.monotonic() - begun

    assert took_s < 1
    assert serving_threads() == before


async def test_it_can_be_started_again_on_the_same_port() -> None:
    server = high_level(offer.TOOLS)
    first = HttpService(server)
    first.close()
    first.close()

    with HttpService(server, port=first.port) as second:
        answer = await asyncio.to_thread(call, second)

    assert (second.url, answer.status_code) == (first.url, 200)
    assert repr(first) == "HttpService(closed)"


def test_ctrl_c_stays_with_the_program() -> None:
    before = signal.getsignal(signal.SIGINT)

    with HttpService(low_level(offer.TOOLS)):
        during = signal.getsignal(signal.SIGINT)

    assert (during, signal.getsignal(signal.SIGINT)) == (before, before)


def test_a_taken_port_is_said_to_be_taken(service: HttpService) -> None:
    with pytest.raises(HttpServiceError, match=f"Port {service.port} on 127.0.0.1 is taken"):
        HttpService(high_level([]), port=service.port)


def test_a_port_beyond_the_last_is_no_port() -> None:
    with pytest.raises(HttpServiceError, match="Port 70000 on"):
        HttpService(high_level([]), port=70_000)
