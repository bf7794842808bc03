"""Find what a program has started and let go of, on Linux.

In: a mark that the program got in its environment. Out: the numbers of processes that carry it. A
process that leaves its group keeps its environment, so it is found here. One that changes its
environment too is not: this is a broom, and no wall.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

#: The variable that carries the mark.
MARK_VARIABLE = "COURSE_PROGRAM_RUN"

#: A process may start another one while we look.
MAX_ROUNDS = 5

PROCESSES = Path("/proc")

_counter = itertools.count(1)


def new_mark() -> str:
    """A mark that no other run on this computer has."""
    return f"{os.getpid()}-{next(_counter)}"


def end_strays(mark: str) -> None:
    """End every process that carries a mark. Does nothing where the system does not show them.

    Args:
        mark: what `new_mark` gave.
    """
    if sys.platform == "linux":
        for _ in range(MAX_ROUNDS):
            found = list(_marked(f"{MARK_VARIABLE}={mark}".encode()))
            for number in found:
                with contextlib.suppress(OSError):
                    os.kill(number, signal.SIGKILL)
            if not found:
                return


def _marked(entry: bytes) -> Iterator[int]:
    for folder in PROCESSES.iterdir():
        if folder.name.isdecimal():
            # Other people's processes, and those that have just ended, cannot be read.
            with contextlib.suppress(OSError):
                if entry in (folder / "environ").read_bytes().split(b"\0"):
                    yield int(folder.name)
