"""One reason why an instance does not fit its schema.

In: what the validator found. Out: a frozen `Problem`, and small words about JSON values.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

#: A value in a message ends after this many characters.
MAX_SHOWN_CHARS = 60


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One reason why an instance does not fit its schema.

    Attributes:
        path: keys and indexes from the root of the instance to the value; empty for the root.
        keyword: the schema's keyword that is broken: `type`, `required`, `anyOf`.
        expected: what the schema asks for, in words that follow "expected".
        found: the value that is there, as JSON, shortened.
        advice: what to do about it, in one sentence.
        branches: for `anyOf` and `oneOf`: the problems of each branch, in order.
    """

    path: tuple[str | int, ...]
    keyword: str
    expected: str
    found: str
    advice: str
    branches: tuple[tuple[Problem, ...], ...] = ()

    @property
    def where(self) -> str:
        """The path as a person writes it: `place.lat`, `stops[2]`; empty for the root."""
        text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path)
        return text.removeprefix(".")


def json_type(value: Any) -> str:
    """The JSON type of a Python value: `string`, `integer`, `null` and so on."""
    for kind, name in (
        (bool, "boolean"),
        (str, "string"),
        (int, "integer"),
        (float, "number"),
        (type(None), "null"),
        (dict, "object"),
        (list, "array"),
    ):
        if isinstance(value, kind):
            return name
    return type(value).__name__


def shown(value: Any) -> str:
    """A value as JSON, cut to `MAX_SHOWN_CHARS`."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, TypeError, RecursionError):
        text = f"({json_type(value)})"
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
