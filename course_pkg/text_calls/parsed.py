"""The values that reading a text comes to.

In: nothing. Out: `TextCall`, `ParsedText`, and what a reader of one format gives back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from course_pkg.tools import Toolbox, ToolCall

Format: TypeAlias = Literal["hermes", "qwen3_coder", "use_mcp_tool", "bare_json"]

#: The formats that are looked for unless others are named.
FORMATS: tuple[Format, ...] = ("hermes", "qwen3_coder", "use_mcp_tool")

#: Definitions in Chat Completions form, or a toolbox that has them.
Definitions: TypeAlias = "Toolbox | Sequence[Mapping[str, Any]]"


@dataclass(frozen=True, kw_only=True)
class TextCall(ToolCall):
    """A tool call that stood in a text.

    Attributes:
        server: the MCP server that it named; empty where the format names none.
    """

    server: str = ""


@dataclass(frozen=True, kw_only=True)
class ParsedText:
    """What a text came to.

    Attributes:
        text: what the model said in words, without calls and thinking.
        calls: its calls, in order.
        thinking: what it thought before.
    """

    text: str
    calls: tuple[TextCall, ...] = ()
    thinking: str = ""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A call as a reader found it, before it has an id.

    Attributes:
        name: the tool's name; empty if it could not be read.
        arguments: the arguments as text.
        server: the MCP server.
        problem: why it must not run, in a code word.
        notes: what was mended, in code words.
    """

    name: str
    arguments: str
    server: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Calls that stand together in a text.

    Attributes:
        drafts: the calls.
        end: where the text goes on.
    """

    drafts: tuple[Draft, ...]
    end: int


def unreadable(raw: str, *, name: str = "", closed: bool) -> Draft:
    """A call of which too little could be read.

    Args:
        raw: how it stands in the text. It becomes the arguments, so that nobody can run it.
        name: the tool's name, as far as it is known.
        closed: whether its end was there.
    """
    problem = "unreadable_call" if closed else "unclosed_call"
    return Draft(name=name, arguments=raw.strip() or "?", problem=problem)


def schemas_by_name(tools: Definitions) -> dict[str, Mapping[str, Any]]:
    """The input schema of each tool.

    Args:
        tools: a toolbox, or definitions in Chat Completions form. What is none is left out.
    """
    listed = tools.definitions() if isinstance(tools, Toolbox) else tools
    functions = [item.get("function") for item in listed if isinstance(item, Mapping)]
    return {
        str(function["name"]): function.get("parameters") or {}
        for function in functions
        if isinstance(function, Mapping) and function.get("name")
    }


def as_json(value: Any) -> str:
    """A value as JSON, with its characters as they are."""
    return json.dumps(value, ensure_ascii=False)
