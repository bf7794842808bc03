"""Who is asked before a tool runs, and what a refusal comes to."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from course_pkg.executor import (
    ApprovalRequest,
    Decision,
    ForEveryTool,
    ScriptedApprover,
    console_approver,
    execute,
    execute_all,
    remembering,
)
from course_pkg.tools import Tool, ToolCall, tool


class Outbox:
    """Two tools: one that sends, and one that only looks."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def tools(self) -> list[Tool]:
        @tool(side_effect=True)
        def send(to: str) -> str:
            self.sent.append(to)
            return "sent"

        @tool
        def look() -> str:
            return "looked"

        return [send, look]


def send(to: str = "Mei", call_id: str = "c1") -> ToolCall:
    return ToolCall(id=call_id, name="send", arguments=f'{{"to": "{to}"}}')


LOOK = ToolCall(id="c9", name="look", arguments="")


async def test_an_approved_call_runs() -> None:
    outbox = Outbox()

    result = await execute(send(), outbox.tools(), approve=ScriptedApprover([True]))

    assert (result.text, outbox.sent) == ("sent", ["Mei"])


async def test_a_refusal_is_a_result_with_its_reason() -> None:
    outbox = Outbox()

    result = await execute(send(), outbox.tools(), approve=ScriptedApprover(["Wrong person."]))

    assert (result.error_kind, outbox.sent) == ("not_approved", [])
    assert "The reason: Wrong person." in result.text


async def test_nobody_is_asked_where_nobody_is_named() -> None:
    assert (await execute(send(), Outbox().tools())).text == "sent"


async def test_a_tool_without_side_effects_runs_unasked() -> None:
    approver = ScriptedApprover([])

    result = await execute(LOOK, Outbox().tools(), approve=approver)

    assert (result.text, approver.asked) == ("looked", [])


async def test_every_tool_is_asked_for_where_that_is_wanted() -> None:
    approver = ScriptedApprover([False])

    result = await execute(LOOK, Outbox().tools(), approve=ForEveryTool(approver))

    assert result.error_kind == "not_approved"


async def test_what_cannot_run_is_not_asked_about() -> None:
    approver = ScriptedApprover([])
    broken = ToolCall(id="c1", name="send", arguments='{"to": 5}')

    result = await execute(broken, Outbox().tools(), approve=approver)

    assert (result.error_kind, approver.asked) == ("invalid_arguments", [])


async def test_who_is_asked_sees_the_mended_arguments() -> None:
    approver = ScriptedApprover([True])
    fenced = ToolCall(id="c1", name="functions.send", arguments='```json\n{"to": "梅"}\n```')

    await execute(fenced, Outbox().tools(), approve=approver)

    assert approver.asked[0].summary == 'send(to="梅")'
    assert approver.asked[0].call.notes == ("name_prefix", "code_fence")


async def test_an_async_approver_is_awaited() -> None:
    async def later(request: ApprovalRequest) -> bool:
        await asyncio.sleep(0)
        return True

    assert (await execute(send(), Outbox().tools(), approve=later)).text == "sent"


@pytest.mark.parametrize("answer", [False, None, "yes", 1])
async def test_only_a_plain_yes_is_an_approval(answer: Any) -> None:
    result = await execute(send(), Outbox().tools(), approve=lambda _: answer)

    assert result.error_kind == "not_approved"


async def test_an_approver_that_fails_has_not_approved() -> None:
    def fail(request: ApprovalRequest) -> bool:
        raise EOFError

    result = await execute(send(), Outbox().tools(), approve=fail)

    assert "Nobody could be asked (EOFError)." in result.text


async def test_the_time_that_somebody_thinks_does_not_count() -> None:
    async def think(request: ApprovalRequest) -> bool:
        await asyncio.sleep(0.1)
        return True

    result = await execute(send(), Outbox().tools(), approve=think, timeout_s=0.05)

    assert result.text == "sent"


async def test_one_refusal_leaves_the_other_calls_alone() -> None:
    approver = ScriptedApprover([False, True])

    results = await execute_all(
        [send("Mei", "c1"), send("Tom", "c2"), LOOK], Outbox().tools(), approve=approver
    )

    assert [result.is_error for result in results] == [True, False, False]


async def test_always_holds_for_later_calls_of_the_same_tool() -> None:
    script = ScriptedApprover([Decision(approved=True, always=True)])
    approver = remembering(script)
    outbox = Outbox()

    await execute(send("Mei"), outbox.tools(), approve=approver)
    await execute(send("Tom"), outbox.tools(), approve=approver)

    assert (outbox.sent, len(script.asked)) == (["Mei", "Tom"], 1)


async def test_a_script_that_has_ended_refuses() -> None:
    result = await execute(send(), Outbox().tools(), approve=ScriptedApprover([]))

    assert "The script has ended." in result.text


# --- at the terminal ------------------------------------------------------------------------------


class Terminal:
    """Somebody who types lines."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.questions: list[str] = []

    def read_line(self, question: str) -> str:
        self.questions.append(question)
        return self.lines.pop(0)


@pytest.mark.parametrize(
    ("line", "sent"), [("y", 1), ("YES ", 1), ("a", 1), ("n", 0), ("", 0), ("not him", 0)]
)
async def test_the_console_takes_yes_no_always_or_a_reason(line: str, sent: int) -> None:
    outbox = Outbox()

    await execute(send(), outbox.tools(), approve=console_approver(Terminal(line).read_line))

    assert len(outbox.sent) == sent


async def test_the_console_shows_the_call_and_passes_the_reason_on() -> None:
    terminal = Terminal("not him")

    result = await execute(send(), Outbox().tools(), approve=console_approver(terminal.read_line))

    assert 'send(to="Mei")' in terminal.questions[0]
    assert "The reason: not him" in result.text


async def test_the_console_asks_one_question_at_a_time_and_keeps_always() -> None:
    terminal, outbox = Terminal("a"), Outbox()
    calls = [send(f"person {number}", f"c{number}") for number in range(4)]

    await execute_all(calls, outbox.tools(), approve=console_approver(terminal.read_line))

    assert (len(outbox.sent), len(terminal.questions)) == (4, 1)


async def test_a_question_at_the_terminal_does_not_stop_the_loop() -> None:
    beats = []

    def slow(question: str) -> str:
        time.sleep(0.1)
        return "y"

    async def heart() -> None:
        while True:
            beats.append(1)
            await asyncio.sleep(0.01)

    beating = asyncio.create_task(heart())
    await execute(send(), Outbox().tools(), approve=console_approver(slow))
    beating.cancel()

    assert len(beats) > 3
