"""The rows of the failure gallery, one module for each group of failures.

In: nothing. Out: `ROWS`, every row in the order of the gallery. A row is a `Fault`: its words and
how it spoils a good reply. To add a failure, add a row to the module of its group.
"""

from __future__ import annotations

from course_pkg.practice.failures.arguments import ROWS as ARGUMENTS
from course_pkg.practice.failures.content import ROWS as CONTENT
from course_pkg.practice.failures.envelope import ROWS as ENVELOPE
from course_pkg.practice.failures.finish import ROWS as FINISH
from course_pkg.practice.failures.ids import ROWS as IDS
from course_pkg.practice.failures.names import ROWS as NAMES
from course_pkg.practice.failures.provider import ROWS as PROVIDER
from course_pkg.practice.failures.repetition import ROWS as REPETITION
from course_pkg.practice.failures.streams import ROWS as STREAMS
from course_pkg.practice.failures.texts import ROWS as TEXTS
from course_pkg.practice.failures.values import ROWS as VALUES
from course_pkg.practice.fault import Fault

__all__ = ["ROWS"]

ROWS: tuple[Fault, ...] = (
    *ARGUMENTS,
    *VALUES,
    *NAMES,
    *IDS,
    *FINISH,
    *CONTENT,
    *ENVELOPE,
    *STREAMS,
    *TEXTS,
    *PROVIDER,
    *REPETITION,
)
