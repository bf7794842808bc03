"""The calculator tool: arithmetic, and nothing but arithmetic.

In: an expression as text. Out: a number. The text is cut into words that must all be on a list,
then parsed, then evaluated by the `simpleeval` library with operators and functions that watch the
size of every value on the way. Knows nothing of `eval`.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import re
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from course_pkg.tools import ToolError, tool

if TYPE_CHECKING:
    from simpleeval import SimpleEval

Number: TypeAlias = int | float

MAX_EXPRESSION_CHARS = 500
#: How deep operations may be nested; each one costs Python two levels of its own stack.
MAX_DEPTH = 100
#: Digits before the decimal point, for the result and for every value on the way to it.
MAX_DIGITS = 100
#: Whole-number powers above this are worked out as floats. No value within the limits needs more.
MAX_EXPONENT = 1000
#: A float holds this many digits that can be trusted; 0.1 + 0.2 is shown as 0.3.
SIGNIFICANT_DIGITS = 15
CALCULATE_TIMEOUT_S = 2.0

ADVICE = (
    "Write numbers, + - * / // % ^ and parentheses, with every operator written out, for example "
    "(15 + 27) / 6."
)

#: Signs that people type and Python does not know; full-width forms lie a fixed way off.
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SIGNS = str.maketrans(
    _FULL_WIDTH
    | dict.fromkeys("×✕·", "*")
    | dict.fromkeys("−–—", "-")
    | dict.fromkeys("^＾", "**")
    | {"÷": "/", "²": "**2", "³": "**3", "π": " pi "}
)

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
# In `10% - 3` the sign stands at its number and means percent; in `10 % -3` it is the remainder.
_PERCENT = re.compile(rf"(?<![\w.])({_NUMBER})(?:\s*%(?=\s*(?:$|[*/),]))|%(?=\s*[-+]))", re.ASCII)
_PERCENT_OF = re.compile(rf"(?<![\w.])({_NUMBER})\s*%\s*of\b", re.ASCII)
_WORD = re.compile(rf"\s*(?:{_NUMBER}|(?P<name>[A-Za-z]\w*)|[-+*/%(),]|(?P<odd>\S))", re.ASCII)


@tool(timeout_s=CALCULATE_TIMEOUT_S)
def calculate(expression: str) -> Number:
    """Calculate the value of an arithmetic expression and return the number.

    Use it for sums, products, percentages, powers, roots and other arithmetic. It knows the
    functions sqrt, abs, round, floor, ceil, min, max, log, log10, exp, sin, cos and tan (angles in
    radians) and the constants pi and e. No variables, units or dates.

    Args:
        expression: Arithmetic expression of at most 500 characters, for example (15 + 27) / 6 or
            sqrt(144) * 2. Operators are + - * / // % and ^ (also written **) for powers; × and ÷
            work too. 15% of 80 and 80 * 15% mean percent; 17 % 5 is the remainder.
    """
    value = _evaluate(_tree(_python_text(expression), expression), expression)
    return _tidy(value)


def _shown(expression: str) -> str:
    return repr(expression if len(expression) <= 60 else expression[:57] + "...")


def _python_text(expression: str) -> str:
    """Write the expression in Python's signs, and refuse every word that is not on the list."""
    if len(expression) > MAX_EXPRESSION_CHARS:
        raise ToolError(
            f"The expression has {len(expression)} characters; {MAX_EXPRESSION_CHARS} are allowed. "
            "Calculate it in parts."
        )
    text = " ".join(expression.translate(_SIGNS).split())
    text = _PERCENT.sub(r"(\1/100)", _PERCENT_OF.sub(r"(\1/100)*", text))
    for word in _WORD.finditer(text):
        _refuse_word(word, expression)
    return text


def _refuse_word(word: re.Match[str], expression: str) -> None:
    if odd := word["odd"]:
        raise ToolError(f"calculate cannot use the sign {odd!r} in {_shown(expression)}. {ADVICE}")
    name = word["name"]
    if name and name not in FUNCTIONS and name not in CONSTANTS:
        raise ToolError(
            f"calculate does not know {_shown(name)} in {_shown(expression)}. It knows the "
            f"functions {', '.join(FUNCTIONS)} and the constants {', '.join(CONSTANTS)}."
        )


def _tree(text: str, expression: str) -> ast.expr:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ToolError(f"calculate cannot read {_shown(expression)}. {ADVICE}") from error
    if isinstance(tree, ast.Tuple):
        raise ToolError(
            f"{_shown(expression)} holds a comma outside a function. Write 1000, not 1,000."
        )
    if any(depth > MAX_DEPTH for depth in _depths(tree)):
        raise ToolError(
            f"The expression is nested more than {MAX_DEPTH} levels deep. Calculate it in parts."
        )
    return tree


def _depths(tree: ast.AST) -> Iterator[int]:
    """How deep each part lies. Keeps its own stack, since Python's is what is at stake."""
    waiting = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        yield depth
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _evaluate(tree: ast.expr, expression: str) -> Number:
    from simpleeval import InvalidExpression

    try:
        return _within_limits(_evaluator().eval(expression, previously_parsed=tree))
    except ZeroDivisionError as error:
        raise ToolError(
            f"{_shown(expression)} divides by zero, which has no value. Check the numbers."
        ) from error
    except OverflowError as error:
        raise _too_large() from error
    except ValueError as error:
        raise ToolError(
            f"{_shown(expression)} has no value: {str(error).rstrip('.')}. Check what goes into "
            "the functions."
        ) from error
    except (InvalidExpression, TypeError, AttributeError, RecursionError) as error:
        reason = "a function has too few or too many values" if isinstance(error, TypeError) else ""
        raise ToolError(
            f"calculate cannot work out {_shown(expression)}: {reason or 'not plain arithmetic'}. "
            f"{ADVICE}"
        ) from error


def _too_large() -> ToolError:
    return ToolError(
        f"A value in this calculation has more than {MAX_DIGITS} digits. Use smaller numbers."
    )


def _within_limits(value: object) -> Number:
    """Give a value back if it is a real number of a reasonable size."""
    if isinstance(value, complex):
        raise ToolError("The result is no real number: a root or power of a negative number.")
    if not isinstance(value, (int, float)):
        raise TypeError("the result is no single number")
    if not abs(value) < 10**MAX_DIGITS:  # also catches "not a number"
        raise _too_large()
    return value


def _tidy(value: Number) -> Number:
    """7.0 becomes 7, and 0.30000000000000004 becomes 0.3."""
    if isinstance(value, int):
        return int(value)
    rounded = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    whole = rounded.is_integer() and abs(rounded) < 10**SIGNIFICANT_DIGITS
    return int(rounded) if whole else rounded


def _watched(function: Callable[..., object]) -> Callable[..., Number]:
    """The same function, with its value held to the limits."""

    @functools.wraps(function)
    def watched(*values: Number) -> Number:
        return _within_limits(function(*values))

    return watched


def _power(base: Number, exponent: Number) -> Number | complex:
    """`base ** exponent`, refused before it is worked out where it would be huge."""
    if abs(base) > 1 and exponent * math.log10(abs(base)) > MAX_DIGITS + 1:
        raise _too_large()
    if abs(exponent) > MAX_EXPONENT:
        base = float(base)  # 1 ** n and 0.5 ** n are quick as floats, whatever n is
    result: Number | complex = base**exponent
    return result


def _round(value: Number, digits: Number = 0) -> Number:
    """`round`, refused where Python would build a number of a billion digits to round to."""
    if abs(digits) > MAX_DIGITS or digits != int(digits):
        raise ValueError(f"round takes a whole number of digits, {MAX_DIGITS} at most")
    return round(value, int(digits)) if digits else round(value)


FUNCTIONS: dict[str, Callable[..., Number]] = {
    "sqrt": _watched(math.sqrt),
    "abs": _watched(abs),
    "round": _watched(_round),
    "floor": _watched(math.floor),
    "ceil": _watched(math.ceil),
    "min": _watched(min),
    "max": _watched(max),
    "log": _watched(math.log),
    "log10": _watched(math.log10),
    "exp": _watched(math.exp),
    "sin": _watched(math.sin),
    "cos": _watched(math.cos),
    "tan": _watched(math.tan),
}
CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e}
OPERATORS: dict[type[ast.AST], Callable[..., Number]] = {
    ast.Add: _watched(operator.add),
    ast.Sub: _watched(operator.sub),
    ast.Mult: _watched(operator.mul),
    ast.Div: _watched(operator.truediv),
    ast.FloorDiv: _watched(operator.floordiv),
    ast.Mod: _watched(operator.mod),
    ast.Pow: _watched(_power),
    ast.USub: _watched(operator.neg),
    ast.UAdd: _watched(operator.pos),
}

_building = threading.Lock()


def _evaluator() -> SimpleEval:
    # Its constructor changes the process's warning filters for a moment: one thread at a time.
    with _building:
        return _built()


@functools.cache
def _built() -> SimpleEval:
    from simpleeval import SimpleEval

    return SimpleEval(operators=OPERATORS, functions=FUNCTIONS, names=dict(CONSTANTS))
