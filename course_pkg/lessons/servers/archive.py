"""An MCP server of a made-up archive that fails: one tool is refused, one ends the server.

In: JSON-RPC messages on stdin. Out: answers on stdout, until `search` is called. It is for lessons
about servers that fail while others go on.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

from mcp import MCPError
from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field

from course_pkg.mcp_server import high_level, run_stdio

#: The JSON-RPC code for parameters that cannot be used.
BAD_PARAMETERS = -32602


def search(
    query: Annotated[str, Field(description="Words to look for, for example Dune.")],
) -> str:
    """Search the archive for old letters."""
    sys.stderr.write("archive: the index is broken\n")
    sys.stderr.flush()
    os._exit(1)  # not an exception, which the SDK would answer: the process is gone


def open_box(number: Annotated[int, Field(description="Number of the box, for example 7.")]) -> str:
    """Open a box of the archive and list what is inside."""
    raise MCPError(BAD_PARAMETERS, f"Box {number} is being repaired")


def server() -> MCPServer[Any]:
    """The server, anew."""
    made = high_level([], name="archive")
    for function in (search, open_box):
        made.add_tool(function, annotations=ToolAnnotations(read_only_hint=True))
    return made


if __name__ == "__main__":
    run_stdio(server())
