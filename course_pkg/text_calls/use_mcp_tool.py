"""Read `<use_mcp_tool>` with a server, a tool and JSON arguments, as models without tools write it.

In: a text and the place after an opening tag. Out: the call. The arguments are read as JSON after
their tag and end where the JSON ends; closing tags in the wrong order are taken as they come.
"""

from __future__ import annotations

import re
from typing import Any

from course_pkg.text_calls.jsons import NotReadError, skip_space, value_at
from course_pkg.text_calls.parsed import Draft, Piece, unreadable

OPENING = re.compile("<use_mcp_tool>")
CLOSE = "</use_mcp_tool>"
OPEN_ARGUMENTS = "<arguments>"
CLOSE_ARGUMENTS = "</arguments>"
FIELD = re.compile(r"<(server_name|tool_name)>\s*([^<>]{0,200}?)\s*</\1>\s*")


def read(text: str, opened: re.Match[str], _: Any = None) -> Piece | None:
    """The call in a tag; `None` if what follows it is no call.

    Args:
        text: the whole text.
        opened: where `<use_mcp_tool>` stands.
    """
    at = opened.end()
    start = skip_space(text, at)
    fields: dict[str, str] = {}
    while found := FIELD.match(text, start):
        fields[found[1]] = found[2]
        start = found.end()
    name, server = fields.get("tool_name", ""), fields.get("server_name", "")
    if not name:
        return _broken(text, at, start) if fields or start == len(text) else None
    arguments, end, notes = _arguments(text, start)
    if arguments is None:
        return _broken(text, at, start, name=name)
    draft = Draft(name=name, arguments=arguments, server=server, notes=notes)
    return Piece(drafts=(draft,), end=end)


def _arguments(text: str, at: int) -> tuple[str | None, int, tuple[str, ...]]:
    """The text of the arguments, the end of the call and what was mended; `None` if it is cut."""
    if not text.startswith(OPEN_ARGUMENTS, at):
        closed = text.startswith(CLOSE, at)
        return ("" if closed else None), at + len(CLOSE), ()
    start = skip_space(text, at + len(OPEN_ARGUMENTS))
    try:
        _, end = value_at(text, start)
    except NotReadError:
        end = -1
    closing = _closing(text, end) if end >= 0 else None
    if closing:
        return text[start:end], *closing
    return _unread(text, start)


def _closing(text: str, at: int) -> tuple[int, tuple[str, ...]] | None:
    """Where the call ends and what was mended; `None` if more stands before its closing tags."""
    tags: list[str] = []
    end = at
    while tag := _tag_at(text, skip_space(text, end)):
        if tag in tags:
            break
        end = skip_space(text, end) + len(tag)
        tags.append(tag)
    if tags == [CLOSE_ARGUMENTS, CLOSE]:
        return end, ()
    if tags == [CLOSE, CLOSE_ARGUMENTS]:
        return end, ("misplaced_close_tag",)
    if tags == [CLOSE]:
        return end, ("unclosed_tag",)
    rest = text[skip_space(text, end) :]  # what is left of a tag in whose middle the text ends
    if len(rest) < len(CLOSE) and (CLOSE.startswith(rest) or CLOSE_ARGUMENTS.startswith(rest)):
        return len(text), ("unclosed_tag",)
    return None


def _tag_at(text: str, at: int) -> str:
    return next((tag for tag in (CLOSE_ARGUMENTS, CLOSE) if text.startswith(tag, at)), "")


def _unread(text: str, start: int) -> tuple[str | None, int, tuple[str, ...]]:
    """Arguments that are no JSON go on as they are: whoever parses them says what is wrong."""
    close = text.find(CLOSE, start)
    if close < 0:
        return None, len(text), ()
    raw = text[start:close].strip()
    return raw.removesuffix(CLOSE_ARGUMENTS).strip(), close + len(CLOSE), ()


def _broken(text: str, at: int, start: int, *, name: str = "") -> Piece:
    close = text.find(CLOSE, start)
    end = close + len(CLOSE) if close >= 0 else len(text)
    return Piece(drafts=(unreadable(text[at:end], name=name, closed=close >= 0),), end=end)
