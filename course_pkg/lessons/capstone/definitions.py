"""Look at the definitions: what the model is told about the tools.

In: a subject. Out: findings, from the course's own linter, its strict subset and its schema
checker, and from the brief's examples of good arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from course_pkg.lessons.capstone.contract import ALSO_GOOD, GOOD, NAMES
from course_pkg.lessons.capstone.step import Step
from course_pkg.lessons.capstone.subject import NotLookedAtError, Subject
from course_pkg.schema import Finding as Lint
from course_pkg.schema import NotStrictableError, check, explain, lint, shown, to_strict
from course_pkg.tools import Tool, ToolDefinitionError, compare
from course_pkg.widgets.report import Finding

SECTION = "Definitions"

#: How the codes of findings about descriptions begin (page 04).
WORDS = ("description_", "parameter_")

#: The linter speaks of JSON; what makes it, for those who use @tool.
IN_PYTHON = {"type_missing": " In Python: an annotation, such as name: str."}


async def _names(subject: Subject) -> Sequence[Finding]:
    missing = [name for name in NAMES if name not in subject.tools]
    found = [
        Finding(
            code="tool_missing",
            where=name,
            what=f"There is no tool of this name. Yours: {', '.join(subject.tools) or 'none'}.",
            fix=f"Name it {name}, as the brief does, and put it into the toolbox.",
        )
        for name in missing
    ]
    found += [
        Finding(
            code="tool_too_many",
            where=name,
            what="The brief does not ask for this tool.",
            why="Each tool travels with every request, and a model chooses better among fewer.",
            fix="Take it out of the toolbox.",
        )
        for name in subject.tools
        if name not in NAMES
    ]
    return found


async def _lint(subject: Subject) -> Sequence[Finding]:
    return [_told(item) for item in lint(_some(subject)) if not item.code.startswith(WORDS)]


async def _words(subject: Subject) -> Sequence[Finding]:
    return [_told(item) for item in lint(_some(subject)) if item.code.startswith(WORDS)]


def _some(subject: Subject) -> Any:
    if not subject.tools:
        raise NotLookedAtError("there is no tool")
    return subject.tools


def _told(item: Lint) -> Finding:
    return Finding(code=item.code, where=f"{item.tool} · {item.path}", what=item.text, fix=item.fix)


async def _strict(subject: Subject) -> Sequence[Finding]:
    found = []
    for tool in _some(subject).values():
        try:
            to_strict(tool.input_schema)
        except NotStrictableError as error:
            found.append(
                Finding(
                    code="not_strictable",
                    where=f"{tool.name} · {error.path}",
                    what=str(error).removesuffix(error.hint).strip(),
                    why="A provider that checks calls itself takes only the strict subset.",
                    fix=error.hint,
                )
            )
    return found


async def _agree(subject: Subject) -> Sequence[Finding]:
    return [finding for tool in _some(subject).values() for finding in _of_signature(tool)]


def _of_signature(tool: Tool) -> Iterator[Finding]:
    hidden = f"/properties/{tool.idempotency_key}"  # the executor gives it, not the model
    try:
        found = compare(tool, tool.definition())
    except ToolDefinitionError as error:
        yield Finding(
            code="signature_unusable",
            where=tool.name,
            what=str(error),
            fix="Give the function one parameter for each argument.",
        )
        return
    yield from (_told(item) for item in found if not (tool.idempotency_key and item.path == hidden))


async def _takes_good(subject: Subject) -> Sequence[Finding]:
    found = []
    for name, arguments in (*GOOD.items(), *ALSO_GOOD):
        problems = check(dict(arguments), _known(subject, name).input_schema)
        if problems:
            found.append(
                Finding(
                    code="schema_refuses_good",
                    where=name,
                    what=f"The arguments {shown(dict(arguments))} are refused: {explain(problems)}",
                    why="The brief allows them.",
                    fix="Look at the names, the types and the limits in the brief.",
                )
            )
    return found


def _known(subject: Subject, name: str) -> Tool:
    if name not in subject.tools:
        raise NotLookedAtError(f"there is no tool {name}")
    return subject.tools[name]


STEPS = (
    Step(section=SECTION, title="The toolbox has the three tools of the brief.", look=_names),
    Step(section=SECTION, title="The linter finds nothing to mend.", look=_lint),
    Step(section=SECTION, title="Each description keeps the five rules of page 04.", look=_words),
    Step(section=SECTION, title="Each schema can be said in the strict subset.", look=_strict),
    Step(section=SECTION, title="Each definition agrees with its function.", look=_agree),
    Step(section=SECTION, title="The schemas take what the brief allows.", look=_takes_good),
)
