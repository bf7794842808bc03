"""Random schemas and instances, small enough that they often meet."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

NAMES = ("a", "b", "kind")
TEXTS = ("", "a", "abc", "long text", "2026-01-31", "1", "x-1")
NUMBERS = (0, 1, -1, 3, 2.5, 1.0, 10**20)

VALUES = st.recursive(
    st.sampled_from([None, True, False, *TEXTS, *NUMBERS]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)

LEAVES = st.sampled_from(
    [
        {},
        True,
        False,
        {"type": "string", "minLength": 1, "maxLength": 4},
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": "string", "format": "date"},
        {"type": "integer", "minimum": 0},
        {"type": "number", "exclusiveMaximum": 3},
        {"multipleOf": 2},
        {"type": ["number", "null"]},
        {"type": "boolean"},
        {"enum": [1, "a", None, True]},
        {"const": 0},
        {"const": "a"},
        {"$ref": "#/$defs/Leaf"},
        {"$ref": "#/$defs/Tree"},
    ]
)


def _object(a: Any, b: Any, rest: Any, required: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": a, "b": b},
        "required": required,
        "additionalProperties": rest,
    }


def _tagged(a: Any, b: Any) -> list[Any]:
    return [
        {
            "type": "object",
            "properties": {"kind": {"const": tag}, "a": part},
            "required": ["kind", "a"],
        }
        for tag, part in (("a", a), ("abc", b))
    ]


PARTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(_object, inner, inner, inner, st.sampled_from([[], ["a"], ["a", "b"]])),
        st.builds(lambda items: {"type": "array", "items": items, "maxItems": 2}, inner),
        st.builds(lambda a, b: {"prefixItems": [a], "items": b}, inner, inner),
        st.builds(lambda a: {"type": "array", "contains": a, "uniqueItems": True}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"oneOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"oneOf": _tagged(a, b)}, inner, inner),
        st.builds(lambda a, b: {"allOf": [a, b]}, inner, inner),
        st.builds(lambda a: {"not": a}, inner),
        st.builds(lambda a, b, c: {"if": a, "then": b, "else": c}, inner, inner, inner),
        st.builds(lambda a: {"patternProperties": {"^a": a}, "minProperties": 1}, inner),
        st.builds(
            lambda a: {"dependentSchemas": {"a": a}, "dependentRequired": {"b": ["a"]}}, inner
        ),
        st.builds(lambda a: {"properties": {"a": a}, "unevaluatedProperties": False}, inner),
    ),
    max_leaves=6,
)


def _whole(part: Any) -> Any:
    definitions = {
        "Leaf": {"type": "string"},
        "Tree": {"type": "object", "properties": {"a": {"$ref": "#/$defs/Tree"}}},
    }
    return {**part, "$defs": definitions} if isinstance(part, dict) else {"$defs": definitions}


SCHEMAS = PARTS.map(_whole)
ARGUMENTS = st.builds(
    lambda a, b, required: _whole(
        {"type": "object", "properties": {"a": a, "b": b}, "required": required}
    ),
    PARTS,
    PARTS,
    st.sampled_from([[], ["a"]]),
)


@pytest.fixture(scope="session")
def schemas() -> Any:
    """Schemas of any kind."""
    return SCHEMAS


@pytest.fixture(scope="session")
def arguments_schemas() -> Any:
    """Schemas with an object at the root, as tools have them."""
    return ARGUMENTS


@pytest.fixture(scope="session")
def values() -> Any:
    """JSON values."""
    return VALUES


@pytest.fixture(scope="session")
def contact() -> dict[str, Any]:
    """A way to reach somebody: two branches with a tag."""
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": "email"}, "address": {"type": "string"}},
                "required": ["kind", "address"],
            },
            {
                "type": "object",
                "properties": {"kind": {"const": "phone"}, "number": {"type": "string"}},
                "required": ["kind", "number"],
            },
        ]
    }
