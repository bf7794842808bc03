"""What `compare` finds between a function and a definition that was written by hand."""

from __future__ import annotations

import copy
from typing import Any, Literal

import pytest

from course_pkg.tools import compare, tool


def get_weather(
    city: str, unit: Literal["celsius", "fahrenheit"] = "celsius", days: int = 1
) -> str:
    """Get the weather."""
    return f"{city} {unit} {days}"


DEFINITION = tool(get_weather).definition()


def changed(**changes: Any) -> dict[str, Any]:
    """The definition with some properties changed; `None` takes one out."""
    definition = copy.deepcopy(DEFINITION)
    schema = definition["function"]["parameters"]
    for name, part in changes.pop("properties", {}).items():
        schema["properties"].pop(name, None)
        if part is not None:
            schema["properties"][name] = part
    schema.update(changes)
    return definition


def test_a_tool_agrees_with_its_own_definition_in_any_form() -> None:
    function = DEFINITION["function"]
    anthropic = {"name": "get_weather", "description": "", "input_schema": function["parameters"]}

    assert compare(get_weather, DEFINITION) == ()
    assert compare(tool(get_weather), anthropic) == ()


@pytest.mark.parametrize(
    ("definition", "code", "path", "severity"),
    [
        (changed(properties={"city": None}), "parameter_missing", "/properties/city", "error"),
        (changed(properties={"days": None}), "parameter_missing", "/properties/days", "warning"),
        (changed(properties={"town": {"type": "string"}}), "parameter_unknown",
         "/properties/town", "error"),
        (changed(required=[]), "required_missing", "/properties/city", "error"),
        (changed(required=["city", "days"]), "required_too_much", "/properties/days", "warning"),
        (changed(properties={"days": {"type": "string"}}), "type_mismatch", "/properties/days",
         "error"),
        (changed(properties={"days": {"type": "integer", "default": 2}}), "default_mismatch",
         "/properties/days", "warning"),
    ],
)  # fmt: skip
def test_a_difference_is_found_at_its_parameter(
    definition: Any, code: str, path: str, severity: str
) -> None:
    (finding,) = compare(get_weather, definition)

    assert (finding.code, finding.path, finding.severity) == (code, path, severity)


def test_another_name_is_a_warning() -> None:
    definition = {"function": {**DEFINITION["function"], "name": "weather"}}

    assert [finding.code for finding in compare(get_weather, definition)] == ["name_mismatch"]


def test_a_number_may_be_described_as_an_integer() -> None:
    def wait(seconds: float) -> None: ...

    definition = {"name": "wait", "parameters": {
        "properties": {"seconds": {"type": "integer"}}, "required": ["seconds"]}}  # fmt: skip

    assert compare(wait, definition) == ()
