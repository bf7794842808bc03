"""The client of exercise 10.2: one line out, one line in, and an end to everything."""

from __future__ import annotations

import sys

import psutil
import pytest

from course_pkg.lessons.bare_client import RefusedError, asking

PAGED = [sys.executable, "-m", "course_pkg.lessons.servers.paged", "a b", "c"]
ENDS_AT_ONCE = [sys.executable, "-c", "input()"]


async def test_it_gives_the_result_of_a_request() -> None:
    async with asking(PAGED) as ask:
        first = await ask("tools/list", {})
        last = await ask("tools/list", {"cursor": first["nextCursor"]})

    assert [tool["name"] for tool in first["tools"] + last["tools"]] == ["a", "b", "c"]
    assert "nextCursor" not in last


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("tools/run", {}, "'tools/run': -32601 Method not found"),
        ("tools/list", {"cursor": "2"}, "-32602 Unknown cursor: '2'"),
    ],
)
async def test_a_json_rpc_error_is_raised_with_the_servers_words(
    method: str, params: dict[str, str], said: str
) -> None:
    async with asking(PAGED) as ask:
        with pytest.raises(RefusedError, match=said):
            await ask(method, params)


async def test_a_server_that_ends_is_told() -> None:
    async with asking(ENDS_AT_ONCE) as ask:
        with pytest.raises(RefusedError, match="ended and did not answer 'tools/list'"):
            await ask("tools/list", {})


async def test_after_too_many_requests_it_refuses() -> None:
    async with asking(PAGED, max_requests=1) as ask:
        await ask("tools/list", {})
        with pytest.raises(RefusedError, match="no end is in sight"):
            await ask("tools/list", {})


async def test_the_server_ends_with_the_block() -> None:
    before = set(psutil.Process().children())
    async with asking(PAGED) as ask:
        await ask("tools/list", {})
        [server] = set(psutil.Process().children()) - before

    assert not server.is_running()
