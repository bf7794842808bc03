"""Plain functions beside the event loop: waited for a moment in the call, then on the loop."""

from __future__ import annotations

import asyncio
import time

import pytest

from course_pkg import ToolCall, execute, execute_all, tool
from course_pkg.executor.threads import MOMENT_S, ToolExit, in_thread

#: What a busy machine may add to each wait, in seconds.
SLACK_S = 0.05


async def longest_stall_of_the_loop(until: asyncio.Task[object]) -> float:
    longest = 0.0
    while not until.done():
        began = time.perf_counter()
        await asyncio.sleep(0)
        longest = max(longest, time.perf_counter() - began)
    return longest


async def test_a_slow_function_never_holds_the_event_loop() -> None:
    waiting = asyncio.create_task(in_thread(lambda: time.sleep(0.3), name="slow"))

    stall = await longest_stall_of_the_loop(waiting)

    assert stall < MOMENT_S + SLACK_S


@pytest.mark.parametrize("takes_s", [0.0, 0.5 * MOMENT_S, MOMENT_S, 2 * MOMENT_S, 20 * MOMENT_S])
async def test_a_value_comes_back_however_long_the_function_takes(takes_s: float) -> None:
    def timed(number: int) -> int:
        time.sleep(takes_s)
        return number

    values = [await in_thread(lambda n=n: timed(n), name="timed") for n in range(50)]

    assert values == list(range(50))


@pytest.mark.parametrize("takes_s", [0.0, 20 * MOMENT_S])
@pytest.mark.parametrize(
    ("raised", "seen"),
    [(ValueError("no"), ValueError), (SystemExit(2), ToolExit), (StopIteration(), ToolExit)],
)
async def test_what_a_function_raises_comes_back(
    takes_s: float, raised: BaseException, seen: type[BaseException]
) -> None:
    def failing() -> None:
        time.sleep(takes_s)
        raise raised

    with pytest.raises(seen):
        await in_thread(failing, name="failing")


async def test_fifty_quick_and_slow_tools_side_by_side_each_keep_their_own_result() -> None:
    @tool
    def twice(number: int) -> int:
        """Double a number, now and then slowly."""
        time.sleep(0.01 * (number % 3))
        return 2 * number

    calls = [ToolCall(id=f"c{n}", name="twice", arguments=f'{{"number": {n}}}') for n in range(50)]

    results = await execute_all(calls, [twice])

    assert [result.value for result in results] == [2 * n for n in range(50)]


async def test_a_time_limit_holds_while_the_function_runs_on() -> None:
    @tool
    def endless() -> None:
        """Take too long."""
        time.sleep(0.5)

    began = time.perf_counter()
    result = await execute(
        ToolCall(id="c", name="endless", arguments="{}"), [endless], timeout_s=0.1
    )

    assert result.error_kind == "timeout"
    assert time.perf_counter() - began < 0.1 + 4 * SLACK_S
