"""The exercises of notebook 14, the capstone: the toolbox, the run, the server.

The checks of 14.1 and 14.3 are the capstone's own review, section by section. That of 14.2 runs the
answer with the sample tools and the practice model.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from course_pkg.lessons.capstone.contract import BOOK, QUESTIONS
from course_pkg.lessons.capstone.handout import solution_path, starter
from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.widgets.report import Report

# --- the report behind a rule ---------------------------------------------------------------------


@dataclass
class _Latest:
    """The report of the answer that is checked: the first rule makes it, the others read it."""

    report: Report | None = None


_latest = _Latest()


def _reviewed(answer: Any) -> Report:
    from course_pkg.lessons.capstone import review

    _latest.report = review(answer)
    return _latest.report


def _passes(*sections: str) -> Callable[[Any], bool]:
    def test(answer: Any) -> bool:
        report = _latest.report or _reviewed(answer)
        return report.only(*sections).passed

    return test


def _is_without(*codes: str) -> Callable[[Any], bool]:
    def test(answer: Any) -> bool:
        report = _latest.report or _reviewed(answer)
        return not set(codes) & set(report.codes)

    return test


# --- 14.1 -----------------------------------------------------------------------------------------

READS = "The answer is a toolbox, or a list of tools, with the three names of the brief."
DEFINED = "The review has nothing to say about the definitions."
BEHAVES = "The tools do what the brief says, also when the model calls them."
SURVIVES = "Each of the ten faults is answered."
SECURE = "The review has nothing to say about security."
SEE = "Run review(answer) and open the section. Each finding says what to do next."

_SOLUTION = solution_path().read_text(encoding="utf-8").split("\nif __name__")[0]
_TOOLS = _SOLUTION.replace("from __future__ import annotations\n\n", "").strip()
_TOOLS += "\n\nanswer = toolbox"


def _is_toolbox(answer: Any) -> bool:
    missing = {"not_a_toolbox", "tools_cannot_be_made", "tool_missing", "tool_too_many"}
    return not isinstance(answer, str | Path) and not missing & set(_reviewed(answer).codes)


def _changed(old: str, new: str) -> str:
    return _TOOLS.replace(old, new)


_TOOLBOX = Exercise(
    number="14.1",
    goal="Write the three tools of the brief, until the review finds nothing to mend.",
    starter=starter(),
    rules=(
        Rule(
            name=READS,
            test=_is_toolbox,
            hint="Keep the last line: answer = toolbox = [get_repair, estimate_cost, book_repair]",
        ),
        Rule(name=DEFINED, test=_passes("Definitions"), hint=f"Begin with types. {SEE}"),
        Rule(name=BEHAVES, test=_passes("Behaviour in the loop"), hint=SEE),
        Rule(name=SURVIVES, test=_passes("Ten faults"), hint=SEE),
        Rule(name=SECURE, test=_passes("Security"), hint=SEE),
    ),
    hints=(
        "Put @tool above each function, and a type on each parameter. Pages 01 and 02 have all "
        "you need: Literal for choices, Annotated[int, Field(ge=1, le=120)] for limits.",
        "Then the docstrings: a verb, what comes back, and under Args: each parameter with an "
        "example, its limits and its default. Page 04 has the five rules.",
        "Then the bodies: math.ceil(minutes / 15), ToolError for an unknown ticket, and for the "
        'booking @tool(side_effect=True, idempotency_key="key") with a dict of bookings by key.',
        'One right answer: exercise("14.1").solution()',
    ),
    source=_TOOLS,
    wrong=(
        WrongAnswer(source="answer = 5", fails=READS),
        WrongAnswer(source=_changed("answer = toolbox", "answer = [get_repair]"), fails=READS),
        WrongAnswer(source=starter(), fails=DEFINED),
        WrongAnswer(source=_changed(" Returns the booking's number.", ""), fails=DEFINED),
        WrongAnswer(source=_changed("math.ceil(minutes / 15)", "minutes / 15"), fails=BEHAVES),
        WrongAnswer(source=_changed("if ticket not in REPAIRS", "if False"), fails=SURVIVES),
        WrongAnswer(source=_changed("if key not in bookings", "if True"), fails=SECURE),
        WrongAnswer(source=_changed("side_effect=True, ", ""), fails=SECURE),
    ),
)

# --- 14.2 -----------------------------------------------------------------------------------------

Answer: TypeAlias = Callable[..., Awaitable[Any]]

IS_ASYNC = "The answer is an async function of question, tools, client and approve."
LOOKS_UP = "A question about a repair is answered with its state."
REFUSED = "A booking that a person refuses is not made."
BOOKED = "A booking that a person approves is made, once."
SAYS_SO = "If the run comes to no answer, the text says so."

LOOK_UP_QUESTION = QUESTIONS[0].text
BOOK_QUESTION = QUESTIONS[2].text


async def _asked(
    answer: Answer, question: str, *, says: bool = True, fault: str = ""
) -> tuple[Any, int]:
    """What an answer gives for a question, and how many bookings were made."""
    from course_pkg.lessons.capstone.solution import toolbox
    from course_pkg.lessons.practice_client import practice_client
    from course_pkg.tools import Tool, laid_over

    made: list[str] = []

    async def noted(
        tool: Tool, _arguments: Mapping[str, Any], proceed: Callable[[], Awaitable[Any]]
    ) -> Any:
        made.append(tool.name)
        return await proceed()

    async with practice_client() as client:
        client.model = f"practice:{fault}" if fault else client.model
        with laid_over(noted):
            text = await answer(question, toolbox, client, lambda _request: says)
    return text, made.count(BOOK)


def _is_async(answer: Any) -> bool:
    if not inspect.iscoroutinefunction(answer):
        return False
    try:
        inspect.signature(answer).bind("question", [], None, None)
    except TypeError:
        return False
    return True


async def _looks_up(answer: Answer) -> bool:
    text, _ = await _asked(answer, LOOK_UP_QUESTION)
    return isinstance(text, str) and "on the bench" in text


async def _refused(answer: Answer) -> bool:
    _, bookings = await _asked(answer, BOOK_QUESTION, says=False)
    return bookings == 0


async def _booked(answer: Answer) -> bool:
    _, bookings = await _asked(answer, BOOK_QUESTION)
    return bookings == 1


async def _says_so(answer: Answer) -> bool:
    text, _ = await _asked(answer, LOOK_UP_QUESTION, fault="silent_after_results")
    return isinstance(text, str) and bool(text.strip())


_RUN = """from course_pkg import run

async def answer(question, tools, client, approve):
    outcome = await run(question, tools, client)
    return outcome.answer"""
_SAID = (
    """    return outcome.answer or f"No answer: {outcome.reason}. Please ask again." """.rstrip()
)
_RAN = _RUN.replace("client)\n", "client, approve=approve)\n").replace(
    "    return outcome.answer", _SAID
)

_ASSISTANT = Exercise(
    number="14.2",
    goal="Run a toolbox through the loop, so that nothing is booked without a person.",
    starter=_RUN,
    rules=(
        Rule(
            name=IS_ASYNC,
            test=_is_async,
            hint="Keep the line: async def answer(question, tools, client, approve)",
        ),
        Rule(
            name=LOOKS_UP,
            test=_looks_up,
            hint="Return the model's own words, which are in the outcome.",
        ),
        Rule(
            name=REFUSED,
            test=_refused,
            hint="The parameter approve is a function that says yes or no. Who asks it?",
        ),
        Rule(
            name=BOOKED,
            test=_booked,
            hint="Whose answer decides here? Hand the question on to the person.",
        ),
        Rule(
            name=SAYS_SO,
            test=_says_so,
            hint="An outcome has a reason. Its answer may be None, and nobody can read None.",
        ),
    ),
    hints=(
        "run takes approve=..., as on page 07.",
        "Look at outcome.reason and outcome.answer for a model that says nothing.",
        "await run(question, tools, client, approve=approve), and then "
        "outcome.answer or a sentence with outcome.reason.",
    ),
    source=_RAN,
    wrong=(
        WrongAnswer(source="answer = run = 5", fails=IS_ASYNC),
        WrongAnswer(source=_RAN.replace("async def", "def").replace("await ", ""), fails=IS_ASYNC),
        WrongAnswer(
            source='async def answer(question, tools, client, approve):\n    return "ready"',
            fails=LOOKS_UP,
        ),
        WrongAnswer(source=_RUN, fails=REFUSED),
        WrongAnswer(
            source=_RAN.replace("=approve)", "=lambda request: False)"),
            fails=BOOKED,
        ),
        WrongAnswer(source=_RAN.replace(_SAID, "    return outcome.answer"), fails=SAYS_SO),
    ),
)

# --- 14.3 -----------------------------------------------------------------------------------------

IS_SOURCE = "The answer is the text of a file, or the path of one."
IMPORTS = "The file can be imported, and nothing starts then."
SERVES = "Run as a program, the file is a server that a client can talk to."
LISTS = "The server lists the toolbox as it is."
QUIET = "Nothing but messages is on its stdout."
REST = "The client gets results, error results and hints as the tools give them."

_FILE = '''"""The repair café as a program. Put your own tools in the place of the import."""

from course_pkg.lessons.capstone.solution import toolbox

print("The repair café is open.")
'''
_SERVED = '''"""The repair café as a program."""

from course_pkg.lessons.capstone.solution import toolbox
from course_pkg.mcp_server import high_level, run_stdio

if __name__ == "__main__":
    run_stdio(high_level(toolbox, name="repair-cafe"))
'''


def _is_source(answer: Any) -> bool:
    if isinstance(answer, Path) or (isinstance(answer, str) and answer.strip()):
        return "file_missing" not in _reviewed(answer).codes
    return False


def _served(old: str, new: str) -> str:
    return f"answer = {_SERVED.replace(old, new)!r}"


_SERVER = Exercise(
    number="14.3",
    goal="Publish the toolbox: make a file that is an MCP server when it is run.",
    starter='answer = exercise("14.3").material()',
    rules=(
        Rule(
            name=IS_SOURCE,
            test=_is_source,
            hint="Begin with the material, print it, and put three quotes round your own version.",
        ),
        Rule(name=IMPORTS, test=_passes("The toolbox"), hint=SEE),
        Rule(name=SERVES, test=_is_without("server_not_started", "server_not_made"), hint=SEE),
        Rule(
            name=LISTS,
            test=_is_without("tool_not_published", "definition_changed"),
            hint="Give the whole toolbox to high_level.",
        ),
        Rule(
            name=QUIET,
            test=_is_without("stray_output"),
            hint="Over stdio, stdout is the wire. What does your file print?",
        ),
        Rule(name=REST, test=_passes("MCP server and client"), hint=SEE),
    ),
    hints=(
        "high_level(toolbox) makes a server, run_stdio(server) serves it. Page 09 shows both.",
        'What runs only as a program stands below if __name__ == "__main__":',
        'Take the print out. The last line is run_stdio(high_level(toolbox, name="repair-cafe")).',
    ),
    source=f"answer = {_SERVED!r}",
    wrong=(
        WrongAnswer(source="answer = 7", fails=IS_SOURCE),
        WrongAnswer(source='answer = "no_such_file.py"', fails=IS_SOURCE),
        WrongAnswer(source=f"answer = {_FILE!r}", fails=SERVES),
        WrongAnswer(source=_served('if __name__ == "__main__":', "if True:"), fails=IMPORTS),
        WrongAnswer(
            source=_served("high_level(toolbox,", 'high_level([toolbox["get_repair"]],'),
            fails=LISTS,
        ),
        WrongAnswer(
            source=_served("    run_stdio", '    print("Open.", flush=True)\n    run_stdio'),
            fails=QUIET,
        ),
    ),
    make_material=lambda: _FILE,
)

EXERCISES = (_TOOLBOX, _ASSISTANT, _SERVER)
