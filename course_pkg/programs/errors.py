"""What can go wrong with a program, by who is at fault.

In: nothing. Out: `RefusedError` (the arguments), `ProgramError` (this computer),
`ProgramDefinitionError` (whoever wrote the allow-list).
"""

from __future__ import annotations

from course_pkg.tools import ToolError


class ProgramError(ToolError):
    """A program did not do what was asked. The text goes to the model as it is."""


class RefusedError(ProgramError):
    """Nothing was started, since the name or an argument is not allowed. The text says which."""


class ProgramDefinitionError(ValueError):
    """A program cannot be listed as it stands. The text says why and what to write instead."""
