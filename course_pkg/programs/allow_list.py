"""The programs that may be started, and the folder that they work in.

In: programs and a folder. Out: an `AllowList`, which runs them by name. What is not on it cannot be
started, however it is asked for.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from course_pkg.programs.errors import ProgramDefinitionError, RefusedError
from course_pkg.programs.outcome import ProgramOutcome
from course_pkg.programs.paths import shown
from course_pkg.programs.program import Program
from course_pkg.programs.running import run_program

#: So many programs of one list run at the same time.
MAX_RUNNING = 8


class AllowList(Mapping[str, Program]):
    """Programs by name, and one working folder for all of them.

    It is a `Mapping`: `programs["count_words"]`, `len(programs)`, iteration over names.
    """

    def __init__(self, programs: Iterable[Program], *, folder: Path) -> None:
        """List programs.

        Args:
            programs: what may be started.
            folder: where they work. No path argument leads out of it.

        Raises:
            ProgramDefinitionError: if two programs have the same name.
        """
        self._programs: dict[str, Program] = {}
        for program in programs:
            if program.name in self._programs:
                raise ProgramDefinitionError(
                    f"Two programs are named {program.name!r}. Rename one of them."
                )
            self._programs[program.name] = program
        self.folder = folder
        self._places = threading.BoundedSemaphore(MAX_RUNNING)

    def __getitem__(self, name: str) -> Program:
        """The program of that name. Raises `KeyError` where there is none."""
        return self._programs[name]

    def __iter__(self) -> Iterator[str]:
        """The names, in order."""
        return iter(self._programs)

    def __len__(self) -> int:
        """How many programs there are."""
        return len(self._programs)

    def __repr__(self) -> str:
        """The names. The folder is left out: a saved notebook should not show where it was made."""
        return f"AllowList({', '.join(self._programs)})"

    async def run(self, name: str, arguments: Mapping[str, Any]) -> ProgramOutcome:
        """Run one program of the list.

        Args:
            name: which one.
            arguments: what the model gave.

        Raises:
            RefusedError: if it is not on the list, its arguments are not allowed, or too many run
                already. Nothing was started.
            ProgramError: if it cannot be started.
        """
        if name not in self._programs:
            raise RefusedError(self._not_listed(name))
        if not self._places.acquire(blocking=False):
            raise RefusedError(
                f"{name} was not started: {MAX_RUNNING} programs are running already. Wait until "
                "one of them has ended."
            )
        try:
            return await run_program(self._programs[name], arguments, folder=self.folder)
        finally:
            self._places.release()

    def _not_listed(self, name: str) -> str:
        close = difflib.get_close_matches(name[:100], self._programs, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return (
            f"{shown(name)} is not on the list, so nothing was started.{hint} "
            f"Programs on the list: {', '.join(self._programs) or 'none'}."
        )
