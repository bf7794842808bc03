"""Models that do not come to an end, or end too early: the same call again, a circle, silence.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

from typing import Any

from course_pkg.practice.failures.spoiling import Message, on_message, on_needed, on_text
from course_pkg.practice.fault import Fault, Moment, since_user

#: Calls in one reply of the model that asks for everything at once.
MANY_CALLS = 12


def _varied(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    """As many spaces behind the first text as there were turns: the same, but other bytes."""
    return on_needed("string", lambda value: value + " " * moment.turn)(whole, moment)


def _in_a_circle(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    """Two calls in turn."""
    return on_needed("string", lambda value: value + " " * (moment.turn % 2))(whole, moment)


def _once_more(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    """After the first results, the first calls again."""
    if moment.turn != 1 or not moment.results:
        return whole
    return _calling_again(whole, moment)


def _without_offer(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    """Without tools on offer, the last calls again."""
    return whole if moment.body.get("tools") else _calling_again(whole, moment)


def _calling_again(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    after = since_user(moment.body["messages"])
    made = [message["tool_calls"] for message in after if message.get("tool_calls")]
    if not made:
        return whole
    seed = whole["id"].removeprefix("chatcmpl-")
    calls = [call | {"id": f"call_{seed}{place}"} for place, call in enumerate(made[-1])]
    said = {"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}
    choice = whole["choices"][0] | {"message": said, "finish_reason": "tool_calls"}
    return whole | {"choices": [choice]}


def _many(message: Message) -> Message:
    calls = message.get("tool_calls")
    if not calls:
        return message
    copies = [calls[0] | {"id": f"{calls[0]['id']}{place}"} for place in range(MANY_CALLS)]
    return message | {"tool_calls": copies}


def _silent(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    if not moment.results or whole["choices"][0]["message"].get("tool_calls"):
        return whole
    return on_message(lambda message: message | {"content": None})(whole, moment)


ROWS = (
    Fault(
        name="same_call_forever",
        title="The same call again and again",
        says="The model makes the same call in each turn, whatever the result says.",
        group="repetition",
        case="e-04",
        needs="call",
        when="always",
        forgets=True,
    ),
    Fault(
        name="two_call_circle",
        title="Two calls in a circle",
        says="The model makes two calls in turn, so that no call follows itself.",
        group="repetition",
        case="e-04",
        needs="string",
        when="always",
        forgets=True,
        spoil=_in_a_circle,
    ),
    Fault(
        name="never_the_same_call",
        title="Always another call",
        says="The model calls in each turn with arguments that differ a little.",
        group="repetition",
        case="e-04",
        needs="string",
        when="always",
        forgets=True,
        spoil=_varied,
    ),
    Fault(
        name="never_corrects",
        title="The same mistake again and again",
        says="The arguments are no JSON, and the error result changes nothing.",
        group="repetition",
        case="e-05",
        needs="call",
        when="always",
        forgets=True,
        spoil=on_text(lambda text: text.replace('"', "", 1)),
    ),
    Fault(
        name="call_without_offer",
        title="A call when nothing is on offer",
        says="The model repeats its call in each turn, also when no tool is on offer any more.",
        group="repetition",
        case="e-04",
        needs="call",
        when="always",
        forgets=True,
        spoil=_without_offer,
    ),
    Fault(
        name="forced_forever",
        title="Forced to call, turn for turn",
        says="As long as the request insists on a call, the model calls and never answers.",
        group="repetition",
        case="e-02",
        options={"tool_choice": "required"},
        needs="call",
        when="always",
    ),
    Fault(
        name="call_made_twice",
        title="Done, and done again",
        says="After a good result the model makes the same call once more: a message goes out "
        "twice.",
        group="repetition",
        case="e-14",
        needs="call",
        when="always",
        spoil=_once_more,
    ),
    Fault(
        name="many_calls_at_once",
        title="Many calls at once",
        says=f"One reply holds {MANY_CALLS} calls, all the same but for their ids.",
        group="repetition",
        case="e-11",
        needs="call",
        spoil=on_message(_many),
    ),
    Fault(
        name="silent_after_results",
        title="Silence after the results",
        says="The model calls well, and has nothing to say when the results come.",
        group="repetition",
        case="e-05",
        needs="call",
        when="always",
        spoil=_silent,
    ),
)
