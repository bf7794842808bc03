"""Make every check of a review, one after the other.

In: a path or tools, and whoever is to be told. Out: a `Check` for each place of `PLAN`, as soon as
it is made; only the first if nothing can be read. Whatever a check meets, it comes to a `Check`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from course_pkg.lessons.capstone import behaviour, definitions, faults, publishing, security
from course_pkg.lessons.capstone.step import Step
from course_pkg.lessons.capstone.subject import NotLoadedError, NotLookedAtError, Subject, load
from course_pkg.widgets.report import Check, Finding

LOADING = "The toolbox"
LOADED = "It can be read."

STEPS: tuple[Step, ...] = (
    *definitions.STEPS,
    *behaviour.STEPS,
    *faults.STEPS,
    *security.STEPS,
    *publishing.STEPS,
)

#: Section and title of every check, in order.
PLAN = ((LOADING, LOADED), *((step.section, step.title) for step in STEPS))

#: Gives each check to whoever waits for it, as soon as it is made.
Tell: TypeAlias = Callable[[Check], None]


async def look(answer: Any, tell: Tell) -> None:
    """Make every check, one after the other.

    Args:
        answer: a path, or tools.
        tell: is given each check as soon as it is made.
    """
    try:
        subject = load(answer)
    except NotLoadedError as error:
        tell(Check(title=LOADED, findings=(error.finding,)))
        return
    tell(Check(title=LOADED))
    try:
        for step in STEPS:
            tell(await _checked(step, subject))
    finally:
        if subject.connection is not None:
            await subject.connection.close()


async def _checked(step: Step, subject: Subject) -> Check:
    try:
        return Check(title=step.title, findings=tuple(await step.look(subject)))
    except NotLookedAtError as error:
        return Check(title=step.title, skipped=str(error))
    except (Exception, SystemExit) as error:
        return Check(title=step.title, findings=(odd(error),))


def odd(error: BaseException) -> Finding:
    """What to tell of an exception that no check has thought of.

    Args:
        error: the exception.
    """
    return Finding(
        code="cannot_be_looked_at",
        where="your toolbox",
        what=f"Looking at it raised {type(error).__name__}: {error}",
        fix="Make the tools with @tool, as on page 01, and review them again.",
    )
