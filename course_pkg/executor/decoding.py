"""Read JSON strictly: what is here once and certain comes through, anything else is an error.

In: a text. Out: its value, or an `ArgumentsError` that says where and why. Stricter than Python's
own reader: no NaN, no number too large to be read, no name twice in an object.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

#: How much of unreadable arguments an error shows, in characters.
MAX_SHOWN_CHARS = 80

TOO_DEEP = "The arguments are nested too deeply. Send a flatter value."


class ArgumentsError(ValueError):
    """Arguments that cannot be used.

    Attributes:
        kind: which kind, in one code word.
    """

    def __init__(self, text: str, *, kind: str) -> None:
        """Say what is wrong with the arguments and what to write instead."""
        super().__init__(text)
        self.kind = kind


class NotJSONError(ArgumentsError):
    """The text is no JSON. This is the only error after which a repair is looked for."""


def decoded(text: str) -> Any:
    """The value that a JSON text stands for.

    Args:
        text: one JSON value, with whitespace around it or not.

    Raises:
        ArgumentsError: if it is none, or one that JSON does not quite have.
    """
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise NotJSONError(_why_not_json(text, error), kind="invalid_json") from None
    except RecursionError:
        raise ArgumentsError(TOO_DEEP, kind="too_deep") from None
    except ValueError as error:
        if isinstance(error, ArgumentsError):
            raise
        # Python refuses integers of more than 4,300 digits.
        raise ArgumentsError(
            f"The arguments cannot be read: {error}", kind="invalid_json"
        ) from None


def refuse_half_characters(value: Any) -> None:
    """See that a value can be sent.

    Raises:
        ArgumentsError: kind `invalid_unicode`, if a text in it holds a lone surrogate.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentsError(
            "The arguments hold half of a character (a lone surrogate such as \\ud83d). Write the "
            "character itself.",
            kind="invalid_unicode",
        ) from None


def _why_not_json(text: str, error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return _about_what_follows(text, error.pos)
    around = text[max(0, error.pos - MAX_SHOWN_CHARS // 2) : error.pos + MAX_SHOWN_CHARS // 2]
    return (
        f"The arguments are not valid JSON: {error.msg} at line {error.lineno}, column "
        f"{error.colno}, near {around!r}. Write one JSON object, with double quotes around names "
        "and texts, and a backslash before each quote inside a text."
    )


def _about_what_follows(text: str, at: int) -> str:
    rest = text[at:].strip()[:MAX_SHOWN_CHARS]
    if rest.startswith("{"):
        return (
            "The arguments hold more than one JSON object. Make one tool call for each, with one "
            "object as its arguments."
        )
    return f"There is something after the JSON object: {rest!r}. Write the JSON object only."


def _refuse_constant(name: str) -> Any:
    raise ArgumentsError(
        f"The arguments hold {name}, which JSON does not have. Write a number or null.",
        kind="invalid_json",
    )


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ArgumentsError(
            f"The arguments hold the number {text[:MAX_SHOWN_CHARS]}, which is too large to be "
            "read exactly. Write a smaller one.",
            kind="invalid_json",
        )
    return number


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ArgumentsError(
            f"The arguments give {twice!r} twice. Give each name once.", kind="duplicate_key"
        )
    return value
