"""Look at what the tools do: called by the practice model in the real loop, and at the edges.

In: a subject. Out: findings. The practice model is asked over HTTP, as any model would be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from functools import partial
from typing import Any

from course_pkg.executor.plain import plain
from course_pkg.lessons.capstone.calling import Asked, ask, call
from course_pkg.lessons.capstone.contract import (
    BOOK,
    CALCULATE,
    GOOD,
    LOOK_UP,
    NAMES,
    PRICED,
    QUESTIONS,
    Question,
)
from course_pkg.lessons.capstone.step import Step
from course_pkg.lessons.capstone.subject import NotLookedAtError, Subject
from course_pkg.schema import shown
from course_pkg.tools import ToolResult
from course_pkg.widgets.report import Finding

SECTION = "Behaviour in the loop"

#: A result of these tools has no reason to be longer, in characters.
MAX_SHORT_CHARS = 2_000


async def _answers(question: Question, subject: Subject) -> Sequence[Finding]:
    subject.tool(question.name)
    return list(_of_question(question, await ask(subject, question.text)))


def _of_question(question: Question, asked: Asked) -> Iterator[Finding]:
    where = f"asked: {question.text}"
    first = asked.calls[0] if asked.calls else None
    if first is None or first.name != question.name:
        did = f"called {first.name}" if first else f"said: {asked.outcome.answer or 'nothing'}"
        yield Finding(
            code="tool_not_chosen",
            where=where,
            what=f"The practice model did not call {question.name}. It {did}",
            why="A model has only names, descriptions and schemas to choose by.",
            fix=f"Say in the description of {question.name} what it is for, and give each "
            "parameter a type, a description and an example.",
        )
        return
    given = _loaded(first.arguments)
    if given != dict(question.arguments):
        yield Finding(
            code="arguments_not_found",
            where=where,
            what=f"It called {first.name} with {shown(given)}, and "
            f"{shown(dict(question.arguments))} was meant.",
            why="A model takes a value's form from the type, the choices and the example.",
            fix="Give the parameters types, choices (Literal) and an example each.",
        )
        return
    yield from _of_result(question.name, asked.results[0], question.result)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _of_result(name: str, result: ToolResult, wanted: Mapping[str, Any]) -> Iterator[Finding]:
    if result.is_error:
        yield Finding(
            code="good_call_fails",
            where=name,
            what=f"A good call came back as an error: {result.text}",
            fix="Let the schema take what the brief allows: what has a default is not required."
            if result.error_kind == "invalid_arguments"
            else "Call the plain function with these arguments, and mend what it raises.",
        )
        return
    value = plain(as_plain(result.value))
    held = value if isinstance(value, Mapping) else {}
    missing = {key: known for key, known in wanted.items() if held.get(key) != known}
    if missing:
        yield Finding(
            code="result_wrong",
            where=name,
            what=f"The result is {shown(value)}, and {shown(missing)} belongs in it.",
            fix='Look at the row of the brief. A result is an object: {"name": value}.',
        )


async def _prices(subject: Subject) -> Sequence[Finding]:
    found: list[Finding] = []
    for arguments, euros in PRICED:
        result = await call(subject, CALCULATE, arguments)
        found += _of_result(f"{CALCULATE}({shown(dict(arguments))})", result, {"euros": euros})
    return found


async def _shape(subject: Subject) -> Sequence[Finding]:
    return [
        finding
        for name in NAMES
        for finding in _of_shape(name, await call(subject, name, GOOD[name], call_id="shape"))
    ]


def _of_shape(name: str, result: ToolResult) -> Iterator[Finding]:
    if result.is_error:
        raise NotLookedAtError(f"a good call of {name} fails")
    if result.value is None or not str(result.value).strip():
        yield Finding(
            code="result_missing",
            where=name,
            what="A good call returns nothing.",
            why="A model that reads nothing does not know whether it worked.",
            fix="Return what the brief names, as an object.",
        )
    elif not _is_json(as_plain(result.value)):
        yield Finding(
            code="result_no_json",
            where=name,
            what=f"The result holds what JSON does not have: {shown(repr(result.value))}",
            why="NaN, sets and objects of your own do not cross a wire as they are.",
            fix="Return dicts, lists, texts, finite numbers, booleans and None.",
        )
    elif len(result.text) > MAX_SHORT_CHARS:
        yield Finding(
            code="result_too_long",
            where=name,
            what=f"The result of a good call has at least {len(result.text):,} characters.",
            why="Every character is sent to the model again with each further request.",
            fix=f"Return only what was asked for: at most {MAX_SHORT_CHARS:,} characters.",
        )
    elif name == BOOK and not booking_in(result):
        yield Finding(
            code="result_wrong",
            where=name,
            what=f"The result is {shown(result.value)}, and a booking belongs in it.",
            fix='Return an object such as {"booking": "B-1"}, with a number for each booking.',
        )


def booking_in(result: ToolResult) -> Any:
    """The number of the booking that a result holds; `None` if it holds none.

    Args:
        result: what came of a booking.
    """
    value = as_plain(result.value)
    return value.get("booking") if isinstance(value, Mapping) else None


def as_plain(value: Any) -> Any:
    """A value as a server would send it: the fields of a dataclass or a pydantic model as a dict.

    Args:
        value: what a tool returned.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else value


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


async def _ends(subject: Subject) -> Sequence[Finding]:
    for name in NAMES:
        if name in subject.tools and name not in subject.hanging:
            await _tried(subject, name)
    return [
        Finding(
            code="tool_hangs",
            where=name,
            what="A good call did not come to an end in time.",
            why="Whoever waits for a tool waits with the user.",
            fix="Look for a loop without an end, a sleep, or a call to the outside without a "
            "time limit.",
        )
        for name in sorted(subject.hanging)
    ]


async def _tried(subject: Subject, name: str) -> None:
    try:
        await call(subject, name, GOOD[name], call_id="in time")
    except NotLookedAtError:
        return  # it is in `hanging` now


async def _same(subject: Subject) -> Sequence[Finding]:
    found = []
    for name in (LOOK_UP, CALCULATE):
        texts = [(await call(subject, name, GOOD[name], call_id=f"{n}")).text for n in range(3)]
        if len(set(texts)) > 1:
            found.append(
                Finding(
                    code="lookup_changes",
                    where=name,
                    what=f"Three equal calls gave: {'; '.join(map(shown, texts))}",
                    why="A tool without a side effect may be called again at any time.",
                    fix="Let the result depend on the arguments and the data alone.",
                )
            )
    return found


STEPS = (
    Step(section=SECTION, title="Each tool comes to an end in time.", look=_ends),
    *(
        Step(
            section=SECTION,
            title=f"The model is asked: {question.text}",
            look=partial(_answers, question),
        )
        for question in QUESTIONS
    ),
    Step(section=SECTION, title="Prices are right at the edges of the brief.", look=_prices),
    Step(section=SECTION, title="Each result is there, short, and JSON.", look=_shape),
    Step(section=SECTION, title="Equal calls of the first two give equal results.", look=_same),
)
