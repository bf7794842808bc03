"""The tools that lessons share, and their data: weather, pages, arithmetic, files, messages, more.

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
    from course_pkg.samples.emails import send_emails
    from course_pkg.samples.files import read_file
    from course_pkg.samples.messages import clear_outbox, outbox, send_message
    from course_pkg.samples.shop import create_product, make_payment
    from course_pkg.samples.users import create_user, tag_user
    from course_pkg.samples.weather import WEATHER_CITIES, get_weather

__all__ = [
    "MORE_TOOL_NAMES",
    "TOOL_NAMES",
    "WEATHER_CITIES",
    "calculate",
    "clear_outbox",
    "create_product",
    "create_user",
    "get_weather",
    "make_payment",
    "outbox",
    "read_file",
    "search_docs",
    "send_emails",
    "send_message",
    "tag_user",
    "toolbox",
]

#: The sample tools of every lesson, in the order in which a model is offered them.
TOOL_NAMES = ("get_weather", "search_docs", "calculate", "read_file", "send_message")

#: More of them, with schemas of other kinds: lists, nested objects, unions. To be had by name.
MORE_TOOL_NAMES = ("send_emails", "create_user", "tag_user", "create_product", "make_payment")

_MODULE_OF = {
    "WEATHER_CITIES": "weather",
    "calculate": "calculator",
    "clear_outbox": "messages",
    "create_product": "shop",
    "create_user": "users",
    "get_weather": "weather",
    "make_payment": "shop",
    "outbox": "messages",
    "read_file": "files",
    "search_docs": "documents",
    "send_emails": "emails",
    "send_message": "messages",
    "tag_user": "users",
}


def toolbox(*names: str) -> Toolbox:
    """Collect sample tools: the five of every lesson, or those named, in the order named.

    Args:
        names: names out of `TOOL_NAMES` and `MORE_TOOL_NAMES`; none means those of `TOOL_NAMES`.

    Raises:
        ValueError: if a name is not that of a sample tool.
    """
    return Toolbox(_tool(name) for name in names or TOOL_NAMES)


def _tool(name: str) -> Any:
    if name not in TOOL_NAMES + MORE_TOOL_NAMES:
        known = ", ".join(TOOL_NAMES + MORE_TOOL_NAMES)
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
