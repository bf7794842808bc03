"""Read one JSON value at a place in a text, and say where it ends.

In: a text and a place. Out: the value and the place after it, or nothing. The value's own brackets
say where it ends, never a tag: a tag may stand inside a text in it. Stricter than Python's reader:
an object with a name twice, NaN or a number too large is not read here. It goes on as text, and
whoever reads that says what is wrong.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

SPACE = re.compile(r"\s*")


class NotReadError(ValueError):
    """There is no JSON value at this place that can be taken as it is."""


def skip_space(text: str, at: int) -> int:
    """The first place from `at` on that is no whitespace."""
    found = SPACE.match(text, at)
    return found.end() if found else at


def value_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at `at`, and where it ends.

    Args:
        text: any text.
        at: where to begin; whitespace is skipped.

    Raises:
        NotReadError: if there is none.
    """
    try:
        return DECODER.raw_decode(text, skip_space(text, at))
    except (ValueError, RecursionError):
        raise NotReadError from None


def whole_value(text: str) -> Any:
    """The JSON value that a whole text is.

    Raises:
        NotReadError: if it is none, or something follows it.
    """
    value, end = value_at(text, 0)
    if skip_space(text, end) < len(text):
        raise NotReadError
    return value


def _refuse(_: str) -> Any:
    raise NotReadError


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _refuse("")


DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_object)
