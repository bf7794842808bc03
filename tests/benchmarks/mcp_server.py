"""A server with one trivial tool, made with the SDK alone: `mcp_server.py stdio|http`.

Over HTTP it prints its port and serves until its stdin ends.
"""

from __future__ import annotations

import sys

from mcp.server import MCPServer

server = MCPServer("sums", log_level="ERROR")


@server.tool()
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def main() -> None:
    if sys.argv[1] == "stdio":
        server.run()
        return
    from course_pkg.mcp_server import HttpService

    with HttpService(server) as service:
        sys.stdout.write(f"{service.port}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
