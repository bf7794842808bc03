"""Which parameters a fault can spoil.

In: a `Need` and the tools on offer. Out: parameters, and values for them. Knows nothing of replies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from course_pkg.practice.fault import Need
from course_pkg.practice.mind import made_up
from course_pkg.practice.offers import Offer, Parameter, enum_of, read_offers, type_of

_FITS: Mapping[Need, Callable[[Parameter], bool]] = {
    "string": lambda item: type_of(item.schema) == "string" and not enum_of(item.schema),
    "integer": lambda item: type_of(item.schema) in {"integer", "number"},
    "boolean": lambda item: type_of(item.schema) == "boolean",
    "array": lambda item: type_of(item.schema) == "array",
    "enum": lambda item: type_of(item.schema) == "string" and bool(enum_of(item.schema)),
    "optional": lambda item: not item.is_required,
}


def needs_argument(need: Need) -> bool:
    """Whether the need is about an argument, and not only about a call."""
    return need in _FITS


def fitting(offer: Offer, need: Need) -> list[Parameter]:
    """The parameters of a tool that the need is about."""
    return [parameter for parameter in offer.parameters if _FITS[need](parameter)]


def needed_argument(
    tools: Sequence[Mapping[str, Any]], name: str, arguments: Mapping[str, Any], need: Need
) -> str | None:
    """The name of the first argument of a call that the need is about, if there is one."""
    offer = next((item for item in read_offers(tools) if item.name == name), None)
    found = fitting(offer, need) if offer else []
    return next((item.name for item in found if item.name in arguments), None)


def value_for(schema: Mapping[str, Any]) -> Any:
    """A value that fits a schema; a list gets one item."""
    items = schema.get("items")
    if type_of(schema) == "array" and isinstance(items, dict):
        return [value_for(items)]
    return made_up(schema, "anything")
