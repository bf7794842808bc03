"""What `tools` promises: a function becomes a definition, or is refused with a reason."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict  # pydantic wants this one before Python 3.12

from course_pkg.tools import (
    Tool,
    Toolbox,
    ToolDefinitionError,
    as_toolbox,
    laid_over,
    run_watched,
    tool,
)


class Unit(enum.Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Place(BaseModel):
    """Where something is."""

    title: str
    lat: float = 0.0


class Parcel(TypedDict):
    weight: float
    note: NotRequired[str]


def nothing() -> None: ...
def text(value: str) -> None: ...
def whole(value: int = 3) -> None: ...
def number(value: float) -> None: ...
def yes(value: bool) -> None: ...
def texts(value: list[str]) -> None: ...
def table(value: dict[str, int]) -> None: ...
def choice(value: Literal["a", "b"]) -> None: ...
def either(value: int | str) -> None: ...
def perhaps(value: str | None = None) -> None: ...
def unit(value: Unit) -> None: ...
def place(value: Place) -> None: ...
def parcel(value: Parcel) -> None: ...
def limited(value: Annotated[int, Field(ge=1, le=7, description="Days.")]) -> None: ...
def named_only(*, value: str) -> None: ...
def title(title: str) -> None: ...
def day(value: datetime.date) -> None: ...
def open_one(value) -> None: ...


VALUE_SCHEMAS: list[tuple[Callable[..., Any], Any]] = [
    (text, {"type": "string"}),
    (whole, {"type": "integer", "default": 3}),
    (number, {"type": "number"}),
    (yes, {"type": "boolean"}),
    (texts, {"type": "array", "items": {"type": "string"}}),
    (table, {"type": "object", "additionalProperties": {"type": "integer"}}),
    (choice, {"type": "string", "enum": ["a", "b"]}),
    (either, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (perhaps, {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}),
    (unit, {"type": "string", "enum": ["celsius", "fahrenheit"]}),
    (
        place,
        {
            "type": "object",
            "description": "Where something is.",
            "properties": {"title": {"type": "string"}, "lat": {"type": "number", "default": 0.0}},
            "required": ["title"],
            "additionalProperties": False,
        },
    ),
    (
        parcel,
        {
            "type": "object",
            "properties": {"weight": {"type": "number"}, "note": {"type": "string"}},
            "required": ["weight"],
            "additionalProperties": False,
        },
    ),
    (limited, {"type": "integer", "minimum": 1, "maximum": 7, "description": "Days."}),
    (named_only, {"type": "string"}),
    (day, {"type": "string", "format": "date"}),
    (open_one, {}),
]


@pytest.mark.parametrize(("function", "schema"), VALUE_SCHEMAS)
def test_an_annotation_becomes_the_schema_of_its_parameter(
    function: Callable[..., Any], schema: Any
) -> None:
    made = tool(function)

    assert made.input_schema["properties"]["value"] == schema


@pytest.mark.parametrize("function", [function for function, _ in VALUE_SCHEMAS])
def test_the_root_is_a_closed_object(function: Callable[..., Any]) -> None:
    schema = tool(function).input_schema

    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False


def test_a_function_without_parameters_takes_an_empty_object() -> None:
    assert tool(nothing).input_schema == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


def test_a_parameter_with_a_default_is_not_required() -> None:
    def search(query: str, limit: int = 3) -> None: ...

    assert tool(search).input_schema["required"] == ["query"]


def test_titles_are_dropped_but_a_parameter_called_title_stays() -> None:
    schema = tool(title).input_schema
    inner = tool(place).input_schema["properties"]["value"]

    assert schema["properties"] == {"title": {"type": "string"}}
    assert list(inner["properties"]) == ["title", "lat"]


GOOGLE = """Look up the weather.

It takes a while.

Args:
    city: The city,
        in any language.
    unit: The unit.

Returns:
    A text.
"""
NUMPY = """Look up the weather.

It takes a while.

Parameters
----------
city : str
    The city,
    in any language.
unit : str
    The unit.
"""
REST = """Look up the weather.

It takes a while.

:param city: The city,
    in any language.
:param unit: The unit.
:returns: A text.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_the_docstring_describes_the_tool_and_its_parameters(docstring: str) -> None:
    def get_weather(city: str, unit: str = "celsius") -> str: ...

    get_weather.__doc__ = docstring

    definition = tool(get_weather).definition()["function"]

    assert definition["description"] == "Look up the weather. It takes a while."
    assert [part["description"] for part in definition["parameters"]["properties"].values()] == [
        "The city, in any language.",
        "The unit.",
    ]


def test_an_annotated_description_wins_over_the_docstring() -> None:
    def add(a: Annotated[int, Field(description="From the annotation.")]) -> None:
        """Add.

        Args:
            a: From the docstring.
        """

    assert tool(add).input_schema["properties"]["a"]["description"] == "From the annotation."


def test_a_documented_parameter_that_does_not_exist_is_left_aside() -> None:
    def add(a: int) -> None:
        """Add.

        Args:
            a: A number.
            b: Not there.
        """

    assert list(tool(add).input_schema["properties"]) == ["a"]


def test_the_definition_has_the_form_of_chat_completions() -> None:
    definition = tool(text).definition()

    assert definition["type"] == "function"
    assert list(definition["function"]) == ["name", "description", "parameters"]


def test_the_decorator_takes_a_name_a_side_effect_and_a_time_limit() -> None:
    made = tool(name="send", side_effect=True, timeout_s=2.0)(text)

    assert (made.name, made.side_effect, made.timeout_s) == ("send", True, 2.0)


def test_a_tool_can_be_called_like_its_function() -> None:
    @tool
    def add(a: int, b: int = 1) -> int:
        return a + b

    assert add(2, b=3) == 5


def test_a_method_becomes_a_tool_without_self() -> None:
    class Counter:
        def add(self, step: int) -> int:
            return step + 1

    made = tool(Counter().add)

    assert list(made.input_schema["properties"]) == ["step"]
    assert made(step=2) == 3


def test_values_arrive_as_the_types_that_the_function_declares() -> None:
    @tool
    def when(at: datetime.date, unit: Unit, place: Place) -> Any:
        return at, unit, place

    at, unit, place = when(at="2026-01-31", unit="celsius", place={"title": "Brest"})

    assert (at, unit, place) == (datetime.date(2026, 1, 31), Unit.CELSIUS, Place(title="Brest"))


def takes_rest(*values: int) -> None: ...
def takes_names(**values: int) -> None: ...
def by_position(value: int, /) -> None: ...
def takes_a_file(value: Callable[[], int]) -> None: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (takes_rest, r"\*values"),
        (takes_names, r"\*\*values"),
        (by_position, "by name"),
        (takes_a_file, "takes_a_file"),
    ],
)
def test_a_function_that_json_cannot_serve_is_refused_with_its_name(
    function: Callable[..., Any], words: str
) -> None:
    with pytest.raises(ToolDefinitionError, match=words):
        tool(function)


def test_an_unknown_annotation_is_refused_with_advice() -> None:
    class Odd:
        pass

    def take(value: Odd) -> None: ...

    take.__annotations__["value"] = Odd

    with pytest.raises(ToolDefinitionError, match="Use types that JSON has"):
        tool(take)


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ToolDefinitionError, match="Two tools are named 'text'"):
        Toolbox([text, tool(text)])


def test_a_toolbox_is_a_mapping_in_the_order_of_the_offer() -> None:
    box = Toolbox([yes, text])

    assert list(box) == ["yes", "text"]
    assert box["text"].name == "text"
    assert [item["function"]["name"] for item in box.definitions()] == ["yes", "text"]
    assert repr(box) == "Toolbox(yes, text)"


def test_a_toolbox_passes_through_as_it_is() -> None:
    box = Toolbox([text])

    assert as_toolbox(box) is box


def test_a_tool_shows_no_function_in_its_repr() -> None:
    assert "0x" not in repr(tool(text))


async def test_an_overlay_sees_a_run_and_gives_back_its_value() -> None:
    seen = []

    async def overlay(item: Tool, arguments: Any, proceed: Callable[[], Any]) -> Any:
        seen.append((item.name, arguments))
        return await proceed()

    async def value() -> int:
        return 5

    with laid_over(overlay), laid_over(overlay):
        result = await run_watched(tool(text), {"value": "x"}, value)
    await run_watched(tool(text), {"value": "y"}, value)

    assert result == 5
    assert seen == [("text", {"value": "x"})]
