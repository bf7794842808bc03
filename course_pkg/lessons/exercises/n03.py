"""The exercises of notebook 03: predict verdicts, pull branches apart, write a tagged union."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.schema import branches, check, check_schema

IS_SCHEMA = "The answer is a schema."
SCHEMA_HINT = "check_schema(answer) says where a schema is wrong."


def _is_schema(answer: Any) -> bool:
    if not isinstance(answer, dict):
        return False
    check_schema(answer)
    return bool(answer)


# --- 03.1: predict --------------------------------------------------------------------------------

SHAPE = "The answer is a list of numbers from 1 to 12, each only once."
NONE_FITS = "Where a value fits no branch, its pair is not in the list."
ONE_FITS = "Where a value fits exactly one branch, its pair is in the list."
TWO_OF_ANY = "Where a value fits two branches of anyOf, its pair is in the list."
TWO_OF_ONE = "Where a value fits two branches of oneOf, its pair is not in the list."

#: The pairs are always shuffled alike, so that a page's outputs do not change.
SEED = "03.1 a"

_LENGTHS = [{"type": "string", "minLength": 3}, {"type": "string", "maxLength": 5}]
_PATTERNS = [
    {"type": "string", "pattern": "^[0-9]+$"},
    {"type": "string", "pattern": "^[a-zA-Z]+$"},
]
_NUMBERS = [{"type": "integer"}, {"type": "number"}]
_AMOUNTS = [{"type": "number"}, {"type": "object", "required": ["value", "currency"]}]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A value and the schema that it is held against.

    Attributes:
        value: a JSON value.
        schema: a schema with `anyOf` or `oneOf`.
        fitting: how many branches the value fits. Not computed here: the first exercise of the
            course must not wait for a validator. A test proves it.
    """

    value: Any
    schema: dict[str, Any]
    fitting: int

    @property
    def is_valid(self) -> bool:
        """The verdict."""
        return self.fitting == 1 or (self.fitting > 1 and "anyOf" in self.schema)


_PAIRS = (
    Pair(value="hello", schema={"anyOf": _LENGTHS}, fitting=2),
    Pair(value="hello", schema={"oneOf": _LENGTHS}, fitting=2),
    Pair(value="abcdef", schema={"oneOf": _LENGTHS}, fitting=1),
    Pair(value="abc", schema={"oneOf": _PATTERNS}, fitting=1),
    Pair(value="a1", schema={"anyOf": _PATTERNS}, fitting=0),
    Pair(value="", schema={"anyOf": _PATTERNS}, fitting=0),
    Pair(value=3, schema={"oneOf": _NUMBERS}, fitting=2),
    Pair(value=3, schema={"anyOf": _NUMBERS}, fitting=2),
    Pair(value=3.5, schema={"oneOf": _NUMBERS}, fitting=1),
    Pair(value={"value": 100}, schema={"anyOf": _AMOUNTS}, fitting=0),
    Pair(value={"value": 100, "currency": "USD"}, schema={"oneOf": _AMOUNTS}, fitting=1),
    Pair(value="100", schema={"oneOf": _AMOUNTS}, fitting=0),
)


def pairs(seed: str = SEED) -> list[Pair]:
    """The pairs in an order that tells nothing.

    Args:
        seed: another seed gives another order.
    """
    shuffled = list(_PAIRS)
    random.Random(seed).shuffle(shuffled)
    return shuffled


def _given_pairs() -> list[tuple[Any, dict[str, Any]]]:
    return [(pair.value, pair.schema) for pair in pairs()]


def _is_list_of_numbers(answer: Any) -> bool:
    return (
        isinstance(answer, list)
        and all(type(number) is int and 1 <= number <= len(_PAIRS) for number in answer)
        and len(set(answer)) == len(answer)
    )


def _has(answer: Any, *, fitting: int, keyword: str = "", listed: bool) -> bool:
    """Whether all pairs of one kind are in the list, or all are not."""
    return all(
        (number in answer) is listed
        for number, pair in enumerate(pairs(), start=1)
        if pair.fitting == fitting and (not keyword or keyword in pair.schema)
    )


def _numbers(*, spoilt: int | None = None) -> list[int]:
    """The right answer, or the same with one pair, of `_PAIRS`, turned over."""
    turned = _PAIRS[spoilt] if spoilt is not None else None
    return [
        number
        for number, pair in enumerate(pairs(), start=1)
        if pair.is_valid is not (pair == turned)
    ]


_PREDICT = Exercise(
    number="03.1",
    goal="Say which of the 12 values are valid: answer with the list of their numbers.",
    starter="answer = None",
    rules=(
        Rule(
            name=SHAPE,
            test=_is_list_of_numbers,
            hint="Write the numbers of the valid pairs, for example answer = [2, 5].",
        ),
        Rule(
            name=NONE_FITS,
            test=lambda answer: _has(answer, fitting=0, listed=False),
            hint="One value in your list fits no branch. Hold each against both branches.",
        ),
        Rule(
            name=ONE_FITS,
            test=lambda answer: _has(answer, fitting=1, listed=True),
            hint="One branch is enough for anyOf, and it is what oneOf wants.",
        ),
        Rule(
            name=TWO_OF_ANY,
            test=lambda answer: _has(answer, fitting=2, keyword="anyOf", listed=True),
            hint="anyOf wants at least one branch. Is there an upper limit?",
        ),
        Rule(
            name=TWO_OF_ONE,
            test=lambda answer: _has(answer, fitting=2, keyword="oneOf", listed=False),
            hint="oneOf wants exactly one. Which values fit two branches?",
        ),
    ),
    hints=(
        "For each pair, first count the branches that the value fits. Then look at the keyword.",
        "No branch: not valid. One branch: valid. More: it depends on the keyword.",
        "Half of the twelve are valid.",
    ),
    source=f"answer = {_numbers()}",
    wrong=(
        WrongAnswer(source='answer = "none"', fails=SHAPE),
        WrongAnswer(source="answer = [0, 13]", fails=SHAPE),
        WrongAnswer(source="answer = [*range(1, 13)]", fails=NONE_FITS),
        WrongAnswer(source="answer = []", fails=ONE_FITS),
        WrongAnswer(source=f"answer = {_numbers(spoilt=8)}", fails=ONE_FITS),
        WrongAnswer(source=f"answer = {_numbers(spoilt=0)}", fails=TWO_OF_ANY),
        WrongAnswer(source=f"answer = {_numbers(spoilt=6)}", fails=TWO_OF_ONE),
    ),
    make_material=_given_pairs,
)


# --- 03.2: pull branches apart --------------------------------------------------------------------

KEEPS_ONE_OF = "The root still says oneOf."
LEGAL = "Every legal value passes: each age from 0 to 120, and the text unknown."
ILLEGAL = "Nothing else passes."

MAX_AGE = 120


def overlapping_ages() -> dict[str, Any]:
    """A schema for an age, with branches that overlap in one value."""
    return {
        "oneOf": [
            {"type": "integer", "minimum": 0, "maximum": 18},
            {"type": "integer", "minimum": 18, "maximum": MAX_AGE},
            {"const": "unknown"},
        ]
    }


def _takes_every_age(answer: Any) -> bool:
    return not any(check(value, answer) for value in [*range(MAX_AGE + 1), "unknown"])


def _takes_nothing_else(answer: Any) -> bool:
    others = (-1, MAX_AGE + 1, 17.5, 18.5, "18", "", None, True, [18], {"age": 18})
    return all(check(value, answer) for value in others)


_BEGIN = 'from course_pkg import exercise\nanswer = exercise("03.2").material()\n'

_PULL_APART = Exercise(
    number="03.2",
    goal=(
        "Repair the schema of an age: a whole number of years from 0 to 120, or the text unknown. "
        "Keep oneOf, and lose no legal value."
    ),
    starter='answer = exercise("03.2").material()',
    rules=(
        Rule(name=IS_SCHEMA, test=_is_schema, hint=SCHEMA_HINT),
        Rule(
            name=KEEPS_ONE_OF,
            test=lambda answer: len(answer.get("oneOf", [])) > 1,
            hint="anyOf would do, too. Here the branches are to be pulled apart instead.",
        ),
        Rule(
            name=LEGAL,
            test=_takes_every_age,
            hint="Look for a value that fits two branches now, or none: try some on check.",
        ),
        Rule(
            name=ILLEGAL,
            test=_takes_nothing_else,
            hint="Try some numbers just outside the limits, and texts.",
        ),
    ),
    hints=(
        "Run show_branches on a few ages. Which one fits two branches?",
        "Two branches share a limit, and both limits allow the limit itself.",
        "Change one of the two limits, not both, so that somebody still takes 18.",
    ),
    source=_BEGIN + 'answer["oneOf"][1]["minimum"] = 19',
    wrong=(
        WrongAnswer(source='answer = "oneOf"', fails=IS_SCHEMA),
        WrongAnswer(source=_BEGIN + 'answer = {"anyOf": answer["oneOf"]}', fails=KEEPS_ONE_OF),
        WrongAnswer(source=_BEGIN.rstrip(), fails=LEGAL),
        WrongAnswer(source=_BEGIN + 'del answer["oneOf"][1]', fails=LEGAL),
        WrongAnswer(
            source=_BEGIN
            + 'answer["oneOf"][0]["maximum"] = 17\nanswer["oneOf"][1]["minimum"] = 19',
            fails=LEGAL,
        ),
        WrongAnswer(
            source=_BEGIN
            + 'answer["oneOf"] = [{"type": "integer", "minimum": 0}, {"const": "unknown"}]',
            fails=ILLEGAL,
        ),
    ),
    make_material=overlapping_ages,
)


# --- 03.3: a tagged union -------------------------------------------------------------------------

BOTH_PASS = "Both kinds of delivery fit."
OTHERS_FAIL = "Nothing else fits."
TAG_SELECTS = "The tag selects the branch, so that a mistake is blamed on the right one."

HOME = {"kind": "home", "street": "Long Lane 7", "city": "Oslo"}
SHOP = {"kind": "shop", "shop_id": 12}

_TAGGED = """\
home = {
    "type": "object",
    "properties": {
        "kind": {"const": "home"},
        "street": {"type": "string"},
        "city": {"type": "string"},
    },
    "required": ["kind", "street", "city"],
    "additionalProperties": False,
}
shop = {
    "type": "object",
    "properties": {"kind": {"const": "shop"}, "shop_id": {"type": "integer"}},
    "required": ["kind", "shop_id"],
    "additionalProperties": False,
}
answer = {"anyOf": [home, shop]}"""


def _takes_both(answer: Any) -> bool:
    return not check(HOME, answer) and not check(SHOP, answer)


def _takes_no_others(answer: Any) -> bool:
    others: Sequence[Any] = (
        {"street": "Long Lane 7", "city": "Oslo"},
        {"shop_id": 12},
        HOME | {"kind": "shop"},
        SHOP | {"kind": "home"},
        SHOP | {"kind": "drone"},
        {"kind": "home", "street": "Long Lane 7"},
        {"kind": "shop"},
        SHOP | {"shop_id": "12"},
        HOME | {"shop_id": 12},
        "home",
        None,
    )
    return all(check(value, answer) for value in others)


def _tag_selects(answer: Any) -> bool:
    met = branches({"kind": "shop"}, answer)
    return bool(met) and met[0].reason.startswith("kind selects")


_TAG = Exercise(
    number="03.3",
    goal=(
        "Write a union with the tag kind. home comes with street and city, both texts. shop comes "
        "with shop_id, a whole number. Nothing else may be given."
    ),
    starter='answer = {"anyOf": [{"type": "object"}]}',
    rules=(
        Rule(name=IS_SCHEMA, test=_is_schema, hint=SCHEMA_HINT),
        Rule(
            name=BOTH_PASS,
            test=_takes_both,
            hint=f"Run show_branches on {HOME} and on {SHOP}.",
        ),
        Rule(
            name=OTHERS_FAIL,
            test=_takes_no_others,
            hint="Is each name required in its branch, the tag too? Are both objects closed?",
        ),
        Rule(
            name=TAG_SELECTS,
            test=_tag_selects,
            hint="Each branch wants its own constant under 'kind', and nothing else there.",
        ),
    ),
    hints=(
        "Look at the schema of the contact on this page. It has the same form.",
        'Two branches, each an object. \'kind\' is {"const": "home"} in one of them.',
        "Each branch requires all its names and has additionalProperties False.",
    ),
    source=_TAGGED,
    wrong=(
        WrongAnswer(source="answer = []", fails=IS_SCHEMA),
        WrongAnswer(
            source=_TAGGED.replace('{"type": "integer"}', '{"type": "string"}'), fails=BOTH_PASS
        ),
        WrongAnswer(source=_TAGGED.replace('["kind", "shop_id"]', '["kind"]'), fails=OTHERS_FAIL),
        WrongAnswer(
            source=_TAGGED.replace('{"const": "shop"}', '{"type": "string"}'), fails=OTHERS_FAIL
        ),
        WrongAnswer(
            source=_TAGGED.replace('    "additionalProperties": False,\n', ""), fails=OTHERS_FAIL
        ),
        WrongAnswer(
            source=_TAGGED.replace(
                '"const": "home"', '"pattern": "^home$", "type": "string"'
            ).replace('"const": "shop"', '"pattern": "^shop$", "type": "string"'),
            fails=TAG_SELECTS,
        ),
    ),
)

EXERCISES = (_PREDICT, _PULL_APART, _TAG)
