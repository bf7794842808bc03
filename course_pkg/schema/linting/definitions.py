"""Read definitions of tools in the form of any interface.

In: JSON as it was saved or received. Out: `Definition`s. The forms: Chat Completions, Responses,
Anthropic Messages, MCP; a list of them, a request body with `tools`, a JSON-RPC result of
`tools/list`; a tool or a toolbox of this course.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from course_pkg.schema.problem import json_type

FORMS = (
    "A definition has a name, a description and a schema: as Chat Completions, Responses, "
    "Anthropic Messages or MCP write it."
)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a model is told about a tool.

    Attributes:
        name: the tool's name; empty if there is none.
        description: what it is said to do; empty if nothing is said.
        schema: the schema of its arguments; `None` if there is none.
        strict: whether the provider is asked to keep the model to the schema.
        form: the interface whose form it has: `chat`, `responses`, `anthropic` or `mcp`.
    """

    name: str
    description: str
    schema: Any = field(repr=False)
    strict: bool = False
    form: str = "chat"


#: Where each form keeps the schema.
SCHEMA_KEYS = {"inputSchema": "mcp", "input_schema": "anthropic", "parameters": "responses"}


def read_definitions(source: Any) -> list[Definition]:
    """Every definition in a source.

    Args:
        source: see the module's text.

    Raises:
        ValueError: if there is none in it.
    """
    items = _items(source)
    if not items:
        raise ValueError(f"There is no tool definition here. {FORMS}")
    return [read_definition(item) for item in items]


def _items(source: Any) -> list[Any]:
    if callable(getattr(source, "definitions", None)):
        return list(source.definitions())
    if isinstance(source, list | tuple):
        return list(source)
    if not isinstance(source, Mapping):
        return [source]
    for key in ("tools", "functions"):
        if isinstance(source.get(key), list):
            return list(source[key])
    return _items(source["result"]) if isinstance(source.get("result"), Mapping) else [source]


def read_definition(item: Any) -> Definition:
    """One definition.

    Args:
        item: a definition in any of the forms, or a tool.

    Raises:
        ValueError: if it is none.
    """
    if callable(getattr(item, "definition", None)):
        item = item.definition()
    if not isinstance(item, Mapping):
        raise ValueError(f"A tool definition is an object, and this is {json_type(item)}. {FORMS}")
    inner = item.get("function")
    if isinstance(inner, Mapping):
        strict = inner.get("strict", item.get("strict"))
        return _definition(inner, inner.get("parameters"), strict=strict, form="chat")
    for key, form in SCHEMA_KEYS.items():
        if key in item:
            return _definition(item, item[key], strict=item.get("strict"), form=form)
    if "name" in item:
        return _definition(item, None, strict=item.get("strict"), form="responses")
    raise ValueError(f"An object without a name is no tool definition. {FORMS}")


def _definition(found: Mapping[str, Any], schema: Any, *, strict: Any, form: str) -> Definition:
    name, description = found.get("name"), found.get("description")
    return Definition(
        name=name if isinstance(name, str) else "",
        description=description if isinstance(description, str) else "",
        schema=schema,
        strict=strict is True,
        form=form,
    )
