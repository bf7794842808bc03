"""The exercises of notebook 10: read a recorded session, and read a list with pages.

The session was recorded from the server `troubled`; a test records it again and compares. The
second exercise asks real servers, each a process of its own.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any, TypeAlias

from course_pkg.lessons.bare_client import Ask, asking
from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.wire import Frame

# --- 10.1 -----------------------------------------------------------------------------------------

#: What is true of the session.
FACTS: Mapping[str, Any] = {
    "version": "2025-11-25",
    "tools": 4,
    "dover": "Dover: 2.4 m",
    "failed": 7,
    "refused": 8,
    "unanswered": 9,
}

IS_FORM = "The answer is a dictionary with a value for each of the six questions."
SPOKEN = "The version is the one that both agreed on in the end."
BOTH_PAGES = "The tools of all pages are counted."
BY_ID = "The result for Dover is the answer with the id of the request for Dover."
A_RESULT = "The call whose tool failed has a result, with isError."
AN_ERROR = "The call that got a protocol error is a tools/call, and its answer holds an error."
NO_ANSWER = "The call without an answer is the one whose id no answer carries."


def _session() -> tuple[Frame, ...]:
    """The frames of the session, in order."""
    text = files(__package__).joinpath("session_10.json").read_text(encoding="utf-8")
    frames: list[Frame] = []
    for number, kept in enumerate(json.loads(text), 1):
        frame = Frame(
            number=number,
            wire="mcp",
            direction=kept["direction"],
            label=kept["label"],
            body=kept["body"].encode(),
            at_s=0.0,
            request=frames[kept["request"] - 1] if kept["request"] else None,
        )
        frames.append(frame)
    return tuple(frames)


def _is_form(answer: Any) -> bool:
    return isinstance(answer, Mapping) and all(answer.get(key) is not None for key in FACTS)


def _says(key: str) -> Callable[[Any], bool]:
    return lambda answer: bool(answer[key] == FACTS[key])


def _form(**changes: Any) -> str:
    lines = [f"    {key!r}: {value!r}," for key, value in {**FACTS, **changes}.items()]
    return "\n".join(["answer = {", *lines, "}"]).replace("'", '"')


_READ = Exercise(
    number="10.1",
    goal="Read a recorded session, and answer six questions about it.",
    starter=_form(**dict.fromkeys(FACTS)),
    rules=(
        Rule(name=IS_FORM, test=_is_form, hint="Replace each None. An id is a whole number."),
        Rule(
            name=SPOKEN,
            test=_says("version"),
            hint="What became of server/discover? Read the answer to initialize.",
        ),
        Rule(name=BOTH_PAGES, test=_says("tools"), hint="Is there a nextCursor in the first list?"),
        Rule(
            name=BY_ID,
            test=_says("dover"),
            hint="Answers may come in any order. Which id does the request for Dover have?",
        ),
        Rule(name=A_RESULT, test=_says("failed"), hint="Look for isError: true, and for its id."),
        Rule(
            name=AN_ERROR,
            test=_says("refused"),
            hint="Two answers hold an error. Which of them answers a tools/call?",
        ),
        Rule(
            name=NO_ANSWER,
            test=_says("unanswered"),
            hint="The last message of the session says which request the client gave up.",
        ),
    ),
    hints=(
        "A row of the view says which row it answers. The JSON-RPC id is in the payload.",
        "The number of a row and the id of a message are two things. The questions ask for ids.",
        "There are two lists of tools, two answers that hold an error, and one with isError.",
    ),
    source=_form(),
    wrong=(
        WrongAnswer(source="answer = 4", fails=IS_FORM),
        WrongAnswer(source=_form(dover=None), fails=IS_FORM),
        WrongAnswer(source=_form(version="2026-07-28"), fails=SPOKEN),
        WrongAnswer(source=_form(tools=3), fails=BOTH_PAGES),
        WrongAnswer(source=_form(dover="Brest: 5.1 m"), fails=BY_ID),
        WrongAnswer(source=_form(failed=8), fails=A_RESULT),
        WrongAnswer(source=_form(refused=1), fails=AN_ERROR),
        WrongAnswer(source=_form(unanswered=18), fails=NO_ANSWER),
    ),
    make_material=_session,
)

# --- 10.2 -----------------------------------------------------------------------------------------

#: what asks a server → the names of its tools
Lister: TypeAlias = Callable[[Ask], Awaitable[Any]]

SERVER = "course_pkg.lessons.servers.paged"
MAX_REQUESTS = 20

IS_LISTER = "The answer is an async function of ask."
ONE_PAGE = "A list of one page is read, and comes back as a list of names."
ALL_PAGES = "A list of three pages is read whole, in order."
EMPTY_PAGE = "A page without tools is not the end, if it has a nextCursor."
COMES_TO_AN_END = "A list whose cursor comes again is left after some requests, with all names."


async def _listed(answer: Lister, *pages: str) -> Any:
    """What an answer makes of a server with these pages."""
    command = [sys.executable, "-m", SERVER, *pages]
    async with asking(command, max_requests=MAX_REQUESTS) as ask:
        return await answer(ask)


def _gives(*pages: str) -> Callable[[Any], Awaitable[bool]]:
    async def test(answer: Lister) -> bool:
        return bool(await _listed(answer, *pages) == " ".join(pages).split())

    return test


async def _comes_to_an_end(answer: Lister) -> bool:
    return set(await _listed(answer, "a b", "c", "...")) == {"a", "b", "c"}


_LISTER = """\
async def answer(ask):
    names, params, seen = [], {}, set()
    while True:
        page = await ask("tools/list", params)
        names += [tool["name"] for tool in page["tools"]]
        cursor = page.get("nextCursor")
        if cursor is None or cursor in seen:
            return names
        seen.add(cursor)
        params = {"cursor": cursor}
"""

_PAGES = Exercise(
    number="10.2",
    goal="Read a list of tools to its end, whatever the server does.",
    starter=(
        'async def answer(ask):\n    page = await ask("tools/list", {})\n'
        '    return [tool["name"] for tool in page["tools"]]'
    ),
    rules=(
        Rule(
            name=IS_LISTER,
            test=inspect.iscoroutinefunction,
            hint="Keep `async def answer(ask)`; return the names.",
        ),
        Rule(
            name=ONE_PAGE,
            test=_gives("a b"),
            hint="The last page has no nextCursor. Use page.get, and stop there.",
        ),
        Rule(
            name=ALL_PAGES,
            test=_gives("a b", "c d", "e"),
            hint='Ask again with {"cursor": ...}, and send the cursor as it came.',
        ),
        Rule(
            name=EMPTY_PAGE,
            test=_gives("a", "", "b"),
            hint="Only a missing nextCursor means the end. What does your loop look at?",
        ),
        Rule(
            name=COMES_TO_AN_END,
            test=_comes_to_an_end,
            hint="Keep the cursors that you have sent. What if one comes again?",
        ),
    ),
    hints=(
        "Put the request into a loop. What must change from one request to the next?",
        'The first request has no cursor; each later one has {"cursor": page["nextCursor"]}.',
        "Stop if there is no nextCursor, or if it is in the set of those that you have seen.",
    ),
    source=_LISTER,
    wrong=(
        WrongAnswer(source="answer = ['a']", fails=IS_LISTER),
        WrongAnswer(
            source=_LISTER.replace('page.get("nextCursor")', 'page["nextCursor"]'), fails=ONE_PAGE
        ),
        WrongAnswer(source=_LISTER.replace("names +=", "names ="), fails=ALL_PAGES),
        WrongAnswer(
            source=_LISTER.replace('{"cursor": cursor}', '{"cursor": str(len(names))}'),
            fails=ALL_PAGES,
        ),
        WrongAnswer(
            source=_LISTER.replace("cursor in seen", 'cursor in seen or not page["tools"]'),
            fails=EMPTY_PAGE,
        ),
        WrongAnswer(source=_LISTER.replace(" or cursor in seen", ""), fails=COMES_TO_AN_END),
    ),
)

EXERCISES = (_READ, _PAGES)
