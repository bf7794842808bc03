"""The same five functions in other words: good, vague or opaque names, descriptions, parameters.

In: how names, descriptions and parameters are to be worded. Out: a list of definitions, always in
the same order: weather, pages, arithmetic, files, messages. The order tells which function a
definition means, whatever it is called; the same holds for its parameters. Knows nothing of models.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from course_pkg.samples import TOOL_NAMES, toolbox
from course_pkg.tools import Toolbox

Definition: TypeAlias = dict[str, Any]
Names: TypeAlias = Literal["good", "vague", "opaque"]
Words: TypeAlias = Literal["good", "vague"]

#: Nouns that all sound alike, in the order of `TOOL_NAMES`.
VAGUE_NAMES = ("info_data", "text_data", "value_data", "content_data", "user_data")
OPAQUE_NAMES = ("tool_a", "tool_b", "tool_c", "tool_d", "tool_e")
VAGUE_DESCRIPTION = "Process data and return the result."
VAGUE_PARAMETERS = ("data", "option", "flag")
VAGUE_PARAMETER_DESCRIPTION = "The input."

_NAMES: Mapping[Names, Sequence[str]] = {
    "good": TOOL_NAMES,
    "vague": VAGUE_NAMES,
    "opaque": OPAQUE_NAMES,
}


def define(
    name: str, description: str, /, *, required: Sequence[str] | None = None, **parameters: Any
) -> Definition:
    """A definition, written short.

    Args:
        name: the tool's name.
        description: what it does.
        required: which parameters must be there; all if left out.
        parameters: for each one its description, which makes it a text; or its whole schema.
    """
    schema = {
        "type": "object",
        "properties": {
            key: {"type": "string", "description": part} if isinstance(part, str) else part
            for key, part in parameters.items()
        },
        "required": list(parameters if required is None else required),
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def worded(
    *, names: Names = "good", descriptions: Words = "good", parameters: Words = "good"
) -> list[Definition]:
    """The definitions of the five functions in these words.

    Args:
        names: `good` (`get_weather`), `vague` (`info_data`) or `opaque` (`tool_a`).
        descriptions: `good`, or `vague`: one sentence that fits everything.
        parameters: `good`, or `vague`: names and descriptions that fit everything, and of the
            schema only the types are left.
    """
    made = [copy.deepcopy(definition) for definition in toolbox().definitions()]
    for definition, name in zip(made, _NAMES[names], strict=True):
        function = definition["function"]
        function["name"] = name
        if descriptions == "vague":
            function["description"] = VAGUE_DESCRIPTION
        if parameters == "vague":
            function["parameters"] = _vague(function["parameters"])
    return made


def _vague(schema: Mapping[str, Any]) -> dict[str, Any]:
    renamed = dict(zip(schema["properties"], VAGUE_PARAMETERS, strict=False))
    return {
        "type": "object",
        "properties": {
            renamed[name]: {"type": part["type"], "description": VAGUE_PARAMETER_DESCRIPTION}
            for name, part in schema["properties"].items()
        },
    }


def meanings(definitions: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """From the name of each definition to the function that it means, by its place.

    Definitions after the fifth mean none of the five.
    """
    shown = [definition["function"]["name"] for definition in definitions]
    return dict(zip(shown, TOOL_NAMES, strict=False))


def as_meant(
    arguments: Mapping[str, Any], shown: Mapping[str, Any], functions: Toolbox, name: str
) -> dict[str, Any]:
    """Arguments under the function's own parameter names, by the place of each parameter.

    Args:
        arguments: as the model gave them.
        shown: the schema that the model was offered.
        functions: the five tools.
        name: which of them is meant.
    """
    own = functions[name].input_schema["properties"]
    renamed = dict(zip(shown.get("properties", {}), own, strict=False))
    return {renamed.get(key, key): value for key, value in arguments.items()}
