"""Serve one client over this process's stdin and stdout.

In: a server of either kind. Out: JSON-RPC messages, one a line, until stdin ends. Stdout is the
wire: whatever a person should read goes to stderr. (While it serves, the SDK sends stray prints
there as well.)
"""

from __future__ import annotations

import signal
from typing import Any

import anyio
from mcp.server import MCPServer, Server
from mcp.server.stdio import stdio_server


def run_stdio(server: MCPServer[Any] | Server[Any]) -> None:
    """Serve until the client closes stdin. For a process of its own, not for a notebook's.

    Ctrl+C ends the process at once.

    Args:
        server: what `high_level` or `low_level` made.

    Raises:
        ValueError: if it is not called in the main thread.
    """
    # Python's own way, an exception, would wait for the thread that reads stdin: for one more line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if isinstance(server, MCPServer):
        server.run("stdio")
    else:
        anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())
