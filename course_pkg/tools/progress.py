"""Say how far a tool has come, to whoever wants to know.

In: `report_progress(3, 10, "page 3")` anywhere inside a tool. Out: a `Progress` for the listener of
the present context, if there is one; else nothing happens. So a tool is the same function in the
loop, where nobody listens, and behind an MCP server, which tells its client.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a tool has come.

    Attributes:
        done: how much is done, in any unit. It should grow from report to report.
        total: how much there is to do, in the same unit; `None` if nobody knows.
        message: what is going on, in words; may be empty.
    """

    done: float
    total: float | None = None
    message: str = ""


ProgressListener: TypeAlias = Callable[[Progress], None]

#: Who is told in the present context. Threads and tasks of a tool take it along.
_listener: ContextVar[ProgressListener | None] = ContextVar("_listener", default=None)


def report_progress(done: float, total: float | None = None, message: str = "") -> None:
    """Tell how far the running tool has come. Where nobody listens, nothing happens.

    It may be called from plain functions and from `async` ones; it never waits.

    Args:
        done: how much is done, in any unit. It should grow from report to report.
        total: how much there is to do, in the same unit, if that is known.
        message: what is going on, in words.
    """
    listener = _listener.get()
    if listener is not None:
        listener(Progress(done=done, total=total, message=message))


@contextmanager
def progress_to(listener: ProgressListener) -> Iterator[None]:
    """Let `listener` have every report made inside the `with`, also in its tasks and threads.

    Args:
        listener: is called with each report, in the thread that reports. It must not wait.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
