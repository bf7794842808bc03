"""The calculator: right on arithmetic, and unmoved by everything else."""

from __future__ import annotations

import math
import operator
import threading
import time
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.samples import calculate
from course_pkg.samples.calculator import MAX_EXPRESSION_CHARS
from course_pkg.tools import ToolError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14),
        ("(15 + 27) / 6", 7),
        ("7 / 2", 3.5),
        ("0.1 + 0.2", 0.3),
        ("-7 // 2", -4),
        ("17 % 5", 2),
        ("17 % (-5)", -3),
        ("2 ** 10", 1024),
        ("2^10", 1024),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("2 ** -1", 0.5),
        ("2 ** 300", 2**300),
        ("1.5e3", 1500),
        (".5 + 5.", 5.5),
        ("  1\n+\t2 ", 3),
        ("sqrt(144) * 2", 24),
        ("abs(-3.5)", 3.5),
        ("round(2.567, 1)", 2.6),
        ("round(1234, -2)", 1200),
        ("floor(2.7) + ceil(2.1)", 5),
        ("min(3, 1, 2) + max(3, 1, 2)", 4),
        ("log(e)", 1),
        ("log(8, 2)", 3),
        ("log10(1000)", 3),
        ("exp(0)", 1),
        ("cos(pi)", -1),
        ("10 ÷ 4", 2.5),
        ("3 × 4 − 2", 10),
        ("１２＋（３×４）", 24),
        ("２＾３", 8),
        ("3² + 2³", 17),
        ("2 * π", 6.28318530717959),
        ("15%", 0.15),
        ("15% of 80", 12),
        ("80 * 15%", 12),
        ("100 / 50%", 200),
        ("100 + 10% - 3", 97.1),
        ("17 % -5", -3),
        ("15 % * 80", 12),
        ("(10% + 5%) * 200", 30),
        ("max(10%, 0.2)", 0.2),
        ("2 ^ 50%", 1.4142135623731),
        ("1" + " + 1" * 99, 100),
    ],
)
def test_an_expression_has_its_value(expression: str, value: float) -> None:
    result = calculate(expression)

    assert result == value
    assert type(result) is type(value)


HOSTILE = [
    "9**9**9",
    "9^9^9^9",
    "9.0**9**9",
    "10**1000",
    "2**10**9",
    "(2**300)**(2**300)",
    "1.0000001**10**99",
    "1e999",
    "-1e999 * 0",
    "exp(1000)",
    "10**99 * 10**99",
    "'a' * 10**9",
    '"a" * 10**9',
    "[0] * 10**9",
    "(1, 2) * 10**9",
    "1 << 10**9",
    "1 >> 10**9",
    "~1",
    "factorial(10**6)",
    "round(5, -10**9)",
    "round(5, 10**9)",
    "round(5, 0.5)",
    "floor(1e300)",
    "(" * 300 + "1" + ")" * 199,
    "-(" * 120 + "1" + ")" * 120,
    "-" * 499 + "1",
    "1" + "+1" * 249,
    "1" + "**1" * 150,
    "1+" * 100_000 + "1",
    "9" * 400 + "**" + "9" * 90,
    "sqrt(" * 90 + "2" + ")" * 90 + ")" * 10,
    "__import__('os').system('ls')",
    "().__class__.__bases__[0].__subclasses__()",
    "(1).__class__",
    "pi.real",
    "open('/etc/passwd').read()",
    "eval('1')",
    "exec('1')",
    "globals()",
    "lambda: 1",
    "(lambda: 1)()",
    "[x for x in (1, 2)]",
    "{1: 2}",
    "f'{1}'",
    "x = 1",
    "x := 1",
    "1; 2",
    "1\n2",
    "import os",
    "1 if 2 else 3",
    "1if 2 else 3",
    "True",
    "None",
    "1 and 2",
    "10 > 3",
    "1j",
    "0x10",
    "max(*(1, 2))",
    "max(**pi)",
    "max(1, key=abs)",
    "max(3)",
    "max()",
    "abs",
    "sqrt(sqrt)",
    "sqrt(1, 2)",
    "sqrt(-1)",
    "log(0)",
    "(-8) ** 0.5",
    "(-2) ** 0.5 + 1",
    "1 / 0",
    "1 % 0",
    "0 ** -1",
    "2(3 + 4)",
    "2 pi",
    "1,000 + 5",
    "1_000",
    "007",
    "1 +",
    "+",
    ")(",
    "",
    " ",
    "\0",
    "1 + \0",
    "\ud800",
    "@",
    "#",
    "1 # one",
    "`1`",
    "$5",
    "five plus two",
    "2 \\\n + 3",
    "٣ + 1",
    "1 + ...",
    "１" * 500 + "**２",
]


@pytest.mark.parametrize("expression", HOSTILE, ids=lambda text: ascii(text[:40]))
def test_a_hostile_or_broken_expression_is_refused_at_once(expression: str) -> None:
    began = time.perf_counter()

    with pytest.raises(ToolError) as caught:
        calculate(expression)

    assert time.perf_counter() - began < 0.5
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("expression", "advice"),
    [
        ("(2 + 3", "cannot read '(2 + 3'. Write numbers, + - * / // % ^ and parentheses"),
        ("2 > 1", "cannot use the sign '>' in '2 > 1'"),
        ("price * 2", "does not know 'price' in 'price * 2'. It knows the functions sqrt, abs"),
        ("1 / 0", "'1 / 0' divides by zero"),
        ("9**9**9", "more than 100 digits. Use smaller numbers."),
        ("1+" * 400, "has 800 characters; 500 are allowed. Calculate it in parts."),
        ("-" * 150 + "1", "nested more than 100 levels deep. Calculate it in parts."),
        ("1,000 + 5", "Write 1000, not 1,000."),
        ("max(3)", "too few or too many values"),
        ("sqrt(-1)", "has no value"),
        ("(-8) ^ 0.5", "no real number"),
        ("2(3 + 4)", "with every operator written out"),
    ],
)
def test_a_refusal_says_what_to_do(expression: str, advice: str) -> None:
    with pytest.raises(ToolError) as caught:
        calculate(expression)

    assert advice in str(caught.value)


def test_the_description_tells_the_limit_that_the_code_has() -> None:
    text = calculate.input_schema["properties"]["expression"]["description"]

    assert f"at most {MAX_EXPRESSION_CHARS} characters" in text


Tree: TypeAlias = "int | float | tuple[str, Tree, Tree]"
OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
LEAVES = st.integers(-1000, 1000) | st.floats(-1000, 1000).map(lambda value: round(value, 3))
TREES: st.SearchStrategy[Tree] = st.recursive(
    LEAVES,
    lambda part: st.tuples(st.sampled_from(sorted(OPERATORS)), part, part),
    max_leaves=12,
)


def written(tree: Tree) -> str:
    if isinstance(tree, tuple):
        sign, left, right = tree
        return f"({written(left)} {sign} {written(right)})"
    return f"({tree!r})"


def value_of(tree: Tree) -> float:
    if isinstance(tree, tuple):
        sign, left, right = tree
        return OPERATORS[sign](value_of(left), value_of(right))
    return tree


@given(tree=TREES)
def test_it_agrees_with_python_on_random_arithmetic(tree: Tree) -> None:
    try:
        expected = value_of(tree)
    except ZeroDivisionError:
        with pytest.raises(ToolError, match="divides by zero"):
            calculate(written(tree))
    else:
        assert math.isclose(calculate(written(tree)), expected, rel_tol=1e-12)


def _is_answered(expression: str) -> bool:
    try:
        return math.isfinite(calculate(expression))
    except ToolError:
        return True


@given(expression=st.text(st.characters(), max_size=80))
def test_any_text_gives_a_number_or_a_tool_error(expression: str) -> None:
    assert _is_answered(expression)


PIECES = [*"0123456789.+-*/%^(), ", "**", "//", "e", "pi", "sqrt(", "max(", "round(", "% of", "1e9"]


@given(pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=40))
def test_any_row_of_signs_gives_a_number_or_a_tool_error(pieces: list[str]) -> None:
    assert _is_answered("".join(pieces))


def test_many_threads_calculate_at_once() -> None:
    values: list[float] = []
    threads = [
        threading.Thread(target=lambda n=n: values.append(calculate(f"{n} * 2"))) for n in range(16)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(values) == [n * 2 for n in range(16)]
