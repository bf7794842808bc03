"""Send ten faults to the tools: what models get wrong, and what visitors do.

In: a subject. Out: findings. Most faults are met by the course's executor and loop, if the schema
lets them; the tool must bring the schema, and clear words for what only it can know. A fault that
the practice model can show comes through the real loop, over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course_pkg.lessons.capstone.calling import Asked, ask, call
from course_pkg.lessons.capstone.contract import (
    CALCULATE,
    GOOD,
    LOOK_UP,
    NAMES,
    OUT_OF_RANGE,
    UNKNOWN_TICKET,
)
from course_pkg.lessons.capstone.step import Step
from course_pkg.lessons.capstone.subject import NotLookedAtError, Subject
from course_pkg.loop import MAX_REPEATS
from course_pkg.schema import shown
from course_pkg.tools import ToolResult
from course_pkg.widgets.report import Finding

SECTION = "Ten faults"

#: A sentence that helps has so many words at least, or so many letters in a script without spaces.
MIN_WORDS = 6
MIN_LETTERS = 8

LOOK_UP_QUESTION = "What is the state of repair R-102?"
PRICE_QUESTION = "What will a toaster repair of 30 minutes cost?"
TWO_QUESTION = "What is the state of repair R-101 and of repair R-102?"

#: The words of the executor for arguments that the schema refuses.
REFUSED = "invalid_arguments"

WHY_REFUSE = (
    "What the schema refuses goes back to the model in clear words, and the tool never runs."
)


# --- faults that the practice model shows ---------------------------------------------------------


async def _broken_json(subject: Subject) -> Sequence[Finding]:
    return await _mended(subject, "never_corrects", LOOK_UP, LOOK_UP_QUESTION, mends=False)


async def _unknown_name(subject: Subject) -> Sequence[Finding]:
    return await _mended(subject, "unknown_tool", LOOK_UP, LOOK_UP_QUESTION)


async def _not_a_number(subject: Subject) -> Sequence[Finding]:
    return await _mended(subject, "not_a_number", CALCULATE, PRICE_QUESTION)


async def _duplicate_ids(subject: Subject) -> Sequence[Finding]:
    subject.tool(LOOK_UP)
    asked = await ask(subject, TWO_QUESTION, fault="ids_duplicate")
    texts = [result.text for result in asked.results if not result.is_error]
    if any("toaster" in text for text in texts) and any("radio" in text for text in texts):
        return []
    return [_unmet("duplicate_ids", LOOK_UP, asked, "Each of the two calls must get its result.")]


async def _repeated(subject: Subject) -> Sequence[Finding]:
    subject.tool(LOOK_UP)
    asked = await ask(subject, LOOK_UP_QUESTION, fault="same_call_forever")
    if asked.outcome.reason == "repeated_call" and len(asked.runs) < MAX_REPEATS:
        return []
    return [_unmet("repeated_call", LOOK_UP, asked, f"The loop ends it after {MAX_REPEATS} calls.")]


async def _mended(
    subject: Subject, fault: str, name: str, question: str, *, mends: bool = True
) -> Sequence[Finding]:
    """What is to be mended if the first call goes wrong, and whether the model then gets on."""
    subject.tool(name)
    asked = await ask(subject, question, fault=fault)
    if not asked.results:
        return [_unmet(fault, name, asked, "The model did not call at all. See the section above.")]
    if not asked.results[0].is_error:
        return [_unmet(fault, name, asked, "The first call must come back as an error.")]
    if mends and asked.results[-1].is_error:
        raise NotLookedAtError(f"a good call of {name} fails")
    return []


def _unmet(code: str, name: str, asked: Asked, fix: str) -> Finding:
    texts = "; ".join(f"{call.name}: {result.text}" for call, result in _pairs(asked)[:3])
    return Finding(
        code=f"fault_{code}",
        where=name,
        what=f"The run ended with {asked.outcome.reason}. {texts or 'There was no call'}",
        fix=fix,
    )


def _pairs(asked: Asked) -> list[Any]:
    return list(zip(asked.calls, asked.results, strict=True))


# --- faults that are sent to each tool ------------------------------------------------------------


async def _wrong_type(subject: Subject) -> Sequence[Finding]:
    """A list in the place of each argument, one after the other."""
    found: list[Finding] = []
    for name in NAMES:
        for argument in GOOD[name]:
            result = await call(subject, name, {**GOOD[name], argument: []})
            found += _must_refuse("wrong_type_taken", f"{name} · {argument}", result, [])
    return found


async def _missing(subject: Subject) -> Sequence[Finding]:
    found: list[Finding] = []
    for name in NAMES:
        result = await call(subject, name, {})
        found += _must_refuse("missing_argument_taken", name, result, {})
    return found


async def _extra(subject: Subject) -> Sequence[Finding]:
    found: list[Finding] = []
    for name in NAMES:
        arguments = {**GOOD[name], "colour": "red"}
        result = await call(subject, name, arguments)
        found += _must_refuse("extra_argument_taken", name, result, {"colour": "red"})
    return found


async def _out_of_range(subject: Subject) -> Sequence[Finding]:
    found: list[Finding] = []
    for name, argument, value in OUT_OF_RANGE:
        result = await call(subject, name, {**GOOD[name], argument: value})
        found += _must_refuse("out_of_range_taken", f"{name} · {argument}", result, value)
    return found


def _must_refuse(code: str, where: str, result: ToolResult, value: Any) -> Iterator[Finding]:
    if result.error_kind == REFUSED:
        return
    came = "as an error of the tool itself" if result.is_error else "as a good result"
    yield Finding(
        code=code,
        where=where,
        what=f"The call with {shown(value)} ran, and came back {came}: {result.text}",
        why=WHY_REFUSE,
        fix="Let the schema refuse it: a type, limits, required, and no other names "
        '("additionalProperties": false). @tool makes all of these from annotations.',
    )


async def _unknown_ticket(subject: Subject) -> Sequence[Finding]:
    result = await call(subject, LOOK_UP, {"ticket": UNKNOWN_TICKET})
    return list(_of_unknown(result))


def _of_unknown(result: ToolResult) -> Iterator[Finding]:
    fix = "Raise ToolError: name the ticket, say that there is none, and what to do next."
    if not result.is_error:
        yield Finding(
            code="unknown_not_told",
            where=LOOK_UP,
            what=f"An unknown ticket gave an ordinary result: {result.text}",
            why="A text that is returned looks like success, also to a program.",
            fix=fix,
        )
    elif result.error_kind == "tool_failed":
        yield Finding(
            code="tool_crashes",
            where=LOOK_UP,
            what=f"An unknown ticket raised an exception of Python: {result.text}",
            why="Over MCP its text stays on the server, so the model learns nothing.",
            fix=fix,
        )
    elif UNKNOWN_TICKET not in result.text or not _says_enough(result.text):
        yield Finding(
            code="error_unclear",
            where=LOOK_UP,
            what=f"The model reads: {result.text}",
            why="It must know which value was wrong, and what to do about it.",
            fix=fix,
        )


def _says_enough(text: str) -> bool:
    letters = sum(not letter.isascii() for letter in text)
    return len(text.split()) >= MIN_WORDS or letters >= MIN_LETTERS


TITLES: Mapping[str, Any] = {
    "Arguments that are no JSON come back as an error.": _broken_json,
    "Arguments of a wrong type are refused.": _wrong_type,
    "Missing arguments are refused.": _missing,
    "Arguments that nobody knows are refused.": _extra,
    "Values outside the limits are refused.": _out_of_range,
    "A number that is none (NaN) is refused, and the next call works.": _not_a_number,
    "A tool that does not exist is told, and the next call works.": _unknown_name,
    "An unknown ticket is told in words that help.": _unknown_ticket,
    "Two calls with the same id both get their result.": _duplicate_ids,
    "The same call again and again comes to an end.": _repeated,
}

STEPS = tuple(Step(section=SECTION, title=title, look=look) for title, look in TITLES.items())
