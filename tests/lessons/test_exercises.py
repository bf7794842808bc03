"""Each exercise is proved three ways: by its solution, its starter and its wrong answers."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from course_pkg.lessons import all_exercises, exercise
from course_pkg.lessons.checks import CHECK_TIMEOUT_S, Exercise, WrongAnswer

EXERCISES = list(all_exercises().values())
WRONG = [(item, wrong) for item in EXERCISES for wrong in item.wrong]


async def answer_of(source: str) -> Any:
    """Run a cell's code as a notebook does, with `await` at the top level; give its `answer`."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    # Without what this file imports from __future__: a cell of a notebook has none of it.
    code = compile(source, "<cell>", "exec", flags=flags, dont_inherit=True)
    names: dict[str, Any] = {"exercise": exercise}
    outcome = eval(code, names)
    if inspect.isawaitable(outcome):
        await outcome
    return names["answer"]


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.number)
async def test_the_solution_passes(item: Exercise) -> None:
    verdict = item.verdict(await answer_of(item.source))

    assert verdict.passed, verdict


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.number)
async def test_the_untouched_starter_fails_with_a_hint(item: Exercise) -> None:
    verdict = item.verdict(await answer_of(item.starter))

    assert not verdict.passed
    assert verdict.hint


@pytest.mark.parametrize(
    ("item", "wrong"), WRONG, ids=[f"{item.number}-{n}" for n, (item, _) in enumerate(WRONG)]
)
async def test_a_wrong_answer_fails_the_rule_that_is_meant_for_it(
    item: Exercise, wrong: WrongAnswer
) -> None:
    verdict = item.verdict(await answer_of(wrong.source))

    assert (verdict.passed, verdict.rule) == (False, wrong.fails)


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.number)
def test_an_exercise_has_several_hints_and_a_wrong_answer(item: Exercise) -> None:
    assert len(item.hints) >= 3
    assert len(item.wrong) >= 3


@pytest.mark.parametrize("answer", [None, ..., 0, "", [], {}, object(), lambda: 1 / 0, (1, 2)])
@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.number)
def test_any_answer_gets_a_verdict_and_no_exception(item: Exercise, answer: Any) -> None:
    assert item.verdict(answer).rule


def test_an_answer_that_raises_is_told_its_own_line() -> None:
    names: dict[str, Any] = {}
    exec(compile("def answer(turn):\n    return 1 / 0", "<cell>", "exec"), names)

    assert "ZeroDivisionError" in exercise("06.2").verdict(names["answer"]).hint


def test_a_check_is_over_in_half_a_minute_at_most() -> None:
    assert CHECK_TIMEOUT_S <= 30


def test_an_unknown_exercise_is_told_with_those_that_there_are() -> None:
    with pytest.raises(KeyError, match=r"05\.1"):
        exercise("99.9")


def test_hints_come_one_after_the_other(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path))

    hints = [exercise("05.1").hint().text for _ in range(4)]

    assert [hint[:11] for hint in hints] == [
        "Hint 1 of 3",
        "Hint 2 of 3",
        "Hint 3 of 3",
        "Hint 1 of 3",
    ]
