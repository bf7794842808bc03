"""An MCP server of a made-up town library: search its books, and see one with its cover.

In: JSON-RPC messages on stdin. Out: answers on stdout. `show_book` gives what a picture book of the
protocol would: several blocks (texts, an image, a link) and structured content. It is put on the
server the SDK's own way, by decorator, since a plain function of ours has one text to give.
"""

from __future__ import annotations

import base64
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError as SDKToolError
from mcp.types import CallToolResult, ImageContent, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from course_pkg.lessons.servers.covers import cover
from course_pkg.mcp_server import high_level, run_stdio
from course_pkg.tools import tool

#: The library's books by title: author, year, copies, and who has them.
BOOKS = {
    "Dune": ("Frank Herbert", 1965, 2, "Both copies are on loan until Friday."),
    "Emma": ("Jane Austen", 1815, 1, "It is on the shelf."),
    "Momo": ("Michael Ende", 1973, 1, "It is on the shelf."),
    "红楼梦": ("曹雪芹", 1791, 3, "It is on the shelf."),
}


class Book(BaseModel):
    """What is known of a book, for a program."""

    title: str
    author: str
    year: int
    copies: int


@tool
def search(query: str) -> list[dict[str, Any]]:
    """Search the town library for books to borrow.

    Args:
        query: Words of a title or of an author, for example Dune.
    """
    return [
        {"title": title, "author": author, "year": year}
        for title, (author, year, _, _) in BOOKS.items()
        if query.casefold() in f"{title} {author}".casefold()
    ]


def show_book(
    title: Annotated[str, Field(description="Title of the book, for example Dune.")],
) -> Annotated[CallToolResult, Book]:
    """Show one book of the town library: its cover, and whether it can be borrowed."""
    if title not in BOOKS:
        raise SDKToolError(f"The library has no book {title!r}. It has: {', '.join(BOOKS)}.")
    author, year, copies, where = BOOKS[title]
    picture = base64.b64encode(cover(title)).decode()
    return CallToolResult(
        content=[
            TextContent(text=f"{title}, by {author}, {year}."),
            ImageContent(data=picture, mime_type="image/png"),
            ResourceLink(name="first chapter", uri=f"library://chapters/{title}"),
            TextContent(text=where),
        ],
        structured_content=Book(title=title, author=author, year=year, copies=copies).model_dump(),
    )


def server() -> MCPServer[Any]:
    """The server, anew."""
    made = high_level([search], name="library")
    made.add_tool(show_book, annotations=ToolAnnotations(read_only_hint=True))
    return made


if __name__ == "__main__":
    run_stdio(server())
