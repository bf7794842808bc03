"""One program that may be started, and how.

In: what the writer of the allow-list knows of a program. Out: a frozen `Program`, or a
`ProgramDefinitionError` where it could not be run safely.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_pkg.programs.errors import ProgramDefinitionError
from course_pkg.programs.parts import Option, Part, Switch
from course_pkg.tools import JSONSchema

#: How long a program may run. Less than an executor's usual 10 s, so that our own text comes first.
PROGRAM_TIMEOUT_S = 8.0

#: How much a program may print before it is ended, both streams together.
MAX_OUTPUT_BYTES = 64_000

#: Names as every interface for tools takes them.
NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,63}")

#: On Windows these are run by a shell, whatever the caller does, and it reads the arguments
#: (CVE-2024-24576).
SHELL_ENDINGS = (".bat", ".cmd")


def no_arguments() -> JSONSchema:
    """The schema of a program that takes no arguments."""
    return {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, kw_only=True)
class Program:
    """One program that may be started, and how.

    Attributes:
        name: what the model calls it by; a verb first.
        description: what the model is told it does.
        command: the items that every argv list begins with. The first is the program, by its whole
            path: `shutil.which("git")` finds it.
        parts: where the arguments go, in order; options first, then words and paths.
        input_schema: the JSON Schema of the arguments: an object that takes no others.
        double_dash: whether `--` goes before the first word or path, so that the program takes
            nothing after it for an option. Nearly every program understands it.
        side_effect: whether it changes something (writes, sends, opens).
        keeps_running: whether what it starts may go on after it, as an opened window does.
        variables: names of environment variables that it gets besides the few of every program.
        timeout_s: how long it may run, in seconds.
        max_output_bytes: how much it may print.

    Raises:
        ProgramDefinitionError: if one of these would not be safe, or does not fit the others.
    """

    name: str
    description: str
    command: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    input_schema: JSONSchema = field(default_factory=no_arguments, repr=False)
    double_dash: bool = True
    side_effect: bool = True
    keeps_running: bool = False
    variables: tuple[str, ...] = ()
    timeout_s: float = PROGRAM_TIMEOUT_S
    max_output_bytes: int = MAX_OUTPUT_BYTES

    def __post_init__(self) -> None:
        """See that it can be run safely."""
        if reason := _of_command(self) or _of_schema(self) or _of_parts(self):
            raise ProgramDefinitionError(f"{self.name!r} cannot be listed: {reason}")


def _of_command(program: Program) -> str:
    if NAME.fullmatch(program.name) is None:
        return "its name needs letters, digits and '_' only, a letter first. Name it read_log, say."
    if not program.command or not all(isinstance(item, str) for item in program.command):
        return "its command must be a tuple of texts, the program first."
    first = program.command[0]
    if not Path(first).is_absolute():
        return (
            f"{first!r} is not a whole path, so another program of that name could be found. Write "
            f"shutil.which({first!r})."
        )
    if first.lower().endswith(SHELL_ENDINGS):
        return f"{first!r} would be run by a shell. Name the program that it starts."
    return ""


def _of_schema(program: Program) -> str:
    schema = program.input_schema
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), Mapping):
        return 'its input schema must have "type": "object" and "properties".'
    if schema.get("additionalProperties") is not False:
        return 'its input schema takes any argument. Add "additionalProperties": false.'
    return ""


def _of_parts(program: Program) -> str:
    properties: Mapping[str, Any] = program.input_schema["properties"]
    taken = {part.argument for part in program.parts}
    if unknown := sorted(taken - set(properties)):
        return f"its schema has no property {unknown[0]!r}, which one of its parts takes."
    if idle := sorted(set(properties) - taken):
        return f"no part of it takes the property {idle[0]!r}. Add Word({idle[0]!r}), say."
    flags = [isinstance(part, Option | Switch) for part in program.parts]
    if flags != sorted(flags, reverse=True):
        return "options and switches must come before words and paths."
    return ""
