"""Parse the arguments of a tool call: a text that should hold one JSON object.

In: the text as the model wrote it. Out: the object, and notes on what was mended. Nearly every text
is JSON and is read once. Only one that is not goes to `mending.py`.
"""

from __future__ import annotations

from typing import Any

from course_pkg.executor.decoding import (
    TOO_DEEP,
    ArgumentsError,
    NotJSONError,
    decoded,
    refuse_half_characters,
)
from course_pkg.executor.mending import mended
from course_pkg.schema import json_type

__all__ = ["TOO_DEEP", "ArgumentsError", "parse_arguments"]


def parse_arguments(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments as a Python value, and what was mended, in code words.

    Nothing, the word null and an empty list are taken as no arguments. An object that was written
    as a JSON string is read once more. What is no JSON is mended where that cannot be wrong.

    Args:
        text: the arguments as the model wrote them.

    Raises:
        ArgumentsError: if they are no JSON, no object, or hold what JSON does not have.
    """
    if not text.strip():
        return {}, ("empty_arguments",)
    value, notes = _read(text)
    if value is None:
        return {}, (*notes, "null_arguments")
    if value == []:
        return {}, (*notes, "empty_array")
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value, notes = decoded(value), (*notes, "double_encoded")
    if not isinstance(value, dict):
        raise ArgumentsError(
            f"The arguments must be a JSON object, and they are {_with_article(value)}. "
            'Write them as {"name": value}.',
            kind="arguments_not_object",
        )
    if notes or "\\u" in text or not text.isascii():
        refuse_half_characters(value)
    return value, notes


def _read(text: str) -> tuple[Any, tuple[str, ...]]:
    try:
        return decoded(text), ()
    except NotJSONError as error:
        found = mended(text)
        if found is None:
            raise error from None
        return found


def _with_article(value: Any) -> str:
    name = json_type(value)
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
