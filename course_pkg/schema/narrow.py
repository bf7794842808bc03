"""Say a schema in a narrow dialect with a fixed list of keywords, and bring the arguments back.

In: any schema for arguments. Out: a schema with the keywords of the Gemini API's `Schema` object
only. What the dialect cannot say is widened, never dropped together with its property: a constant
becomes an `enum` of one, a limit that is left out (`exclusiveMinimum`) the nearest that is let in,
numbers to choose from become texts.

Source: the reference of the Gemini API, type `Schema`. Keep the original for checking.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.schema.along import Along, changed_along
from course_pkg.schema.combining import COMBINATORS, all_of, any_of, without_root_combinator
from course_pkg.schema.places import DEFINITIONS
from course_pkg.schema.references import followed, inline

KEPT = frozenset(
    {
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "required",
        "type",
    }
)
FORMATS_KEPT = frozenset({"date-time", "double", "enum", "float", "int32", "int64"})


def to_narrow(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the narrow dialect. A schema that holds itself ends after one round.

    Args:
        schema: a schema for arguments, which stays as it is.

    Raises:
        ConversionError: if a branch at the root is no object.
        SchemaError: if the schema cannot be used at all.
    """
    flat, _ = without_root_combinator(schema)
    whole = inline(flat)
    return _narrow(whole, whole, ())


def from_narrow(arguments: Any, schema: Mapping[str, Any]) -> Any:
    """Arguments for the narrow schema as arguments for the original: texts are numbers again.

    Args:
        arguments: what the model wrote for `to_narrow(schema)`; it stays as it is.
        schema: the original schema.
    """
    return changed_along(arguments, schema, _meant)


def _meant(value: Any, schema: Mapping[str, Any], along: Along) -> Any:
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if not isinstance(value, str) or value in choices:
        return value
    return next((choice for choice in choices if _text(choice) == value), value)


def _text(choice: Any) -> str:
    return choice if isinstance(choice, str) else json.dumps(choice, ensure_ascii=False)


def _narrow(schema: Any, root: Any, on_the_way: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        if reference in on_the_way:
            return _end_of_a_circle(schema, root)
        on_the_way = (*on_the_way, reference)
        schema = followed(schema, root)
    made = _combined(schema, root)
    made = _with_inner(made, root, on_the_way)
    for step in (_listed, _chosen, _limited, _typed):
        made = step(made)
    if made.get("format") not in FORMATS_KEPT:
        made.pop("format", None)
    return {key: part for key, part in made.items() if key in KEPT}


def _end_of_a_circle(schema: Any, root: Any) -> dict[str, Any]:
    found = followed(schema, root)
    kind = found.get("type") if isinstance(found, Mapping) else None
    return {"type": kind if isinstance(kind, str) else "object"}


def _combined(schema: Mapping[str, Any], root: Any) -> dict[str, Any]:
    rest = {key: part for key, part in schema.items() if key not in (*COMBINATORS, *DEFINITIONS)}
    parts = [followed(part, root) for part in schema.get("allOf", [])]
    made = all_of([rest, *(_combined(part, root) for part in parts if isinstance(part, Mapping))])
    options = [*schema.get("anyOf", []), *schema.get("oneOf", [])]
    return {**made, **({"anyOf": options} if options else {})}


def _with_inner(made: dict[str, Any], root: Any, on_the_way: tuple[str, ...]) -> dict[str, Any]:
    """The inner schemas in the narrow dialect. A list by place becomes one of any of its items."""

    def narrow(part: Any) -> dict[str, Any]:
        return _narrow(part, root, on_the_way)

    made = dict(made)
    if isinstance(made.get("properties"), Mapping):
        made["properties"] = {name: narrow(part) for name, part in made["properties"].items()}
        made["required"] = [name for name in made.get("required", []) if name in made["properties"]]
        made = made if made["required"] else _without(made, "required")
    places = made["items"] if isinstance(made.get("items"), list) else made.get("prefixItems")
    if places:
        made["items"] = any_of([narrow(part) for part in places])
    elif "items" in made:
        made["items"] = narrow(made["items"])
    if "anyOf" in made:
        made["anyOf"] = [narrow(part) if not _is_null(part) else None for part in made["anyOf"]]
    return made


def _without(made: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: part for key, part in made.items() if key not in keys}


def _is_null(part: Any) -> bool:
    return isinstance(part, Mapping) and (
        part.get("type") == "null" or ("const" in part and part["const"] is None)
    )


def _listed(made: dict[str, Any]) -> dict[str, Any]:
    """Branches: null is said with `nullable`, and a single branch needs no `anyOf`."""
    options = made.get("anyOf")
    if options is None:
        return made
    left = [part for part in options if part is not None]
    nullable = {"nullable": True} if len(left) < len(options) else {}
    rest = {**_without(made, "anyOf"), **nullable}
    together = any_of(left) if left else {}
    return {**together, **rest} if "anyOf" not in together else {**rest, **together}


def _chosen(made: dict[str, Any]) -> dict[str, Any]:
    """Constants and choices: all of them are texts in the narrow dialect."""
    choices = made.get("enum", [made["const"]] if "const" in made else None)
    if choices is None:
        return made
    left = [choice for choice in choices if choice is not None]
    nullable = {"nullable": True} if len(left) < len(choices) else {}
    if _are_truths(left):
        return {**_without(made, "enum", "const"), "type": "boolean", **nullable}
    texts = list(dict.fromkeys(map(_text, left)))
    return {**_without(made, "const", *_NUMBER_WORDS), "type": "string", "enum": texts, **nullable}


_NUMBER_WORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _are_truths(choices: Sequence[Any]) -> bool:
    return all(isinstance(choice, bool) for choice in choices)


def _limited(made: dict[str, Any]) -> dict[str, Any]:
    whole = made.get("type") == "integer"
    low: Any = made.get("exclusiveMinimum")
    high: Any = made.get("exclusiveMaximum")
    if _is_number(low):
        nearest = math.floor(low) + 1 if whole else low
        made["minimum"] = max(made.get("minimum", nearest), nearest)
    if _is_number(high):
        nearest = math.ceil(high) - 1 if whole else high
        made["maximum"] = min(made.get("maximum", nearest), nearest)
    return made


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _typed(made: dict[str, Any]) -> dict[str, Any]:
    kinds = made.get("type")
    if not isinstance(kinds, list):
        return made
    left = [kind for kind in kinds if kind != "null"]
    nullable = {"nullable": True} if len(left) < len(kinds) else {}
    if len(left) == 1:
        return {**made, "type": left[0], **nullable}
    rest = {**_without(made, "type", "description"), **nullable}
    about = {"description": made["description"]} if "description" in made else {}
    return {"anyOf": [{"type": kind, **rest} for kind in left], **about}
