"""What differs between two JSON values, place by place.

In: a value before and after. Out: `Difference`s, with what hides in a text written out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from course_pkg.schema.places import pointer
from course_pkg.tools.hidden import revealed

#: Of a long text only what changed is shown, with so many characters before it.
LEAD_CHARS = 30
MAX_SHOWN_CHARS = 400
ABSENT = "(nothing)"
_NOTHING = object()


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One place at which two values differ.

    Attributes:
        path: a JSON Pointer from the root.
        before: what stood there, to show.
        after: what stands there now, to show.
    """

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        """All of it, on three lines."""
        return f"{self.path}\n    before: {self.before}\n    now:    {self.after}"


def differences(before: Any, after: Any) -> tuple[Difference, ...]:
    """Every place at which two values differ. Deep nesting does no harm.

    Args:
        before: a JSON value.
        after: another.
    """
    return tuple(_differences(before, after))


def _differences(before: Any, after: Any) -> Iterator[Difference]:
    waiting: list[tuple[tuple[str | int, ...], Any, Any]] = [((), before, after)]
    while waiting:
        steps, old, new = waiting.pop()
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            names = [*old, *(name for name in new if name not in old)]
            waiting += reversed(
                [((*steps, n), old.get(n, _NOTHING), new.get(n, _NOTHING)) for n in names]
            )
        elif _are_lists(old, new):
            waiting += reversed([((*steps, at), old[at], new[at]) for at in range(len(old))])
        elif type(old) is not type(new) or old != new:
            shown_before, shown_after = _shown(old, new)
            yield Difference(path=revealed(pointer(steps)), before=shown_before, after=shown_after)


def _are_lists(old: Any, new: Any) -> bool:
    return isinstance(old, list) and isinstance(new, list) and len(old) == len(new)


def _shown(old: Any, new: Any) -> tuple[str, str]:
    if not (isinstance(old, str) and isinstance(new, str)):
        return _cut(_as_text(old)), _cut(_as_text(new))
    pairs = enumerate(zip(old, new, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
    start = max(0, first - LEAD_CHARS)
    lead = "…" if start else ""
    return lead + _cut(_as_text(old[start:])), lead + _cut(_as_text(new[start:]))


def _as_text(value: Any) -> str:
    if value is _NOTHING:
        return ABSENT
    try:
        return revealed(json.dumps(value, ensure_ascii=False) if value != "" else '""')
    except (ValueError, TypeError, RecursionError):
        return "(a value that cannot be shown)"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
