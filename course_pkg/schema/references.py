"""Follow and dissolve the references of a schema.

In: a schema with `$ref`. Out: what a reference names; the same schema with what it names written in
its place. References stay where a schema holds itself: written out, it would never end.

Only references inside the same schema are followed here (`#`, `#/$defs/Place`, `#anchor`). Nothing
is fetched from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from course_pkg.schema.places import DEFINITIONS, all_schemas, with_inner

#: References to references are followed so far.
MAX_STEPS = 32

#: Keywords that only describe. Beside a reference they take the place of those behind it.
DESCRIBING = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)


#: Keywords that mean something else when others of the group come to stand beside them.
TOGETHER = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"items", "prefixItems", "additionalItems"}),
    frozenset({"if", "then", "else"}),
    frozenset({"contains", "minContains", "maxContains"}),
)


def lookup(reference: str, root: Any) -> Any:
    """The schema that a reference names, or `None`.

    Args:
        reference: the value of a `$ref`.
        root: the whole schema that it stands in.
    """
    start, _, fragment = reference.partition("#")
    if start:
        return None
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        return _anchored(fragment, root)
    found = root
    for part in fragment.split("/")[1:]:
        found = _inside(found, part.replace("~1", "/").replace("~0", "~"))
    return found if isinstance(found, Mapping | bool) else None


def _inside(found: Any, step: str) -> Any:
    if isinstance(found, Mapping):
        return found.get(step)
    if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
        return found[int(step)]
    return None


def _anchored(name: str, root: Any) -> Any:
    for _, schema in all_schemas(root):
        if isinstance(schema, Mapping) and schema.get("$anchor") == name:
            return schema
    return None


def followed(schema: Any, root: Any) -> Any:
    """A schema with the reference at its own top written out, siblings merged into it.

    Args:
        schema: a schema that may be `{"$ref": ...}`.
        root: the whole schema that it stands in.

    Returns:
        The schema without a reference at its top, or as it was where nothing is found.
    """
    for _ in range(MAX_STEPS):
        if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
            return schema
        named = lookup(schema["$ref"], root)
        if named is None or named is schema:
            return schema
        schema = merged(named, {key: part for key, part in schema.items() if key != "$ref"})
    return schema


def merged(named: Any, beside: Mapping[str, Any]) -> Any:
    """What a reference names together with the keywords beside the reference.

    Both apply. Where they say different things with the same keyword, both stay, under `allOf`.

    Args:
        named: the schema that the reference names.
        beside: the keywords that stand beside `$ref`.
    """
    if not beside:
        return named
    if not isinstance(named, Mapping):
        return {**beside, **({"not": {}} if named is False else {})}
    clashes = {key for key in beside if key not in DESCRIBING and _clashes(key, beside[key], named)}
    together = {**named, **{key: part for key, part in beside.items() if key not in clashes}}
    if clashes:
        others = [*named.get("allOf", []), *beside.get("allOf", [])]
        own = {key: beside[key] for key in clashes - {"allOf"}}
        together["allOf"] = [*others, *([own] if own else [])]
    return together


def _clashes(key: str, value: Any, named: Mapping[str, Any]) -> bool:
    if key in named:
        return bool(named[key] != value)
    return any(key in group and not group.isdisjoint(named) for group in TOGETHER)


def inline(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with every reference written out that can be.

    Keywords beside a reference are merged into what it names. A schema that holds itself keeps its
    reference and its definition; definitions that nothing names any more are dropped.

    Args:
        schema: a whole schema. What is no object is given back as it is.
    """
    if not isinstance(schema, Mapping):
        return schema
    kept = {
        key: {name: _written_out(part, schema, ()) for name, part in schema[key].items()}
        for key in DEFINITIONS
        if isinstance(schema.get(key), Mapping)
    }
    rest = {key: part for key, part in schema.items() if key not in kept}
    written: dict[str, Any] = _written_out(rest, schema, ())
    needed = _needed(written, kept)
    for key, definitions in kept.items():
        left = {name: part for name, part in definitions.items() if (key, name) in needed}
        written |= {key: left} if left else {}
    return written


def _written_out(schema: Any, root: Mapping[str, Any], on_the_way: tuple[str, ...]) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        if is_recursive(reference, root):
            return dict(schema)
        named = lookup(reference, root)
        if named is None or reference in on_the_way:
            return dict(schema)
        beside = {key: part for key, part in schema.items() if key != "$ref"}
        return _written_out(merged(named, beside), root, (*on_the_way, reference))
    return with_inner(schema, lambda _, part: _written_out(part, root, on_the_way))


def is_recursive(reference: str, root: Mapping[str, Any]) -> bool:
    """Whether what a reference names leads back to itself.

    Args:
        reference: the value of a `$ref`.
        root: the whole schema that it stands in.
    """
    seen: set[str] = set()
    waiting = [reference]
    while waiting:
        for found in references_in(lookup(waiting.pop(), root)):
            if found == reference or found == "#":
                return True
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    return reference == "#"


def references_in(schema: Any) -> Iterator[str]:
    """Every reference inside a schema."""
    for _, part in all_schemas(schema):
        if isinstance(part, Mapping) and isinstance(part.get("$ref"), str):
            yield part["$ref"]


def _needed(written: Any, kept: Mapping[str, Mapping[str, Any]]) -> set[tuple[str, str]]:
    needed: set[tuple[str, str]] = set()
    waiting = [written]
    while waiting:
        for reference in references_in(waiting.pop()):
            for key, definitions in kept.items():
                for name, part in definitions.items():
                    if _names(reference, key, name) and (key, name) not in needed:
                        needed.add((key, name))
                        waiting.append(part)
    return needed


def _names(reference: str, key: str, name: str) -> bool:
    own = f"#/{key}/{name.replace('~', '~0').replace('/', '~1')}"
    plain = unquote(reference)
    return plain == own or plain.startswith(f"{own}/")
