"""What the tests of the MCP server offer, and what each call must be answered with.

Run as a program it serves on stdio: `python offered_over_mcp.py high_level`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from course_pkg.mcp_server import Documents, high_level, low_level, run_stdio
from course_pkg.tools import Tool, Toolbox, ToolError, report_progress, tool

#: What must never reach a client. In two parts, so that no other text holds it.
SECRET = "the-database-is-at-" + "/srv/private"
LONG_CHARS = 50_000


@dataclass(frozen=True)
class Summary:
    count: int
    total: float


@tool
def add(a: int, b: int) -> int:
    """Add two whole numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


@tool
async def sum_up(numbers: list[float]) -> Summary:
    """Sum numbers up.

    Args:
        numbers: The numbers.
    """
    return Summary(count=len(numbers), total=sum(numbers))


@tool
def look_up(word: str) -> dict[str, Any]:
    """Look a word up.

    Args:
        word: The word.
    """
    return {"word": word, "meanings": ["一", "two"]}


@tool
def refuse() -> str:
    """Say why not."""
    raise ToolError("The library is closed on Sundays. Ask again on Monday.")


@tool
def crash() -> str:
    """Fail."""
    raise RuntimeError(SECRET)


@tool
def leave() -> str:
    """Try to end the program."""
    sys.exit(SECRET)


@tool
def break_a_promise() -> Summary:
    """Return something else than the annotation says."""
    return cast(Summary, {"count": "many"})


@tool
def talk() -> str:
    """Return too much text."""
    return "x" * LONG_CHARS


@tool
def fill() -> dict[str, Any]:
    """Return a too large object."""
    return {"text": "x" * LONG_CHARS}


@tool
def fill_as_promised() -> dict[str, str]:
    """Return a too large object that was promised."""
    return {"text": "x" * LONG_CHARS}


@tool(timeout_s=0.05)
def sleep() -> str:
    """Sleep too long."""
    time.sleep(0.3)
    return "rested"


@tool
def print_rubbish() -> None:
    """Print something, which must not get between the messages."""
    print("rubbish", flush=True)  # noqa: T201 - that is what it is for


@tool(side_effect=True)
def send(text: str) -> str:
    """Send a text.

    Args:
        text: The text.
    """
    return f"sent: {text}"


@tool
def count_to(limit: int) -> str:
    """Count, and tell how far it has come.

    Args:
        limit: How far.
    """
    for number in range(1, limit + 1):
        report_progress(number, limit, f"at {number}")
    report_progress(limit, limit, "it does not grow any more")
    return f"counted to {limit}"


BY_HAND = Tool(
    name="by-hand",
    description="A schema that no signature could have.",
    input_schema={
        "type": "object",
        "$comment": "letter by letter",
        "properties": {"shape": {"oneOf": [{"const": "dot"}, {"type": "array", "minItems": 2}]}},
        "required": ["shape"],
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": False,
    },
    run=lambda **arguments: sorted(arguments),
)

TOOLS = Toolbox(
    [
        add,
        sum_up,
        look_up,
        refuse,
        crash,
        leave,
        break_a_promise,
        talk,
        fill,
        fill_as_promised,
        sleep,
        print_rubbish,
        send,
        count_to,
        BY_HAND,
    ]
)


def page(name: str) -> str:
    if name == "broken":
        raise OSError(SECRET)
    return f"# {name}\n\n你好"


DOCUMENTS = Documents(
    uri="test://pages/{name}",
    names=("one", "two words", "broken"),
    read=page,
    description="A page.",
)


def praise(page: str) -> str:
    """Ask for praise of a page.

    Args:
        page: The page.
    """
    return f"Praise this:\n{page}"


def fail(page: str = "") -> str:
    """Fail."""
    raise OSError(SECRET)


@dataclass(frozen=True, kw_only=True)
class Expected:
    """A call, and its answer. A text that ends in … is only the beginning."""

    name: str
    arguments: dict[str, Any] | None
    text: str
    is_error: bool = False
    structured: dict[str, Any] | None = None


CALLS = (
    Expected(name="add", arguments={"a": 2, "b": 3}, text="5"),
    Expected(name="add", arguments={"a": "2", "b": 3}, text="5"),
    Expected(
        name="add",
        arguments={"a": "two", "c": 3},
        text="The arguments do not fit add:\n"
        'expected the required "b", found {"a": "two", "c": 3}. Add "b".\n'
        'expected only "a", "b", found {"a": "two", "c": 3}. Leave out "c".\n'
        'a: expected a whole number (integer), found "two". …',
        is_error=True,
    ),
    Expected(
        name="add",
        arguments=None,
        text='The arguments do not fit add:\nexpected the required "a", "b", found {}. …',
        is_error=True,
    ),
    Expected(
        name="sum_up",
        arguments={"numbers": [1, 2.5]},
        text='{"count": 2, "total": 3.5}',
        structured={"count": 2, "total": 3.5},
    ),
    Expected(
        name="look_up",
        arguments={"word": "雨"},
        text='{"word": "雨", "meanings": ["一", "two"]}',
        structured={"word": "雨", "meanings": ["一", "two"]},
    ),
    Expected(
        name="refuse",
        arguments={},
        text="The library is closed on Sundays. Ask again on Monday.",
        is_error=True,
    ),
    Expected(
        name="crash",
        arguments={},
        text="crash failed inside the server. Check the arguments, or do without it.",
        is_error=True,
    ),
    Expected(
        name="leave",
        arguments={},
        text="leave failed inside the server. Check the arguments, or do without it.",
        is_error=True,
    ),
    Expected(
        name="break_a_promise",
        arguments={},
        text="break_a_promise gave a result that does not fit its own output schema. …",
        is_error=True,
    ),
    Expected(name="talk", arguments={}, text="xxx…"),
    Expected(name="fill", arguments={}, text='{"text": "xxx…'),
    Expected(
        name="fill_as_promised",
        arguments={},
        text="The result of fill_as_promised has 50,012 characters as JSON, and at most 20,000 …",
        is_error=True,
    ),
    Expected(
        name="sleep", arguments={}, text="sleep was not done after 0.05 seconds. …", is_error=True
    ),
    Expected(name="print_rubbish", arguments={}, text="Done. The tool returned nothing."),
    Expected(name="send", arguments={"text": "hello"}, text="sent: hello"),
    Expected(name="count_to", arguments={"limit": 3}, text="counted to 3"),
    Expected(name="by-hand", arguments={"shape": "dot", "x-a": "b"}, text='["shape", "x-a"]'),
    Expected(
        name="by-hand",
        arguments={"shape": [1], "y": 2},
        text="The arguments do not fit by-hand:\n"
        'expected only "shape", found {"shape": [1], "y": 2}. Leave out "y".\n…',
        is_error=True,
    ),
    Expected(
        name="ad",
        arguments={"a": 1},
        text="There is no tool named 'ad'. Did you mean 'add'? Tools on offer: add, sum_up, …",
        is_error=True,
    ),
)

MAKERS: dict[str, Callable[..., Any]] = {"high_level": high_level, "low_level": low_level}


def server(maker: str, **options: Any) -> Any:
    """The server of one kind, with all that is offered here."""
    offer = {"name": "tested", "documents": DOCUMENTS, "prompts": [praise, fail]}
    return MAKERS[maker](TOOLS, **offer, **options)


if __name__ == "__main__":
    run_stdio(server(sys.argv[1]))
