"""Rules about the input schema: its root, and each part of it.

In: a schema that is valid by itself. Out: findings about what is allowed and yet not meant: an
object that takes any name, a default that its own schema refuses, a pattern that is found anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from course_pkg.schema.combining import NOT_AT_THE_ROOT
from course_pkg.schema.finding import Finding
from course_pkg.schema.linting.unions import union_findings
from course_pkg.schema.patterns import compile_pattern
from course_pkg.schema.places import Steps, all_schemas, pointer
from course_pkg.schema.problem import shown
from course_pkg.schema.references import followed

#: Objects in each other, the root among them.
MAX_OBJECT_LEVELS = 3

#: Keywords of which one says what a value is.
SAYING = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "const", "enum", "not", "oneOf", "type"}
)

#: Lower limit → the upper limit that must not be below it.
BOUNDS = {
    "minimum": "maximum",
    "exclusiveMinimum": "exclusiveMaximum",
    "minLength": "maxLength",
    "minItems": "maxItems",
    "minProperties": "maxProperties",
}

Rule: TypeAlias = Callable[[Steps, Mapping[str, Any], Any], Iterator[Finding]]


def schema_findings(schema: Any, compiled: Any) -> Iterator[Finding]:
    """What is wrong with a schema of arguments.

    Args:
        schema: the schema, valid by itself.
        compiled: its validator.
    """
    yield from _of_root(schema)
    for steps, part in all_schemas(schema):
        if isinstance(part, Mapping):
            for rule in RULES:
                yield from rule(steps, part, compiled)


def _of_root(schema: Any) -> Iterator[Finding]:
    if not isinstance(schema, Mapping) or followed(schema, schema).get("type") != "object":
        yield _finding(
            "root_not_object",
            (),
            'Arguments are an object, and the root of the schema does not say "type": "object".',
            'Write {"type": "object", "properties": {...}} and put the value into a property.',
            "error",
        )
        return
    for keyword in NOT_AT_THE_ROOT:
        if keyword in schema and keyword not in {"then", "else"}:
            yield _finding(
                "root_combinator",
                (),
                f"{keyword} stands at the root. Several services refuse the whole request for it.",
                "Put the choice into a property, or make a tool of each branch.",
            )
    if _object_levels(schema, schema, ()) > MAX_OBJECT_LEVELS:
        yield _finding(
            "nesting_too_deep",
            (),
            f"Objects are nested more than {MAX_OBJECT_LEVELS} deep. Models fill deep objects "
            "badly.",
            "Bring the inner names up, or split the tool in two.",
        )


def _object_levels(schema: Any, root: Any, on_the_way: tuple[int, ...]) -> int:
    schema = followed(schema, root)
    if not isinstance(schema, Mapping) or id(schema) in on_the_way or len(on_the_way) > 40:
        return 0
    way = (*on_the_way, id(schema))
    inner = [*schema.get("properties", {}).values(), schema.get("items")]
    inner += [schema.get("additionalProperties"), *schema.get("prefixItems", [])]
    for keyword in ("anyOf", "oneOf", "allOf"):
        inner += schema.get(keyword, [])
    deepest = max((_object_levels(part, root, way) for part in inner), default=0)
    return deepest + ("properties" in schema or schema.get("type") == "object")


def _open_object(steps: Steps, part: Mapping[str, Any], compiled: Any) -> Iterator[Finding]:
    closing = {"additionalProperties", "unevaluatedProperties", "patternProperties"}
    # A part of allOf must stay open, or it would refuse the names of its neighbours.
    if "properties" in part and closing.isdisjoint(part) and "allOf" not in steps:
        yield _finding(
            "additionalProperties_missing",
            steps,
            "The object takes any name besides those listed, so a misspelt one is not noticed.",
            'Add "additionalProperties": false.',
        )


def _untyped(steps: Steps, part: Mapping[str, Any], compiled: Any) -> Iterator[Finding]:
    if steps[-2:-1] == ("properties",) and SAYING.isdisjoint(part):
        yield _finding(
            "type_missing",
            steps,
            f"{shown(steps[-1])} may be anything: text, a number, a list.",
            'Say what it is: "type": "string".',
        )


def _required(steps: Steps, part: Mapping[str, Any], compiled: Any) -> Iterator[Finding]:
    known = part.get("properties")
    if not isinstance(known, Mapping) or "patternProperties" in part:
        return
    for name in part.get("required", []):
        if name not in known:
            yield _finding(
                "required_unknown",
                steps,
                f"{shown(name)} is required and not among the properties.",
                f"Describe {shown(name)} under properties, or take it out of required.",
                "error",
            )


def _values(steps: Steps, part: Mapping[str, Any], compiled: Any) -> Iterator[Finding]:
    examples = part.get("examples")
    given = [("default", part[key]) for key in ("default",) if key in part]
    given += [("example", value) for value in examples] if isinstance(examples, list) else []
    judge = compiled.evolve(schema=part)
    for kind, value in given:
        if not judge.is_valid(value):
            yield _finding(
                f"{kind}_invalid",
                steps,
                f"The {kind} {shown(value)} does not fit its own schema.",
                f"Change the {kind}, or let the schema take it.",
                "error",
            )


def _impossible(steps: Steps, part: Mapping[str, Any], compiled: Any) -> Iterator[Finding]:
    choices = part.get("enum", [])
    typed = compiled.evolve(schema={"type": part["type"]}) if "type" in part else None
    wrong = [choice for choice in choices if typed and not typed.is_valid(choice)]
    if wrong:
        yield _finding(
            "enum_not_of_type",
            steps,
            f"{shown(wrong[0])} can be chosen, and the type does not allow it.",
            "Give the choices the type that is asked for.",
            "error",
        )
    for low, high in BOUNDS.items():
        if low in part and high in part and part[low] > part[high]:
            yield _finding(
                "bounds_crossed",
                steps,
                f"{low} is {shown(part[low])} and {high} is {shown(part[high])}: nothing fits.",
                "Change one of them.",
                "error",
            )


def _pattern(steps: Steps, part: Mapping[str, Any], compiled: Any) -> Iterator[Finding]:
    if not isinstance(part.get("pattern"), str):
        return
    pattern = compile_pattern(part["pattern"])
    if not pattern.is_anchored:
        yield _finding(
            "pattern_unanchored",
            steps,
            f"The pattern {shown(pattern.text)} is without ^...$, so it is found anywhere in a "
            "text.",
            "Write ^ before and $ behind it, if the whole text is meant.",
        )
    if pattern.could_run_away:
        yield _finding(
            "pattern_could_run_away",
            steps,
            f"The pattern {shown(pattern.text)} can keep an engine busy for ever: a repetition "
            "stands inside a repetition, or several take the same characters.",
            "Make it simpler, and set a length limit (maxLength) before the pattern.",
        )


def _finding(code: str, steps: Steps, text: str, fix: str, severity: str = "warning") -> Finding:
    return Finding(code=code, path=pointer(steps), text=text, fix=fix, severity=severity)


RULES: tuple[Rule, ...] = (
    _open_object,
    _untyped,
    _required,
    _values,
    _impossible,
    _pattern,
    union_findings,
)
