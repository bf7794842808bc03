"""Each factual sentence of notebook 07, proved."""

from __future__ import annotations

import ast
import asyncio
import json
import math
import time
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from course_pkg import ModelClient, ModelError, ToolCall, ToolResult, execute, run, tool, toolbox
from course_pkg.executor import FastClock, ScriptedApprover, result_text
from course_pkg.lessons import gallery
from course_pkg.practice import gallery as practice_gallery
from course_pkg.samples.files import read_file
from course_pkg.tools import Retry, TemporaryToolError, Tool
from course_pkg.wire import Recorder

TOOLS = toolbox("get_weather", "search_docs", "calculate", "read_file", "send_message")
PARIS = "What's the weather in Paris?"
PAGE = Path(__file__).parents[2] / "notebooks" / "07_when_things_go_wrong.ipynb"


async def tried(name: str, arguments: str, *more: Tool) -> ToolResult:
    call = ToolCall(id="call_1", name=name, arguments=arguments)
    return await execute(call, more or TOOLS, clock=FastClock())


async def endings(name: str) -> tuple[str, str]:
    """How the naive loop and the course's end on a failure."""
    lines = (await gallery.compare_failures(name)).text.splitlines()
    return lines[1].split(": ", 1)[1], lines[2].split(": ", 1)[1]


async def test_a_failed_tool_is_a_result_that_lists_what_would_work() -> None:
    result = await tried("get_weather", '{"city": "Atlantis"}')

    assert (result.is_error, result.error_kind) == (True, "tool_error")
    assert "Atlantis" in result.text
    assert "Paris" in result.text


def test_the_gallery_lists_every_failure_of_the_practice_model() -> None:
    names = [entry.name for entry in gallery.entries()]

    assert names == [fault.name for fault in practice_gallery()]
    assert len(names) >= 60


async def test_on_arguments_in_a_code_block_the_naive_loop_raises_and_ours_answers() -> None:
    naive, ours = await endings("code_fence")

    assert naive.startswith("Ends with JSONDecodeError")
    assert ours.startswith("answered: ")


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "notes"),
    [
        ("get_weather", '{"city": "Paris",}', "", ("trailing_comma",)),
        ("get_weather", '```json\n{"city": "Paris"}\n```', "", ("code_fence",)),
        ("get_weather", "{'city': 'Paris'}", "", ("python_literal",)),
        ("get_weather", '{"city": "Par', "invalid_json", ()),
        ("get_weather", '{"city": "Paris"}{"city": "Rome"}', "invalid_json", ()),
        (
            "search_docs",
            '{"query": "loop", "num_results": "2"}',
            "",
            ("string_to_integer:/num_results",),
        ),
        ("search_docs", '{"query": "loop", "num_results": "two"}', "invalid_arguments", ()),
    ],
)
async def test_only_what_has_one_meaning_is_repaired_and_each_repair_is_noted(
    name: str, arguments: str, kind: str, notes: tuple[str, ...]
) -> None:
    result = await tried(name, arguments)

    assert (result.error_kind, result.notes) == (kind, notes)


async def test_an_unknown_tool_is_a_key_error_in_one_loop_and_a_second_try_in_the_other() -> None:
    naive, ours = await endings("unknown_tool")

    assert naive == "Ends with KeyError: 'get_weather_now'"
    assert ours.startswith("answered (1 failed call on the way)")


async def test_a_known_prefix_is_taken_off_and_a_made_up_tool_is_an_error() -> None:
    prefixed = await tried("functions.get_weather", '{"city": "Paris"}')
    wrapper = await tried("multi_tool_use.parallel", '{"city": "Paris"}')

    assert (prefixed.error_kind, wrapper.error_kind) == ("", "unknown_tool")
    assert "get_weather" in wrapper.text


async def test_with_one_id_for_two_calls_the_naive_loop_gives_paris_the_weather_of_tokyo() -> None:
    naive, _ = await endings("ids_duplicate")

    assert "get_weather (city: Paris) gave: {'city': 'Tokyo'" in naive


async def test_our_loop_gives_each_call_an_id_of_its_own() -> None:
    async with ModelClient(model="practice:ids_duplicate") as client:
        outcome = await run("What's the weather in Paris and in Tokyo?", TOOLS, client)

    ids = [call.id for turn in outcome.turns for call in turn.reply.calls]
    assert len(ids) == len(set(ids)) == 2
    assert "(city: Tokyo)" in str(outcome.answer)


async def test_a_naive_loop_that_believes_the_finish_reason_gives_none() -> None:
    naive, ours = await endings("finish_stop")

    assert naive == "Gives the user None as an answer."
    assert ours.startswith("answered: ")


async def test_half_an_answer_is_handed_on_by_one_loop_and_named_by_the_other() -> None:
    naive, ours = await endings("answer_cut_off")

    assert naive.startswith("Gives the user this as an answer: ")
    assert ours.startswith("cut_off: ")


async def test_a_call_that_is_written_into_the_text_beats_both_loops() -> None:
    naive, ours = await endings("call_as_text")

    assert '{"name": "get_weather"' in naive
    assert '{"name": "get_weather"' in ours


async def test_the_fifth_equal_call_is_not_run_and_the_model_is_asked_once_without_tools() -> None:
    async with ModelClient(model="practice:same_call_forever") as client:
        with Recorder() as recorder:
            outcome = await run(PARIS, TOOLS, client)

    sent = [frame.json for frame in recorder.frames if frame.label.startswith("POST")]
    kinds = [result.error_kind for turn in outcome.turns for result in turn.results]
    assert (outcome.reason, kinds) == ("repeated_call", ["", "", "", "", "repeated_call"])
    assert ["tools" in body for body in sent] == [True] * 5 + [False]


async def test_two_calls_that_take_turns_are_found_as_well() -> None:
    async with ModelClient(model="practice:two_call_circle") as client:
        outcome = await run(PARIS, TOOLS, client)

    assert outcome.reason == "repeated_call"


@pytest.mark.parametrize(
    ("failure", "tries", "waits"), [("overloaded", 3, [1, 1]), ("quota", 1, [])]
)
async def test_a_busy_service_is_asked_three_times_and_an_empty_account_once(
    failure: str, tries: int, waits: list[float]
) -> None:
    clock = FastClock()
    async with ModelClient(model=f"practice:{failure}", clock=clock) as client:
        with pytest.raises(ModelError) as failed:
            await run("Hello.", TOOLS, client)

    assert (failed.value.tries, clock.waits) == (tries, waits)


async def test_the_error_holds_the_services_own_sentence() -> None:
    async with ModelClient(model="practice:quota") as client:
        with pytest.raises(ModelError, match="Your quota is used up"):
            await run("Hello.", TOOLS, client)


async def test_each_wait_is_twice_the_one_before_up_to_eight_seconds() -> None:
    @tool(retry=Retry(tries=7))
    def read_tide(place: str) -> str:
        """Read the tide at a place."""
        raise TemporaryToolError("busy")

    clock = FastClock()
    call = ToolCall(id="call_1", name="read_tide", arguments='{"place": "Dover"}')
    await execute(call, [read_tide], clock=clock)

    assert clock.waits == [0.5, 1, 2, 4, 8, 8]


async def test_a_wait_is_drawn_between_nothing_and_its_limit() -> None:
    @tool(retry=Retry())
    def read_tide(place: str) -> str:
        """Read the tide at a place."""
        raise TemporaryToolError("busy")

    clock = FastClock(fraction=0.5)
    call = ToolCall(id="call_1", name="read_tide", arguments='{"place": "Dover"}')
    await execute(call, [read_tide], clock=clock)

    assert clock.waits == [0.25, 0.5]


async def test_an_error_that_is_not_marked_as_temporary_is_not_tried_again() -> None:
    runs = Counter[str]()

    @tool(retry=Retry())
    def read_tide(place: str) -> str:
        """Read the tide at a place."""
        runs[place] += 1
        raise ValueError("no such place")

    await tried("read_tide", '{"place": "Dover"}', read_tide)

    assert runs == {"Dover": 1}


async def test_a_side_effect_without_a_key_is_done_once() -> None:
    sent = []

    @tool(side_effect=True, retry=Retry())
    def send_mail(to: str) -> str:
        """Send a mail."""
        sent.append(to)
        raise TemporaryToolError("lost")

    await tried("send_mail", '{"to": "Ada"}', send_mail)

    assert sent == ["Ada"]


async def test_with_a_key_each_try_of_a_call_carries_the_same_one_unseen_by_the_model() -> None:
    keys = []

    @tool(side_effect=True, retry=Retry(), idempotency_key="key")
    def pay(amount: float, key: str) -> str:
        """Pay an amount."""
        keys.append(key)
        raise TemporaryToolError("lost")

    await tried("pay", '{"amount": 20}', pay)

    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert list(pay.input_schema["properties"]) == ["amount"]


async def test_a_plain_function_runs_on_after_its_time_limit_and_is_not_tried_again() -> None:
    finished = []

    @tool(timeout_s=0.05, retry=Retry())
    def count_boats(place: str) -> str:
        """Count boats."""
        time.sleep(0.3)
        finished.append(place)
        return "12"

    result = await tried("count_boats", '{"place": "Dover"}', count_boats)
    before = list(finished)
    await asyncio.sleep(0.6)

    assert (result.error_kind, before, finished) == ("timeout", [], ["Dover"])


async def test_an_async_tool_is_cancelled_at_its_next_await() -> None:
    seen = []

    @tool(timeout_s=0.05)
    async def count_boats(place: str) -> str:
        """Count boats."""
        try:
            await asyncio.sleep(30)
        finally:
            seen.append(f"left {place}")
        return "12"

    await tried("count_boats", '{"place": "Dover"}', count_boats)

    assert seen == ["left Dover"]


def test_a_long_result_keeps_head_and_tail_and_says_what_is_missing() -> None:
    log = "".join(f"line {number}\n" for number in range(1, 2001))

    short = result_text(log, max_chars=170)

    assert len(short) <= 170
    assert short.startswith("line 1\n")
    assert short.endswith("line 2000\n")
    assert "18,893 characters in all" in short


def test_what_is_no_json_becomes_json() -> None:
    value = {"on": date(2026, 9, 1), "price": Decimal("0.10"), "raw": b"\xff", "set": {1}}

    assert json.loads(result_text(value))["on"] == "2026-09-01"
    assert json.loads(result_text(value))["price"] == "0.10"


def test_chinese_stays_and_json_dumps_writes_six_characters_for_each() -> None:
    assert result_text({"城市": "北京"}) == '{"城市": "北京"}'
    assert len(json.dumps("北京")) == 2 + 2 * 6


def test_eval_would_call_a_function_of_the_operating_system() -> None:
    tree = ast.parse("__import__('os').getcwd()", mode="eval").body

    assert isinstance(tree, ast.Call)


def test_literal_eval_reads_values_and_no_sums() -> None:
    assert ast.literal_eval("[1, 2]") == [1, 2]
    with pytest.raises(ValueError, match="malformed"):
        ast.literal_eval("15 + 27 * 2")


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("15 + 27 * 2", ""),
        ("__import__('os').getcwd()", "tool_error"),
        ("9 ** 9 ** 9", "tool_error"),
    ],
)
async def test_the_calculator_has_a_list_and_limits(expression: str, kind: str) -> None:
    result = await tried("calculate", json.dumps({"expression": expression}))

    assert result.error_kind == kind


def test_the_value_of_the_third_sum_has_369_million_digits() -> None:
    assert int(9**9 * math.log10(9)) // 1_000_000 == 369


@pytest.mark.parametrize("path", ["../../secrets.txt", "/etc/passwd"])
async def test_read_file_stays_inside_its_folder(path: str) -> None:
    result = await tried("read_file", json.dumps({"path": path}))

    assert (result.error_kind, "Files there" in result.text) == ("tool_error", True)


def test_read_file_reads_no_more_than_50_000_bytes() -> None:
    assert "at most 50,000 bytes" in read_file.description


async def test_a_refusal_is_a_result_with_the_reason_in_it() -> None:
    call = ToolCall(
        id="call_1", name="send_message", arguments='{"to": "Ada", "content": "Lunch is ready."}'
    )

    result = await execute(call, TOOLS, approve=ScriptedApprover(["Ada is on holiday."]))

    assert result.error_kind == "not_approved"
    assert "Ada is on holiday." in result.text


async def test_tools_without_side_effects_run_without_a_question() -> None:
    asked = ScriptedApprover([])
    async with ModelClient() as client:
        outcome = await run(PARIS, TOOLS, client, approve=asked)

    assert (outcome.reason, asked.asked) == ("answered", [])


def test_each_heading_that_a_link_names_is_on_the_page() -> None:
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    headings = {
        line.lstrip("# ").replace(" ", "-") for line in text.splitlines() if line.startswith("#")
    }
    links = {link.split(")")[0] for link in text.split("](#")[1:]}

    assert len(links) >= 6
    assert links <= headings
