"""Collect tools, and make tools of functions with `@tool`.

In: functions and tools. Out: a `Toolbox`, in the order in which the model is offered them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, overload

from course_pkg.tools.making import from_function
from course_pkg.tools.retry import Retry
from course_pkg.tools.tool import Tool
from course_pkg.tools.values import RunTool, ToolDefinitionError


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

    async def refresh(self) -> None:
        """Look whether the tools have changed. These do not; those of a server may.

        A loop awaits it before each request, so that the model is offered what there is now.
        """

    def definitions(self) -> list[dict[str, Any]]:
        """The `tools` array of a request: one definition a tool, in order."""
        return [item.definition() for item in self._tools.values()]


def as_tool(item: Tool | RunTool) -> Tool:
    """Give back a tool as it is; make one of a function."""
    return item if isinstance(item, Tool) else from_function(item)


def as_toolbox(tools: Toolbox | Iterable[Tool | RunTool]) -> Toolbox:
    """Give back a toolbox as it is; make one of any collection of tools and functions."""
    return tools if isinstance(tools, Toolbox) else Toolbox(tools)


@overload
def tool(function: RunTool, /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    side_effect: bool = False,
    timeout_s: float | None = None,
    retry: Retry | None = None,
    idempotency_key: str = "",
) -> Callable[[RunTool], Tool]: ...
def tool(
    function: RunTool | None = None,
    /,
    *,
    name: str | None = None,
    side_effect: bool = False,
    timeout_s: float | None = None,
    retry: Retry | None = None,
    idempotency_key: str = "",
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
        retry: how to try again after a temporary error: `Retry()`, say.
        idempotency_key: the parameter that takes the call's key, which the model is not shown. A
            tool with a side effect is tried again only if it has one.

    Raises:
        ToolDefinitionError: if the function takes `*args`, `**kwargs` or positional-only
            parameters, or an annotation that JSON cannot carry.
    """
    make = functools.partial(
        from_function,
        name=name,
        side_effect=side_effect,
        timeout_s=timeout_s,
        retry=retry,
        idempotency_key=idempotency_key,
    )
    return make if function is None else make(function)
