"""The requests that every measurement sends, and what a right answer to each one is.

In: nothing, or arguments to judge. Out: frozen `Prompt`s, 30 in all: six for each of the five
tools, half of them in Chinese. Knows nothing of models.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from course_pkg.schema import check
from course_pkg.tools import Tool


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One request and the call that it asks for.

    Attributes:
        text: what the user says.
        tool: the name of the tool that should be called.
        arguments: for each argument what is right: a list of values; or `{"has": [...]}`, texts
            that must occur; or `{"equals": 84}`, what an expression must come to.
        language: `en` or `zh`.
    """

    text: str
    tool: str
    arguments: Mapping[str, Any] = field(repr=False)
    language: str = "en"


@functools.cache
def prompts() -> tuple[Prompt, ...]:
    """The 30 requests, in order."""
    return read_prompts("prompts.json")


def read_prompts(name: str) -> tuple[Prompt, ...]:
    """The requests in one file of the folder `data`.

    Args:
        name: the file's name.
    """
    return tuple(Prompt(**row) for row in json.loads(data_text(name)))


def data_text(name: str) -> str:
    """The text of one file of the folder `data`."""
    return files(__package__).joinpath("data", name).read_text(encoding="utf-8")


def are_valid(arguments: Mapping[str, Any], tool: Tool) -> bool:
    """Whether the tool's own schema takes these arguments."""
    return not check(dict(arguments), tool.input_schema)


def are_right(arguments: Mapping[str, Any], prompt: Prompt, tool: Tool) -> bool:
    """Whether these arguments say what the request says.

    What the request does not speak of may be left out, or hold its default.
    """
    wanted = prompt.arguments
    named = all(name in arguments and _fits(arguments[name], wanted[name]) for name in wanted)
    properties = tool.input_schema["properties"]
    others = [name for name in arguments if name not in wanted]
    return named and all(
        name in properties and arguments[name] == properties[name].get("default") for name in others
    )


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return value in wanted
    if "has" in wanted:
        return all(part.casefold() in str(value).casefold() for part in wanted["has"])
    return bool(_worth(str(value)) == wanted["equals"])


def _worth(expression: str) -> Any:
    from course_pkg.samples import calculate
    from course_pkg.tools import ToolError

    try:
        return calculate(expression=expression)
    except (ToolError, ValueError):
        return None
