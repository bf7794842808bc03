"""The pairs of exercise 03.1: true, in balance, and giving nothing away by place or length."""

from __future__ import annotations

import json
import statistics
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from course_pkg.lessons.exercises.n03 import Pair, pairs

PAIRS = pairs()
IN_EVERY_ORDER = [pairs(str(seed)) for seed in range(400)]
MOST_GUESSED = 8
Z_LIMIT = 4.0


def fitting_by_jsonschema(pair: Pair) -> int:
    (parts,) = pair.schema.values()
    return sum(Draft202012Validator(part).is_valid(pair.value) for part in parts)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: json.dumps([pair.value, *pair.schema]))
def test_each_pair_is_what_it_says(pair: Pair) -> None:
    assert pair.fitting == fitting_by_jsonschema(pair)
    assert pair.is_valid == Draft202012Validator(pair.schema).is_valid(pair.value)


def test_half_of_the_twelve_are_valid_and_all_are_different() -> None:
    texts = {json.dumps([pair.value, pair.schema]) for pair in PAIRS}

    assert (len(texts), sum(pair.is_valid for pair in PAIRS)) == (12, 6)


def test_both_keywords_occur_equally_often_among_overlaps_and_neither_tells_the_verdict() -> None:
    overlaps = [next(iter(pair.schema)) for pair in PAIRS if pair.fitting > 1]
    by_keyword = [pair.is_valid == ("anyOf" in pair.schema) for pair in PAIRS]

    assert overlaps.count("anyOf") == overlaps.count("oneOf")
    assert 12 - MOST_GUESSED <= sum(by_keyword) <= MOST_GUESSED


@pytest.mark.parametrize(
    "guess",
    [
        lambda number, pair: number % 2 == 0,
        lambda number, pair: number < 6,
        lambda number, pair: len(json.dumps(pair.value)) > 5,
        lambda number, pair: len(json.dumps(pair.schema)) > 70,
        lambda number, pair: len(json.dumps([pair.value, pair.schema])) > 80,
        lambda number, pair: isinstance(pair.value, str),
    ],
    ids=["every second", "first half", "long value", "long schema", "long pair", "text"],
)
def test_a_guess_by_place_or_length_is_right_for_eight_of_twelve_at_most(guess: Any) -> None:
    right = sum(guess(number, pair) == pair.is_valid for number, pair in enumerate(PAIRS))

    assert 12 - MOST_GUESSED <= right <= MOST_GUESSED


@pytest.mark.parametrize("place", range(12))
def test_over_many_orders_no_place_is_valid_more_often_than_another(place: int) -> None:
    valid = sum(order[place].is_valid for order in IN_EVERY_ORDER)
    spread = statistics.NormalDist(200, 10)

    assert abs(spread.zscore(valid)) < Z_LIMIT


def test_the_order_is_the_same_each_time_and_another_for_another_seed() -> None:
    assert pairs() == pairs()
    assert pairs("a") != pairs("b")
