"""A model service that costs next to nothing, for benchmarks: run it in a process of its own.

The request's model name says how it answers: `turns-3` calls the tool `add` until two results are
in the conversation, then says something; `chunks-50` streams one call in 50 chunks. It prints its
port, and ends when its input ends.
"""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n"


def answer_to(body: bytes) -> bytes:
    """The whole answer to a request."""
    model = body.split(b'"model"', 1)[1].split(b'"', 2)[1].decode()
    kind, _, number = model.partition("-")
    if kind == "chunks":
        return streamed(int(number))
    payload = completion(body, model, int(number))
    return HEAD % (b"application/json", len(payload)) + payload


@functools.cache
def streamed(chunks: int) -> bytes:
    """A streamed answer: one call, its arguments in so many chunks."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000}
    head |= {"model": "m", "service_tier": "default", "system_fingerprint": "fp_1"}
    function = {"name": "search_docs", "arguments": ""}
    call = {"index": 0, "id": "call_1", "type": "function", "function": function}
    deltas: list[Any] = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    words = ['{"query": "', *["word "] * (chunks - 4), '"}']
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": word}}]} for word in words]
    choices = [
        {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "logprobs": None, "finish_reason": "tool_calls"})
    events = [json.dumps(head | {"choices": [choice]}) for choice in choices]
    payload = "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]).encode()
    return HEAD % (b"text/event-stream", len(payload)) + payload


def completion(body: bytes, model: str, turns: int) -> bytes:
    """The JSON of a completion for a request."""
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
            writer.write(answer_to(await reader.readexactly(length)))
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
