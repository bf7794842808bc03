"""The exercises of notebook 02: write two schemas from briefs, and repair one.

The checks hold the answer against instances that must fit and instances that must not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.schema import check, check_schema

IS_SCHEMA = "The answer is a schema."
GOOD_PASS = "Everything that the brief allows fits."
CLOSED = "Nothing else may be given: names that nobody knows are stopped."
PRESENT = "What must be there is missed when it is not."

SCHEMA_HINT = "check_schema(answer) says where a schema is wrong."
CLOSED_HINT = "Which keyword stops names that are not in 'properties'?"
PRESENT_HINT = "Which names are listed in 'required'? May one of them be left out?"


def _is_schema(answer: Any) -> bool:
    if not isinstance(answer, dict):
        return False
    check_schema(answer)
    return bool(answer)


def _takes(*instances: Any) -> Any:
    return lambda answer: all(not check(instance, answer) for instance in instances)


def _refuses(*instances: Any) -> Any:
    return lambda answer: all(check(instance, answer) for instance in instances)


def _rules(fitting: Sequence[Any], hint: str, *more: Rule) -> Sequence[Rule]:
    return (
        Rule(name=IS_SCHEMA, test=_is_schema, hint=SCHEMA_HINT),
        Rule(name=GOOD_PASS, test=_takes(*fitting), hint=hint),
        *more,
    )


# --- 02.1: a booking ------------------------------------------------------------------------------

ROOMS = "The room is one of the two."
GUESTS = "The guests are a whole number, and within the limits."
NOTE = "The note is a text, and not too long."

BOOKING = {"room": "small", "guests": 2}
MAX_NOTE_CHARS = 200

_BOOKING = """\
answer = {
    "type": "object",
    "properties": {
        "room": {"type": "string", "enum": ["small", "large"]},
        "guests": {"type": "integer", "minimum": 1, "maximum": 12},
        "note": {"type": "string", "maxLength": 200},
    },
    "required": ["room", "guests"],
    "additionalProperties": False,
}"""

_WRITE_BOOKING = Exercise(
    number="02.1",
    goal=(
        "Write the schema for a booking: room, small or large; guests, a whole number from 1 to "
        "12; note, a text of at most 200 characters that may be left out. Nothing else."
    ),
    starter='answer = {"type": "object", "properties": {}}',
    rules=_rules(
        [
            BOOKING,
            BOOKING | {"guests": 1},
            BOOKING | {"room": "large", "guests": 12},
            BOOKING | {"note": ""},
            BOOKING | {"note": "x" * MAX_NOTE_CHARS},
        ],
        'Try check({"room": "small", "guests": 12}, answer), and read the problems.',
        Rule(
            name=ROOMS,
            test=_refuses(*(BOOKING | {"room": room} for room in ("medium", "", 1, None))),
            hint="Which keyword lists every value that is allowed?",
        ),
        Rule(
            name=GUESTS,
            test=_refuses(*(BOOKING | {"guests": n} for n in (0, -1, 13, 2.5, "2", True))),
            hint="Two keywords set the limits, and the type is not number.",
        ),
        Rule(
            name=NOTE,
            test=_refuses(*(BOOKING | {"note": n} for n in ("x" * (MAX_NOTE_CHARS + 1), 5, None))),
            hint="A text has a keyword for its greatest length.",
        ),
        Rule(
            name=PRESENT,
            test=_refuses({}, {"room": "small"}, {"guests": 2}),
            hint=PRESENT_HINT,
        ),
        Rule(name=CLOSED, test=_refuses(BOOKING | {"guest": 2}), hint=CLOSED_HINT),
    ),
    hints=(
        "Write one entry under 'properties' for each of the three names.",
        "room has an 'enum', guests 'minimum' and 'maximum', note 'maxLength'.",
        "'required' lists room and guests, and 'additionalProperties' is False.",
    ),
    source=_BOOKING,
    wrong=(
        WrongAnswer(source='answer = "a schema"', fails=IS_SCHEMA),
        WrongAnswer(source=_BOOKING.replace('"integer"', '"int"'), fails=IS_SCHEMA),
        WrongAnswer(
            source=_BOOKING.replace('"maximum": 12', '"exclusiveMaximum": 12'), fails=GOOD_PASS
        ),
        WrongAnswer(source=_BOOKING.replace('"guests"],', '"guests", "note"],'), fails=GOOD_PASS),
        WrongAnswer(source=_BOOKING.replace(', "enum": ["small", "large"]', ""), fails=ROOMS),
        WrongAnswer(source=_BOOKING.replace('"integer"', '"number"'), fails=GUESTS),
        WrongAnswer(source=_BOOKING.replace(', "maxLength": 200', ""), fails=NOTE),
        WrongAnswer(source=_BOOKING.replace('["room", "guests"]', '["room"]'), fails=PRESENT),
        WrongAnswer(
            source=_BOOKING.replace('    "additionalProperties": False,\n', ""), fails=CLOSED
        ),
    ),
)


# --- 02.2: labels ---------------------------------------------------------------------------------

COUNT = "There are 1 to 5 labels."
ONCE = "No label comes twice."
TEXTS = "Each label is a text."
WHOLE_TEXT = "Each label is checked from its first character to its last."
OTHER_DIGITS = "Digits are 0 to 9 only."
LABEL_LENGTH = "A label has 1 to 20 characters."

MAX_LABELS, MAX_LABEL_CHARS = 5, 20

_LABELS = """\
answer = {
    "type": "array",
    "items": {"type": "string", "pattern": "^[a-z0-9-]{1,20}$"},
    "minItems": 1,
    "maxItems": 5,
    "uniqueItems": True,
}"""

_WRITE_LABELS = Exercise(
    number="02.2",
    goal=(
        "Write the schema for 1 to 5 labels, each only once. A label has 1 to 20 characters, each "
        "a small letter from a to z, a digit from 0 to 9 or a hyphen."
    ),
    starter='answer = {"type": "array"}',
    rules=_rules(
        [["vip"], ["a", "b", "c", "d", "e"], ["beta-tester", "2026"], ["x" * MAX_LABEL_CHARS]],
        'Try check(["beta-tester", "2026"], answer), and read the problems.',
        Rule(
            name=COUNT,
            test=_refuses([], [str(n) for n in range(MAX_LABELS + 1)], "vip"),
            hint="A list has two keywords for how many items there may be.",
        ),
        Rule(
            name=ONCE,
            test=_refuses(["vip", "vip"]),
            hint="A list has a keyword that forbids repeated items.",
        ),
        Rule(
            name=TEXTS,
            test=_refuses([7], [None], [["vip"]]),
            hint="A pattern says nothing about values that are no text. What does?",
        ),
        Rule(
            name=WHOLE_TEXT,
            test=_refuses(["VIP"], ["vip!"], ["a b"], ["!vip"]),
            hint="A pattern is a search. What must stand at its beginning and at its end?",
        ),
        Rule(
            name=LABEL_LENGTH,
            test=_refuses([""], ["x" * (MAX_LABEL_CHARS + 1)]),
            hint="Say the length in the pattern, {1,20}, or with two keywords for texts.",
        ),
        Rule(
            name=OTHER_DIGITS,
            test=lambda answer: "\\d" not in str(answer) and "\\\\d" not in str(answer),
            hint="One sign in your pattern means the digits of all scripts to some programs.",
        ),
    ),
    hints=(
        "Begin with the list: how many items, and may one come twice?",
        "'items' holds the schema of one label: a text with a pattern.",
        "A set of characters stands in square brackets: [a-z0-9-]. Put ^ before and $ behind.",
    ),
    source=_LABELS,
    wrong=(
        WrongAnswer(source="answer = []", fails=IS_SCHEMA),
        WrongAnswer(source=_LABELS.replace("[a-z0-9-]", "[a-z]"), fails=GOOD_PASS),
        WrongAnswer(source=_LABELS.replace('    "minItems": 1,\n', ""), fails=COUNT),
        WrongAnswer(source=_LABELS.replace('    "uniqueItems": True,\n', ""), fails=ONCE),
        WrongAnswer(source=_LABELS.replace('"type": "string", ', ""), fails=TEXTS),
        WrongAnswer(source=_LABELS.replace("^", "").replace("$", ""), fails=WHOLE_TEXT),
        WrongAnswer(source=_LABELS.replace("{1,20}", "+"), fails=LABEL_LENGTH),
        WrongAnswer(
            source=_LABELS.replace('"^[a-z0-9-]', 'r"^[a-z\\d-]'),
            fails=OTHER_DIGITS,
        ),
    ),
)


# --- 02.3: repair a schema ------------------------------------------------------------------------

PLACE = "place is a code of two capital letters and three digits, and nothing more."
CELSIUS = "celsius is a number above absolute zero, -273.15."

MEASURED = {"place": "BJ101", "celsius": 21.5, "taken_by": "Ana"}


def broken_measurement() -> dict[str, Any]:
    """A schema of a measurement with four holes and one rule too many."""
    return {
        "type": "object",
        "properties": {
            "place": {"type": "string", "pattern": "[A-Z]{2}[0-9]{3}"},
            "celsius": {"type": "number", "minimum": -273.15},
            "taken_by": {"type": "string"},
        },
        "required": ["place", "celsius"],
    }


_BEGIN = 'from course_pkg import exercise\nanswer = exercise("02.3").material()\n'
_REPAIR = """\
answer["properties"]["taken_by"]["type"] = ["string", "null"]
answer["required"].append("taken_by")
answer["properties"]["place"]["pattern"] = "^[A-Z]{2}[0-9]{3}$"
answer["properties"]["celsius"] = {"type": "number", "exclusiveMinimum": -273.15}
answer["additionalProperties"] = False
"""


def _all_but(line: int) -> str:
    """The repair without one of its lines."""
    lines = _REPAIR.splitlines(keepends=True)
    return _BEGIN + "".join(lines[:line] + lines[line + 1 :])


_MEND = Exercise(
    number="02.3",
    goal=(
        "Repair the schema of a measurement: place, two capital letters and three digits; celsius, "
        "above absolute zero; taken_by, a text or null. All three must be there, nothing else."
    ),
    starter='answer = exercise("02.3").material()',
    rules=_rules(
        [MEASURED, MEASURED | {"celsius": -273.1}, MEASURED | {"taken_by": None}],
        "Nobody may have written down who measured. Which type does null have?",
        Rule(
            name=PRESENT,
            test=_refuses(*({k: v for k, v in MEASURED.items() if k != out} for out in MEASURED)),
            hint="Null is a value. A name that is missing is something else.",
        ),
        Rule(
            name=PLACE,
            test=_refuses(
                *(MEASURED | {"place": place} for place in ("xBJ101", "BJ1015", "bj101", "", 5))
            ),
            hint='Try check({"place": "BJ1015", ...}, answer). Why is there no problem?',
        ),
        Rule(
            name=CELSIUS,
            test=_refuses(*(MEASURED | {"celsius": n} for n in (-273.15, -300, "21", True, None))),
            hint="One keyword allows the limit itself, and another one does not.",
        ),
        Rule(name=CLOSED, test=_refuses(MEASURED | {"unit": "celsius"}), hint=CLOSED_HINT),
    ),
    hints=(
        "Make a good measurement as a dictionary, spoil one part of it, and check it.",
        "'required' is about presence, and the type is about null. Both need a change.",
        "The pattern needs ^ and $; 'minimum' becomes 'exclusiveMinimum'; and close the object.",
    ),
    source=_BEGIN + _REPAIR,
    wrong=(
        WrongAnswer(source=_all_but(0), fails=GOOD_PASS),
        WrongAnswer(source=_all_but(1), fails=PRESENT),
        WrongAnswer(source=_all_but(2), fails=PLACE),
        WrongAnswer(source=_all_but(3), fails=CELSIUS),
        WrongAnswer(source=_all_but(4), fails=CLOSED),
        WrongAnswer(source="answer = True", fails=IS_SCHEMA),
    ),
    make_material=broken_measurement,
)

EXERCISES = (_WRITE_BOOKING, _WRITE_LABELS, _MEND)
