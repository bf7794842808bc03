"""What `executor` promises: a result, always, and soon."""

from __future__ import annotations

import asyncio
import contextvars
import datetime
import enum
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from course_pkg import Tool, ToolCall, ToolError, ToolResult, execute, execute_all, tool
from course_pkg.executor import ArgumentsError, parse_arguments, result_text
from course_pkg.executor.results import EMPTY_TEXT, NOTHING
from course_pkg.schema import SchemaError


def call(name: str, arguments: str = "{}", **more: Any) -> ToolCall:
    return ToolCall(id="c1", name=name, arguments=arguments, **more)


async def run(function: Callable[..., Any], arguments: str = "{}", **options: Any) -> ToolResult:
    made = tool(function)
    return await execute(call(made.name, arguments), [made], **options)


def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


# --- the usual way --------------------------------------------------------------------------------


async def test_a_call_gives_the_value_and_its_text() -> None:
    assert await run(add, '{"a": 2, "b": 3}') == ToolResult(call_id="c1", text="5", value=5)


async def test_an_async_tool_is_awaited() -> None:
    async def later(a: int) -> int:
        await asyncio.sleep(0)
        return a

    assert (await run(later, '{"a": 2}')).value == 2


async def test_an_awaitable_that_a_plain_tool_gives_back_is_awaited() -> None:
    async def inner() -> str:
        return "inner"

    def outer():
        return inner()

    assert (await run(outer)).text == "inner"


async def test_context_variables_reach_a_plain_tool() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("seen")

    assert (await run(lambda: variable.get())).text == "seen"


async def test_results_come_in_the_order_of_the_calls() -> None:
    async def wait(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    calls = [
        ToolCall(id=str(number), name="wait", arguments=f'{{"seconds": {seconds}}}')
        for number, seconds in enumerate([0.05, 0.0, 0.02])
    ]

    results = await execute_all(calls, [wait])

    assert [(result.call_id, result.value) for result in results] == [
        ("0", 0.05),
        ("1", 0.0),
        ("2", 0.02),
    ]


async def test_tools_may_come_from_a_generator() -> None:
    results = await execute_all([call("add", '{"a": 1}'), call("sub")], (one for one in [add]))

    assert [result.is_error for result in results] == [False, True]


# --- what the model got wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ('{"a": 2', "invalid_json", "line 1"),
        ("{a: 2}", "invalid_json", "double quotes"),
        ('{"a": 2} and more', "invalid_json", "after the JSON object"),
        ('{"a": 1}{"a": 2}', "invalid_json", "more than one"),
        ('{"a": NaN}', "invalid_json", "NaN"),
        ('{"a": -Infinity}', "invalid_json", "-Infinity"),
        ('{"a": 1e400}', "invalid_json", "too large"),
        ('{"a": ' + "9" * 5000 + "}", "invalid_json", "cannot be read"),
        ('{"a": 1, "a": 2}', "duplicate_key", "'a' twice"),
        ("[1, 2]", "arguments_not_object", "an array"),
        ('"text"', "arguments_not_object", "a string"),
        ("3", "arguments_not_object", "an integer"),
        ('{"a": "\\ud83c"}', "invalid_unicode", "surrogate"),
        ("[" * 100_000, "too_deep", "flatter"),
        ('{"a": "two"}', "invalid_arguments", "a: expected a whole number"),
        ("{}", "invalid_arguments", 'Add "a".'),
        ('{"a": 1, "c": 2}', "invalid_arguments", 'Leave out "c".'),
    ],
)
async def test_arguments_that_do_not_fit_are_told_to_the_model(
    arguments: str, kind: str, words: str
) -> None:
    result = await run(add, arguments)

    assert result.error_kind == kind
    assert words in result.text


@pytest.mark.parametrize(
    ("arguments", "note"), [("", "empty_arguments"), (" \n", "empty_arguments")]
)
async def test_no_arguments_are_an_empty_object(arguments: str, note: str) -> None:
    result = await run(lambda: "ran", arguments)

    assert (result.text, result.notes) == ("ran", (note,))


async def test_an_unknown_tool_is_answered_with_the_tools_on_offer() -> None:
    result = await execute(call("ad"), [add])

    assert result.error_kind == "unknown_tool"
    assert result.text == "There is no tool named 'ad'. Did you mean 'add'? Tools on offer: add."


async def test_without_tools_the_answer_says_so() -> None:
    assert (await execute(call("add"), [])).text.endswith("Tools on offer: none.")


@pytest.mark.parametrize("problem", ["truncated", "unsupported_call_type", "something_new"])
async def test_a_call_with_a_problem_is_not_run(problem: str) -> None:
    ran = []

    def note() -> None:
        ran.append(1)

    result = await execute(call("note", problem=problem), [note])

    assert (result.error_kind, ran) == (problem, [])


async def test_arguments_nested_deeper_than_the_check_can_go_are_an_error_result() -> None:
    schema = {
        "type": "object",
        "properties": {"items": {"$ref": "#/$defs/L"}},
        "$defs": {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}},
    }
    deep = Tool(name="deep", description="", input_schema=schema, run=print)

    result = await execute(call("deep", '{"items": ' + "[" * 900 + "]" * 900 + "}"), [deep])

    assert result.error_kind == "too_deep"


async def test_a_tool_with_a_schema_that_is_none_is_the_callers_mistake() -> None:
    wrong = Tool(name="wrong", description="", input_schema={"type": "text"}, run=print)

    with pytest.raises(SchemaError):
        await execute(call("wrong"), [wrong])


# --- what the tool got wrong ----------------------------------------------------------------------


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def raising(error: BaseException) -> tuple[Callable[[], Any], Callable[[], Any]]:
    def plain() -> None:
        raise error

    async def later() -> None:
        raise error

    return plain, later


@pytest.mark.parametrize("way", [0, 1], ids=["plain", "async"])
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("harbour"), "KeyError: 'harbour'"),
        (ValueError(), "failed with ValueError."),
        (SystemExit(1), "SystemExit: 1"),
        (StopIteration(), "failed with"),
        (RecursionError("deep"), "RecursionError: deep"),
        (MemoryError(), "MemoryError"),
        (GeneratorExit(), "GeneratorExit"),
        (TimeoutError("mine"), "TimeoutError: mine"),
        (MuteError(), "MuteError"),
        (ExceptionGroup("some", [ValueError()]), "ExceptionGroup"),
    ],
)
async def test_an_exception_becomes_a_result_without_a_traceback(
    error: BaseException, words: str, way: int
) -> None:
    result = await run(raising(error)[way])

    assert result.error_kind == "tool_failed"
    assert words in result.text
    assert "Traceback" not in result.text


async def test_a_tool_error_goes_to_the_model_as_it_is() -> None:
    result = await run(raising(ToolError("No tide table for Gent. Try a sea port."))[0])

    assert (result.error_kind, result.text) == (
        "tool_error",
        "No tide table for Gent. Try a sea port.",
    )


async def test_an_empty_tool_error_still_says_something() -> None:
    assert (await run(raising(ToolError())[0])).text == "plain failed."


async def test_a_long_or_unsendable_error_is_made_sendable() -> None:
    result = await run(raising(ValueError("\ud83c" * 50_000))[0], max_result_chars=500)

    assert len(result.text) <= 500
    assert result.text.encode("utf-8")


async def test_a_cancelled_error_of_a_tool_is_passed_on() -> None:
    with pytest.raises(asyncio.CancelledError):
        await run(raising(asyncio.CancelledError())[1])


async def test_a_keyboard_interrupt_in_a_thread_does_not_leave_the_loop_waiting() -> None:
    result = await run(raising(KeyboardInterrupt())[0])

    assert "KeyboardInterrupt" in result.text


async def test_a_value_that_the_types_refuse_is_told_to_the_model() -> None:
    def remind(at: datetime.datetime) -> None: ...

    result = await run(remind, '{"at": "tomorrow"}')

    assert result.is_error
    assert "at" in result.text


# --- time limits ----------------------------------------------------------------------------------


async def hang() -> None:
    await asyncio.sleep(60)


def hang_in_a_thread() -> None:
    time.sleep(0.5)


@pytest.mark.parametrize("function", [hang, hang_in_a_thread])
async def test_a_tool_that_hangs_is_left_behind_in_time(function: Callable[[], Any]) -> None:
    began = time.monotonic()

    result = await run(function, timeout_s=0.05)

    assert time.monotonic() - began < 0.4
    assert result.error_kind == "timeout"
    assert "0.05 seconds" in result.text


async def test_a_tools_own_limit_goes_before_the_executors() -> None:
    slow = tool(timeout_s=0.02)(hang)

    assert "0.02 seconds" in (await execute(call("hang"), [slow], timeout_s=5)).text


async def test_a_late_side_effect_is_warned_of_and_not_repeated() -> None:
    paid = []

    def pay() -> None:
        paid.append(1)
        time.sleep(0.2)

    result = await execute(call("pay"), [tool(side_effect=True)(pay)], timeout_s=0.05)

    assert "may still happen" in result.text
    assert paid == [1]


def test_the_interpreter_ends_though_a_tool_still_hangs() -> None:
    code = """
import asyncio, time
from course_pkg import ToolCall, execute, tool
def hang():
    time.sleep(30)
async def main():
    return await execute(ToolCall(id="c", name="hang", arguments=""), [hang], timeout_s=0.05)
assert asyncio.run(main()).error_kind == "timeout"
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=15
    )

    assert (done.returncode, done.stderr) == (0, "")


async def test_a_plain_tool_does_not_stop_the_loop() -> None:
    beats = []

    async def heart() -> None:
        while True:
            beats.append(1)
            await asyncio.sleep(0.01)

    beating = asyncio.create_task(heart())
    await run(lambda: time.sleep(0.2))
    beating.cancel()

    assert len(beats) > 5


# --- what a tool gives back -----------------------------------------------------------------------


@dataclass
class Tide:
    high: str


class Port(BaseModel):
    name: str


class Size(enum.Enum):
    SMALL = 1


class Mumble:
    def __str__(self) -> str:
        raise AttributeError("no words")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (None, NOTHING),
        ("", EMPTY_TEXT),
        (" \n", EMPTY_TEXT),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        ({"港口": "青岛"}, '{"港口": "青岛"}'),
        (Tide(high="09:12"), '{"high": "09:12"}'),
        (Port(name="Brest"), '{"name": "Brest"}'),
        ({1, 2}, "[1, 2]"),
        (datetime.date(2026, 1, 31), '"2026-01-31"'),
        (float("nan"), '"NaN"'),
        ({("a", "b"): 1}, """{"('a', 'b')": 1}"""),
        (b"bytes", '"bytes"'),
        ("half \ud83c", "half ?"),
    ],
)
def test_any_value_becomes_a_text_that_the_model_can_read(value: Any, text: str) -> None:
    assert result_text(value) == text


@pytest.mark.parametrize("value", [Mumble(), [Mumble()], Port, Size.SMALL, iter([]), object()])
def test_an_odd_value_becomes_some_text(value: Any) -> None:
    assert result_text(value)


def test_a_value_that_holds_itself_becomes_some_text() -> None:
    circle: list[Any] = []
    circle.append(circle)

    assert result_text(circle) == '["(the value that this is in)"]'


def test_a_long_text_keeps_its_head_and_its_tail() -> None:
    text = "\n".join(f"row {number}" for number in range(20_000)) + "\nTOTAL 42"

    short = result_text(text, max_chars=4000)

    assert len(short) <= 4000
    assert short.startswith("row 0")
    assert short.endswith("TOTAL 42")
    assert f"{len(text):,} characters in all" in short


@given(
    st.text(st.characters(), max_size=300)
    | st.lists(st.text())
    | st.dictionaries(st.text(), st.floats()),
    st.integers(1, 200),
)
def test_a_result_is_never_empty_never_too_long_and_can_be_sent(value: Any, limit: int) -> None:
    text = result_text(value, max_chars=limit)

    assert text
    assert len(text) <= limit
    assert text.encode("utf-8")


# --- arguments ------------------------------------------------------------------------------------


@given(st.text(st.sampled_from('{}[]",:\\ u0d83ctrfalsenNI1e+-.') | st.characters(), max_size=60))
def test_parsing_raises_nothing_but_its_own_error(text: str) -> None:
    try:
        value, _ = parse_arguments(text)
    except ArgumentsError:
        return

    assert json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.text(st.characters(exclude_categories=["Cs"])) | st.integers() | st.none(),
    )
)
def test_valid_arguments_come_through_as_they_are(value: dict[str, Any]) -> None:
    assert parse_arguments(json.dumps(value)) == (value, ())


def test_many_names_with_one_twice_are_refused_at_once() -> None:
    names = ", ".join(f'"n{number}": 1' for number in range(50_000))
    began = time.process_time()

    with pytest.raises(ArgumentsError, match="'n49999' twice"):
        parse_arguments(f'{{{names}, "n49999": 2}}')

    assert time.process_time() - began < 2.0
