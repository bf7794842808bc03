"""Texts that become what the schema wants, where it wants no text."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from course_pkg.executor import execute
from course_pkg.schema import check
from course_pkg.tools import Tool, ToolCall, ToolResult


async def given_to(schema: dict[str, Any], arguments: Any, **more: Any) -> ToolResult:
    """The result of a tool that takes `value`, and gives back what it was given."""
    whole = {"type": "object", "properties": {"value": schema}, **more}
    echo = Tool(name="echo", description="", input_schema=whole, run=lambda **given: given)
    return await execute(ToolCall(id="c1", name="echo", arguments=json.dumps(arguments)), [echo])


class Email(BaseModel):
    kind: Literal["email"]
    address: str


class Phone(BaseModel):
    kind: Literal["phone"]
    country: int


INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
STRING = {"type": "string"}
LIST = {"type": "array", "items": STRING}
OPTIONAL = {"anyOf": [INTEGER, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "text", "value", "note"),
    [
        (INTEGER, "9007199254740993", 9007199254740993, "string_to_integer:/value"),
        (INTEGER, "-3", -3, "string_to_integer:/value"),
        (NUMBER, "2.50", 2.5, "string_to_number:/value"),
        (NUMBER, "3", 3, "string_to_integer:/value"),
        ({"type": "boolean"}, "false", False, "string_to_boolean:/value"),
        ({"type": "boolean"}, "True", True, "string_to_boolean:/value"),
        ({"type": "null"}, "null", None, "string_to_null:/value"),
        (LIST, '["Lille", "Gent"]', ["Lille", "Gent"], "json_string_to_array:/value"),
        ({"type": "object"}, '{"a": "1"}', {"a": "1"}, "json_string_to_object:/value"),
        (OPTIONAL, "3", 3, "string_to_integer:/value"),
        (OPTIONAL, "null", None, "string_to_null:/value"),
        ({"type": ["integer", "null"]}, "3", 3, "string_to_integer:/value"),
        ({"allOf": [INTEGER, {"minimum": 2}]}, "3", 3, "string_to_integer:/value"),
        ({"$ref": "#/$defs/whole"}, "3", 3, "string_to_integer:/value"),
        ({"oneOf": [LIST, {"type": "object"}]}, "[]", [], "json_string_to_array:/value"),
    ],
)
async def test_a_text_is_read_where_no_text_may_stand(
    schema: Any, text: str, value: Any, note: str
) -> None:
    result = await given_to(schema, {"value": text}, **{"$defs": {"whole": INTEGER}})

    assert (result.value, result.notes) == ({"value": value}, (note,))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (INTEGER, "3.0"),
        (INTEGER, "9007199254740993.0"),
        (INTEGER, "1e3"),
        (INTEGER, "007"),
        (INTEGER, "three"),
        (INTEGER, "3 days"),
        (INTEGER, "true"),
        (INTEGER, ""),
        (NUMBER, "NaN"),
        (NUMBER, "1e999"),
        ({"type": "boolean"}, "1"),
        ({"type": "boolean"}, "yes"),
        (LIST, "Lille"),
        (LIST, "['Lille']"),
        (LIST, "[1, 2]"),
        (LIST, '["Lille"'),
        (LIST, '"[]"'),
        ({"type": "object"}, '{"a": 1, "a": 2}'),
        ({"type": "integer", "minimum": 5}, "3"),
        ({"anyOf": [INTEGER, {"type": "string", "pattern": "^x$"}]}, "3"),
        ({"anyOf": [LIST, {"const": "all"}]}, "[]"),
        ({"type": "string", "pattern": "^[a-z]$"}, "3"),
    ],
)
async def test_a_text_stays_where_reading_it_would_be_a_guess(schema: Any, text: str) -> None:
    result = await given_to(schema, {"value": text})

    assert (result.error_kind, result.notes) == ("invalid_arguments", ())


async def test_a_text_that_looks_like_json_stays_where_texts_are_allowed() -> None:
    schema = {"stops": LIST, "label": {"anyOf": [LIST, STRING]}, "free": {}}
    arguments = {"stops": '["Gent"]', "label": '["keep me"]', "free": "[1]"}
    plan = Tool(
        name="plan",
        description="",
        input_schema={"type": "object", "properties": schema},
        run=lambda **given: given,
    )

    call = ToolCall(id="c1", name="plan", arguments=json.dumps(arguments))
    result = await execute(call, [plan])

    assert result.value == {"stops": ["Gent"], "label": '["keep me"]', "free": "[1]"}
    assert result.notes == ("json_string_to_array:/stops",)


async def test_texts_in_texts_are_read_layer_by_layer() -> None:
    inner = {"type": "object", "properties": {"n": INTEGER}, "required": ["n"]}
    result = await given_to({"type": "array", "items": inner}, {"value": '["{\\"n\\": \\"7\\"}"]'})

    assert result.value == {"value": [{"n": 7}]}
    assert result.notes == (
        "json_string_to_array:/value",
        "json_string_to_object:/value/0",
        "string_to_integer:/value/0/n",
    )


async def test_all_is_mended_or_nothing() -> None:
    result = await given_to(INTEGER, {"value": "3"}, required=["value", "other"])

    assert result.error_kind == "invalid_arguments"
    assert "value" in result.text
    assert "other" in result.text


async def test_the_meant_branch_of_a_union_is_mended_inside() -> None:
    def create(contact: Email | Phone) -> str:
        return type(contact).__name__

    arguments = '{"contact": {"kind": "phone", "country": "86"}}'
    result = await execute(ToolCall(id="c", name="create", arguments=arguments), [create])

    assert (result.value, result.notes) == ("Phone", ("string_to_integer:/contact/country",))


async def test_a_path_is_a_json_pointer() -> None:
    schema = {"type": "object", "additionalProperties": INTEGER}

    result = await given_to(schema, {"value": {"a/b~c": "1"}})

    assert result.notes == ("string_to_integer:/value/a~1b~0c",)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('1[]{}":, ntrue', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
SCHEMAS = st.sampled_from(
    [INTEGER, NUMBER, LIST, OPTIONAL, {"type": "object"}, {"type": "array", "items": OPTIONAL}]
)


@given(VALUES, SCHEMAS)
async def test_what_runs_is_valid_whatever_came(value: Any, schema: dict[str, Any]) -> None:
    result = await given_to(schema, {"value": value})

    assert result.is_error or check(result.value["value"], schema) == []


@given(VALUES)
async def test_nothing_is_touched_where_anything_is_allowed(value: Any) -> None:
    result = await given_to({}, {"value": value})

    assert (result.value, result.notes) == ({"value": value}, ())
