"""Failures of the arguments as a text: empty, wrapped, glued, cut, or written in another language.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

import re

from course_pkg.practice.failures.spoiling import on_text, read, write
from course_pkg.practice.fault import Fault


def _positional(text: str) -> str:
    return write(list(read(text).values()))


def _first_alone(text: str) -> str:
    return write(next(iter(read(text).values()), ""))


def _without_quote(text: str) -> str:
    """Without the quote that opens the first value, or else without the colon before it."""
    start, colon, rest = text.partition(": ")
    return start + colon + rest[1:] if rest.startswith('"') else start + " " + rest


def _with_comment(text: str) -> str:
    return text.removesuffix("}") + " // as the user said\n}"


def _twice(text: str) -> str:
    """The first argument is given twice, the first time with nothing in it."""
    name = next(iter(read(text)), "value")
    return "{" + f"{write(name)}: null, " + text.removeprefix("{")


def _not_a_number(text: str) -> str:
    name = next(iter(read(text)), "value")
    return "{" + f"{write(name)}: NaN" + "}"


def _line_broken(text: str) -> str:
    """A real line break inside the first text, where JSON wants a backslash and an n."""
    return text.replace('": "', '": "\n', 1)


def _escaped(text: str) -> str:
    """Every letter of every value as an escape; the names stay."""
    parts = [f"{write(name)}: {_escape(write(value))}" for name, value in read(text).items()]
    return "{" + ", ".join(parts) + "}"


def _escape(written: str) -> str:
    if not written.startswith('"'):
        return written
    return re.sub(r"(?<!\\)[^\W\d_]", _as_escape, written)


def _as_escape(letter: re.Match[str]) -> str:
    units = letter.group().encode("utf-16-be")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


ROWS = (
    Fault(
        name="broken_arguments",
        title="Arguments that are no JSON",
        says="The arguments are written as Python, with a comma too many; after the error result "
        "the model writes them well.",
        group="arguments",
        case="a-10",
        needs="call",
        spoil=on_text(lambda text: text.replace('"', "'").removesuffix("}") + ",}"),
    ),
    Fault(
        name="arguments_empty",
        title="Empty arguments",
        says="The arguments are an empty text, where even a call without arguments should say {}.",
        group="arguments",
        case="a-01",
        needs="call",
        spoil=on_text(lambda _text: ""),
    ),
    Fault(
        name="arguments_blank",
        title="Arguments of white space",
        says="The arguments are a space and a line break, which is neither empty nor JSON.",
        group="arguments",
        case="a-02",
        needs="call",
        spoil=on_text(lambda _text: " \n"),
    ),
    Fault(
        name="arguments_null",
        title="Arguments that say null",
        says="The arguments are the word null, which is valid JSON but no object.",
        group="arguments",
        case="a-04",
        needs="call",
        spoil=on_text(lambda _text: "null"),
    ),
    Fault(
        name="arguments_list",
        title="Values in a list",
        says="The arguments are a list of values without the names of the parameters.",
        group="arguments",
        case="a-06",
        needs="call",
        spoil=on_text(_positional),
    ),
    Fault(
        name="arguments_bare_value",
        title="One value alone",
        says="The arguments are the first value alone, without its name and without braces.",
        group="arguments",
        case="a-06",
        needs="call",
        spoil=on_text(_first_alone),
    ),
    Fault(
        name="arguments_encoded_twice",
        title="JSON inside a JSON text",
        says="The arguments have been turned into JSON twice, so reading them once gives a text.",
        group="arguments",
        case="a-08",
        needs="call",
        spoil=on_text(write),
    ),
    Fault(
        name="python_literal",
        title="A Python dict in place of JSON",
        says="The arguments are what Python prints for a dict: single quotes, True, None.",
        group="arguments",
        case="a-10",
        needs="call",
        spoil=on_text(lambda text: repr(read(text))),
    ),
    Fault(
        name="trailing_comma",
        title="A comma too many",
        says="There is a comma after the last argument, which JSON does not allow.",
        group="arguments",
        case="a-12",
        needs="call",
        spoil=on_text(lambda text: text.removesuffix("}") + ",}"),
    ),
    Fault(
        name="code_fence",
        title="Arguments in a code fence",
        says="The arguments stand in a Markdown code fence, as if for a reader.",
        group="arguments",
        case="a-13",
        needs="call",
        spoil=on_text(lambda text: f"```json\n{text}\n```"),
    ),
    Fault(
        name="text_after_arguments",
        title="Words after the arguments",
        says="The arguments are whole, and then the model goes on to talk.",
        group="arguments",
        case="a-14",
        needs="call",
        spoil=on_text(lambda text: f"{text}\nThat should do it."),
    ),
    Fault(
        name="text_before_arguments",
        title="Words before the arguments",
        says="The model introduces its arguments with a sentence.",
        group="arguments",
        case="a-14",
        needs="call",
        spoil=on_text(lambda text: f"These are my arguments: {text}"),
    ),
    Fault(
        name="closing_tag_after_arguments",
        title="A stray tag after the arguments",
        says="The tag that ends a call in the model's own format was left in the arguments.",
        group="arguments",
        case="a-14",
        needs="call",
        spoil=on_text(lambda text: f"{text}\n</tool_call>"),
    ),
    Fault(
        name="two_objects",
        title="Two calls in one",
        says="The arguments of two calls are glued together in one call.",
        group="arguments",
        case="a-15",
        needs="call",
        spoil=on_text(lambda text: text + text),
    ),
    Fault(
        name="line_break_in_text",
        title="A bare line break in a value",
        says="A value holds a real line break, which JSON wants written as a backslash and an n.",
        group="arguments",
        case="a-17",
        needs="string",
        spoil=on_text(_line_broken),
    ),
    Fault(
        name="escaped_characters",
        title="Every character escaped",
        says="Each letter is written as \\u and four digits: valid, only hard to read.",
        group="arguments",
        case="a-23",
        needs="string",
        spoil=on_text(_escaped),
    ),
    Fault(
        name="missing_quote",
        title="A quote is missing",
        says="The quote before the first value is missing; nothing was cut off.",
        group="arguments",
        case="a-42",
        needs="string",
        spoil=on_text(_without_quote),
    ),
    Fault(
        name="missing_brace",
        title="The last brace is missing",
        says="The closing brace is missing, although the model says that it was done.",
        group="arguments",
        case="a-42",
        needs="call",
        spoil=on_text(lambda text: text.removesuffix("}")),
    ),
    Fault(
        name="comment_in_arguments",
        title="A comment in the arguments",
        says="The model explains a value in a comment, which JSON does not know.",
        group="arguments",
        case="a-42",
        needs="call",
        spoil=on_text(_with_comment),
    ),
    Fault(
        name="not_a_number",
        title="NaN for a value",
        says="A value is NaN: Python reads it, JSON does not know it, and no schema can check it.",
        group="arguments",
        case="a-42",
        needs="call",
        spoil=on_text(_not_a_number),
    ),
    Fault(
        name="argument_given_twice",
        title="The same argument twice",
        says="One argument is given twice with two values; most parsers take the last and say "
        "nothing.",
        group="arguments",
        case="a-15",
        needs="call",
        spoil=on_text(_twice),
    ),
)
