"""Turn Python functions into tools that a model can be offered.

In: a function with annotations and a docstring. Out: a `Tool` with name, description and input
schema, and a `Toolbox` of them. Also the two values that go to and fro: `ToolCall` and
`ToolResult`. Knows nothing of models, wires or the loop.

`making.py` makes a tool of a function, `toolbox.py` collects tools, `comparing.py` holds a
definition against its function, `names.py` makes names legal, `overlays.py` watches runs,
`retry.py` says how a tool may be tried again, `progress.py` how far it has come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_pkg.tools.names import legal_names, real_names
from course_pkg.tools.overlays import Overlay, laid_over, run_watched
from course_pkg.tools.progress import (
    Progress,
    ProgressListener,
    progress_to,
    report_progress,
)
from course_pkg.tools.retry import Retry, TemporaryToolError
from course_pkg.tools.tool import Tool
from course_pkg.tools.toolbox import Toolbox, as_tool, as_toolbox, tool
from course_pkg.tools.values import (
    JSONSchema,
    RunTool,
    ToolArgumentsError,
    ToolCall,
    ToolDefinitionError,
    ToolError,
    ToolResult,
)

if TYPE_CHECKING:
    from course_pkg.tools.comparing import compare

__all__ = [
    "JSONSchema",
    "Overlay",
    "Progress",
    "ProgressListener",
    "Retry",
    "RunTool",
    "TemporaryToolError",
    "Tool",
    "ToolArgumentsError",
    "ToolCall",
    "ToolDefinitionError",
    "ToolError",
    "ToolResult",
    "Toolbox",
    "as_tool",
    "as_toolbox",
    "compare",
    "laid_over",
    "legal_names",
    "progress_to",
    "real_names",
    "report_progress",
    "run_watched",
    "tool",
]


def __getattr__(name: str) -> Any:
    """`compare` brings the linter along, so it is loaded when it is first asked for."""
    if name != "compare":
        raise AttributeError(f"module 'course_pkg.tools' has no attribute {name!r}")
    from course_pkg.tools.comparing import compare

    return compare
