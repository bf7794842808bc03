"""Run the learner's tools, by the executor and by the loop, and keep what was seen.

In: a subject and calls or questions. Out: tool results, and outcomes of the loop with the real
practice model over HTTP. A tool that hangs is remembered and not run again.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from course_pkg.executor import Approve, FastClock, execute
from course_pkg.lessons.capstone.subject import Subject
from course_pkg.loop import Outcome, run
from course_pkg.model import ModelClient, Settings
from course_pkg.model.settings import NO_KEY_NEEDED
from course_pkg.tools import Tool, Toolbox, ToolCall, ToolResult, laid_over

#: How long one run of a tool may take in a review, in seconds.
TOOL_TIMEOUT_S = 2.0

#: What the executor says of a run that did not come to an end in time.
TIMEOUT = "timeout"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What came of a question.

    Attributes:
        outcome: what the loop came to.
        runs: the tools that really ran, by name, in order.
    """

    outcome: Outcome
    runs: tuple[str, ...]

    @property
    def calls(self) -> list[ToolCall]:
        """What the model called, in order."""
        return [call for turn in self.outcome.turns for call in turn.reply.calls]

    @property
    def results(self) -> list[ToolResult]:
        """What came of its calls, in order."""
        return [result for turn in self.outcome.turns for result in turn.results]


async def call(
    subject: Subject,
    name: str,
    arguments: Mapping[str, Any],
    *,
    call_id: str = "call_1",
) -> ToolResult:
    """What the executor makes of one call of a tool of the brief.

    Args:
        subject: what is under review.
        name: the tool.
        arguments: its arguments.
        call_id: the call's id. The same id is the same call, tried again.

    Raises:
        NotLookedAtError: if the tool is missing, or hangs.
    """
    subject.tool(name)
    text = json.dumps(arguments, ensure_ascii=False)
    made = ToolCall(id=call_id, name=name, arguments=text)
    result = await execute(made, _limited(subject), clock=FastClock())
    if result.error_kind == TIMEOUT:
        _remember(subject, [name])
    return result


async def ask(
    subject: Subject, question: str, *, fault: str = "", approve: Approve | None = None
) -> Asked:
    """What the loop makes of a question, with the practice model.

    Args:
        subject: what is under review.
        question: the user's words.
        fault: a failure of the practice model, by name; none if empty.
        approve: is asked before a tool with a side effect; nobody is if left out.

    Raises:
        NotLookedAtError: if a tool that was called hangs.
        ModelError: if the model refuses the definitions.
    """
    from course_pkg.practice import serve_in_background

    runs: list[str] = []

    async def noted(
        tool: Tool, _arguments: Mapping[str, Any], proceed: Callable[[], Awaitable[Any]]
    ) -> Any:
        runs.append(tool.name)
        return await proceed()

    practice = Settings(
        kind="practice",
        base_url=serve_in_background(),
        model=f"practice:{fault}" if fault else "practice",
        api_key=NO_KEY_NEEDED,
    )
    with laid_over(noted):
        async with ModelClient(practice, clock=FastClock()) as client:
            outcome = await run(question, _limited(subject), client, approve=approve)
    asked = Asked(outcome=outcome, runs=tuple(runs))
    pairs = zip(asked.calls, asked.results, strict=True)
    _remember(subject, [made.name for made, result in pairs if result.error_kind == TIMEOUT])
    return asked


def _remember(subject: Subject, hanging: Iterable[str]) -> None:
    """Keep in mind that tools hang, and say so if any does.

    Raises:
        NotLookedAtError: if there is one.
    """
    for name in hanging:
        subject.hanging.add(name)
        subject.tool(name)


def _limited(subject: Subject) -> Toolbox:
    """The tools with the time limit of a review, tried once."""
    return Toolbox(
        replace(tool, timeout_s=TOOL_TIMEOUT_S, retry=None) for tool in subject.tools.values()
    )
