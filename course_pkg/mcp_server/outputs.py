"""Structured results: JSON beside the text, and the schema that it keeps to.

In: a tool, and the value that it returned. Out: the schema of its results, where the annotation of
the return value says one, and the value as a JSON object, where it is one. A list or a number is no
object, so it goes as text alone, as the versions of the protocol up to 2025-11-25 want it.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import typing
from collections.abc import Mapping
from typing import Any

from course_pkg.executor import MAX_RESULT_CHARS
from course_pkg.executor.plain import plain
from course_pkg.mcp_server.logs import log
from course_pkg.schema import check, explain, inline
from course_pkg.schema.places import with_inner
from course_pkg.tools import Tool

TOO_LONG = (
    "The result of {name} has {length:,} characters as JSON, and at most {limit:,} go out. "
    "Ask for less."
)
UNFIT = (
    "{name} gave a result that does not fit its own output schema. That is a mistake of the tool, "
    "not of the arguments: do without it, or tell the user."
)


class OutputError(ValueError):
    """A value cannot go out as the tool's definition promises. The text goes to the model."""


def output_schema_of(tool: Tool) -> dict[str, Any] | None:
    """The JSON Schema of a tool's results, or `None` where the annotation says nothing of use.

    Classes with fields (a dataclass, a pydantic model) and `dict[str, int]` say something.
    `dict`, `dict[str, Any]`, texts, numbers and lists do not.

    Args:
        tool: any tool; its `run` need not have annotations.
    """
    annotation = _return_annotation(tool)
    if annotation is None:
        return None
    from pydantic import TypeAdapter

    try:
        # By name and not by alias: `plain` writes fields under the names that they have in Python.
        made = TypeAdapter(annotation).json_schema(mode="serialization", by_alias=False)
    except Exception:  # pydantic has many reasons, and a schema of results is not a must
        return None
    schema: dict[str, Any] = _without_titles(_with_plain_root(inline(made)))
    says_something = "properties" in schema or isinstance(schema.get("additionalProperties"), dict)
    return schema if schema.get("type") == "object" and says_something else None


def _with_plain_root(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a class that holds itself, with its definition at the root, not a reference."""
    named = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    definition: dict[str, Any] | None = schema.get("$defs", {}).get(named)
    return schema if definition is None else {**definition, "$defs": schema["$defs"]}


def _without_titles(schema: Any) -> Any:
    """The schema without pydantic's titles, which only repeat names; a field "title" stays."""
    if not isinstance(schema, Mapping):
        return schema
    inner = with_inner(schema, lambda _, part: _without_titles(part))
    return {key: part for key, part in inner.items() if key != "title"}


def _return_annotation(tool: Tool) -> Any:
    function = inspect.unwrap(tool.run)
    try:
        return typing.get_type_hints(function, include_extras=True).get("return")
    except (TypeError, NameError, AttributeError):  # no function, or a name that is out of reach
        return None


def structured(value: Any, tool: Tool, output_schema: Mapping[str, Any] | None) -> Any:
    """The value as a JSON object, or `None` if it goes as text alone.

    A value that is too long goes as text alone too, which is cut; but where an output schema
    promises an object, that is an error.

    Args:
        value: what the tool returned.
        tool: the tool.
        output_schema: what its results keep to, if anything was promised.

    Raises:
        OutputError: if a promise cannot be kept.
    """
    made = plain(value) if _has_fields(value) else None
    made = made if isinstance(made, dict) else None
    length = len(json.dumps(made, ensure_ascii=False))
    if output_schema is None:
        return made if length <= MAX_RESULT_CHARS else None
    if length > MAX_RESULT_CHARS:
        raise OutputError(TOO_LONG.format(name=tool.name, length=length, limit=MAX_RESULT_CHARS))
    problems = check(made, output_schema)
    if problems:
        log.error(
            "The result of %s does not fit its output schema:\n%s", tool.name, explain(problems)
        )
        raise OutputError(UNFIT.format(name=tool.name))
    return made


def _has_fields(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return not isinstance(value, type) and (
        dataclasses.is_dataclass(value) or hasattr(type(value), "model_dump")
    )
