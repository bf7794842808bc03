"""Leave out of a request what a service does not know and the answer can do without.

In: a refusal and the request. Out: the request without the field, or nothing if the refusal is
about something else. A refused value of a field that the service knows is the caller's mistake and
is not mended here, nor is a field whose loss would change what may be run or paid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from course_pkg.model.errors import ModelError

#: Field → what takes its place; `None` if nothing does.
OPTIONAL_FIELDS: Mapping[str, str | None] = {
    "parallel_tool_calls": None,
    "stream_options": None,
    "tool_choice": None,
    "temperature": None,
    "top_p": None,
    "seed": None,
    "reasoning_effort": None,
    # Limits are never dropped, only renamed.
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}

#: A choice without which a tool could run that must not.
KEPT_VALUES = {"tool_choice": ("none",)}

REFUSED_STATUSES = (400, 422)

#: How services say that they do not take a field at all.
NOT_TAKEN = re.compile(
    r"unsupported[ _](?:param|value|field|arg)|unknown[ _](?:param|field|arg|name)"
    r"|not (?:\w+ )?(?:supported|available|implemented|recogni[sz]ed|allowed|permitted)"
    r"|(?:not|n't) (?:\w+ )?support|(?:cannot|can't|can not) be used|unexpected keyword"
    r"|unrecogni[sz]ed (?:request )?(?:param|field|arg|key|name)|extra[ _](?:field|input|param)",
    re.IGNORECASE,
)


def refused_field(failure: ModelError, body: Mapping[str, Any]) -> str:
    """The optional field of the request that the service does not take; empty if there is none.

    Args:
        failure: the service's refusal.
        body: the request's payload.
    """
    if failure.status not in REFUSED_STATUSES or not NOT_TAKEN.search(failure.body):
        return ""
    if failure.param:
        return failure.param if _is_optional(failure.param, body) else ""
    named = re.findall(r"[a-z_]+", failure.body)
    return next((name for name in named if _is_optional(name, body)), "")


def _is_optional(name: str, body: Mapping[str, Any]) -> bool:
    return name in OPTIONAL_FIELDS and name in body and body[name] not in KEPT_VALUES.get(name, ())


class DroppedFields:
    """Which fields one service has refused, so that it is asked once only."""

    def __init__(self) -> None:
        """Begin with none."""
        self._refused: set[tuple[str, str]] = set()

    def add(self, name: str, value: Any) -> None:
        """Leave this field out from now on; a `tool_choice` with this value only."""
        self._refused.add(_refusal(name, value))

    def without(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The payload without what was refused, and what was done, in code words.

        Args:
            body: the request's payload.
        """
        kept, notes = dict(body), []
        if not self._refused:  # as with nearly every service
            return kept, ()
        for name in sorted({name for name, _ in self._refused} & kept.keys()):
            if _refusal(name, kept[name]) not in self._refused:
                continue
            other, value = OPTIONAL_FIELDS[name], kept.pop(name)
            if other is None:
                notes.append(f"dropped {name}")
            elif other not in kept:
                kept[other] = value
                notes.append(f"renamed {name}")
        return kept, tuple(notes)


def _refusal(name: str, value: Any) -> tuple[str, str]:
    # A service may know one tool_choice and not another; other fields it knows or not.
    return name, json.dumps(value, default=str) if name == "tool_choice" else ""
