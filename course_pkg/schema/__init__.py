"""Check instances against JSON Schemas, say what is wrong so that one can act on it, and more.

In: an instance and a schema. Out: a list of `Problem`s, and words for a person or a model. Knows
nothing of tools, models or wires.

`check` finds every problem, `branches` says what became of each branch of a union, `explain` makes
one text; `lint` looks definitions over; `to_strict` and `convert` say a schema in the words of a
provider, each with its way back; `apply_defaults` fills in what `default` only promises.

Covered: JSON Schema 2020-12 and the older dialects that `$schema` names, without a network. Not
covered: formats that no tool needs, `$vocabulary`, output formats of the specification.

Names are loaded when they are first asked for: who makes a tool need not wait for the linter.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from course_pkg.schema.along import apply_defaults
    from course_pkg.schema.checking import branches, check, check_schema
    from course_pkg.schema.combining import ConversionError
    from course_pkg.schema.converting import TARGETS, Converted, convert
    from course_pkg.schema.errors import SchemaError, TooDeepError
    from course_pkg.schema.explaining import explain
    from course_pkg.schema.finding import Finding
    from course_pkg.schema.formats import FORMATS
    from course_pkg.schema.linting import lint, strict_findings
    from course_pkg.schema.problem import Branch, Choice, Problem, json_type, shown
    from course_pkg.schema.references import inline
    from course_pkg.schema.strictness import NotStrictableError, from_strict, to_strict

#: Which module each public name comes from.
_HOMES = {
    "FORMATS": "formats",
    "TARGETS": "converting",
    "Branch": "problem",
    "Choice": "problem",
    "ConversionError": "combining",
    "Converted": "converting",
    "Finding": "finding",
    "NotStrictableError": "strictness",
    "Problem": "problem",
    "SchemaError": "errors",
    "TooDeepError": "errors",
    "apply_defaults": "along",
    "branches": "checking",
    "check": "checking",
    "check_schema": "checking",
    "convert": "converting",
    "explain": "explaining",
    "from_strict": "strictness",
    "inline": "references",
    "json_type": "problem",
    "lint": "linting",
    "shown": "problem",
    "strict_findings": "linting",
    "to_strict": "strictness",
}

__all__ = [
    "FORMATS",
    "TARGETS",
    "Branch",
    "Choice",
    "ConversionError",
    "Converted",
    "Finding",
    "NotStrictableError",
    "Problem",
    "SchemaError",
    "TooDeepError",
    "apply_defaults",
    "branches",
    "check",
    "check_schema",
    "convert",
    "explain",
    "from_strict",
    "inline",
    "json_type",
    "lint",
    "shown",
    "strict_findings",
    "to_strict",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'course_pkg.schema' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"course_pkg.schema.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, for completion in a notebook."""
    return __all__
