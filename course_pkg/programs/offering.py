"""Offer the programs of an allow-list to a model, as tools.

In: an `AllowList`. Out: plain `Tool`s. There are two ways, and the first is the better one.

`tools_of` makes one tool for each program. Each has its own flat schema and its own description, so
a model fills it as it fills any tool, and each can be approved by itself.

`run_program_tool` makes one tool, `run_program(program, arguments)`. JSON Schema can say "these
arguments for that program" only with a union at the root, which most services refuse. So the
schema takes each program's arguments for any program, and the pair is checked when it is called.
"""

from __future__ import annotations

from typing import Any

from course_pkg.programs.allow_list import AllowList
from course_pkg.programs.errors import ProgramDefinitionError, ProgramError
from course_pkg.programs.outcome import ProgramOutcome
from course_pkg.programs.program import Program
from course_pkg.tools import Tool

#: A tool may take so much longer than its program: starting and ending it take time too.
MARGIN_S = 5.0

RUN_PROGRAM = "run_program"


def tools_of(programs: AllowList) -> tuple[Tool, ...]:
    """One tool for each program of a list, in its order.

    Args:
        programs: what may be started.
    """
    return tuple(_tool_of(programs, program) for program in programs.values())


def run_program_tool(programs: AllowList) -> Tool:
    """One tool for all programs of a list: `run_program(program, arguments)`.

    Args:
        programs: what may be started.

    Raises:
        ProgramDefinitionError: if there is none.
    """
    if not programs:
        raise ProgramDefinitionError("The list is empty, so a model could run nothing. List one.")

    async def run(program: str, arguments: dict[str, Any] | None = None) -> str:
        outcome = await programs.run(program, arguments or {})
        return _text(outcome, programs[program])

    listed = "\n".join(f"- {name}: {item.description}" for name, item in programs.items())
    return Tool(
        name=RUN_PROGRAM,
        description=(
            "Run one of the programs of this computer that are on a list, and give back what it "
            f"printed. No other program can be run. The programs:\n{listed}"
        ),
        input_schema=_schema_of_all(programs),
        run=run,
        side_effect=any(program.side_effect for program in programs.values()),
        timeout_s=max(program.timeout_s for program in programs.values()) + MARGIN_S,
    )


def _tool_of(programs: AllowList, program: Program) -> Tool:
    async def run(**arguments: Any) -> str:
        return _text(await programs.run(program.name, arguments), program)

    return Tool(
        name=program.name,
        description=program.description,
        input_schema=program.input_schema,
        run=run,
        side_effect=program.side_effect,
        timeout_s=program.timeout_s + MARGIN_S,
    )


def _schema_of_all(programs: AllowList) -> dict[str, Any]:
    each = [
        {**program.input_schema, "title": name, "description": f"For {name}."}
        for name, program in programs.items()
    ]
    arguments: dict[str, Any] = {
        "description": "What that program takes: the form that has its name.",
        "anyOf": each,
    }
    names = {
        "type": "string",
        "enum": list(programs),
        "description": "Which program to run, by its name on the list.",
    }
    return {
        "type": "object",
        "properties": {"program": names, "arguments": arguments},
        "required": ["program", "arguments"],
        "additionalProperties": False,
    }


def _text(outcome: ProgramOutcome, program: Program) -> str:
    """What the model reads. Raises `ProgramError` with it if the program did not succeed."""
    if outcome.succeeded:
        said = outcome.output or outcome.error_text
        return said or f"{program.name} is done. It printed nothing."
    raise ProgramError(f"{_why(outcome, program)}{_last_words(outcome)}")


def _why(outcome: ProgramOutcome, program: Program) -> str:
    if outcome.ending == "too_slow":
        return (
            f"{program.name} was not done after {program.timeout_s:g} seconds, so it was ended, "
            "with all that it had started. Give it less to do."
        )
    if outcome.is_cut:
        return (
            f"{program.name} printed more than {program.max_output_bytes:,} bytes, so it was "
            "ended. Ask it for less."
        )
    return f"{program.name} ended with exit status {outcome.exit_status}, which means a failure."


def _last_words(outcome: ProgramOutcome) -> str:
    said = outcome.error_text.strip() or outcome.output.strip()
    return f" What it printed:\n{said}" if said else " It printed nothing."
