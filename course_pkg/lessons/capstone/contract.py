"""What the brief fixes: names, arguments that must pass, arguments that must not, and outcomes.

In: nothing. Out: tables for the checks. To ask for more is to add a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course_pkg.lessons.capstone.cafe import MAX_NAME_CHARS

LOOK_UP, CALCULATE, BOOK = "get_repair", "estimate_cost", "book_repair"
NAMES = (LOOK_UP, CALCULATE, BOOK)

#: Arguments that each tool takes.
GOOD: Mapping[str, Mapping[str, Any]] = {
    LOOK_UP: {"ticket": "R-102"},
    CALCULATE: {"thing": "toaster", "minutes": 30, "parts": 1.5},
    BOOK: {"name": "Mei", "thing": "radio", "day": "Sunday"},
}

#: More arguments that the brief allows.
ALSO_GOOD: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (LOOK_UP, {"ticket": "R-999"}),
    (CALCULATE, {"thing": "bicycle", "minutes": 1}),
    (CALCULATE, {"thing": "lamp", "minutes": 120, "parts": 200}),
    (CALCULATE, {"thing": "radio", "minutes": 45, "parts": 0}),
    (BOOK, {"name": "李伟", "thing": "bicycle", "day": "Saturday"}),
    (BOOK, {"name": "x" * MAX_NAME_CHARS, "thing": "lamp", "day": "Sunday"}),
)

#: Values that the brief does not allow: the tool, the argument, the value.
OUT_OF_RANGE: tuple[tuple[str, str, Any], ...] = (
    (LOOK_UP, "ticket", "101"),
    (LOOK_UP, "ticket", "R-1011"),
    (LOOK_UP, "ticket", "R-10"),
    (CALCULATE, "thing", "car"),
    (CALCULATE, "minutes", 0),
    (CALCULATE, "minutes", 121),
    (CALCULATE, "minutes", 1.5),
    (CALCULATE, "parts", -1),
    (CALCULATE, "parts", 201),
    (BOOK, "name", ""),
    (BOOK, "name", "x" * (MAX_NAME_CHARS + 1)),
    (BOOK, "thing", "car"),
    (BOOK, "day", "Monday"),
)

#: Prices at the edges: the arguments, and the euros.
PRICED: tuple[tuple[Mapping[str, Any], float], ...] = (
    ({"thing": "toaster", "minutes": 15}, 3.0),
    ({"thing": "toaster", "minutes": 16}, 6.0),
    ({"thing": "bicycle", "minutes": 120, "parts": 0}, 40.0),
    ({"thing": "lamp", "minutes": 1, "parts": 5.5}, 7.5),
)

#: A ticket that the brief allows and that nobody has.
UNKNOWN_TICKET = "R-999"


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question for the loop, and what must come of it.

    Attributes:
        text: the user's words.
        name: the tool that answers it.
        arguments: what the model must call it with.
        result: what the tool's result must hold.
    """

    text: str
    name: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]


QUESTIONS = (
    Question(
        text="What is the state of repair R-102?",
        name=LOOK_UP,
        arguments={"ticket": "R-102"},
        result={"thing": "radio", "state": "on the bench", "helper": "Li Wei"},
    ),
    Question(
        text="What will a toaster repair of 30 minutes cost?",
        name=CALCULATE,
        arguments={"thing": "toaster", "minutes": 30},
        result={"euros": 6.0},
    ),
    Question(
        text="Book a repair of a radio on Sunday for Mei.",
        name=BOOK,
        arguments={"name": "Mei", "thing": "radio", "day": "Sunday"},
        result={},
    ),
)
