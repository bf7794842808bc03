"""Decide what the practice model says next: call tools, ask back, or answer.

In: a request body that breaks no rule. Out: a `Decision`. It is a pure function: nothing is
remembered, all it knows is in the messages. It is no language model: it compares words
(`matching`), looks for values (`filling`), and follows the few rules below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course_pkg.practice.answering import (
    Done,
    ask_for,
    no_tool_fits,
    result_in_words,
    say_results,
    small_talk,
    without_tools,
)
from course_pkg.practice.completion import Decision, PlannedCall
from course_pkg.practice.filling import Source, fill, values_for
from course_pkg.practice.mending import closest_tool, is_error, mend
from course_pkg.practice.offers import Offer, Parameter, enum_of, read_offers, type_of
from course_pkg.practice.planning import Planner, Task, complete
from course_pkg.practice.words import as_text, is_chinese

#: How often the same call with the same error is tried before the error is explained.
MAX_SAME_ERROR = 2
#: How many calls for one request before the practice model answers with what it has.
MAX_CALLS = 24
#: How far back a follow-up looks for the call that it continues.
MAX_LOOK_BACK = 40
#: Longer texts are only read this far (characters).
MAX_READ_CHARS = 4000

_NO_TOOLS = re.compile(
    r"\bwithout (?:using )?(?:any |the |a )?(?:tools?|functions?)\b|\b(?:don'?t|do not|never) (?:use|call) (?:any |the |a )?(?:tools?|functions?)\b|\bno tools?(?: calls?)?\b"
    r"|(?:不要|别|不用|不许|禁止|不)(?:再)?(?:使用|调用|用)(?:任何)?(?:的)?工具",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(
    r"^\W*(?:and|what about|how about|now|also|same|ok(?:ay)? (?:and|now)|then|again|in|for|or|with|but|instead|try|make (?:it|that))\b|^(?:那么?|还有|换成|换|再|另外|如果|改成|改|也)|呢\W*$|(?:instead|too|as well)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What a conversation says about the present moment.

    Attributes:
        text: what the user asked last.
        done: the calls since then, with their results, in order.
        asked_before: what the user said before, if the assistant answered that with a question.
        last_call: the last call of an earlier request: the tool's name and its arguments.
        last_words: what an earlier request ended with: results in words, or the answer.
        chinese: whether to answer in Chinese.
    """

    text: str
    done: Sequence[Done]
    asked_before: str
    last_call: tuple[str, Mapping[str, Any]] | None
    last_words: str
    chinese: bool


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
    calls = _open_calls(situation, tasks, offers)
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
        said = say_results(_final(situation.done), chinese=chinese)
        questions = ask_for(missing, chinese=chinese)
        return Decision(text=f"{said}\n{questions}".strip())
    if missing:
        return Decision(text=ask_for(missing, chinese=chinese))
    said_anyway = small_talk(situation.text, offers, chinese=chinese)
    return Decision(text=said_anyway or no_tool_fits(offers, chinese=chinese))


def _final(done: Sequence[Done]) -> list[Done]:
    """Without failures that a later call of the same tool made good."""
    return [
        item
        for place, item in enumerate(done)
        if not (item.failed and any(_makes_good(later, item) for later in done[place + 1 :]))
    ]


def _makes_good(later: Done, failed: Done) -> bool:
    return later.name == failed.name or not failed.arguments


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
            base = fill_once(task.offer, planner, situation.asked_before)
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
    plain = re.sub(r"^(?:in|to|it's|it is|for|the|say|just|是|在|就|说|给)\s*|[\s.!。！]+$", "", text.strip(), flags=re.I)
    plain = re.sub(r"[,，]?\s*(?:please|pls|thanks|吧|谢谢)$", "", plain, flags=re.IGNORECASE)
    return plain or None


def fill_once(offer: Offer, planner: Planner, text: str) -> dict[str, Any]:
    """What a text says for the parameters of one tool, one value each."""
    found = planner.found_for(offer, text)
    return {name: values[0].value for name, values in found.items()}


def _ordered(offer: Offer, arguments: Mapping[str, Any]) -> dict[str, Any]:
    names = [parameter.name for parameter in offer.parameters]
    return {name: arguments[name] for name in names if name in arguments}


def _continued(situation: Situation, planner: Planner) -> list[Task]:
    """ "And in Tokyo?": the last call again, with what is new in these words."""
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
    from course_pkg.practice.planning import spread

    calls = [_ordered(offer, {**arguments, **new}) for new in spread(offer, sure)]
    return [Task(offer=offer, calls=calls)]


def _open_calls(
    situation: Situation, tasks: Sequence[Task], offers: Sequence[Offer]
) -> list[PlannedCall]:
    """The calls that are to be made now: those not made yet, and corrections of failed ones."""
    if len(situation.done) >= MAX_CALLS:
        return []
    corrections = list(_corrections(situation, offers))
    waiting = _not_made(situation, [task for task in tasks if not task.needs_result])
    if corrections or waiting:
        return _unique([*corrections, *waiting])
    return _dependent_calls(situation, tasks)


def _unique(calls: Sequence[PlannedCall]) -> list[PlannedCall]:
    kept: dict[str, PlannedCall] = {}
    for call in calls:
        kept.setdefault(_key(call.name, call.arguments), call)
    return list(kept.values())


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    return name + json.dumps(arguments, sort_keys=True, ensure_ascii=False)


def _not_made(situation: Situation, tasks: Sequence[Task]) -> list[PlannedCall]:
    planned = [
        PlannedCall(name=task.offer.name, arguments=call) for task in tasks for call in task.calls
    ]
    made = _counting(situation.done)
    keys = [_key(item.name, item.arguments) for item in made]
    left = []
    for call in planned:
        key = _key(call.name, call.arguments)
        if key in keys:
            place = keys.index(key)
            keys.pop(place)
            made.pop(place)
        else:
            left.append(call)
    # What was called with other arguments than planned stands for the plan all the same.
    names = [item.name for item in made]
    open_calls = []
    for call in left:
        if call.name in names:
            names.remove(call.name)
        elif not _is_hopeless(call, situation.done):
            open_calls.append(call)
    return open_calls


def _counting(done: Sequence[Done]) -> list[Done]:
    """The calls that count as tried: readable arguments, no correction of an earlier one."""
    counted: list[Done] = []
    failed: set[str] = set()
    for item in done:
        readable = bool(item.arguments) or item.written.strip() in {"{}", ""}
        if readable and item.name not in failed:
            counted.append(item)
        if readable and item.failed:
            failed.add(item.name)
    return counted


def _is_hopeless(call: PlannedCall, done: Sequence[Done]) -> bool:
    """Whether calls that never ran (no such tool, no JSON) already failed twice the same way."""
    seen: dict[tuple[str, str, str], int] = {}
    for item in done:
        if item.failed:
            key = (item.name, item.written, item.result)
            seen[key] = seen.get(key, 0) + 1
    return any(count >= MAX_SAME_ERROR for count in seen.values())


def _corrections(situation: Situation, offers: Sequence[Offer]) -> Iterator[PlannedCall]:
    tried = {_key(item.name, item.arguments) for item in situation.done}
    for item in _final(situation.done):
        offer = next((other for other in offers if other.name == item.name), None)
        if not item.failed or offer is None or not item.arguments:
            continue
        fresh = fill_once(offer, Planner([offer]), situation.text)
        better = mend(offer, item.arguments, item.result, fresh)
        if better is not None and _key(offer.name, better) not in tried:
            yield PlannedCall(name=offer.name, arguments=better)


def _dependent_calls(situation: Situation, tasks: Sequence[Task]) -> list[PlannedCall]:
    """The first task that waited for a result and was not done yet."""
    good = [item for item in situation.done if not item.failed]
    chinese = situation.chinese
    waiting = [task for task in tasks if task.needs_result]
    if not waiting or (any(item.failed for item in _final(situation.done)) and not good):
        return []
    made = [item.name for item in situation.done]
    for task in tasks:
        if task.offer.name in made:
            made.remove(task.offer.name)
            for _ in range(len(task.calls) - 1):
                made = made[:]
            continue
        if not task.needs_result:
            continue
        raw = good[-1].result if good else situation.last_words
        words = "\n".join(_message_words(item, chinese=chinese) for item in _before(good, task))
        words = words or situation.last_words
        if not raw:
            return []
        calls = complete(task, raw, words)
        return [PlannedCall(name=task.offer.name, arguments=call) for call in calls]
    return []


def _before(done: Sequence[Done], task: Task) -> list[Done]:
    return [item for item in done if item.name != task.offer.name]


def _message_words(item: Done, *, chinese: bool) -> str:
    try:
        value = json.loads(item.result)
    except (ValueError, RecursionError):
        return item.result
    if isinstance(value, dict | list):
        return result_in_words(item.result, chinese=chinese)
    return value if isinstance(value, str) else item.result


def _forced(situation: Situation, tasks: Sequence[Task], planner: Planner) -> PlannedCall:
    """A call that the request insists on, with guesses for what nobody said."""
    for task in tasks:
        if task.calls:
            return PlannedCall(name=task.offer.name, arguments=task.calls[0])
    offer = tasks[0].offer if tasks else planner.matcher.ranked(situation.text)[0].offer
    found = fill_once(offer, planner, situation.text)
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
    simple: dict[str, Any] = {"integer": number, "number": number, "boolean": False, "array": [], "null": None}
    return simple[kind] if kind in simple else text.strip()[:200]


# --- reading the conversation ---------------------------------------------------------------------


def read_situation(messages: Sequence[Mapping[str, Any]]) -> Situation:
    """Look at the end of the conversation, as far back as needed and no further."""
    asked = _last(messages, len(messages), "user")
    text = as_text(messages[asked].get("content"))[:MAX_READ_CHARS] if asked >= 0 else ""
    done = list(_done(messages[asked + 1 :]))
    before = messages[max(0, asked - MAX_LOOK_BACK) : asked] if asked > 0 else []
    return Situation(
        text=text,
        done=done,
        asked_before=_asked_before(before),
        last_call=_last_call(before),
        last_words=_last_words(before),
        chinese=is_chinese(text),
    )


def _last(messages: Sequence[Mapping[str, Any]], end: int, role: str) -> int:
    return next((place for place in range(end - 1, -1, -1) if messages[place]["role"] == role), -1)


def _done(messages: Sequence[Mapping[str, Any]]) -> Iterator[Done]:
    results = {
        message["tool_call_id"]: as_text(message.get("content"))
        for message in messages
        if message["role"] == "tool"
    }
    for message in messages:
        for call in message.get("tool_calls") or () if message["role"] == "assistant" else ():
            if call["id"] in results:
                yield _one_done(call["function"], results[call["id"]])


def _one_done(function: Mapping[str, Any], result: str) -> Done:
    try:
        arguments = json.loads(function["arguments"])
    except (ValueError, RecursionError):
        arguments = {}
    return Done(
        name=function["name"],
        arguments=arguments if isinstance(arguments, dict) else {},
        written=function["arguments"],
        result=result,
        failed=is_error(result),
    )


def _asked_before(before: Sequence[Mapping[str, Any]]) -> str:
    """What the user said before a question of the assistant."""
    if not before or before[-1]["role"] != "assistant":
        return ""
    question = as_text(before[-1].get("content"))
    place = _last(before, len(before), "user")
    if place < 0 or not re.search(r"[?？]", question):
        return ""
    return as_text(before[place].get("content"))[:MAX_READ_CHARS]


def _last_call(before: Sequence[Mapping[str, Any]]) -> tuple[str, Mapping[str, Any]] | None:
    for message in reversed(before):
        if message["role"] == "assistant" and message.get("tool_calls"):
            function = message["tool_calls"][-1]["function"]
            done = _one_done(function, "")
            return done.name, done.arguments
    return None


def _last_words(before: Sequence[Mapping[str, Any]]) -> str:
    for message in reversed(before):
        if message["role"] == "tool" and not is_error(as_text(message.get("content"))):
            text = as_text(message.get("content"))
            return result_in_words(text, chinese=is_chinese(text))
    return ""


_unused = (closest_tool, fill)
