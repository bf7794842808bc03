"""The same calls twice: with the SDK's bare `Client`, and through a `Connection` that is recorded.

Run as a program, so that nothing of a test runner is measured:

    mcp_calls.py calls stdio|http ERA      seconds of five calls, of both, interleaved, as JSON
    mcp_calls.py openings stdio|http ERA   seconds of an opening, of both, interleaved, as JSON

A call is timed from asking to the result, an opening until the tools are listed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from course_pkg import Recorder
from course_pkg.mcp_client import Connection

SERVER = str(Path(__file__).parent / "mcp_server.py")
ROUNDS = 150
#: So many calls are in each measurement. A busy machine disturbs short pairs less.
CALLS = 5
#: So many rounds of one opening each.
OPENINGS = {"stdio": 9, "http": 40}

Way = Callable[[], Awaitable[Any]]


@contextmanager
def targets(transport: str) -> Iterator[tuple[Any, Any]]:
    """What the bare client takes, and what a connection takes."""
    if transport == "stdio":
        command = [sys.executable, SERVER, "stdio"]
        yield StdioServerParameters(command=command[0], args=command[1:]), command
        return
    with subprocess.Popen(
        [sys.executable, SERVER, "http"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as served:
        assert served.stdin is not None
        assert served.stdout is not None
        url = f"http://127.0.0.1:{served.stdout.readline().strip()}/mcp"
        yield url, url
        served.stdin.close()


async def seconds(way: Way) -> float:
    began = time.perf_counter()
    await way()
    return time.perf_counter() - began


async def interleaved(ways: dict[str, Way], rounds: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        # Each way is first as often as the other.
        for name in list(ways)[:: 1 if number % 2 else -1]:
            took = await seconds(ways[name])
            if number:  # the first round warms up
                found[name].append(took)
    return found


async def calls(transport: str, era: str) -> dict[str, list[float]]:
    numbers = {"a": 2, "b": 3}
    with targets(transport) as (plain, target):
        async with Client(plain, mode=era) as client, Connection(target, era=era) as connection:
            await client.list_tools()

            async def ours() -> None:
                """What a cell does: some calls, recorded."""
                with Recorder() as recorder:
                    for _ in range(CALLS):
                        outcome = await connection.call("add", numbers)
                assert (outcome.text, len(recorder.frames)) == ("5", 2 * CALLS)

            async def bare() -> None:
                for _ in range(CALLS):
                    result = await client.call_tool("add", numbers)
                assert result.structured_content == {"result": 5}

            return await interleaved({"bare": bare, "ours": ours}, ROUNDS)


async def openings(transport: str, era: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"bare": [], "ours": []}
    with targets(transport) as (plain, target):

        async def bare() -> None:
            began = time.perf_counter()
            async with Client(plain, mode=era) as client:
                await client.list_tools()
                found["bare"].append(time.perf_counter() - began)

        async def ours() -> None:
            began = time.perf_counter()
            with Recorder() as recorder:
                async with Connection(target, era=era) as connection:
                    found["ours"].append(time.perf_counter() - began)
                    assert (len(connection.tools), bool(recorder.frames)) == (1, True)

        await interleaved({"bare": bare, "ours": ours}, OPENINGS[transport])
    return {name: took[1:] for name, took in found.items()}


def main() -> None:
    what, transport, era = sys.argv[1:]
    measure = calls if what == "calls" else openings
    sys.stdout.write(json.dumps(asyncio.run(measure(transport, era))))


if __name__ == "__main__":
    main()
