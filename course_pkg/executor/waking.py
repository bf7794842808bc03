"""Keep the event loop awake while something is waited for, so that the stop button works.

In: a block that waits. Out: the same block, which a notebook can interrupt. Knows nothing of what
is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

#: How often a waiting block wakes, in seconds. In a notebook the stop button is noticed only when
#: the event loop wakes (ipykernel issue 881): without this it takes seconds.
WAKE_EVERY_S = 0.2


@asynccontextmanager
async def waking() -> AsyncGenerator[None]:
    """Wake the event loop now and then inside the `async with`."""
    task = asyncio.create_task(_wake())
    try:
        yield
    finally:
        task.cancel()


async def _wake() -> None:
    while True:  # noqa: ASYNC110 - to wake is all that it is for
        await asyncio.sleep(WAKE_EVERY_S)
