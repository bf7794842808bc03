"""Where schemas stand inside a schema.

In: a schema. Out: the schemas in it, each with the way to it. A property that is called "default"
is a name, not the keyword: who walks through these places cannot mix them up.

Source: JSON Schema 2020-12, core, sections 8.2.4 and 10, and validation; with the places of
draft-07 that are no more (`definitions`, `dependencies`, a list under `items`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
Steps: TypeAlias = tuple[str | int, ...]

#: Keywords whose value is a schema.
ONE = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
#: Keywords whose value is a list of schemas.
LISTED = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
#: Keywords whose value is an object of schemas by name.
NAMED = frozenset(
    {
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    }
)
#: Those of the places that look at the same instance as the schema around them.
SAME_INSTANCE = frozenset(
    {"allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
)
DEFINITIONS = ("$defs", "definitions")


def is_schema(value: Any) -> bool:
    """Whether a value can be a schema: an object, or true or false."""
    return isinstance(value, Mapping | bool)


def inner_schemas(schema: Any) -> Iterator[tuple[Steps, Any]]:
    """The schemas directly inside a schema, each with the steps that lead to it.

    Args:
        schema: a schema; nothing is in true, false, or what is no schema.
    """
    if not isinstance(schema, Mapping):
        return
    for keyword, value in schema.items():
        if keyword in ONE and is_schema(value):
            yield (keyword,), value
        elif keyword in LISTED and isinstance(value, list):
            yield from (((keyword, at), part) for at, part in enumerate(value) if is_schema(part))
        elif keyword in NAMED and isinstance(value, Mapping):
            yield from (((keyword, name), part) for name, part in value.items() if is_schema(part))


def all_schemas(schema: Any) -> Iterator[tuple[Steps, Any]]:
    """A schema and every schema in it, each with the steps from the root; outer ones first."""
    waiting: list[tuple[Steps, Any]] = [((), schema)]
    while waiting:
        steps, found = waiting.pop()
        yield steps, found
        inner = [((*steps, *way), part) for way, part in inner_schemas(found)]
        waiting += reversed(inner)


def with_inner(schema: Schema, change: Callable[[Steps, Any], Any]) -> dict[str, Any]:
    """A copy of a schema in which each schema directly inside is another.

    Args:
        schema: a schema that is an object.
        change: is given the steps from `schema` and the inner schema, and gives the new one.
    """
    return {keyword: _changed(keyword, value, change) for keyword, value in schema.items()}


def _changed(keyword: str, value: Any, change: Callable[[Steps, Any], Any]) -> Any:
    if keyword in ONE and is_schema(value):
        return change((keyword,), value)
    if keyword in LISTED and isinstance(value, list):
        return [
            change((keyword, at), part) if is_schema(part) else part
            for at, part in enumerate(value)
        ]
    if keyword in NAMED and isinstance(value, Mapping):
        return {
            name: change((keyword, name), part) if is_schema(part) else part
            for name, part in value.items()
        }
    return value


def pointer(steps: Steps) -> str:
    """Steps as a JSON Pointer (RFC 6901); the root is `/`, which a person sees better than nothing.

    Args:
        steps: keys and indexes from the root.
    """
    parts = [str(step).replace("~", "~0").replace("/", "~1") for step in steps]
    return "/" + "/".join(parts)
