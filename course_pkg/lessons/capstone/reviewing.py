"""Review a learner's toolbox: every check in its order, whatever the learner's code does.

In: a path, the text of a file, a toolbox, or anything else. Out: a `Report`, always. A file is run
in a process of its own, without the keys of this one, which is ended with all that it started. It
is no sandbox: review files of people whom you would let run a program on this computer. Tools of a
notebook are run in a thread; one that never ends stays behind in it, and the report says so.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from course_pkg.lessons.capstone.assembling import assembled
from course_pkg.lessons.capstone.lines import from_line
from course_pkg.lessons.capstone.looking import LOADED, PLAN, look, odd
from course_pkg.lessons.capstone.subject import is_file, no_file
from course_pkg.programs.environment import small_environment
from course_pkg.programs.processes import ProcessTree
from course_pkg.widgets.report import Check, Report

#: How long reading the learner's code may take, and each check, in seconds.
LIMIT_S = 15.0
#: How long Python itself may take to start, in seconds.
START_LIMIT_S = 60.0
#: How often a review in progress is looked at, in seconds.
POLL_S = 0.02

#: What a file is called that was handed in as a text.
TEXT_NAME = "repair_cafe.py"

#: Who writes to the log when a tool fails inside a server.
LOGGERS = ("course_pkg.mcp_server", "mcp")


def review(answer: Any, *, limit_s: float = LIMIT_S) -> Report:
    """Review a toolbox.

    Args:
        answer: the path of a file, the text of one, a toolbox, or a list of tools and functions.
            Anything else gets a report too.
        limit_s: how long reading the code may take, and each check, in seconds.
    """
    if isinstance(answer, str) and "\n" in answer:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder) / TEXT_NAME
            path.write_text(answer, encoding="utf-8", errors="replace")
            return _review_file(path, limit_s)
    if isinstance(answer, str | Path):
        return _review_file(Path(answer), limit_s)
    return _review_here(answer, limit_s)


# --- a file, in a process of its own --------------------------------------------------------------


def _review_file(path: Path, limit_s: float) -> Report:
    if not is_file(path):
        return assembled(path.name or str(path), [Check(title=LOADED, findings=(no_file(path),))])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        told = folder / "checks.jsonl"
        argv = [sys.executable, "-m", f"{__package__}.worker", str(path.resolve()), str(told)]
        with ProcessTree(argv, folder=folder, environment=_environment(folder)) as tree:
            how = _watch(lambda: _lines(told), lambda: tree.exit_status is None, limit_s)
        try:
            checks = [from_line(line) for line in _lines(told)[1:]]
        except ValueError as error:
            checks = [Check(title=LOADED, findings=(odd(error),))]
    return assembled(path.name, checks, how)


def _environment(folder: Path) -> dict[str, str]:
    import course_pkg

    here = str(Path(course_pkg.__file__).parent.parent)
    known = filter(None, (here, os.environ.get("PYTHONPATH", "")))
    return {
        **small_environment(os.environ, folder=folder),
        "PYTHONPATH": os.pathsep.join(known),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COURSE_FOLDER": str(folder),
    }


def _lines(path: Path) -> list[str]:
    """The whole lines that the process has written."""
    if not path.exists():
        return []
    return path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]


# --- tools of a notebook, in a thread -------------------------------------------------------------


def _review_here(answer: Any, limit_s: float) -> Report:
    checks: list[Check] = []

    def work() -> None:
        try:
            with asyncio.Runner() as runner:
                runner.run(look(answer, checks.append))
        except BaseException as error:  # a tool may raise anything, and a thread has no caller
            checks.append(Check(title="", findings=(odd(error),)))

    thread = threading.Thread(target=work, name="review of a toolbox", daemon=True)
    with _quiet_logs():
        thread.start()
        # One for the start, as the process tells it.
        how = _watch(lambda: ["", *checks], thread.is_alive, limit_s)
    return assembled("your toolbox", list(checks), how)


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep what a server in this process logs of failing tools out of the cell."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


# --- both -----------------------------------------------------------------------------------------


def _watch(told: Callable[[], Sequence[Any]], goes_on: Callable[[], bool], limit_s: float) -> str:
    """Wait until all is told, or nothing more comes.

    Args:
        told: what has come so far: one for the start, then one for each check.
        goes_on: whether more may come.
        limit_s: how long to wait for the next, in seconds.

    Returns:
        `stuck` or `ended` if something is missing without a reason; else nothing.
    """
    count, since = -1, time.monotonic()
    while len(told()) <= len(PLAN):
        alive = goes_on()
        now = len(told())
        if now != count:
            count, since = now, time.monotonic()
        elif not alive:
            return "ended"
        elif time.monotonic() - since > (limit_s if count else START_LIMIT_S):
            return "stuck"
        time.sleep(POLL_S)
    return ""
