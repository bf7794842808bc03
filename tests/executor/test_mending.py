"""What is mended in arguments, and what never is."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.executor import ArgumentsError, parse_arguments

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(WORDS, VALUES, max_size=4)


@pytest.mark.parametrize(
    ("text", "value", "notes"),
    [
        ("", {}, ["empty_arguments"]),
        (" \n", {}, ["empty_arguments"]),
        ("null", {}, ["null_arguments"]),
        ("[]", {}, ["empty_array"]),
        ('"{\\"a\\": 1}"', {"a": 1}, ["double_encoded"]),
        ('```json\n{"a": 1}\n```', {"a": 1}, ["code_fence"]),
        ('```\n{"a": "x ```py``` y"}\n```\n', {"a": "x ```py``` y"}, ["code_fence"]),
        ('```{"a": 1}```', {"a": 1}, ["code_fence"]),
        ('\ufeff{"a": 1}', {"a": 1}, ["byte_order_mark"]),
        ('{"a": 1,}', {"a": 1}, ["trailing_comma"]),
        ('{"a": [1, 2, ],\n}', {"a": [1, 2]}, ["trailing_comma"]),
        ('{"a": ", }", "b": "\\", ]",}', {"a": ", }", "b": '", ]'}, ["trailing_comma"]),
        ('```json\n{"a": 1,}\n```', {"a": 1}, ["code_fence", "trailing_comma"]),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}, ["raw_line_break"]),
        ("{'a': \"Ada's\", 'b': None,}", {"a": "Ada's", "b": None}, ["python_literal"]),
        ("{'a': True, 'b': [-1, 2.5], 'c': (1, 2)}",
         {"a": True, "b": [-1, 2.5], "c": [1, 2]}, ["python_literal"]),
        ('{"urgent": True}', {"urgent": True}, ["python_literal"]),
        ('```json\n{"urgent": False}\n```', {"urgent": False}, ["code_fence", "python_literal"]),
    ],
)  # fmt: skip
def test_what_can_only_mean_one_thing_is_mended_and_noted(
    text: str, value: Any, notes: list[str]
) -> None:
    assert parse_arguments(text) == (value, tuple(notes))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1',
        '{"a": [1, 2}',
        '{"a": "x}',
        '{"a": 1,',
        "{'a': 1",
        "{a: 1}",
        '{"a": 1} and more',
        '{"a": 1}</tool_call>',
        '{"a": 1}{"a": 2}',
        '{"a": 1},',
        "{,}",
        '{"a": [,]}',
        '{"a": [1,,]}',
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '{"a": "say "hi""}',
        "{'a': 'it''s'}",
        "{'a': 'one' 'two'}",
        "{'a': 1 # the first\n}",
        "{'a': 1, 'a': 2}",
        "{'a': {1, 2}}",
        "{'a': b'x'}",
        "{'a': 1j}",
        "{'a': 1e999}",
        "{'a': ...}",
        "{1: 2}",
        "{**{'a': 1}}",
        "{'a': __import__('os')}",
        "{'path': 'C:\\data'}",
        "{'path': r'C:\\data'}",
        "{'a': f'x'}",
        "{'a': '\\777'}",
        "{'a': 1if 2 else 3}",
        "{'a': 1 + 2}",
        "{'a': 1 is 1}",
        "{\"a\": true, 'b': 1}",
        '{"a": 1, // the first\n "b": 2}',
        '```json\n{"a": 1}',
        '```json\n{"a": 1\n```',
        '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
        'Here it is: ```json\n{"a": 1}\n```',
        '{"a": "nul\x00"}',
    ],
)
def test_what_would_be_a_guess_is_refused_as_invalid_json(text: str) -> None:
    with pytest.raises(ArgumentsError) as raised:
        parse_arguments(text)

    assert raised.value.kind == "invalid_json"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('"{\\"a\\": 1"', "invalid_json"),
        ('"text"', "arguments_not_object"),
        ('"[1]"', "arguments_not_object"),
        ("[1]", "arguments_not_object"),
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ("{'a': '\\ud83c'}", "invalid_unicode"),
        ("{'a': '\\U0000d83c'}", "invalid_unicode"),
        ('"{\\"a\\": \\"\\\\ud83c\\"}"', "invalid_unicode"),
    ],
)
def test_what_is_read_and_still_no_use_is_refused(text: str, kind: str) -> None:
    with pytest.raises(ArgumentsError) as raised:
        parse_arguments(text)

    assert raised.value.kind == kind


def test_the_error_shows_where_the_json_breaks() -> None:
    with pytest.raises(ArgumentsError, match="line 1, column 17"):
        parse_arguments('{"title": "say "hi""}')


@given(OBJECTS)
def test_any_object_comes_through_as_it_is(value: dict[str, Any]) -> None:
    assert parse_arguments(json.dumps(value)) == (value, ())


def is_refused_or_empty(text: str) -> bool:
    if not text.strip():
        return parse_arguments(text) == ({}, ("empty_arguments",))
    try:
        parse_arguments(text)
    except ArgumentsError:
        return True
    return False


@given(OBJECTS, st.sampled_from([json.dumps, repr]), st.data())
def test_arguments_that_were_cut_off_anywhere_are_never_mended(
    value: dict[str, Any], write: Any, data: st.DataObject
) -> None:
    text = write(value)
    at = data.draw(st.integers(0, len(text) - 1))

    assert is_refused_or_empty(text[:at])


@given(OBJECTS, st.data())
def test_wrapped_arguments_that_were_cut_off_anywhere_are_never_mended(
    value: dict[str, Any], data: st.DataObject
) -> None:
    text = data.draw(
        st.sampled_from([f"```json\n{json.dumps(value)}\n```", json.dumps(json.dumps(value))])
    )
    at = data.draw(st.integers(0, len(text) - 1))

    assert is_refused_or_empty(text[:at])


@given(OBJECTS)
def test_a_python_dict_gives_the_same_as_its_json(value: dict[str, Any]) -> None:
    assert parse_arguments(repr(value))[0] == value


@given(OBJECTS.filter(bool))
def test_a_trailing_comma_changes_nothing_else(value: dict[str, Any]) -> None:
    assert parse_arguments(json.dumps(value)[:-1] + " , }") == (value, ("trailing_comma",))


@given(st.text(st.sampled_from("{}[]\"',:\\ \n`jsonaTrue1.#") | st.characters(), max_size=60))
def test_no_text_raises_anything_but_our_own_error(text: str) -> None:
    try:
        value, _ = parse_arguments(text)
    except ArgumentsError:
        return

    assert json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 100_000,
        '{"a": ' + "," * 100_000 + "}",
        "{" * 100_000,
        "{'a': " * 10_000,
        "```" + " " * 100_000 + "x",
        '{"a":' + " " * 100_000 + ",}",
        "{'a': [" + "1, " * 100_000 + "]}",
    ],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()

    with pytest.raises(ArgumentsError):
        parse_arguments(text)

    assert time.process_time() - began < 2.0
