"""Run a tool once or, where it may be, again: in time, and with whatever it raises caught.

In: a tool and its checked arguments. Out: an `Attempt`, with the value or with words for the model.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import io
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from course_pkg.executor.results import in_words
from course_pkg.executor.threads import ToolExit, in_thread
from course_pkg.executor.waiting import Clock, FastClock, may_retry, with_retries
from course_pkg.tools import Tool, ToolCall, ToolError, run_watched

#: So many items are taken from a generator: it may have no end.
MAX_ITEMS = 1_000

MORE_ITEMS = "(more items are left out)"

#: In place of the value of a run that was left behind.
TOO_SLOW = object()


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What came of running a tool.

    Attributes:
        value: what it returned; the items in a list, if it gives them one by one.
        error: what to tell the model if it failed; else empty.
        kind: which kind of error, in one code word.
        tries: how often it ran.
    """

    value: Any = None
    error: str = ""
    kind: str = ""
    tries: int = 1


async def attempt(
    call: ToolCall,
    tool: Tool,
    arguments: Mapping[str, Any],
    *,
    timeout_s: float,
    clock: Clock | FastClock,
) -> Attempt:
    """Run the tool, and again after temporary errors if its `retry` says so.

    A run that is too slow is never repeated: it may still be going on.

    Args:
        call: the call, for its idempotency key.
        tool: the tool.
        arguments: its arguments, checked.
        timeout_s: the limit of each run, in seconds.
        clock: what waits between the runs.
    """
    policy = may_retry(tool)
    if tool.idempotency_key:
        arguments = {**arguments, tool.idempotency_key: idempotency_key(call)}
    tries = 0

    async def proceed() -> Any:
        nonlocal tries
        tries += 1
        return await _once(tool, arguments, timeout_s=timeout_s)

    try:
        value = await (with_retries(proceed, policy, clock) if policy else proceed())
    except ToolError as error:
        text = in_words(error) or f"{tool.name} failed."
        return Attempt(error=_counted(text, tries), kind="tool_error", tries=tries)
    except (Exception, SystemExit, GeneratorExit) as error:
        return Attempt(error=_counted(_raised(tool, error), tries), kind="tool_failed", tries=tries)
    if value is TOO_SLOW:
        return Attempt(error=_too_slow(tool, timeout_s), kind="timeout", tries=tries)
    return Attempt(value=value, tries=tries)


def idempotency_key(call: ToolCall) -> str:
    """A text that is the same at each try of a call, and another for another call.

    Args:
        call: the call.
    """
    told = f"{call.id}/{call.name}/{call.arguments}"
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:32]


async def _once(tool: Tool, arguments: Mapping[str, Any], *, timeout_s: float) -> Any:
    limit = asyncio.timeout(timeout_s)
    try:
        async with limit:
            return await run_watched(tool, arguments, lambda: _value(tool, arguments))
    except TimeoutError:
        if limit.expired():
            return TOO_SLOW
        raise  # the tool's own


async def _value(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    if inspect.iscoroutinefunction(inspect.unwrap(tool.run)):
        value = await tool.run(**arguments)
    else:
        value = await in_thread(lambda: tool.run(**arguments), name=f"tool {tool.name}")
        value = await value if inspect.isawaitable(value) else value
    if inspect.isasyncgen(value):
        return await _listed_as_they_come(value)
    if isinstance(value, Iterator) and not isinstance(value, io.IOBase):
        return await in_thread(lambda: _listed(value), name=f"tool {tool.name}")
    return value


def _listed(items: Iterator[Any]) -> list[Any]:
    found = list(itertools.islice(items, MAX_ITEMS + 1))
    return found if len(found) <= MAX_ITEMS else [*found[:MAX_ITEMS], MORE_ITEMS]


async def _listed_as_they_come(items: Any) -> list[Any]:
    found: list[Any] = []
    try:
        async for item in items:
            if len(found) == MAX_ITEMS:
                return [*found, MORE_ITEMS]
            found.append(item)
    finally:
        await items.aclose()
    return found


def _counted(text: str, tries: int) -> str:
    return text if tries == 1 else f"{text} (It was tried {tries} times.)"


def _too_slow(tool: Tool, timeout_s: float) -> str:
    known = (
        "It may still be running, and what it does may still happen."
        if tool.side_effect
        else "Nothing is known of its result."
    )
    return (
        f"{tool.name} was not done after {timeout_s:g} seconds. {known} "
        "Do not call it again with the same arguments; tell the user, or ask for less."
    )


def _raised(tool: Tool, error: BaseException) -> str:
    """What the model reads of an exception: its type and message, never the traceback."""
    name = "" if isinstance(error, ToolExit) else f"{type(error).__name__}: "
    what = f"{name}{in_words(error)}".rstrip(": ")
    return f"{tool.name} failed with {what}. Check the arguments, or do without it."
