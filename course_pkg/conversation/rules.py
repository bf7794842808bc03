"""Find what a service would refuse in a message list, before it is sent.

In: a list of message dicts. Out: a list of `ConversationProblem`s, empty when the list is right.
One walk over the list, so a long history costs no more than its length.

The rules are those of the Chat Completions interface: each call is answered once, directly after
the assistant message that made it, by a tool message with the same id and with text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: What the Chat Completions interface accepts as a function's name.
NAME_PATTERN = re.compile(r"[a-zA-Z0-9_-]{1,64}")

ROLES = ("system", "developer", "user", "assistant", "tool")


@dataclass(frozen=True, kw_only=True)
class ConversationProblem:
    """One reason why a service would refuse a message list.

    Attributes:
        at: the index of the message.
        code: which rule, with the id or name that it is about: `unanswered_call:call_1`.
        text: what is wrong and what to do, in one or two sentences.
    """

    at: int
    code: str
    text: str


def problems(messages: Sequence[Any]) -> list[ConversationProblem]:
    """What a service would refuse in this list, in the order of the messages.

    Args:
        messages: message dicts. Anything else in the list is a problem too, never an exception.
    """
    return sorted(_walk(messages), key=lambda problem: problem.at)


def _walk(messages: Sequence[Any]) -> Iterator[ConversationProblem]:
    waiting: dict[str, int] = {}  # ids of the group's calls that wait for an answer, and where
    answered: set[str] = set()
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping) or message.get("role") not in ROLES:
            yield _not_a_message(at, message)
            continue
        if message["role"] == "tool":
            yield from _of_tool_message(at, message, waiting, answered)
            continue
        yield from _unanswered(waiting)
        waiting, answered = {}, set()
        yield from _of_other_message(at, message)
        for call in _calls(message):
            waiting.setdefault(id_of(call.get("id")), at)
    yield from _unanswered(waiting)


def _not_a_message(at: int, message: Any) -> ConversationProblem:
    role = message.get("role") if isinstance(message, Mapping) else None
    return ConversationProblem(
        at=at,
        code="role",
        text=f"messages[{at}] has the role {role!r}. Use one of {', '.join(ROLES)}.",
    )


def _unanswered(waiting: Mapping[str, int]) -> Iterator[ConversationProblem]:
    for call_id, at in waiting.items():
        yield ConversationProblem(
            at=at,
            code=f"unanswered_call:{call_id}",
            text=(
                f"messages[{at}] asks for the tool call {call_id!r}, and no tool message directly "
                f"after it has that id. Append one with tool_call_id={call_id!r}."
            ),
        )


def _of_tool_message(
    at: int, message: Mapping[str, Any], waiting: dict[str, int], answered: set[str]
) -> Iterator[ConversationProblem]:
    call_id = id_of(message.get("tool_call_id"))
    if call_id in waiting:
        del waiting[call_id]
        answered.add(call_id)
    elif call_id in answered:
        yield ConversationProblem(
            at=at,
            code=f"duplicate_reply:{call_id}",
            text=f"messages[{at}] answers {call_id!r} again. Keep one answer for each call.",
        )
    else:
        yield ConversationProblem(
            at=at,
            code=f"orphan_tool_message:{call_id}",
            text=(
                f"messages[{at}] answers {call_id!r}, but the assistant message before it makes no "
                "such call. Put the result directly after its call, or leave it out."
            ),
        )
    yield from _of_content(at, message)


def _of_other_message(at: int, message: Mapping[str, Any]) -> Iterator[ConversationProblem]:
    calls = list(_calls(message))
    if not calls or message.get("content") is not None:
        yield from _of_content(at, message)
    if message.get("role") == "assistant" and message.get("tool_calls") is not None:
        yield from _of_list(at, message["tool_calls"])
    seen: set[str] = set()
    for call in calls:
        yield from _of_call(at, call, seen)
        seen.add(id_of(call.get("id")))


def _of_content(at: int, message: Mapping[str, Any]) -> Iterator[ConversationProblem]:
    content = message.get("content")
    if not is_content(content):
        yield ConversationProblem(
            at=at,
            code="content_not_string",
            text=(
                f"The content of messages[{at}] is {_json_type(content)}. It must be text: "
                "make it a string with json.dumps(value, ensure_ascii=False)."
            ),
        )


def _of_list(at: int, calls: Any) -> Iterator[ConversationProblem]:
    if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
        code, wrong = "tool_calls_not_list", "no list of calls"
    elif not calls:
        code, wrong = "tool_calls_empty", "an empty list"
    else:
        return
    yield ConversationProblem(
        at=at,
        code=code,
        text=f"The tool_calls of messages[{at}] are {wrong}. Without a call, leave tool_calls out.",
    )


def _of_call(at: int, call: Mapping[str, Any], seen: set[str]) -> Iterator[ConversationProblem]:
    call_id = id_of(call.get("id"))
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    name = str(function.get("name", ""))
    if not call_id or call_id in seen:
        yield ConversationProblem(
            at=at,
            code=f"call_id:{call_id}",
            text=f"A call in messages[{at}] has the id {call_id!r}. Each call needs its own.",
        )
    if call.get("type") != "function":
        yield ConversationProblem(
            at=at,
            code=f"type_missing:{call_id}",
            text=f'The call {call_id!r} in messages[{at}] needs "type": "function".',
        )
    if not NAME_PATTERN.fullmatch(name):
        yield ConversationProblem(
            at=at,
            code=f"name_pattern:{name}",
            text=(
                f"The call {call_id!r} names the tool {name!r}. A name has 1 to 64 letters, "
                "digits, underscores or hyphens."
            ),
        )
    if not is_json_object(function.get("arguments")):
        yield ConversationProblem(
            at=at,
            code=f"arguments_not_json_object:{call_id}",
            text=(
                f"The arguments of the call {call_id!r} in messages[{at}] are no text with a JSON "
                "object. Keep '{}' in the history, and tell the model in the tool message."
            ),
        )


def _calls(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    calls = message.get("tool_calls") if message.get("role") == "assistant" else None
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, Mapping):
            yield call


def is_content(value: Any) -> bool:
    """Whether `value` can be a message's content: text, or parts with a type each."""
    parts = value if isinstance(value, list) else []
    typed = [isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts]
    return isinstance(value, str) or (bool(typed) and all(typed))


def id_of(value: Any) -> str:
    """The id in a message's field; an empty text where none can be."""
    return value if isinstance(value, str) else ""


def is_json_object(arguments: Any) -> bool:
    """Whether `arguments` is a text that holds one JSON object."""
    try:
        return isinstance(arguments, str) and isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _json_type(value: Any) -> str:
    names = {dict: "an object", list: "an array", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "no text")
