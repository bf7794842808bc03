"""Make a report of the checks that were made, and of those that were not.

In: checks in the order of `PLAN`, and how the review ended. Out: a `Report` with a place for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from course_pkg.lessons.capstone.looking import PLAN
from course_pkg.widgets.report import Check, Finding, Report, Section


def assembled(title: str, checks: Sequence[Check], how: str = "") -> Report:
    """The report, with the checks that were not made in their places.

    Args:
        title: what was reviewed.
        checks: the checks that were made, in order.
        how: `stuck` or `ended` if the review was broken off.
    """
    made = list(checks[: len(PLAN)])
    if len(made) < len(PLAN) and how and not (made and made[0].findings):
        made.append(Check(title=PLAN[len(made)][1], findings=(_ENDINGS[how],)))
    reason = "nothing could be read" if made[0].findings else "the review came to an end"
    made += [Check(title=title, skipped=reason) for _, title in PLAN[len(made) :]]
    placed = [
        (section, Check(title=wanted, findings=check.findings, skipped=check.skipped))
        for (section, wanted), check in zip(PLAN, made, strict=True)
    ]
    sections = [
        Section(title=section, checks=tuple(check for _, check in group))
        for section, group in groupby(placed, key=lambda pair: pair[0])
    ]
    return Report(title=title, sections=tuple(sections))


_ENDINGS = {
    "stuck": Finding(
        code="never_ends",
        where="your code",
        what="Nothing more came for a long time, so the review was broken off here.",
        why="Code that never ends holds up everything behind it.",
        fix="Look for a loop without an end, or a blocking call inside async def. In a notebook, "
        "restart the kernel: the code is still running.",
    ),
    "ended": Finding(
        code="ends_the_program",
        where="your code",
        what="The whole program ended while this was looked at.",
        why="A tool that ends the program ends the loop and the server with it.",
        fix="Take out sys.exit, os._exit and quit. Raise ToolError instead.",
    ),
}
