"""Put a decision into the wire form of chat completions, plain or as a stream of chunks.

In: the request body and what the practice model wants to say or call. Out: JSON dicts.
Everything follows from the request: ids are hashes of it, the date is fixed. Knows nothing of how
the decision was made, nor of HTTP.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: The day it always is for the practice model: same request, same bytes, on every day.
COURSE_DATE = datetime.date(2026, 9, 1)
CREATED = int(datetime.datetime(2026, 9, 1, tzinfo=datetime.UTC).timestamp())
#: The estimate behind `usage`: one token for every four bytes of UTF-8, rounded up.
BYTES_PER_TOKEN = 4
#: Characters of content or arguments in one chunk of a stream.
CHUNK_CHARS = 8


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """A tool call before it has an id.

    Attributes:
        name: the tool.
        arguments: its arguments, by name.
    """

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What the practice model says next: text, or calls.

    Attributes:
        text: the answer; empty if it calls tools.
        calls: the calls, in order.
    """

    text: str = ""
    calls: Sequence[PlannedCall] = ()


def request_hash(body: Mapping[str, Any]) -> str:
    """A hash of everything in the request that shapes the reply; streaming or not is the same."""
    relevant = {key: body[key] for key in body if key not in {"stream", "stream_options"}}
    return hashlib.sha256(_bytes(relevant, sort=True)).hexdigest()


def message_of(decision: Decision, seed: str) -> dict[str, Any]:
    """The assistant message, in wire form.

    Args:
        decision: what to say or call.
        seed: the request's hash, from which the call ids are made.
    """
    message: dict[str, Any] = {
        "role": "assistant",
        "content": decision.text or None,
        "refusal": None,
    }
    if decision.calls:
        message["tool_calls"] = [
            {
                "id": _call_id(seed, position),
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(call.arguments, ensure_ascii=False),
                },
            }
            for position, call in enumerate(decision.calls)
        ]
    return message


def completion(body: Mapping[str, Any], message: dict[str, Any], seed: str) -> dict[str, Any]:
    """The body of a plain reply, cut off where the request's limit says so.

    Args:
        body: the request.
        message: the assistant message as it would be without a limit.
        seed: the request's hash.
    """
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    kept = message if limit is None else _cut(message, limit * BYTES_PER_TOKEN)
    finish = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": f"chatcmpl-{seed[:24]}",
        "object": "chat.completion",
        "created": CREATED,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": kept,
                "logprobs": None,
                "finish_reason": finish if kept == message else "length",
            }
        ],
        "usage": _usage(body, kept),
        "system_fingerprint": "fp_practice",
    }


def chunks(whole: Mapping[str, Any], *, include_usage: bool) -> Iterator[dict[str, Any]]:
    """The same reply as a stream: what the chunks add up to is the plain reply.

    Args:
        whole: a plain reply, from `completion`.
        include_usage: whether a last chunk without choices carries the usage.
    """
    known = ("id", "created", "model", "system_fingerprint")
    frame = {key: whole[key] for key in known if key in whole}
    frame["object"] = "chat.completion.chunk"
    if include_usage:
        frame["usage"] = None
    if not whole["choices"] or whole["choices"][0] is None:
        yield frame | {"choices": whole["choices"]}
    else:
        yield from _choice_chunks(frame, whole["choices"][0])
    if include_usage:
        yield frame | {"choices": [], "usage": whole.get("usage")}


def _choice_chunks(frame: dict[str, Any], choice: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for delta in _deltas(choice["message"]):
        yield frame | {"choices": [_choice(delta)]}
    yield frame | {"choices": [_choice({}, finish_reason=choice["finish_reason"])]}


def estimate_tokens(value: Any) -> int:
    """About how many tokens a value is: an estimate for the lessons, from its size in bytes."""
    size = len(value.encode("utf-8", "replace")) if isinstance(value, str) else len(_bytes(value))
    return -(-size // BYTES_PER_TOKEN)


def _choice(delta: dict[str, Any] | None, *, finish_reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def _deltas(message: Mapping[str, Any] | None) -> Iterator[dict[str, Any] | None]:
    """The pieces of a message. A spoilt one goes out as well: what is no text stays whole."""
    if message is None:
        yield None
        return
    content = message["content"]
    in_pieces = {"content", "reasoning_content", "tool_calls"}
    whole = {key: value for key, value in message.items() if key not in in_pieces}
    opening = "" if isinstance(content, str) else content
    yield {"role": "assistant", "content": opening, **whole}
    for name in ("reasoning_content", "content"):
        if isinstance(message.get(name), str):
            yield from ({name: piece} for piece in _pieces(message[name]))
    for index, call in enumerate(message.get("tool_calls") or ()):
        yield from _call_deltas(index, call)


def _call_deltas(index: int, call: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    function = call.get("function")
    if not function or not isinstance(function["arguments"], str):
        yield {"tool_calls": [{"index": index, **call}]}
        return
    opening = {"name": function["name"], "arguments": ""}
    yield {"tool_calls": [{"index": index, **call, "function": opening}]}
    for piece in _pieces(function["arguments"]):
        yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), CHUNK_CHARS):
        yield text[start : start + CHUNK_CHARS]


def _call_id(seed: str, position: int) -> str:
    return "call_" + hashlib.sha256(f"{seed}/{position}".encode()).hexdigest()[:24]


def _usage(body: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, int]:
    prompt = estimate_tokens([body["messages"], body.get("tools", [])])
    spoken = _spoken(message)
    answer = -(-sum(len(text.encode("utf-8", "replace")) for text in spoken) // BYTES_PER_TOKEN)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
    }


def _spoken(message: Mapping[str, Any]) -> list[str]:
    calls = [call["function"] for call in message.get("tool_calls", ())]
    return [message["content"] or "", *(call["name"] + call["arguments"] for call in calls)]


def _cut(message: dict[str, Any], room: int) -> dict[str, Any]:
    """Keep what fits into `room` bytes, as a model that is stopped in the middle of writing."""
    content = message["content"]
    kept_content = None if content is None else _first_bytes(content, room)
    kept = message | {"content": kept_content}
    room -= len((content or "").encode("utf-8", "replace"))
    kept_calls: list[dict[str, Any]] = []
    for call in message.get("tool_calls", ()):
        function = call["function"]
        room -= len(function["name"])
        # The first call is always opened: even one token is the start of something.
        if room <= 0 and kept_calls:
            break
        written = _first_bytes(function["arguments"], max(room, 0))
        kept_calls.append(call | {"function": function | {"arguments": written}})
        room -= len(function["arguments"].encode("utf-8", "replace"))
    return kept | ({"tool_calls": kept_calls} if kept_calls else {})


def _first_bytes(text: str, room: int) -> str:
    return text.encode("utf-8", "replace")[: max(room, 0)].decode("utf-8", "ignore")


def _bytes(value: Any, *, sort: bool = False) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=sort)
    return text.encode("utf-8", "surrogatepass")
