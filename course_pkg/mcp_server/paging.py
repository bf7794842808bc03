"""Give long lists in pages, and find the next page by a cursor.

In: a list, the client's cursor, a page size. Out: a page, and the cursor of the next. To a client
the cursor is a text without meaning, which it sends back as it got it. Here it is the number of
items before the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from mcp import MCPError
from mcp.types import INVALID_PARAMS, PaginatedRequestParams

Item = TypeVar("Item")


def page_of(
    items: Sequence[Item], params: PaginatedRequestParams | None, page_size: int | None
) -> tuple[list[Item], str | None]:
    """One page, and the cursor of the next one; `None` after the last.

    Args:
        items: all of them.
        params: what the client sent; without a cursor in it, the first page is meant.
        page_size: how many items make a page; `None` puts all on one.

    Raises:
        MCPError: -32602 if the cursor is none of this list's.
    """
    cursor = params.cursor if params else None
    start = 0 if cursor is None else _start(cursor, len(items), page_size)
    end = len(items) if page_size is None else start + page_size
    return list(items[start:end]), str(end) if end < len(items) else None


def _start(cursor: str, length: int, page_size: int | None) -> int:
    start = int(cursor) if cursor.isascii() and cursor.isdigit() and len(cursor) < 10 else -1
    if page_size is None or not 0 < start < length or start % page_size:
        raise MCPError(
            INVALID_PARAMS,
            f"The cursor {cursor[:40]!r} is none that this server gave. Ask for the first page "
            "without a cursor.",
        )
    return start
