"""Compare a plan with what was done already: which calls are to be made now.

In: the situation, the tasks, the offers. Out: calls. A call that failed is corrected if its error
says how, and never tried twice with the same arguments. Knows nothing of how tasks are found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course_pkg.practice.answering import Done, result_in_words
from course_pkg.practice.completion import PlannedCall
from course_pkg.practice.mending import mend
from course_pkg.practice.offers import Offer
from course_pkg.practice.planning import Planner, Task, complete
from course_pkg.practice.situation import Situation

#: How often the same call with the same error is seen before the practice model gives up.
MAX_SAME_ERROR = 2
#: How many calls for one request before the practice model answers with what it has.
MAX_CALLS = 24


def open_calls(
    situation: Situation, tasks: Sequence[Task], offers: Sequence[Offer]
) -> list[PlannedCall]:
    """The calls that are to be made now: those not made yet, and corrections of failed ones."""
    if len(situation.done) >= MAX_CALLS or _is_stuck(situation.done):
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
    return [call for call in left if not _taken(call.name, names)]


def _taken(name: str, names: list[str]) -> bool:
    """Take `name` off the list; whether it was there."""
    if name not in names:
        return False
    names.remove(name)
    return True


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


def _is_stuck(done: Sequence[Done]) -> bool:
    """Whether the same call failed the same way too often."""
    failures = [(item.name, item.written, item.result) for item in done if item.failed]
    return any(failures.count(failure) >= MAX_SAME_ERROR for failure in failures)


def _corrections(situation: Situation, offers: Sequence[Offer]) -> Iterator[PlannedCall]:
    tried = {_key(item.name, item.arguments) for item in situation.done}
    for item in final(situation.done):
        offer = next((other for other in offers if other.name == item.name), None)
        if not item.failed or offer is None or not item.arguments:
            continue
        fresh = Planner([offer]).arguments_for(offer, situation.text)
        better = mend(offer, item.arguments, item.result, fresh)
        if better is not None and _key(offer.name, better) not in tried:
            yield PlannedCall(name=offer.name, arguments=better)


def _dependent_calls(situation: Situation, tasks: Sequence[Task]) -> list[PlannedCall]:
    """The first task that waited for a result and was not done yet."""
    good = [item for item in situation.done if not item.failed]
    if not good and situation.done:
        return []
    task = _next_waiting(situation.done, tasks)
    raw = good[-1].result if good else situation.last_words
    if task is None or not raw:
        return []
    words = [
        _message_words(item, chinese=situation.chinese)
        for item in good
        if item.name != task.offer.name
    ]
    calls = complete(task, raw, "\n".join(words) or situation.last_words)
    return [PlannedCall(name=task.offer.name, arguments=call) for call in calls]


def _next_waiting(done: Sequence[Done], tasks: Sequence[Task]) -> Task | None:
    made = [item.name for item in final(done)]
    for task in tasks:
        missing = [call for call in task.calls or ({},) if not _taken(task.offer.name, made)]
        if missing and task.needs_result:
            return task
    return None


def _message_words(item: Done, *, chinese: bool) -> str:
    try:
        value = json.loads(item.result)
    except (ValueError, RecursionError):
        return item.result
    if isinstance(value, dict | list):
        return result_in_words(item.result, chinese=chinese)
    return value if isinstance(value, str) else item.result


def final(done: Sequence[Done]) -> list[Done]:
    """Without failures that a later call of the same tool made good."""
    return [
        item
        for place, item in enumerate(done)
        if not (item.failed and any(_makes_good(later, item) for later in done[place + 1 :]))
    ]


def _makes_good(later: Done, failed: Done) -> bool:
    return later.name == failed.name or later.arguments == failed.arguments or not failed.arguments
