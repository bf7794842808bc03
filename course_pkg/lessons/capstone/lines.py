"""Checks as lines of JSON, from one process to another.

In: a `Check`. Out: a line, and the way back.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from course_pkg.widgets.report import Check, Finding


def as_line(check: Check) -> str:
    """A check as one line of JSON.

    Args:
        check: the check.
    """
    return f"{json.dumps(asdict(check))}\n"


def from_line(line: str) -> Check:
    """The check that a line says.

    Args:
        line: what `as_line` gave.

    Raises:
        ValueError: if it is no such line: the learner's code runs in the process that writes them.
    """
    try:
        read = json.loads(line)
        findings = tuple(Finding(**finding) for finding in read["findings"])
        return Check(title=read["title"], findings=findings, skipped=read["skipped"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"This is no check: {line[:80]}") from error
