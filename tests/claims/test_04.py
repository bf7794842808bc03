"""Each factual sentence of notebook 04, proved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from course_pkg import ModelClient
from course_pkg.conversation import start
from course_pkg.lessons.measuring import (
    PUBLISHED,
    SIZES,
    Score,
    curve,
    define,
    difference,
    everything,
    mcnemar,
    measure,
    measure_crowds,
    prompts,
    wilson,
    worded,
)
from course_pkg.lessons.measuring.published import GAINED, IN_A_FENCE, IN_TAGS, LOST, REQUESTS
from course_pkg.samples import calculate, toolbox
from course_pkg.schema import check, lint

PAGE = json.loads(
    (Path(__file__).parents[2] / "notebooks" / "04_descriptions_that_work.ipynb").read_text(
        encoding="utf-8"
    )
)
PROSE = "\n".join("".join(c["source"]) for c in PAGE["cells"] if c["cell_type"] == "markdown")
NUMBER = "Number of the booking, for example 1234."


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    async with ModelClient(max_retries=0) as made:
        yield made


async def calls(client: ModelClient, question: str, *tools: Any) -> list[tuple[str, Any]]:
    reply = await client.ask(start(question), tools)
    return [(call.name, json.loads(call.arguments)) for call in reply.calls]


async def score(client: ModelClient, **words: Any) -> Score:
    return await measure(client, worded(**words), name=str(words or "all good"))


# --- the five rules -------------------------------------------------------------------------------


async def test_nouns_lead_to_the_tool_that_only_shows_and_verbs_to_the_one_that_cancels(
    client: ModelClient,
) -> None:
    nouns = [
        define("booking_data", "Data of one booking.", number=NUMBER),
        define("booking_info", "A booking that is no longer wanted.", number=NUMBER),
    ]
    verbs = [
        define("show_booking", "Show one booking.", number=NUMBER),
        define("cancel_booking", "Cancel one booking.", number=NUMBER),
    ]

    question = "Cancel my booking 4711."
    assert await calls(client, question, *nouns) == [("booking_data", {"number": "4711"})]
    assert await calls(client, question, *verbs) == [("cancel_booking", {"number": "4711"})]


async def test_what_comes_back_connects_the_request_with_the_tool(client: ModelClient) -> None:
    harbour = "Name of the harbour, for example Brest."
    specific = "Get today's tides at a harbour. Returns the times of high water and low water."
    question = "When is high water at Dover?"

    assert await calls(client, question, define("get_tides", "Tide data.", harbour=harbour)) == []
    assert await calls(client, question, define("get_tides", specific, harbour=harbour)) == [
        ("get_tides", {"harbour": "Dover"})
    ]


@pytest.mark.parametrize(
    ("description", "said"),
    [("The language.", "French"), ("The language, for example fr or de.", "fr")],
)
async def test_an_example_shows_the_form_of_a_value(
    client: ModelClient, description: str, said: str
) -> None:
    tool = define("translate", "Translate a text.", text="The text.", language=description)

    ((_, arguments),) = await calls(client, "Translate 'good morning' into French.", tool)
    assert arguments == {"text": "good morning", "language": said}


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ("The day.", "3 March 2026"),
        ("The day in the form YYYY-MM-DD, earliest 2020-01-01.", "2026-03-03"),
    ],
)
async def test_a_stated_format_is_kept(client: ModelClient, description: str, said: str) -> None:
    tool = define("get_sales", "Get the sales of one day.", day=description)

    assert await calls(client, "Get the sales of 3 March 2026.", tool) == [
        ("get_sales", {"day": said})
    ]


async def test_without_a_default_the_model_asks_back_and_with_one_it_calls(
    client: ModelClient,
) -> None:
    size = {"type": "string", "enum": ["small", "large"], "description": "The size."}
    told = size | {"default": "small", "description": "The size. Default small, one cup."}

    asked = await client.ask(
        start("Order a coffee."), [define("order_coffee", "Order a coffee.", size=size)]
    )
    done = await calls(
        client, "Order a coffee.", define("order_coffee", "Order a coffee.", required=[], size=told)
    )

    assert (asked.calls, "?" in (asked.text or "")) == ((), True)
    assert done == [("order_coffee", {})]


def test_lint_knows_all_five_rules() -> None:
    broken = {
        "description_no_verb": define("get_x", "Weather in a city, it returns degrees."),
        "description_no_result": define("get_x", "Get the weather in one city today."),
        "description_no_example": define("get_x", "Get x.", city="The city to look up."),
        "description_no_limits": define(
            "get_x", "Get x.", day={"type": "string", "format": "date", "description": "The day."}
        ),
        "description_no_default": define(
            "get_x", "Get x.", n={"type": "integer", "default": 3, "description": "How many days."}
        ),
    }

    missed = [
        code
        for code, item in broken.items()
        if code not in [finding.code for finding in lint(item)]
    ]
    assert missed == []


def test_a_tool_can_look_well_to_lint_and_be_of_no_use() -> None:
    """Its words are in order, and none of them says what it is for."""
    assert lint(define("process_data", "Process the data. Returns the result of it.")) == ()


# --- measured -------------------------------------------------------------------------------------


def test_there_are_thirty_requests_half_chinese_six_for_each_of_five_tools() -> None:
    assert len(prompts()) == 30
    assert Counter(prompt.language for prompt in prompts())["zh"] == 15
    assert set(Counter(prompt.tool for prompt in prompts()).values()) == {6}


async def test_each_count_is_a_part_of_the_one_before(client: ModelClient) -> None:
    for words in ({}, {"names": "vague", "descriptions": "vague"}, {"parameters": "vague"}):
        one = await score(client, **words)
        assert one.right <= one.valid <= one.right_tool <= one.of


async def test_the_practice_model_scores_the_same_each_time(client: ModelClient) -> None:
    assert (await score(client)).marks == (await score(client)).marks


async def test_of_name_and_description_one_good_source_is_nearly_enough(
    client: ModelClient,
) -> None:
    good = await score(client)

    assert good.right >= 27
    for words in ({"names": "vague"}, {"descriptions": "vague"}):
        other = await score(client, **words)
        assert good.right - other.right <= 2


async def test_with_both_vague_many_requests_find_no_tool_and_the_difference_is_shown(
    client: ModelClient,
) -> None:
    good, both = await score(client), await score(client, names="vague", descriptions="vague")

    assert sum(not mark.called for mark in both.marks) >= 6
    assert difference(good, both).is_shown


async def test_what_still_works_then_lives_on_the_parameters(client: ModelClient) -> None:
    both = await score(client, names="vague", descriptions="vague")
    nothing = await score(client, names="vague", descriptions="vague", parameters="vague")

    assert both.right >= 10
    assert nothing.right == 0


async def test_with_vague_parameters_the_tool_may_be_right_and_the_arguments_empty(
    client: ModelClient,
) -> None:
    one = await score(client, parameters="vague")

    reached = [mark for mark in one.marks if mark.right_tool]
    assert len(reached) >= 15
    assert sum(mark.arguments == {} for mark in reached) >= len(reached) / 2
    assert one.valid < one.right_tool / 2


def test_of_a_vague_schema_only_the_types_are_left() -> None:
    schemas = [item["function"]["parameters"] for item in worded(parameters="vague")]

    parts = [part for schema in schemas for part in schema["properties"].values()]
    assert all(set(part) == {"type", "description"} for part in parts)
    assert all("required" not in schema for schema in schemas)


def test_vague_words_are_those_that_the_page_names() -> None:
    vague = worded(names="vague", descriptions="vague", parameters="vague")

    assert vague[0]["function"]["name"] == "info_data"
    assert {item["function"]["description"] for item in vague} == {
        "Process data and return the result."
    }
    assert {"data", "option"} <= set(vague[0]["function"]["parameters"]["properties"])


def test_valid_is_not_right() -> None:
    wrong = "15 + 27 / 6"

    assert check({"expression": wrong}, toolbox()["calculate"].input_schema) == []
    assert calculate(expression=wrong) != calculate(expression="(15 + 27) / 6")


# --- how sure -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("right", "shown"), [(12, "25% to 58%"), (24, "63% to 90%")])
def test_the_intervals_are_those_of_wilson(right: int, shown: str) -> None:
    low, high = wilson(right, 30)

    assert f"{low:.0%} to {high:.0%}" == shown


def test_each_interval_covers_a_quarter_of_the_scale_or_more() -> None:
    assert all(wilson(right, 30)[1] - wilson(right, 30)[0] > 0.25 for right in (12, 20, 24))


def test_12_and_24_keep_apart_and_20_and_24_overlap() -> None:
    assert wilson(12, 30)[1] < wilson(24, 30)[0]
    assert wilson(20, 30)[1] > wilson(24, 30)[0] + 0.1


def test_four_more_right_answers_may_well_be_chance() -> None:
    assert all(mcnemar(lost, lost + 4) > 0.05 for lost in range(10))


# --- real models ----------------------------------------------------------------------------------


def test_the_page_tells_the_figures_of_the_larger_model() -> None:
    told = [(row.wording, row.larger) for row in PUBLISHED if row.larger is not None]

    assert told == [
        ("all good", 29),
        ("vague names, descriptions", 28),
        ("opaque names, vague descr.", 29),
        ("only descriptions are good", 29),
        ("all opaque or vague", 7),
    ]
    assert "29 with all good, 28 with vague names and descriptions" in PROSE


def small(wording: str) -> int:
    return next(row.small for row in PUBLISHED if row.wording == wording)


def test_with_real_models_too_one_good_source_is_nearly_enough() -> None:
    one_source = [small("only the names are good"), small("only descriptions are good")]

    assert small("all good") - min(one_source) <= 2


def test_names_that_sound_alike_did_a_little_worse_than_names_that_say_nothing() -> None:
    told = f"{small('vague names')} against {small('opaque names')}"

    assert small("vague names") < small("opaque names") < small("all good")
    assert told in PROSE


def test_two_requests_of_thirty_show_nothing() -> None:
    assert all(mcnemar(lost, lost + 2) > 0.05 for lost in range(14))


def test_from_the_parameters_alone_the_larger_model_found_its_way_and_the_smaller_did_not() -> None:
    row = next(row for row in PUBLISHED if row.wording == "opaque names, vague descr.")

    assert row.larger == PUBLISHED[0].larger
    assert row.small < PUBLISHED[0].small / 2


def test_with_nothing_left_both_guess_one_of_five_tools() -> None:
    row = next(row for row in PUBLISHED if row.wording == "all opaque or vague")

    low, high = wilson(row.small, REQUESTS)
    assert low < 1 / 5 < high
    assert row.small == row.larger


def test_twelve_lost_and_none_gained_has_the_chance_that_the_page_tells() -> None:
    assert f"p = {mcnemar(LOST, GAINED):.4f}" in PROSE
    assert small("all good") - small("vague names, descriptions") == LOST - GAINED


def test_tags_in_place_of_a_fence_cost_as_much_as_the_page_tells() -> None:
    assert f"from {IN_A_FENCE} to {IN_TAGS}" in PROSE
    assert small("all good") == IN_A_FENCE


# --- how many tools -------------------------------------------------------------------------------


async def test_with_good_words_the_practice_model_is_hardly_disturbed_by_the_crowd(
    client: ModelClient,
) -> None:
    five, fifty = await measure_crowds(client, "good", sizes=(5, 50))

    assert five.right - fifty.right <= 2


async def test_with_rough_words_it_gets_worse_as_the_crowd_grows(client: ModelClient) -> None:
    scores = await measure_crowds(client, "rough")

    assert scores[-1].right <= scores[1].right - 4
    assert all(later.right <= earlier.right + 1 for earlier, later in pairwise(scores))


async def test_five_good_tools_beat_fifty_rough_ones_twice(client: ModelClient) -> None:
    (five,) = await measure_crowds(client, "good", sizes=(5,))
    (fifty,) = await measure_crowds(client, "rough", sizes=(50,))

    compared = difference(fifty, five)
    assert compared.gained > compared.lost
    assert compared.is_shown
    assert five.request_bytes < fifty.request_bytes / 3


async def test_the_request_grows_with_each_tool(client: ModelClient) -> None:
    scores = await measure_crowds(client, "good")

    sizes = [score.request_bytes for score in scores]
    assert sizes == sorted(set(sizes))
    assert curve({"good": scores}, "request_bytes").text


def test_the_crowd_goes_from_1_to_50_and_holds_what_the_page_names() -> None:
    names = {item["function"]["name"] for item in everything("good")}

    assert (min(SIZES), max(SIZES), len(names)) == (1, 50, 50)
    assert {"get_forecast", "search_web", "convert_currency", "read_inbox"} <= names


def test_of_rough_names_only_the_verb_is_left() -> None:
    rough = everything("rough")

    assert {"get_data", "get_data_2"} <= {item["function"]["name"] for item in rough}
    assert len({item["function"]["description"] for item in rough}) == 1


def test_lint_advises_against_more_than_twenty_tools() -> None:
    assert "too_many_tools" in [finding.code for finding in lint(everything("good"))]
