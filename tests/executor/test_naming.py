"""Names that came with something stuck to them."""

from __future__ import annotations

import pytest

from course_pkg.executor import execute
from course_pkg.tools import Tool, ToolCall

SCHEMA = {"type": "object", "properties": {}}


def named(*names: str) -> list[Tool]:
    return [
        Tool(name=name, description="", input_schema=SCHEMA, run=lambda: "ran") for name in names
    ]


@pytest.mark.parametrize(
    ("name", "notes"),
    [
        ("get_tide", ()),
        ("functions.get_tide", ("name_prefix",)),
        ("default_api.get_tide", ("name_prefix",)),
        ("get_tide<|channel|>commentary", ("name_control_token",)),
        ("functions.get_tide<|constrain|>json", ("name_control_token", "name_prefix")),
        (" get_tide\n", ("name_whitespace",)),
    ],
)
async def test_what_is_known_to_stick_to_names_is_taken_off(
    name: str, notes: tuple[str, ...]
) -> None:
    result = await execute(ToolCall(id="c", name=name, arguments=""), named("get_tide"))

    assert (result.text, result.notes) == ("ran", (*notes, "empty_arguments"))


@pytest.mark.parametrize(
    "name",
    [
        "get_tides",
        "Get_Tide",
        "get-tide",
        "multi_tool_use.parallel",
        "functions.get_tides",
        "functions.functions.get_tide",
        "my.get_tide",
        "<|channel|>get_tide",
        "",
    ],
)
async def test_a_name_that_is_only_similar_is_never_taken(name: str) -> None:
    result = await execute(ToolCall(id="c", name=name, arguments=""), named("get_tide"))

    assert result.error_kind == "unknown_tool"
    assert "get_tide" in result.text


async def test_a_name_that_is_on_offer_is_taken_as_it_is() -> None:
    tools = named("functions.get_tide", "get_tide")

    result = await execute(ToolCall(id="c", name="functions.get_tide", arguments="{}"), tools)

    assert result.notes == ()
