"""Failures of a streamed reply: places, names and ids that come otherwise, streams that break off.

In: nothing. Out: `ROWS`. A reply that is not streamed stays good.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from course_pkg.practice.fault import Event, Fault, SpoilStream

STREAM: Mapping[str, Any] = {"stream": True}
DONE = "data: [DONE]\n\n"

_BROKEN = {"error": {"message": "The worker behind this stream is gone.", "type": "server_error"}}

Piece = dict[str, Any]


def on_pieces(change: Callable[[Piece], Any]) -> SpoilStream:
    """Change each piece of a call."""

    def changed(event: Event) -> Event:
        if isinstance(event, str) or not (pieces := _pieces(event)):
            return event
        return _with_delta(event, {"tool_calls": [change(piece) for piece in pieces]})

    return lambda events: [changed(event) for event in events]


def _delta(event: Event) -> dict[str, Any]:
    if isinstance(event, str) or not event["choices"]:
        return {}
    delta: dict[str, Any] = event["choices"][0]["delta"]
    return delta


def _pieces(event: Event) -> list[Piece]:
    return _delta(event).get("tool_calls") or []


def _with_delta(event: dict[str, Any], delta: Any) -> dict[str, Any]:
    return event | {"choices": [event["choices"][0] | {"delta": delta}]}


def _is_last(event: Event) -> bool:
    """Whether the event is the chunk that holds the finish reason."""
    if isinstance(event, str) or not event["choices"]:
        return False
    return event["choices"][0]["finish_reason"] is not None


def _without_index(piece: Piece) -> Piece:
    return {key: value for key, value in piece.items() if key != "index"}


def _without_type(piece: Piece) -> Piece:
    return {key: value for key, value in piece.items() if key != "type"}


def _without_arguments(piece: Piece) -> Piece:
    function = {key: value for key, value in piece["function"].items() if key != "arguments"}
    return piece | {"function": function}


def _repeat_names(events: Sequence[Event]) -> list[Event]:
    """Id and name come again with every piece."""
    opened: dict[int, Piece] = {}

    def whole(piece: Piece) -> Piece:
        first = opened.setdefault(piece["index"], piece)
        function = {"name": first["function"]["name"], **_arguments_of(piece)}
        return {**first, "function": function}

    return on_pieces(whole)(events)


def _arguments_of(piece: Piece) -> dict[str, Any]:
    return {"arguments": piece["function"].get("arguments", "")}


def _split_names(events: Sequence[Event]) -> list[Event]:
    """The second half of each name comes in a piece of its own."""
    spoilt: list[Event] = []
    for event in events:
        pieces = _pieces(event)
        if isinstance(event, str) or not pieces or "name" not in pieces[0]["function"]:
            spoilt.append(event)
            continue
        opening = pieces[0]
        name, half = opening["function"]["name"], len(opening["function"]["name"]) // 2
        first = opening | {"function": opening["function"] | {"name": name[:half]}}
        second = {"index": opening["index"], "function": {"name": name[half:]}}
        spoilt += [_with_delta(event, {"tool_calls": [piece]}) for piece in (first, second)]
    return spoilt


def _late_ids(events: Sequence[Event]) -> list[Event]:
    """The id comes with the second piece of a call, not with the first."""
    held: dict[int, str] = {}

    def late(piece: Piece) -> Piece:
        if "id" in piece:
            held[piece["index"]] = piece["id"]
            return {key: value for key, value in piece.items() if key != "id"}
        return piece | {"id": held.pop(piece["index"])} if piece["index"] in held else piece

    return on_pieces(late)(events)


def _in_one_piece(events: Sequence[Event]) -> list[Event]:
    """All calls whole, in the chunk in which the first of them opens."""
    calls: dict[int, Piece] = {}
    for piece in [piece for event in events for piece in _pieces(event)]:
        call = calls.setdefault(piece["index"], piece)
        text = _arguments_of(call)["arguments"] if call is not piece else ""
        joined = text + _arguments_of(piece)["arguments"]
        calls[piece["index"]] = call | {"function": call["function"] | {"arguments": joined}}
    first = next((event for event in events if _pieces(event)), None)
    spoilt: list[Event] = []
    for event in events:
        if event is first and not isinstance(event, str):
            spoilt.append(_with_delta(event, {"tool_calls": list(calls.values())}))
        elif not _pieces(event):
            spoilt.append(event)
    return spoilt


def _first_half(events: Sequence[Event]) -> list[Event]:
    return list(events[: max(1, len(events) // 2)])


def _reason_with_each(events: Sequence[Event]) -> list[Event]:
    """The finish reason comes with every chunk, not only with the last."""
    chunks = [event for event in events if isinstance(event, dict) and event["choices"]]
    reason = chunks[-1]["choices"][0]["finish_reason"]
    return [_finishing(event, reason) for event in events]


def _finishing(event: Event, reason: Any) -> Event:
    if isinstance(event, str) or not event["choices"]:
        return event
    return event | {"choices": [event["choices"][0] | {"finish_reason": reason}]}


def _with_comments(events: Sequence[Event]) -> list[Event]:
    return [part for event in events for part in (": still at work\n\n", event)]


def _with_other_line_ends(events: Sequence[Event]) -> list[Event]:
    return [_as_text(event).replace("\n\n", "\r\n\r\n") for event in events]


def _as_text(event: Event) -> str:
    if isinstance(event, str):
        return event
    return f"data: {json.dumps(event, ensure_ascii=True)}\n\n"


def _opened_without_choice(events: Sequence[Event]) -> list[Event]:
    opening = [event for event in events[:1] if isinstance(event, dict)]
    empty = [event | {"choices": [], "prompt_filter_results": []} for event in opening]
    return [*empty, *events]


def _delta_null(events: Sequence[Event]) -> list[Event]:
    """The chunk with the finish reason has null for a delta."""
    return [
        _with_delta(event, None) if _is_last(event) and isinstance(event, dict) else event
        for event in events
    ]


ROWS = (
    Fault(
        name="stream_index_missing",
        title="Pieces without a place",
        says="The pieces of two calls do not say to which call they belong, but by their ids.",
        group="stream",
        case="a-51",
        options=STREAM,
        needs="two_calls",
        spoil_stream=on_pieces(_without_index),
    ),
    Fault(
        name="stream_index_repeated",
        title="One place for two calls",
        says="Two calls come under the same place, 0, and only their ids tell them apart.",
        group="stream",
        case="a-51",
        options=STREAM,
        needs="two_calls",
        spoil_stream=on_pieces(lambda piece: piece | {"index": 0}),
    ),
    Fault(
        name="stream_in_one_piece",
        title="The calls in one piece",
        says="All calls come whole, in one chunk.",
        group="stream",
        case="a-51",
        options=STREAM,
        needs="two_calls",
        spoil_stream=_in_one_piece,
    ),
    Fault(
        name="stream_index_from_one",
        title="Places that begin at 1",
        says="The first call has the place 1, so a list of calls has a hole at its beginning.",
        group="stream",
        case="a-56",
        options=STREAM,
        needs="call",
        spoil_stream=on_pieces(lambda piece: piece | {"index": piece["index"] + 1}),
    ),
    Fault(
        name="stream_name_repeated",
        title="The name with each piece",
        says="Id and name come again with each piece; who adds them up gets a very long name.",
        group="stream",
        case="a-54",
        options=STREAM,
        needs="call",
        spoil_stream=_repeat_names,
    ),
    Fault(
        name="stream_name_in_pieces",
        title="The name in two pieces",
        says="The name of the tool comes in two halves, which have to be added up.",
        group="stream",
        case="a-55",
        options=STREAM,
        needs="call",
        spoil_stream=_split_names,
    ),
    Fault(
        name="stream_id_late",
        title="The id comes late",
        says="The id of a call comes with its second piece.",
        group="stream",
        case="a-32",
        options=STREAM,
        needs="call",
        spoil_stream=_late_ids,
    ),
    Fault(
        name="stream_id_emptied",
        title="Later pieces with an empty id",
        says="Each later piece of a call comes with an empty id beside its place.",
        group="stream",
        case="a-32",
        options=STREAM,
        needs="call",
        spoil_stream=on_pieces(lambda piece: {"id": "", **piece}),
    ),
    Fault(
        name="stream_type_missing",
        title="Pieces without a type",
        says="No piece says that the call is a function.",
        group="stream",
        case="b-15",
        options=STREAM,
        needs="call",
        spoil_stream=on_pieces(_without_type),
    ),
    Fault(
        name="stream_arguments_absent",
        title="No piece of arguments",
        says="The name comes, and no piece holds the field arguments, not even an empty one.",
        group="stream",
        case="a-59",
        options=STREAM,
        needs="call",
        spoil_stream=on_pieces(_without_arguments),
    ),
    Fault(
        name="stream_error_event",
        title="An error in mid-stream",
        says="After half of the chunks, with status 200 long sent, comes an error object.",
        group="stream",
        case="a-60",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=lambda events: [*_first_half(events), _BROKEN],
    ),
    Fault(
        name="stream_breaks_off",
        title="The stream just ends",
        says="The stream ends after half of the chunks, as if it were complete.",
        group="stream",
        case="a-60",
        options=STREAM,
        needs="call",
        spoil_stream=_first_half,
    ),
    Fault(
        name="stream_without_reason",
        title="No finish reason",
        says="Everything comes but the chunk with the finish reason.",
        group="stream",
        case="a-60",
        options=STREAM,
        needs="call",
        spoil_stream=lambda events: [event for event in events if not _is_last(event)],
    ),
    Fault(
        name="stream_without_done",
        title="No [DONE] at the end",
        says="The reply is whole, but the line that ends a stream is missing.",
        group="stream",
        case="a-60",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=lambda events: [event for event in events if event != DONE],
    ),
    Fault(
        name="stream_empty",
        title="A stream of nothing",
        says="The stream holds its last line, [DONE], and nothing before it.",
        group="stream",
        case="a-47",
        options=STREAM,
        when="always",
        spoil_stream=lambda _events: [DONE],
    ),
    Fault(
        name="stream_event_no_json",
        title="An event that is no JSON",
        says="In the middle of the stream comes an event that stops half-way.",
        group="stream",
        case="a-60",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=lambda events: [*_first_half(events), 'data: {"id": "chatc\n\n', DONE],
    ),
    Fault(
        name="stream_with_comments",
        title="Comments in the stream",
        says="Between the chunks come comment lines, which keep the connection open.",
        group="stream",
        case="a-60",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=_with_comments,
    ),
    Fault(
        name="stream_other_line_ends",
        title="Lines that end otherwise",
        says="The lines of the stream end with a carriage return and a line feed.",
        group="stream",
        case="a-60",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=_with_other_line_ends,
    ),
    Fault(
        name="stream_opens_without_choice",
        title="A first chunk without a choice",
        says="The first chunk has an empty list of choices.",
        group="stream",
        case="a-47",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=_opened_without_choice,
    ),
    Fault(
        name="stream_delta_null",
        title="Null for a delta",
        says="The chunk with the finish reason has null where its piece should be.",
        group="stream",
        case="a-48",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=_delta_null,
    ),
    Fault(
        name="stream_reason_with_each",
        title="The finish reason from the start",
        says="Each chunk has the finish reason, so the first one looks like the last.",
        group="stream",
        case="a-37",
        options=STREAM,
        needs="call",
        when="always",
        spoil_stream=_reason_with_each,
    ),
    Fault(
        name="stream_not_streamed",
        title="No stream at all",
        says="A stream was asked for, and one plain JSON body comes.",
        group="stream",
        case="a-49",
        options=STREAM,
        when="always",
        ignores_stream=True,
    ),
)
