"""The tools that lessons share, and their data: weather, pages, arithmetic, files, messages.

In: names of sample tools. Out: ready `Tool`s, or a `Toolbox` of them. Each tool lives in a small
module of its own, which is loaded when the tool is first asked for: making a tool costs more than
importing this package. Knows nothing of models, loops or lessons.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from course_pkg.tools import Toolbox

if TYPE_CHECKING:
    from course_pkg.samples.calculator import calculate
    from course_pkg.samples.documents import search_docs
    from course_pkg.samples.files import read_file
    from course_pkg.samples.messages import clear_outbox, outbox, send_message
    from course_pkg.samples.weather import WEATHER_CITIES, get_weather

__all__ = [
    "TOOL_NAMES",
    "WEATHER_CITIES",
    "calculate",
    "clear_outbox",
    "get_weather",
    "outbox",
    "read_file",
    "search_docs",
    "send_message",
    "toolbox",
]

#: The sample tools, in the order in which a model is offered them.
TOOL_NAMES = ("get_weather", "search_docs", "calculate", "read_file", "send_message")

_MODULE_OF = {
    "WEATHER_CITIES": "weather",
    "calculate": "calculator",
    "clear_outbox": "messages",
    "get_weather": "weather",
    "outbox": "messages",
    "read_file": "files",
    "search_docs": "documents",
    "send_message": "messages",
}


def toolbox(*names: str) -> Toolbox:
    """Collect sample tools: all five, or those named, in the order named.

    Args:
        names: names out of `TOOL_NAMES`; none means all.

    Raises:
        ValueError: if a name is not that of a sample tool.
    """
    return Toolbox(_tool(name) for name in names or TOOL_NAMES)


def _tool(name: str) -> Any:
    if name not in TOOL_NAMES:
        known = ", ".join(TOOL_NAMES)
        raise ValueError(f"There is no sample tool named {name!r}. Choose from: {known}.")
    return __getattr__(name)


def __getattr__(name: str) -> Any:
    """Load what was asked for from its module. Raises `AttributeError` for other names."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)
