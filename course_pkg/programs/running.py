"""The whole way of a program: check, start, read in time and in measure, end.

In: a `Program`, arguments, a folder. Out: a `ProgramOutcome`. It waits on the event loop, by asking
again a little later; so it works on every kind of loop, needs no thread, and a cancelled run ends
its program at once.
"""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from course_pkg.programs.environment import small_environment
from course_pkg.programs.errors import ProgramError
from course_pkg.programs.filling import argv_of
from course_pkg.programs.outcome import Ending, ProgramOutcome
from course_pkg.programs.processes import ProcessTree, read_now
from course_pkg.programs.program import Program

#: Between two looks at a program; the pause doubles while nothing happens.
SHORTEST_PAUSE_S = 0.001
LONGEST_PAUSE_S = 0.02


async def run_program(
    program: Program, arguments: Mapping[str, Any], *, folder: Path
) -> ProgramOutcome:
    """Run one program, and come back when it and all that it has started are gone.

    Args:
        program: what to run.
        arguments: what the model gave.
        folder: the working folder. It must be there.

    Raises:
        RefusedError: if the arguments are not allowed. Nothing was started.
        ProgramError: if the program cannot be started.
    """
    argv = argv_of(program, arguments, folder=folder)
    with _started(program, argv, folder) as tree:
        printed, failing = (_Stream(pipe) for pipe in tree.pipes)
        ending = await _watched(tree, (printed, failing), program)
        status = tree.exit_status if ending == "exited" else None
    return ProgramOutcome(
        program=program.name,
        ending=ending,
        exit_status=status,
        output=printed.text(program.max_output_bytes),
        error_text=failing.text(program.max_output_bytes),
    )


def _started(program: Program, argv: list[str], folder: Path) -> ProcessTree:
    variables = small_environment(os.environ, folder=folder.resolve(), also=program.variables)
    try:
        return ProcessTree(
            argv, folder=folder, environment=variables, keeps_running=program.keeps_running
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ProgramError(
            f"{program.name} could not be started: {reason}. Tell the user; another call will not "
            "help."
        ) from error


async def _watched(tree: ProcessTree, streams: tuple[_Stream, _Stream], program: Program) -> Ending:
    now = asyncio.get_running_loop().time
    end_s = now() + program.timeout_s
    pause_s = 0.0
    while True:
        has_ended = tree.exit_status is not None  # asked before the last reading
        has_moved = any(tuple(stream.take() for stream in streams))  # all of them, each time
        if sum(stream.size for stream in streams) > program.max_output_bytes:
            return "too_much"
        if has_ended and not has_moved:
            return "exited"
        if now() > end_s:
            return "too_slow"
        pause_s = 0.0 if has_moved else min(max(2 * pause_s, SHORTEST_PAUSE_S), LONGEST_PAUSE_S)
        await asyncio.sleep(pause_s)


@dataclass
class _Stream:
    """One pipe, and what has come out of it."""

    pipe: IO[bytes]
    size: int = 0
    _parts: list[bytes] = field(default_factory=list)

    def take(self) -> bool:
        """Read what is there now, and say whether there was something."""
        part = read_now(self.pipe)
        if not part:
            return False
        self._parts.append(part)
        self.size += len(part)
        return True

    def text(self, max_bytes: int) -> str:
        """What has come, as text. Bytes that are no UTF-8 show as the replacement character."""
        whole = b"".join(self._parts)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # A character that the cut goes through is left out.
        text = decoder.decode(whole[:max_bytes], final=len(whole) <= max_bytes)
        return text.replace("\r\n", "\n")
