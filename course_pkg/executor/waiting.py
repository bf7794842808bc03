"""Wait before a tool is tried again, on a clock that tests and notebooks can replace.

In: how a tool may be retried, and what it raised. Out: the waits, or the end of trying. The waits
grow and are drawn at random between nothing and their limit ("full jitter"), so that many callers
that failed together do not come back together.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course_pkg.tools import Retry, Tool

if TYPE_CHECKING:
    from tenacity import RetryCallState


#: After so many doublings any wait is at its limit.
MAX_DOUBLINGS = 64


@dataclass(frozen=True, kw_only=True)
class Clock:
    """What waiting needs from the world.

    Attributes:
        sleep: awaits so many seconds.
        chance: gives a number from 0 up to 1.
    """

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


@dataclass(kw_only=True)
class FastClock:
    """A clock on which waiting takes no time. It keeps the waits, in seconds.

    Attributes:
        fraction: in place of chance: how much of each longest wait is waited, from 0 to 1.
        waits: the waits so far.
    """

    fraction: float = 1.0
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """Note a wait, and let others run once."""
        self.waits.append(seconds)
        await asyncio.sleep(0)

    def chance(self) -> float:
        """The fraction, each time."""
        return self.fraction


REAL_CLOCK = Clock()


def may_retry(tool: Tool) -> Retry | None:
    """How a tool may be retried, if it may.

    What has a side effect is retried only with an idempotency key: else a payment whose answer got
    lost would be made twice.

    Args:
        tool: any tool.
    """
    return tool.retry if not tool.side_effect or tool.idempotency_key else None


async def with_retries(
    proceed: Callable[[], Awaitable[Any]], policy: Retry, clock: Clock | FastClock
) -> Any:
    """Await `proceed()`, again after a temporary error, and give its value.

    Args:
        proceed: one try.
        policy: how often, how long to wait, and after which errors.
        clock: waits and draws.

    Raises:
        Exception: what the last try raised.
    """
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

    def wait_s(state: RetryCallState) -> float:
        doublings = min(state.attempt_number - 1, MAX_DOUBLINGS)
        return clock.chance() * min(policy.longest_wait_s, policy.first_wait_s * 2.0**doublings)

    tries = AsyncRetrying(
        stop=stop_after_attempt(policy.tries),
        retry=retry_if_exception(policy.is_temporary),
        wait=wait_s,
        sleep=clock.sleep,
        reraise=True,
    )
    return await tries(proceed)
