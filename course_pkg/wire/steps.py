"""To which of the six steps of a tool call a frame belongs.

In: a frame. Out: numbers from 1 to 6. Pure functions of the frame and of the request it answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course_pkg.wire.frame import Frame


@dataclass(frozen=True)
class Step:
    """One of the six steps.

    Attributes:
        number: 1 to 6.
        name: its label, the same in text, diagrams and views.
        meaning: what happens in it, in one sentence.
    """

    number: int
    name: str
    meaning: str


STEPS = (
    Step(1, "Offer", "The system prompt and the tool list go out."),
    Step(2, "Ask", "The user's message goes out."),
    Step(3, "Decide", "The model answers with text or with tool calls."),
    Step(4, "Execute", "Code parses, validates and runs each call."),
    Step(5, "Return", "One tool message per call goes back, with the same id."),
    Step(6, "Answer", "The model answers from the results."),
)


#: The MCP methods that have to do with a tool's run.
RUNNING = ("tools/call", "notifications/progress", "notifications/cancelled")


def step_of(frame: Frame) -> int:
    """The step that this frame is about, 1 to 6.

    A first request both offers and asks; it is about asking, the later of its steps.
    """
    return steps_of(frame)[-1]


def steps_of(frame: Frame) -> tuple[int, ...]:
    """All steps that this frame reaches, in order; at least one.

    A first request offers tools *and* asks: `(1, 2)`.
    """
    if frame.wire == "mcp":
        return (_step_over_mcp(frame),)
    if frame.wire == "sidecar":
        return (1 if _label_of_request(frame).endswith("/tools") else 4,)
    if frame.wire != "model":
        return (4,)
    if frame.direction == "received":
        return (_step_of_answer(frame),)
    return _steps_of_request(_messages(frame), frame.json)


def _step_over_mcp(frame: Frame) -> int:
    """4 for a tool's run; 1 for the rest: a client finds out what there is to be offered."""
    method = _label_of_request(frame)
    finds_out = "/" in method and method not in RUNNING
    return 1 if finds_out or method == "initialize" else 4


def _label_of_request(frame: Frame) -> str:
    return frame.label if frame.request is None else frame.request.label


def _steps_of_request(messages: Sequence[Any], payload: Any) -> tuple[int, ...]:
    if not messages:
        return (1,)
    if _role(messages[-1]) == "tool":
        return (5,)
    offers = bool(payload.get("tools")) or _role(messages[0]) in {"system", "developer"}
    return (1, 2) if offers else (2,)


def _step_of_answer(frame: Frame) -> int:
    messages = [] if frame.request is None else _messages(frame.request)
    if frame.request is not None and not messages:
        return 1  # the list of models: part of what is on offer
    from_results = bool(messages) and _role(messages[-1]) == "tool"
    return 6 if from_results and not _has_calls(frame.json) else 3


def _messages(frame: Frame) -> Sequence[Any]:
    payload = frame.json
    messages = payload.get("messages") if isinstance(payload, Mapping) else None
    return messages if isinstance(messages, list) else []


def _role(message: Any) -> str:
    role = message.get("role") if isinstance(message, Mapping) else None
    return role if isinstance(role, str) else ""


def _has_calls(payload: Any) -> bool:
    """Whether an answer, or one event of a streamed answer, carries a tool call."""
    if isinstance(payload, list):
        # An event is never a list: a hostile one must not lead us down.
        return any(_has_calls(event) for event in payload if not isinstance(event, list))
    choices = payload.get("choices") if isinstance(payload, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, Mapping):
        return False
    said = first.get("message") or first.get("delta")
    return isinstance(said, Mapping) and bool(said.get("tool_calls"))
