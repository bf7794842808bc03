"""Say a schema in the words of a target, together with the way back.

In: a schema and the name of a target. Out: a `Converted`: the schema for the wire, a function that
brings arguments back, and what was widened. Each conversion loses something, so the original schema
stays the one to check against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from course_pkg.schema.combining import without_root_combinator
from course_pkg.schema.narrow import from_narrow, to_narrow
from course_pkg.schema.strictness import from_strict, left_out, to_strict

Decode: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True, kw_only=True)
class Converted:
    """A schema in the words of a target.

    Attributes:
        target: the target's name.
        schema: what goes over the wire.
        decode: makes arguments for the original schema from arguments for this one.
        notes: what the target could not say and how it was widened.
    """

    target: str
    schema: dict[str, Any]
    decode: Decode = field(repr=False)
    notes: tuple[str, ...] = ()


def convert(schema: Mapping[str, Any], target: str) -> Converted:
    """Say a schema in the words of a target.

    Args:
        schema: a schema for arguments, which stays as it is.
        target: `openai-strict`, `no-root-combinator` or `gemini`.

    Raises:
        ConversionError: if the target cannot say it (`NotStrictableError` for `openai-strict`).
        SchemaError: if the schema cannot be used at all.
        ValueError: if there is no such target.
    """
    if target not in TARGETS:
        raise ValueError(f"There is no target {target!r}. Choose from {', '.join(TARGETS)}.")
    return TARGETS[target](schema)


def _strict(schema: Mapping[str, Any]) -> Converted:
    return Converted(
        target="openai-strict",
        schema=to_strict(schema),
        decode=lambda arguments: from_strict(arguments, schema),
        notes=tuple(left_out(schema)),
    )


def _plain_root(schema: Mapping[str, Any]) -> Converted:
    flat, notes = without_root_combinator(schema)
    return Converted(
        target="no-root-combinator",
        schema=flat,
        decode=lambda arguments: arguments,
        notes=tuple(notes),
    )


def _gemini(schema: Mapping[str, Any]) -> Converted:
    return Converted(
        target="gemini",
        schema=to_narrow(schema),
        decode=lambda arguments: from_narrow(arguments, schema),
    )


TARGETS: Mapping[str, Callable[[Mapping[str, Any]], Converted]] = {
    "openai-strict": _strict,
    "no-root-combinator": _plain_root,
    "gemini": _gemini,
}
