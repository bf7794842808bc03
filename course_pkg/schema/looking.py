"""Look through a value before it is checked: is it JSON, and not nested too deeply?

In: a value. Out: the problems that no schema's keyword has a word for. `NaN` and `Infinity` are no
JSON numbers (RFC 8259, section 6), though Python's reader lets them in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from course_pkg.schema.errors import TooDeepError
from course_pkg.schema.problem import Path, Problem, json_type, shown

#: Objects and lists in each other. No tool needs more, and Python's own limit is not far above.
MAX_DEPTH = 64

#: Types that need no second look.
PLAIN = frozenset({str, int, bool, type(None)})


def strays(value: Any) -> list[Problem]:
    """What no JSON value may be, wherever it is: a number that is none, a type that JSON lacks.

    Args:
        value: the instance.

    Raises:
        TooDeepError: if more than `MAX_DEPTH` objects and lists are in each other.
    """
    return [] if _is_plain(value) else list(_found(value))


def _is_plain(value: Any) -> bool:
    """Level by level, without paths: nearly every instance ends here."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for part in level:
            kind = type(part)
            if kind is dict:
                below += part.values()
            elif kind is list:
                below += part
            elif kind not in PLAIN and not (kind is float and math.isfinite(part)):
                return False
        if not below:
            return True
        level = below
    return False


def _found(value: Any) -> Iterator[Problem]:
    waiting: list[tuple[Path, Any]] = [((), value)]
    found: list[Problem] = []
    while waiting:
        path, part = waiting.pop()
        if len(path) > MAX_DEPTH:
            raise too_deep()
        inner: list[tuple[Path, Any]] = []
        if isinstance(part, dict):
            inner = [((*path, key), below) for key, below in part.items()]
        elif isinstance(part, list):
            inner = [((*path, at), below) for at, below in enumerate(part)]
        elif not isinstance(part, str | int | float | None):
            found.append(_no_json(path, part))
        elif isinstance(part, float) and not math.isfinite(part):
            found.append(_no_number(path, part))
        waiting += reversed(inner)
    yield from found


def too_deep() -> TooDeepError:
    """The error of a value that is nested too deeply."""
    return TooDeepError(
        f"The value has more than {MAX_DEPTH} objects and lists in each other. Send a flatter one."
    )


def _no_number(path: Path, value: float) -> Problem:
    return Problem(
        path=path,
        keyword="json",
        expected="a number that JSON has",
        found=shown(value),
        advice="Give a finite number.",
    )


def _no_json(path: Path, value: Any) -> Problem:
    return Problem(
        path=path,
        keyword="json",
        expected="a value that JSON has",
        found=f"a Python {json_type(value)}",
        advice="Give text, a number, true, false, null, a list or an object.",
    )
