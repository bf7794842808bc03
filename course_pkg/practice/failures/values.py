"""Failures of the arguments as values: valid JSON that is not what the schema says.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

from typing import Any

from course_pkg.practice.failures.spoiling import both, on_needed, on_text, on_values, write
from course_pkg.practice.fault import Fault

#: The first whole number that a float cannot hold.
BIG_NUMBER = 2**53 + 1


def _renamed(arguments: dict[str, Any]) -> dict[str, Any]:
    """The first argument under a name that the definition does not have."""
    return {
        name if place else f"the_{name}": value
        for place, (name, value) in enumerate(arguments.items())
    }


def _without_first(arguments: dict[str, Any]) -> dict[str, Any]:
    return dict(list(arguments.items())[1:])


#: Stands for half a character until the arguments are text, where it can be written.
_MARK = "\0"


ROWS = (
    Fault(
        name="list_as_text",
        title="A list written as a text",
        says="A parameter wants a list and gets a text in which a list is written.",
        group="arguments",
        case="a-08",
        needs="array",
        spoil=on_needed("array", write),
    ),
    Fault(
        name="items_as_text",
        title="A list of texts that are JSON",
        says="The list is a list, but each of its items is a text in which JSON is written.",
        group="arguments",
        case="a-09",
        needs="array",
        spoil=on_needed("array", lambda items: [write(item) for item in items]),
    ),
    Fault(
        name="text_for_list",
        title="One item in place of a list",
        says="A parameter wants a list and gets its only item, without the brackets.",
        group="arguments",
        case="a-08",
        needs="array",
        spoil=on_needed("array", lambda items: items[0] if items else ""),
    ),
    Fault(
        name="list_for_text",
        title="A list in place of a text",
        says="A parameter wants a text and gets a list with one text in it.",
        group="arguments",
        case="a-08",
        needs="string",
        spoil=on_needed("string", lambda value: [value]),
    ),
    Fault(
        name="quoted_text",
        title="Quotes inside a text",
        says="A text comes with quotes of its own: the JSON is right, the value is not.",
        group="arguments",
        case="a-11",
        needs="string",
        spoil=on_needed("string", lambda value: f"'{value}'"),
    ),
    Fault(
        name="escaped_twice",
        title="A line break escaped twice",
        says="Where a line break was meant, the text holds a backslash and the letter n.",
        group="arguments",
        case="a-17",
        needs="string",
        spoil=on_needed("string", lambda value: value + "\\n"),
    ),
    Fault(
        name="number_as_text",
        title="A number in quotes",
        says="A parameter wants a number and gets a text in which a number is written.",
        group="arguments",
        case="a-19",
        needs="integer",
        spoil=on_needed("integer", str),
    ),
    Fault(
        name="big_number_as_text",
        title="A number that a float cannot hold",
        says="A whole number in quotes, so large that a way through float changes its last digit.",
        group="arguments",
        case="a-19",
        needs="integer",
        spoil=on_needed("integer", lambda _value: str(BIG_NUMBER)),
    ),
    Fault(
        name="number_with_words",
        title="A number with a word",
        says="A parameter wants a number and gets one with a word after it.",
        group="arguments",
        case="a-19",
        needs="integer",
        spoil=on_needed("integer", lambda value: f"about {value}"),
    ),
    Fault(
        name="boolean_as_text",
        title="True in quotes",
        says="A parameter wants true or false and gets the word in quotes.",
        group="arguments",
        case="c-25",
        needs="boolean",
        spoil=on_needed("boolean", str),
    ),
    Fault(
        name="half_character",
        title="Half a character",
        says="A text ends in half an emoji: it can be read, and cannot be sent.",
        group="arguments",
        case="a-23",
        needs="string",
        spoil=both(
            on_needed("string", lambda value: value + _MARK),
            on_text(lambda text: text.replace("\\u0000", "\\ud83c")),
        ),
    ),
    Fault(
        name="value_not_allowed",
        title="A value that is not on the list",
        says="A parameter allows a few values and gets one of them in capital letters.",
        group="arguments",
        case="c-10",
        needs="enum",
        spoil=on_needed("enum", str.upper),
    ),
    Fault(
        name="argument_renamed",
        title="An argument with another name",
        says="A value comes under a name that the definition does not have.",
        group="arguments",
        case="c-29",
        needs="call",
        spoil=on_values(_renamed),
    ),
    Fault(
        name="argument_made_up",
        title="An argument that nobody defined",
        says="Beside the right arguments comes one that the definition does not have.",
        group="arguments",
        case="c-29",
        needs="call",
        spoil=on_values(lambda arguments: arguments | {"verbose": True}),
    ),
    Fault(
        name="argument_missing",
        title="An argument is missing",
        says="The first argument, which the tool needs, was left out.",
        group="arguments",
        case="a-01",
        needs="call",
        spoil=on_values(_without_first),
    ),
    Fault(
        name="null_for_optional",
        title="Null for what may be left out",
        says="A parameter that may be left out comes with null, which its schema does not allow.",
        group="arguments",
        case="a-04",
        needs="optional",
        spoil=on_needed("optional", lambda _value: None),
    ),
    Fault(
        name="arguments_wrapped",
        title="The arguments one level too deep",
        says="The arguments stand inside another object, under the word arguments.",
        group="arguments",
        case="a-08",
        needs="call",
        spoil=on_values(lambda arguments: {"arguments": arguments}),
    ),
)
