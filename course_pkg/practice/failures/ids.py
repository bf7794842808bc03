"""Failures of call ids, by which results find their calls.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

from course_pkg.practice.failures.spoiling import Call, on_calls
from course_pkg.practice.fault import Fault

#: Longer than any id that a service accepts when it comes back.
LONG_ID_CHARS = 300


def _without(name: str, call: Call) -> Call:
    return {key: value for key, value in call.items() if key != name}


ROWS = (
    Fault(
        name="ids_empty",
        title="Empty ids",
        says="Two calls come, and both have an empty text for an id.",
        group="ids",
        case="a-32",
        needs="two_calls",
        spoil=on_calls(lambda call: call | {"id": ""}),
    ),
    Fault(
        name="ids_null",
        title="Null for an id",
        says="Two calls come, and both have null for an id.",
        group="ids",
        case="a-32",
        needs="two_calls",
        spoil=on_calls(lambda call: call | {"id": None}),
    ),
    Fault(
        name="ids_missing",
        title="No ids",
        says="Two calls come without the field id.",
        group="ids",
        case="a-32",
        needs="two_calls",
        spoil=on_calls(lambda call: _without("id", call)),
    ),
    Fault(
        name="ids_are_numbers",
        title="A number for an id",
        says="The id of the call is the number 0, where the interface says a text.",
        group="ids",
        case="a-32",
        needs="call",
        spoil=on_calls(lambda call: call | {"id": 0}),
    ),
    Fault(
        name="ids_duplicate",
        title="The same id twice",
        says="Two calls come with the same id; whoever keeps them by id loses the first.",
        group="ids",
        case="a-33",
        needs="two_calls",
        spoil=on_calls(lambda call: call | {"id": "call_1"}),
    ),
    Fault(
        name="id_too_long",
        title="A very long id",
        says=f"The id has {LONG_ID_CHARS} characters, and some services refuse it when it comes "
        "back.",
        group="ids",
        case="a-32",
        needs="call",
        spoil=on_calls(lambda call: call | {"id": "call_".ljust(LONG_ID_CHARS, "0")}),
    ),
    Fault(
        name="type_missing",
        title="A call without a type",
        says="The call does not say that it is a function; sent back like this, it is refused.",
        group="ids",
        case="b-15",
        needs="call",
        spoil=on_calls(lambda call: _without("type", call)),
    ),
)
