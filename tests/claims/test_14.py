"""Each factual sentence of notebook 14, proved. What the review itself finds: tests/lessons."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

import pytest
from pydantic import Field

from course_pkg import Recorder, Toolbox, ToolCall, connect, execute, exercise, run, tool
from course_pkg.lessons.capstone import PRICES, REPAIRS, Report, review, solution_path, starter
from course_pkg.lessons.capstone.contract import NAMES, QUESTIONS
from course_pkg.lessons.capstone.solution import toolbox as sample
from course_pkg.wire import steps_of

LOOK_UP, PRICE, BOOK = (question.text for question in QUESTIONS)
Thing: TypeAlias = Literal["bicycle", "lamp", "radio", "toaster"]
BOOKING = '{"name": "Mei", "thing": "radio", "day": "Sunday"}'


def first_version() -> list[Callable[..., Any]]:
    names: dict[str, Any] = {}
    exec(compile(starter(), "<cell>", "exec", dont_inherit=True), names)
    tools: list[Callable[..., Any]] = names["answer"]
    return tools


@pytest.fixture(scope="module")
def report() -> Report:
    """The report on the page's first version."""
    return review(first_version())


@pytest.fixture(scope="module")
def states(report: Report) -> dict[str, str]:
    """What became of each check, by its title."""
    return {check.title: check.state for section in report.sections for check in section.checks}


def test_the_reviewer_looks_at_all_that_the_page_says(report: Report) -> None:
    assert [section.title for section in report.sections] == [
        "The toolbox",
        "Definitions",
        "Behaviour in the loop",
        "Ten faults",
        "Security",
        "MCP server and client",
    ]


def test_a_review_asks_the_practice_model_whatever_the_settings_say(
    service: Any, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = service(write.text("Hello."))
    for name, value in (
        ("COURSE_MODEL", "remote"),
        ("COURSE_MODEL_NAME", "teaching"),
        ("OPENAI_BASE_URL", elsewhere.base_url),
        ("OPENAI_API_KEY", "not-a-key"),
    ):
        monkeypatch.setenv(name, value)

    assert (review(sample).passed, elsewhere.requests) == (True, [])


async def test_each_kind_of_tool_goes_wrong_in_its_own_way_without_care() -> None:
    tools = Toolbox(first_version())
    calls = [
        ToolCall(id="1", name="get_repair", arguments='{"ticket": "R-999"}'),
        ToolCall(
            id="2",
            name="estimate_cost",
            arguments='{"thing": "lamp", "minutes": -30, "parts": 0}',
        ),
        ToolCall(id="3", name="book_repair", arguments=BOOKING),
    ]

    results = [await execute(call, tools, approve=lambda _request: False) for call in calls]

    assert [result.error_kind for result in results] == ["tool_failed", "", ""]


def test_the_data_are_those_that_the_page_prints() -> None:
    assert PRICES["toaster"] == 3.0
    assert REPAIRS["R-102"]["helper"] == "Li Wei"


def test_a_tool_that_raises_or_never_ends_is_a_finding(report: Report) -> None:
    assert "tool_crashes" in report.codes
    assert "Traceback" not in report.text


async def test_the_model_does_not_even_try_the_first_version() -> None:
    outcomes = [await run(question.text, first_version()) for question in QUESTIONS]

    assert [outcome.calls for outcome in outcomes] == [0, 0, 0]


def test_better_definitions_alone_change_what_the_model_does() -> None:
    look_up, estimate, book = first_version()

    @tool
    def get_repair(ticket: Annotated[str, Field(pattern=r"^R-[0-9]{3}$")]) -> Any:
        """Get the state of one repair.

        Args:
            ticket: The ticket, for example R-101.
        """
        return look_up(ticket)

    @tool
    def estimate_cost(thing: Thing, minutes: int, parts: float = 0) -> Any:
        """Estimate the cost of a repair.

        Args:
            thing: What is repaired.
            minutes: How many minutes it takes, for example 30.
            parts: The price of the parts. Default 0.
        """
        return estimate(thing, minutes, parts)

    @tool(side_effect=True)
    def book_repair(name: str, thing: Thing, day: Literal["Saturday", "Sunday"]) -> Any:
        """Book a repair.

        Args:
            name: Who comes, for example Mei.
            thing: What is repaired.
            day: The day.
        """
        return book(name, thing, day)

    codes = review([get_repair, estimate_cost, book_repair]).codes
    assert {"tool_not_chosen", "arguments_not_found"} & set(codes) == set()


def test_minutes_by_fifteen_is_not_started_quarters() -> None:
    estimate = first_version()[1]

    assert (estimate("toaster", 16, 0), sample["estimate_cost"](thing="toaster", minutes=16)) == (
        3.2,
        {"euros": 6.0},
    )


@pytest.mark.parametrize(
    ("title", "state"),
    [
        ("Arguments that are no JSON come back as an error.", "passed"),
        ("A tool that does not exist is told, and the next call works.", "passed"),
        ("The same call again and again comes to an end.", "passed"),
        ("Arguments of a wrong type are refused.", "failed"),
        ("Values outside the limits are refused.", "failed"),
        ("An unknown ticket is told in words that help.", "failed"),
        ("Nothing is booked before a person has said yes.", "not looked at"),
    ],
)
def test_what_the_first_version_passes_and_what_not(
    states: dict[str, str], title: str, state: str
) -> None:
    assert states[title] == state


def test_two_things_are_missing_in_the_security_of_the_first_version(report: Report) -> None:
    assert report.only("Security").codes == ("effect_without_approval", "no_idempotency_key")


def test_the_check_has_a_rule_for_each_section_and_stops_at_the_first_that_fails() -> None:
    verdict = exercise("14.1").verdict(first_version())

    assert verdict.rule == exercise("14.1").rules[1].name
    assert len(exercise("14.1").rules) == 5


def test_there_are_four_hints_and_the_last_leads_to_a_solution() -> None:
    hints = exercise("14.1").hints

    assert (len(hints), 'exercise("14.1").solution()' in hints[-1]) == (4, True)


async def test_the_first_row_says_what_the_model_is_told_of_three_tools() -> None:
    with Recorder() as recorder:
        outcome = await run(LOOK_UP, sample)

    assert len(recorder.frames[0].json["tools"]) == 3
    assert "on the bench" in str(outcome.answer)


async def test_a_refused_booking_is_not_run_and_the_model_reads_why() -> None:
    summaries: list[str] = []

    def refuse(request: Any) -> bool:
        summaries.append(request.summary)
        return False

    outcome = await run(BOOK, sample, approve=refuse)

    assert summaries == ['book_repair(name="Mei", thing="radio", day="Sunday")']
    assert outcome.turns[0].results[0].error_kind == "not_approved"


async def test_the_model_is_not_shown_the_key_and_the_executor_adds_it() -> None:
    seen: list[dict[str, Any]] = []
    book = replace(sample["book_repair"], run=lambda **given: seen.append(given))
    call = ToolCall(id="call_1", name="book_repair", arguments=BOOKING)

    await execute(call, [book])

    assert "key" not in json.dumps(book.definition())
    assert seen[0].keys() - json.loads(BOOKING).keys() == {"key"}


async def numbers(book: Any) -> list[str]:
    """The bookings of one call that is made twice, and of another call."""
    calls = [ToolCall(id=one, name="book_repair", arguments=BOOKING) for one in "aab"]
    return [(await execute(call, [book])).value["booking"] for call in calls]


async def test_a_repeat_is_no_booking_and_another_call_is_one() -> None:
    one, again, other = await numbers(sample["book_repair"])

    assert (one == again, one == other) == (True, False)


async def test_a_key_of_the_arguments_loses_one_and_no_key_books_three_times() -> None:
    kept: dict[str, Any] = {}
    made: list[str] = []

    @tool(name="book_repair", side_effect=True)
    def by_arguments(name: str, thing: str, day: str) -> Any:
        return {"booking": kept.setdefault(name + thing + day, f"B-{len(kept) + 1}")}

    @tool(name="book_repair", side_effect=True)
    def without_key(name: str, thing: str, day: str) -> Any:
        made.append(name)
        return {"booking": f"B-{len(made)}"}

    assert await numbers(by_arguments) == ["B-1", "B-1", "B-1"]
    assert await numbers(without_key) == ["B-1", "B-2", "B-3"]


async def test_the_file_is_a_server_whose_hints_tell_which_tool_changes_something() -> None:
    async with await connect([sys.executable, str(solution_path())]) as cafe:
        hints = {one.name: one.side_effect for one in cafe.tools}
        listed = {name: list(sample[name].input_schema["properties"]) for name in NAMES}
        shown = {one.name: list(one.input_schema["properties"]) for one in cafe.tools}

    assert list(hints.values()) == [False, False, True]
    assert shown == listed


async def test_all_six_steps_are_there_with_mcp_inside_step_4() -> None:
    async with await connect([sys.executable, str(solution_path())]) as cafe:
        with Recorder() as recorder:
            outcome = await run(PRICE, cafe.tools)

    wires = [frame.wire for frame in recorder.frames]
    assert {step for frame in recorder.frames for step in steps_of(frame)} == {1, 2, 3, 4, 5, 6}
    assert wires[wires.index("local") :][:4] == ["local", "mcp", "mcp", "local"]
    assert "6.0" in str(outcome.answer)


async def test_an_unknown_ticket_comes_through_in_the_words_of_the_tool() -> None:
    async with await connect([sys.executable, str(solution_path())]) as cafe:
        outcome = await cafe.call("get_repair", {"ticket": "R-999"})

    local = await execute(
        ToolCall(id="1", name="get_repair", arguments='{"ticket": "R-999"}'), sample
    )
    assert (outcome.kind, outcome.text) == ("error_result", local.text)


def test_the_material_has_the_tools_and_serves_nobody() -> None:
    report = review(exercise("14.3").material())

    assert report.only("The toolbox", "Definitions").passed
    assert "server_not_started" in report.codes


def test_a_review_cannot_tell_whether_a_description_is_true() -> None:
    described = sample["estimate_cost"].description.replace("in euros", "in dollars")
    lying = replace(sample["estimate_cost"], description=described)

    assert review([sample["get_repair"], lying, sample["book_repair"]]).passed
