"""Find every problem of an instance at once.

In: an instance and a schema. Out: a list of `Problem`s, empty when the instance is valid, or the
branches of every `anyOf` and `oneOf` that the instance met. The verdict is that of `validators.py`;
the words are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from course_pkg.schema.blaming import blame, label_of
from course_pkg.schema.looking import MAX_DEPTH, strays, too_deep
from course_pkg.schema.patterns import PatternTooSlowError, compile_pattern
from course_pkg.schema.problem import Branch, Choice, Path, Problem, shown
from course_pkg.schema.references import followed
from course_pkg.schema.validators import additional_names, validator
from course_pkg.schema.wording import words_for

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Schema: TypeAlias = Mapping[str, Any]

COMBINING = ("anyOf", "oneOf")


def check(instance: Any, schema: Schema, *, formats: bool = True) -> list[Problem]:
    """Every problem of `instance`, ordered by where it is.

    Args:
        instance: a JSON value: dict, list, str, int, float, bool or None.
        schema: a JSON Schema.
        formats: whether `format` is checked. JSON Schema by itself leaves it unchecked; switched
            on, the formats of `formats.FORMATS` are checked and others are not.

    Raises:
        SchemaError: if the schema cannot be used.
        TooDeepError: if the instance is nested too deeply.
    """
    compiled = validator(schema, formats=formats)
    odd = strays(instance)
    try:
        errors = list(compiled.iter_errors(instance))
    except RecursionError:
        raise too_deep() from None
    if not errors and not odd:
        return []
    taken = {problem.path for problem in odd}
    found = [item for item in _problems(errors, compiled) if item.path not in taken]
    return sorted([*odd, *found], key=lambda problem: _order(problem.path))


def check_schema(schema: Schema) -> None:
    """See that a schema is one, before anything is checked against it.

    Raises:
        SchemaError: if it cannot be used, with the kind, the place and the reason.
    """
    validator(schema)


def branches(instance: Any, schema: Schema, *, formats: bool = True) -> list[Choice]:
    """What became of each branch of every `anyOf` and `oneOf` that an instance met.

    Those inside a branch are met where the value fits the branch or the branch is blamed.

    Args:
        instance: a JSON value.
        schema: a JSON Schema.
        formats: whether `format` is checked.

    Returns:
        One `Choice` for each, outer ones first, also where the verdict is good.

    Raises:
        SchemaError: if the schema cannot be used.
        TooDeepError: if the instance is nested too deeply.
    """
    compiled = validator(schema, formats=formats)
    strays(instance)
    try:
        return list(_Walk(compiled).met(instance, compiled.schema, ()))
    except RecursionError:
        raise too_deep() from None


def _problems(
    errors: Iterable[ValidationError], compiled: Validator, prefix: Path = ()
) -> list[Problem]:
    found = [_problem(error, compiled, prefix) for error in errors]
    # The library gives one error for each missing name; our words name them all at once.
    return sorted(dict.fromkeys(found), key=lambda problem: _order(problem.path))


def _order(path: Path) -> list[tuple[int, str]]:
    return [(key, "") if isinstance(key, int) else (-1, str(key)) for key in path]


def _problem(error: ValidationError, compiled: Validator, prefix: Path) -> Problem:
    keyword = str(error.validator or "false")
    keyword = "false" if keyword == "not" and error.validator_value == {} else keyword
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    expected, advice = words_for(keyword, error.validator_value, error.instance, schema)
    if isinstance(error.cause, PatternTooSlowError):
        expected, advice = "a text that is not too long for its pattern", "Make it shorter."
    path = (*prefix, *error.absolute_path)
    return Problem(
        path=path,
        keyword=keyword,
        expected=expected,
        found=shown(error.instance),
        advice=advice,
        choice=_failed_choice(error, compiled, path) if keyword in COMBINING else None,
    )


def _failed_choice(error: ValidationError, compiled: Validator, path: Path) -> Choice:
    parts: Any = error.validator_value
    prefix = path[: len(path) - len(error.absolute_path)]
    grouped: dict[Any, list[ValidationError]] = {}
    for inner in error.context or []:
        grouped.setdefault(inner.schema_path[0], []).append(inner)
    if grouped:
        found = [
            tuple(_problems(grouped.get(at, []), compiled, prefix)) for at in range(len(parts))
        ]
    else:  # more than one branch of oneOf matched, and the library does not say which
        found = [_problems_of(error.instance, part, compiled, path) for part in parts]
    return _choice(error.instance, str(error.validator), error.schema, found, compiled.schema, path)


def _problems_of(
    instance: Any, schema: Any, compiled: Validator, path: Path
) -> tuple[Problem, ...]:
    inner = compiled.evolve(schema=schema)
    return tuple(_problems(inner.iter_errors(instance), compiled, path))


def _choice(
    instance: Any,
    keyword: str,
    schema: Any,
    found: Sequence[tuple[Problem, ...]],
    root: Any,
    path: Path,
) -> Choice:
    labels = [label_of(part, root) for part in schema[keyword]]
    parts = tuple(
        Branch(number=number, label=label, problems=problems)
        for number, (label, problems) in enumerate(zip(labels, found, strict=True), start=1)
    )
    blamed, reason = (None, "")
    if all(found):
        blamed, reason = blame(instance, schema, parts, keyword=keyword, root=root)
    return Choice(path=path, keyword=keyword, branches=parts, blamed=blamed, reason=reason)


class _Walk:
    """Goes through an instance and its schema side by side, and stops at each combination."""

    def __init__(self, compiled: Validator) -> None:
        self.compiled = compiled
        self.root: Any = compiled.schema

    def met(self, instance: Any, schema: Any, path: Path) -> Iterator[Choice]:
        schema = followed(schema, self.root)
        if not isinstance(schema, Mapping) or len(path) > MAX_DEPTH:
            return
        for keyword in COMBINING:
            if isinstance(schema.get(keyword), list):
                yield from self.chosen(instance, keyword, schema, path)
        for part in self.same_instance(instance, schema):
            yield from self.met(instance, part, path)
        for key, part in self.below(instance, schema):
            yield from self.met(instance[key], part, (*path, key))

    def chosen(self, instance: Any, keyword: str, schema: Any, path: Path) -> Iterator[Choice]:
        parts = schema[keyword]
        found = [_problems_of(instance, part, self.compiled, path) for part in parts]
        choice = _choice(instance, keyword, schema, found, self.root, path)
        yield choice
        for branch, part in zip(choice.branches, parts, strict=True):
            if branch.matched or branch.number == choice.blamed:
                yield from self.met(instance, part, path)

    def same_instance(self, instance: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
        yield from schema.get("allOf", [])
        if "if" in schema:
            holds = self.compiled.evolve(schema=schema["if"]).is_valid(instance)
            yield schema.get("then" if holds else "else", True)
        if isinstance(instance, dict):
            rules = schema.get("dependentSchemas", {})
            yield from (rule for name, rule in rules.items() if name in instance)

    def below(self, instance: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
        if isinstance(instance, dict):
            yield from _named(instance, schema)
        elif isinstance(instance, list):
            yield from _listed(instance, schema)


def _named(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    known = schema.get("properties", {})
    yield from ((name, part) for name, part in known.items() if name in instance)
    for text, part in schema.get("patternProperties", {}).items():
        for name in instance:
            if len(name) < MAX_DEPTH and compile_pattern(text).is_found_in(name):
                yield name, part
    rest = schema.get("additionalProperties")
    if isinstance(rest, Mapping):
        yield from ((name, rest) for name in additional_names(instance, schema))


def _listed(instance: Sequence[Any], schema: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
    items = schema.get("items")
    first = items if isinstance(items, list) else schema.get("prefixItems", [])
    rest = schema.get("additionalItems") if isinstance(items, list) else items
    yield from zip(range(len(instance)), first, strict=False)
    if isinstance(rest, Mapping):
        yield from ((at, rest) for at in range(len(first), len(instance)))
