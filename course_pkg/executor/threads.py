"""Run a plain function beside the event loop, and stop waiting for it in time.

In: a function without arguments. Out: its value, or what it raised. Python cannot stop a thread: a
function that outlives its time limit runs on, and its value is dropped. Threads are daemons, so
neither the loop nor the interpreter's exit waits for one. A thread that is done takes the next
function.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeAlias

#: Runs a function, and gives back how to tell what came of it.
Work: TypeAlias = Callable[[], Callable[[], None]]
Inbox: TypeAlias = "SimpleQueue[tuple[Work, str]]"

#: So many threads wait for the next function: to start one costs more than most tools do.
MAX_IDLE_THREADS = 8

#: So long, in seconds, the event loop stands still for a function. Most are done by then, and to
#: wake the loop from another thread costs more than they do. A slower one never blocks it.
MOMENT_S = 0.0002

_idle: list[Inbox] = []

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # no thread comes along into a fork


class ToolExit(Exception):  # noqa: N818 - it stands in for an exception, and is none of its own
    """In place of what a future cannot carry (StopIteration) or must not (SystemExit)."""


async def in_thread(function: Callable[[], Any], *, name: str) -> Any:
    """Await `function()` in a daemon thread, with the present context variables.

    No two functions share a thread at the same time, however many run.

    Args:
        function: what to run.
        name: the thread's name, for those who look at a process from outside.

    Raises:
        ToolExit: if the function raised SystemExit, StopIteration or the like.
        Exception: whatever else the function raised.
    """
    asker = _Asker(asyncio.get_running_loop())
    context = contextvars.copy_context()

    def work() -> Callable[[], None]:
        try:
            value = context.run(function)
        except Exception as error:
            return partial(asker.tell, error=_carriable(error))
        except BaseException as error:  # SystemExit in a thread would else leave the loop waiting
            return partial(asker.tell, error=ToolExit(_named(error)))
        return partial(asker.tell, value=value)

    _hand_over(work, name)
    asker.wait_a_moment()
    return await asker.future


class _Asker:
    """Who waits for a function: a moment in the call itself, and then on the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.future: asyncio.Future[Any] = loop.create_future()
        self._loop = loop
        self._told = threading.Lock()
        self._told.acquire()
        self._waits_here = [True]  # whoever takes it first has decided; `pop` is atomic

    def wait_a_moment(self) -> None:
        """Wait until the result is there, or a moment has passed."""
        if not self._told.acquire(timeout=MOMENT_S) and not self._taken():
            self._told.acquire()  # told in between: it is being set now

    def tell(self, *, value: Any = None, error: Exception | None = None) -> None:
        """Say what came of the function, from its thread."""
        settle = partial(_settle, self.future, value, error)
        if self._taken():
            settle()  # the loop's own thread stands still until the lock is free
            self._told.release()
            return
        try:
            self._loop.call_soon_threadsafe(settle)
        except RuntimeError:
            return  # the loop is closed: the kernel or the test ended before the function did

    def _taken(self) -> bool:
        try:
            return self._waits_here.pop()
        except IndexError:
            return False


def _settle(future: asyncio.Future[Any], value: Any, error: Exception | None) -> None:
    if future.done():
        return  # nobody waits any more
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


def _hand_over(work: Work, name: str) -> None:
    """Let a thread do `work`: one that waits for some, or a new one. None is waited for."""
    try:
        inbox = _idle.pop()
    except IndexError:
        inbox = SimpleQueue()
        threading.Thread(target=_serve, args=(inbox,), daemon=True).start()
    inbox.put((work, name))


def _serve(inbox: Inbox) -> None:
    while True:
        tell = _done(*inbox.get())
        stays = len(_idle) < MAX_IDLE_THREADS
        if stays:
            _idle.append(inbox)  # before the result is told: the next call may follow at once
        tell()
        del tell  # an idle thread keeps no result alive
        if not stays:
            return


def _done(work: Work, name: str) -> Callable[[], None]:
    threading.current_thread().name = name
    return work()


def _carriable(error: Exception) -> Exception:
    return ToolExit(_named(error)) if isinstance(error, StopIteration) else error


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")
