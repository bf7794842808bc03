"""Look a tool's definition over before a model is sent it.

In: definitions in the form of any interface. Out: `Finding`s, each with a code, a place, a reason
and a fix. The rules about words (`describing.py`, `naming.py`) know English; a description in
another script is only looked at for its length.

`definitions.py` reads the forms, `naming.py` and `describing.py` look at names and descriptions,
`parts.py` at each part of the schema, `unions.py` at `anyOf` and `oneOf`, `subset.py` at the strict
subset. Adding a rule is adding a function to a list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from course_pkg.schema.errors import SchemaError
from course_pkg.schema.finding import SEVERITIES, Finding
from course_pkg.schema.linting.definitions import Definition, read_definitions
from course_pkg.schema.linting.describing import description_findings
from course_pkg.schema.linting.naming import name_findings
from course_pkg.schema.linting.parts import schema_findings
from course_pkg.schema.linting.subset import strict_findings
from course_pkg.schema.problem import shown
from course_pkg.schema.validators import validator

__all__ = ["Finding", "lint", "strict_findings"]

#: With more tools than this, models choose worse and every request grows.
MAX_TOOLS = 20


def lint(source: Any) -> tuple[Finding, ...]:
    """Everything about definitions that should be mended.

    Args:
        source: one definition or a list of them, as Chat Completions, Responses, Anthropic Messages
            or MCP write them; a whole request body, or a result of MCP's `tools/list`; a toolbox.

    Returns:
        The findings: tool by tool, errors first.

    Raises:
        ValueError: if there is no definition in it.
    """
    definitions = read_definitions(source)
    found = [finding for item in definitions for finding in _of_one(item)]
    return (*found, *_of_all(definitions))


def _of_one(definition: Definition) -> Iterator[Finding]:
    found = [*name_findings(definition), *_of_schema(definition)]
    found += description_findings(definition)
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    yield from (replace(finding, tool=definition.name) for finding in found)


def _of_schema(definition: Definition) -> Iterator[Finding]:
    schema = definition.schema
    if schema is None:
        yield Finding(
            code="schema_missing",
            path="/",
            text="The definition does not say which arguments the tool takes.",
            fix='Add {"type": "object", "properties": {}, "additionalProperties": false}.',
        )
        return
    try:
        compiled = validator(schema)
    except SchemaError as error:
        yield Finding(
            code=CODES.get(error.kind, "schema_invalid"),
            path=error.path,
            text=str(error),
            fix=FIXES.get(error.kind, "Write the keyword as JSON Schema 2020-12 has it."),
            severity="error",
        )
        return
    strict = list(strict_findings(schema)) if definition.strict else []
    yield from strict
    taken = {(finding.path, REPLACED.get(finding.code)) for finding in strict}
    for finding in schema_findings(schema, compiled):
        if (finding.path, finding.code) not in taken:
            yield finding


#: Kinds of schema errors → codes, and what to do.
CODES = {
    "bad_pattern": "pattern_invalid",
    "unresolvable_ref": "ref_unresolvable",
    "endless_ref": "ref_endless",
}
FIXES = {
    "bad_pattern": "Write the pattern in the way of ECMA-262, without what Python alone has.",
    "unresolvable_ref": "Put the schema under $defs and refer to it as #/$defs/Name.",
    "endless_ref": "Let the reference stand under properties or items.",
}
#: A strict error says the same as a milder finding, which is then left out.
REPLACED = {
    "additionalProperties_not_false": "additionalProperties_missing",
    "root_combinator_not_strict": "root_combinator",
    "oneOf_not_strict": "oneOf_not_everywhere",
}


def _of_all(definitions: Sequence[Definition]) -> Iterator[Finding]:
    for name, count in Counter(item.name for item in definitions).items():
        if count > 1:
            yield Finding(
                code="name_duplicate",
                path="name",
                text=f"{count} tools are named {shown(name)}. A model tells tools apart by name.",
                fix="Give each its own name.",
                severity="error",
                tool=name,
            )
    if len(definitions) > MAX_TOOLS:
        yield Finding(
            code="too_many_tools",
            path="name",
            text=(
                f"{len(definitions)} tools travel with every request. Models choose better among "
                "5 to 10."
            ),
            fix="Offer only the tools that the task at hand needs.",
        )
