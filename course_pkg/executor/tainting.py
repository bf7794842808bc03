"""Watch what follows a result from outside: from then on, a person is asked before each change.

In: tools whose results come from outside, and whom to ask. Out: tools that fence their results and
leave a taint, and an approver that minds it. A page can hold an order; a model may follow it. What
it then wants to send or write is the moment to ask.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from course_pkg.executor.approval import ApprovalRequest, Approve, Decision, ForEveryTool, decision
from course_pkg.executor.results import MAX_RESULT_CHARS, in_words, result_text
from course_pkg.executor.trying import MAX_ITEMS
from course_pkg.tools import RunTool, TemporaryToolError, Tool, ToolError
from course_pkg.tools.untrusted import MAX_FRAME_CHARS, Taint, fenced, mark_of

#: What is left for the text itself.
MAX_FENCED_CHARS = MAX_RESULT_CHARS - MAX_FRAME_CHARS

#: Makes the fenced text of what came, and notes that it did.
Arrived: TypeAlias = Callable[[Any], str]


def from_outside(tool: Tool, taint: Taint, *, same_each_run: bool = False) -> Tool:
    """The same tool, whose results come back fenced and leave a taint. Its errors do, too.

    Args:
        tool: a tool that brings text from outside: pages, mail, another server's results.
        taint: where it is noted.
        same_each_run: whether the boundary is made of the text, so that a lesson shows the same
            each time, instead of by chance.
    """

    def arrived(value: Any) -> str:
        taint.note(tool.name)
        text = result_text(value, max_chars=MAX_FENCED_CHARS)
        return fenced(text, source=tool.name, mark=mark_of(text) if same_each_run else None)

    is_async = inspect.iscoroutinefunction(inspect.unwrap(tool.run))
    run = (_awaited if is_async else _called)(tool, arrived)
    return replace(tool, run=functools.wraps(tool.run)(run))


def asking_after_outside_text(
    taint: Taint, ask: Approve, *, until_then: Approve | None = None
) -> Approve:
    """An approver that asks before each change once text from outside has come.

    "Always" does not count from then on: it was said before the text was there.

    Args:
        taint: what `from_outside` notes.
        ask: whom to ask then.
        until_then: whom to ask as long as no such text has come; nobody if left out.
    """

    async def decide(request: ApprovalRequest) -> Decision:
        if taint:
            return replace(await decision(request, ForEveryTool(ask)), always=False)
        if until_then is None:
            return Decision(approved=True)
        return await decision(request, ForEveryTool(until_then))

    return decide


def _called(tool: Tool, arrived: Arrived) -> RunTool:
    def run(*values: Any, **arguments: Any) -> Any:
        try:
            value = tool.run(*values, **arguments)
            if inspect.isawaitable(value) or inspect.isasyncgen(value):
                return _later(tool, value, arrived)
            value = _listed(value) if isinstance(value, Iterator) else value
        except Exception as error:
            raise _fenced_error(tool, error, arrived) from error
        return arrived(value)

    return run


def _awaited(tool: Tool, arrived: Arrived) -> RunTool:
    async def run(*values: Any, **arguments: Any) -> str:
        return await _later(tool, tool.run(*values, **arguments), arrived)

    return run


async def _later(tool: Tool, value: Any, arrived: Arrived) -> str:
    try:
        value = [item async for item in value] if inspect.isasyncgen(value) else await value
    except Exception as error:
        raise _fenced_error(tool, error, arrived) from error
    return arrived(value)


def _listed(items: Iterator[Any]) -> list[Any]:
    return list(itertools.islice(items, MAX_ITEMS))


def _fenced_error(tool: Tool, error: Exception, arrived: Arrived) -> ToolError:
    """An error's text comes from outside as well. Whether it is temporary stays."""
    is_temporary = isinstance(error, TemporaryToolError) or (
        tool.retry is not None and tool.retry.is_temporary(error)
    )
    name = "" if isinstance(error, ToolError) else f"{type(error).__name__}: "
    return (TemporaryToolError if is_temporary else ToolError)(arrived(name + in_words(error)))
