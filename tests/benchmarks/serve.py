"""A model service that costs next to nothing, for benchmarks: run it in a process of its own.

The request's model name says how it answers: `turns-3` calls the tool `add` until two results are
in the conversation, then says something. It prints its port, and ends when its input ends.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


def answer_to(body: bytes) -> bytes:
    """The JSON of a completion for a request."""
    model = body.split(b'"model"', 1)[1].split(b'"', 2)[1].decode()
    turns = int(model.removeprefix("turns-"))
    done = body.count(b'"tool_call_id"')
    message: dict[str, Any] = {"role": "assistant", "content": "That is all.", "refusal": None}
    if done < turns - 1:
        function = {"name": "add", "arguments": json.dumps({"a": done, "b": 1})}
        call = {"id": f"call_{done}", "type": "function", "function": function}
        message |= {"content": None, "tool_calls": [call]}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": model}
    return json.dumps(head | {"choices": [choice], "usage": usage}).encode()


async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
            payload = answer_to(await reader.readexactly(length))
            writer.write(HEAD % len(payload) + payload)
    except asyncio.IncompleteReadError:
        writer.close()


async def main() -> None:
    """Serve until the input ends."""
    server = await asyncio.start_server(converse, "127.0.0.1", 0, limit=2**24)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
