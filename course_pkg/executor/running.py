"""The whole way of a tool call: find the tool, parse, check, run in time, make text of the value.

In: a `ToolCall` and the tools on offer. Out: a `ToolResult`, always.
"""

from __future__ import annotations

import asyncio
import difflib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from course_pkg.executor.arguments import TOO_DEEP, ArgumentsError, parse_arguments
from course_pkg.executor.results import MAX_RESULT_CHARS, in_words, result_text
from course_pkg.executor.threads import ToolExit, in_thread
from course_pkg.schema import check, explain
from course_pkg.tools import (
    RunTool,
    Tool,
    Toolbox,
    ToolCall,
    ToolError,
    ToolResult,
    as_toolbox,
    run_watched,
)

Tools: TypeAlias = Toolbox | Iterable[Tool | RunTool]

#: How long one run may take, unless the tool has its own limit.
TOOL_TIMEOUT_S = 10.0

#: Why a call that is here must not run → what the model is told.
REFUSALS = {
    "truncated": (
        "The call was cut off by the limit on output tokens and was not run. Make a shorter call."
    ),
    "refused": "The service held this reply back, so the call was not run.",
    "unsupported_call_type": (
        "This is a custom tool call, which is not supported here and was not run. Call a function "
        "with a JSON object as its arguments."
    ),
}
NOT_RUN = "The call could not be used and was not run. Make it again."


async def execute(
    call: ToolCall,
    tools: Tools,
    *,
    timeout_s: float = TOOL_TIMEOUT_S,
    max_result_chars: int = MAX_RESULT_CHARS,
) -> ToolResult:
    """Run one call. What goes wrong is in the result, not raised.

    An `async def` tool runs on the event loop; a plain one in a thread of its own. A plain function
    that outlives the limit runs on in its thread (Python cannot stop it), and the result says so.

    Args:
        call: what the model asked for.
        tools: what it was offered.
        timeout_s: the time limit in seconds, for tools that have none of their own.
        max_result_chars: longer results are cut in the middle.

    Raises:
        SchemaError: if the tool's own input schema is not valid.
    """
    toolbox = as_toolbox(tools)
    tool = toolbox.get(call.name)
    if call.problem:
        return failed(call, REFUSALS.get(call.problem, NOT_RUN), kind=call.problem)
    if tool is None:
        return failed(call, _no_such_tool(call.name, toolbox), kind="unknown_tool")
    try:
        arguments, notes = _checked_arguments(call, tool)
    except ArgumentsError as error:
        return failed(call, str(error), kind=error.kind)
    result = await _run(call, tool, arguments, timeout_s=tool.timeout_s or timeout_s)
    if result.is_error:
        return replace(result, text=result_text(result.text, max_chars=max_result_chars))
    return ToolResult(
        call_id=call.id,
        text=result_text(result.value, max_chars=max_result_chars),
        value=result.value,
        notes=(*call.notes, *notes),
    )


async def execute_all(
    calls: Sequence[ToolCall], tools: Tools, *, timeout_s: float = TOOL_TIMEOUT_S
) -> list[ToolResult]:
    """Run calls side by side.

    Args:
        calls: what the model asked for in one message.
        tools: what it was offered.
        timeout_s: the time limit of each, in seconds.

    Returns:
        One result per call, in the order of the calls, whichever was done first.
    """
    toolbox = as_toolbox(tools)
    return await asyncio.gather(*(execute(call, toolbox, timeout_s=timeout_s) for call in calls))


def failed(call: ToolCall, text: str, *, kind: str) -> ToolResult:
    """The result of a call that did not do what was asked.

    Args:
        call: the call.
        text: what went wrong and what to do next; the model reads it.
        kind: which kind of error, in one code word.
    """
    # An exception's message may be long, or hold what cannot be sent.
    text = result_text(text)
    return ToolResult(call_id=call.id, text=text, is_error=True, error_kind=kind, notes=call.notes)


def _checked_arguments(call: ToolCall, tool: Tool) -> tuple[dict[str, Any], tuple[str, ...]]:
    arguments, notes = parse_arguments(call.arguments)
    try:
        problems = check(arguments, tool.input_schema)
    except RecursionError:
        raise ArgumentsError(TOO_DEEP, kind="too_deep") from None
    if problems:
        text = f"The arguments do not fit {tool.name}:\n{explain(problems)}"
        raise ArgumentsError(text, kind="invalid_arguments")
    return arguments, notes


def _no_such_tool(name: str, tools: Toolbox) -> str:
    close = difflib.get_close_matches(name, list(tools), n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    on_offer = ", ".join(tools) or "none"
    return f"There is no tool named {name!r}.{hint} Tools on offer: {on_offer}."


async def _run(
    call: ToolCall, tool: Tool, arguments: Mapping[str, Any], *, timeout_s: float
) -> ToolResult:
    """Run the tool; the result's text is not made yet when it went well."""
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            value = await run_watched(tool, arguments, lambda: _value(tool, arguments))
    except ToolError as error:
        return failed(call, in_words(error) or f"{tool.name} failed.", kind="tool_error")
    except TimeoutError as error:
        if limit.expired():
            return failed(call, _too_slow(tool, timeout_s), kind="timeout")
        return failed(call, _raised(tool, error), kind="tool_failed")
    except (Exception, SystemExit, GeneratorExit) as error:
        return failed(call, _raised(tool, error), kind="tool_failed")
    return ToolResult(call_id=call.id, text="", value=value)


async def _value(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    if inspect.iscoroutinefunction(inspect.unwrap(tool.run)):
        return await tool.run(**arguments)
    value = await in_thread(lambda: tool.run(**arguments), name=f"tool {tool.name}")
    return await value if inspect.isawaitable(value) else value


def _too_slow(tool: Tool, timeout_s: float) -> str:
    known = (
        "It may still be running, and what it does may still happen."
        if tool.side_effect
        else "Nothing is known of its result."
    )
    return (
        f"{tool.name} was not done after {timeout_s:g} seconds. {known} "
        "Do not call it again with the same arguments; tell the user, or ask for less."
    )


def _raised(tool: Tool, error: BaseException) -> str:
    """What the model reads of an exception: its type and message, never the traceback."""
    name = "" if isinstance(error, ToolExit) else f"{type(error).__name__}: "
    what = f"{name}{in_words(error)}".rstrip(": ")
    return f"{tool.name} failed with {what}. Check the arguments, or do without it."
