"""Lay something over every tool run: a recorder, an approval.

In: an overlay. Out: the same runs, watched. The tool and its caller do not notice it.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from course_pkg.tools.tool import Tool

Overlay: TypeAlias = Callable[[Tool, Mapping[str, Any], Callable[[], Awaitable[Any]]], Any]

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
