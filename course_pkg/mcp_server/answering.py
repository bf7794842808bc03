"""Answer one `tools/call`, in the same way for both kinds of server.

In: a tool's name and arguments, as they came from the client. Out: a `CallToolResult`, always. The
course's own executor does the work: it checks the arguments against the tool's schema, runs the
tool in time (a plain function in a thread, beside the event loop) and cuts what is too long.

What a tool says with `ToolError` goes to the model. The text of any other exception stays here: it
may hold a path, a key or a name that is nobody's business, so the model is told only that the tool
failed, and the log has the rest.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError as SDKToolError
from mcp.types import CallToolResult, TextContent

from course_pkg.executor import execute, failed
from course_pkg.executor.arguments import TOO_DEEP
from course_pkg.mcp_server.logs import log
from course_pkg.mcp_server.outputs import OutputError, structured
from course_pkg.mcp_server.reporting import SendProgress, progress_sent
from course_pkg.tools import Tool, Toolbox, ToolCall, ToolError, ToolResult, laid_over

FAILED = "{name} failed inside the server. Check the arguments, or do without it."


async def answer(
    name: str,
    arguments: Mapping[str, Any] | None,
    tools: Toolbox,
    output_schemas: Mapping[str, Mapping[str, Any] | None],
    send_progress: SendProgress,
) -> CallToolResult:
    """Run one tool call of a client.

    Args:
        name: the tool's name.
        arguments: its arguments; `None` is none.
        tools: what is on offer.
        output_schemas: what was promised of the results, by tool.
        send_progress: sends one report of progress.

    Returns:
        The tool's text and, where its value is an object, that object. Errors are results too.
    """
    # The id goes into an idempotency key. Request ids begin at 1 in each connection, so they
    # would make one call of two that different clients made.
    call = ToolCall(id=uuid.uuid4().hex, name=name, arguments="")
    try:
        call = ToolCall(id=call.id, name=name, arguments=_as_text(arguments))
        with laid_over(_logged):
            async with progress_sent(send_progress):
                result = await execute(call, tools)
        value = _structured(result, tools.get(name), output_schemas.get(name))
    except OutputError as error:
        return as_error(str(error))
    except RecursionError:
        return as_error(TOO_DEEP)
    except Exception:
        log.exception("The call of %r could not be answered.", name)
        return as_error(FAILED.format(name=name))
    text = FAILED.format(name=name) if result.error_kind == "tool_failed" else result.text
    return CallToolResult(
        content=[TextContent(text=text)], structured_content=value, is_error=result.is_error
    )


def as_error(text: str) -> CallToolResult:
    """An error result.

    Args:
        text: what went wrong and what to do next; the model reads it.
    """
    result = failed(ToolCall(id="", name="", arguments=""), text, kind="")
    return CallToolResult(content=[TextContent(text=result.text)], is_error=True)


def _as_text(arguments: Mapping[str, Any] | None) -> str:
    return json.dumps(arguments or {}, ensure_ascii=False)


def _structured(
    result: ToolResult, tool: Tool | None, output_schema: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    if tool is None or result.is_error:
        return None
    made: dict[str, Any] | None = structured(result.value, tool, output_schema)
    return made


async def _logged(
    tool: Tool, _arguments: Mapping[str, Any], proceed: Callable[[], Awaitable[Any]]
) -> Any:
    """Keep the traceback of what a tool raised; the arguments are the user's, and stay out.

    The SDK has a `ToolError` too, which means the same.
    """
    try:
        return await proceed()
    except ToolError:
        raise
    except SDKToolError as error:
        raise ToolError(str(error)) from error
    except (Exception, SystemExit):
        log.exception("The tool %s failed.", tool.name)
        raise
