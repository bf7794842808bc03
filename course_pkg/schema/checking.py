"""Find every problem of an instance at once.

In: an instance and a schema. Out: a list of `Problem`s, empty when the instance is valid. The
verdict is the `jsonschema` library's; the words are ours. A compiled validator is kept for each
schema, so the same schema is compiled once in a process. Nothing is ever fetched from a network.

The dialect is JSON Schema 2020-12, or the one that the schema's `$schema` names.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from course_pkg.schema.problem import Problem, shown
from course_pkg.schema.wording import words_for

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Schema: TypeAlias = Mapping[str, Any]

#: Compiled validators that are kept.
MAX_KEPT_VALIDATORS = 512

#: The formats that are checked. `jsonschema` alone can check these; others depend on what else is
#: installed, and a verdict must not.
CHECKED_FORMATS = ("date", "email", "ipv4", "ipv6", "regex", "uuid")


class SchemaError(ValueError):
    """A schema is itself not valid, or refers to something that is not in it."""


def check(instance: Any, schema: Schema) -> list[Problem]:
    """Every problem of `instance`, ordered by where it is.

    Args:
        instance: a JSON value: dict, list, str, int, float, bool or None.
        schema: a JSON Schema.

    Raises:
        SchemaError: if the schema is not valid or a `$ref` in it leads nowhere.
    """
    from referencing.exceptions import Unresolvable

    try:
        errors = list(validator(schema).iter_errors(instance))
    except Unresolvable as error:
        raise SchemaError(
            f"A $ref in the schema leads nowhere: {shown(error.ref)}. Put what it names under "
            "$defs in the same schema; nothing is fetched from elsewhere."
        ) from error
    return _problems(errors)


def check_schema(schema: Schema) -> None:
    """See that a schema is one, before anything is checked against it.

    Raises:
        SchemaError: if it is not valid, with the place and the reason.
    """
    validator(schema)


def validator(schema: Schema) -> Validator:
    """The compiled validator of a schema, kept for the next time.

    Raises:
        SchemaError: if the schema is not valid.
    """
    try:
        # marshal is the quickest exact picture of a JSON value, and tells 1, 1.0 and true apart.
        picture = marshal.dumps(cast(Any, schema), 2)
    except ValueError:  # something in it is no plain JSON value
        return _compile(schema)
    return _compiled(picture)


@lru_cache(maxsize=MAX_KEPT_VALIDATORS)
def _compiled(picture: bytes) -> Validator:
    # The validator's schema is made from the picture, so a later change of the caller's dict
    # cannot reach it.
    return _compile(marshal.loads(picture))


def _compile(schema: Schema) -> Validator:
    jsonschema = _jsonschema()
    from referencing import Registry

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        where = "/".join(str(key) for key in error.absolute_path) or "its root"
        raise SchemaError(f"The schema is not valid at {where}: {error.message}") from error
    checker = jsonschema.FormatChecker(formats=CHECKED_FORMATS)
    compiled: Validator = kind(schema, format_checker=checker, registry=Registry())
    return compiled


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


def _problems(errors: Iterable[ValidationError]) -> list[Problem]:
    ordered = sorted(errors, key=lambda error: [_order(key) for key in error.absolute_path])
    # The library gives one error for each missing name; our words name them all at once.
    return list(dict.fromkeys(_problem(error) for error in ordered))


def _order(key: str | int) -> tuple[int, str]:
    return (key, "") if isinstance(key, int) else (-1, key)


def _problem(error: ValidationError) -> Problem:
    keyword = str(error.validator)
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    expected, advice = words_for(keyword, error.validator_value, error.instance, schema)
    return Problem(
        path=tuple(error.absolute_path),
        keyword=keyword,
        expected=expected,
        found=shown(error.instance),
        advice=advice,
        branches=_branches(error),
    )


def _branches(error: ValidationError) -> tuple[tuple[Problem, ...], ...]:
    numbers = sorted({error.schema_path[0] for error in error.context or []}, key=str)
    return tuple(
        tuple(_problems(part for part in error.context or [] if part.schema_path[0] == number))
        for number in numbers
    )
