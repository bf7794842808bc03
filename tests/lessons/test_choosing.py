"""Choosing a way: the table decides, each advice has its reasons, and the table is whole."""

from __future__ import annotations

from itertools import product

import pytest

from course_pkg.lessons.choosing import (
    FUNCTION,
    MCP,
    NO_WAY,
    QUESTIONS,
    SIDECAR,
    WAYS,
    advise,
    decision_table,
)

EVERY = [
    {question.name: choice.name for question, choice in zip(QUESTIONS, combination, strict=True)}
    for combination in product(*(question.choices for question in QUESTIONS))
]
EFFECTS = [
    (question, choice, effect)
    for question in QUESTIONS
    for choice in question.choices
    for effect in choice.effects
]


@pytest.mark.parametrize(
    ("answers", "way"),
    [
        ({}, FUNCTION),
        ({"users": "one"}, FUNCTION),
        ({"users": "one", "author": "me", "place": "inside"}, FUNCTION),
        ({"users": "one", "place": "inside", "protocol": "yes", "change": "seldom"}, FUNCTION),
        ({"users": "several"}, MCP),
        ({"users": "strangers"}, MCP),
        ({"author": "others"}, MCP),
        ({"users": "one", "author": "others", "protocol": "can"}, MCP),
        ({"place": "elsewhere"}, MCP),
        ({"extras": "yes"}, MCP),
        ({"place": "beside", "protocol": "yes"}, MCP),
        ({"place": "beside", "protocol": "no"}, SIDECAR),
        ({"users": "one", "place": "beside", "protocol": "can", "extras": "no"}, SIDECAR),
        ({"users": "several", "place": "beside", "protocol": "no"}, SIDECAR),
        ({"author": "others", "protocol": "no"}, SIDECAR),
        ({"place": "elsewhere", "protocol": "no"}, ""),
    ],
)
def test_the_advice_follows_from_the_answers(answers: dict[str, str], way: str) -> None:
    assert advise(answers).way == way


@pytest.mark.parametrize("answers", EVERY, ids=lambda answers: "-".join(answers.values()))
def test_no_answers_lead_to_a_way_that_they_rule_out(answers: dict[str, str]) -> None:
    advice = advise(answers)
    ruled_out = {
        effect.way
        for question, choice, effect in EFFECTS
        if answers[question.name] == choice.name and effect.weight is None
    }

    assert advice.way not in ruled_out
    assert bool(advice.way) == (len(ruled_out) < len(WAYS))


@pytest.mark.parametrize("answers", EVERY[::5], ids=lambda answers: "-".join(answers.values()))
def test_each_advice_has_a_reason_and_says_why_not_the_others(answers: dict[str, str]) -> None:
    advice = advise(answers)

    assert bool(advice.reasons) == bool(advice.way)
    assert {way for way, _ in advice.others} == set(WAYS) - {advice.way}
    assert all(why for _, why in advice.others)


def test_every_way_is_advised_for_some_answers() -> None:
    assert {advise(answers).way for answers in EVERY} == {FUNCTION, MCP, SIDECAR, ""}


def test_the_order_of_answers_does_not_matter() -> None:
    answers = EVERY[77]

    assert advise(dict(reversed(answers.items()))).way == advise(answers).way


def test_without_a_way_the_advice_says_what_rules_out_each() -> None:
    advice = advise({"place": "elsewhere", "protocol": "no"})

    assert advice.sentence == NO_WAY
    assert all(why.startswith("ruled out. ") for _, why in advice.others)


def test_what_speaks_against_the_advised_way_is_said_too() -> None:
    advice = advise({"users": "strangers", "protocol": "can"})

    assert advice.reasons[-1].startswith("All the same: ")


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"weather": "yes"}, "There is no question 'weather'. Questions: users, author"),
        ({"users": "nobody"}, "'nobody' is no answer to users. Answers: one, several, strangers"),
    ],
)
def test_a_wrong_answer_is_refused_with_those_that_there_are(
    answers: dict[str, str], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        advise(answers)


# --- the table ------------------------------------------------------------------------------------


def test_names_are_unique() -> None:
    names = [question.name for question in QUESTIONS]
    answers = [
        (question.name, choice.name) for question in QUESTIONS for choice in question.choices
    ]

    assert len(set(names)) == len(names)
    assert len(set(answers)) == len(answers)


@pytest.mark.parametrize(
    ("question", "choice", "effect"),
    EFFECTS,
    ids=[f"{one.name}-{two.name}-{three.way}" for one, two, three in EFFECTS],
)
def test_each_effect_is_of_a_known_way_and_has_a_sentence(
    question: object, choice: object, effect: object
) -> None:
    assert effect.way in WAYS  # type: ignore[attr-defined]
    assert effect.reason.endswith(".")  # type: ignore[attr-defined]
    assert effect.weight is None or abs(effect.weight) in (1, 2, 3)  # type: ignore[attr-defined]


def test_every_answer_means_something_and_no_way_twice() -> None:
    for question in QUESTIONS:
        for choice in question.choices:
            ways = [effect.way for effect in choice.effects]
            assert ways
            assert len(set(ways)) == len(ways)


def test_the_table_as_text_holds_every_question_answer_and_reason() -> None:
    text = decision_table()

    for question, choice, effect in EFFECTS:
        assert question.text in text
        assert choice.text in text
        assert effect.reason in text
