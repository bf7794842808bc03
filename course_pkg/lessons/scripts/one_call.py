"""Open an MCP server, call one tool, and print what came: python one_call.py."""

import asyncio
import sys

from course_pkg.mcp_client import Connection

COMMAND = [sys.executable, "-m", "course_pkg.lessons.servers.troubled"]


async def main() -> None:
    """Open, call, close: what a notebook does in three cells."""
    async with Connection(COMMAND, name="tides") as tides:
        outcome = await tides.call("read_tide", {"place": "Dover"})
        print(outcome.text)  # noqa: T201 - a program may print


if __name__ == "__main__":
    asyncio.run(main())
