"""Say in one line what a frame is.

In: a frame and its decoded payload. Out: a short text. It never raises, whatever the payload is.
"""

from __future__ import annotations

from typing import Any

from course_pkg.widgets import json_rpc
from course_pkg.widgets.phrases import VALUE_CHARS, call_text, count
from course_pkg.widgets.pretty import brief, quoted
from course_pkg.widgets.stream import calls_of, first_choice, message_of
from course_pkg.widgets.visible import cut
from course_pkg.wire import Frame

SUMMARY_CHARS = 160


def summary(frame: Frame, payload: Any, era: str = "") -> str:
    """One line about a frame: `get_weather(city="北京")`, `200 · tool_calls · …`.

    Args:
        frame: the frame.
        payload: its JSON; for a streamed answer, the answer put together; `None` if no JSON.
        era: for an MCP message: the protocol's version that holds for it, as far as it is known.
    """
    if frame.wire == "mcp":
        text = json_rpc.summary(frame, payload, era)
    elif frame.error:
        text = f"{frame.label} · {frame.error}"
    elif frame.wire == "model":
        text = _sent(frame, payload) if frame.direction == "sent" else _answer(frame, payload)
    elif frame.wire == "local":
        text = _local(frame, payload)
    else:
        text = _sidecar(frame, payload)
    return cut(" ".join(text.split()), SUMMARY_CHARS)


def tokens(payload: Any) -> tuple[int, int] | None:
    """Tokens read and tokens written, as the answer counts them; `None` if it does not."""
    usage = payload.get("usage") if isinstance(payload, dict) else None
    if not isinstance(usage, dict):
        return None
    counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return counts if all(type(count) is int for count in counts) else None  # type: ignore[return-value]


def _sent(frame: Frame, payload: Any) -> str:
    messages = payload.get("messages") if isinstance(payload, dict) else None
    if not isinstance(messages, list):
        return _other(frame, payload)
    tools = payload.get("tools")
    parts = [count(len(messages), "message")]
    parts.append(count(len(tools), "tool") if isinstance(tools, list) else "no tools")
    if "tool_choice" in payload:
        parts.append(f"tool_choice {brief(payload['tool_choice'], VALUE_CHARS)}")
    if payload.get("stream") is True:
        parts.append("streamed")
    return ", ".join(parts)


def _answer(frame: Frame, payload: Any) -> str:
    if not isinstance(payload, dict):
        return _other(frame, payload)
    if error := payload.get("error"):
        return f"{frame.label} · {_error_text(error)}"
    if isinstance(payload.get("data"), list):
        return f"{frame.label} · {count(len(payload['data']), 'model')}"
    message, choice = message_of(payload), first_choice(payload)
    if not choice:
        return f"{frame.label} · no choices in the answer"
    parts = [frame.label, str(choice.get("finish_reason") or "no finish_reason")]
    parts += [", ".join(_calls(message))] if calls_of(message) else []
    content = message.get("content")
    parts += [quoted(content[:SUMMARY_CHARS])] if isinstance(content, str) and content else []
    return " · ".join(parts)


def _calls(message: Any) -> list[str]:
    functions = [call.get("function") for call in calls_of(message)]
    return [
        call_text(function.get("name"), function.get("arguments", ""))
        if isinstance(function, dict)
        else "a call without a function"
        for function in functions
    ]


def _local(frame: Frame, payload: Any) -> str:
    if frame.direction == "sent" and isinstance(payload, dict):
        return call_text(payload.get("name", frame.label), payload.get("arguments"))
    return f"{frame.label} {brief(payload, SUMMARY_CHARS)}"


def _sidecar(frame: Frame, payload: Any) -> str:
    if frame.direction == "sent" and isinstance(payload, dict) and "name" in payload:
        return f"{frame.label} · {call_text(payload['name'], payload.get('arguments'))}"
    return _other(frame, payload)


def _error_text(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    code = error.get("code") if isinstance(error, dict) else None
    text = cut(said, SUMMARY_CHARS) if isinstance(said, str) else brief(error, SUMMARY_CHARS)
    return f"{code} · {text}" if isinstance(code, int) else text


def _other(frame: Frame, payload: Any) -> str:
    if payload is not None:
        return f"{frame.label} · {brief(payload, SUMMARY_CHARS)}"
    if not frame.body:
        return frame.label if frame.direction == "sent" else f"{frame.label} · empty"
    return f"{frame.label} · no JSON: {frame.text[:SUMMARY_CHARS]}"
