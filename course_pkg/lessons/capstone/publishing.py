"""Connect the course's client to the learner's server, and use it.

In: a subject. Out: findings. A file is started as a program of its own, which must be a server over
stdio; tools of a notebook are offered by a server in this process.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from course_pkg.lessons.capstone.contract import BOOK, CALCULATE, GOOD, LOOK_UP, UNKNOWN_TICKET
from course_pkg.lessons.capstone.step import Step
from course_pkg.lessons.capstone.subject import NotLookedAtError, Subject
from course_pkg.schema import shown
from course_pkg.tools import ToolDefinitionError
from course_pkg.widgets.report import Finding

if TYPE_CHECKING:
    from course_pkg.mcp_client import Connection

SECTION = "MCP server and client"

#: How long the server may take to start, and to answer one call, in seconds.
OPEN_TIMEOUT_S = 10.0
CALL_TIMEOUT_S = 4.0

NOT_OPEN = "no client could connect"

#: What a subprocess is given besides: the mark by which a review ends what it has started.
HANDED_ON = ("COURSE_PROGRAM_RUN", "PYTHONPATH")


async def _starts(subject: Subject) -> Sequence[Finding]:
    from course_pkg.mcp_client import Connection, ServerError

    try:
        subject.connection = await Connection(
            _target(subject),
            name="your server",
            open_timeout_s=OPEN_TIMEOUT_S,
            call_timeout_s=CALL_TIMEOUT_S,
        ).open()
    except ServerError as error:
        return [_not_started(subject, error)]
    except ToolDefinitionError as error:
        return [
            Finding(
                code="server_not_made",
                where="high_level(toolbox)",
                what=str(error),
                fix="Mend the schema that the sentence names.",
            )
        ]
    return []


def _target(subject: Subject) -> Any:
    from course_pkg.mcp_client import Target
    from course_pkg.mcp_server import high_level

    if subject.path is None:
        return high_level(subject.tools, name="repair-cafe")
    handed = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    return Target([sys.executable, str(subject.path)], env=handed)


def _not_started(subject: Subject, error: Any) -> Finding:
    # The whole text holds the paths of this computer, so only its kind and the log's end are told.
    said = error.log.splitlines()[-1:] if error.log else []
    how = "did not answer in time" if error.kind == "timeout" else "ended before it had answered"
    return Finding(
        code="server_not_started",
        where=subject.path.name if subject.path else "your server",
        what=f"Run as a program, it {how}.{''.join(f' Its last words: {line}' for line in said)}",
        why="A client starts the file as a program, and talks to it over stdin and stdout.",
        fix='End the file with: if __name__ == "__main__": run_stdio(high_level(toolbox)). '
        "Both come from course_pkg.mcp_server.",
    )


def _open(subject: Subject) -> Connection:
    if subject.connection is None or not subject.connection.is_open:
        raise NotLookedAtError(NOT_OPEN)
    return subject.connection


async def _lists(subject: Subject) -> Sequence[Finding]:
    listed = {tool.name: tool for tool in _open(subject).tools}
    found = [
        Finding(
            code="tool_not_published",
            where=name,
            what=f"The server does not list it. It lists: {', '.join(listed) or 'nothing'}.",
            fix="Give the whole toolbox to high_level.",
        )
        for name in subject.tools
        if name not in listed
    ]
    found += [
        Finding(
            code="definition_changed",
            where=name,
            what="The server lists another schema or description than the toolbox has.",
            why="The model is then told something else than what is checked.",
            fix="Give the toolbox itself to high_level, and write no tool a second time.",
        )
        for name, tool in subject.tools.items()
        if name in listed
        and (listed[name].input_schema, listed[name].description)
        != (tool.input_schema, tool.description)
    ]
    return found


async def _good_call(subject: Subject) -> Sequence[Finding]:
    connection = _open(subject)
    subject.tool(LOOK_UP)
    outcome = await connection.call(LOOK_UP, GOOD[LOOK_UP])
    if not outcome.is_error and "on the bench" in outcome.text:
        return []
    return [
        Finding(
            code="remote_call_wrong",
            where=LOOK_UP,
            what=f"The client asked for {shown(dict(GOOD[LOOK_UP]))}, and read: {outcome.text}",
            fix="First let the tool pass the checks above, without a server.",
        )
    ]


async def _error_result(subject: Subject) -> Sequence[Finding]:
    connection = _open(subject)
    subject.tool(LOOK_UP)
    outcome = await connection.call(LOOK_UP, {"ticket": UNKNOWN_TICKET})
    if outcome.kind == "error_result" and UNKNOWN_TICKET in outcome.text:
        return []
    return [
        Finding(
            code="remote_error_unclear",
            where=LOOK_UP,
            what=f"The client asked for an unknown ticket, and read: {outcome.text}",
            why="Only the text of a ToolError leaves the server.",
            fix="Raise ToolError from course_pkg, and name the ticket in its text.",
        )
    ]


async def _hints(subject: Subject) -> Sequence[Finding]:
    listed = {tool.name: tool for tool in _open(subject).tools}
    return [
        Finding(
            code="hint_wrong",
            where=name,
            what=f"The server's hint says that the tool {says}.",
            why="A host decides by it whether to ask a person, if it trusts the server.",
            fix=f"Mark {BOOK} with side_effect=True, and no other tool.",
        )
        for name, changes, says in (
            (LOOK_UP, False, "changes something"),
            (CALCULATE, False, "changes something"),
            (BOOK, True, "changes nothing"),
        )
        if name in listed and listed[name].side_effect is not changes
    ]


async def _quiet(subject: Subject) -> Sequence[Finding]:
    connection = _open(subject)
    await asyncio.sleep(0)
    return [
        Finding(
            code="stray_output",
            where="stdout of the server",
            what=sentence,
            why="Over stdio, stdout is the wire. A stray line there can end the connection.",
            fix="Print nothing, or print to sys.stderr.",
        )
        for sentence in connection.warnings
    ]


STEPS = (
    Step(section=SECTION, title="The server starts, and the client connects.", look=_starts),
    Step(section=SECTION, title="It lists the toolbox as it is.", look=_lists),
    Step(section=SECTION, title="A good call brings the result.", look=_good_call),
    Step(
        section=SECTION,
        title="An unknown ticket comes back as an error result that helps.",
        look=_error_result,
    ),
    Step(section=SECTION, title="Its hints tell which tool changes something.", look=_hints),
    Step(section=SECTION, title="Nothing but messages is on its stdout.", look=_quiet),
)
