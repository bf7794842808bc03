"""The same conversation twice: by hand with `chat.completions.create`, and by our loop.

Run as a program, so that nothing of a test runner is measured:

    conversations.py compare PORT TURNS     CPU of both, interleaved, as JSON
    conversations.py sizes PORT             CPU of one request at 2 and at 200 messages, as JSON
    conversations.py bare|ours PORT TURNS N run N conversations, for callgrind
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import openai

from course_pkg import Limits, ModelClient, Recorder, Settings, Toolbox, run, tool, toolbox

ROUNDS = 25
#: So many turns are taken in each measurement, whatever a conversation's length.
TURNS_A_ROUND = 60


@tool
def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


#: The five tools of the course, and one that costs nothing.
TOOLS = Toolbox([*toolbox().values(), add])
DEFINITIONS: Any = TOOLS.definitions()
QUESTION = "Please add some numbers, one after the other."

Converse = Callable[[], Awaitable[Any]]


async def bare(client: openai.AsyncOpenAI, turns: int) -> str | None:
    """The loop that a tutorial shows."""
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        response = await client.chat.completions.create(
            model=f"turns-{turns}", messages=messages, tools=DEFINITIONS
        )
        message = response.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)  # type: ignore[union-attr]
            result = json.dumps(add(**arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


async def ours(client: ModelClient) -> str | None:
    """Our loop, with everything it does: recorded, checked, with limits."""
    with Recorder():
        outcome = await run(QUESTION, TOOLS, client, limits=Limits(max_turns=100))
    return outcome.answer


def plain_client(port: int) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="any", base_url=f"http://127.0.0.1:{port}/v1")


def our_client(port: int, turns: int) -> ModelClient:
    base_url = f"http://127.0.0.1:{port}/v1"
    return ModelClient(
        Settings(kind="remote", base_url=base_url, model=f"turns-{turns}", api_key="any")
    )


async def cpu_of(converse: Converse, times: int) -> float:
    began = time.process_time()
    for _ in range(times):
        await converse()
    return (time.process_time() - began) / times


async def interleaved(
    ways: dict[str, Converse], times: int, *, rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """The CPU of each way, in milliseconds a conversation, round after round, taken in turns."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, converse in ways.items():
            took = await cpu_of(converse, times)
            if number:  # the first round warms up
                found[name].append(1000 * took)
    return found


async def compare(port: int, turns: int) -> dict[str, list[float]]:
    async with plain_client(port) as plain, our_client(port, turns) as client:
        ways: dict[str, Converse] = {
            "bare": lambda: bare(plain, turns),
            "ours": lambda: ours(client),
        }
        return await interleaved(ways, max(TURNS_A_ROUND // turns, 1))


def history(pairs: int) -> list[dict[str, Any]]:
    """A system message and a question, then calls and results in turns."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": QUESTION},
    ]
    for number in range(pairs):
        function = {"name": "add", "arguments": json.dumps({"a": number, "b": 1})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        result = {"role": "tool", "tool_call_id": f"call_{number}", "content": str(number + 1)}
        messages.append(result)
    return messages


async def sizes(port: int) -> dict[str, list[float]]:
    short, long = history(0), history(99)
    async with plain_client(port) as plain, our_client(port, 1) as client:

        async def recorded(messages: list[dict[str, Any]]) -> None:
            with Recorder():
                await run(list(messages), TOOLS, client)

        async def created(messages: Any) -> None:
            await plain.chat.completions.create(
                model="turns-1", messages=messages, tools=DEFINITIONS
            )

        ways: dict[str, Converse] = {
            "ours at 2": lambda: recorded(short),
            f"ours at {len(long)}": lambda: recorded(long),
            "create at 2": lambda: created(short),
            f"create at {len(long)}": lambda: created(long),
        }
        return await interleaved(ways, 20)


async def repeat(way: str, port: int, turns: int, times: int) -> None:
    async with plain_client(port) as plain, our_client(port, turns) as client:
        for _ in range(times):
            await (bare(plain, turns) if way == "bare" else ours(client))


def main() -> None:
    way, *numbers = sys.argv[1:]
    values = [int(number) for number in numbers]
    if way == "compare":
        sys.stdout.write(json.dumps(asyncio.run(compare(*values))))
    elif way == "sizes":
        sys.stdout.write(json.dumps(asyncio.run(sizes(*values))))
    else:
        asyncio.run(repeat(way, *values))


if __name__ == "__main__":
    main()
