"""Decide what the practice model says next: call tools, ask back, or answer.

In: a request body that breaks no rule. Out: a `Decision`. It is a pure function: nothing is
remembered, all it knows is in the messages. It is no language model: it compares words
(`matching`), looks for values (`filling`), and follows the few rules below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.practice.answering import (
    ask_for,
    no_tool_fits,
    say_results,
    small_talk,
    without_tools,
)
from course_pkg.practice.completion import Decision, PlannedCall
from course_pkg.practice.filling import Source, values_for
from course_pkg.practice.offers import Offer, Parameter, enum_of, read_offers, type_of
from course_pkg.practice.planning import Planner, Task, spread
from course_pkg.practice.progress import final, open_calls
from course_pkg.practice.situation import Situation, read_situation

_NO_TOOLS = re.compile(
    r"\bwithout (?:using )?(?:any |the |a )?(?:tools?|functions?)\b|\b(?:don'?t|do not|"
    r"never) (?:use|call) (?:any |the |a )?(?:tools?|functions?)\b|"
    r"\bno tools?(?: calls?)?\b"
    r"|(?:不要|别|不用|不许|禁止|不)(?:再)?(?:使用|调用|用)(?:任何)?(?:的)?工具",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(
    r"^\W*(?:and|what about|how about|now|also|same|ok(?:ay)? (?:and|now)|then|"
    r"again|in|for|or|with|but|instead|try|make (?:it|that))\b|^(?:那么?|还有|换成|换|再|另外|"
    r"如果|改成|改|也)|呢\W*$|(?:instead|too|as well)\W*$",
    re.IGNORECASE,
)


def decide(body: Mapping[str, Any]) -> Decision:
    """What to say or call next."""
    situation = read_situation(body["messages"])
    offers = read_offers(body.get("tools") or ())
    choice = body.get("tool_choice") or "auto"
    if choice == "none" or not offers:
        return _answer(situation, offers, [])
    if isinstance(choice, dict):
        offers = tuple(item for item in offers if item.name == choice["function"]["name"])
    decision = _next(situation, offers, is_free=choice == "auto")
    if body.get("parallel_tool_calls") is False:
        return Decision(text=decision.text, calls=decision.calls[:1])
    return decision


def _next(situation: Situation, offers: Sequence[Offer], *, is_free: bool) -> Decision:
    planner = Planner(offers)
    if is_free and (said := _said_at_once(situation, offers)) is not None:
        return Decision(text=said)
    tasks = _tasks(situation, planner)
    calls = open_calls(situation, tasks, offers)
    if calls:
        return Decision(calls=calls)
    if not is_free:
        return Decision(calls=[_forced(situation, tasks, planner)])
    return _answer(situation, offers, tasks)


def _said_at_once(situation: Situation, offers: Sequence[Offer]) -> str | None:
    if situation.done:
        return None
    if _NO_TOOLS.search(situation.text):
        return without_tools(offers, chinese=situation.chinese)
    return small_talk(situation.text, offers, chinese=situation.chinese)


def _answer(situation: Situation, offers: Sequence[Offer], tasks: Sequence[Task]) -> Decision:
    missing = [(task.offer, item) for task in tasks for item in task.missing if not task.calls]
    chinese = situation.chinese
    if situation.done:
        said = say_results(final(situation.done), chinese=chinese)
        questions = ask_for(missing, chinese=chinese)
        return Decision(text=f"{said}\n{questions}".strip())
    if missing:
        return Decision(text=ask_for(missing, chinese=chinese))
    said_anyway = small_talk(situation.text, offers, chinese=chinese)
    return Decision(text=said_anyway or no_tool_fits(offers, chinese=chinese))


# --- what to call ---------------------------------------------------------------------------------


def _tasks(situation: Situation, planner: Planner) -> list[Task]:
    """The tasks of the request, or of what it continues."""
    tasks = planner.plan(situation.text)
    if any(task.calls for task in tasks):
        return tasks
    if situation.asked_before:
        answered = _answered_question(situation, planner)
        if answered:
            return answered
    if situation.last_call is not None and (not tasks or _FOLLOW_UP.search(situation.text)):
        continued = _continued(situation, planner)
        if continued:
            return continued
    return tasks


def _answered_question(situation: Situation, planner: Planner) -> list[Task]:
    """The earlier request, with what was missing taken from the answer."""
    tasks = []
    for task in planner.plan(situation.asked_before):
        if not task.missing or task.calls:
            continue
        given = _given(task, situation.text)
        if len(given) == len(task.missing):
            base = planner.arguments_for(task.offer, situation.asked_before)
            tasks.append(Task(offer=task.offer, calls=[_ordered(task.offer, {**base, **given})]))
    return tasks


def _given(task: Task, text: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    source = Source(text=text, utterances=(), offer=task.offer)
    for parameter in task.missing:
        values = values_for(parameter, source)
        if values and parameter.role != "query":
            given[parameter.name] = values[0].value
        elif (bare := _bare(parameter, text)) and bare not in given.values():
            given[parameter.name] = bare
    return given


def _bare(parameter: Parameter, text: str) -> str | None:
    """A whole answer as a value, if the parameter wants plain text."""
    if type_of(parameter.schema) != "string" or enum_of(parameter.schema):
        return None
    plain = re.sub(
        r"^(?:in|to|it's|it is|for|the|say|just|是|在|就|说|给)\s*|[\s.!。！]+$",
        "",
        text.strip(),
        flags=re.I,
    )
    plain = re.sub(r"[,，]?\s*(?:please|pls|thanks|吧|谢谢)$", "", plain, flags=re.IGNORECASE)
    return plain or None


def _ordered(offer: Offer, arguments: Mapping[str, Any]) -> dict[str, Any]:
    names = [parameter.name for parameter in offer.parameters]
    return {name: arguments[name] for name in names if name in arguments}


def _continued(situation: Situation, planner: Planner) -> list[Task]:
    """For "And in Tokyo?": the last call again, with what is new in these words."""
    name, arguments = situation.last_call or ("", {})
    offer = next((item for item in planner.offers if item.name == name), None)
    if offer is None or len(situation.text) > 120:
        return []
    found = planner.found_for(offer, situation.text)
    sure = {key: values for key, values in found.items() if values[0].strength >= 0.6}
    if not sure and _FOLLOW_UP.search(situation.text):
        sure = found
    if not sure:
        return []
    calls = [_ordered(offer, {**arguments, **new}) for new in spread(offer, sure)]
    return [Task(offer=offer, calls=calls)]


def _forced(situation: Situation, tasks: Sequence[Task], planner: Planner) -> PlannedCall:
    """A call that the request insists on, with guesses for what nobody said."""
    for task in tasks:
        if task.calls:
            return PlannedCall(name=task.offer.name, arguments=task.calls[0])
    offer = tasks[0].offer if tasks else planner.matcher.ranked(situation.text)[0].offer
    found = planner.arguments_for(offer, situation.text)
    for parameter in offer.parameters:
        if parameter.is_required and parameter.name not in found:
            found[parameter.name] = made_up(parameter.schema, situation.text)
    return PlannedCall(name=offer.name, arguments=_ordered(offer, found))


def made_up(schema: Mapping[str, Any], text: str) -> Any:
    """A value that fits a schema, for a parameter of which the user said nothing."""
    if "default" in schema:
        return schema["default"]
    if allowed := enum_of(schema):
        return allowed[0]
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        return examples[0]
    kind = type_of(schema)
    if kind == "object":
        parts = schema.get("properties")
        names = schema.get("required", [])
        known = parts if isinstance(parts, dict) else {}
        return {name: made_up(known.get(name) or {}, text) for name in names if name in known}
    low = schema.get("minimum")
    number = low if isinstance(low, int | float) else 1
    simple: dict[str, Any] = {
        "integer": number,
        "number": number,
        "boolean": False,
        "array": [],
        "null": None,
    }
    return simple[kind] if kind in simple else text.strip()[:200]
