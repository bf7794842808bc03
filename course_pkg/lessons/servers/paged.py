"""A server that gives its list of tools in pages, in one of the ways that the protocol allows.

    python -m course_pkg.lessons.servers.paged 'a b' 'c' '' 'd'

In: one word for each page, with the names of its tools; an empty word is a page without tools. The
word `...` at the end makes a list without an end, which no server should have: its last cursor
leads to the same page again. Out: an MCP server on stdin and stdout. Its tools do nothing.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from course_pkg.lessons.servers.lines import WRONG_PARAMS, Refusal, serve

ENDLESS = "..."


def cursor_of(number: int) -> str:
    """The cursor of a page: a text from which nobody can tell the next one.

    Args:
        number: which page, from 0.
    """
    return hashlib.sha256(f"page {number}".encode()).hexdigest()[:12]


def page_of(pages: list[str], cursor: str | None) -> dict[str, Any]:
    """The answer to `tools/list`.

    Args:
        pages: the names of each page, and perhaps `...`.
        cursor: what the client sent; `None` for the first page.

    Raises:
        Refusal: if the cursor is none of this list's.
    """
    names = [page for page in pages if page != ENDLESS]
    places: dict[str | None, int] = {None: 0}
    places.update({cursor_of(number): number for number in range(1, len(names))})
    if cursor not in places:
        raise Refusal(WRONG_PARAMS, f"Unknown cursor: {cursor!r}")
    at = places[cursor]
    following = min(at + 1, len(names) - 1) if ENDLESS in pages else at + 1
    page: dict[str, Any] = {"tools": [_definition(name) for name in names[at].split()]}
    return page | ({"nextCursor": cursor_of(following)} if following < len(names) else {})


def _definition(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


def main(pages: list[str]) -> None:
    """Serve until stdin ends.

    Args:
        pages: the names of each page.
    """
    serve({"tools/list": lambda params: page_of(pages, params.get("cursor"))}, name="paged")


if __name__ == "__main__":
    main(sys.argv[1:])
