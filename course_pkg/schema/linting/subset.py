"""Rules of the strict subset, for definitions that say `"strict": true`.

Source: the guide "Structured Outputs" of the OpenAI API, section "Supported schemas".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from course_pkg.schema.finding import Finding
from course_pkg.schema.places import Steps, all_schemas, pointer
from course_pkg.schema.problem import shown
from course_pkg.schema.strictness import KEPT

#: Keywords that make a service refuse the schema.
REFUSED = frozenset(
    {
        "allOf",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "patternProperties",
        "then",
        "unevaluatedProperties",
    }
)
#: Keywords that say nothing about a value, or are not the subset's concern.
QUIET = frozenset({"$schema", "$id", "$anchor", "$comment", "examples", "deprecated"})


def strict_findings(schema: Any) -> Iterator[Finding]:
    """Where a schema breaks the rules of the strict subset.

    Args:
        schema: a schema of arguments.
    """
    if isinstance(schema, Mapping):
        yield from _of_root(schema)
    for steps, part in all_schemas(schema):
        if isinstance(part, Mapping):
            yield from _of_object(steps, part)
            yield from _of_keywords(steps, part)


def _of_root(schema: Mapping[str, Any]) -> Iterator[Finding]:
    if schema.get("type") != "object":
        yield _finding("root_not_object", (), "The root is no object.", 'Say "type": "object".')
    if "anyOf" in schema:
        yield _finding(
            "root_combinator_not_strict",
            (),
            "anyOf stands at the root, which a strict schema does not allow.",
            "Put the choice into a property.",
        )


def _of_object(steps: Steps, part: Mapping[str, Any]) -> Iterator[Finding]:
    kinds = part.get("type", "object" if "properties" in part else ())
    if "object" not in ([kinds] if isinstance(kinds, str) else kinds):
        return
    if part.get("additionalProperties") is not False:
        yield _finding(
            "additionalProperties_not_false",
            steps,
            'A strict object is closed, and this one does not say "additionalProperties": false.',
            'Add "additionalProperties": false; schema.to_strict does it.',
        )
    required = part.get("required", [])
    for name in part.get("properties", {}):
        if name not in required:
            yield _finding(
                "property_not_required",
                (*steps, "properties", name),
                f"{shown(name)} is not required, and a strict object requires all its properties.",
                "Require it, and let it be null where it may be left out.",
            )


def _of_keywords(steps: Steps, part: Mapping[str, Any]) -> Iterator[Finding]:
    for keyword in part:
        if keyword in REFUSED:
            yield _finding(
                f"{keyword}_not_strict",
                steps,
                f"{keyword} has no place in a strict schema.",
                "Use anyOf." if keyword == "oneOf" else "Leave it out, and check it in the tool.",
            )
        elif keyword not in KEPT and keyword not in QUIET:
            yield Finding(
                code="keyword_not_strict",
                path=pointer(steps),
                text=f"{keyword} is not in the strict subset; a service may refuse it.",
                fix="Leave it out for the wire, and check it here; schema.to_strict does it.",
            )


def _finding(code: str, steps: Steps, text: str, fix: str) -> Finding:
    return Finding(code=code, path=pointer(steps), text=text, fix=fix, severity="error")
