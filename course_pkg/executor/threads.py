"""Run a plain function beside the event loop, and stop waiting for it in time.

In: a function without arguments. Out: its value, or what it raised. Python cannot stop a thread: a
function that outlives its time limit runs on, and its value is dropped. Its thread is a daemon, so
neither the loop nor the interpreter's exit waits for it.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any


class ToolExit(Exception):  # noqa: N818 - it stands in for an exception, and is none of its own
    """In place of what a future cannot carry (StopIteration) or must not (SystemExit)."""


async def in_thread(function: Callable[[], Any], *, name: str) -> Any:
    """Await `function()` in a daemon thread of its own, with the present context variables.

    Args:
        function: what to run.
        name: the thread's name, for those who look at a process from outside.

    Raises:
        ToolExit: if the function raised SystemExit, StopIteration or the like.
        Exception: whatever else the function raised.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            value = context.run(function)
        except Exception as error:
            _tell(loop, future, error=_carriable(error))
        except BaseException as error:  # SystemExit in a thread would else leave the loop waiting
            _tell(loop, future, error=ToolExit(_named(error)))
        else:
            _tell(loop, future, value=value)

    threading.Thread(target=work, name=name, daemon=True).start()
    return await future


def _tell(
    loop: asyncio.AbstractEventLoop,
    future: asyncio.Future[Any],
    *,
    value: Any = None,
    error: Exception | None = None,
) -> None:
    def settle() -> None:
        if future.done():
            return  # nobody waits any more
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return  # the loop is closed: the kernel or the test ended before the function did


def _carriable(error: Exception) -> Exception:
    return ToolExit(_named(error)) if isinstance(error, StopIteration) else error


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")
