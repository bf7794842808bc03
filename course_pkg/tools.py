"""Turn Python functions into tools that a model can be offered.

In: a function with annotations and a docstring. Out: a `Tool` with name, description and input
schema, and a `Toolbox` of them. Also the two values that go to and fro: `ToolCall` and
`ToolResult`. Knows nothing of models, wires or the loop.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

if TYPE_CHECKING:
    from pydantic import TypeAdapter

JSONSchema: TypeAlias = Mapping[str, Any]
RunTool: TypeAlias = Callable[..., Any]
Overlay: TypeAlias = Callable[["Tool", Mapping[str, Any], Callable[[], Awaitable[Any]]], Any]


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
    """

    call_id: str
    text: str
    is_error: bool = False
    error_kind: str = ""
    value: Any = None
    notes: tuple[str, ...] = ()


class ToolError(Exception):
    """Raise this in a tool to tell the model what went wrong and what to do next.

    The text goes to the model as it is. Other exceptions go with their type and their message.
    """


class ToolDefinitionError(ValueError):
    """A function or a toolbox cannot be offered as it stands. The text says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A function on offer to a model.

    Attributes:
        name: what the model calls it by.
        description: what the model is told it does.
        input_schema: the JSON Schema of its arguments. The root is an object.
        run: the function. It takes the arguments by name and may be `def` or `async def`.
        side_effect: whether it changes something outside (sends, writes, pays).
        timeout_s: its own time limit in seconds; `None` takes the executor's.
    """

    name: str
    description: str
    input_schema: JSONSchema
    run: RunTool = field(repr=False)
    side_effect: bool = False
    timeout_s: float | None = None

    def definition(self) -> dict[str, Any]:
        """What the model is sent about this tool, in Chat Completions form."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": dict(self.input_schema),
            },
        }

    def __call__(self, *values: Any, **arguments: Any) -> Any:
        """Run the plain function, as if it were no tool."""
        return self.run(*values, **arguments)


class Toolbox(Mapping[str, Tool]):
    """Tools by name, in the order in which the model is offered them.

    It is a `Mapping`: `box["add"]`, `"add" in box`, `len(box)`, iteration over names.
    """

    def __init__(self, tools: Iterable[Tool | RunTool] = ()) -> None:
        """Collect tools; plain functions are made into tools.

        Raises:
            ToolDefinitionError: if two tools have the same name.
        """
        self._tools: dict[str, Tool] = {}
        for item in tools:
            added = as_tool(item)
            if added.name in self._tools:
                raise ToolDefinitionError(
                    f"Two tools are named {added.name!r}. A model tells tools apart by name: "
                    "rename one of them with @tool(name=...)."
                )
            self._tools[added.name] = added

    def __getitem__(self, name: str) -> Tool:
        """The tool of that name. Raises `KeyError` where there is none."""
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        """The names, in order."""
        return iter(self._tools)

    def __len__(self) -> int:
        """How many tools there are."""
        return len(self._tools)

    def __repr__(self) -> str:
        """The names, so that a cell that ends in a toolbox says something."""
        return f"Toolbox({', '.join(self._tools)})"

    def definitions(self) -> list[dict[str, Any]]:
        """The `tools` array of a request: one definition a tool, in order."""
        return [item.definition() for item in self._tools.values()]


def as_tool(item: Tool | RunTool) -> Tool:
    """Give back a tool as it is; make one of a function."""
    return item if isinstance(item, Tool) else _from_function(item, name=None)


def as_toolbox(tools: Toolbox | Iterable[Tool | RunTool]) -> Toolbox:
    """Give back a toolbox as it is; make one of any collection of tools and functions."""
    return tools if isinstance(tools, Toolbox) else Toolbox(tools)


@overload
def tool(function: RunTool, /) -> Tool: ...
@overload
def tool(
    *, name: str | None = None, side_effect: bool = False, timeout_s: float | None = None
) -> Callable[[RunTool], Tool]: ...
def tool(
    function: RunTool | None = None,
    /,
    *,
    name: str | None = None,
    side_effect: bool = False,
    timeout_s: float | None = None,
) -> Tool | Callable[[RunTool], Tool]:
    """Make a tool of a function: `@tool`, or `@tool(side_effect=True)`.

    The name is the function's. The description is the docstring's text before `Args:`. The input
    schema comes from the annotations (pydantic makes it), and each parameter's description from
    the docstring's `Args:` section or from `Annotated[..., Field(description=...)]`.

    Args:
        function: the function, when used without brackets.
        name: another name than the function's.
        side_effect: say `True` when it changes something outside.
        timeout_s: its own time limit in seconds.

    Raises:
        ToolDefinitionError: if the function takes `*args`, `**kwargs` or positional-only
            parameters, or an annotation that JSON cannot carry.
    """
    make = functools.partial(
        _from_function, name=name, side_effect=side_effect, timeout_s=timeout_s
    )
    return make if function is None else make(function)


def _from_function(
    function: RunTool,
    *,
    name: str | None,
    side_effect: bool = False,
    timeout_s: float | None = None,
) -> Tool:
    from docstring_parser import parse

    _refuse_open_parameters(function)
    documentation = parse(inspect.getdoc(function) or "")
    adapter = _adapter(function)
    schema = _input_schema(adapter, function)
    for parameter in documentation.params:
        if parameter.description and parameter.arg_name in schema["properties"]:
            text = " ".join(parameter.description.split())
            schema["properties"][parameter.arg_name].setdefault("description", text)
    return Tool(
        name=name or _name_of(function),
        description=_join(documentation.short_description, documentation.long_description),
        input_schema=schema,
        run=_converting(function, adapter),
        side_effect=side_effect,
        timeout_s=timeout_s,
    )


def _name_of(function: RunTool) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _join(*texts: str | None) -> str:
    return " ".join(" ".join(text.split()) for text in texts if text)


def _refuse_open_parameters(function: RunTool) -> None:
    kinds = inspect.Parameter
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in {kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD, kinds.POSITIONAL_ONLY}:
            raise ToolDefinitionError(
                f"{_name_of(function)}: parameter {str(parameter)!r} cannot be described to a "
                "model, which gives arguments by name. List each parameter by name instead."
            )


def _adapter(function: RunTool) -> TypeAdapter[Any]:
    from pydantic import PydanticUserError, TypeAdapter

    try:
        return TypeAdapter(cast(Any, function))
    except (PydanticUserError, NameError) as error:
        raise ToolDefinitionError(
            f"{_name_of(function)}: an annotation cannot be turned into a schema: "
            f"{str(error).splitlines()[0]} Use types that JSON has (str, int, float, bool, list, "
            "dict, Literal, Enum) or a pydantic model."
        ) from error


def _input_schema(adapter: TypeAdapter[Any], function: RunTool) -> dict[str, Any]:
    from pydantic import PydanticInvalidForJsonSchema

    try:
        made = adapter.json_schema()
    except PydanticInvalidForJsonSchema as error:
        raise ToolDefinitionError(
            f"{_name_of(function)}: {str(error).splitlines()[0]} JSON cannot carry such a value."
        ) from error
    tidy = _without_titles(made)
    parts: dict[str, Any] = {"type": "object", "properties": tidy.get("properties", {})}
    parts["required"] = tidy.get("required", [])
    parts["additionalProperties"] = False
    return parts | ({"$defs": tidy["$defs"]} if "$defs" in tidy else {})


def _without_titles(schema: Any) -> Any:
    """Drop the `title` that pydantic puts everywhere; a property called "title" stays."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: (
            {name: _without_titles(part) for name, part in value.items()}
            if key in {"properties", "$defs"}
            else value
            if key in {"enum", "const", "default", "examples"}
            else _without_titles(value)
        )
        for key, value in schema.items()
        if key != "title"
    }


def _converting(function: RunTool, adapter: TypeAdapter[Any]) -> RunTool:
    """Run `function` with JSON values made into the types that it declares (an Enum, a date)."""
    from pydantic_core import ArgsKwargs

    @functools.wraps(function)
    def run(*values: Any, **arguments: Any) -> Any:
        return adapter.validate_python(ArgsKwargs(values, arguments))

    return run


#: What is laid over each tool run in the present context, outermost first: a recorder, say.
_overlays: ContextVar[tuple[Overlay, ...]] = ContextVar("_overlays", default=())


@contextmanager
def laid_over(overlay: Overlay) -> Iterator[None]:
    """Lay `overlay` over every tool that runs inside the `with`, also in its tasks and threads.

    It is laid once, however often it is added.

    Args:
        overlay: called as `await overlay(tool, arguments, proceed)` in place of the run; it awaits
            `proceed()` for the value. The tool and its caller do not notice it.
    """
    active = _overlays.get()
    token = _overlays.set(active if overlay in active else (*active, overlay))
    try:
        yield
    finally:
        _overlays.reset(token)


async def run_watched(
    item: Tool, arguments: Mapping[str, Any], proceed: Callable[[], Awaitable[Any]]
) -> Any:
    """Await `proceed()` through whatever is laid over tool runs here.

    Args:
        item: the tool that runs.
        arguments: its arguments, parsed and checked.
        proceed: runs the tool and gives its value.
    """
    for overlay in reversed(_overlays.get()):
        proceed = functools.partial(overlay, item, arguments, proceed)
    return await proceed()
