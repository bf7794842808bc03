"""A course on how language models call tools.

This is the front door. It gives the names that notebooks use, each loaded when it is first asked
for, and it is the one place that joins modules which must not know each other.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 11):  # noqa: UP036 - said before an import fails in its own words
    sys.exit(
        "This course needs Python 3.11 or newer, and this is Python "
        + ".".join(str(part) for part in sys.version_info[:3])
        + ". Install a newer Python, make .venv anew with it, and try again."
    )

from course_pkg import tools as _tools
from course_pkg.model.settings import served_here as _served_here
from course_pkg.wire import recorder as _recorder
from course_pkg.wire.local import record_run as _record_run

if TYPE_CHECKING:
    from course_pkg.executor import execute, execute_all
    from course_pkg.lessons import exercise
    from course_pkg.loop import Limits, Outcome, run, turns
    from course_pkg.mcp_client import Connection, Connections, connect
    from course_pkg.model import ModelClient, ModelError, Settings, settings
    from course_pkg.samples import toolbox
    from course_pkg.tools import Tool, Toolbox, ToolCall, ToolError, ToolResult, tool
    from course_pkg.widgets import inspect, show
    from course_pkg.wire import Frame, Recorder, step_of

#: Which module each public name comes from.
_HOMES = {
    "execute": "executor",
    "execute_all": "executor",
    "exercise": "lessons",
    "Limits": "loop",
    "Outcome": "loop",
    "run": "loop",
    "turns": "loop",
    "Connection": "mcp_client",
    "Connections": "mcp_client",
    "connect": "mcp_client",
    "ModelClient": "model",
    "ModelError": "model",
    "Settings": "model",
    "settings": "model",
    "toolbox": "samples",
    "Tool": "tools",
    "Toolbox": "tools",
    "ToolCall": "tools",
    "ToolError": "tools",
    "ToolResult": "tools",
    "tool": "tools",
    "inspect": "widgets",
    "show": "widgets",
    "Frame": "wire",
    "Recorder": "wire",
    "step_of": "wire",
}

__all__ = [
    "Connection",
    "Connections",
    "Frame",
    "Limits",
    "ModelClient",
    "ModelError",
    "Outcome",
    "Recorder",
    "Settings",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolResult",
    "Toolbox",
    "connect",
    "execute",
    "execute_all",
    "exercise",
    "inspect",
    "run",
    "settings",
    "show",
    "step_of",
    "tool",
    "toolbox",
    "turns",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: the first cell must not wait for the rest."""
    if name not in _HOMES:
        raise AttributeError(f"module 'course_pkg' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"course_pkg.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, for completion in a notebook."""
    return [*__all__, "conversation"]


def _practice_url() -> str:
    from course_pkg.practice import serve_in_background

    _keep_loopback_off_proxies()
    return serve_in_background()


def _keep_loopback_off_proxies() -> None:
    # Schools and companies set proxies for everything. A proxy elsewhere cannot reach a server in
    # this process, and any client in this process (a plain `openai.OpenAI` too) would ask it to.
    for name in ("NO_PROXY", "no_proxy"):
        hosts = os.environ.get(name, "")
        if "127.0.0.1" not in hosts:
            os.environ[name] = f"{hosts},127.0.0.1,localhost".removeprefix(",")


# The model's settings can name the practice model, although `model` must not know `practice`.
_served_here["practice"] = _practice_url

# A recording also sees tools run, although `wire` and `tools` are strangers.
_recorder.taps.append(lambda: _tools.laid_over(_record_run))
