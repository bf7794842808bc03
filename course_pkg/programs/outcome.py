"""What came of running a program.

In: nothing. Out: the frozen `ProgramOutcome`. It holds no time and no process number, so the same
run gives the same value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: It ended by itself, was ended at the time limit, or at the output limit.
Ending: TypeAlias = Literal["exited", "too_slow", "too_much"]


@dataclass(frozen=True, kw_only=True)
class ProgramOutcome:
    """What came of running a program.

    Attributes:
        program: its name.
        ending: how it came to an end.
        exit_status: what it exited with, 0 if all went well; `None` if it was ended.
        output: what it printed, lines ended alike on every system; up to the limit.
        error_text: what it printed to the error stream.
    """

    program: str
    ending: Ending
    exit_status: int | None
    output: str
    error_text: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself and says that all went well."""
        return self.exit_status == 0

    @property
    def is_cut(self) -> bool:
        """Whether it would have printed more than it may."""
        return self.ending == "too_much"
