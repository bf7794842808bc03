"""One reason why an instance does not fit its schema, and what became of each branch.

In: what the validator found. Out: frozen values (`Problem`, `Choice`, `Branch`), and small words
about JSON values.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

#: A value in a message ends after this many characters.
MAX_SHOWN_CHARS = 60

#: A key that can be written after a dot.
PLAIN_KEY = re.compile(r"[\w$-]+")

#: Keys and indexes from the root of an instance.
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One reason why an instance does not fit its schema.

    Attributes:
        path: keys and indexes from the root of the instance to the value; empty for the root.
        keyword: the schema's keyword that is broken: `type`, `required`, `anyOf`. Two are none of
            a schema's: `false` (the schema allows nothing here) and `json` (the value is none that
            JSON has).
        expected: what the schema asks for, in words that follow "expected".
        found: the value that is there, as JSON, shortened.
        advice: what to do about it, in one sentence.
        choice: for `anyOf` and `oneOf`: what became of each branch.
    """

    path: Path
    keyword: str
    expected: str
    found: str
    advice: str
    choice: Choice | None = None

    @property
    def where(self) -> str:
        """The path as a person writes it: `place.lat`, `stops[2]`; empty for the root."""
        return written(self.path)

    @property
    def branches(self) -> tuple[tuple[Problem, ...], ...]:
        """For `anyOf` and `oneOf`: the problems of each branch, in order."""
        return tuple(branch.problems for branch in self.choice.branches) if self.choice else ()


@dataclass(frozen=True, kw_only=True)
class Branch:
    """What became of one branch of an `anyOf` or `oneOf`.

    Attributes:
        number: its place in the list, from 1.
        label: what to call it: its title, its tag (`kind "geo"`), or its type.
        problems: why the value does not fit it; empty if it does.
    """

    number: int
    label: str
    problems: tuple[Problem, ...] = ()

    @property
    def matched(self) -> bool:
        """Whether the value fits this branch."""
        return not self.problems


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What became of one `anyOf` or `oneOf` that an instance met.

    Attributes:
        path: where the value is that had to fit.
        keyword: `anyOf` or `oneOf`.
        branches: every branch, in order.
        blamed: the number of the branch that was meant but not met; `None` if none stands out.
        reason: why that branch was meant, or what would have chosen one.
    """

    path: Path
    keyword: str
    branches: tuple[Branch, ...]
    blamed: int | None = None
    reason: str = ""

    @property
    def where(self) -> str:
        """The path as a person writes it."""
        return written(self.path)

    @property
    def matched(self) -> tuple[Branch, ...]:
        """The branches that the value fits."""
        return tuple(branch for branch in self.branches if branch.matched)

    @property
    def valid(self) -> bool:
        """The verdict: at least one branch for `anyOf`, exactly one for `oneOf`."""
        return len(self.matched) == 1 if self.keyword == "oneOf" else bool(self.matched)


def written(path: Path) -> str:
    """A path as a person writes it: `place.lat`, `stops[2]`, `["a b"]`; empty for the root."""
    return "".join(map(_step, path)).removeprefix(".")


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if PLAIN_KEY.fullmatch(key) else f"[{shown(key)}]"


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
    """A value as JSON, cut to `MAX_SHOWN_CHARS`. It can always be encoded and printed."""
    if isinstance(value, str):
        value = value[: MAX_SHOWN_CHARS + 1]  # a long text is not written out to be cut
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, TypeError, RecursionError):
        text = f"({json_type(value)})"
    text = text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
    # Half of a character (a lone surrogate) cannot be sent: it is written as an escape.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
