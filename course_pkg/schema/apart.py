"""Say whether branches can ever fit the same value, and find a value that fits two of them.

In: branches. Out: a verdict that is only given where it is certain, or a witness.

Two branches are apart when their types are, or when a tag tells them apart: a property that both
require, with constants that differ. A witness is a small value, made from the branches' own limits.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course_pkg.schema.blaming import same
from course_pkg.schema.references import followed

TYPES = ("string", "number", "boolean", "null", "array", "object")

#: So many values are tried on a set of branches.
MAX_SAMPLES = 60
#: Texts of the lengths around a limit are tried up to this length.
MAX_SAMPLE_CHARS = 200
#: How deep sample values are made.
MAX_SAMPLE_DEPTH = 3

TEXTS = ("hello", "", "a", "3", "abc", "2026-01-31", "ada@example.com")
NUMBERS = (0, 1, -1, 0.5, 3, 100)


def are_apart(parts: Sequence[Any], root: Any) -> bool:
    """Whether no value can fit two of the branches, as far as that can be seen.

    Args:
        parts: the branches.
        root: the whole schema, for references.
    """
    return all(_are_two_apart(one, other, root) for one, other in itertools.combinations(parts, 2))


def _are_two_apart(one: Any, other: Any, root: Any) -> bool:
    one, other = followed(one, root), followed(other, root)
    if one is False or other is False:
        return True
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return False
    if types_of(one).isdisjoint(types_of(other)):
        return True
    constants = _constants(one), _constants(other)
    if constants[0] is not None and constants[1] is not None:
        return not any(same(a, b) for a in constants[0] for b in constants[1])
    both = set(one.get("required", [])) & set(other.get("required", []))
    inner = [(_property(one, name), _property(other, name)) for name in both]
    return types_of(one) == types_of(other) == {"object"} and any(
        a is not None and b is not None and _are_two_apart(a, b, root) for a, b in inner
    )


def types_of(schema: Mapping[str, Any]) -> set[str]:
    """The types that a schema takes; a whole number is a number."""
    kinds = schema.get("type", TYPES)
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    return {"number" if kind == "integer" else kind for kind in found}


def _constants(schema: Mapping[str, Any]) -> Sequence[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _property(schema: Mapping[str, Any], name: str) -> Any:
    return schema.get("properties", {}).get(name)


def witness(parts: Sequence[Any], root: Any, fits: Any) -> tuple[Any, list[int]] | None:
    """A value that fits more than one of the branches, and the numbers of those branches.

    Args:
        parts: the branches.
        root: the whole schema, for references.
        fits: says whether a value fits a branch.

    Returns:
        `None` where none was found; there may still be one.
    """
    made = [list(itertools.islice(samples(part, root), MAX_SAMPLES)) for part in parts]
    in_turns = itertools.chain.from_iterable(itertools.zip_longest(*made, fillvalue=_NONE))
    single = itertools.islice((value for value in in_turns if value is not _NONE), MAX_SAMPLES)
    for value in itertools.chain(single, itertools.islice(_together(made), MAX_SAMPLES)):
        numbers = [number for number, part in enumerate(parts, start=1) if fits(value, part)]
        if len(numbers) > 1:
            return value, numbers
    return None


_NONE: Any = object()


def _together(made: Sequence[Sequence[Any]]) -> Iterator[Any]:
    """Objects that have the names of two branches at once."""
    for one, other in itertools.combinations(made, 2):
        objects = [[value for value in part if isinstance(value, dict)] for part in (one, other)]
        yield from ({**a, **b} for a, b in itertools.product(*objects))


def samples(schema: Any, root: Any, depth: int = 0) -> Iterator[Any]:
    """Small values that a schema may take. Not all of them fit.

    Args:
        schema: a schema.
        root: the whole schema, for references.
        depth: how deep in a value they will stand.
    """
    schema = followed(schema, root)
    if not isinstance(schema, Mapping) or depth > MAX_SAMPLE_DEPTH:
        return
    yield from schema.get("examples", []) if isinstance(schema.get("examples"), list) else []
    constants = _constants(schema)
    if constants is not None:
        yield from constants
        return
    for keyword in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(keyword, []):
            yield from samples(part, root, depth + 1)
    kinds = schema.get("type", TYPES)
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        yield from _of_type(str(kind), schema, root, depth)


def _of_type(kind: str, schema: Mapping[str, Any], root: Any, depth: int) -> Iterator[Any]:
    if kind == "string":
        yield from _texts(schema)
    elif kind in {"integer", "number"}:
        yield from _numbers(schema)
    elif kind == "object":
        yield from _objects(schema, root, depth)
    elif kind == "array":
        yield []
        yield from ([item] for item in itertools.islice(samples(schema.get("items"), root, 2), 4))
    else:
        yield from (True, False) if kind == "boolean" else (None,)


def _texts(schema: Mapping[str, Any]) -> Iterator[str]:
    yield from TEXTS
    for keyword in ("minLength", "maxLength"):
        limit = schema.get(keyword)
        if isinstance(limit, int) and limit <= MAX_SAMPLE_CHARS:
            yield from ("a" * max(limit + more, 0) for more in (0, -1, 1))


def _numbers(schema: Mapping[str, Any]) -> Iterator[float]:
    yield from NUMBERS
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
        limit = schema.get(keyword)
        if isinstance(limit, int | float) and not isinstance(limit, bool):
            yield from (limit, limit + 1, limit - 1)


def _objects(schema: Mapping[str, Any], root: Any, depth: int) -> Iterator[Any]:
    known = schema.get("properties", {})
    for names in (schema.get("required", []), list(known)):
        values = {name: next(samples(known.get(name, {}), root, depth + 1), "a") for name in names}
        yield values
