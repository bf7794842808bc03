"""What becomes of annotations and docstrings: the schema, and the values that arrive."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import functools
import uuid
import warnings
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator
from typing_extensions import TypedDict

from course_pkg import ToolCall, execute
from course_pkg.schema import check, from_strict, lint
from course_pkg.tools import ToolArgumentsError, ToolDefinitionError, ToolError, tool


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Point:
    """A place on a map."""

    x: float
    y: float = 0.0


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    is_good: bool


class Node(BaseModel):
    value: int
    kids: list[Node] = []


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def _is_even(cls, number: int) -> int:
        if number % 2:
            raise ValueError("not even")
        return number


class Open(BaseModel, extra="allow"):
    name: str


class Row(TypedDict):
    key: str


def integer(value: Level) -> Any:
    return value


def unique(value: set[int]) -> Any:
    return value


def pair(value: tuple[int, str]) -> Any:
    return value


def many(value: tuple[int, ...]) -> Any:
    return value


def point(value: Point) -> Any:
    return value


def pet(value: Annotated[Cat | Dog, Field(discriminator="kind")]) -> Any:
    return value


def moment(value: datetime.datetime) -> Any:
    return value


def length(value: datetime.timedelta) -> Any:
    return value


def identity(value: uuid.UUID) -> Any:
    return value


def money(value: decimal.Decimal) -> Any:
    return value


def rows(value: list[Row]) -> Any:
    return value


def maybe(value: Point | None = None) -> Any:
    return value


def limited(value: Annotated[str, Field(pattern="^a", max_length=3)]) -> Any:
    return value


CLOSED = {"additionalProperties": False}


@pytest.mark.parametrize(
    ("function", "given", "value"),
    [
        (integer, 2, Level.HIGH),
        (unique, [1, 2], {1, 2}),
        (pair, [1, "a"], (1, "a")),
        (many, [1, 2], (1, 2)),
        (point, {"x": 1}, Point(1.0, 0.0)),
        (pet, {"kind": "dog", "is_good": True}, Dog(kind="dog", is_good=True)),
        (
            moment,
            "2026-01-31T08:30:00Z",
            datetime.datetime(2026, 1, 31, 8, 30, tzinfo=datetime.UTC),
        ),
        (length, "P1D", datetime.timedelta(days=1)),
        (identity, "123e4567-e89b-12d3-a456-426614174000",
         uuid.UUID("123e4567-e89b-12d3-a456-426614174000")),
        (money, "1.10", decimal.Decimal("1.10")),
        (rows, [{"key": "a"}], [{"key": "a"}]),
        (maybe, None, None),
        (maybe, {"x": 2, "y": 3}, Point(2.0, 3.0)),
        (limited, "abc", "abc"),
    ],
)  # fmt: skip
def test_json_that_fits_the_schema_arrives_as_the_type_that_was_declared(
    function: Any, given: Any, value: Any
) -> None:
    made = tool(function)

    assert check({"value": given}, made.input_schema) == []
    assert made(value=given) == value


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (integer, 3),
        (unique, [1, 1]),
        (pair, [1]),
        (pair, [1, "a", 2]),
        (point, {"x": 1, "z": 1}),
        (pet, {"kind": "cat", "is_good": True}),
        (pet, {"kind": "cow"}),
        (moment, "yesterday"),
        (rows, [{"key": "a", "other": 1}]),
        (limited, "abcd"),
    ],
)
def test_what_does_not_fit_is_found_by_the_schema(function: Any, given: Any) -> None:
    assert check({"value": given}, tool(function).input_schema) != []


def test_the_tag_of_a_union_chooses_the_branch_of_an_error() -> None:
    (problem,) = check({"value": {"kind": "cat"}}, tool(pet).input_schema)

    assert problem.choice is not None
    assert problem.choice.reason == "kind selects the cat branch"


def test_a_union_with_a_tag_has_no_references_and_no_discriminator_left() -> None:
    schema = tool(pet).input_schema["properties"]["value"]

    assert list(schema) == ["oneOf"]
    assert [branch["properties"]["kind"]["const"] for branch in schema["oneOf"]] == ["cat", "dog"]


def test_a_class_that_holds_itself_keeps_its_reference() -> None:
    def plant(root: Node) -> Any:
        return root

    schema = tool(plant).input_schema

    assert schema["properties"]["root"] == {"$ref": "#/$defs/Node"}
    assert list(schema["$defs"]) == ["Node"]


def test_a_class_that_takes_other_names_stays_open() -> None:
    def take(value: Open) -> None: ...

    assert tool(take).input_schema["properties"]["value"]["additionalProperties"] is True


def test_a_description_of_a_parameter_wins_over_that_of_its_class() -> None:
    def go(to: Point, via: Point) -> None:
        """Go somewhere.

        Args:
            to: Where to.
        """

    properties = tool(go).input_schema["properties"]

    assert [part["description"] for part in properties.values()] == [
        "Where to.",
        "A place on a map.",
    ]


def test_a_default_that_json_cannot_carry_is_left_out_without_a_warning() -> None:
    def take(value: object = object()) -> Any:
        return value

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = tool(take).input_schema

    assert (schema["properties"]["value"], schema["required"]) == ({}, [])


class Greeter:
    """Greet somebody."""

    def __call__(self, name: str, mark: str = ".") -> str:
        return f"Hello {name}{mark}"


def test_a_callable_object_and_a_partial_become_tools() -> None:
    made = tool(Greeter())
    part = tool(name="greet")(functools.partial(integer, value=1))

    assert (made.name, made.description, made(name="Ada")) == (
        "Greeter",
        "Greet somebody.",
        "Hello Ada.",
    )
    assert part() == Level.LOW


async def test_an_async_function_gets_its_types_too() -> None:
    @tool
    async def wait(value: Level) -> str:
        return value.name

    assert await wait(value=2) == "HIGH"


# --- errors of the conversion ---------------------------------------------------------------------


def test_a_value_that_only_python_refuses_is_told_to_the_model() -> None:
    @tool
    def halve(first: int, even: Even) -> None: ...

    with pytest.raises(ToolArgumentsError) as caught:
        halve(first=1, even={"number": 3})

    assert isinstance(caught.value, ToolError)
    assert str(caught.value) == (
        "1 validation error in the arguments of halve:\neven.number: Value error, not even."
    )


def test_an_error_names_a_parameter_that_was_given_by_its_place() -> None:
    with pytest.raises(ToolArgumentsError, match="value: Input should be"):
        tool(integer)(9)


async def test_the_functions_own_errors_are_not_mistaken_for_its_arguments() -> None:
    @tool
    def parse(text: str) -> Any:
        return Even.model_validate_json(text)

    result = await execute(
        ToolCall(id="c1", name="parse", arguments='{"text": "{\\"number\\": 3}"}'), [parse]
    )

    assert result.error_kind == "tool_failed"


def test_an_annotation_that_cannot_be_found_is_refused_with_advice() -> None:
    def take(value: Missing) -> None: ...  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(ToolDefinitionError, match="take: an annotation cannot be turned"):
        tool(take)


# --- strict definitions ---------------------------------------------------------------------------


def test_a_definition_can_be_strict_and_its_arguments_come_back() -> None:
    @tool
    def search(query: str, limit: int = 3) -> None:
        """Search the manual. Returns the titles of the pages."""

    definition = search.definition(strict=True)

    assert definition["function"]["strict"] is True
    assert [item for item in lint(definition) if item.severity == "error"] == []
    assert from_strict({"query": "a", "limit": None}, search.input_schema) == {"query": "a"}
