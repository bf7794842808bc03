"""Read a reply that is one JSON call and nothing else, bare or in one code fence.

In: a whole reply and the names of the tools on offer. Out: the call, or nothing. Small models write
calls like this; so do texts that only show one. Hence the narrow gate: nothing around it, a tool on
offer, an object as arguments, and nothing else in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from course_pkg.text_calls.hermes import draft_of
from course_pkg.text_calls.jsons import NotReadError, whole_value
from course_pkg.text_calls.parsed import Draft

FENCE = "```"
LANGUAGE = re.compile(r"[A-Za-z0-9_+-]*")

#: What may stand in such a call.
PARTS = ({"name", "arguments"}, {"name", "parameters"})


def read(text: str, names: Collection[str]) -> Draft | None:
    """The call that a whole reply is; `None` if it is anything else.

    Args:
        text: the reply, without thinking.
        names: the tools on offer.
    """
    try:
        value = whole_value(_without_fence(text.strip()))
    except NotReadError:
        return None
    if not isinstance(value, dict) or set(value) not in PARTS:
        return None
    arguments = value.get("arguments", value.get("parameters"))
    name = value["name"]
    if not isinstance(name, str) or name not in names or not isinstance(arguments, dict):
        return None
    return draft_of(value, ("call_in_content",))


def _without_fence(text: str) -> str:
    if len(text) < 2 * len(FENCE) or not (text.startswith(FENCE) and text.endswith(FENCE)):
        return text
    inner = text[len(FENCE) : -len(FENCE)]
    language = LANGUAGE.match(inner)
    return inner[language.end() if language else 0 :]
