"""Read `<function=name><parameter=key>value</parameter></function>`, as Qwen3-Coder writes it.

In: a text and the place after an opening tag. Out: the call. Values are no XML and are not escaped
(`5 < 6 & 7`), so no XML reader is used; what a value means (a text, a number, a list) only the
tool's schema can say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course_pkg.schema import json_type
from course_pkg.schema.references import followed
from course_pkg.text_calls.jsons import NotReadError, skip_space, whole_value
from course_pkg.text_calls.parsed import Draft, Piece, as_json, unreadable

OPENING = re.compile(r"(?P<wrapper><tool_call>\s*)?<function=(?P<name>[^<>\s]{1,200})>")
PARAMETER = re.compile(r"<parameter=([^<>\n]{1,200})>")
CLOSE_PARAMETER = "</parameter>"
CLOSE_FUNCTION = "</function>"
CLOSE = "</tool_call>"

#: What may stand behind a value that has ended.
AFTER_VALUE = ("<parameter=", CLOSE_FUNCTION, CLOSE)

#: How Python writes what JSON writes in small letters.
PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


def read(
    text: str, opened: re.Match[str], schemas: Mapping[str, Mapping[str, Any]]
) -> Piece | None:
    """The call in a tag.

    Args:
        text: the whole text.
        opened: where `<function=name>` stands, with the tag around it if it is there.
        schemas: the input schema of each tool, by name.
    """
    schema = schemas.get(opened["name"], {})
    pairs, notes, end = _parameters(text, skip_space(text, opened.end()), schema)
    end = skip_space(text, end)
    if text.startswith(CLOSE_FUNCTION, end):
        end = skip_space(text, end + len(CLOSE_FUNCTION))
    elif text.startswith(CLOSE, end):
        notes.append("missing_function_close")
    else:
        return _broken(text, opened)
    if text.startswith(CLOSE, end):
        end += len(CLOSE)
    elif opened["wrapper"]:
        notes.append("unclosed_tag")
    written = ", ".join(f"{as_json(key)}: {value}" for key, value in pairs)
    # Joined by hand, so that a parameter that was given twice is still there twice.
    draft = Draft(
        name=opened["name"], arguments=f"{{{written}}}", notes=tuple(dict.fromkeys(notes))
    )
    return Piece(drafts=(draft,), end=end)


def typed(value: str, schema: Any, root: Mapping[str, Any]) -> str:
    """A value as JSON: of the kind that the schema asks for, and a text where it takes texts.

    Args:
        value: the value as it stands in the text.
        schema: the schema of this parameter.
        root: the whole input schema, for references.
    """
    kinds = _kinds(schema, root)
    if not kinds or "string" in kinds:
        return as_json(value)
    bare = PYTHON_WORDS.get(value.strip(), value.strip())
    try:
        kind = json_type(whole_value(bare))
    except NotReadError:
        return as_json(value)
    fits = kind in kinds or (kind == "integer" and "number" in kinds)
    return bare if fits else as_json(value)  # the digits as they stand: none is lost


def _parameters(
    text: str, at: int, schema: Mapping[str, Any]
) -> tuple[list[tuple[str, str]], list[str], int]:
    pairs: list[tuple[str, str]] = []
    notes: list[str] = []
    known = schema.get("properties", {})
    while opened := PARAMETER.match(text, at):
        end, after, noted = _value_end(text, opened.end(), known)
        if after < 0:
            return pairs, notes, len(text)
        value = _without_line_breaks(text[opened.end() : end])
        pairs.append((opened[1].strip(), typed(value, known.get(opened[1].strip(), True), schema)))
        notes += noted
        at = skip_space(text, after)
    return pairs, notes, at


def _value_end(text: str, start: int, known: Mapping[str, Any]) -> tuple[int, int, list[str]]:
    """Where a value ends, where the text goes on (-1 for never), and what was mended."""
    close = text.find(CLOSE_PARAMETER, start)
    while close >= 0 and not _ends_here(text, close + len(CLOSE_PARAMETER)):
        close = text.find(CLOSE_PARAMETER, close + 1)  # it stands inside the value
    limit = close if close >= 0 else len(text)
    for opened in PARAMETER.finditer(text, start, limit):
        if text[opened.start() - 1] == "\n" and (not known or opened[1].strip() in known):
            return opened.start(), opened.start(), ["missing_parameter_close"]
    if close >= 0:
        return close, close + len(CLOSE_PARAMETER), []
    found = text.find(CLOSE_FUNCTION, start)
    return found, found, ["missing_parameter_close"]


def _ends_here(text: str, at: int) -> bool:
    after = skip_space(text, at)
    return after == len(text) or text.startswith(AFTER_VALUE, after)


def _without_line_breaks(value: str) -> str:
    """The value without the one line break that the format puts at each end."""
    return value.removeprefix("\n").removesuffix("\n")


def _broken(text: str, opened: re.Match[str]) -> Piece:
    places = {tag: text.find(tag, opened.end()) for tag in (CLOSE, CLOSE_FUNCTION)}
    ends = [place + len(tag) for tag, place in places.items() if place >= 0]
    end = max(ends, default=len(text))
    raw = text[opened.start() : end]
    draft = unreadable(raw, name=opened["name"], closed=bool(ends))
    return Piece(drafts=(draft,), end=end)


def _kinds(schema: Any, root: Mapping[str, Any], depth: int = 0) -> frozenset[str]:
    """The JSON types that a schema takes, as far as it says; nothing where it does not."""
    schema = followed(schema, root)
    if not isinstance(schema, Mapping) or depth > 8:
        return frozenset()
    for keyword in ("anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list):
            parts = [_kinds(part, root, depth + 1) for part in schema[keyword]]
            return frozenset().union(*parts) if all(parts) else frozenset()
    if "type" in schema:
        kinds = schema["type"]
        return frozenset(kinds if isinstance(kinds, list) else [kinds])
    if isinstance(schema.get("enum"), list):
        return frozenset(json_type(value) for value in schema["enum"])
    return frozenset([json_type(schema["const"])]) if "const" in schema else frozenset()
