"""Run one tool call and always come back with a tool result.

In: a `ToolCall` and the tools on offer. Out: a `ToolResult`, whatever happens: a failed call is a
result too, with what to do next. Knows nothing of models, wires or views.

`running.py` is the whole way of a call, `arguments.py` parses arguments, `threads.py` runs plain
functions beside the event loop, `results.py` makes text of what a tool returned.
"""

from course_pkg.executor.arguments import ArgumentsError, parse_arguments
from course_pkg.executor.results import MAX_RESULT_CHARS, result_text
from course_pkg.executor.running import TOOL_TIMEOUT_S, Tools, execute, execute_all, failed

__all__ = [
    "MAX_RESULT_CHARS",
    "TOOL_TIMEOUT_S",
    "ArgumentsError",
    "Tools",
    "execute",
    "execute_all",
    "failed",
    "parse_arguments",
    "result_text",
]
