"""The approval panel: what it asks, what a click decides, and what remains in the notebook."""

from __future__ import annotations

import asyncio

import pytest

from course_pkg import ToolCall, execute, tool
from course_pkg.executor import ApprovalRequest, Decision
from course_pkg.widgets import approval_panel
from course_pkg.widgets.approval import EFFECT, Panel, question, told
from course_pkg.widgets.visible import UNSEEN

HOSTILE = "</code></td><script>window.hacked=1</script><img src=x onerror=alert(1)>\u202e"
sent: list[str] = []


@tool(side_effect=True)
def send_mail(to: str) -> str:
    """Send a mail."""
    sent.append(to)
    return f"Sent to {to}."


def request(to: str = "Ada") -> ApprovalRequest:
    call = ToolCall(id="call_1", name="send_mail", arguments=f'{{"to": "{to}"}}')
    return ApprovalRequest(call=call, tool=send_mail, arguments={"to": to})


def test_the_question_names_the_tool_its_effect_and_its_arguments() -> None:
    assert question(request()).text == f'May send_mail run? {EFFECT}\n  to: "Ada"'


@pytest.mark.parametrize(
    "view",
    [
        question(request(HOSTILE)),
        told(request(HOSTILE), Decision(approved=False, reason=HOSTILE), by="You"),
    ],
)
def test_hostile_text_is_inert(view) -> None:
    assert "<script" not in view.html
    assert "<img" not in view.html
    assert not UNSEEN.search(view.html + view.text)


@pytest.mark.parametrize(
    ("button", "decision"),
    [
        ("approve", Decision(approved=True)),
        ("always", Decision(approved=True, always=True)),
        ("refuse", Decision(approved=False, reason="Ada is on holiday.")),
    ],
)
async def test_a_click_decides(button: str, decision: Decision) -> None:
    panel = Panel(request())
    panel.reason.value = " Ada is on holiday. "

    getattr(panel, button).click()

    assert await panel.answer(1) == decision


async def test_a_second_click_changes_nothing() -> None:
    panel = Panel(request())

    panel.refuse.click()
    panel.approve.click()

    assert (await panel.answer(1)).approved is False


async def test_without_a_click_the_answer_is_no_after_the_time_limit() -> None:
    decided = await Panel(request()).answer(0.01)

    assert decided == Decision(approved=False, reason="Nobody answered within 0.01 seconds.")


@pytest.mark.parametrize(
    ("decision", "line"),
    [
        (Decision(approved=True), 'You approved send_mail(to="Ada").'),
        (
            Decision(approved=True, always=True),
            'You approved send_mail(to="Ada"), and every later call of this tool.',
        ),
        (
            Decision(approved=False, reason="On holiday."),
            'You refused send_mail(to="Ada"). The reason: On holiday.',
        ),
    ],
)
def test_one_line_remains(decision: Decision, line: str) -> None:
    assert told(request(), decision, by="You").text == line


async def test_where_nobody_can_click_the_tool_does_not_run_and_the_result_says_why() -> None:
    result = await execute(request("Nobody").call, [send_mail], approve=approval_panel())

    assert result.error_kind == "not_approved"
    assert "Nobody could be asked" in result.text
    assert "Nobody" not in sent


async def test_where_nobody_can_click_a_script_answers() -> None:
    approve = approval_panel(scripted=[True, "Enough."])

    results = [await execute(request("Bob").call, [send_mail], approve=approve) for _ in range(2)]

    assert [result.error_kind for result in results] == ["", "not_approved"]
    assert "Enough." in results[1].text


async def test_always_holds_for_later_calls_of_the_tool() -> None:
    approve = approval_panel(scripted=[Decision(approved=True, always=True)])

    calls = [execute(request("Cy").call, [send_mail], approve=approve) for _ in range(3)]
    results = [await call for call in calls]

    assert [result.is_error for result in results] == [False, False, False]


async def test_an_interrupt_while_it_waits_leaves_no_answer() -> None:
    waiting = asyncio.ensure_future(Panel(request()).answer(30))
    await asyncio.sleep(0.01)

    waiting.cancel()
    await asyncio.wait([waiting])

    assert waiting.cancelled()
