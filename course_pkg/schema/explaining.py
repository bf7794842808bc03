"""Word problems for a person and for a model, short enough to send back.

In: problems. Out: one text, a line for each problem: where, what was expected, what is there, what
to do. Of an `anyOf` or `oneOf` the branch that was meant is told; each branch, briefly, where none
stands out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from course_pkg.schema.problem import Branch, Choice, Problem

#: So many problems are named; more are counted. A model mends the named ones first.
MAX_NAMED_PROBLEMS = 10
#: The whole text is about this long at most: a few hundred tokens.
MAX_EXPLANATION_CHARS = 2_000
MAX_LINE_CHARS = 400
#: Of a branch that is not blamed so many problems are told.
MAX_BRIEF_PROBLEMS = 1
MAX_NAMED_BRANCHES = 8


def explain(problems: Sequence[Problem], *, every_branch: bool = False) -> str:
    """All problems in words, one a line.

    Args:
        problems: what `check` gave. No problems give an empty text.
        every_branch: whether all branches of an `anyOf` or `oneOf` are told in full. A person who
            learns wants that; a model that mends a call is better served without.
    """
    told: list[str] = []
    for number, problem in enumerate(problems):
        lines = [_cut(line) for line in _lines(problem, every_branch=every_branch)]
        if number >= MAX_NAMED_PROBLEMS or (told and _length(told, lines) > MAX_EXPLANATION_CHARS):
            return "\n".join([*told, f"And {len(problems) - number} more."])
        told += lines
    return "\n".join(told)


def _length(told: Sequence[str], lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in (*told, *lines))


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else f"{line[:MAX_LINE_CHARS]}…"


def _lines(problem: Problem, indent: str = "", *, every_branch: bool) -> Iterator[str]:
    start = f"{indent}{problem.where}: " if problem.where else indent
    first = f"{start}expected {problem.expected}, found {problem.found}."
    choice = problem.choice
    if choice is None:
        yield f"{first} {problem.advice}"
    elif every_branch:
        yield f"{first} {_verdict(choice)}"
        for branch in choice.branches:
            yield from _in_full(branch, choice, f"{indent}  ")
    else:
        yield f"{first} {_verdict(choice)}"
        yield from _what_to_mend(choice, f"{indent}  ")


def _verdict(choice: Choice) -> str:
    matched = choice.matched
    if len(matched) > 1:
        named = ", ".join(f"{branch.number} ({branch.label})" for branch in matched)
        return (
            f"It matches {len(matched)} branches of {choice.keyword}, it must match exactly one: "
            f"{named}."
        )
    if not choice.reason:
        return "It fits none of these:"
    return f"{choice.reason}{':' if choice.blamed else '.'}"


def _what_to_mend(choice: Choice, indent: str) -> Iterator[str]:
    if choice.matched:
        return
    if choice.blamed is not None:
        for part in choice.branches[choice.blamed - 1].problems:
            yield from _lines(part, indent, every_branch=False)
    elif not choice.reason:
        yield from (_in_brief(branch, indent) for branch in choice.branches[:MAX_NAMED_BRANCHES])
        more = len(choice.branches) - MAX_NAMED_BRANCHES
        yield from [f"{indent}And {more} more branches."] if more > 0 else []


def _in_brief(branch: Branch, indent: str) -> str:
    told = [
        f"{f'{part.where}: ' if part.where else ''}expected {part.expected}. {part.advice}"
        for part in branch.problems[:MAX_BRIEF_PROBLEMS]
    ]
    more = len(branch.problems) - MAX_BRIEF_PROBLEMS
    return f"{indent}{branch.number} ({branch.label}): {' '.join(told)}" + (
        f" And {more} more." if more > 0 else ""
    )


def _in_full(branch: Branch, choice: Choice, indent: str) -> Iterator[str]:
    state = (
        "fits"
        if branch.matched
        else "is meant"
        if branch.number == choice.blamed
        else "does not fit"
    )
    yield f"{indent}{branch.number} ({branch.label}): {state}{'.' if branch.matched else ':'}"
    for part in branch.problems:
        yield from _lines(part, f"{indent}  ", every_branch=True)
