"""Keep the event loop awake while something is waited for, so that the stop button works.

In: a block that waits. Out: the same block, which a notebook can interrupt. Knows nothing of what
is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

#: How often a waiting block wakes, in seconds. In a notebook the stop button is noticed only when
#: the event loop wakes (ipykernel issue 881): without this it takes seconds.
WAKE_EVERY_S = 0.2


@contextmanager
def waking() -> Iterator[None]:
    """Wake the event loop now and then inside the `with`, which may hold any `await`."""
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []

    def wake() -> None:  # to wake is all that it is for
        timers[:] = [loop.call_later(WAKE_EVERY_S, wake)]

    wake()
    try:
        yield
    finally:
        timers[0].cancel()
