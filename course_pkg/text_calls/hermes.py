"""Read `<tool_call>{"name": …, "arguments": …}</tool_call>`, as Hermes and Qwen models write it.

In: a text and the place after an opening tag. Out: the calls in the tag. A missing closing tag is
mended where the JSON is whole; JSON that is not whole is never made so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course_pkg.text_calls.jsons import NotReadError, skip_space, value_at
from course_pkg.text_calls.parsed import Draft, Piece, as_json, unreadable

OPEN = "<tool_call>"
OPENING = re.compile(OPEN)
CLOSE = "</tool_call>"

#: A code fence around the JSON, inside the tags.
FENCE = "```"
FENCE_OPENING = re.compile(r"```[A-Za-z0-9_+-]*\s*(?=[\[{])")

#: The start of a call that is no JSON, or broken somewhere: its name can still be read.
START = re.compile(
    r"""\{\s*(["'])name\1\s*:\s*(["'])(?P<name>[^"'\\]{1,200})\2\s*,"""
    r"""\s*(["'])(?:arguments|parameters)\4\s*:"""
)


def read(text: str, opened: re.Match[str], _: Any = None) -> Piece | None:
    """The calls in a tag; `None` if what follows it is no call.

    Args:
        text: the whole text.
        opened: where `<tool_call>` stands.
    """
    start = skip_space(text, opened.end())
    if start == len(text):
        return Piece(drafts=(unreadable("", closed=False),), end=start)
    fence = FENCE_OPENING.match(text, start)
    start = fence.end() if fence else start
    if text[start] not in "{[":
        return None
    values, end = _values(text, start)
    if fence and text.startswith(FENCE, end):
        end = skip_space(text, end + len(FENCE))
    closed = text.startswith(CLOSE, end)
    if not values or not (closed or _may_end(text, end)):
        return _broken(text, start)
    notes = (*(["code_fence"] if fence else []), *([] if closed else ["unclosed_tag"]))
    try:
        drafts = tuple(draft_of(value, notes) for value in values)
    except RecursionError:  # it could just be read, and cannot be written
        return _broken(text, start)
    after = end + len(CLOSE) if closed else text.find(OPEN, end)
    return Piece(drafts=drafts, end=after if after >= 0 else len(text))


def draft_of(value: Mapping[str, Any], notes: tuple[str, ...]) -> Draft:
    """The call in an object with a name and arguments.

    Args:
        value: the object.
        notes: what was mended so far.
    """
    arguments = value.get("arguments", value.get("parameters", {}))
    # Arguments that are a JSON text already are what the text says.
    written = arguments if isinstance(arguments, str) else as_json(arguments)
    return Draft(name=value["name"], arguments=written, notes=notes)


def _values(text: str, at: int) -> tuple[list[Any], int]:
    """The JSON values from `at` on, one after another, and where they end. A list is its items."""
    values: list[Any] = []
    try:
        while text.startswith(("{", "["), at):
            value, end = value_at(text, at)
            values += value if isinstance(value, list) else [value]
            at = skip_space(text, end)
    except NotReadError:
        return [], at
    return (values if all(_is_call(value) for value in values) else []), at


def _may_end(text: str, at: int) -> bool:
    """Whether a whole call may end here without its tag: at the end, or before the next call.

    The end may have come in the middle of the closing tag.
    """
    rest = text[at : at + len(OPEN)]
    return rest == OPEN or (at + len(rest) == len(text) and CLOSE.startswith(rest))


def _is_call(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("name"), str) and bool(value["name"])


def _broken(text: str, start: int) -> Piece:
    """A call whose JSON cannot be taken as it is. The text of its arguments goes on, unread."""
    following = text.find(f"\n{OPEN}", start)
    limit = following if following >= 0 else len(text)
    close = text.find(CLOSE, start, limit)
    raw = text[start : close if close >= 0 else limit].strip()
    end = close + len(CLOSE) if close >= 0 else limit
    found = START.match(raw)
    arguments = raw[found.end() : -1].strip() if found and raw.endswith("}") else ""
    if found is None or not arguments or close < 0:
        draft = unreadable(raw, name=found["name"] if found else "", closed=close >= 0)
    else:
        draft = Draft(name=found["name"], arguments=arguments)
    return Piece(drafts=(draft,), end=end)
