"""The faults that the practice model shows on request, by name: the model `practice:<fault>`.

In: a model name. Out: a `Fault`, which says how to spoil a reply. A fault is data; `api` acts on
it. To add one, add a row to a table in `failures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from course_pkg.practice.failures import ROWS
from course_pkg.practice.failures.envelope import SLOW_S
from course_pkg.practice.failures.provider import RETRY_AFTER_S
from course_pkg.practice.fault import MODEL, Fault
from course_pkg.practice.refusal import Refusal

__all__ = [
    "CALLER_MISTAKES",
    "FAULTS",
    "MODEL",
    "RETRY_AFTER_S",
    "SLOW_S",
    "Fault",
    "fault_of",
    "gallery",
    "model_names",
]

#: Every fault by its name.
FAULTS: Mapping[str, Fault] = MappingProxyType({fault.name: fault for fault in ROWS})

#: Conversations that are the caller's own mistakes: the case, and what every practice model refuses
#: about it with status 400. They need no row. What only some servers refuse has one: b-11, b-12.
CALLER_MISTAKES: Mapping[str, str] = MappingProxyType(
    {
        "b-01": "one of two calls has no result",
        "b-02": "a result without its call, left over from trimming",
        "b-04": "two calls of one reply, put down as two messages",
        "b-05": "a user's message between two results",
        "b-06": "two results for one call",
        "b-07": "a result that is an object, not a text",
        "b-14": "a call's name with characters that no name may have",
        "b-15": "a call without its type",
        "b-17": "a call without a result, left over from an interrupted run",
        "b-18": "a result with an id that no call has",
    }
)

_NO_FAULT = Fault(name="", title="No failure", says="A good reply.", group="content", case="a-43")


def gallery() -> tuple[Fault, ...]:
    """Every failure that can be asked for, in the order of the gallery.

    The model of a failure is `practice:<name>`; send its `options` along with the request.
    """
    return tuple(FAULTS.values())


def model_names() -> list[str]:
    """Every model name that is accepted, `practice` first."""
    return [MODEL, *(fault.model for fault in gallery())]


def fault_of(model: str) -> Fault | Refusal:
    """The fault that a model name asks for; a fault that changes nothing for `practice`."""
    if model == MODEL:
        return _NO_FAULT
    start, _, name = model.partition(":")
    if start == MODEL and name in FAULTS:
        return FAULTS[name]
    return Refusal(
        status=404,
        message=(
            f"There is no model {model[:80]!r} here. Use {MODEL!r}, or one of its faults: "
            f"{', '.join(model_names()[1:])}."
        ),
        param="model",
        code="model_not_found",
    )
