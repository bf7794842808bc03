"""The approval panel: a person in the notebook decides before a tool changes something outside.

In: requests from the executor. Out: decisions, and one line in the notebook for each, which stays
when it is saved. Give it to `execute(approve=…)` or `run(approve=…)`, in a cell that awaits: only
then can clicks be heard while the cell runs.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from course_pkg.executor import (
    ApprovalRequest,
    Approve,
    Decision,
    ForEveryTool,
    ScriptedApprover,
    remembering,
)
from course_pkg.executor.approval import decision
from course_pkg.widgets.key_keeper import key_keeper
from course_pkg.widgets.mode import widget_mode
from course_pkg.widgets.showing import display, shell
from course_pkg.widgets.union_forms import View, style
from course_pkg.widgets.visible import cut, markup, visible

#: Longer arguments are cut where they are shown.
MAX_ARGUMENT_CHARS = 2_000
MAX_SUMMARY_CHARS = 300

EFFECT = "This tool changes something outside. It cannot be taken back."
NO_EFFECT = "This tool changes nothing outside."
NOBODY = "Nobody could be asked: the approval panel needs JupyterLab in live mode."
INTERRUPTED = "The question was interrupted."

#: Without a click in this time the answer is no, in seconds: a cell must not wait for ever.
ANSWER_TIMEOUT_S = 60.0


def approval_panel(
    *, scripted: Sequence[bool | str | Decision] = (), timeout_s: float = ANSWER_TIMEOUT_S
) -> Approve:
    """An approver that asks with buttons: approve, refuse with a reason, always for this tool.

    Questions come one at a time. Where there is nobody to click (static mode, no notebook), the
    script answers; without one the answer is no, and the reason says why.

    Args:
        scripted: the answers where nobody can be asked, in order: `True`, a reason for a refusal,
            or a `Decision`.
        timeout_s: without a click in this time the answer is no, in seconds.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
    """
    live = widget_mode() == "live" and getattr(shell(), "kernel", None) is not None
    if live:
        return _one_at_a_time(remembering(lambda request: _ask(request, timeout_s)))
    return remembering(_from_script(ScriptedApprover(scripted) if scripted else _refuse))


def _refuse(_request: ApprovalRequest) -> Decision:
    return Decision(approved=False, reason=NOBODY)


def _from_script(script: Approve) -> Approve:
    async def ask(request: ApprovalRequest) -> Decision:
        decided = await decision(request, ForEveryTool(script))
        if shell() is not None:
            display(told(request, decided, by="The script").bundle(), raw=True)
        return decided

    return ask


def _one_at_a_time(approve: Approve) -> Approve:
    lock = asyncio.Lock()

    async def ask(request: ApprovalRequest) -> Decision:
        async with lock:
            return await decision(request, ForEveryTool(approve))

    return ask


async def _ask(request: ApprovalRequest, timeout_s: float) -> Decision:
    panel = Panel(request)
    handle = display(panel.widget, display_id=True)
    decided = Decision(approved=False, reason=INTERRUPTED)
    try:
        decided = await panel.answer(timeout_s)
    finally:
        # Also when the cell is interrupted: a saved widget would say "model not found" later.
        handle.update(told(request, decided, by="You").bundle(), raw=True)
        panel.close()
    return decided


class Panel:
    """One question with its buttons."""

    def __init__(self, request: ApprovalRequest) -> None:
        """Make the panel.

        Args:
            request: what would run.
        """
        import ipywidgets as widgets  # type: ignore[import-untyped]

        self._answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self.question: Any = widgets.HTML(question(request).html)
        self.approve: Any = widgets.Button(description="Approve", tooltip="Run it this time")
        self.always: Any = widgets.Button(
            description="Always for this tool", tooltip="Run it now, and do not ask again"
        )
        self.refuse: Any = widgets.Button(description="Refuse", tooltip="Do not run it")
        self.reason: Any = widgets.Text(
            description="Reason", placeholder="why not, for the model", layout={"width": "340px"}
        )
        self.approve.on_click(lambda _: self._decide(Decision(approved=True)))
        self.always.on_click(lambda _: self._decide(Decision(approved=True, always=True)))
        self.refuse.on_click(
            lambda _: self._decide(Decision(approved=False, reason=self.reason.value.strip()))
        )
        wrap = {"flex_flow": "row wrap"}
        yes = widgets.HBox([self.approve, self.always], layout=wrap)
        no = widgets.HBox([self.refuse, self.reason], layout=wrap)
        self.widget: Any = widgets.VBox([self.question, yes, no, key_keeper()])

    async def answer(self, timeout_s: float) -> Decision:
        """What was clicked; a refusal if nothing was.

        Args:
            timeout_s: how long to wait for a click, in seconds.
        """
        try:
            async with asyncio.timeout(timeout_s):
                return await self._answer
        except TimeoutError:
            reason = f"Nobody answered within {timeout_s:g} seconds."
            return Decision(approved=False, reason=reason)

    def close(self) -> None:
        """Take the panel away."""
        self.widget.close()

    def _decide(self, decided: Decision) -> None:
        if not self._answer.done():
            self._answer.set_result(decided)


def question(request: ApprovalRequest) -> View:
    """What is asked: the tool, what it would do, its arguments.

    Args:
        request: what would run.
    """
    name = request.tool.name
    effect = EFFECT if request.tool.side_effect else NO_EFFECT
    pairs = [(key, _shown(value)) for key, value in request.arguments.items()]
    items = "".join(
        f"<li><code>{markup(key)}</code> <code>{markup(value)}</code></li>" for key, value in pairs
    )
    asked = f"<p><b>May <code>{markup(name)}</code> run?</b></p>"
    html = f'{asked}<p class="n">{effect}</p><ul>{items}</ul>'
    lines = [f"May {name} run? {effect}", *(f"  {key}: {value}" for key, value in pairs)]
    return View(html=_box(html), text=visible("\n".join(lines)))


def told(request: ApprovalRequest, decided: Decision, *, by: str) -> View:
    """What was decided, in a line.

    Args:
        request: what was asked.
        decided: the answer.
        by: who gave it.
    """
    did = "approved" if decided.approved else "refused"
    always = ", and every later call of this tool" if decided.approved and decided.always else ""
    why = f" The reason: {decided.reason}" if decided.reason else ""
    summary = cut(request.summary, MAX_SUMMARY_CHARS)
    sign = '<i class="y">✓</i>' if decided.approved else '<i class="x">✗</i>'
    html = f"<p>{sign} {by} {did} <code>{markup(summary)}</code>{always}.{markup(why)}</p>"
    return View(html=_box(html), text=visible(f"{by} {did} {summary}{always}.{why}"))


def _shown(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False, default=repr)
    return cut(written, MAX_ARGUMENT_CHARS)


def _box(inner: str) -> str:
    return f'<div class="tcu"><style>{style()}</style>{inner}</div>'
