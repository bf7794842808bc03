"""One check of a review, before it is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from course_pkg.lessons.capstone.subject import Subject
from course_pkg.widgets.report import Finding

Look: TypeAlias = Callable[[Subject], Awaitable[Sequence[Finding]]]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One check of a review, before it is made.

    Attributes:
        section: the section of the report that it belongs to.
        title: a sentence that is true if it passes.
        look: gives what is to be mended. It raises `NotLookedAtError` if it cannot look.
    """

    section: str
    title: str
    look: Look
