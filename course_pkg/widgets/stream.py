"""Put the events of a streamed answer together, only to be looked at.

In: the events of one answer. Out: the message that they amount to. The `model` module has its own,
stricter accumulator; this one shows what it can of whatever came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def assembled(events: Sequence[Any]) -> dict[str, Any]:
    """An answer in the form of an unstreamed one, as far as the events go.

    Args:
        events: each event's JSON, or its text where that is no JSON.

    Returns:
        `{"choices": [{"message": …, "finish_reason": …}], "usage": …}`, with what there was.
    """
    message: dict[str, Any] = {"role": "assistant", "content": None}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": None}
    answer: dict[str, Any] = {"choices": [choice]}
    for event in events:
        if not isinstance(event, dict):
            continue
        answer |= {key: event[key] for key in ("model", "usage", "error") if event.get(key)}
        first = first_choice(event)
        choice["finish_reason"] = first.get("finish_reason") or choice["finish_reason"]
        _add(message, first.get("delta"))
    return answer


def first_choice(answer: Any) -> dict[str, Any]:
    """The first choice of an answer or of an event; an empty one if there is none."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def message_of(answer: Any) -> dict[str, Any]:
    """The message of an answer; an empty one if there is none."""
    message = first_choice(answer).get("message")
    return message if isinstance(message, dict) else {}


def calls_of(message: Any) -> list[dict[str, Any]]:
    """The tool calls of a message that look like calls: objects, in order."""
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _add(message: dict[str, Any], delta: Any) -> None:
    if not isinstance(delta, dict):
        return
    if isinstance(delta.get("content"), str):
        message["content"] = (message["content"] or "") + delta["content"]
    for piece in calls_of(delta):
        _add_call(message.setdefault("tool_calls", []), piece)


def _add_call(calls: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    call = _call_for(calls, piece)
    function = piece.get("function")
    for key in ("id", "type"):
        if piece.get(key):
            call[key] = piece[key]
    if isinstance(function, dict):
        for key, text in function.items():
            if isinstance(text, str):
                call["function"][key] = call["function"].get(key, "") + text


def _call_for(calls: list[dict[str, Any]], piece: dict[str, Any]) -> dict[str, Any]:
    """The call that a piece belongs to: by index, else a new id opens one, else the last."""
    index, name = piece.get("index"), piece.get("id")
    for call in calls:
        if index is not None and call.get("index") == index:
            return call
    if calls and index is None and (not name or calls[-1].get("id") == name):
        return calls[-1]
    calls.append({"index": index, "function": {}})
    return calls[-1]
