"""Rules about `anyOf` and `oneOf`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from course_pkg.schema.apart import are_apart, witness
from course_pkg.schema.finding import Finding
from course_pkg.schema.places import Steps, pointer
from course_pkg.schema.problem import shown


def union_findings(steps: Steps, part: Mapping[str, Any], compiled: Any) -> Iterator[Finding]:
    """What is wrong with a combination.

    Args:
        steps: the way to the part of the schema.
        part: the part.
        compiled: the validator of the whole schema.
    """
    parts = part.get("oneOf")
    if not isinstance(parts, list):
        return
    path = pointer((*steps, "oneOf"))
    root = compiled.schema
    found = None
    if not are_apart(parts, root):
        found = witness(
            parts, root, lambda value, branch: compiled.evolve(schema=branch).is_valid(value)
        )
    if found is not None:
        value, numbers = found
        yield Finding(
            code="branches_overlap",
            path=path,
            text=(
                f"oneOf branches overlap: {shown(value)} fits branches "
                f"{' and '.join(map(str, numbers))}, so oneOf refuses it."
            ),
            fix="Use anyOf, or give each branch a required property with its own const.",
        )
    yield Finding(
        code="oneOf_not_everywhere",
        path=path,
        text="oneOf is refused by some services, in strict schemas above all.",
        fix="Use anyOf: where the branches cannot overlap, both mean the same.",
        severity="advice",
    )
