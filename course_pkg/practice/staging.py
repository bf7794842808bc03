"""Find the call that a fault is to spoil, and let the model correct itself afterwards.

In: a request body and a fault. Out: the `Decision` of a good reply, or a `Refusal` if no tool on
offer can show the fault. The mind decides as always; what it is asked is changed here: a call is
insisted on, and after the spoilt call failed, the conversation is read as if it had not been made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.practice.completion import Decision, PlannedCall
from course_pkg.practice.fault import Fault, Need, since_user
from course_pkg.practice.mending import is_error
from course_pkg.practice.mind import decide
from course_pkg.practice.needs import fitting, needs_argument, value_for
from course_pkg.practice.offers import Offer, read_offers
from course_pkg.practice.refusal import Refusal
from course_pkg.practice.words import as_text

#: Words of an error about the call itself that no good result of the course's tools begins with.
_ABOUT_THE_CALL = re.compile(
    r"\bJSON (?:object|text|value)\b|^Expecting |^Extra data|^Unterminated |\bTraceback\b|Error\("
)


def staged(body: Mapping[str, Any], fault: Fault) -> Decision | Refusal:
    """What a good reply would say or call, so that the fault has something to spoil.

    A refusal comes if no tool on offer can show the fault.
    """
    if not fault.needs or not body.get("tools") or body.get("tool_choice") == "none":
        return decide(body)
    history = _without_results if fault.forgets else _without_failure
    seen = {**body, "messages": history(body["messages"])}
    tools = _tools_that_show(body, fault)
    if not tools:
        return Refusal(message=_MISSING.format(name=fault.name, need=fault.needs))
    seen["tools"] = tools
    return decide(seen) if since_user(seen["messages"]) else _with_call(seen, fault.needs)


_MISSING = (
    "The failure {name!r} needs a tool with a parameter of the kind {need!r}, and no tool that may "
    "be called has one. Offer such a tool too."
)


def _without_results(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    return messages[: len(messages) - len(since_user(messages))]


def _without_failure(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The messages without the first calls since the user spoke, as far as they failed."""
    after = since_user(messages)
    failed = {
        message["tool_call_id"]
        for message in _first_results(after)
        if _says_failure(as_text(message.get("content")))
    }
    start = len(messages) - len(after)
    if not failed or not after[0].get("tool_calls"):
        return messages
    calls = [call for call in after[0]["tool_calls"] if call["id"] not in failed]
    kept = [message for message in after[1:] if message.get("tool_call_id") not in failed]
    first = [{**after[0], "tool_calls": calls}] if calls else []
    return [*messages[:start], *first, *kept]


def _says_failure(text: str) -> bool:
    """Whether a result says that the call could not be run, in the words of any program."""
    return is_error(text) or bool(_ABOUT_THE_CALL.search(text[:300]))


def _first_results(after: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for message in after[1:]:
        if message["role"] != "tool":
            break
        found.append(message)
    return found


def _tools_that_show(body: Mapping[str, Any], fault: Fault) -> Sequence[Mapping[str, Any]]:
    """The tools on offer; one alone, if the tool that would be called cannot show the fault."""
    tools: Sequence[Mapping[str, Any]] = body["tools"]
    if not needs_argument(fault.needs):
        return tools
    offers = {offer.name: offer for offer in read_offers(tools)}
    first = _insisted({**body, "messages": _without_results(body["messages"])})
    called = first.calls[0].name
    if fitting(offers[called], fault.needs):
        return tools
    if isinstance(body.get("tool_choice"), Mapping):
        return ()
    shows = [tool for tool in tools if fitting(offers[_name(tool)], fault.needs)]
    return shows[:1]


def _name(tool: Mapping[str, Any]) -> str:
    return str(tool["function"]["name"])


def _insisted(body: Mapping[str, Any]) -> Decision:
    """What the mind calls; if it would not call, what it calls when it must."""
    decision = decide(body)
    return decision if decision.calls else decide({**body, "tool_choice": "required"})


def _with_call(body: Mapping[str, Any], need: Need) -> Decision:
    decision = _insisted(body)
    if need == "two_calls":
        return decision if len(decision.calls) > 1 else Decision(calls=[*decision.calls] * 2)
    if not needs_argument(need):
        return decision
    first, *others = decision.calls
    offer = next(item for item in read_offers(body["tools"]) if item.name == first.name)
    return Decision(calls=[_completed(first, offer, need), *others])


def _completed(call: PlannedCall, offer: Offer, need: Need) -> PlannedCall:
    """The call, with an argument that the need is about added if it has none."""
    found = fitting(offer, need)
    if any(call.arguments.get(parameter.name) not in (None, []) for parameter in found):
        return call
    added = {found[0].name: value_for(found[0].schema)}
    return PlannedCall(name=call.name, arguments={**call.arguments, **added})
