"""The whole way of a tool call: find the tool, parse, check, ask, run in time, make text of it.

In: a `ToolCall` and the tools on offer. Out: a `ToolResult`, always.
"""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from course_pkg.conversation.rules import is_json_object
from course_pkg.executor.approval import ApprovalRequest, Approve, ForEveryTool, decision
from course_pkg.executor.arguments import TOO_DEEP, ArgumentsError, parse_arguments
from course_pkg.executor.coercing import coerced
from course_pkg.executor.naming import meant_tool
from course_pkg.executor.results import MAX_RESULT_CHARS, result_text
from course_pkg.executor.trying import attempt
from course_pkg.executor.waiting import REAL_CLOCK, Clock, FastClock
from course_pkg.schema import check, explain
from course_pkg.tools import RunTool, Tool, Toolbox, ToolCall, ToolResult, as_toolbox

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
    "unclosed_call": (
        "The text ended in the middle of the call, so it was not run. Write the call again, to its "
        "closing tag."
    ),
    "unreadable_call": (
        "The call could not be read and was not run. Write it again in the form that you were "
        "shown, as valid JSON: a backslash before each quote inside a text."
    ),
}
NOT_RUN = "The call could not be used and was not run. Make it again."


async def execute(
    call: ToolCall,
    tools: Tools,
    *,
    timeout_s: float = TOOL_TIMEOUT_S,
    max_result_chars: int = MAX_RESULT_CHARS,
    approve: Approve | ForEveryTool | None = None,
    clock: Clock | FastClock = REAL_CLOCK,
) -> ToolResult:
    """Run one call. What goes wrong is in the result, not raised.

    An `async def` tool runs on the event loop; a plain one in a thread of its own. A plain function
    that outlives the limit runs on in its thread (Python cannot stop it), and the result says so.

    Args:
        call: what the model asked for.
        tools: what it was offered.
        timeout_s: the time limit of one run in seconds, for tools that have none of their own.
        max_result_chars: longer results are cut in the middle.
        approve: is asked before a tool with a side effect runs. A refusal is a result too.
        clock: what waits between the tries of a tool that may be retried.

    Raises:
        SchemaError: if the tool's own input schema is not valid.
    """
    if call.problem:
        return failed(call, REFUSALS.get(call.problem, NOT_RUN), kind=call.problem)
    toolbox = as_toolbox(tools)
    tool, notes = meant_tool(call.name, toolbox)
    if tool is None:
        return failed(call, _no_such_tool(call.name, toolbox), kind="unknown_tool")
    call = _noted(call, notes)
    try:
        arguments, notes = _checked_arguments(call, tool)
    except ArgumentsError as error:
        return failed(call, str(error), kind=error.kind)
    call = _noted(call, notes)
    ran = _as_it_runs(call, tool, arguments)
    if approve is not None:
        request = ApprovalRequest(call=call, tool=tool, arguments=arguments)
        decided = await decision(request, approve)
        if not decided.approved:
            return failed(call, _not_approved(tool, decided.reason), kind="not_approved")
    run = await attempt(call, tool, arguments, timeout_s=tool.timeout_s or timeout_s, clock=clock)
    call = _noted(call, (f"tries:{run.tries}",) if run.tries > 1 else ())
    text = result_text(run.error if run.kind else run.value, max_chars=max_result_chars)
    return ToolResult(
        call_id=call.id,
        text=text,
        is_error=bool(run.kind),
        error_kind=run.kind,
        value=run.value,
        notes=call.notes,
        ran=ran,
    )


async def execute_all(
    calls: Sequence[ToolCall],
    tools: Tools,
    *,
    timeout_s: float = TOOL_TIMEOUT_S,
    approve: Approve | ForEveryTool | None = None,
    clock: Clock | FastClock = REAL_CLOCK,
) -> list[ToolResult]:
    """Run calls side by side.

    Args:
        calls: what the model asked for in one message.
        tools: what it was offered.
        timeout_s: the time limit of each run, in seconds.
        approve: is asked before each tool with a side effect runs.
        clock: what waits between tries.

    Returns:
        One result per call, in the order of the calls, whichever was done first.
    """
    toolbox = as_toolbox(tools)
    return await asyncio.gather(
        *(
            execute(call, toolbox, timeout_s=timeout_s, approve=approve, clock=clock)
            for call in calls
        )
    )


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


def _as_it_runs(call: ToolCall, tool: Tool, arguments: Mapping[str, Any]) -> ToolCall | None:
    """The call with its mended name and arguments, where the model's own form cannot go back."""
    if not call.notes or (call.name == tool.name and is_json_object(call.arguments)):
        return None
    text = json.dumps(arguments, ensure_ascii=False)
    return replace(call, name=tool.name, arguments=text)


def _noted(call: ToolCall, notes: tuple[str, ...]) -> ToolCall:
    return replace(call, notes=(*call.notes, *notes)) if notes else call


def _checked_arguments(call: ToolCall, tool: Tool) -> tuple[dict[str, Any], tuple[str, ...]]:
    arguments, notes = parse_arguments(call.arguments)
    try:
        problems = check(arguments, tool.input_schema)
        if not problems:
            return arguments, notes
        made = coerced(arguments, tool.input_schema, problems)
    except RecursionError:
        raise ArgumentsError(TOO_DEEP, kind="too_deep") from None
    if made:
        return made[0], (*notes, *made[1])
    text = f"The arguments do not fit {tool.name}:\n{explain(problems)}"
    raise ArgumentsError(text, kind="invalid_arguments")


def _no_such_tool(name: str, tools: Toolbox) -> str:
    close = difflib.get_close_matches(name, list(tools), n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    on_offer = ", ".join(tools) or "none"
    return f"There is no tool named {name!r}.{hint} Tools on offer: {on_offer}."


def _not_approved(tool: Tool, reason: str) -> str:
    said = reason.strip()
    why = f" The reason: {said}{'' if said[-1] in '.?!。' else '.'}" if said else ""
    return (
        f"The user did not approve this call of {tool.name}, so it was not run.{why} Do not make "
        "it again unless the user asks for it."
    )
