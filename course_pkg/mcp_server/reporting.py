"""Pass on what a tool reports of its progress, in order, before its result.

In: reports of any thread. Out: `notifications/progress`, if the client asked for them. What does
not grow is left out, since the protocol wants each report to be beyond the last; and so is what
comes after the end, from a thread that was left behind.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from course_pkg.tools import Progress, progress_to

#: Sends one report: done, total, message. It does nothing if the client asked for none.
SendProgress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]

#: A tool that reports more often than this in one call is not heard any more.
MAX_REPORTS = 1_000


@asynccontextmanager
async def progress_sent(send: SendProgress) -> AsyncIterator[None]:
    """Send what is reported inside the `async with`. It ends when all is sent.

    Args:
        send: sends one report.
    """
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[Progress | None] = asyncio.Queue(MAX_REPORTS)

    def put(progress: Progress) -> None:
        if not waiting.full():
            waiting.put_nowait(progress)

    def hear(progress: Progress) -> None:
        try:
            loop.call_soon_threadsafe(put, progress)
        except RuntimeError:
            return  # the loop is closed: the server ended before the tool did

    sending = asyncio.create_task(_send_all(waiting, send))
    try:
        with progress_to(hear):
            yield
        await asyncio.sleep(0)  # the last reports are on their way through the loop
        await waiting.put(None)
        await sending
    finally:
        sending.cancel()


async def _send_all(waiting: asyncio.Queue[Progress | None], send: SendProgress) -> None:
    last, sent = -math.inf, 0
    while (progress := await waiting.get()) is not None:
        if sent < MAX_REPORTS and _is_beyond(progress, last):
            last, sent = progress.done, sent + 1
            try:
                await send(progress.done, progress.total, progress.message or None)
            except Exception:  # the client is gone, say: the tool's result matters more
                sent = MAX_REPORTS


def _is_beyond(progress: Progress, last: float) -> bool:
    numbers = (progress.done, *(() if progress.total is None else (progress.total,)))
    fit = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
    return fit and progress.done > last
