"""Run one tool call and always come back with a tool result.

In: a `ToolCall` and the tools on offer. Out: a `ToolResult`, whatever happens: a failed call is a
result too, with what to do next. Knows nothing of models, wires or views.

`running.py` is the whole way of a call. Along it: `naming.py` finds the tool, `arguments.py` parses
(`decoding.py` strictly, `mending.py` where it failed), `coercing.py` makes texts into what the
schema wants, `approval.py` asks, `trying.py` runs (`waiting.py` between tries, `threads.py` for
plain functions), `results.py` and `plain.py` make text of what came back.
"""

from course_pkg.executor.approval import (
    ApprovalRequest,
    Approve,
    Decision,
    ForEveryTool,
    ScriptedApprover,
    console_approver,
    remembering,
)
from course_pkg.executor.arguments import ArgumentsError, parse_arguments
from course_pkg.executor.results import MAX_RESULT_CHARS, result_text
from course_pkg.executor.running import TOOL_TIMEOUT_S, Tools, execute, execute_all, failed
from course_pkg.executor.waiting import Clock, FastClock

__all__ = [
    "MAX_RESULT_CHARS",
    "TOOL_TIMEOUT_S",
    "ApprovalRequest",
    "Approve",
    "ArgumentsError",
    "Clock",
    "Decision",
    "FastClock",
    "ForEveryTool",
    "ScriptedApprover",
    "Tools",
    "console_approver",
    "execute",
    "execute_all",
    "failed",
    "parse_arguments",
    "remembering",
    "result_text",
]
