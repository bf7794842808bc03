"""The capstone: a brief, a place to begin, an automatic review with its report, and a solution.

In: a learner's toolbox, as a file or as tools of a notebook. Out: a `Report` that says what was
looked at, what is to be mended, why, and how.

`brief.md` is what is asked, `starter.txt` where to begin, `solution.py` one right answer; `cafe.py`
is the world that they share, and `handout.py` hands the texts out. `reviewing.py` makes the review
(`worker.py` is its process, `lines.py` what that one writes), `looking.py` makes the checks in
order, `assembling.py` the report. `subject.py` is what is under review, `calling.py` runs its
tools, `contract.py` holds what the brief fixes.

The checks: `definitions.py`, `behaviour.py`, `faults.py`, `security.py`, `publishing.py`. Adding a
check is adding a `Step` to one of their tables.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from course_pkg.lessons.capstone.cafe import PRICES, REPAIRS

if TYPE_CHECKING:
    from course_pkg.lessons.capstone.handout import brief, solution_path, starter
    from course_pkg.lessons.capstone.reviewing import review
    from course_pkg.widgets.report import Report

#: Loaded when they are first asked for: a learner's file asks for the data only.
_HOMES = {
    "brief": "course_pkg.lessons.capstone.handout",
    "review": "course_pkg.lessons.capstone.reviewing",
    "solution_path": "course_pkg.lessons.capstone.handout",
    "starter": "course_pkg.lessons.capstone.handout",
    "Report": "course_pkg.widgets.report",
}

__all__ = ["PRICES", "REPAIRS", "Report", "brief", "review", "solution_path", "starter"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
