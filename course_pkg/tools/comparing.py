"""Hold a definition against the function that it describes.

In: a function and a definition in any form. Out: findings, none where both agree. A definition that
is written by hand drifts away from its function: a parameter is renamed here and not there.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from course_pkg.schema import Finding
from course_pkg.schema.apart import types_of
from course_pkg.schema.blaming import same
from course_pkg.schema.linting.definitions import read_definition
from course_pkg.schema.problem import shown
from course_pkg.schema.references import followed
from course_pkg.tools.making import input_schema_of, name_of
from course_pkg.tools.tool import Tool
from course_pkg.tools.values import RunTool


def compare(function: RunTool | Tool, definition: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Where a function's signature and its definition disagree.

    Args:
        function: the function, or a tool made of one.
        definition: what a model is sent about it, in the form of any interface.

    Returns:
        The findings, ordered by parameter.

    Raises:
        ValueError: if the definition is none.
        ToolDefinitionError: if the function cannot be a tool at all.
    """
    plain = inspect.unwrap(function.run if isinstance(function, Tool) else function)
    read = read_definition(definition)
    own_name = function.name if isinstance(function, Tool) else name_of(plain)
    found = [*_of_name(own_name, read.name), *_of_parameters(plain, read.schema)]
    return tuple(found)


def _of_name(own: str, name: str) -> Iterator[Finding]:
    if own != name:
        yield Finding(
            code="name_mismatch",
            path="name",
            text=f"The definition calls it {shown(name)}, the function is {shown(own)}.",
            fix="Use one name for both, or look the function up under the definition's name.",
            severity="warning",
            tool=name,
        )


def _of_parameters(function: RunTool, schema: Any) -> Iterator[Finding]:
    own = input_schema_of(function)
    root = schema if isinstance(schema, Mapping) else {}
    known = root.get("properties", {})
    for name in dict.fromkeys([*own["properties"], *known]):
        if name not in known:
            yield _missing(name, is_required=name in own["required"])
        elif name not in own["properties"]:
            yield _finding(
                "parameter_unknown",
                name,
                f"The definition offers {shown(name)}, which the function does not take.",
                "Take it out of the definition, or add it to the function.",
            )
        else:
            yield from _of_parameter(name, own, root)


def _missing(name: str, *, is_required: bool) -> Finding:
    return _finding(
        "parameter_missing",
        name,
        f"The function takes {shown(name)}, and the definition does not offer it.",
        "Add it to properties.",
        severity="error" if is_required else "warning",
    )


def _of_parameter(name: str, own: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Finding]:
    mine = followed(own["properties"][name], own)
    theirs = followed(root["properties"][name], root)
    needed, asked = name in own["required"], name in root.get("required", [])
    if needed and not asked:
        yield _finding(
            "required_missing",
            name,
            f"The function needs {shown(name)}, and the definition does not require it.",
            "Add it to required, or give the parameter a default.",
        )
    if asked and not needed:
        yield _finding(
            "required_too_much",
            name,
            f"The definition requires {shown(name)}, and the function has a default for it.",
            "Take it out of required, or take the default away.",
            severity="warning",
        )
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        yield from _of_values(name, mine, theirs)


def _of_values(name: str, mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[Finding]:
    more = types_of(theirs) - types_of(mine)
    if more and ("type" in mine and "type" in theirs):
        yield _finding(
            "type_mismatch",
            name,
            f"The definition lets {shown(name)} be of type {' or '.join(sorted(more))}, which the "
            "function does not take.",
            "Give both the same type.",
        )
    if "default" in mine and "default" in theirs and not same(mine["default"], theirs["default"]):
        yield _finding(
            "default_mismatch",
            name,
            f"The definition says that the default of {shown(name)} is {shown(theirs['default'])}, "
            f"and in the function it is {shown(mine['default'])}.",
            "Give both the same default: the function's is the one that counts.",
            severity="warning",
        )


def _finding(code: str, name: str, text: str, fix: str, *, severity: str = "error") -> Finding:
    path = f"/properties/{name}"
    return Finding(code=code, path=path, text=text, fix=fix, severity=severity)
