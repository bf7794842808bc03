"""Say a schema in a provider's strict subset, and bring the arguments back.

In: any schema for arguments. Out: a schema that keeps the subset's rules: every object is closed
and requires all its properties, an optional property may be null instead, the root is a plain
object, and `oneOf`, `allOf`, `not` and conditions do not occur. What cannot be said so is refused.

Source: the guide "Structured Outputs" of the OpenAI API, section "Supported schemas". The result is
for the wire. Keep the original for checking: keywords that the subset lacks are only left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.schema.along import Along, changed_along
from course_pkg.schema.apart import are_apart
from course_pkg.schema.combining import (
    COMBINATORS,
    ConversionError,
    all_of,
    without_root_combinator,
)
from course_pkg.schema.places import DEFINITIONS, Steps, pointer, with_inner
from course_pkg.schema.problem import json_type
from course_pkg.schema.references import followed, is_recursive, lookup

#: Keywords of the subset. Others are left out.
KEPT = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "definitions",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "prefixItems",
        "properties",
        "required",
        "title",
        "type",
    }
)
FORMATS_KEPT = frozenset(
    {"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"}
)
OPEN_MAP_HINT = "Use strict false, or list the keys, or take an array of {key, value} objects."


class NotStrictableError(ConversionError):
    """A schema cannot be said in the strict subset.

    Attributes:
        kind: always `not_strictable`.
        path: the place in the schema, as a JSON Pointer: `/properties/readings`.
        hint: what to do instead.
    """

    kind = "not_strictable"


def to_strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the strict subset.

    Args:
        schema: a schema for arguments, which stays as it is.

    Raises:
        NotStrictableError: if the subset cannot say it: an open map, a value of any type, branches
            of `oneOf` that may overlap, a branch at the root that is no object.
        SchemaError: if the schema cannot be used at all.
    """
    try:
        flat, _ = without_root_combinator(schema)
    except ConversionError as error:
        raise NotStrictableError(str(error), path=error.path) from None
    if not isinstance(flat.get("properties"), Mapping):
        flat["properties"] = {}
    plain: dict[str, Any] = _Strict(flat).part_of(flat, ())
    return plain


def from_strict(arguments: Any, schema: Mapping[str, Any]) -> Any:
    """Arguments for the strict schema as arguments for the original: null is absent again.

    A null is taken out where the property is optional and the original does not allow null.

    Args:
        arguments: what the model wrote for `to_strict(schema)`; it stays as it is.
        schema: the original schema.
    """
    return changed_along(arguments, schema, _without_nulls)


def _without_nulls(value: Any, schema: Mapping[str, Any], along: Along) -> Any:
    if not isinstance(value, dict):
        return value
    known, required = schema.get("properties", {}), schema.get("required", [])
    return {
        name: part
        for name, part in value.items()
        if part is not None
        or name in required
        or name not in known
        or along.fits(None, known[name])
    }


class _Strict:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root

    def part_of(self, schema: Any, steps: Steps) -> Any:
        """A part of the schema in the subset."""
        if not isinstance(schema, Mapping):
            raise self.refusal("a value of any type cannot be strict", steps, hint="Give a type.")
        if "$ref" in schema:
            return self.reference(schema, steps)
        if schema.get("allOf"):
            parts = [followed(part, self.root) for part in schema["allOf"]]
            rest = {key: part for key, part in schema.items() if key != "allOf"}
            return self.part_of(all_of([rest, *parts]), steps)
        schema = self.typed(self.without_one_of(schema, steps), steps)
        if "patternProperties" in schema:
            raise self.refusal("names by pattern cannot be strict", steps, hint=OPEN_MAP_HINT)
        if "object" in _kinds(schema):
            schema = self.closed(schema, steps)
        if "array" in _kinds(schema) and not {"items", "prefixItems"} & schema.keys():
            raise self.refusal("a list of anything cannot be strict", steps, hint="Give items.")
        return self.with_strict_parts(schema, steps)

    def with_strict_parts(self, schema: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        required = schema.get("required", [])

        def strict(way: Steps, part: Any) -> Any:
            if part is False and way[0] in CLOSING:
                return part
            made = self.part_of(part, (*steps, *way))
            is_optional = way[0] == "properties" and way[1] not in required
            return self.nullable(made) if is_optional else made

        made = with_inner(_kept(schema), strict)
        return {**made, **({"required": list(made["properties"])} if "properties" in made else {})}

    def reference(self, schema: Mapping[str, Any], steps: Steps) -> Any:
        """A reference. Nothing may stand beside it, so what does is merged into what it names."""
        plain = {"$ref": schema["$ref"]}
        named = lookup(schema["$ref"], self.root)
        if named is None:
            raise self.refusal("its $ref leads nowhere", steps, hint="Put it under $defs.")
        if len(schema) == 1:
            return plain
        if not is_recursive(schema["$ref"], self.root):
            return self.part_of(followed(schema, self.root), steps)
        beside = {key: schema[key] for key in ("description", "title") if key in schema}
        return {"anyOf": [plain], **beside} if beside else plain

    def without_one_of(self, schema: Mapping[str, Any], steps: Steps) -> Mapping[str, Any]:
        parts = schema.get("oneOf")
        if not parts:
            return schema
        if not are_apart(parts, self.root):
            raise self.refusal(
                "oneOf has no place in the subset, and its branches may overlap",
                (*steps, "oneOf"),
                hint="Use anyOf, or give each branch a required property with its own const.",
            )
        return {**{key: part for key, part in schema.items() if key != "oneOf"}, "anyOf": parts}

    def typed(self, schema: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        """The schema with its type said, where it only follows from other keywords."""
        if "type" in schema or "anyOf" in schema:
            return dict(schema)
        if "properties" in schema:
            return {"type": "object", **schema}
        if "items" in schema or "prefixItems" in schema:
            return {"type": "array", **schema}
        values = schema.get("enum", [schema["const"]] if "const" in schema else [])
        if not values:
            raise self.refusal("a value of any type cannot be strict", steps, hint="Give a type.")
        kinds = list(dict.fromkeys(map(json_type, values)))
        return {"type": kinds[0] if len(kinds) == 1 else kinds, **schema}

    def closed(self, schema: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        rest = schema.get("additionalProperties")
        if rest not in (None, False) or ("properties" not in schema and rest is not False):
            raise self.refusal(
                "an object with names that are not listed cannot be strict",
                steps,
                hint=OPEN_MAP_HINT,
            )
        return {
            "required": [],
            "properties": {},
            **schema,
            "additionalProperties": False,
        }

    def nullable(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A strict schema that takes null too."""
        if "anyOf" in schema:
            has_null = any(_takes_null(part, self.root) for part in schema["anyOf"])
            more = [] if has_null else [{"type": "null"}]
            return {**schema, "anyOf": [*schema["anyOf"], *more]}
        if _takes_null(schema, self.root):
            return dict(schema)
        if "$ref" in schema or "const" in schema:
            return {"anyOf": [schema, {"type": "null"}]}
        choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [*_kinds(schema), "null"], **choices}

    def refusal(self, why: str, steps: Steps, *, hint: str) -> NotStrictableError:
        where = pointer(steps)
        return NotStrictableError(f"{where} cannot be made strict: {why}.", path=where, hint=hint)


CLOSING = frozenset({"additionalProperties", "items"})


def _kinds(schema: Mapping[str, Any]) -> Sequence[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _takes_null(schema: Any, root: Any) -> bool:
    found = lookup(schema["$ref"], root) if "$ref" in schema else schema
    if not isinstance(found, Mapping) or ("enum" in found and None not in found["enum"]):
        return False
    return "null" in _kinds(found) or ("const" in found and found["const"] is None)


def _kept(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: part for key, part in schema.items() if key in KEPT}
    if kept.get("format") not in FORMATS_KEPT:
        kept.pop("format", None)
    return kept


def left_out(schema: Mapping[str, Any]) -> list[str]:
    """Which keywords the subset lacks, each with its place, in words.

    Args:
        schema: a schema.
    """
    from course_pkg.schema.places import all_schemas

    known = KEPT | {*COMBINATORS, *DEFINITIONS, "$schema", "$id", "$anchor", "default"}
    return [
        f"{key} at {pointer(steps)} is not sent; it is still checked here."
        for steps, part in all_schemas(schema)
        if isinstance(part, Mapping)
        for key in part
        if key not in known
    ]
