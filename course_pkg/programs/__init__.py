"""Run programs of this computer for a model, from an allow-list and from nothing else.

In: a program's name and typed arguments, as a model wrote them. Out: a `ProgramOutcome`, or a
`RefusedError` that says why nothing was started. Knows nothing of models, wires or the loop, and of
no program in particular: the course's own are in `samples.programs`.

What keeps it safe, and where: only listed programs (`allow_list.py`); arguments that fit a schema
(`filling.py`); each argument one item of a list, which no shell reads, and none that could be taken
for an option (`parts.py`, `filling.py`); paths inside one folder (`paths.py`); few variables
(`environment.py`); nothing to read from, a time limit and an output limit (`running.py`); an end
for all that was started (`processes.py`, `strays.py`, `windows_job.py`).

What it does not do: it is no sandbox. A program on the list can do what its user can do. So list
programs that do one thing.
"""

from course_pkg.programs.allow_list import MAX_RUNNING, AllowList
from course_pkg.programs.errors import ProgramDefinitionError, ProgramError, RefusedError
from course_pkg.programs.filling import argv_of
from course_pkg.programs.offering import run_program_tool, tools_of
from course_pkg.programs.outcome import ProgramOutcome
from course_pkg.programs.parts import Option, Part, PathIn, Switch, Word
from course_pkg.programs.paths import confined, path_schema, why_refused
from course_pkg.programs.program import MAX_OUTPUT_BYTES, PROGRAM_TIMEOUT_S, Program
from course_pkg.programs.running import run_program

__all__ = [
    "MAX_OUTPUT_BYTES",
    "MAX_RUNNING",
    "PROGRAM_TIMEOUT_S",
    "AllowList",
    "Option",
    "Part",
    "PathIn",
    "Program",
    "ProgramDefinitionError",
    "ProgramError",
    "ProgramOutcome",
    "RefusedError",
    "Switch",
    "Word",
    "argv_of",
    "confined",
    "path_schema",
    "run_program",
    "run_program_tool",
    "tools_of",
    "why_refused",
]
