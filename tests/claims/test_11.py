"""Each factual sentence of notebook 11, proved.

Most servers run in this process here, with the same messages; those that crash are subprocesses.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course_pkg import Connections, ModelClient, ModelError, Outcome, Recorder, Tool, Toolbox, run
from course_pkg.conversation import start
from course_pkg.executor import ForEveryTool, ScriptedApprover
from course_pkg.lessons.servers import archive, library, shop
from course_pkg.mcp_client import Connection
from course_pkg.samples import calculate
from course_pkg.tools import ToolDefinitionError, legal_names
from course_pkg.wire import Frame, steps_of

SCRIPTED = Path(__file__).parent.parent / "mcp_servers" / "scripted.py"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
PRICE = "Count the copies of Dune in stock at the shop, and multiply it by 9.5."
BOTH = "Search the library for Dune and search the shop for Dune."
ORDER = "Sign in to the bookshop as customer C42. Then order the book Dune."
VOUCHER = "Check the voucher READ5."


def program(name: str) -> list[str]:
    return [sys.executable, "-m", f"course_pkg.lessons.servers.{name}"]


@asynccontextmanager
async def opened(**more: Any) -> AsyncIterator[Connections]:
    targets = {"library": library.server(), "shop": shop.server(), **more}
    async with Connections(targets) as servers:
        yield servers


async def asked(question: str, tools: Any, **options: Any) -> tuple[Outcome, list[Frame]]:
    async with ModelClient() as client:
        with Recorder() as recorder:
            outcome = await run(question, tools, client, **options)
    return outcome, list(recorder.frames)


def called(outcome: Outcome) -> list[str]:
    return [call.name for turn in outcome.turns for call in turn.reply.calls]


def over_mcp(frames: list[Frame], direction: str = "sent") -> list[Frame]:
    return [frame for frame in frames if frame.wire == "mcp" and frame.direction == direction]


def offers(frames: list[Frame]) -> list[list[str]]:
    """The names of the tools in each request to the model."""
    posts = [frame.json for frame in frames if frame.label.startswith("POST")]
    return [[item["function"]["name"] for item in post["tools"]] for post in posts]


# --- names ----------------------------------------------------------------------------------------


async def test_each_server_is_a_process_of_its_own_and_both_have_a_search() -> None:
    targets = {"library": program("library"), "shop": program("shop")}
    async with Connections(targets) as servers:
        names = [tool.name for server in servers.values() for tool in server.tools]

    assert names.count("search") == 2


@pytest.mark.parametrize(
    ("order", "sign"), [(("library", "shop"), "year"), (("shop", "library"), "price")]
)
async def test_the_first_server_wins_and_nothing_is_raised(order: Any, sign: str) -> None:
    async with opened() as servers:
        merged: dict[str, Tool] = {}
        for name in order:
            for tool in servers[name].tools:
                merged.setdefault(tool.name, tool)
        outcome, _ = await asked("Search the shop for Dune.", merged.values())

    assert (outcome.reason, outcome.failed_calls) == ("answered", 0)
    assert sign in (outcome.answer or "")


async def test_a_plain_toolbox_refuses_two_tools_of_one_name() -> None:
    async with opened() as servers:
        both = [*servers["library"].tools, *servers["shop"].tools]

    with pytest.raises(ToolDefinitionError, match="'search'"):
        Toolbox(both)


async def test_with_your_own_names_before_them_the_model_can_tell_them_apart() -> None:
    async with opened() as servers:
        outcome, _ = await asked("Search the shop for Dune.", servers.toolbox())

    assert called(outcome) == ["shop__search"]
    assert "price: 9.5" in (outcome.answer or "")


async def test_two_servers_can_give_themselves_the_same_name() -> None:
    async with Connections({"one": shop.server(), "two": shop.server()}) as servers:
        tools = servers.toolbox()
        with Recorder() as recorder:
            for name in ("one__search", "two__search"):
                await tools[name](query="Dune")

    results = [frame.json["result"] for frame in over_mcp(list(recorder.frames), "received")]
    assert [result["_meta"][SERVER_INFO]["name"] for result in results] == ["shop", "shop"]


def test_mcp_takes_names_of_128_characters_with_dots() -> None:
    from mcp.shared.tool_name_validation import validate_tool_name

    names = ["stock.count", "s" * 128, "s" * 129]

    assert [validate_tool_name(name).is_valid for name in names] == [True, True, False]


@pytest.mark.parametrize("name", ["stock.count", "s" * 65])
async def test_a_request_with_one_illegal_name_is_refused_as_a_whole(name: str) -> None:
    illegal = replace(calculate, name=name)
    async with ModelClient() as client:
        with pytest.raises(ModelError) as refusal:
            await client.ask(start("Hello."), [calculate, illegal])

    assert refusal.value.status == 400


async def test_names_are_made_legal_and_mapped_back() -> None:
    async with opened() as servers:
        outcome, frames = await asked(PRICE, servers.toolbox(calculate))

    assert called(outcome) == ["shop__stock_count", "calculate"]
    assert [frame.json["params"]["name"] for frame in over_mcp(frames)] == ["stock.count"]


def test_names_that_would_become_one_each_get_a_mark_and_long_ones_are_cut() -> None:
    made = list(legal_names(["stock.count", "stock/count", "s" * 128]).values())

    assert len(set(made)) == 3
    assert all(name.startswith("stock_count_") for name in made[:2])
    assert len(made[2]) <= 64


# --- routing --------------------------------------------------------------------------------------


async def test_the_frames_show_which_server_ran_what() -> None:
    async with opened() as servers:
        outcome, frames = await asked(BOTH, servers.toolbox())
        origin = servers.origin("shop__search")

    answers = over_mcp(frames, "received")
    ran = {
        frame.json["result"]["_meta"][SERVER_INFO]["name"]: frame.request.json["params"]["name"]
        for frame in answers
        if frame.request is not None
    }
    assert ran == {"library": "search", "shop": "search"}
    assert (called(outcome), origin) == (["library__search", "shop__search"], ("shop", "search"))


async def test_a_remote_tool_is_a_plain_tool_and_its_schema_is_offered_unchanged() -> None:
    async with opened() as servers:
        with Recorder() as recorder:
            await servers["library"].refresh()
        remote = servers.toolbox()["library__search"]
        text = await remote(query="Momo")

    [listed] = over_mcp(list(recorder.frames), "received")
    schema = listed.json["result"]["tools"][0]["inputSchema"]
    assert (type(remote), remote.definition()["function"]["parameters"]) == (Tool, schema)
    assert "Michael Ende" in text


async def test_arguments_are_checked_before_a_message_goes_out() -> None:
    from course_pkg import ToolCall, execute

    call = ToolCall(id="call_1", name="library__search", arguments='{"words": "Dune"}')
    async with opened() as servers:
        with Recorder() as recorder:
            result = await execute(call, servers.toolbox())

    assert (result.error_kind, over_mcp(list(recorder.frames))) == ("invalid_arguments", [])


async def test_a_remote_tool_has_a_time_limit() -> None:
    async with opened() as servers:
        limits = [tool.timeout_s for tool in servers.toolbox().values()]

    assert all(limits)


async def test_mcp_is_inside_step_4_between_two_local_frames_and_local_calls_have_none() -> None:
    async with opened(shop=program("shop")) as servers:
        outcome, frames = await asked(PRICE, servers.toolbox(calculate))

    wires = "".join(frame.wire[:2] for frame in frames)
    assert wires == "momo" + "lomcmclo" + "momo" + "lolo" + "momo"
    assert {step for frame in frames for step in steps_of(frame)} == {1, 2, 3, 4, 5, 6}
    assert {steps_of(frame) for frame in frames if frame.wire != "model"} == {(4,)}
    assert "38" in (outcome.answer or "")


async def test_for_the_model_calls_and_results_look_the_same() -> None:
    async with opened() as servers:
        outcome, _ = await asked(PRICE, servers.toolbox(calculate))

    results = [message for message in outcome.messages if message["role"] == "tool"]
    assert [set(message) for message in results] == [{"role", "tool_call_id", "content"}] * 2


# --- blocks ---------------------------------------------------------------------------------------


async def shown(title: str = "Dune") -> Any:
    async with opened() as servers:
        return await servers["library"].call("show_book", {"title": title})


async def test_four_blocks_come_and_the_first_hides_that_the_book_is_on_loan() -> None:
    outcome = await shown()

    kinds = [block["type"] for block in outcome.blocks]
    assert kinds == ["text", "image", "resource_link", "text"]
    assert "loan" not in outcome.blocks[0]["text"]
    assert "on loan" in outcome.text


async def test_a_picture_is_named_with_its_type_and_size_and_its_base64_stays_out() -> None:
    outcome = await shown()
    data = outcome.blocks[1]["data"]

    assert len(data) > 1_000
    assert "[image, image/png, 4,724 bytes: not shown here]" in outcome.text
    assert data[:40] not in outcome.text


async def test_texts_keep_their_order_the_link_its_uri_and_structured_content_comes_last() -> None:
    outcome = await shown()
    lines = outcome.text.splitlines()

    assert lines[0] == outcome.blocks[0]["text"]
    assert "library://chapters/Dune" in lines[2]
    assert lines[3] == outcome.blocks[3]["text"]
    assert json.loads(lines[4]) == outcome.structured


async def test_structured_content_that_says_the_same_is_not_added() -> None:
    said = {
        "content": [{"type": "text", "text": '{"copies": 2}'}],
        "structuredContent": {"copies": 2},
    }
    outcome = await called_scripted(said)

    assert outcome.text == '{"copies": 2}'


async def called_scripted(result: dict[str, Any]) -> Any:
    """What comes of a call whose result is this, of a tool that promises a number of copies."""
    schema = {
        "type": "object",
        "properties": {"copies": {"type": "integer"}},
        "required": ["copies"],
    }
    tool = {"name": "t1", "inputSchema": {"type": "object"}, "outputSchema": schema}
    script = {"tools": [tool], "calls": {"t1": {"result": result}}}
    async with Connection([sys.executable, str(SCRIPTED), json.dumps(script)]) as connection:
        return await connection.call("t1")


async def test_the_library_promises_the_form_of_its_structured_content() -> None:
    async with opened() as servers:
        with Recorder() as recorder:
            await servers["library"].refresh()

    tools = over_mcp(list(recorder.frames), "received")[0].json["result"]["tools"]
    assert set(tools[1]["outputSchema"]["required"]) == {"title", "author", "year", "copies"}


async def test_structured_content_that_breaks_its_promise_comes_back_as_an_error() -> None:
    outcome = await called_scripted({"content": [], "structuredContent": {"copies": "two"}})

    assert (outcome.is_error, outcome.kind) == (True, "unfit_result")


# --- failures -------------------------------------------------------------------------------------


async def test_one_server_that_does_not_start_costs_only_itself() -> None:
    async with opened(archive=archive.server(), museum=program("museum")) as servers:
        tools = list(servers.toolbox())

    assert (list(servers.failures), len(tools)) == (["museum"], 8)


async def test_servers_that_are_open_stay_open_in_new_connections() -> None:
    async with opened() as before:
        servers = await Connections({**before, "archive": archive.server()}).open()
        is_same = servers["shop"] is before["shop"] and before["shop"].is_open
        await servers.close()

    assert is_same


@pytest.mark.parametrize(
    ("question", "label", "said"),
    [
        ("Show me the library book Dracula.", "result", "no book 'Dracula'"),
        ("Open box 7 of the archive.", "error", "-32602: Box 7 is being repaired"),
    ],
)
async def test_both_kinds_of_error_come_back_to_the_model(
    question: str, label: str, said: str
) -> None:
    async with opened(archive=archive.server()) as servers:
        outcome, frames = await asked(question, servers.toolbox())

    [answer] = over_mcp(frames, "received")
    [message] = [message for message in outcome.messages if message["role"] == "tool"]
    assert answer.label == label
    assert said in message["content"]
    assert outcome.reason == "answered"


async def test_a_crash_is_an_error_for_its_own_call_and_the_other_is_not_touched() -> None:
    question = "Search the archive for Dune and search the shop for Dune."
    async with opened(archive=program("archive")) as servers:
        outcome, frames = await asked(question, servers.toolbox())
        state = servers["archive"].is_open, servers["archive"].server_log

    results = outcome.turns[0].results
    assert [result.is_error for result in results] == [True, False]
    assert (state, "index" in results[0].text) == ((False, "archive: the index is broken"), False)
    assert "no answer" in [frame.label for frame in over_mcp(frames, "received")]


async def test_after_reopening_the_toolbox_works_as_it_is() -> None:
    async with opened(archive=program("archive")) as servers:
        tools = servers.toolbox()
        await asked("Search the archive for Dune.", tools)
        await servers["archive"].reopen()
        outcome, _ = await asked("Open box 7 of the archive.", tools)

    assert "Box 7" in (outcome.answer or "")


# --- tools that change ----------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_changed_list_is_offered_at_the_next_request_of_the_same_run(era: str) -> None:
    async with Connections({"shop": program("shop")}, era=era) as servers:
        outcome, frames = await asked(ORDER, servers.toolbox(), parallel_tool_calls=False)

    first, second, third = [set(names) for names in offers(frames)]
    assert (second - first, third) == ({"shop__order_book"}, second)
    assert called(outcome) == ["shop__sign_in", "shop__order_book"]
    assert [frame.label for frame in frames if frame.wire == "mcp" and frame.label != "result"] == [
        "tools/call",
        "notifications/tools/list_changed",
        "tools/list",
        "tools/call",
    ]


async def test_a_list_that_was_read_once_misses_the_new_tool() -> None:
    async with opened() as servers:
        once = list(servers["shop"].tools)
        outcome, frames = await asked(ORDER, once, parallel_tool_calls=False)

    assert "order_book" not in called(outcome)
    assert all(names == offers(frames)[0] for names in offers(frames))


# --- approval -------------------------------------------------------------------------------------


async def test_a_remote_tool_without_annotations_counts_as_one_with_a_side_effect() -> None:
    approve = ScriptedApprover(["I have this book already."])
    async with opened() as servers:
        tools = servers.toolbox()
        await asked("Sign in to the bookshop as customer C42.", tools)
        outcome, frames = await asked("Order the book Dune from the shop.", tools, approve=approve)

    [request] = approve.asked
    assert (request.tool.name, request.tool.side_effect) == ("shop__order_book", True)
    assert "I have this book already." in (outcome.answer or "")
    assert over_mcp(frames) == []


async def test_a_hint_that_is_not_true_keeps_everybody_from_being_asked() -> None:
    approve = ScriptedApprover([])
    async with opened() as servers:
        outcomes = [(await asked(VOUCHER, servers.toolbox(), approve=approve))[0] for _ in range(2)]

    first, second = (outcome.turns[0].results[0] for outcome in outcomes)
    assert approve.asked == []
    assert ("worth 5 euros" in first.text, "used up" in second.text) == (True, True)


async def test_for_every_tool_asks_whatever_the_hints_say() -> None:
    async with opened() as servers:
        outcome, frames = await asked(
            VOUCHER, servers.toolbox(), approve=ForEveryTool(lambda _: False)
        )

    assert (outcome.failed_calls, over_mcp(frames)) == (1, [])


# --- closing --------------------------------------------------------------------------------------


async def test_after_closing_only_local_functions_are_left_and_no_connection() -> None:
    servers = await Connections({"shop": program("shop"), "archive": program("archive")}).open()
    tools = servers.toolbox(calculate)

    await servers.close()

    assert (list(servers), list(tools)) == ([], ["calculate"])
    assert "owner of an MCP connection" not in {task.get_name() for task in asyncio.all_tasks()}


async def test_async_with_closes_even_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        async with opened() as servers:
            1 / 0  # noqa: B018

    assert list(servers) == []
