"""See that a schema can be used, before anything is held against it.

In: a schema. Out: nothing, or a `SchemaError` with its kind and its place. Everything that could go
wrong later is looked for here: keywords with a wrong value, patterns that cannot be read,
references that lead nowhere or round in a circle. Nothing is fetched from a network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from course_pkg.schema.errors import SchemaError
from course_pkg.schema.looking import MAX_DEPTH, strays
from course_pkg.schema.patterns import PatternError, compile_pattern
from course_pkg.schema.places import SAME_INSTANCE, Steps, all_schemas, inner_schemas, pointer
from course_pkg.schema.problem import shown


def refuse_what_is_no_schema(schema: Any, kind: Any) -> None:
    """See that each keyword has a value that it may have.

    Args:
        schema: anything.
        kind: the `jsonschema` class of the schema's dialect.

    Raises:
        SchemaError: with the first place that is wrong.
    """
    import jsonschema

    try:
        for problem in strays(schema):
            raise SchemaError(
                f"The schema holds what JSON does not have: {problem.found} at "
                f"{problem.where or 'its root'}.",
                path=pointer(problem.path),
            )
        # The formats of keywords are left out: what is known of them depends on what is installed.
        kind.check_schema(schema, format_checker=None)
    except jsonschema.SchemaError as error:
        where = "/".join(str(key) for key in error.absolute_path) or "its root"
        raise SchemaError(
            f"The schema is not valid at {where}: {error.message}.{_advice(error)}",
            path=pointer(tuple(error.absolute_path)),
        ) from None
    except RecursionError:
        raise SchemaError(
            f"The schema is nested too deeply. Stay below {MAX_DEPTH} levels.", kind="too_deep"
        ) from None


def _advice(error: Any) -> str:
    if list(error.absolute_path)[-1:] == ["items"] and isinstance(error.instance, list):
        return (
            " A list under items is an older way to write it: call it prefixItems, or name the "
            "dialect with $schema."
        )
    return ""


def refuse_bad_patterns(schema: Any) -> None:
    """See that each pattern can be read.

    Raises:
        SchemaError: of kind `bad_pattern`.
    """
    closes_by_names = any(
        isinstance(part, Mapping) and "unevaluatedProperties" in part
        for _, part in all_schemas(schema)
    )
    for steps, text in patterns_in(schema):
        try:
            pattern = compile_pattern(text)
        except PatternError as error:
            raise SchemaError(
                f"The pattern at {pointer(steps)} cannot be used: {error}",
                kind="bad_pattern",
                path=pointer(steps),
            ) from None
        # The library itself looks for these names, with Python's own engine.
        if closes_by_names and pattern.could_run_away and "patternProperties" in steps:
            raise SchemaError(
                f"The pattern at {pointer(steps)} could run for ever. Make it simpler, or leave "
                "unevaluatedProperties out.",
                kind="bad_pattern",
                path=pointer(steps),
            )


def patterns_in(schema: Any) -> Iterator[tuple[Steps, str]]:
    """Every pattern in a schema, with the steps to it."""
    for steps, part in all_schemas(schema):
        if not isinstance(part, Mapping):
            continue
        if isinstance(part.get("pattern"), str):
            yield (*steps, "pattern"), part["pattern"]
        names = part.get("patternProperties")
        if isinstance(names, Mapping):
            yield from (((*steps, "patternProperties", name), name) for name in names)


def refuse_bad_references(schema: Any, kind: Any) -> None:
    """See that each `$ref` leads somewhere, and none leads round in a circle.

    Raises:
        SchemaError: of kind `unresolvable_ref` or `endless_ref`.
    """
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing import Specification
    from referencing.jsonschema import specification_with

    specification = specification_with(
        kind.ID_OF(kind.META_SCHEMA) or "", default=Specification.OPAQUE
    )
    resolver = REGISTRY.resolver_with_root(specification.create_resource(schema))
    targets: dict[int, Any] = {}
    waiting: list[tuple[Steps, Any, Any]] = [((), schema, resolver)]
    while waiting:
        steps, part, at = waiting.pop()
        if steps:
            at = at.in_subresource(specification.create_resource(part))
        if isinstance(part, Mapping) and isinstance(part.get("$ref"), str):
            targets[id(part)] = _target(part["$ref"], at, steps)
        waiting += [((*steps, *way), inner, at) for way, inner in inner_schemas(part)]
    _refuse_circles(schema, targets)


def _target(reference: str, resolver: Any, steps: Steps) -> Any:
    from referencing.exceptions import Unresolvable

    try:
        return resolver.lookup(reference).contents
    except (Unresolvable, ValueError, KeyError, TypeError):
        raise SchemaError(
            f"A $ref in the schema leads nowhere: {shown(reference)}, at {pointer(steps)}. Put "
            "what it names under $defs in the same schema; nothing is fetched from elsewhere.",
            kind="unresolvable_ref",
            path=pointer(steps),
        ) from None


def _refuse_circles(schema: Any, targets: Mapping[int, Any]) -> None:
    """A reference that leads back to itself at the same value would be followed for ever."""
    finished: set[int] = set()
    for steps, start in all_schemas(schema):
        on_the_way: set[int] = set()
        if _leads_back(start, targets, on_the_way, finished):
            raise SchemaError(
                f"The schema at {pointer(steps)} refers to itself for the same value, without "
                "end. Let the reference stand under properties or items.",
                kind="endless_ref",
                path=pointer(steps),
            )


def _leads_back(
    schema: Any, targets: Mapping[int, Any], on_the_way: set[int], finished: set[int]
) -> bool:
    if not isinstance(schema, Mapping) or id(schema) in finished:
        return False
    if id(schema) in on_the_way:
        return True
    on_the_way.add(id(schema))
    nexts = [part for steps, part in inner_schemas(schema) if steps[0] in SAME_INSTANCE]
    nexts += [targets[id(schema)]] if id(schema) in targets else []
    back = any(_leads_back(part, targets, on_the_way, finished) for part in nexts)
    on_the_way.discard(id(schema))
    finished.add(id(schema))
    return back
