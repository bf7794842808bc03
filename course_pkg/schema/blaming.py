"""Find the branch that was meant, where a value fits none.

In: the value, the schema with its `anyOf` or `oneOf`, and the problems of each branch. Out: the
number of the branch to blame, and why. The first of these that points at exactly one branch wins:

1. a tag: a place where branches want different constants (`const` or `enum`), and the value has one
   of them there;
2. a name that only one branch knows, and the value has it;
3. the type: only one branch takes a value of this type;
4. the number of problems: one branch has fewer than all others.

Where a tag is missing or unknown, no branch is blamed and the reason says which tags there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from course_pkg.schema.problem import Branch, Path, Problem, json_type, shown, written
from course_pkg.schema.references import followed

#: The tag's place in the value → the constants that a branch allows there.
Tags: TypeAlias = Mapping[Path, Sequence[Any]]
Verdict: TypeAlias = tuple[int | None, str]

#: How deep in a value a tag is looked for, and how many constants are named.
MAX_TAG_DEPTH = 2
MAX_TAGS_SHOWN = 12
MAX_LABEL_CHARS = 60

#: Keywords that tell branches of one type apart, for their labels.
TELLING = (
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
)


def blame(
    instance: Any, schema: Mapping[str, Any], branches: Sequence[Branch], *, keyword: str, root: Any
) -> Verdict:
    """The number of the branch that was meant and the reason; `None` where none stands out.

    Args:
        instance: the value, which fits none of the branches.
        schema: the schema with the `anyOf` or `oneOf`.
        branches: the branches with their problems.
        keyword: `anyOf` or `oneOf`.
        root: the whole schema, for references.
    """
    parts = {
        branch.number: followed(part, root)
        for branch, part in zip(branches, schema[keyword], strict=True)
    }
    fitting = {
        number: part for number, part in parts.items() if _takes(part, json_type(instance), root)
    }
    named = schema.get("discriminator")
    first = named.get("propertyName") if isinstance(named, Mapping) else None
    verdict = _by_tag(instance, fitting, root, first=first)
    if verdict is not None:
        return verdict
    return (
        _by_name(instance, fitting, branches, root)
        or _by_type(instance, fitting, len(parts))
        or _by_count(fitting, branches)
        or (None, "")
    )


def label_of(schema: Any, root: Any) -> str:
    """What to call a branch, in a few words.

    Args:
        schema: the branch.
        root: the whole schema, for references.
    """
    text = _title(schema, root) or _kind(followed(schema, root), root)
    return text if len(text) <= MAX_LABEL_CHARS else f"{text[:MAX_LABEL_CHARS]}…"


def _title(schema: Any, root: Any) -> str:
    found = followed(schema, root)
    title = found.get("title") if isinstance(found, Mapping) else None
    if isinstance(title, str) and title:
        return title
    tag = next(((path, values) for path, values in _tags(found, root) if len(values) == 1), None)
    if tag is not None:
        return f"{written(tag[0])} {shown(tag[1][0])}".strip()
    reference = schema.get("$ref") if isinstance(schema, Mapping) else None
    return str(reference).rsplit("/", 1)[-1] if isinstance(reference, str) else ""


def _kind(schema: Any, root: Any) -> str:
    if not isinstance(schema, Mapping):
        return "anything" if schema else "nothing"
    if schema.get("not") == {}:
        return "nothing"
    kinds = schema.get("type", [])
    words = [" or ".join([kinds] if isinstance(kinds, str) else kinds)]
    words += [f"{word} {shown(schema[word])}" for word in TELLING if word in schema]
    if isinstance(schema.get("enum"), list):
        words.append(f"one of {_listed(schema['enum'])}")
    names = [*schema.get("required", [])] or [*schema.get("properties", {})]
    words += [f"with {', '.join(map(str, names))}"] if names else []
    return " ".join(filter(None, words)) or "anything"


def _takes(schema: Any, kind: str, root: Any) -> bool:
    """Whether a branch takes values of a type."""
    schema = followed(schema, root)
    if not isinstance(schema, Mapping) or schema.get("not") == {}:
        return schema is True
    if not all(_takes(part, kind, root) for part in schema.get("allOf", [])):
        return False
    for word in ("anyOf", "oneOf"):
        if schema.get(word) and not any(_takes(part, kind, root) for part in schema[word]):
            return False
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return any(_alike(json_type(value), kind) for value in values)
    kinds = schema.get("type", kind)
    return any(_alike(one, kind) for one in ([kinds] if isinstance(kinds, str) else kinds))


def _alike(wanted: str, kind: str) -> bool:
    numbers = {"integer", "number"}
    return wanted == kind or (wanted in numbers and kind in numbers)


def _tags(schema: Any, root: Any, path: Path = ()) -> Iterator[tuple[Path, Sequence[Any]]]:
    """The places where a schema wants constants, the outer ones first."""
    schema = followed(schema, root)
    if not isinstance(schema, Mapping) or len(path) > MAX_TAG_DEPTH:
        return
    if "const" in schema:
        yield path, (schema["const"],)
    elif isinstance(schema.get("enum"), list):
        yield path, tuple(schema["enum"])
    for part in schema.get("allOf", []):
        yield from _tags(part, root, path)
    properties = schema.get("properties", {})
    first = schema.get("prefixItems", [])
    for key, part in (*properties.items(), *enumerate(first)):
        yield from _tags(part, root, (*path, key))


def _by_tag(
    instance: Any, parts: Mapping[int, Any], root: Any, *, first: str | None
) -> Verdict | None:
    tags = {number: dict(_tags(part, root)) for number, part in parts.items()}
    places = sorted(
        {path for found in tags.values() for path in found},
        key=lambda path: (path != (first,), len(path), str(path)),
    )
    reason = ""
    for place in places:
        wanted = {number: found[place] for number, found in tags.items() if place in found}
        if len(wanted) < 2 or not _are_apart([*wanted.values()]):
            continue
        is_there, value = _at(instance, place)
        meant = [number for number, values in wanted.items() if is_there and _holds(values, value)]
        if meant:
            return meant[0], f"{written(place) or 'the value'} selects the {_plain(value)} branch"
        if len(wanted) == len(parts) and not reason:
            listed = _listed([value for values in wanted.values() for value in values])
            reason = f"{written(place) or 'the value'} must be one of {listed}"
    return (None, reason) if reason else None


def _at(instance: Any, path: Path) -> tuple[bool, Any]:
    for key in path:
        inside = isinstance(instance, Mapping) and key in instance
        listed = isinstance(instance, list) and isinstance(key, int) and key < len(instance)
        if not inside and not listed:
            return False, None
        instance = instance[key]
    return True, instance


def _are_apart(groups: Sequence[Sequence[Any]]) -> bool:
    return not any(
        _holds(other, value)
        for at, group in enumerate(groups)
        for value in group
        for other in groups[at + 1 :]
    )


def _holds(values: Sequence[Any], value: Any) -> bool:
    return any(same(one, value) for one in values)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def _by_name(
    instance: Any, parts: Mapping[int, Any], branches: Sequence[Branch], root: Any
) -> Verdict | None:
    if not isinstance(instance, Mapping) or len(parts) < 2:
        return None
    for known in (_required, _properties):
        names = {number: known(part, root) for number, part in parts.items()}
        meant = {
            number: name
            for number, own in names.items()
            for name in instance
            if name in own and not any(name in names[other] for other in names if other != number)
        }
        if len(meant) == 1:
            (number, name), *_ = meant.items()
            return number, f"{written((name,))} selects the branch {branches[number - 1].label}"
    return None


def _required(schema: Any, root: Any) -> set[str]:
    return _collected(schema, "required", root)


def _properties(schema: Any, root: Any) -> set[str]:
    return _collected(schema, "properties", root) | _required(schema, root)


def _collected(schema: Any, keyword: str, root: Any) -> set[str]:
    schema = followed(schema, root)
    if not isinstance(schema, Mapping):
        return set()
    inner = [_collected(part, keyword, root) for part in schema.get("allOf", [])]
    return set(schema.get(keyword, ())).union(*inner)


def _by_type(instance: Any, parts: Mapping[int, Any], count: int) -> Verdict | None:
    if len(parts) != 1 or count < 2:
        return None
    number = next(iter(parts))
    return number, f"Only branch {number} takes the type {json_type(instance)}"


def _by_count(parts: Mapping[int, Any], branches: Sequence[Branch]) -> Verdict | None:
    counts = sorted((_count(branches[number - 1].problems), number) for number in parts)
    if len(counts) < 2 or counts[0][0] == counts[1][0]:
        return None
    return counts[0][1], f"Branch {counts[0][1]} has the fewest problems"


def _count(problems: Sequence[Problem]) -> int:
    return sum(
        1 + min((_count(branch.problems) for branch in problem.choice.branches), default=0)
        if problem.choice
        else 1
        for problem in problems
    )


def _listed(values: Sequence[Any]) -> str:
    more = ", …" if len(values) > MAX_TAGS_SHOWN else ""
    return ", ".join(shown(value) for value in values[:MAX_TAGS_SHOWN]) + more


def _plain(value: Any) -> str:
    return value if isinstance(value, str) and value.isalnum() else shown(value)
