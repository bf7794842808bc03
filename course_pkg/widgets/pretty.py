"""Lay out a JSON value as lines that people can read.

In: a JSON value of any size or depth, and which of its places are new, old or known. Out: `Line`s
of `Part`s, for a page or for plain text. Knows nothing of either, nor of what the value means,
but for one thing: a text under `arguments` is JSON in a text, and is shown decoded below itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from course_pkg.widgets.visible import cut

#: A container that fits in so many characters stays on one line.
INLINE_CHARS = 76
#: A message that was there before is shown in so many characters.
OLD_CHARS = 100
#: A longer text is folded after so many characters.
FOLD_CHARS = 2_000
#: Of one text, so many characters are kept.
KEEP_CHARS = 20_000
#: Of one payload, so many lines and characters are kept.
MAX_LINES = 400
MAX_CHARS = 24_000
#: Deeper values are not laid out.
MAX_DEPTH = 40

Path: TypeAlias = tuple[str | int, ...]
Kind: TypeAlias = Literal["plain", "key", "value", "note", "id"]
State: TypeAlias = Literal["", "added", "old", "decoded"]


class Part(NamedTuple):
    """A piece of a line. `number` is which id it is, for parts of kind `id`."""

    text: str
    kind: Kind = "plain"
    number: int = 0


Parts: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line.

    Attributes:
        depth: how far it is indented.
        parts: what it says.
        state: whether it is new, was there before, or is decoded from the text above.
        rest: the folded end of a long text; usually empty.
        size: how many characters that text has in all.
        tail: what follows the fold.
    """

    depth: int
    parts: Parts
    state: State = ""
    rest: str = ""
    size: int = 0
    tail: Parts = ()


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What is known about places in a value.

    Attributes:
        added: places that are new.
        old: places that were there before: one short line each.
        folded: places that are not shown, and what is said instead.
        ids: ids of calls, and their numbers.
    """

    added: frozenset[Path] = frozenset()
    old: frozenset[Path] = frozenset()
    folded: Mapping[Path, str] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)


NO_MARKS = Marks()


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a value stands: what is written before and after it, and its path."""

    depth: int = 0
    lead: Parts = ()
    tail: str = ""
    path: Path = ()
    state: State = ""


def pretty(value: Any, marks: Marks = NO_MARKS, *, where: str = "raw form") -> Iterator[Line]:
    """The value, laid out, in a bounded number of lines.

    Args:
        value: any JSON value.
        marks: what is known about places in it.
        where: where the whole value can be found, for the last line if it had to be cut.
    """
    chars = 0
    for count, line in enumerate(_lines(value, _Place(), marks)):
        chars += 2 * line.depth + sum(len(part.text) for part in line.parts) + len(line.rest)
        if count >= MAX_LINES or chars > MAX_CHARS + KEEP_CHARS * bool(line.rest):
            yield Line(depth=0, parts=(Part(f"… cut here; all of it: {where}", "note"),))
            return
        yield line


def brief(value: Any, limit: int) -> str:
    """The value as JSON on one line, cut after `limit` characters."""
    text = ""
    for part in _tokens(value, (), {}, limit):
        text += part.text
        if len(text) > limit:
            break
    return cut(text, limit)


def quoted(text: str) -> str:
    """The text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def _lines(value: Any, place: _Place, marks: Marks) -> Iterator[Line]:
    if place.path in marks.added:
        place = replace(place, state="added")
    if place.path in marks.folded:
        yield _line(place, Part(marks.folded[place.path], "note"), state="old")
    elif place.path in marks.old:
        yield _line(place, Part(brief(value, OLD_CHARS)), state="old")
    elif isinstance(value, str) and len(value) > FOLD_CHARS:
        yield _long_text(value, place)
        yield from _decoded(value, place)
    elif inline := _inline(value, place.path, marks.ids):
        yield _line(place, *inline)
        yield from _decoded(value, place)
    elif place.depth >= MAX_DEPTH:
        yield _line(place, Part("… nested too deep to lay out; see the raw form", "note"))
    else:
        yield from _container(value, place, marks)


def _line(place: _Place, *parts: Part, state: State = "") -> Line:
    tail = (Part(place.tail),) if place.tail else ()
    return Line(depth=place.depth, parts=(*place.lead, *parts, *tail), state=state or place.state)


def _container(value: Any, place: _Place, marks: Marks) -> Iterator[Line]:
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    yield _line(replace(place, tail=""), Part(opening))
    last = len(value) - 1
    for position, (key, item) in enumerate(_items(value)):
        inner = _Place(
            depth=place.depth + 1,
            lead=() if isinstance(value, list) else (Part(quoted(key), "key"), Part(": ")),
            tail="," if position < last else "",
            path=(*place.path, key),
            state=place.state,
        )
        yield from _lines(item, inner, marks)
    yield _line(replace(place, lead=()), Part(closing))


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, dict) else enumerate(value)


def _long_text(value: str, place: _Place) -> Line:
    shown = min(len(value), KEEP_CHARS)
    whole = shown == len(value)
    note = () if whole else (Part(f" … cut here, {len(value) - shown:,} more characters", "note"),)
    return Line(
        depth=place.depth,
        parts=(*place.lead, Part(quoted(value[:FOLD_CHARS])[:-1])),
        state=place.state,
        rest=quoted(value[FOLD_CHARS:shown])[1:-1] + '"' * whole,
        size=len(value),
        tail=(*note, Part(place.tail)),
    )


def _decoded(value: Any, place: _Place) -> Iterator[Line]:
    if place.path[-1:] != ("arguments",) or not isinstance(value, str):
        return
    lead = (Part("↳ decoded: ", "note"),)
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        note = Part("↳ this text is no JSON", "note")
        yield Line(depth=place.depth + 1, parts=(note,), state="decoded")
        return
    inner = _Place(depth=place.depth + 1, lead=lead, state="decoded")
    yield from _lines(decoded, inner, NO_MARKS)


def _inline(value: Any, path: Path, ids: Mapping[str, int]) -> Parts | None:
    """The value's parts if they fit on one line. A text or a number always fits."""
    parts: list[Part] = []
    room = INLINE_CHARS
    for part in _tokens(value, path, ids, FOLD_CHARS):
        if part.text == quoted("arguments"):
            return None  # its decoded form needs lines of its own
        room -= len(part.text)
        if room < 0 and isinstance(value, dict | list):
            return None
        parts.append(part)
    return tuple(parts)


def _tokens(value: Any, path: Path, ids: Mapping[str, int], limit: int) -> Iterator[Part]:
    """The parts of a value on one line. Lazy: who stops early pays for no more."""
    if isinstance(value, str):
        yield _text(value[: limit + 1], path, ids)
    elif not isinstance(value, dict | list):
        yield Part(json.dumps(value), "value")
    else:
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        yield Part(opening)
        for position, (key, item) in enumerate(_items(value)):
            if position:
                yield Part(", ")
            if isinstance(value, dict):
                yield Part(quoted(key[: limit + 1]), "key")
                yield Part(": ")
            yield from _tokens(item, (*path, key), ids, limit)
        yield Part(closing)


def _text(value: str, path: Path, ids: Mapping[str, int]) -> Part:
    if path[-1:] in {("id",), ("tool_call_id",)} and value in ids:
        return Part(quoted(value), "id", ids[value])
    return Part(quoted(value))
