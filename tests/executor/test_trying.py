"""Which runs are tried again, and how long is waited between them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from course_pkg.executor import FastClock, execute, execute_all
from course_pkg.executor.trying import MAX_ITEMS, MORE_ITEMS
from course_pkg.tools import (
    Retry,
    TemporaryToolError,
    Tool,
    ToolCall,
    ToolDefinitionError,
    ToolError,
    tool,
)


class Shaky:
    """A tool that fails with what it is given, in order, and then works."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.keys: list[str] = []

    def run(self, key: str = "") -> str:
        self.keys.append(key)
        if self.errors:
            raise self.errors.pop(0)
        return "done"

    def tool(self, **more: Any) -> Tool:
        schema = {"type": "object", "properties": {}, "additionalProperties": False}
        return Tool(name="shaky", description="", input_schema=schema, run=self.run, **more)


BUSY = TemporaryToolError("The service is busy.")
CALL = ToolCall(id="c1", name="shaky", arguments="{}")


async def test_a_tool_without_a_retry_policy_runs_once() -> None:
    shaky = Shaky(BUSY)

    result = await execute(CALL, [shaky.tool()])

    assert (result.error_kind, result.text, len(shaky.keys)) == ("tool_error", str(BUSY), 1)


async def test_a_temporary_error_is_tried_again_until_it_works() -> None:
    shaky = Shaky(BUSY, BUSY)

    result = await execute(CALL, [shaky.tool(retry=Retry())], clock=FastClock())

    assert (result.value, result.notes) == ("done", ("tries:3",))


async def test_the_last_error_is_told_with_the_number_of_tries() -> None:
    shaky = Shaky(*[BUSY] * 9)

    result = await execute(CALL, [shaky.tool(retry=Retry(tries=4))], clock=FastClock())

    assert result.text == "The service is busy. (It was tried 4 times.)"
    assert len(shaky.keys) == 4


@pytest.mark.parametrize(
    "error", [ToolError("No such city."), ValueError("odd"), SystemExit(1), KeyError("x")]
)
async def test_an_error_that_is_not_temporary_is_not_tried_again(error: BaseException) -> None:
    shaky = Shaky(error)

    result = await execute(CALL, [shaky.tool(retry=Retry())], clock=FastClock())

    assert (result.is_error, len(shaky.keys)) == (True, 1)


async def test_a_tool_may_name_further_errors_as_temporary() -> None:
    shaky = Shaky(ConnectionResetError("gone"))
    policy = Retry(also_after=(ConnectionError,))

    assert (await execute(CALL, [shaky.tool(retry=policy)], clock=FastClock())).value == "done"


async def test_the_waits_double_up_to_a_limit() -> None:
    clock = FastClock()
    policy = Retry(tries=6, first_wait_s=1.0, longest_wait_s=5.0)

    await execute(CALL, [Shaky(*[BUSY] * 9).tool(retry=policy)], clock=clock)

    assert clock.waits == [1.0, 2.0, 4.0, 5.0, 5.0]


async def test_each_wait_is_drawn_between_nothing_and_its_limit() -> None:
    clock = FastClock(fraction=0.25)

    await execute(CALL, [Shaky(*[BUSY] * 9).tool(retry=Retry(first_wait_s=1.0))], clock=clock)

    assert clock.waits == [0.25, 0.5]


async def test_very_many_tries_do_not_make_the_wait_overflow() -> None:
    shaky = Shaky(*[BUSY] * 1200)

    result = await execute(CALL, [shaky.tool(retry=Retry(tries=1201))], clock=FastClock())

    assert result.value == "done"


async def test_a_side_effect_without_a_key_is_never_tried_again() -> None:
    shaky = Shaky(BUSY)

    result = await execute(CALL, [shaky.tool(retry=Retry(), side_effect=True)], clock=FastClock())

    assert (result.is_error, len(shaky.keys)) == (True, 1)


async def test_a_side_effect_with_a_key_gets_the_same_key_at_each_try() -> None:
    shaky = Shaky(BUSY)
    paying = shaky.tool(retry=Retry(), side_effect=True, idempotency_key="key")

    result = await execute(CALL, [paying], clock=FastClock())

    assert result.value == "done"
    assert len(shaky.keys) == 2
    assert len(set(shaky.keys)) == 1
    assert shaky.keys[0]


async def test_another_call_gets_another_key() -> None:
    shaky = Shaky()
    paying = shaky.tool(side_effect=True, idempotency_key="key")
    other = ToolCall(id="c2", name="shaky", arguments="{}")

    await execute_all([CALL, other], [paying])

    assert len(set(shaky.keys)) == 2


async def test_a_run_that_is_too_slow_is_never_tried_again() -> None:
    ran = []

    async def slow() -> None:
        ran.append(1)
        await asyncio.sleep(60)

    patient = tool(timeout_s=0.02, retry=Retry(also_after=(Exception,)))(slow)
    result = await execute(
        ToolCall(id="c", name="slow", arguments=""), [patient], clock=FastClock()
    )

    assert (result.error_kind, ran) == ("timeout", [1])


async def test_cancelling_ends_the_tries() -> None:
    waiting = asyncio.Event()

    class Long(FastClock):
        async def sleep(self, seconds: float) -> None:
            waiting.set()
            await asyncio.sleep(60)

    running = asyncio.create_task(execute(CALL, [Shaky(BUSY).tool(retry=Retry())], clock=Long()))
    await waiting.wait()
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running


def test_the_model_is_not_shown_the_key() -> None:
    @tool(side_effect=True, retry=Retry(), idempotency_key="key")
    def pay(amount: int, key: str) -> str:
        return key

    assert pay.input_schema["required"] == ["amount"]
    assert list(pay.input_schema["properties"]) == ["amount"]


async def test_a_function_gets_the_key_that_the_model_did_not_see() -> None:
    @tool(side_effect=True, idempotency_key="key")
    def pay(amount: int, key: str) -> str:
        return key

    result = await execute(ToolCall(id="c", name="pay", arguments='{"amount": 1}'), [pay])

    assert len(result.value) == 32


def test_a_key_that_no_parameter_takes_is_the_authors_mistake() -> None:
    with pytest.raises(ToolDefinitionError, match="no parameter 'key'"):

        @tool(idempotency_key="key")
        def pay(amount: int) -> None: ...


def test_a_policy_without_a_try_is_refused() -> None:
    with pytest.raises(ValueError, match="at least once"):
        Retry(tries=0)


# --- values that come one by one ------------------------------------------------------------------


async def of(function: Any, **options: Any) -> Any:
    made = tool(function)
    return await execute(ToolCall(id="c", name=made.name, arguments=""), [made], **options)


async def test_the_items_of_a_generator_are_the_result() -> None:
    def rows() -> Iterator[int]:
        yield from (1, 2)

    assert (await of(rows)).text == "[1, 2]"


async def test_the_items_of_an_async_generator_are_the_result() -> None:
    async def rows() -> AsyncIterator[int]:
        yield 1
        yield 2

    assert (await of(rows)).text == "[1, 2]"


async def test_a_generator_without_end_is_left_after_a_thousand_items() -> None:
    def rows() -> Iterator[int]:
        while True:
            yield 1

    result = await of(rows)

    assert (len(result.value), result.value[-1]) == (MAX_ITEMS + 1, MORE_ITEMS)


async def test_an_async_generator_without_end_is_left_too() -> None:
    async def rows() -> AsyncIterator[int]:
        while True:
            yield 1

    assert (await of(rows)).value[-1] == MORE_ITEMS


async def test_a_generator_that_raises_half_way_is_a_failed_tool() -> None:
    def rows() -> Iterator[int]:
        yield 1
        raise KeyError("harbour")

    result = await of(rows)

    assert (result.error_kind, "KeyError: 'harbour'" in result.text) == ("tool_failed", True)


async def test_a_slow_generator_does_not_outlive_the_limit() -> None:
    def rows() -> Iterator[int]:
        while True:
            time.sleep(0.01)
            yield 1

    assert (await of(rows, timeout_s=0.05)).error_kind == "timeout"
