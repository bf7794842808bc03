"""Several MCP servers at once, in one toolbox, and a loop that follows their changes."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from course_pkg import ModelClient, ToolCall, execute, execute_all, run, tool
from course_pkg.mcp_client import Connection, Connections, ServerError
from course_pkg.mcp_client.names import public_names
from course_pkg.mcp_server import HttpService, high_level
from course_pkg.tools import Toolbox


@tool
def search(text: str) -> str:
    """Search a text."""
    return f"found {text}"


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(id="c1", name=name, arguments=arguments)


def texts(text: str) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": text}]}}


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "names"),
    [
        ([("tides", "find")], ["tides__find"]),
        ([("a", "b__c"), ("a__b", "c")], ["a__b__c", "a__b__c_2"]),
        ([("a", "x.y"), ("a", "x/y"), ("a", "x_y")], ["a__x_y", "a__x_y_2", "a__x_y_3"]),
        ([("地图", "查找"), ("地图", "搜索")], ["______", "_______2"]),
        ([("s" * 40, "t" * 40)], ["s" * 40 + "__" + "t" * 22]),
        ([("s" * 70, "a"), ("s" * 70, "b")], ["s" * 64, "s" * 62 + "_2"]),
    ],
)
def test_public_names_are_legal_and_each_is_there_once(pairs: Any, names: list[str]) -> None:
    made = public_names(pairs)

    assert list(made.values()) == names
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


def test_a_name_that_was_given_stays_when_tools_come_and_go() -> None:
    first = public_names([("a", "x.y"), ("a", "x/y")])
    later = public_names([("a", "x/y"), ("a", "x_y")], given=first)

    assert later["a", "x/y"] == "a__x_y_2"
    assert later["a", "x_y"] == "a__x_y_3"


# --- several --------------------------------------------------------------------------------------


async def test_tools_of_the_same_name_are_told_apart_and_lead_back(scripted: Any) -> None:
    targets = {
        "north": scripted(tools=["search"], calls={"search": texts("from the north")}),
        "south": scripted(tools=["search"], calls={"search": texts("from the south")}),
    }
    async with Connections(targets) as servers:
        box = servers.toolbox()
        results = await execute_all([call("north__search"), call("south__search")], box)

    assert [result.text for result in results] == ["from the north", "from the south"]
    assert servers.origin("south__search") == ("south", "search")


async def test_three_transports_and_a_local_tool_are_in_one_toolbox(scripted: Any) -> None:
    with HttpService(high_level(Toolbox([search]), name="web")) as service:
        targets = {"web": service.url, "here": high_level(Toolbox([search]), name="here")}
        async with Connections({**targets, "pipe": scripted()}) as servers:
            box = servers.toolbox(search)
            names = list(box)
            results = [await execute(call(name, '{"text": "潮"}'), box) for name in names]

    assert names == ["web__search", "here__search", "pipe__t1", "search"]
    assert [result.text for result in results] == [*["found 潮"] * 2, '{"text": "潮"}', "found 潮"]


async def test_one_that_fails_does_not_hurt_the_others(scripted: Any) -> None:
    targets = {
        "missing": ["no-such-program-here"],
        "dead": scripted(start="die"),
        "silent": scripted(start="hang"),
        "good": scripted(),
    }
    async with Connections(targets, open_timeout_s=1.0) as servers:
        result = await execute(call("good__t1"), servers.toolbox())

    assert result.text == "{}"
    kinds = {name: error.kind for name, error in servers.failures.items()}
    assert kinds == {"missing": "not_opened", "dead": "not_opened", "silent": "timeout"}


async def test_one_that_crashes_does_not_hurt_the_others(scripted: Any) -> None:
    targets = {"bad": scripted(calls={"t1": {"do": "crash"}}), "good": scripted()}
    async with Connections(targets) as servers:
        box = servers.toolbox()
        crashed, good = await execute_all([call("bad__t1"), call("good__t1")], box)
        await servers["bad"].reopen()

    assert (crashed.error_kind, good.text) == ("tool_error", "{}")
    assert "The server 'bad' has gone" in crashed.text


@pytest.mark.parametrize("order", ["ab", "ba"])
async def test_servers_are_closed_in_any_order(scripted: Any, order: str) -> None:
    servers = Connections({"a": scripted(), "b": scripted()})
    await servers.open()

    for name in order:
        await asyncio.create_task(servers.close(name))

    assert (len(servers), list(servers.toolbox())) == (0, [])


async def test_what_failed_is_opened_when_it_is_asked_again(scripted: Any) -> None:
    servers = Connections({"web": "http://127.0.0.1:9/mcp"})
    await servers.open()
    failed = set(servers.failures)
    servers.add("pipe", scripted())
    await servers.open()
    found = list(servers)
    await servers.close()

    assert (failed, found) == ({"web"}, ["pipe"])


def test_a_name_is_taken_once(scripted: Any) -> None:
    servers = Connections({"a": scripted()})

    with pytest.raises(ValueError, match="'a' is taken or empty"):
        servers.add("a", scripted())


async def test_a_connection_with_options_of_its_own_is_one_of_several(scripted: Any) -> None:
    slow = Connection(scripted(calls={"t1": {"do": "hang"}}), call_timeout_s=0.2)
    async with Connections({"slow": slow, "quick": scripted()}) as servers:
        with pytest.raises(ServerError, match=r"'slow' did not answer within 0\.2 seconds"):
            await servers["slow"].call("t1")


async def test_a_name_that_is_not_open_is_a_key_error(scripted: Any) -> None:
    servers = Connections({"a": scripted()})

    with pytest.raises(KeyError):
        servers["a"]
    with pytest.raises(KeyError):
        servers.origin("a__t1")


# --- live -----------------------------------------------------------------------------------------


async def test_the_toolbox_follows_what_is_opened_and_closed(scripted: Any) -> None:
    servers = Connections({"a": scripted()})
    box = servers.toolbox()
    found = [list(box)]
    await servers.open()
    found.append(list(box))
    servers.add("b", scripted())
    await servers.open()
    found.append(list(box))
    await servers.close("a")
    found.append(list(box))
    await servers.close()

    assert found == [[], ["a__t1"], ["a__t1", "b__t1"], ["b__t1"]]


async def test_a_local_tool_keeps_its_name(scripted: Any) -> None:
    local = tool(name="a__t1")(search.run)
    async with Connections({"a": scripted()}) as servers:
        box = servers.toolbox(local)

        assert sorted(box) == ["a__t1", "a__t1_2"]
        assert box["a__t1"] is local


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_loop_offers_the_tools_that_there_are_now(
    scripted: Any, service: Any, write: Any, era: str
) -> None:
    target = scripted(calls={"t1": {"tools": ["t2", "t3"]}})
    served = service(
        write.calls(("c1", "s__t1", "{}")),
        write.calls(("c2", "s__t1", "{}"), ("c3", "s__t2", "{}")),
        write.text("Done."),
    )
    async with Connections({"s": target}, era=era) as servers, ModelClient(served.settings) as it:
        outcome = await run("Call t1.", servers.toolbox(), it)

    offered = [[item["function"]["name"] for item in one.json["tools"]] for one in served.requests]
    assert offered == [["s__t1"], ["s__t2", "s__t3"], ["s__t2", "s__t3"]]
    gone, good = outcome.turns[1].results
    assert (gone.error_kind, good.text) == ("unknown_tool", "{}")


async def test_a_loop_goes_on_when_a_list_cannot_be_read(
    scripted: Any, service: Any, write: Any
) -> None:
    target = scripted(calls={"t1": {"tools": ["t1", "t2"]}, "t2": {"do": "crash"}})
    served = service(
        write.calls(("c1", "s__t1", "{}")),
        write.calls(("c2", "s__t2", "{}")),
        write.text("It is gone."),
    )
    async with Connections({"s": target}) as servers, ModelClient(served.settings) as it:
        outcome = await run("Call t1, t2.", servers.toolbox(), it)

    assert outcome.answer == "It is gone."
    assert "has gone" in outcome.turns[1].results[0].text


async def test_changes_are_followed_over_http_and_after_a_restart() -> None:
    server = high_level(Toolbox([search]), name="web")
    with HttpService(server) as first:
        servers = Connections({"web": first.url}, era="modern")
        await servers.open()
        box = servers.toolbox()
    server.add_tool(search.run, name="later")
    with HttpService(server, port=first.port):
        await execute(call("web__search", '{"text": "a"}'), box)
        await asyncio.sleep(0.1)
        await box.refresh()
        found = list(box)
        await servers.close()

    assert found == ["web__search", "web__later"]
