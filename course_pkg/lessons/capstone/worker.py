"""The process in which a file is reviewed: `python -m course_pkg.lessons.capstone.worker`.

In: the path of the file, and the path of a file to tell the checks in. Out: a line for the start,
then one line of JSON for each check. What the learner's code prints goes nowhere.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from course_pkg.lessons.capstone.lines import as_line
from course_pkg.lessons.capstone.looking import look
from course_pkg.widgets.report import Check


def main(path: Path, told: Path) -> None:
    """Review one file.

    Args:
        path: the learner's file.
        told: where to write.
    """
    _silence()
    with told.open("a", encoding="utf-8", newline="\n") as opened:

        def write(line: str) -> None:
            opened.write(line)
            opened.flush()

        def tell(check: Check) -> None:
            write(as_line(check))

        write("started\n")
        with asyncio.Runner() as runner:
            runner.run(look(path, tell))


def _silence() -> None:
    """Send what is printed nowhere: a pipe that nobody reads would fill up."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)


if __name__ == "__main__":
    _, learners, lines = sys.argv
    sys.argv[1:] = []  # the learner's code may look at them
    main(Path(learners), Path(lines))
    os._exit(0)  # threads of the learner's code may never end
