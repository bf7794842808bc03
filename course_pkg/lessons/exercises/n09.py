"""The exercises of notebook 09: a server with one more tool, an error that helps, kinds of answers.

The first two answers are the source of a server. The check starts it as a real subprocess and calls
it through the course's client.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer

#: How long the learner's server may take to start, and to answer one call, in seconds.
OPEN_TIMEOUT_S = 10.0
CALL_TIMEOUT_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a server said to one call."""

    text: str
    is_error: bool
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What was seen of a learner's server.

    Attributes:
        tools: the names of its tools.
        said: what it said to each call of the check, in order.
        trouble: why it could not be used; empty if it could.
    """

    tools: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()
    trouble: str = ""


#: The last source that was looked at, and what was seen: each rule asks for the same look.
_last: dict[tuple[Any, int], Look] = {}


async def _look(source: Any, calls: tuple[tuple[str, Mapping[str, Any]], ...]) -> Look:
    key = (source, id(calls))
    if key not in _last:
        _last.clear()
        _last[key] = await _looked(source, calls)
    return _last[key]


async def _looked(source: str, calls: tuple[tuple[str, Mapping[str, Any]], ...]) -> Look:
    from course_pkg.mcp_client import Connection, ServerError

    connection = Connection(
        [sys.executable, "-c", source],
        name="your server",
        open_timeout_s=OPEN_TIMEOUT_S,
        call_timeout_s=CALL_TIMEOUT_S,
    )
    try:
        async with connection:
            outcomes = [await connection.call(name, given) for name, given in calls]
            said = [Said(text=one.text, is_error=one.is_error, kind=one.kind) for one in outcomes]
            names = tuple(tool.name for tool in connection.tools)
            return Look(tools=names, said=tuple(said))
    except ServerError as error:
        return Look(trouble=str(error))


def _is_source(answer: Any) -> bool:
    return isinstance(answer, str) and bool(answer.strip())


def _answer(source: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        source = source.replace(old, new)
    return f"answer = {source!r}"


IS_SOURCE = "The answer is the source of a server, as a text."
IS_SOURCE_HINT = "Begin with the material, print it, and put three quotes round your own version."
STARTS = "The server starts, and answers a client."
STARTS_HINT = (
    "Run the text as a file of its own to see the error. Does it still end in server.run()?"
)

# --- 09.1 -----------------------------------------------------------------------------------------

CONVERTER = '''from mcp.server import MCPServer

server = MCPServer("money", log_level="WARNING")


@server.tool()
def add(amount: float, other: float) -> float:
    """Add two amounts."""
    return amount + other


server.run()
'''
CONVERT = '''@server.tool()
def convert(amount: float, rate: float) -> float:
    """Convert an amount with an exchange rate."""
    return amount * rate


server.run()
'''
CONVERTED = CONVERTER.replace("server.run()\n", CONVERT)
BOTH = "The server lists both tools, add and convert."
CONVERTS = "convert gives the amount times the rate."
STILL_ADDS = "add works as before."
REFUSES = "A call of convert without a rate is refused, with an error result."

_CONVERSIONS = (
    ("convert", {"amount": 20, "rate": 1.5}),
    ("convert", {"amount": 0.5, "rate": 8}),
    ("add", {"amount": 2, "other": 3}),
    ("convert", {"amount": 20}),
)


def _number(said: Said) -> float | None:
    try:
        return None if said.is_error else float(said.text)
    except ValueError:
        return None


async def _starts(answer: Any) -> bool:
    return not (await _look(answer, _CONVERSIONS)).trouble


async def _lists_both(answer: Any) -> bool:
    return {"add", "convert"} <= set((await _look(answer, _CONVERSIONS)).tools)


async def _converts(answer: Any) -> bool:
    said = (await _look(answer, _CONVERSIONS)).said
    return [_number(one) for one in said[:2]] == [30, 4]


async def _still_adds(answer: Any) -> bool:
    return _number((await _look(answer, _CONVERSIONS)).said[2]) == 5


async def _refuses(answer: Any) -> bool:
    return (await _look(answer, _CONVERSIONS)).said[3].kind == "error_result"


_ADD_A_TOOL = Exercise(
    number="09.1",
    goal="Add the tool convert(amount, rate) to a server.",
    starter='answer = exercise("09.1").material()',
    rules=(
        Rule(name=IS_SOURCE, test=_is_source, hint=IS_SOURCE_HINT),
        Rule(name=STARTS, test=_starts, hint=STARTS_HINT),
        Rule(name=BOTH, test=_lists_both, hint="Each tool needs its own line @server.tool()."),
        Rule(name=STILL_ADDS, test=_still_adds, hint="Leave the first tool as it was."),
        Rule(name=CONVERTS, test=_converts, hint="20 at a rate of 1.5 makes 30."),
        Rule(name=REFUSES, test=_refuses, hint="Does your rate have a default? It needs none."),
    ),
    hints=(
        "A tool is a function with types, a docstring, and @server.tool() above it.",
        "Put it after add and before server.run(): what follows server.run() is never reached.",
        "def convert(amount: float, rate: float) -> float, and then its product.",
    ),
    source=_answer(CONVERTED),
    wrong=(
        WrongAnswer(source="answer = 5", fails=IS_SOURCE),
        WrongAnswer(source=_answer(CONVERTER, ("server.run()", "x x")), fails=STARTS),
        WrongAnswer(source=_answer(CONVERTER + CONVERT), fails=BOTH),
        WrongAnswer(source=_answer(CONVERTED, ("* rate", "/ rate")), fails=CONVERTS),
        WrongAnswer(source=_answer(CONVERTED, ("amount + other", "0")), fails=STILL_ADDS),
        WrongAnswer(source=_answer(CONVERTED, ("rate: float", "rate: float = 1")), fails=REFUSES),
    ),
    make_material=lambda: CONVERTER,
)

# --- 09.2 -----------------------------------------------------------------------------------------

PORTS = '''from mcp.server import MCPServer

server = MCPServer("tides", log_level="WARNING")
HIGH_WATER = {"Brest": "09:12", "Cadiz": "04:40", "Dover": "11:05"}


@server.tool()
def high_water(port: str) -> str:
    """Say when the water is highest in a port today."""
    return HIGH_WATER[port]


server.run()
'''
MENDED = PORTS.replace(
    "from mcp.server import MCPServer\n",
    "from mcp.server import MCPServer\nfrom mcp.server.mcpserver.exceptions import ToolError\n",
).replace(
    "    return HIGH_WATER[port]\n",
    "    if port not in HIGH_WATER:\n"
    '        raise ToolError(f"There is no port {port!r}. Ports: {list(HIGH_WATER)}.")\n'
    "    return HIGH_WATER[port]\n",
)
ANSWERS = "A port that is known gets its time."
MARKED = "An unknown port is an error result, and not an ordinary one."
NAMES_PORTS = "The text of the error names the ports that there are."

_TIDES = (("high_water", {"port": "Dover"}), ("high_water", {"port": "Atlantis"}))


async def _tides_start(answer: Any) -> bool:
    return not (await _look(answer, _TIDES)).trouble


async def _answers(answer: Any) -> bool:
    known = (await _look(answer, _TIDES)).said[0]
    return not known.is_error and "11:05" in known.text


async def _is_marked(answer: Any) -> bool:
    return (await _look(answer, _TIDES)).said[1].kind == "error_result"


async def _names_ports(answer: Any) -> bool:
    text = (await _look(answer, _TIDES)).said[1].text
    return all(port in text for port in ("Brest", "Cadiz", "Dover"))


_HELPFUL_ERROR = Exercise(
    number="09.2",
    goal="Let the model read which ports there are.",
    starter='answer = exercise("09.2").material()',
    rules=(
        Rule(name=IS_SOURCE, test=_is_source, hint=IS_SOURCE_HINT),
        Rule(name=STARTS, test=_tides_start, hint=STARTS_HINT),
        Rule(name=ANSWERS, test=_answers, hint="Dover is known: what does the tool give for it?"),
        Rule(
            name=MARKED,
            test=_is_marked,
            hint="A text that is returned looks like success. Which exception becomes isError?",
        ),
        Rule(
            name=NAMES_PORTS,
            test=_names_ports,
            hint="Only one kind of exception keeps its text on the way to the client.",
        ),
    ),
    hints=(
        "What does the client get now? Start the server and call it with an unknown port.",
        "Look the port up first. If it is missing, raise an error that lists the known ones.",
        "from mcp.server.mcpserver.exceptions import ToolError, then raise ToolError(...).",
    ),
    source=_answer(MENDED),
    wrong=(
        WrongAnswer(source="answer = 3", fails=IS_SOURCE),
        WrongAnswer(source=_answer(PORTS), fails=NAMES_PORTS),
        WrongAnswer(source=_answer(MENDED, ("ToolError(", "ValueError(")), fails=NAMES_PORTS),
        WrongAnswer(source=_answer(MENDED, ("raise ToolError(", "return str(")), fails=MARKED),
        WrongAnswer(source=_answer(MENDED, ("11:05", "")), fails=ANSWERS),
        WrongAnswer(source=_answer(MENDED, ("import MCPServer", "import MCP")), fails=STARTS),
    ),
    make_material=lambda: PORTS,
)

# --- 09.3 -----------------------------------------------------------------------------------------

SITUATIONS = (
    ("A search tool found nothing.", "result"),
    ("A tool's argument is out of range.", "error result"),
    ("The client asks for a method that the server does not have.", "protocol error"),
    ("A web page of a foreign origin sends a request to the server.", "http status"),
    ("The weather service that a tool asks does not answer in time.", "error result"),
    ("The client wants to read a resource that does not exist.", "protocol error"),
    ("A request has a body of 5 MiB.", "http status"),
)
SHAPE = "The answer is a list with one of the four words for each situation."
GOOD = "A tool that did its work gives a result."
FAILED = "What goes wrong inside a tool is an error result."
REST = "The client's own mistakes are protocol errors; trouble with the delivery is an HTTP status."


def _is_list_of_words(answer: Any) -> bool:
    words = {word for _, word in SITUATIONS}
    return (
        isinstance(answer, list)
        and len(answer) == len(SITUATIONS)
        and all(one in words for one in answer)
    )


def _right(word: str) -> Callable[[Any], bool]:
    def test(answer: Any) -> bool:
        pairs = zip(SITUATIONS, answer, strict=True)
        return all(given == meant for (_, meant), given in pairs if word in (meant, given))

    return test


RIGHT = [word for _, word in SITUATIONS]


def _with(place: int, word: str) -> str:
    return f"answer = {[*RIGHT[:place], word, *RIGHT[place + 1 :]]!r}"


_KINDS = Exercise(
    number="09.3",
    goal="Say for each situation how MCP tells it.",
    starter='situations = exercise("09.3").material()\nanswer = None',
    rules=(
        Rule(name=SHAPE, test=_is_list_of_words, hint="Seven situations, seven words, in order."),
        Rule(name=GOOD, test=_right("result"), hint="Is an empty list of matches a failure?"),
        Rule(name=FAILED, test=_right("error result"), hint="Did a tool run, or try to?"),
        Rule(name=REST, test=_right("http status"), hint="Was the message ever read as MCP?"),
    ),
    hints=(
        "Ask for each: who must read it, the model, the client program, or the network code?",
        "What happens inside a tool is always a result, good or bad.",
        "Methods and resources are asked for by the program. Origins and sizes belong to HTTP.",
    ),
    source=f"answer = {RIGHT!r}",
    wrong=(
        WrongAnswer(source="answer = ['result']", fails=SHAPE),
        WrongAnswer(source=_with(0, "error result"), fails=GOOD),
        WrongAnswer(source=_with(1, "http status"), fails=FAILED),
        WrongAnswer(source=_with(4, "protocol error"), fails=FAILED),
        WrongAnswer(source=_with(5, "error result"), fails=FAILED),
        WrongAnswer(source=_with(6, "protocol error"), fails=REST),
    ),
    make_material=lambda: [situation for situation, _ in SITUATIONS],
)

EXERCISES = (_ADD_A_TOOL, _HELPFUL_ERROR, _KINDS)
