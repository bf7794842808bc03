"""The MCP server in memory: the same toolbox in two ways, with the same behaviour."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.server.mcpserver.exceptions import ToolError as SDKToolError
from pydantic import BaseModel, Field

from course_pkg.executor import MAX_RESULT_CHARS
from course_pkg.mcp_server import Documents, high_level, low_level
from course_pkg.mcp_server.answering import answer
from course_pkg.mcp_server.defining import definition, hints
from course_pkg.mcp_server.outputs import output_schema_of
from course_pkg.mcp_server.reporting import MAX_REPORTS, progress_sent
from course_pkg.tools import (
    Progress,
    Tool,
    ToolDefinitionError,
    ToolError,
    progress_to,
    report_progress,
    tool,
)


def loaded(path: Path) -> ModuleType:
    """What the two test files of the server share."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


offer = loaded(Path(__file__).with_name("offered_over_mcp.py"))

ERAS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
both = pytest.mark.parametrize("make", [high_level, low_level])
in_both_eras = pytest.mark.parametrize("era", ERAS)


def text_of(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


# --- what is listed -------------------------------------------------------------------------------


@both
async def test_a_client_sees_each_input_schema_letter_by_letter(make: Any) -> None:
    async with Client(make(offer.TOOLS)) as client:
        listed = (await client.list_tools()).tools

    assert {item.name: item.input_schema for item in listed} == {
        name: dict(item.input_schema) for name, item in offer.TOOLS.items()
    }


@in_both_eras
async def test_both_servers_say_the_same_of_everything(era: str) -> None:
    said = []
    for maker in offer.MAKERS:
        async with Client(offer.server(maker), mode=era) as client:
            said.append(
                [
                    (await client.list_tools()).tools,
                    (await client.list_resources()).resources,
                    (await client.list_resource_templates()).resource_templates,
                    (await client.list_prompts()).prompts,
                    client.protocol_version,
                ]
            )

    assert said[0] == said[1]
    assert said[0][-1] == ERAS[era]


@pytest.mark.parametrize("side_effect", [True, False])
def test_hints_are_the_careful_ones(side_effect: bool) -> None:
    made = hints(tool(side_effect=side_effect)(lambda text: text))

    assert made.model_dump(exclude_none=True) == {
        "read_only_hint": not side_effect,
        "destructive_hint": side_effect,
        "idempotent_hint": not side_effect,
        "open_world_hint": True,
    }


def test_an_idempotency_key_does_not_make_two_calls_one() -> None:
    @tool(side_effect=True, idempotency_key="key")
    def pay(amount: int, key: str) -> str:
        """Pay."""
        return key

    assert hints(pay).idempotent_hint is False


@both
async def test_each_call_has_an_idempotency_key_of_its_own(make: Any) -> None:
    @tool(side_effect=True, idempotency_key="key")
    def pay(amount: int, key: str) -> str:
        """Pay."""
        return key

    server, keys = make([pay]), []
    for _ in range(2):  # two connections, whose request ids are the same
        async with Client(server) as client:
            keys.append(text_of(await client.call_tool("pay", {"amount": 1})))

    assert keys[0] != keys[1]


@both
@pytest.mark.parametrize("schema", [{}, {"type": "array"}, {"type": "object", "required": 3}])
def test_a_schema_that_mcp_cannot_carry_is_refused_at_once(make: Any, schema: Any) -> None:
    broken = Tool(name="broken", description="Broken.", input_schema=schema, run=print)

    with pytest.raises(ToolDefinitionError, match="broken: "):
        make([broken])


# --- structured results ---------------------------------------------------------------------------


class Point(BaseModel):
    x: int
    label: str = Field("", alias="Label", description="What it is called.")


@dataclass
class Line:
    title: str
    points: list[Point]


@dataclass
class Tree:
    children: list[Tree]


def returning(annotation: Any) -> Tool:
    def function() -> Any:
        """Give something."""

    function.__annotations__["return"] = annotation
    return tool(function)


@pytest.mark.parametrize(
    "annotation", [None, Any, str, int, list[Point], dict, dict[str, Any], type]
)
def test_an_annotation_that_says_nothing_of_an_object_gives_no_output_schema(
    annotation: Any,
) -> None:
    assert output_schema_of(returning(annotation)) is None


@pytest.mark.parametrize(
    ("annotation", "properties"),
    [(Point, ["x", "label"]), (Line, ["title", "points"]), (Tree, ["children"])],
)
def test_a_class_with_fields_gives_an_output_schema(annotation: Any, properties: Any) -> None:
    schema = output_schema_of(returning(annotation))

    assert schema is not None
    assert (schema["type"], list(schema["properties"])) == ("object", properties)


def test_an_output_schema_has_descriptions_and_no_titles() -> None:
    schema = output_schema_of(returning(Point))

    assert schema is not None
    assert schema["properties"]["label"] == {
        "default": "",
        "description": "What it is called.",
        "type": "string",
    }


@pytest.mark.parametrize("run", [lambda: 1, print, dict])
def test_a_tool_made_by_hand_needs_no_annotations(run: Any) -> None:
    by_hand = Tool(name="a", description="", input_schema={"type": "object"}, run=run)

    assert definition(by_hand).output_schema is None


@both
async def test_a_model_with_an_alias_keeps_to_its_own_schema(make: Any) -> None:
    @tool
    def find() -> Point:
        """Find a point."""
        return Point(x=1, Label="here")

    async with Client(make([find])) as client:
        await client.list_tools()
        result = await client.call_tool("find", {})

    assert result.structured_content == {"x": 1, "label": "here"}


@both
async def test_what_is_too_long_is_not_sent_beside_the_text(make: Any) -> None:
    async with Client(make(offer.TOOLS)) as client:
        result = await client.call_tool("fill", {})

    assert len(text_of(result)) == MAX_RESULT_CHARS
    assert result.structured_content is None


# --- errors ---------------------------------------------------------------------------------------


@both
@in_both_eras
async def test_nothing_internal_reaches_a_client(make: Any, era: str) -> None:
    server = make(offer.TOOLS, documents=offer.DOCUMENTS, prompts=[offer.fail])
    said = []
    async with Client(server, mode=era) as client:
        for name in ("crash", "leave"):
            said.append(repr(await client.call_tool(name, {})))
        for asking in (client.read_resource("test://pages/broken"), client.get_prompt("fail", {})):
            with pytest.raises(MCPError) as caught:
                await asking
            said.append(repr(caught.value.error))

    assert not [text for text in said if offer.SECRET in text or "Traceback" in text]
    assert "-32603" in said[2]
    assert "-32603" in said[3]


@both
async def test_the_log_has_what_the_client_is_not_told(
    make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(make(offer.TOOLS)) as client:
        await client.call_tool("crash", {})

    (record,) = [item for item in caplog.records if item.name == "course_pkg.mcp_server"]
    assert record.getMessage() == "The tool crash failed."
    assert offer.SECRET in caplog.text


@both
async def test_the_sdk_has_a_tool_error_too_and_its_text_reaches_the_model(make: Any) -> None:
    @tool
    def refuse() -> str:
        """Say no."""
        raise SDKToolError("Not today.")

    async with Client(make([refuse])) as client:
        result = await client.call_tool("refuse", {})

    assert (text_of(result), result.is_error) == ("Not today.", True)


async def nowhere(done: float, total: float | None, message: str | None) -> None:
    """Where progress goes that nobody asked for."""


async def test_arguments_that_are_nested_too_deeply_are_an_error_result() -> None:
    deep: list[Any] = []
    for _ in range(20_000):
        deep = [deep]

    result = await answer("look_up", {"word": deep}, offer.TOOLS, {}, nowhere)

    assert text_of(result) == "The arguments are nested too deeply. Send a flatter value."
    assert result.is_error


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
async def test_arguments_that_json_does_not_have_are_an_error_result(value: Any) -> None:
    result = await answer("look_up", {"word": value}, offer.TOOLS, {}, nowhere)

    assert result.is_error
    assert "Traceback" not in text_of(result)


@both
@in_both_eras
@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("blame", {}, "There is no prompt named 'blame'. Prompts on offer: praise, fail."),
        (
            "praise",
            {},
            'The arguments do not fit praise:\nexpected the required "page", found {}. Add "page".',
        ),
        (
            "praise",
            {"page": "one", "style": "warm"},
            'The arguments do not fit praise:\nexpected only "page", found {"page": "one", '
            '"style": "warm"}. Leave out "style".',
        ),
    ],
)
async def test_a_prompt_that_cannot_be_written_is_a_protocol_error(
    make: Any, era: str, name: str, arguments: dict[str, str], text: str
) -> None:
    async with Client(make([], prompts=[offer.praise, offer.fail]), mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)

    assert (caught.value.code, caught.value.message) == (-32602, text)


@both
@in_both_eras
@pytest.mark.parametrize(
    "uri",
    [
        "test://pages/three",
        "test://pages/",
        "test://pages/..%2Fone",
        "test://pages/%2Fetc%2Fpasswd",
        "test://pages/one%00",
        "test://pages/one/two",
        "test://other/one",
        "file:///one",
    ],
)
async def test_a_uri_of_no_document_is_a_protocol_error(make: Any, era: str, uri: str) -> None:
    async with Client(make([], documents=offer.DOCUMENTS), mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)

    assert (caught.value.code, caught.value.message) == (-32602, f"Unknown resource: {uri}")
    assert caught.value.data == {"uri": uri}


# --- documents and prompts ------------------------------------------------------------------------


@both
@in_both_eras
@pytest.mark.parametrize("uri", ["test://pages/one", "test://pages/%6Fne"])
async def test_a_document_is_read_by_its_uri(make: Any, era: str, uri: str) -> None:
    async with Client(make([], documents=offer.DOCUMENTS), mode=era) as client:
        (contents,) = (await client.read_resource(uri)).contents

    assert contents.model_dump(exclude_none=True) == {
        "uri": uri,
        "mime_type": "text/markdown",
        "text": "# one\n\n你好",
    }


@both
async def test_a_long_document_is_cut(make: Any) -> None:
    long = Documents(uri="long://{name}", names=["it"], read=lambda _: "x" * 50_000)

    async with Client(make([], documents=long)) as client:
        (contents,) = (await client.read_resource("long://it")).contents

    assert len(getattr(contents, "text", "")) == MAX_RESULT_CHARS


@pytest.mark.parametrize("uri", ["course://documents", "course://{name}/page", "{name}"])
def test_a_uri_without_a_place_for_the_name_is_refused(uri: str) -> None:
    with pytest.raises(ValueError, match=r"must end in \{name\}"):
        Documents(uri=uri, names=[], read=str)


def test_only_names_on_the_list_are_read() -> None:
    with pytest.raises(KeyError):
        offer.DOCUMENTS.text("secrets")


@both
async def test_a_prompt_is_one_message_of_the_user(make: Any) -> None:
    async with Client(make([], prompts=[offer.praise])) as client:
        result = await client.get_prompt("praise", {"page": "one"})

    (message,) = result.messages
    assert (message.role, getattr(message.content, "text", "")) == ("user", "Praise this:\none")


@both
async def test_a_server_may_offer_nothing_but_tools(make: Any) -> None:
    async with Client(make([offer.add])) as client:
        lists = [
            (await client.list_resources()).resources,
            (await client.list_resource_templates()).resource_templates,
            (await client.list_prompts()).prompts,
        ]

    assert lists == [[], [], []]


# --- progress -------------------------------------------------------------------------------------


def test_a_report_without_a_listener_does_nothing() -> None:
    assert offer.count_to(limit=3) == "counted to 3"


def test_a_listener_hears_what_is_reported_inside() -> None:
    heard: list[Progress] = []
    with progress_to(heard.append):
        report_progress(1, message="begun")
    report_progress(2)

    assert heard == [Progress(done=1, total=None, message="begun")]


@both
@in_both_eras
async def test_progress_goes_to_the_client_that_asked_for_it(make: Any, era: str) -> None:
    heard: list[Any] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with Client(make(offer.TOOLS), mode=era) as client:
        await client.call_tool("count_to", {"limit": 3}, progress_callback=hear)
        await asyncio.sleep(0.05)  # the SDK tells it in tasks of their own

    assert heard == [(1, 3, "at 1"), (2, 3, "at 2"), (3, 3, "at 3")]


async def test_a_report_from_an_async_tool_is_sent_before_the_result() -> None:
    sent: list[float] = []

    async def send(done: float, total: float | None, message: str | None) -> None:
        await asyncio.sleep(0)
        sent.append(done)

    async with progress_sent(send):
        report_progress(1)
        report_progress(2)

    assert sent == [1, 2]


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), 0, -1, "half"])
async def test_reports_that_do_not_grow_are_left_out(odd: Any) -> None:
    sent: list[float] = []

    async def send(done: float, total: float | None, message: str | None) -> None:
        sent.append(done)

    async with progress_sent(send):
        report_progress(1)
        report_progress(odd)
        report_progress(2)

    assert sent == [1, 2]


async def test_a_flood_of_reports_has_an_end() -> None:
    sent: list[float] = []

    async def send(done: float, total: float | None, message: str | None) -> None:
        sent.append(done)

    async with progress_sent(send):
        for number in range(5 * MAX_REPORTS):
            report_progress(number)

    assert len(sent) == MAX_REPORTS


async def test_a_client_that_is_gone_does_not_spoil_the_result() -> None:
    async def send(done: float, total: float | None, message: str | None) -> None:
        raise ConnectionResetError

    done = []
    async with progress_sent(send):
        for number in range(5 * MAX_REPORTS):
            report_progress(number)
        done.append("the tool's own work")

    assert done


# --- time -----------------------------------------------------------------------------------------


@both
async def test_plain_tools_run_side_by_side_and_the_loop_goes_on(make: Any) -> None:
    together = threading.Barrier(2, timeout=5)

    @tool
    def meet() -> str:
        """Wait for the other call."""
        together.wait()
        return "met"

    async with Client(make([meet])) as client:
        results = await asyncio.gather(*(client.call_tool("meet", {}) for _ in range(2)))

    assert [text_of(result) for result in results] == ["met", "met"]


@both
@in_both_eras
async def test_a_call_that_is_given_up_is_cancelled_in_the_server(make: Any, era: str) -> None:
    ended = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return "never"

    async with Client(make([wait]), mode=era) as client:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.call_tool("wait", {}), 0.2)
        await asyncio.wait_for(ended.wait(), 5)

    assert ended.is_set()


# --- the high-level way ---------------------------------------------------------------------------


async def test_more_can_be_put_on_the_high_level_server_by_decorator() -> None:
    server = high_level([offer.add], prompts=[offer.praise])

    @server.tool()
    def double(a: int) -> int:
        """Double a number."""
        return 2 * a

    @server.prompt()
    def blame(page: str) -> str:
        """Ask for blame."""
        return f"Blame {page}"

    async with Client(server) as client:
        names = [item.name for item in (await client.list_tools()).tools]
        doubled = await client.call_tool("double", {"a": 4})
        prompt = await client.get_prompt("blame", {"page": "one"})

    assert (names, text_of(doubled)) == (["add", "double"], "8")
    assert getattr(prompt.messages[0].content, "text", "") == "Blame one"


async def test_a_decorated_tool_does_not_take_the_place_of_one_in_the_toolbox() -> None:
    server = high_level([offer.add])

    @server.tool(name="add")
    def other(a: int) -> int:
        """Do something else."""
        return -1

    async with Client(server) as client:
        names = [item.name for item in (await client.list_tools()).tools]
        result = await client.call_tool("add", {"a": 2, "b": 3})

    assert (names, text_of(result)) == (["add"], "5")


async def test_the_high_level_server_can_be_called_without_a_client() -> None:
    result = await high_level(offer.TOOLS).call_tool("count_to", {"limit": 2})

    assert text_of(result) == "counted to 2"


def test_making_a_server_changes_nobodys_logs() -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    for handler in before[1]:
        root.removeHandler(handler)
    try:
        high_level(offer.TOOLS)
        after = (root.level, list(root.handlers))
    finally:
        for handler in before[1]:
            root.addHandler(handler)

    assert after == (before[0], [])


# --- the low-level way ----------------------------------------------------------------------------


async def _all_pages(ask: Callable[..., Any], what: str) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        page = await ask(cursor=cursor)
        pages.append([item.name for item in getattr(page, what)])
        cursor = page.next_cursor
        if cursor is None:
            return pages


@in_both_eras
@pytest.mark.parametrize(("size", "pages"), [(1, 15), (7, 3), (14, 2), (15, 1), (None, 1)])
async def test_a_long_list_comes_in_pages(era: str, size: int | None, pages: int) -> None:
    async with Client(low_level(offer.TOOLS, page_size=size), mode=era) as client:
        found = await _all_pages(client.list_tools, "tools")

    assert len(found) == pages
    assert [name for page in found for name in page] == list(offer.TOOLS)


async def test_documents_and_prompts_come_in_pages_too() -> None:
    async with Client(offer.server("low_level", page_size=2)) as client:
        documents = await _all_pages(client.list_resources, "resources")
        prompts = await _all_pages(client.list_prompts, "prompts")

    assert documents == [["one", "two words"], ["broken"]]
    assert prompts == [["praise", "fail"]]


@in_both_eras
@pytest.mark.parametrize("cursor", ["", "0", "3", "16", "-2", "next", "２", "9" * 5_000])
async def test_a_cursor_that_the_server_did_not_give_is_a_protocol_error(
    era: str, cursor: str
) -> None:
    async with Client(low_level(offer.TOOLS, page_size=2), mode=era) as client:
        with pytest.raises(MCPError, match="is none that this server gave") as caught:
            await client.list_tools(cursor=cursor)

    assert caught.value.code == -32602


@pytest.mark.parametrize("size", [0, -1])
def test_a_page_has_at_least_one_item(size: int) -> None:
    with pytest.raises(ValueError, match="a page has 1 item or more"):
        low_level([], page_size=size)


# --- the course's own offer -----------------------------------------------------------------------


def test_the_word_counter_tells_its_progress_and_counts() -> None:
    from course_pkg.samples.handbook import WordCount, count_word, page_names

    heard: list[Progress] = []
    with progress_to(heard.append):
        found = count_word(word="Schema")

    assert isinstance(found, WordCount)
    assert found.times >= found.pages >= 5
    assert [item.done for item in heard] == list(range(1, len(page_names()) + 1))


@pytest.mark.parametrize("word", ["", "  "])
def test_no_word_is_not_counted(word: str) -> None:
    from course_pkg.samples.handbook import count_word

    with pytest.raises(ToolError, match="There is no word"):
        count_word(word=word)


@pytest.mark.parametrize("name", ["unknown", "../weather", ""])
def test_only_pages_of_the_course_are_read(name: str) -> None:
    from course_pkg.samples.handbook import page_text

    with pytest.raises(ToolError, match="There is no page named"):
        page_text(name)
