"""Each factual sentence of notebook 09, proved."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.server import MCPServer, Server
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

from course_pkg import Connection, Recorder, tool, toolbox
from course_pkg.mcp_server import Documents, HttpService, high_level, low_level
from course_pkg.samples import handbook

TOOLS = toolbox("get_weather", "calculate", "read_file")
BOTH = pytest.mark.parametrize("make", [high_level, low_level])


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("mcp")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


def decorated() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("weather", log_level="WARNING")

    @server.tool()
    def get_forecast(city: str, days: int = 3) -> str:
        """Say the weather of the next days in a city."""
        return f"{city}, next {days} days: sunny"

    @server.tool()
    def find_port(name: str, kind: str) -> str:
        """Find a port by name."""
        known = {"plain": ValueError, "told": ToolError}
        raise known[kind](f"No port named {name}; try Brest.")

    return server


def by_hand() -> Server[Any]:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    forecast = Tool(name="get_forecast", description="Say it.", input_schema=schema)

    async def on_list(request: Any, parameters: Any) -> ListToolsResult:
        return ListToolsResult(tools=[forecast])

    async def on_call(request: Any, parameters: Any) -> CallToolResult:
        text = f"{parameters.arguments['city']}: sunny"
        return CallToolResult(content=[TextContent(type="text", text=text)])

    return Server("by-hand", on_list_tools=on_list, on_call_tool=on_call)


async def test_the_definition_is_made_of_signature_and_docstring_and_arguments_are_an_object() -> (
    None
):
    with Recorder() as recorder:
        async with Connection(decorated()) as connection:
            await connection.call("get_forecast", {"city": "Paris", "days": 2})

    [called] = [frame.json for frame in recorder.frames if frame.label == "tools/call"]
    [listed] = [
        frame.json["result"]["tools"][0]
        for frame in recorder.frames
        if frame.request is not None and frame.request.label == "tools/list"
    ]
    assert called["params"]["arguments"] == {"city": "Paris", "days": 2}
    assert listed["description"] == "Say the weather of the next days in a city."
    assert listed["inputSchema"]["required"] == ["city"]
    assert listed["inputSchema"]["properties"]["days"]["type"] == "integer"


def test_the_class_sets_up_logging_for_the_whole_program_unless_told_otherwise() -> None:
    source = (
        "import logging; from mcp.server import MCPServer; MCPServer('x'{}); "
        "print(logging.getLogger().level)"
    )
    levels = [
        subprocess.run(
            [sys.executable, "-c", source.format(more)], capture_output=True, text=True, check=True
        ).stdout.strip()
        for more in ("", ", log_level='WARNING'")
    ]

    assert levels == [str(logging.INFO), str(logging.WARNING)]


@pytest.mark.parametrize(
    ("given", "is_error", "days"),
    [
        ({"days": "7"}, False, "7 days"),
        ({"dyas": 7}, False, "3 days"),
        ({"days": True}, False, "1 days"),
        ({"days": "soon"}, True, ""),
    ],
)
async def test_the_decorated_way_reads_arguments_leniently(
    given: dict[str, Any], is_error: bool, days: str
) -> None:
    async with Connection(decorated()) as connection:
        outcome = await connection.call("get_forecast", {"city": "Paris"} | given)

    assert outcome.is_error is is_error
    assert days in outcome.text


@BOTH
async def test_a_toolbox_on_a_server_keeps_its_schemas_and_names_all_problems(make: Any) -> None:
    async with Connection(make(TOOLS)) as connection:
        outcome = await connection.call("get_weather", {"town": "Paris"})
        listed = {tool.name: tool.input_schema for tool in connection.tools}

    assert listed == {name: TOOLS[name].input_schema for name in TOOLS}
    assert 'Add "city"' in outcome.text
    assert 'Leave out "town"' in outcome.text


async def test_a_dataclass_fills_content_and_structured_content_and_promises_a_form() -> None:
    server = high_level([*TOOLS.values(), handbook.count_word])
    async with Client(server) as client:
        result = await client.call_tool("count_word", {"word": "schema"})
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    assert listed["count_word"].output_schema is not None
    assert listed["get_weather"].output_schema is None


async def test_the_client_checks_a_result_against_the_promised_form() -> None:
    schema: dict[str, Any] = {"type": "object"}
    promised = schema | {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
    counting = Tool(name="count", description="", input_schema=schema, output_schema=promised)

    async def on_list(request: Any, parameters: Any) -> ListToolsResult:
        return ListToolsResult(tools=[counting])

    async def on_call(request: Any, parameters: Any) -> CallToolResult:
        return CallToolResult(content=[], structured_content={"n": "many"})

    server = Server("broken-promise", on_list_tools=on_list, on_call_tool=on_call)
    async with Connection(server) as connection:
        outcome = await connection.call("count")

    assert outcome.kind == "unfit_result"


@BOTH
async def test_annotations_say_what_changes_something(make: Any) -> None:
    async with Client(make(toolbox("calculate", "send_message"))) as client:
        listed = (await client.list_tools()).tools
    hints = {tool.name: tool.annotations for tool in listed}

    assert [hints[name].read_only_hint for name in ("calculate", "send_message")] == [True, False]  # type: ignore[union-attr]
    assert [hints[name].destructive_hint for name in ("calculate", "send_message")] == [False, True]  # type: ignore[union-attr]


@BOTH
async def test_each_report_of_progress_reaches_the_client(make: Any) -> None:
    seen: list[float] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)

    async with Client(make([handbook.count_word])) as client:
        await client.call_tool("count_word", {"word": "schema"}, progress_callback=note)
        await asyncio.sleep(0)

    assert seen == [float(number) for number in range(1, 31)]


@BOTH
async def test_a_page_is_read_by_its_address_and_a_prompt_is_filled_in(make: Any) -> None:
    pages = Documents(
        uri="course://documents/{name}", names=handbook.page_names(), read=handbook.page_text
    )
    async with Client(make([], documents=pages, prompts=[handbook.summarize_page])) as client:
        read = await client.read_resource("course://documents/transports")
        prompt = await client.get_prompt("summarize_page", {"page": "transports"})

    assert read.contents[0].text == handbook.page_text("transports")
    assert handbook.page_text("transports") in prompt.messages[0].content.text
    assert prompt.messages[0].role == "user"


def test_the_decorators_of_the_first_version_are_gone() -> None:
    assert not hasattr(Server("x"), "list_tools")
    assert not hasattr(Server("x"), "call_tool")


@pytest.mark.parametrize(
    ("era", "code", "leaked"), [("modern", -32603, False), ("legacy", 0, True)]
)
async def test_a_handler_that_fails_is_a_protocol_error_and_leaks_its_text_in_the_older_era(
    era: str, code: int, leaked: bool
) -> None:
    async with Connection(by_hand(), era=era) as connection:
        outcome = await connection.call("get_forecast", {"town": "Paris"})

    assert (outcome.kind, outcome.code) == ("protocol_error", code)
    assert ("'city'" in outcome.text) is leaked


@BOTH
@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("calculate", {"expression": "1 / 0"}, "divides by zero"),
        ("get_wether", {"city": "Paris"}, "Did you mean 'get_weather'?"),
        ("get_weather", {}, "Add "),
    ],
)
async def test_what_the_model_can_mend_is_an_error_result_on_both_servers(
    make: Any, name: str, arguments: dict[str, Any], words: str
) -> None:
    async with Connection(make(TOOLS)) as connection:
        outcome = await connection.call(name, arguments)

    assert outcome.kind == "error_result"
    assert words in outcome.text


@BOTH
async def test_what_only_a_program_can_mend_is_a_json_rpc_error(make: Any) -> None:
    pages = Documents(
        uri="course://documents/{name}", names=handbook.page_names(), read=handbook.page_text
    )
    async with Client(make(TOOLS, documents=pages)) as client:
        with pytest.raises(MCPError) as resource:
            await client.read_resource("course://documents/nowhere")
    async with Client(make(TOOLS)) as client:
        with pytest.raises(MCPError) as prompt:
            await client.get_prompt("nowhere")

    assert resource.value.code == prompt.value.code == -32602


async def test_an_unknown_method_is_a_json_rpc_error() -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/fly", "params": {"_meta": ENVELOPE}}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/fly"}
    with HttpService(high_level(TOOLS)) as service:
        answer = await posted(service.url, json.dumps(body), **headers)

    assert answer.json()["error"]["code"] == -32601


ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def posted(url: str, body: str, **headers: str) -> httpx2.Response:
    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False) as client:
        return await client.post(url, content=body, headers=usual | headers)


@pytest.mark.parametrize(
    ("headers", "size", "status"),
    [
        ({"origin": "http://evil.example"}, 10, 403),
        ({"host": "evil.example"}, 10, 421),
        ({}, 5 * 2**20, 413),
    ],
)
async def test_trouble_with_the_delivery_is_an_http_status(
    headers: dict[str, str], size: int, status: int
) -> None:
    with HttpService(high_level(TOOLS)) as service:
        answer = await posted(service.url, "x" * size, **headers)

    assert answer.status_code == status


@pytest.mark.parametrize(("kind", "told"), [("told", True), ("plain", False)])
async def test_only_a_tool_error_keeps_its_text(kind: str, told: bool) -> None:
    async with Connection(decorated()) as connection:
        outcome = await connection.call("find_port", {"name": "Atlantis", "kind": kind})

    assert outcome.is_error
    assert ("try Brest" in outcome.text) is told


async def test_the_same_server_answers_in_process_over_stdio_and_over_http() -> None:
    command = [sys.executable, "-m", "course_pkg", "mcp-server"]
    texts = []
    with HttpService(high_level(TOOLS)) as service:
        for target in (high_level(TOOLS), command, service.url):
            async with Connection(target) as connection:
                outcome = await connection.call("calculate", {"expression": "12 * 7"})
                texts.append(outcome.text)

    assert texts == ["84"] * 3
    assert service.url.startswith("http://127.0.0.1:")


async def test_what_a_tool_prints_goes_to_the_log_and_not_to_the_wire() -> None:
    source = (
        "from mcp.server import MCPServer\n"
        "server = MCPServer('chatty', log_level='WARNING')\n"
        "@server.tool()\n"
        "def add(a: int, b: int) -> int:\n"
        "    print('adding', a, b, flush=True)\n"
        "    return a + b\n"
        "server.run()\n"
    )
    async with Connection([sys.executable, "-c", source]) as connection:
        outcome = await connection.call("add", {"a": 2, "b": 3})
        log, warnings = connection.server_log, connection.warnings

    assert (outcome.text, log.strip(), warnings) == ("5", "adding 2 3", ())


@pytest.mark.parametrize(("on_the_loop", "together"), [(True, False), (False, True)])
async def test_a_blocking_call_on_the_loop_stops_everybody(
    on_the_loop: bool, together: bool
) -> None:
    events: list[str] = []

    def nap(name: str) -> None:
        events.append("starts")
        time.sleep(0.2)
        events.append("ends")

    async def nap_on_the_loop(name: str) -> None:
        nap(name)

    server: MCPServer[Any] = MCPServer("naps", log_level="WARNING")
    server.add_tool(nap_on_the_loop if on_the_loop else nap, name="nap")
    async with Connection(server) as connection:
        await asyncio.gather(*(connection.call("nap", {"name": name}) for name in "AB"))

    assert (events[1] == "starts") is together


@BOTH
async def test_a_tool_that_hangs_is_answered_when_its_limit_is_over(make: Any) -> None:
    @tool(timeout_s=0.2)
    def ask_slow_service() -> str:
        """Ask a service that never answers."""
        time.sleep(1)
        return ""

    async with Connection(make([ask_slow_service])) as connection:
        outcome = await connection.call("ask_slow_service")

    assert outcome.is_error
    assert "not done after 0.2 seconds" in outcome.text


def test_what_a_model_wrote_breaks_an_address_unless_it_is_quoted() -> None:
    city = "Rio?units=x/#"
    plain, quoted = (
        httpx2.URL(f"http://weather.example/{path}?days=3") for path in (city, quote(city, safe=""))
    )

    assert dict(plain.params) != {"days": "3"}
    assert dict(quoted.params) == {"days": "3"}
    assert unquote(quoted.raw_path.decode().partition("?")[0]) == f"/{city}"
