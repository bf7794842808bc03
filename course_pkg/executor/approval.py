"""Ask somebody before a tool runs that changes something outside.

In: a tool and its checked arguments. Out: a `Decision`. Who decides is any function, plain or
`async`: a panel in a notebook, a person at a terminal, a script in a test. Without an answer
nothing runs.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from course_pkg.executor.threads import in_thread
from course_pkg.schema import shown
from course_pkg.tools import Tool, ToolCall


@dataclass(frozen=True, kw_only=True)
class ApprovalRequest:
    """What somebody is asked to approve.

    Attributes:
        call: the model's call.
        tool: the tool that would run.
        arguments: its arguments, parsed, mended and checked.
    """

    call: ToolCall
    tool: Tool
    arguments: Mapping[str, Any]

    @property
    def summary(self) -> str:
        """The call on one line: `send_message(to="Mei", content="…")`."""
        given = ", ".join(f"{name}={shown(value)}" for name, value in self.arguments.items())
        return f"{self.tool.name}({given})"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What somebody decided.

    Attributes:
        approved: whether the tool may run.
        reason: why not, in words for the model.
        always: whether the same holds for later calls of this tool. `remembering` sees to it.
    """

    approved: bool
    reason: str = ""
    always: bool = False


#: True, a `Decision`, or something that is awaited for one. Anything else is a refusal.
Answer: TypeAlias = "bool | Decision"
Approve: TypeAlias = "Callable[[ApprovalRequest], Answer | Awaitable[Answer]]"


@dataclass(frozen=True)
class ForEveryTool:
    """Says that an approver is to be asked before every tool, not only those with side effects."""

    approve: Approve


async def decision(request: ApprovalRequest, approve: Approve | ForEveryTool) -> Decision:
    """Whether a tool may run.

    A tool without side effects may, unless every tool is to be asked for. Whoever is asked and
    fails has not approved.

    Args:
        request: the tool and its arguments.
        approve: whom to ask.
    """
    if isinstance(approve, ForEveryTool):
        approve = approve.approve
    elif not request.tool.side_effect:
        return Decision(approved=True)
    try:
        answer = approve(request)
        answer = await answer if inspect.isawaitable(answer) else answer
    except Exception as error:
        return Decision(approved=False, reason=f"Nobody could be asked ({type(error).__name__}).")
    return answer if isinstance(answer, Decision) else Decision(approved=answer is True)


def remembering(approve: Approve) -> Approve:
    """An approver that asks `approve`, but not again for a tool that was approved for always.

    Args:
        approve: whom to ask. It says so with `Decision(approved=True, always=True)`.
    """
    always: set[str] = set()

    async def ask(request: ApprovalRequest) -> Decision:
        if request.tool.name in always:
            return Decision(approved=True)
        decided = await decision(request, ForEveryTool(approve))
        if decided.approved and decided.always:
            always.add(request.tool.name)
        return decided

    return ask


def console_approver(read_line: Callable[[str], str] = input) -> Approve:
    """An approver that asks at the terminal: y, n, a (always for this tool), or a reason.

    The question is asked beside the event loop, so other tools go on. Questions come one at a time.

    Args:
        read_line: shows a question and gives the line that was typed.
    """
    return _one_at_a_time(remembering(lambda request: _ask_console(request, read_line)))


def _one_at_a_time(approve: Approve) -> Approve:

    lock = asyncio.Lock()

    async def ask(request: ApprovalRequest) -> Decision:
        async with lock:
            return await decision(request, ForEveryTool(approve))

    return ask


async def _ask_console(request: ApprovalRequest, read_line: Callable[[str], str]) -> Decision:
    question = (
        f"The model wants to run {request.summary}\n"
        "Run it? y = yes, n = no, a = always for this tool, or type a reason for no: "
    )
    line = (await in_thread(lambda: read_line(question), name="approval")).strip()
    if line.lower() in ("y", "yes", "a", "always"):
        return Decision(approved=True, always=line.lower().startswith("a"))
    return Decision(approved=False, reason="" if line.lower() in ("", "n", "no") else line)


@dataclass
class ScriptedApprover:
    """An approver that gives the answers of a script, in order, and refuses when they end.

    Attributes:
        answers: `True`, or a reason for a refusal, or a `Decision`.
        asked: what it was asked, in order.
    """

    answers: Sequence[bool | str | Decision]
    asked: list[ApprovalRequest] = field(default_factory=list)

    def __call__(self, request: ApprovalRequest) -> Decision:
        """The next answer."""
        number = len(self.asked)
        self.asked.append(request)
        answer = self.answers[number] if number < len(self.answers) else "The script has ended."
        if isinstance(answer, Decision):
            return answer
        return Decision(approved=answer is True, reason=answer if isinstance(answer, str) else "")
