"""Put several schemas together into one that takes at least what they take.

In: schemas that all hold (`allOf`), or of which one holds (`anyOf`). Out: one plain schema. What
cannot be said in one plain schema is left out, so the result is never narrower: the original is
kept for checking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.schema.blaming import same
from course_pkg.schema.places import DEFINITIONS
from course_pkg.schema.references import followed
from course_pkg.schema.validators import validator

#: Keywords that hold other schemas for the same value.
COMBINATORS = ("allOf", "anyOf", "oneOf")
#: At the root, providers take none of these beside them.
NOT_AT_THE_ROOT = (*COMBINATORS, "not", "enum", "const", "if", "then", "else")

LARGER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
SMALLER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


class ConversionError(ValueError):
    """A schema cannot be said in the words of a target. The text says why and what to do.

    Attributes:
        kind: which kind, in one code word.
        path: the place in the schema, as a JSON Pointer.
        hint: what to do instead.
    """

    kind = "not_convertible"

    def __init__(self, text: str, *, path: str = "/", hint: str = "") -> None:
        """Say what cannot be converted, where, and what to do instead."""
        super().__init__(f"{text} {hint}".strip())
        self.path = path
        self.hint = hint


def all_of(parts: Sequence[Any]) -> dict[str, Any]:
    """One schema for a value that must fit all of the parts.

    Args:
        parts: schemas without references at their top.
    """
    together: dict[str, Any] = {}
    for part in parts:
        for keyword, value in _as_object(part).items():
            together[keyword] = (
                _both(keyword, together[keyword], value) if keyword in together else value
            )
    return together


def _as_object(schema: Any) -> Mapping[str, Any]:
    """True takes anything, false nothing."""
    if isinstance(schema, Mapping):
        return schema
    return {} if schema else {"not": {}}


def _both(keyword: str, one: Any, other: Any) -> Any:
    if keyword == "properties":
        return {**one, **{name: _merged(one.get(name), part) for name, part in other.items()}}
    if keyword == "required":
        return [*one, *(name for name in other if name not in one)]
    if keyword == "enum":
        return [value for value in one if any(same(value, found) for found in other)] or one
    if keyword in LARGER:
        return max(one, other)
    return min(one, other) if keyword in SMALLER else other


def _merged(one: Any, other: Any) -> Any:
    if one is None or one == other or not isinstance(one, Mapping):
        return other
    return all_of([one, other]) if isinstance(other, Mapping) else one


def any_of(parts: Sequence[Any]) -> Any:
    """One schema for a value that may fit any of the parts: constants become one `enum`.

    Args:
        parts: schemas.
    """
    different = [part for at, part in enumerate(parts) if part not in parts[:at]]
    if len(different) == 1:
        return different[0]
    values = [_constants(part) for part in different]
    if all(value is not None for value in values):
        listed = [one for value in values for one in value or ()]
        kinds = {part.get("type") for part in different if isinstance(part.get("type"), str)}
        return {**({"type": kinds.pop()} if len(kinds) == 1 else {}), "enum": listed}
    return {"anyOf": different}


def _constants(part: Any) -> Sequence[Any] | None:
    """The constants of a schema that says nothing else."""
    if not isinstance(part, Mapping) or part.keys() - {"type", "const", "enum", "description"}:
        return None
    return [part["const"]] if "const" in part else part.get("enum")


def without_root_combinator(schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The schema with one plain object at its root, and what was widened for that, in words.

    The properties of all branches are offered side by side; only what every branch requires is
    still required; the description says what belongs together.

    Args:
        schema: a schema for arguments.

    Raises:
        ConversionError: if a branch is no object.
        SchemaError: if the schema cannot be used at all.
    """
    validator(schema)
    notes: list[str] = []
    flat = _flat(schema, schema, notes, "/")
    if flat.get("type", "object") != "object":
        raise ConversionError("The root is no object.", hint="Put the value into a property.")
    kept = {key: schema[key] for key in DEFINITIONS if key in schema}
    plain = {key: part for key, part in flat.items() if key not in DEFINITIONS}
    return {"type": "object", **plain, **kept}, notes


def _flat(schema: Any, root: Any, notes: list[str], path: str) -> dict[str, Any]:
    found = followed(schema, root)
    if not isinstance(found, Mapping) or found.get("type", "object") != "object":
        raise ConversionError(
            f"The branch at {path} is no object, and arguments are one.",
            path=path,
            hint="Put the value into a property.",
        )
    base = {key: part for key, part in found.items() if key not in NOT_AT_THE_ROOT}
    notes += [
        f"{key} at the root is not sent; it is still checked here."
        for key in found
        if key in NOT_AT_THE_ROOT
    ]
    for at, part in enumerate(found.get("allOf", [])):
        base = all_of([base, _flat(part, root, notes, f"/allOf/{at}")])
    for keyword in ("anyOf", "oneOf"):
        if found.get(keyword):
            parts = [
                _flat(part, root, notes, f"/{keyword}/{at}")
                for at, part in enumerate(found[keyword])
            ]
            base = _side_by_side(base, parts)
    return base


def _side_by_side(base: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for part in parts for name in part.get("properties", {}))
    own = base.get("properties", {})
    offered = {
        name: any_of(
            [part["properties"][name] for part in parts if name in part.get("properties", {})]
        )
        for name in names
    }
    required = [
        name
        for name in parts[0].get("required", [])
        if all(name in part.get("required", []) for part in parts)
    ]
    made = all_of([base, {"properties": {**offered, **_inner(own, offered)}, "required": required}])
    if all(part.get("additionalProperties") is False for part in parts):
        made["additionalProperties"] = False
    made["description"] = f"{base.get('description', '')} {_what_belongs_together(parts)}".strip()
    return made


def _inner(own: Mapping[str, Any], offered: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _merged(own[name], offered[name]) for name in own if name in offered}


def _what_belongs_together(parts: Sequence[Mapping[str, Any]]) -> str:
    sets = [
        ", ".join(part.get("required", []) or part.get("properties", {})) or "nothing"
        for part in parts
    ]
    return f"Give one of: {' | '.join(dict.fromkeys(sets))}."
