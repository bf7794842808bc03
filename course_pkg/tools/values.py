"""The values that go to and fro with a tool call, and the errors of tools.

In: nothing. Out: `ToolCall`, `ToolResult`, `ToolError`, `ToolDefinitionError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

JSONSchema: TypeAlias = Mapping[str, Any]
RunTool: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A model's request to run one tool.

    Attributes:
        id: the id that the result must carry back.
        name: the tool's name, as the model wrote it.
        arguments: the arguments as the model wrote them: text, which should be a JSON object.
        problem: why this call must not run although it is here (`truncated`, say); empty if it may.
        notes: what was mended in the call before it came here, in code words (`id_missing`).
    """

    id: str
    name: str
    arguments: str
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What came of one tool call. It always goes back to the model, errors too.

    Attributes:
        call_id: the id of the call that it answers.
        text: what the model reads. Never empty.
        is_error: whether the tool did not do what was asked.
        error_kind: which kind of error, in one code word; empty without an error.
        value: what the Python function returned; `None` after an error.
        notes: what was mended on the way (`empty_arguments`), in code words.
        ran: the call as it ran, where the model's own form cannot go back to a service; else
            `None`.
    """

    call_id: str
    text: str
    is_error: bool = False
    error_kind: str = ""
    value: Any = None
    notes: tuple[str, ...] = ()
    ran: ToolCall | None = field(default=None, repr=False)


class ToolError(Exception):
    """Raise this in a tool to tell the model what went wrong and what to do next.

    The text goes to the model as it is. Other exceptions go with their type and their message.
    """


class ToolArgumentsError(ToolError, ValueError):
    """Arguments cannot be made into the types that the function declares.

    JSON Schema has let them pass, or nobody has asked it: a validator in a pydantic model says no,
    or the function was called directly. The text names each argument and goes to the model.
    """


class ToolDefinitionError(ValueError):
    """A function or a toolbox cannot be offered as it stands. The text says why and what to do."""
