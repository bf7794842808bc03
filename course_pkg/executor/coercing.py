"""Make values right that came as text where the schema allows none: `"3"` for a whole number.

In: arguments that do not fit their schema, and the schema. Out: arguments that do, with a note on
each change, or nothing. Only what the schema refuses is touched, and only where no text would fit:
a text that looks like JSON stays a text wherever texts are allowed. All or nothing: the changed
arguments must be valid as a whole.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from course_pkg.executor.decoding import ArgumentsError, decoded
from course_pkg.schema import Problem, check, json_type
from course_pkg.schema.places import pointer
from course_pkg.tools import JSONSchema

#: How often texts may be in texts: each round reads one layer.
MAX_ROUNDS = 8

#: How Python writes what JSON writes in small letters.
PYTHON_WORDS = {"True": True, "False": False}

#: A reading that changes nothing.
UNREADABLE = object()


def coerced(
    arguments: dict[str, Any], schema: JSONSchema, problems: Sequence[Problem]
) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """Valid arguments made of these, and what was changed; `None` where that cannot be done.

    A change is noted as what came of it and where: `json_string_to_array:/stops`,
    `string_to_integer:/record_id`.

    Args:
        arguments: what the model gave. It stays as it is.
        schema: the tool's input schema.
        problems: what `check` said about them.
    """
    changed, notes = copy.deepcopy(arguments), list[str]()
    for _ in range(MAX_ROUNDS):
        before = len(notes)
        for path in dict.fromkeys(_refused_texts(problems)):
            notes += _read_at(path, changed, schema)
        if len(notes) == before:
            return None
        problems = check(changed, schema)
        if not problems:
            return changed, tuple(notes)
    return None


def _refused_texts(problems: Sequence[Problem]) -> Iterator[tuple[str | int, ...]]:
    """The places where a text may stand that no text fits."""
    for problem in problems:
        if _refuses_type(problem, problem.path):
            yield problem.path
        elif problem.choice:
            yield from _refused_texts(_meant(problem))


def _refuses_type(problem: Problem, path: tuple[str | int, ...]) -> bool:
    """Whether the schema refuses the value at `path` for its type, in each branch too."""
    if problem.path != path:
        return False
    if problem.choice is None:
        return problem.keyword == "type"
    return all(any(_refuses_type(inner, path) for inner in branch) for branch in problem.branches)


def _meant(problem: Problem) -> tuple[Problem, ...]:
    """The problems of the one branch that was meant; none if it is not clear which."""
    choice = problem.choice
    if choice is None:
        return ()
    if choice.blamed is not None:
        return choice.branches[choice.blamed - 1].problems
    right_type = [
        branch
        for branch in problem.branches
        if not any(_refuses_type(inner, problem.path) for inner in branch)
    ]
    return right_type[0] if len(right_type) == 1 else ()


def _read_at(path: tuple[str | int, ...], changed: dict[str, Any], schema: JSONSchema) -> list[str]:
    """Put the value that a text stands for in the text's place; the notes on it."""
    holder: Any = changed
    for step in path[:-1]:
        holder = holder[step]
    if not path or not isinstance(holder[path[-1]], str):
        return []
    text, value = holder[path[-1]], _reading(holder[path[-1]])
    if value is UNREADABLE:
        return []
    holder[path[-1]] = value
    if isinstance(value, float) and _wants_whole(path, changed, schema, holder):
        holder[path[-1]] = text  # a whole number never by way of a fraction: digits would be lost
        return []
    kind = json_type(value)
    prefix = "json_string" if kind in ("array", "object") else "string"
    return [f"{prefix}_to_{kind}:{pointer(path)}"]


def _reading(text: str) -> Any:
    """The JSON value that a text stands for, if it stands for one that is no text itself."""
    if text in PYTHON_WORDS:
        return PYTHON_WORDS[text]
    try:
        value = decoded(text)
    except ArgumentsError:
        return UNREADABLE
    return UNREADABLE if isinstance(value, str) else value


def _wants_whole(
    path: tuple[str | int, ...], changed: dict[str, Any], schema: JSONSchema, holder: Any
) -> bool:
    """Whether a fraction would be refused at this place."""
    number = holder[path[-1]]
    holder[path[-1]] = 0.5
    refused = any(_refuses_type(problem, path) for problem in check(changed, schema))
    holder[path[-1]] = number
    return refused
