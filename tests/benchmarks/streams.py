"""Streams, long conversations and many conversations, measured beside the bare `openai` client.

Run as a program, so that nothing of a test runner is measured:

    streams.py chunks PORT N      CPU of draining a stream of N chunks, both ways, as JSON
    streams.py history PORT [N]   CPU of a turn for each byte sent, at turn N (5) and 500, as JSON
    streams.py crowd PORT N TURNS wall seconds of N conversations at once, both ways, as JSON
    streams.py memory PORT N      resident bytes after 50 conversations, and after N more, as JSON
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import conversations as by_hand

from course_pkg import Limits, ModelClient, Recorder, run

ROUNDS = 11
CHUNKS_A_ROUND = 5_000
QUESTION: list[Any] = [{"role": "user", "content": by_hand.QUESTION}]


def our_client(port: int, model: str) -> ModelClient:
    client = by_hand.our_client(port, 1)
    client.model = model
    return client


async def chunks(port: int, number: int) -> dict[str, list[float]]:
    model = f"chunks-{number}"
    async with by_hand.plain_client(port) as plain, our_client(port, model) as client:

        async def drained() -> None:
            stream = await plain.chat.completions.create(
                model=model, messages=QUESTION, tools=by_hand.DEFINITIONS, stream=True
            )
            async for _ in stream:
                pass

        async def joined() -> None:
            reply = await client.ask(QUESTION, by_hand.TOOLS, stream=True)
            assert len(reply.calls) == 1

        ways: dict[str, Any] = {"create": drained, "ours": joined}
        return await by_hand.interleaved(ways, max(CHUNKS_A_ROUND // number, 1), rounds=ROUNDS)


async def history(port: int, early: int = 5) -> dict[str, list[float]]:
    """Each figure is in microseconds of CPU for a kilobyte sent."""
    found: dict[str, list[float]] = {}
    async with our_client(port, "turns-1") as client:
        lists = {turn: by_hand.history(turn - 1) for turn in (early, 500)}

        async def recorded(messages: list[dict[str, Any]]) -> None:
            with Recorder():
                await run(list(messages), by_hand.TOOLS, client)

        ways: dict[str, Callable[[], Awaitable[Any]]] = {
            f"turn {turn}": lambda messages=messages: recorded(messages)
            for turn, messages in lists.items()
        }
        took = await by_hand.interleaved(ways, 10, rounds=ROUNDS)
        for turn, messages in lists.items():
            sent = len(json.dumps(client.request(messages, by_hand.TOOLS))) / 1024
            found[f"turn {turn}"] = [1000 * one / sent for one in took[f"turn {turn}"]]
    return found


async def crowd(port: int, number: int, turns: int) -> dict[str, list[float]]:
    """Ours is recorded, as in a notebook."""
    took: dict[str, list[float]] = {"by hand": [], "ours": []}
    async with (
        by_hand.plain_client(port) as plain,
        by_hand.our_client(port, turns) as client,
    ):
        ways: dict[str, Any] = {
            "by hand": lambda: by_hand.bare(plain, turns),
            "ours": lambda: by_hand.ours(client),
        }
        for round_number in range(ROUNDS + 1):
            for name, converse in ways.items():
                began = time.perf_counter()
                answers = await asyncio.gather(*(converse() for _ in range(number)))
                assert answers == ["That is all."] * number
                if round_number:
                    took[name].append(time.perf_counter() - began)
    return took


async def memory(port: int, number: int) -> dict[str, float]:
    async with by_hand.our_client(port, 3) as client:

        async def converse(times: int) -> float:
            for _ in range(times):
                await run(by_hand.QUESTION, by_hand.TOOLS, client, limits=Limits(max_turns=9))
            gc.collect()
            return resident_bytes()

        return {"start": await converse(50), "end": await converse(number)}


def resident_bytes() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * float(status.partition("VmRSS:")[2].split()[0])


def main() -> None:
    way, *numbers = sys.argv[1:]
    measure = {"chunks": chunks, "history": history, "crowd": crowd, "memory": memory}[way]
    sys.stdout.write(json.dumps(asyncio.run(measure(*map(int, numbers)))))


if __name__ == "__main__":
    main()
