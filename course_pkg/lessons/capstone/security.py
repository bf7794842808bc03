"""Look at what could do harm: side effects without approval, repeats, powers, code, keys.

In: a subject. Out: findings. It finds what it knows; no findings are no proof.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from course_pkg.executor import ApprovalRequest
from course_pkg.lessons.capstone.behaviour import booking_in
from course_pkg.lessons.capstone.calling import ask, call
from course_pkg.lessons.capstone.contract import BOOK, CALCULATE, GOOD, LOOK_UP, NAMES, QUESTIONS
from course_pkg.lessons.capstone.step import Step
from course_pkg.lessons.capstone.subject import NotLookedAtError, Subject
from course_pkg.lessons.key_kinds import keys_in
from course_pkg.schema import shown
from course_pkg.tools import ToolResult
from course_pkg.tools.suspicions import suspicions
from course_pkg.widgets.report import Finding

SECTION = "Security"

#: Texts that do harm where they are run, put into a path, or shown as markup. Here they are names.
HOSTILE = (
    "Mei'; DROP TABLE bookings; --",
    "$(touch stolen) `id`",
    "../../etc/passwd",
    "__import__('os').getcwd()",
    "<script>alert(1)</script>",
    "{0.__class__} %s %n",
)

#: Functions that run a text.
RUNS_TEXT = frozenset({"eval", "exec", "compile", "os.system", "os.popen", "__import__"})


async def _suspicious(subject: Subject) -> Sequence[Finding]:
    return [
        Finding(
            code=item.code,
            where=f"{item.tool} · {item.path}",
            what=f"{item.text} Found: {item.shown}",
            fix=item.fix,
        )
        for item in suspicions(subject.tools)
    ]


async def _approved(subject: Subject) -> Sequence[Finding]:
    """A person says no, then yes."""
    subject.tool(BOOK)
    question = QUESTIONS[NAMES.index(BOOK)].text
    asked = await ask(subject, question, approve=_no)
    if BOOK in asked.runs:
        return [
            Finding(
                code="effect_without_approval",
                where=BOOK,
                what="A person would have said no, was not asked, and the booking was made.",
                why="The loop asks before tools that are marked, and only before those.",
                fix="Mark it: @tool(side_effect=True, ...)",
            )
        ]
    if not asked.calls:
        raise NotLookedAtError("the model did not call it")
    if BOOK in (await ask(subject, question, approve=_yes)).runs:
        return []
    return [_not_made()]


def _no(_request: ApprovalRequest) -> bool:
    return False


def _yes(_request: ApprovalRequest) -> bool:
    return True


def _not_made() -> Finding:
    return Finding(
        code="approved_not_made",
        where=BOOK,
        what="A person said yes, and the tool did not run.",
        fix="Call the plain function with the arguments of the brief, and see what it raises.",
    )


async def _needless(subject: Subject) -> Sequence[Finding]:
    return [
        Finding(
            code="approval_needless",
            where=name,
            what="The tool changes nothing, and is marked as one with a side effect.",
            why="People who are asked too often say yes without reading.",
            fix="Leave side_effect out.",
        )
        for name in (LOOK_UP, CALCULATE)
        if name in subject.tools and subject.tools[name].side_effect
    ]


async def _once(subject: Subject) -> Sequence[Finding]:
    if not subject.tool(BOOK).idempotency_key:
        return [
            Finding(
                code="no_idempotency_key",
                where=BOOK,
                what="The tool takes no key, so it cannot tell a repeat from a new booking.",
                why="A call is tried again when its answer was lost. The visitor then has two.",
                fix='Add a parameter key: str, and say @tool(..., idempotency_key="key").',
            )
        ]
    first, again, other = [
        await call(subject, BOOK, GOOD[BOOK], call_id=call_id) for call_id in ("a", "a", "b")
    ]
    return list(_of_repeat(first, again, other))


def _of_repeat(first: ToolResult, again: ToolResult, other: ToolResult) -> Iterator[Finding]:
    if first.is_error or booking_in(first) is None:
        raise NotLookedAtError(f"a good call of {BOOK} gives no booking")
    if again.is_error or booking_in(again) != booking_in(first):
        yield Finding(
            code="booked_twice",
            where=BOOK,
            what=f"The same call, tried again, gave {shown(again.text)} after {shown(first.text)}.",
            why="A call is tried again when its answer was lost. The visitor then has two.",
            fix="Keep each booking under its key, and give the kept one back for a known key.",
        )
    if booking_in(other) == booking_in(first):
        yield Finding(
            code="bookings_confused",
            where=BOOK,
            what=f"Two different calls gave the same booking: {shown(other.text)}.",
            why="Two visitors of one name, or two radios, are two bookings.",
            fix="Tell bookings apart by the key of the call, not by the arguments.",
        )


async def _plain_texts(subject: Subject) -> Sequence[Finding]:
    results = [
        (text, await call(subject, BOOK, {**GOOD[BOOK], "name": text}, call_id=text))
        for text in HOSTILE
    ]
    return [
        Finding(
            code="text_breaks_tool",
            where=f"{BOOK} · name",
            what=f"The name {shown(text)} made the tool fail: {result.text}",
            why="A text that breaks a tool is read as something else than a text.",
            fix="Do not put texts into code, patterns, paths or commands.",
        )
        for text, result in results
        if result.error_kind == "tool_failed"
    ]


async def _no_code(subject: Subject) -> Sequence[Finding]:
    try:
        tree = ast.parse(_dedented(subject.source()))
    except (SyntaxError, ValueError, RecursionError):
        raise NotLookedAtError("the source of the tools cannot be read here") from None
    return [
        Finding(
            code="runs_text_as_code",
            where=f"line {node.lineno}",
            what=f"The code calls {ast.unparse(node.func)}.",
            why="Whoever words the call could then run anything on this computer.",
            fix="Calculate with the arguments themselves. Page 07 has an evaluator with limits.",
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (_is_one(node) or _has_shell(node))
    ]


def _dedented(source: str) -> str:
    import textwrap

    return textwrap.dedent(source)


def _is_one(node: ast.Call) -> bool:
    return ast.unparse(node.func) in RUNS_TEXT


def _has_shell(node: ast.Call) -> bool:
    return any(
        word.arg == "shell" and not _is_false(word.value) for word in node.keywords if word.arg
    )


def _is_false(value: Any) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


async def _no_keys(subject: Subject) -> Sequence[Finding]:
    texts = [("the source", subject.source())]
    for name in NAMES:
        if name in subject.tools and name not in subject.hanging:
            texts.append((f"a result of {name}", (await call(subject, name, GOOD[name])).text))
    return [
        Finding(
            code="key_in_file" if place == "the source" else "key_in_result",
            where=f"{place}, line {found.line}",
            what=f"This looks like a {found.kind}: {found.shown}",
            why="Who has the file, or reads the answer, has the key.",
            fix="Take it out, make a new key, and read it from the environment.",
        )
        for place, text in texts
        for found in keys_in(text)
    ]


STEPS = (
    Step(
        section=SECTION,
        title="Nothing in the definitions looks like an attack, or like too much power.",
        look=_suspicious,
    ),
    Step(section=SECTION, title="Nothing is booked before a person has said yes.", look=_approved),
    Step(section=SECTION, title="Nobody is asked before a tool that only looks.", look=_needless),
    Step(section=SECTION, title="The same call, tried again, books once.", look=_once),
    Step(section=SECTION, title="A hostile text stays a text.", look=_plain_texts),
    Step(section=SECTION, title="No text is run as code.", look=_no_code),
    Step(section=SECTION, title="No key is in the code, and none in a result.", look=_no_keys),
)
