"""Say what a request adds to the one before it.

In: the payloads of requests, in order. Out: words, and marks for the laid-out JSON. This is the
inspector's main lesson: the client sends everything again, each time, with a little more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_pkg.widgets.phrases import count
from course_pkg.widgets.pretty import Path, brief
from course_pkg.widgets.stream import calls_of

#: Settings are shown in so many characters.
SETTING_CHARS = 40
#: So many messages are described one by one.
MAX_DESCRIBED = 8


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request's payload, and the number of its frame."""

    number: int
    payload: Mapping[str, Any]

    @property
    def messages(self) -> Sequence[Any]:
        """Its messages; none if it has no list of them."""
        return _list(self.payload, "messages")

    @property
    def tools(self) -> Sequence[Any]:
        """Its tool definitions; none if it has no list of them."""
        return _list(self.payload, "tools")


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is new in a request.

    Attributes:
        sentences: in words.
        added: the places in the payload that are new.
        old: the places that were there before.
        folded: places that need not be shown again, and what is said instead.
    """

    sentences: tuple[str, ...]
    added: frozenset[Path] = frozenset()
    old: frozenset[Path] = frozenset()
    folded: Mapping[Path, str] = field(default_factory=dict)


def change(request: Request, before: Sequence[Request]) -> Change:
    """What `request` adds.

    Args:
        request: the request to look at.
        before: the earlier requests of the recording, in order.
    """
    if not before:
        messages, tools = count(len(request.messages), "message"), _tools(request)
        return Change(sentences=(f"The first request: {messages} and {tools}.",))
    earlier = _continued(request, before)
    same = _same_start(request.messages, earlier.messages)
    new_tools, tool_words, folded = _tool_change(request, earlier, before)
    new_settings, setting_words = _setting_change(request, earlier)
    new = [("messages", position) for position in range(same, len(request.messages))]
    return Change(
        sentences=(_message_words(request, earlier, same), tool_words, *setting_words),
        added=frozenset([*new, *new_tools, *new_settings]),
        old=frozenset(("messages", position) for position in range(same)),
        folded=folded,
    )


def _continued(request: Request, before: Sequence[Request]) -> Request:
    """The last request that this one goes on from; else simply the last one."""
    for earlier in reversed(before):
        size = len(earlier.messages)
        if size and _same_start(request.messages, earlier.messages) == size:
            return earlier
    return before[-1]


def _same_start(new: Sequence[Any], old: Sequence[Any]) -> int:
    for position, (left, right) in enumerate(zip(new, old, strict=False)):
        if not _equal(left, right):
            return position
    return min(len(new), len(old))


def _equal(left: Any, right: Any) -> bool:
    try:
        return bool(left == right)
    except RecursionError:  # nested deeper than Python can compare
        return False


def _message_words(request: Request, earlier: Request, same: int) -> str:
    added, gone = len(request.messages) - same, len(earlier.messages) - same
    frame = f"frame {earlier.number}"
    if not added and not gone:
        return f"The same {count(same, 'message')} as in {frame}."
    if not added:
        return f"{_which(same, len(earlier.messages))} of {frame} left out, the rest as before."
    new = f"{_which(same, len(request.messages))} {'added' if not gone else 'different'}"
    rest = "the rest as before" if same else "no earlier message is kept"
    was = f" ({frame} had {count(gone, 'other message')} there)" if gone else ""
    return f"{new}, {rest}{was}. New: {_described(request.messages[same:])}."


def _which(start: int, end: int) -> str:
    numbers = range(start + 1, end + 1)
    if len(numbers) == 1:
        return f"Message {numbers[0]}"
    if len(numbers) == 2:
        return f"Messages {numbers[0]} and {numbers[1]}"
    return f"Messages {numbers[0]} to {numbers[-1]}"


def _described(messages: Sequence[Any]) -> str:
    words = [_described_one(message) for message in messages[:MAX_DESCRIBED]]
    more = len(messages) - len(words)
    return ", ".join(words) + (f", and {more:,} more" if more else "")


def _described_one(message: Any) -> str:
    if not isinstance(message, dict):
        return "something that is no message"
    role = brief(message.get("role"), SETTING_CHARS).strip('"')
    if calls := calls_of(message):
        return f"{role} with {count(len(calls), 'call')}"
    if "tool_call_id" in message:
        return f"{role} for {brief(message['tool_call_id'], SETTING_CHARS)}"
    return role


def _tools(request: Request) -> str:
    return count(len(request.tools), "tool") if request.tools else "no tools"


def _tool_change(
    request: Request, earlier: Request, before: Sequence[Request]
) -> tuple[list[Path], str, dict[Path, str]]:
    if _equal(request.tools, earlier.tools):
        first = next(other for other in before if _equal(other.tools, request.tools))
        note = f"[ the same {_tools(request)} as in frame {first.number} ]"
        folded: dict[Path, str] = {("tools",): note} if request.tools else {}
        return [], f"Tool list unchanged ({_tools(request)}).", folded
    new = [
        position
        for position, tool in enumerate(request.tools)
        if not any(_equal(tool, other) for other in earlier.tools)
    ]
    paths: list[Path] = [("tools", position) for position in new]
    words = f"Tool list changed: {_tools(request)} now, {len(earlier.tools)} before."
    return paths, words, {}


def _setting_change(request: Request, earlier: Request) -> tuple[list[Path], list[str]]:
    new: list[Path] = []
    words = []
    gone = [key for key in earlier.payload if key not in request.payload]
    for key in (*request.payload, *gone):
        was, now = earlier.payload.get(key), request.payload.get(key)
        if key in {"messages", "tools"} or _equal(was, now):
            continue
        new.append((key,))
        words.append(f"{key}: {_setting(earlier, key)} before, {_setting(request, key)} now.")
    return new, words


def _setting(request: Request, key: str) -> str:
    here = key in request.payload
    return brief(request.payload[key], SETTING_CHARS) if here else "not given"


def _list(payload: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = payload.get(key)
    return value if isinstance(value, list) else []
