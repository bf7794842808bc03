"""Make tools of what a server lists: a remote tool is a tool like any other.

In: definitions in MCP's form, and a way to call. Out: plain `Tool`s.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeAlias

from course_pkg.mcp_client.errors import ServerError
from course_pkg.mcp_client.results import CallOutcome
from course_pkg.tools import Tool, ToolError, legal_names

#: Calls a tool of a server by its real name.
Call: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[CallOutcome]]


def remote_tools(
    listed: Iterable[Mapping[str, Any]], call: Call, *, timeout_s: float
) -> tuple[Tool, ...]:
    """A tool for each definition. A name that no chat interface takes is made legal.

    Args:
        listed: usable definitions, as a server gave them.
        call: makes the call; the tool raises `ToolError` where it fails.
        timeout_s: the executor's limit for each call.
    """
    definitions = list(listed)
    names = legal_names(str(definition["name"]) for definition in definitions)
    return tuple(
        _tool(definition, names[definition["name"]], call, timeout_s) for definition in definitions
    )


def _tool(definition: Mapping[str, Any], name: str, call: Call, timeout_s: float) -> Tool:
    real, hints = str(definition["name"]), definition.get("annotations")

    async def run(**arguments: Any) -> str:
        try:
            outcome = await call(real, arguments)
        except ServerError as error:
            raise ToolError(error.short) from error
        if outcome.is_error:
            raise ToolError(outcome.text)
        return outcome.text

    return Tool(
        name=name,
        description=str(definition.get("description") or definition.get("title") or ""),
        input_schema=definition["inputSchema"],
        run=run,
        # The server's own word, so no more than a hint: without it, it may change something.
        side_effect=not (isinstance(hints, Mapping) and hints.get("readOnlyHint") is True),
        timeout_s=timeout_s,
    )
