"""Check a learner's answer, and help without giving it away.

In: an answer (a value or a function). Out: a `Verdict`: passed, or the rule that failed with the
next step. The rules look at behaviour: they call the learner's function, send the learner's list.

An exercise also carries what proves it: its starter, its solution, and wrong answers with the rule
that each of them must fail. The tests run all of these.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from course_pkg.lessons import progress_file

#: How long one check may take, in seconds: an answer with an endless loop must not hang the cell.
CHECK_TIMEOUT_S = 20.0

Test: TypeAlias = Callable[[Any], bool | Awaitable[bool]]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One thing that an answer must do.

    Attributes:
        name: the rule as a sentence that is true of a right answer.
        test: whether an answer keeps it. It may be `async def`.
        hint: what to look at when it does not. Never the answer.
    """

    name: str
    test: Test = field(repr=False)
    hint: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class WrongAnswer:
    """A wrong answer that learners give, and the rule that must catch it.

    Attributes:
        source: Python code that sets `answer`.
        fails: the name of the rule.
    """

    source: str
    fails: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a check came to. A cell that ends in one shows it.

    Attributes:
        number: the exercise's number.
        passed: whether every rule holds.
        rule: the first rule that does not hold; empty if all do.
        hint: what to look at next.
    """

    number: str
    passed: bool
    rule: str = ""
    hint: str = ""

    def __repr__(self) -> str:
        """The verdict in one or two sentences."""
        if self.passed:
            return f"Exercise {self.number}: passed. Well done."
        return f"Exercise {self.number}: not yet.\nThis does not hold: {self.rule}\n{self.hint}"


@dataclass(frozen=True, kw_only=True)
class Text:
    """Text that a cell shows as it is."""

    text: str

    def __repr__(self) -> str:
        """The text itself."""
        return self.text


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise: what it asks, how it is checked, how it helps, and what proves it.

    Attributes:
        number: notebook and place, `05.1`.
        goal: what the learner is to reach, in one or two sentences.
        starter: the code that stands in the notebook. It sets `answer`.
        rules: what a right answer does, the simplest first.
        hints: from a nudge to nearly the answer.
        source: a right answer as code that sets `answer`.
        wrong: wrong answers and the rules that catch them.
        make_material: makes what the learner works on, anew each time; `None` if nothing is given.
    """

    number: str
    goal: str
    starter: str = field(repr=False)
    rules: Sequence[Rule] = field(repr=False)
    hints: Sequence[str] = field(repr=False)
    source: str = field(repr=False)
    wrong: Sequence[WrongAnswer] = field(repr=False)
    make_material: Callable[[], Any] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        """What the exercise asks."""
        return f"Exercise {self.number}. {self.goal}"

    def material(self) -> Any:
        """What the learner works on: a fresh copy with each call."""
        return None if self.make_material is None else self.make_material()

    def check(self, answer: Any) -> Verdict:
        """Check an answer, rule by rule, and keep the result in the progress file.

        Args:
            answer: what the learner made. Whatever it is, it gets a verdict, not an exception.
        """
        verdict = self.verdict(answer)
        progress_file.note(self.number, passed=verdict.passed)
        return verdict

    def verdict(self, answer: Any) -> Verdict:
        """The same without keeping it."""
        if answer is None or answer is ...:
            return self._failed("There is an answer.", f"First hint: {self.hints[0]}")
        for rule in self.rules:
            holds, trouble = _in_own_thread(rule, answer)
            if trouble:
                return self._failed(rule.name, f"{trouble}\n{rule.hint}")
            if not holds:
                return self._failed(rule.name, rule.hint)
        return Verdict(number=self.number, passed=True)

    def hint(self) -> Text:
        """The next hint. After the last one, the first comes again."""
        given = progress_file.hints_given(self.number)
        progress_file.note_hint(self.number)
        at = given % len(self.hints)
        return Text(text=f"Hint {at + 1} of {len(self.hints)}: {self.hints[at]}")

    def solution(self) -> Text:
        """A right answer, as code."""
        return Text(text=self.source)

    def _failed(self, rule: str, hint: str) -> Verdict:
        return Verdict(number=self.number, passed=False, rule=rule, hint=hint)


def _in_own_thread(rule: Rule, answer: Any) -> tuple[bool, str]:
    """Whether the rule holds, and what went wrong while looking.

    In a thread with an event loop of its own: a notebook's own loop is busy with the cell that
    called, and an answer that never ends can be left behind.
    """
    outcome: list[tuple[bool, str]] = []

    def work() -> None:
        try:
            with asyncio.Runner() as runner:
                outcome.append((runner.run(_holds(rule, answer)), ""))
        except Exception as error:
            outcome.append((False, _trouble(error)))

    thread = threading.Thread(target=work, name=f"check {rule.name}", daemon=True)
    thread.start()
    thread.join(CHECK_TIMEOUT_S)
    late = f"The check was not done after {CHECK_TIMEOUT_S:g} seconds. Does your code end?"
    return outcome[0] if outcome else (False, late)


async def _holds(rule: Rule, answer: Any) -> bool:
    async with asyncio.timeout(CHECK_TIMEOUT_S):
        outcome = rule.test(answer)
        return bool(await outcome if inspect.isawaitable(outcome) else outcome)


def _trouble(error: Exception) -> str:
    """What went wrong, with the learner's own line where it was in their code."""
    # A cell's code has the file name "<...>" or one that IPython made up for it.
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith("<") or "ipykernel_" in frame.filename
    ]
    line = f" In line {frames[-1].lineno}: {frames[-1].line}" if frames else ""
    return f"Looking at it raised {type(error).__name__}: {error}.{line}"
