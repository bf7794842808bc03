"""Measuring: what counts as right, how sure a count is, and the toolboxes that are compared."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg import ModelClient
from course_pkg.lessons.measuring import (
    SIZES,
    bars,
    crowd,
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
from course_pkg.lessons.measuring.crowds import crowd_meanings
from course_pkg.lessons.measuring.prompts import Prompt, read_prompts
from course_pkg.lessons.measuring.published import PUBLISHED
from course_pkg.lessons.measuring.scoring import judge
from course_pkg.lessons.measuring.wordings import meanings
from course_pkg.model import Reply
from course_pkg.samples import TOOL_NAMES, toolbox
from course_pkg.schema import check, check_schema, lint
from course_pkg.tools import ToolCall

WEATHER = prompts()[0]
FAHRENHEIT = prompts()[2]
FIVE = prompts()[8]
SUM = prompts()[13]
MESSAGE = prompts()[24]


def said(*calls: tuple[str, Any]) -> Reply:
    listed = tuple(
        ToolCall(
            id=f"call_{number}",
            name=name,
            arguments=given if isinstance(given, str) else json.dumps(given),
        )
        for number, (name, given) in enumerate(calls)
    )
    return Reply(message={"role": "assistant"}, text=None, calls=listed)


def verdict(prompt: Prompt, *calls: tuple[str, Any], words: Any = None) -> tuple[bool, ...]:
    definitions = worded() if words is None else words
    mark = judge(said(*calls), prompt, definitions, meanings(definitions))
    return mark.right_tool, mark.valid, mark.right


class Scripted:
    """A model that gives the same replies in order, for ever."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = replies
        self.asked: list[tuple[Any, Any, Any]] = []

    async def ask(self, messages: Any, tools: Any = (), **options: Any) -> Reply:
        self.asked.append((messages, tools, options))
        return self.replies[(len(self.asked) - 1) % len(self.replies)]


# --- requests -------------------------------------------------------------------------------------


def test_there_are_thirty_requests_six_a_tool_and_half_of_them_chinese() -> None:
    assert Counter(prompt.tool for prompt in prompts()) == dict.fromkeys(TOOL_NAMES, 6)
    assert Counter(prompt.language for prompt in prompts()) == {"en": 15, "zh": 15}


def test_no_request_comes_twice_and_none_of_the_unseen_ones_is_among_them() -> None:
    texts = [prompt.text for prompt in (*prompts(), *read_prompts("unseen.json"))]

    assert len(set(texts)) == 40


def test_each_request_asks_for_arguments_that_its_tool_has() -> None:
    tools = toolbox()

    for prompt in (*prompts(), *read_prompts("unseen.json")):
        schema = tools[prompt.tool].input_schema
        assert set(schema["required"]) <= set(prompt.arguments) <= set(schema["properties"])


# --- what is right --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "calls", "expected"),
    [
        (WEATHER, [("get_weather", {"city": "Paris"})], (True, True, True)),
        (WEATHER, [("get_weather", {"city": "Paris", "unit": "celsius"})], (True, True, True)),
        (WEATHER, [("get_weather", {"city": "Paris", "unit": "fahrenheit"})], (True, True, False)),
        (WEATHER, [("get_weather", {"city": "Rome"})], (True, True, False)),
        (WEATHER, [("get_weather", {"town": "Paris"})], (True, False, False)),
        (WEATHER, [("get_weather", {})], (True, False, False)),
        (WEATHER, [("get_weather", "{")], (True, False, False)),
        (WEATHER, [("get_weather", "[]")], (True, False, False)),
        (WEATHER, [("search_docs", {"query": "Paris"})], (False, False, False)),
        (WEATHER, [("get_wether", {"city": "Paris"})], (False, False, False)),
        (WEATHER, [], (False, False, False)),
        (WEATHER, [("get_weather", {"city": "Paris"})] * 2, (False, False, False)),
        (FAHRENHEIT, [("get_weather", {"city": "New York"})], (True, True, False)),
        (FIVE, [("search_docs", {"query": "Retries", "num_results": 5})], (True, True, True)),
        (FIVE, [("search_docs", {"query": "retries", "num_results": "5"})], (True, False, False)),
        (SUM, [("calculate", {"expression": "(27+15)/6"})], (True, True, True)),
        (SUM, [("calculate", {"expression": "15 + 27 / 6"})], (True, True, False)),
        (SUM, [("calculate", {"expression": "(15"})], (True, True, False)),
        (MESSAGE, [("send_message", {"to": "Anna", "content": "Hello"})], (True, True, False)),
    ],
)
def test_a_reply_is_marked_by_tool_by_schema_and_by_meaning(
    prompt: Prompt, calls: Any, expected: tuple[bool, ...]
) -> None:
    assert verdict(prompt, *calls) == expected


def test_in_other_words_the_place_tells_which_function_and_which_argument_is_meant() -> None:
    words = worded(names="opaque", parameters="vague")

    assert verdict(WEATHER, ("tool_a", {"data": "Paris"}), words=words) == (True, True, True)
    assert verdict(WEATHER, ("tool_b", {"data": "Paris"}), words=words)[0] is False
    assert verdict(FIVE, ("tool_b", {"data": "retries", "option": 5}), words=words)[2]


async def test_every_request_is_sent_alone_with_the_same_tools_and_the_options() -> None:
    model = Scripted(said(("get_weather", {"city": "Paris"})))
    steps: list[int] = []

    score = await measure(model, worded(), advance=lambda: steps.append(1), temperature=0)

    assert [len(messages) for messages, _, _ in model.asked] == [1] * 30
    assert model.asked[3][2] == {"temperature": 0}
    assert (len(steps), score.of, score.right_tool, score.right) == (30, 30, 6, 1)


async def test_a_toolbox_can_be_given_in_place_of_definitions() -> None:
    model = Scripted(said())

    await measure(model, toolbox(), requests=prompts()[:1])

    assert model.asked[0][1] == toolbox().definitions()


async def test_sizes_are_those_of_the_bytes_that_crossed() -> None:
    async with ModelClient() as client:
        few = await measure(client, worded(), requests=prompts()[:3])
        more = await measure(client, everything("good"), requests=prompts()[:3])

    assert 3_000 < few.request_bytes < more.request_bytes
    assert 0 < few.prompt_tokens < more.prompt_tokens


async def test_without_a_wire_the_size_is_nothing() -> None:
    assert (await measure(Scripted(said()), worded())).request_bytes == 0


async def test_a_score_and_a_difference_say_what_they_are_in_one_line() -> None:
    good = await measure(Scripted(said(("get_weather", {"city": "Paris"}))), worded(), name="one")
    none = await measure(Scripted(said()), worded(), name="two")

    assert repr(good) == (
        "one: right tool 6, valid arguments 6, right arguments 1, of 30; 0 bytes and 0 tokens a "
        "request"
    )
    assert repr(difference(good, none)) == (
        "From 'one' to 'two': 1 lost, 0 gained, p = 1.0000; no difference is shown"
    )


async def test_scores_of_different_requests_are_not_compared() -> None:
    one = await measure(Scripted(said()), worded(), requests=prompts()[:2])
    two = await measure(Scripted(said()), worded(), requests=prompts()[1:3])

    with pytest.raises(ValueError, match="different requests"):
        difference(one, two)


# --- chance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "low", "high"),
    [(12, 0.246, 0.577), (24, 0.627, 0.905), (0, 0, 0.114), (30, 0.886, 1)],
)
def test_the_interval_is_that_of_wilson(right: int, low: float, high: float) -> None:
    assert wilson(right, 30) == pytest.approx((low, high), abs=0.001)


@given(of=st.integers(1, 500), data=st.data())
def test_an_interval_holds_the_share_and_stays_between_0_and_1(of: int, data: Any) -> None:
    right = data.draw(st.integers(0, of))

    low, high = wilson(right, of)

    assert 0 <= low <= right / of + 1e-12
    assert right / of - 1e-12 <= high <= 1


@pytest.mark.parametrize(
    ("lost", "gained", "chance"),
    [(12, 0, 2 / 2**12), (0, 0, 1.0), (5, 5, 1.0), (1, 9, 22 / 1024), (2, 6, 74 / 256)],
)
def test_the_test_for_pairs_is_the_exact_one(lost: int, gained: int, chance: float) -> None:
    assert mcnemar(lost, gained) == mcnemar(gained, lost) == pytest.approx(chance)


@pytest.mark.parametrize(("right", "of"), [(-1, 3), (4, 3), (0, 0)])
def test_what_is_no_share_is_refused(right: int, of: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson(right, of)


def test_counts_below_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        mcnemar(-1, 2)


# --- toolboxes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", ["good", "vague", "opaque"])
@pytest.mark.parametrize("descriptions", ["good", "vague"])
@pytest.mark.parametrize("parameters", ["good", "vague"])
def test_each_wording_is_five_definitions_that_a_service_takes(
    names: Any, descriptions: Any, parameters: Any
) -> None:
    words = worded(names=names, descriptions=descriptions, parameters=parameters)

    assert len({item["function"]["name"] for item in words}) == 5
    assert not [finding for finding in lint(words) if finding.severity == "error"]


def test_all_good_is_the_toolbox_of_the_course() -> None:
    assert worded() == toolbox().definitions()


def test_a_definition_written_short_has_a_closed_schema_and_requires_all() -> None:
    schema = define("pay", "Pay.", amount={"type": "number"}, name="Who.")["function"]["parameters"]

    assert check({"amount": 1, "name": "Ada"}, schema) == []
    assert schema["required"] == ["amount", "name"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("wording", ["good", "rough"])
def test_fifty_tools_have_fifty_names_and_schemas_that_are_valid(wording: Any) -> None:
    every = everything(wording)

    assert len({item["function"]["name"] for item in every}) == 50
    for item in every:
        check_schema(item["function"]["parameters"])
    assert list(crowd_meanings(wording).values())[:5] == list(TOOL_NAMES)


def test_the_other_tools_are_worded_without_a_warning() -> None:
    found = [finding for item in everything("good") for finding in lint(item)]

    assert [finding for finding in found if finding.severity != "advice"] == []


@pytest.mark.parametrize("size", SIZES)
def test_the_right_tool_is_in_every_crowd(size: int) -> None:
    for prompt in prompts():
        names = [item["function"]["name"] for item in crowd(size, prompt)]
        assert prompt.tool in names
        assert len(names) == size


@pytest.mark.parametrize("size", [0, 51])
def test_there_are_no_more_than_fifty_tools(size: int) -> None:
    with pytest.raises(ValueError, match="1 to 50"):
        crowd(size, WEATHER)


async def test_each_number_of_tools_gets_a_score_with_its_name() -> None:
    scores = await measure_crowds(Scripted(said()), "rough", sizes=(1, 5))

    assert [score.name for score in scores] == ["1 tool, rough wording", "5 tools, rough wording"]


# --- pictures -------------------------------------------------------------------------------------


async def test_bars_and_curves_tell_the_counts() -> None:
    score = await measure(Scripted(said(("get_weather", {"city": "Paris"}))), worded(), name="one")

    assert "right tool       ██████ 6" in bars([score]).text
    assert "tools: 50\n  same  █ 1" in curve({"same": [score] * len(SIZES)}).text


def test_published_figures_are_counts_of_thirty() -> None:
    assert all(0 <= row.small <= 30 and 0 <= (row.larger or 0) <= 30 for row in PUBLISHED)
