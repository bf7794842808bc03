"""Ask an MCP server with nothing but a process and JSON: a line out, a line in.

In: a command. Out: a function that sends one request and gives its result. It does no more than
that: one request at a time, no handshake, no list in pages. Real programs use `mcp_client`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, TypeAlias

#: How long a server may take to end after its stdin was closed, in seconds.
END_TIMEOUT_S = 5.0

#: A method and its parameters → the result.
Ask: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[Any]]


class RefusedError(RuntimeError):
    """The server answered with a JSON-RPC error, or not at all."""


@asynccontextmanager
async def asking(command: Sequence[str], *, max_requests: int = 50) -> AsyncGenerator[Ask]:
    """Start a server, and give what asks it. The server ends with the block.

    Args:
        command: the server's command, one item for each word.
        max_requests: so many may be sent: whoever needs more has lost his way.

    Yields:
        `await ask("tools/list", {})` gives the result. It raises `RefusedError` where there is
        none, and after too many requests.
    """
    process = _started(command)
    numbers = count(1)

    async def ask(method: str, params: Mapping[str, Any]) -> Any:
        number = next(numbers)
        if number > max_requests:
            raise RefusedError(f"{max_requests} requests were sent, and no end is in sight.")
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params)}
        line = await asyncio.to_thread(_exchanged, process, json.dumps(request))
        return _result(line, method)

    try:
        yield ask
    finally:
        await asyncio.to_thread(_end, process)


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing)


def _exchanged(process: subprocess.Popen[bytes], line: str) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()
    return process.stdout.readline()


def _result(line: bytes, method: str) -> Any:
    if not line:
        raise RefusedError(f"The server ended and did not answer {method!r}.")
    answer = json.loads(line)
    if "error" in answer:
        error = answer["error"]
        raise RefusedError(f"The server refused {method!r}: {error['code']} {error['message']}")
    return answer["result"]


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
