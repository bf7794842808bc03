"""Read a recording from its first frame on, and say what there is to see in each.

In: frames, in order. Out: a `Row` for each: summary, changes, problems, laid-out payload. Knows
nothing of HTML or of widgets, so that the page and the plain text say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from course_pkg.widgets import findings, json_rpc
from course_pkg.widgets.changes import Change, Request, change
from course_pkg.widgets.pretty import Line, Marks, pretty
from course_pkg.widgets.stream import assembled, calls_of, message_of
from course_pkg.widgets.summary import summary, tokens
from course_pkg.wire import STEPS, Frame, Step, events_of, steps_of
from course_pkg.wire.frame import EVENT_STREAM

NO_CHANGE = Change(sentences=())

#: The kinds of MCP messages that are errors: of a tool, and of the protocol.
WRONG = ("tool error", "protocol error")


@dataclass(frozen=True, kw_only=True)
class Row:
    """What there is to see in one frame.

    Attributes:
        frame: the frame.
        steps: the steps that it reaches.
        summary: one line.
        tokens: read and written, if the frame says so.
        events: how many events a streamed answer came in; 0 for any other frame.
        notes: what a request adds to the one before it, or what to know, in sentences.
        problems: what is wrong, in sentences.
        lines: the payload, laid out; none if it is no JSON.
        ids: the ids of calls seen so far, and their numbers.
        wrong: whether the payload itself is an error, as JSON-RPC and MCP say it.
    """

    frame: Frame
    steps: tuple[Step, ...]
    summary: str
    tokens: tuple[int, int] | None
    events: int
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    lines: tuple[Line, ...]
    ids: Mapping[str, int] = field(repr=False)
    wrong: bool = False

    @property
    def failed(self) -> bool:
        """Whether this frame is itself an error: no answer, a status of 400 and above, `wrong`."""
        return self.wrong or bool(self.frame.error) or (self.frame.status or 0) >= 400


class Reading:
    """Turns frames into rows. It remembers what it has read, since a row says what is new."""

    def __init__(self) -> None:
        """Begin before the first frame."""
        self._requests: list[Request] = []
        self._payloads: dict[int, Mapping[str, Any]] = {}
        self._ids: dict[str, int] = {}
        self._steps: set[int] = set()
        self._handshake = ""  # the version that the last handshake agreed on
        self._told: set[str] = set()  # what is said once, with the first message of its kind

    @property
    def reached(self) -> frozenset[int]:
        """The numbers of the steps that were reached so far."""
        return frozenset(self._steps)

    def row(self, frame: Frame) -> Row:
        """The row of the next frame.

        Args:
            frame: the frame that follows the one read last.
        """
        payload, events = _decoded(frame)
        numbers = steps_of(frame)
        self._steps.update(numbers)
        self._note_ids(payload)
        change = self._change(frame, payload)
        marks = Marks(added=change.added, old=change.old, folded=change.folded, ids=self._ids)
        where = f"frames[{frame.number - 1}].text"
        era = self._era(frame, payload)
        return Row(
            frame=frame,
            steps=tuple(step for step in STEPS if step.number in numbers),
            summary=summary(frame, payload, era),
            tokens=tokens(payload),
            events=events,
            notes=(*_notes(change, events), *self._mcp_notes(frame, payload, era)),
            problems=self._problems(frame, payload),
            lines=() if payload is None else tuple(pretty(payload, marks, where=where)),
            ids=dict(self._ids),
            wrong=frame.wire == "mcp" and json_rpc.kind_of(payload) in WRONG,
        )

    def _mcp_notes(self, frame: Frame, payload: Any, era: str) -> tuple[str, ...]:
        found = json_rpc.notes(frame, payload, era) if frame.wire == "mcp" else ()
        if frame.direction == "sent":
            found = tuple(sentence for sentence in found if sentence not in self._told)
            self._told.update(found)
        return found

    def _era(self, frame: Frame, payload: Any) -> str:
        """The version that holds for an MCP message: its own, or that of the last handshake.

        A handshake may lie before the recording. Then only the era is known.
        """
        if frame.wire != "mcp":
            return ""
        stated = json_rpc.stated_version(frame, payload)
        if frame.direction == "received" and stated and frame.request is not None:
            self._handshake = stated if frame.request.label == "initialize" else self._handshake
        asks = frame.direction == "sent" and json_rpc.kind_of(payload) == "request"
        return stated or self._handshake or (json_rpc.OLDER_ERA if asks else "")

    def _change(self, frame: Frame, payload: Any) -> Change:
        if not _is_request(frame, payload):
            return NO_CHANGE
        request = Request(number=frame.number, payload=payload)
        found = change(request, self._requests)
        self._requests.append(request)
        return found

    def _problems(self, frame: Frame, payload: Any) -> tuple[str, ...]:
        if _is_request(frame, payload):
            self._payloads[frame.number] = payload
            return findings.of_request(payload)
        if frame.wire == "model" and frame.direction == "received":
            number = 0 if frame.request is None else frame.request.number
            return findings.of_answer(payload, self._payloads.get(number, {}))
        return ()

    def _note_ids(self, payload: Any) -> None:
        for message in [message_of(payload), *_messages(payload)]:
            named = [call.get("id") for call in calls_of(message)]
            if isinstance(message, dict):
                named.append(message.get("tool_call_id"))
            for call_id in named:
                if isinstance(call_id, str) and call_id:
                    self._ids.setdefault(call_id, len(self._ids))


def read(frames: Iterable[Frame], since: int = 0) -> tuple[tuple[Row, ...], frozenset[int]]:
    """The rows of a recording, and the numbers of the steps that it reaches.

    Args:
        frames: the frames, in order.
        since: so many frames at the beginning were shown before: they get no row, but what is new
            in a later one is said in comparison with them.
    """
    reading = Reading()
    rows = tuple(reading.row(frame) for frame in frames)
    return rows[since:], reading.reached


def _decoded(frame: Frame) -> tuple[Any, int]:
    """The payload as JSON, and how many events it came in (0 if it is no stream)."""
    if not frame.header("content-type").startswith(EVENT_STREAM):
        return frame.json, 0
    events = list(events_of(frame.text))
    return assembled(events), len(events)


def _notes(change: Change, events: int) -> tuple[str, ...]:
    together = f"The answer came in {events:,} events. They are put together here."
    return (*change.sentences, *((together,) if events else ()))


def _is_request(frame: Frame, payload: Any) -> bool:
    sent = frame.wire == "model" and frame.direction == "sent"
    return sent and isinstance(payload, dict) and "messages" in payload


def _messages(payload: Any) -> list[Any]:
    messages = payload.get("messages") if isinstance(payload, dict) else None
    return messages if isinstance(messages, list) else []
