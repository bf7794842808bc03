"""Word problems for a person and for a model, short enough to send back.

In: problems. Out: one text, a line for each problem: where, what was expected, what is there, what
to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from course_pkg.schema.problem import Problem

#: So many problems are named; more are counted. A model mends the named ones first.
MAX_NAMED_PROBLEMS = 10


def explain(problems: Sequence[Problem]) -> str:
    """All problems in words, one a line.

    Args:
        problems: what `check` gave. No problems give an empty text.
    """
    lines = [line for problem in problems[:MAX_NAMED_PROBLEMS] for line in _lines(problem)]
    more = len(problems) - MAX_NAMED_PROBLEMS
    return "\n".join([*lines, *([f"And {more} more."] if more > 0 else [])])


def _lines(problem: Problem, indent: str = "") -> Iterator[str]:
    where = f"{problem.where}: " if problem.where else ""
    yield f"{indent}{where}expected {problem.expected}, found {problem.found}. {problem.advice}"
    for number, branch in enumerate(problem.branches, start=1):
        yield f"{indent}  Branch {number}:"
        for part in branch:
            yield from _lines(part, indent + "    ")
