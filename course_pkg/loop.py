"""Ask, run the calls, send the results, ask again: until there is an answer or a reason to stop.

In: a question or a conversation, tools, and a client. Out: turns, and an `Outcome` that says why it
stopped. Knows nothing of recording or views.

The conversation is the caller's own list, and it grows in place. Whatever happens, an interrupt
included, it is left so that it can go on.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from course_pkg.conversation import Message, append_reply, append_results, problems, start
from course_pkg.executor import TOOL_TIMEOUT_S, Approve, ForEveryTool, Tools, execute, failed
from course_pkg.executor.waking import waking
from course_pkg.model import ModelClient, ModelError, Reply, Usage, with_own_ids
from course_pkg.tools import Toolbox, ToolCall, ToolResult, as_toolbox

Reason: TypeAlias = Literal[
    "answered", "turn_limit", "repeated_call", "refused", "cut_off", "empty", "model_failed"
]

#: So many turns with tools; then the model is asked once more, without tools.
MAX_TURNS = 10

#: The same call with the same arguments, counted over the whole run, runs less often than this.
MAX_REPEATS = 5

INTERRUPTED = "The run was interrupted before this call had a result. It may have run in part."
FORBIDDEN = "Calls are not allowed now (tool_choice is 'none'), and this one was not run. Answer."
REPEATED = (
    "This call has been made {} times with the same arguments, and was not run again. Answer from "
    "the results you have, or say what is missing."
)


class ConversationError(ValueError):
    """The conversation that was given is one that a service refuses. The text says where."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Where a run ends.

    Attributes:
        max_turns: turns with tools; one more without tools may follow.
        max_repeats: at this many times the same call is not run again, and the run ends.
        tool_timeout_s: how long one tool may run, in seconds.
    """

    max_turns: int = MAX_TURNS
    max_repeats: int = MAX_REPEATS
    tool_timeout_s: float = TOOL_TIMEOUT_S


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One trip round the loop.

    Attributes:
        number: from 1.
        reply: what the model said.
        results: what came of its calls, in their order.
        stop: why this was the last turn; empty if it was not.
    """

    number: int
    reply: Reply
    results: tuple[ToolResult, ...]
    stop: Reason | Literal[""] = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to.

    Attributes:
        reason: why it stopped. `answered` is the good one.
        answer: the model's last words; `None` if there were none.
        messages: the conversation, ready to go on.
        turns: every turn.
    """

    reason: Reason
    answer: str | None
    messages: list[Message]
    turns: tuple[Turn, ...]

    @property
    def calls(self) -> int:
        """How many tool calls the model made."""
        return sum(len(turn.results) for turn in self.turns)

    @property
    def failed_calls(self) -> int:
        """How many of them did not do what was asked."""
        return sum(result.is_error for turn in self.turns for result in turn.results)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd about the replies, in code words, each once, in the order of the turns."""
        noted = [note for turn in self.turns for note in turn.reply.notes]
        return tuple(dict.fromkeys(noted))

    @property
    def usage(self) -> Usage:
        """The tokens of all requests together."""
        used = [turn.reply.usage for turn in self.turns]
        return Usage(
            prompt_tokens=sum(usage.prompt_tokens for usage in used),
            completion_tokens=sum(usage.completion_tokens for usage in used),
        )

    def __repr__(self) -> str:
        """The reason, the answer and the counts, so that a cell may end in an outcome."""
        counts = f"turns={len(self.turns)}, calls={self.calls}, failed_calls={self.failed_calls}"
        if self.warnings:
            counts += f", warnings={self.warnings}"
        return f"Outcome(reason={self.reason!r}, answer={self.answer!r}, {counts})"


async def run(
    question: str | list[Message],
    tools: Tools,
    client: ModelClient | None = None,
    *,
    system_prompt: str = "",
    limits: Limits | None = None,
    approve: Approve | ForEveryTool | None = None,
    **options: Any,
) -> Outcome:
    """Go round until the model answers, or a limit is reached.

    Args:
        question: the user's question, or a conversation, which grows in place.
        tools: what the model may call.
        client: the model to ask; the one that the environment names if left out.
        system_prompt: how the model is to behave; for a new conversation only.
        limits: where to end.
        approve: is asked before a tool with a side effect runs. A refusal is a result too.
        options: passed on with each request: `tool_choice`, `stream`, `parallel_tool_calls`, …

    Raises:
        ConversationError: if the conversation is one that a service refuses.
        ModelError: if the service fails. Its `outcome` holds what had been reached.
    """
    if isinstance(question, str):
        messages = start(question, system_prompt=system_prompt)
    else:
        messages = question
        _refuse_broken(messages)
    options |= {"limits": limits, "approve": approve}
    if client is not None:
        return await _outcome(messages, turns(messages, tools, client, **options))
    async with ModelClient() as own:
        return await _outcome(messages, turns(messages, tools, own, **options))


async def turns(
    messages: list[Message],
    tools: Tools,
    client: ModelClient,
    *,
    limits: Limits | None = None,
    approve: Approve | ForEveryTool | None = None,
    tool_choice: Any = None,
    **options: Any,
) -> AsyncGenerator[Turn]:
    """The turns of a run, one by one, as they are done. `messages` grows in place.

    A `tool_choice` that forces a call holds for the first turn only: else the model could never
    answer. After the last turn that the limits allow, the model is asked once without tools.

    Args:
        messages: the conversation.
        tools: what the model may call.
        client: the model to ask.
        limits: where to end.
        approve: is asked before a tool with a side effect runs.
        tool_choice: `auto`, `none`, `required` or one function.
        options: passed on with each request.

    Raises:
        ModelError: if the service fails.
    """
    limits = limits or Limits()
    toolbox = as_toolbox(tools)
    counts: Counter[tuple[str, str]] = Counter()
    taken = _ids_in(messages)  # kept up to date, so that a long list is not walked at each turn
    closing: Reason | Literal[""] = ""
    with waking():
        for number in itertools.count(1):
            await toolbox.refresh()
            offered = Toolbox() if closing else toolbox
            choice = _choice(tool_choice, number)
            reply = await client.ask(messages, offered, tool_choice=choice, **options)
            reply = with_own_ids(reply, taken)
            taken.update(call.id for call in reply.calls)
            group = _Group(
                reply=reply,
                tools=offered,
                repeated=_repeated(reply.calls, counts, limits),
                limits=limits,
                approve=approve,
                forbidden=tool_choice == "none",
            )
            results = await _append_group(messages, group)
            stop = closing or _stop(reply)
            yield Turn(number=number, reply=reply, results=results, stop=stop)
            if stop:
                return
            closing = _limit_reached(group.repeated, number, limits)


async def _outcome(messages: list[Message], going: AsyncGenerator[Turn]) -> Outcome:
    done: list[Turn] = []
    async with aclosing(going):
        try:
            async for turn in going:
                done.append(turn)
        except ModelError as error:
            error.outcome = _outcome_of(messages, done, "model_failed")
            raise
    return _outcome_of(messages, done, done[-1].stop or "turn_limit")


def _outcome_of(messages: list[Message], done: Sequence[Turn], reason: Reason) -> Outcome:
    answer = done[-1].reply.text if done else None
    return Outcome(reason=reason, answer=answer, messages=messages, turns=tuple(done))


def _refuse_broken(messages: Sequence[Message]) -> None:
    found = problems(messages)
    if found:
        raise ConversationError(
            f"A service would refuse this conversation. {found[0].text} "
            "course_pkg.conversation.heal(messages) gives a mended copy."
        )


def _ids_in(messages: Sequence[Message]) -> set[str]:
    """The ids of all calls in a conversation."""
    listed = [message.get("tool_calls") for message in messages if isinstance(message, Mapping)]
    calls = [call for calls in listed if isinstance(calls, list) for call in calls]
    return {str(call.get("id")) for call in calls if isinstance(call, Mapping)}


def _choice(choice: Any, number: int) -> Any:
    forced = choice not in (None, "auto", "none")
    return "auto" if forced and number > 1 else choice


def _repeated(
    calls: Sequence[ToolCall], counts: Counter[tuple[str, str]], limits: Limits
) -> frozenset[str]:
    """The ids of the calls that have now been made too often."""
    repeated = set()
    for call in calls:
        counts[call.name, call.arguments] += 1
        if counts[call.name, call.arguments] >= limits.max_repeats:
            repeated.add(call.id)
    return frozenset(repeated)


@dataclass(frozen=True, kw_only=True)
class _Group:
    """A reply with all that is needed to run its calls."""

    reply: Reply
    tools: Toolbox
    repeated: frozenset[str]
    limits: Limits
    approve: Approve | ForEveryTool | None
    forbidden: bool

    async def result_of(self, call: ToolCall) -> ToolResult:
        if self.forbidden:
            return failed(call, FORBIDDEN, kind="calls_forbidden")
        if call.id in self.repeated:
            text = REPEATED.format(self.limits.max_repeats)
            return failed(call, text, kind="repeated_call")
        timeout_s = self.limits.tool_timeout_s
        return await execute(call, self.tools, timeout_s=timeout_s, approve=self.approve)


async def _append_group(messages: list[Message], group: _Group) -> tuple[ToolResult, ...]:
    """Run the calls side by side; append the reply and one result per call, whatever happens."""
    done: dict[str, ToolResult] = {}

    async def one(call: ToolCall) -> None:
        done[call.id] = await group.result_of(call)

    calls = group.reply.calls
    try:
        await _side_by_side([one(call) for call in calls])
    finally:
        # Also when the cell is interrupted: a call without its result would break every request
        # that follows.
        results = tuple(done.get(call.id) or _interrupted(call) for call in calls)
        append_reply(messages, _as_run(group.reply, results))
        append_results(messages, results)
    return results


def _as_run(reply: Reply, results: Sequence[ToolResult]) -> Reply:
    """The reply with its calls as they ran, so that the model does not read an empty call."""
    ran = {result.call_id: result.ran for result in results if result.ran is not None}
    if not ran:
        return reply
    calls = [_call_as_run(item, ran.get(item["id"])) for item in reply.message["tool_calls"]]
    return replace(reply, message={**reply.message, "tool_calls": calls})


def _call_as_run(item: Message, ran: ToolCall | None) -> Message:
    if ran is None:
        return item
    return {**item, "function": {"name": ran.name, "arguments": ran.arguments}}


async def _side_by_side(waiting: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Await all of them. When one raises, or the wait is cancelled, none of them runs on."""
    if len(waiting) == 1:
        await waiting[0]  # the usual case, without the cost of a task
        return
    tasks = [asyncio.ensure_future(one) for one in waiting]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _interrupted(call: ToolCall) -> ToolResult:
    return failed(call, INTERRUPTED, kind="interrupted")


def _stop(reply: Reply) -> Reason | Literal[""]:
    if reply.refused:
        return "refused"
    if reply.calls:
        return ""
    if reply.cut_off:
        return "cut_off"
    return "answered" if reply.text and reply.text.strip() else "empty"


def _limit_reached(repeated: frozenset[str], number: int, limits: Limits) -> Reason | Literal[""]:
    if repeated:
        return "repeated_call"
    return "turn_limit" if number >= limits.max_turns else ""
