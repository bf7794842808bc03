"""Send a request again after a failure that may pass, on a clock that tests can replace.

In: a way to send it once, and how often. Out: the reply, or the last failure with the number of
tries. The waits grow and are drawn at random between nothing and their limit ("full jitter"), so
that a class whose requests failed together does not come back together. Where the service says how
long to wait, that is waited. Knows nothing of HTTP.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from course_pkg.model.errors import ModelError
from course_pkg.model.reply import Reply

if TYPE_CHECKING:
    from tenacity import RetryCallState

#: Tries after the first, for a full or failing service or a lost connection.
MAX_RETRIES = 2

#: The longest wait before the second try; each further one doubles, up to the longest of all.
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0

#: When a service asks to wait longer than this, the error comes at once, with the time in it.
MAX_RETRY_AFTER_S = 30.0


class Clock(Protocol):
    """What waiting needs from the world. The executor's `FastClock` is one, too."""

    @property
    def sleep(self) -> Callable[[float], Awaitable[None]]:
        """Awaits so many seconds."""

    @property
    def chance(self) -> Callable[[], float]:
        """Gives a number from 0 up to 1."""


@dataclass(frozen=True, kw_only=True)
class RealClock:
    """The clock on the wall, and real chance."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


async def with_retries(
    once: Callable[[int], Awaitable[Reply | ModelError]], *, max_retries: int, clock: Clock
) -> Reply | ModelError:
    """Await `once(tries)`, again after a failure that may pass, and give what came of it last.

    Args:
        once: sends the request once; it is told how many tries there were before. A failure is a
            value here, not an exception.
        max_retries: tries after the first.
        clock: waits and draws.
    """
    first = await once(0)
    if not may_pass(first) or max_retries < 1:
        return first
    from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt

    tries = 0

    async def attempt() -> Reply | ModelError:
        nonlocal tries
        reached = await once(tries) if tries else first
        tries += 1
        if isinstance(reached, ModelError):
            reached.tries = tries
        return reached

    retrying = AsyncRetrying(
        stop=stop_after_attempt(1 + max_retries),
        retry=retry_if_result(may_pass),
        wait=lambda state: wait_s(state, clock),
        sleep=clock.sleep,
        retry_error_callback=_reached,
    )
    return await retrying(attempt)


def may_pass(reached: Reply | ModelError) -> bool:
    """Whether the same request is to be sent again.

    Args:
        reached: what came of the last try.
    """
    if not isinstance(reached, ModelError) or not reached.temporary:
        return False
    return (reached.retry_after_s or 0) <= MAX_RETRY_AFTER_S


def wait_s(state: RetryCallState, clock: Clock) -> float:
    """How long to wait before the next try, in seconds."""
    failure = _reached(state)
    if isinstance(failure, ModelError) and failure.retry_after_s is not None:
        return failure.retry_after_s
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1))
    return clock.chance() * longest


def _reached(state: RetryCallState) -> Reply | ModelError:
    assert state.outcome is not None  # there is one after each attempt
    reached: Reply | ModelError = state.outcome.result()
    return reached
