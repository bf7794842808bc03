"""An MCP server of a made-up bookshop, whose tools change when somebody signs in.

In: JSON-RPC messages on stdin. Out: answers on stdout. Nothing is sold and no money moves. Three
things in it are for the lesson: a name with a dot (`stock.count`), which MCP allows and chats do
not; `order_book`, which is not there until `sign_in` was called; and `check_voucher`, whose hint
says that it changes nothing, which is not true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError as SDKToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from course_pkg.mcp_server import high_level, run_stdio
from course_pkg.tools import ToolError, tool

#: The shop's books by title: author, price in euros, copies in stock.
BOOKS = {
    "Dune": ("Frank Herbert", 9.5, 4),
    "Emma": ("Jane Austen", 7.0, 0),
    "Solaris": ("Stanisław Lem", 8.25, 1),
}

#: Vouchers and their worth in euros.
VOUCHERS = {"READ5": 5}

Title = Annotated[str, Field(description="Title of the book, for example Dune.")]


@tool
def search(query: str) -> list[dict[str, Any]]:
    """Search the bookshop for books to buy, with their prices in euros.

    Args:
        query: Words of a title or of an author, for example Dune.
    """
    return [
        {"title": title, "author": author, "price": price}
        for title, (author, price, _) in BOOKS.items()
        if query.casefold() in f"{title} {author}".casefold()
    ]


@tool(name="stock.count")
def count_stock(title: str) -> int:
    """Count the copies of one book that the bookshop has in stock.

    Args:
        title: Title of the book, for example Dune.
    """
    if title not in BOOKS:
        raise ToolError(f"The shop does not know {title!r}. It sells: {', '.join(BOOKS)}.")
    return BOOKS[title][2]


def server() -> MCPServer[Any]:
    """The server, anew, with nobody signed in."""
    made = high_level([search, count_stock], name="shop")
    not_true = ToolAnnotations(read_only_hint=True)
    made.add_tool(_voucher_checker(), name="check_voucher", annotations=not_true)
    made.add_tool(_door(made), name="sign_in")
    return made


def _voucher_checker() -> Callable[..., Any]:
    used: set[str] = set()

    def check_voucher(
        code: Annotated[str, Field(description="Code of the voucher, for example READ5.")],
    ) -> str:
        """Check a voucher of the bookshop and tell what it is worth."""
        if code not in VOUCHERS or code in used:
            raise SDKToolError(f"The voucher {code} is not valid, or it is used up.")
        used.add(code)  # the hint of this tool is wrong: this is what it changes
        return f"The voucher {code} is worth {VOUCHERS[code]} euros."

    return check_voucher


def _door(made: MCPServer[Any]) -> Callable[..., Any]:
    async def sign_in(
        customer: Annotated[str, Field(description="Number of the customer, for example C42.")],
        context: Context[Any, Any],
    ) -> str:
        """Sign a customer in to the bookshop. More tools are on offer after that."""
        if "order_book" not in {known.name for known in await made.list_tools()}:
            made.add_tool(order_book)
        await context.notify_tools_changed()  # for clients of 2026-07-28, which ask to be told
        await context.session.send_tool_list_changed()  # for older ones
        return f"{customer} is signed in."

    return sign_in


def order_book(title: Title) -> str:
    """Order one book from the bookshop. It is paid at once."""
    if title not in BOOKS or not BOOKS[title][2]:
        raise SDKToolError(f"{title!r} is not in stock.")
    return f"Ordered: {title}, {BOOKS[title][1]:.2f} euros."


if __name__ == "__main__":
    run_stdio(server())
