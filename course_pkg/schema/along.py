"""Go through an instance along its schema, and give back a changed copy.

In: an instance, a schema and a rule. Out: a new instance. Where the schema offers branches
(`anyOf`, `oneOf`), the first branch is followed that the changed value fits. The instance that came
in is never changed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from course_pkg.schema.looking import strays
from course_pkg.schema.references import followed
from course_pkg.schema.validators import validator

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: A value and its schema (an object without `$ref`), and what judges it → the new value.
Rule: TypeAlias = Callable[[Any, Mapping[str, Any], "Along"], Any]


def apply_defaults(arguments: Any, schema: Mapping[str, Any]) -> Any:
    """A copy of the arguments with each `default` filled in where a property is absent.

    JSON Schema itself never does this: `default` only tells a reader. A property that is there
    keeps its value, null too, and no object is made up to hold a default.

    Args:
        arguments: an instance, which stays as it is.
        schema: its schema.

    Raises:
        SchemaError: if the schema cannot be used.
        TooDeepError: if the arguments are nested too deeply.
    """
    return changed_along(arguments, schema, _fill)


def changed_along(instance: Any, schema: Mapping[str, Any], rule: Rule) -> Any:
    """A copy of an instance in which the rule has changed what it wanted.

    Args:
        instance: any JSON value.
        schema: its schema.
        rule: is asked at each value, outer ones first.

    Raises:
        SchemaError: if the schema cannot be used.
        TooDeepError: if the instance is nested too deeply.
    """
    strays(instance)
    return Along(validator(schema), rule).changed(copy.deepcopy(instance), schema)


class Along:
    """One way through an instance and its schema."""

    def __init__(self, compiled: Validator, rule: Rule) -> None:
        """Begin with the compiled validator of the whole schema."""
        self._compiled = compiled
        self._rule = rule

    def fits(self, value: Any, schema: Any) -> bool:
        """Whether a value is valid against a part of the schema."""
        return self._compiled.evolve(schema=schema).is_valid(value)

    def changed(self, value: Any, schema: Any) -> Any:
        """The new value for a value that is held against a part of the schema."""
        schema = followed(schema, self._compiled.schema)
        if not isinstance(schema, Mapping):
            return value
        for part in schema.get("allOf", []):
            value = self.changed(value, part)
        for keyword in ("anyOf", "oneOf"):
            value = self._in_a_branch(value, schema.get(keyword, []))
        value = self._rule(value, schema, self)
        if isinstance(value, dict):
            rest = schema.get("additionalProperties", True)
            known = schema.get("properties", {})
            return {name: self.changed(part, known.get(name, rest)) for name, part in value.items()}
        if isinstance(value, list):
            return [self.changed(part, _item(schema, at)) for at, part in enumerate(value)]
        return value

    def _in_a_branch(self, value: Any, parts: list[Any]) -> Any:
        for part in parts:
            candidate = self.changed(copy.deepcopy(value), part)
            if self.fits(candidate, part):
                return candidate
        return value


def _item(schema: Mapping[str, Any], at: int) -> Any:
    items = schema.get("items", True)
    first = items if isinstance(items, list) else schema.get("prefixItems", [])
    if at < len(first):
        return first[at]
    return schema.get("additionalItems", True) if isinstance(items, list) else items


def _fill(value: Any, schema: Mapping[str, Any], along: Along) -> Any:
    if not isinstance(value, dict):
        return value
    absent = {
        name: copy.deepcopy(part["default"])
        for name, part in schema.get("properties", {}).items()
        if name not in value and isinstance(part, Mapping) and "default" in part
    }
    return {**value, **absent}
