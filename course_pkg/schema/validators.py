"""The validators of the `jsonschema` library, with some keywords of our own.

In: a schema. Out: a compiled validator, kept for the next time. The library decides; ours are only

* `pattern`, `patternProperties` and the names that `additionalProperties` leaves over: patterns as
  ECMA-262 means them, in bounded time;
* `multipleOf`, exact for decimals: 2.9 is a multiple of 0.1;
* the type `number`, which `NaN` is not;
* the formats, which are checked alike whatever else is installed.

The dialect is JSON Schema 2020-12, or the one that the schema's `$schema` names.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from course_pkg.schema.errors import SchemaError
from course_pkg.schema.formats import FORMATS, has_format
from course_pkg.schema.patterns import PatternTooSlowError, compile_pattern
from course_pkg.schema.places import all_schemas, is_schema, pointer, with_inner
from course_pkg.schema.problem import json_type
from course_pkg.schema.registering import (
    refuse_bad_patterns,
    refuse_bad_references,
    refuse_what_is_no_schema,
)

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Schema: TypeAlias = Mapping[str, Any]

#: Compiled validators that are kept.
MAX_KEPT_VALIDATORS = 512


#: What false says, as a schema that is an object.
NOTHING: Schema = {"not": {}}
#: Keywords of which the library knows what false says.
CLOSING = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "items",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)


def validator(schema: Schema, *, formats: bool = True) -> Validator:
    """The compiled validator of a schema, kept for the next time.

    Args:
        schema: a JSON Schema.
        formats: whether `format` is checked.

    Raises:
        SchemaError: if the schema cannot be used.
    """
    try:
        # marshal is the quickest exact picture of a JSON value, and tells 1, 1.0 and true apart.
        picture = marshal.dumps(cast(Any, schema), 2)
    except ValueError:  # something in it is no plain JSON value
        return _compile(schema, formats=formats)
    return _kept(picture, formats)


@lru_cache(maxsize=MAX_KEPT_VALIDATORS)
def _kept(picture: bytes, formats: bool) -> Validator:  # noqa: FBT001 - the cache's key
    # The validator's schema is made from the picture, so a later change of the caller's dict
    # cannot reach it.
    return _compile(marshal.loads(picture), formats=formats)


def _compile(schema: Any, *, formats: bool) -> Validator:
    jsonschema = _jsonschema()
    from referencing import Registry

    if not is_schema(schema):
        raise SchemaError(f"A schema is a JSON object, and this is of type {json_type(schema)}.")
    library = _library_for(schema, jsonschema.Draft202012Validator)
    refuse_what_is_no_schema(schema, library)
    refuse_bad_patterns(schema)
    refuse_bad_references(schema, library)
    plain = _without_dialect(schema, library)
    checker = _format_checker() if formats else None
    compiled: Validator = _ours(library)(plain, format_checker=checker, registry=Registry())
    return compiled


def _library_for(schema: Any, default: Any) -> Any:
    """The library's validator for the dialect that a schema names."""
    from jsonschema.validators import validator_for

    named = schema.get("$schema", "") if isinstance(schema, Mapping) else ""
    if not isinstance(named, str):
        raise SchemaError("$schema names a dialect, and it is no text.", path="/$schema")
    return validator_for(schema, default=default)


def _without_dialect(schema: Any, library: Any) -> Any:
    """The schema without `$schema`, which would lead from our validator back to the library's.

    Raises:
        SchemaError: if a part of it is of another dialect.
    """
    for steps, part in all_schemas(schema):
        named = isinstance(part, Mapping) and "$schema" in part
        if named and steps and "$id" in part and _library_for(part, library) != library:
            raise SchemaError(
                f"The schema at {pointer(steps)} is of another dialect than the one around it. "
                "Write both in one dialect.",
                kind="mixed_dialects",
                path=pointer(steps),
            )
    return _prepared(schema)


def _prepared(schema: Any) -> Any:
    """The schema without `$schema`, and false written out: the library loses the path of false."""
    if not isinstance(schema, Mapping):
        return schema
    inner = with_inner(
        schema,
        lambda way, part: NOTHING if part is False and way[0] not in CLOSING else _prepared(part),
    )
    inner.pop("$schema", None)
    return inner


@lru_cache(maxsize=1)
def _format_checker() -> Any:
    checker = _jsonschema().FormatChecker(formats=())
    for name in FORMATS:
        checker.checks(name)(partial(has_format, name=name))
    return checker


@lru_cache(maxsize=16)
def _ours(library: Any) -> Any:
    """The library's validator for a dialect, with our keywords where it has them."""
    extend = _jsonschema().validators.extend
    own = {name: rule for name, rule in OUR_KEYWORDS.items() if name in library.VALIDATORS}
    checker = library.TYPE_CHECKER.redefine_many(
        {"number": lambda _, value: is_number(value)}
        | ({"integer": lambda _, value: is_integer(value)} if _takes_1_0(library) else {})
    )
    ours = extend(library, validators=own, type_checker=checker)
    if _takes_1_0(library):
        # The library asks for types more than for anything else, through three calls. One will do.
        ours.is_type = _is_type
    return ours


def _takes_1_0(library: Any) -> bool:
    """Whether 1.0 is an integer in a dialect: from draft-06 on it is."""
    return bool(library.TYPE_CHECKER.is_type(1.0, "integer"))


def _is_type(_kind: Any, instance: Any, name: str) -> bool:
    return TYPES[name](instance)


def _jsonschema() -> Any:
    # Where JupyterLab is installed, importing jsonschema also compiles a grammar for two formats
    # that no tool schema uses: one to three seconds of CPU. jsonschema is content without it.
    name = "rfc3987_syntax"
    absent = name not in sys.modules
    if absent:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        import jsonschema
    finally:
        if absent:
            del sys.modules[name]
    return jsonschema


def is_number(value: Any) -> bool:
    """Whether a value is a number that JSON has: not true, not `NaN`."""
    if isinstance(value, float):
        return value - value == 0
    return isinstance(value, int) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    """Whether a value is a whole number; 1.0 is one, true is none."""
    if isinstance(value, int):
        return not isinstance(value, bool)
    return isinstance(value, float) and value.is_integer()


#: The types of JSON Schema → whether a value is of it.
TYPES: Mapping[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": is_integer,
    "null": lambda value: value is None,
    "number": is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def is_multiple(value: float, step: float) -> bool:
    """Whether a number is a whole number of steps, exactly, as they are written in JSON."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    return (Fraction(repr(value)) / Fraction(repr(step))).denominator == 1


def _multiple_of(kind: Any, step: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if kind.is_type(instance, "number") and not is_multiple(instance, step):
        yield _error("is no multiple")


def _pattern(kind: Any, text: str, instance: Any, schema: Any) -> Iterator[Any]:
    if not kind.is_type(instance, "string"):
        return
    try:
        found = compile_pattern(text).is_found_in(instance)
    except PatternTooSlowError as slow:
        yield _error("is too long for the pattern", cause=slow)
        return
    if not found:
        yield _error("does not match")


def _pattern_properties(kind: Any, rules: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not kind.is_type(instance, "object"):
        return
    for text, rule in rules.items():
        for name, value in instance.items():
            try:
                found = compile_pattern(text).is_found_in(name)
            except PatternTooSlowError as slow:
                yield _error("has a name that is too long for the pattern", cause=slow)
                return
            if found:
                yield from kind.descend(value, rule, path=name, schema_path=text)


def _additional_properties(kind: Any, rule: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not kind.is_type(instance, "object"):
        return
    extras = additional_names(instance, schema)
    if isinstance(rule, Mapping):
        for name in extras:
            yield from kind.descend(instance[name], rule, path=name)
    elif extras and not rule:
        yield _error("has additional properties")


def additional_names(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """The names that neither `properties` nor `patternProperties` of a schema knows.

    A name that is too long to be held against a pattern counts as known: `patternProperties` has
    already refused it.

    Args:
        instance: an object.
        schema: the schema that it is held against.
    """
    known = schema.get("properties", ())
    names = [name for name in instance if name not in known]
    if not names or "patternProperties" not in schema:
        return names
    patterns = [compile_pattern(text) for text in schema["patternProperties"]]
    return [name for name in names if not any(_may_be(pattern, name) for pattern in patterns)]


def _may_be(pattern: Any, name: str) -> bool:
    try:
        return bool(pattern.is_found_in(name))
    except PatternTooSlowError:
        return True


def _error(message: str, *, cause: Exception | None = None) -> Any:
    from jsonschema import ValidationError

    return ValidationError(message, cause=cause)


OUR_KEYWORDS = {
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
}
