"""Words that several views share: a call as Python would write it, a number with its noun.

In: values. Out: short texts.
"""

from __future__ import annotations

import json
from typing import Any

from course_pkg.widgets.pretty import brief
from course_pkg.widgets.visible import cut

VALUE_CHARS = 60


def call_text(name: Any, arguments: Any) -> str:
    """A call as it would be written in Python: `get_weather(city="北京")`.

    Args:
        name: the tool's name.
        arguments: a JSON object, or the text of one. Other text is shown as it is.
    """
    if isinstance(arguments, str):
        arguments = _loaded(arguments)
    if isinstance(arguments, dict):
        pairs = (f"{key}={brief(value, VALUE_CHARS)}" for key, value in arguments.items())
        return f"{name}({', '.join(pairs)})"
    if isinstance(arguments, str):
        return f"{name}({cut(arguments, VALUE_CHARS)})"
    return f"{name}({brief(arguments, VALUE_CHARS)})"


def count(number: int, noun: str) -> str:
    """`1 message`, `2 messages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
