"""Make a message list right again, and shorten it without breaking it.

In: a list of message dicts. Out: a new list; the one that came in is left as it was. What cannot be
known is said in a tool message, never made up. Results are paired by id, never by position.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from course_pkg.conversation.messages import Message
from course_pkg.conversation.rules import NAME_PATTERN, ROLES, id_of, is_content, is_json_object

#: What the model reads in place of a result that nobody recorded.
NO_RESULT = "Error: the run was interrupted before this call had a result. Call again if needed."

MAX_NAME_CHARS = 64

#: An estimate that needs no tokenizer, for English.
CHARS_PER_TOKEN = 4


def heal(messages: Sequence[Any]) -> list[Message]:
    """A list that a service accepts, made from one that was left half done.

    Each call gets its answer directly after it: the recorded one if there is one with its id, else
    a sentence that there is none. Answers to no call are left out. Assistant messages with calls
    that follow one another become one. Arguments that are no JSON object become `{}`.

    Args:
        messages: message dicts. It is not changed. Items that are no messages are left out.
    """
    tidy = _merged([_tidy(message) for message in messages if _is_message(message)])
    healed: list[Message] = []
    for group, answers in _with_answers(tidy):
        healed.append(group)
        healed.extend(answers)
    return healed


def trim(
    messages: Sequence[Message], *, max_chars: int | None = None, max_tokens: int | None = None
) -> list[Message]:
    """The newest part of a conversation that fits, cut between whole groups only.

    System messages at the start are kept, and so is all from the user's last message on, even if it
    is too long. What is kept begins with a user message, as a conversation does.

    Args:
        messages: message dicts. It is not changed.
        max_chars: how long the JSON of the messages may be, in characters.
        max_tokens: the same in tokens, by the estimate of `estimated_tokens`. With both, the
            smaller budget counts.

    Raises:
        ValueError: if neither budget is given.
    """
    budgets = [max_chars, None if max_tokens is None else max_tokens * CHARS_PER_TOKEN]
    given = [budget for budget in budgets if budget is not None]
    if not given:
        raise ValueError("trim was given no budget. Give max_chars=... or max_tokens=...")
    opening, groups = _opening_and_groups(messages)
    room = min(given) - sum(_size(message) for message in opening)
    users = [at for at, group in enumerate(groups) if group[0]["role"] == "user"]
    last_user = users[-1] if users else 0
    first = len(groups)
    while first and (room := room - sum(map(_size, groups[first - 1]))) >= 0:
        first -= 1
    first = min(first, last_user)
    first = next((at for at in users if at >= first), first)
    return [*opening, *(message for group in groups[first:] for message in group)]


def estimated_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens the messages take: their JSON's characters divided by four.

    That is near for English. Chinese takes more, about a token a character: allow for it. The true
    number is in a reply's `usage`, after the request.

    Args:
        messages: message dicts.
    """
    return -(-sum(map(_size, messages)) // CHARS_PER_TOKEN)


def _is_message(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") in ROLES


def _tidy(message: Mapping[str, Any]) -> Message:
    tidy = {name: value for name, value in message.items() if name != "tool_calls"}
    if not is_content(tidy.get("content")):
        tidy["content"] = _as_text(tidy.get("content"))
    listed = message.get("tool_calls")
    if tidy["role"] == "assistant" and isinstance(listed, list):
        calls = [_tidy_call(call) for call in listed if isinstance(call, Mapping)]
        if calls:
            tidy |= {"content": tidy["content"] or None, "tool_calls": calls}
    return tidy


def _tidy_call(call: Mapping[str, Any]) -> Message:
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments")
    return {
        "id": id_of(call.get("id")),
        "type": "function",
        "function": {
            "name": legal_name(str(function.get("name", ""))),
            "arguments": arguments if is_json_object(arguments) else "{}",
        },
    }


def legal_name(name: str) -> str:
    """`name` with each character that a service would refuse made an underscore."""
    if NAME_PATTERN.fullmatch(name):
        return name
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:MAX_NAME_CHARS] or "unnamed"


def _as_text(content: Any) -> str:
    empty = content is None or content == []
    return "" if empty else json.dumps(content, ensure_ascii=False, default=str)


def _merged(messages: Sequence[Message]) -> list[Message]:
    merged: list[Message] = []
    for message in messages:
        if merged and message.get("tool_calls") and merged[-1].get("tool_calls"):
            merged[-1]["content"] = _both(merged[-1]["content"], message["content"])
            merged[-1]["tool_calls"] += message["tool_calls"]  # both are new here: see _tidy
        else:
            merged.append(message)
    return [_with_own_ids(message) for message in merged]


def _both(first: Any, second: Any) -> Any:
    both = isinstance(first, str) and isinstance(second, str)
    return f"{first}\n{second}" if both else first or second


def _with_own_ids(message: Message) -> Message:
    """The message with an id of its own for each call that has none, or that of another."""
    if "tool_calls" not in message:
        return message
    taken = {call["id"] for call in message["tool_calls"]}
    made_ids = map("call_{}".format, count(1))
    calls: dict[str, Message] = {}
    for call in message["tool_calls"]:
        call_id = call["id"]
        if not call_id or call_id in calls:
            call_id = next(made for made in made_ids if made not in taken)
        calls[call_id] = {**call, "id": call_id}
    return {**message, "tool_calls": list(calls.values())}


def _with_answers(messages: Sequence[Message]) -> Iterator[tuple[Message, list[Message]]]:
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            continue
        calls = message.get("tool_calls", [])
        found = _answers_after(messages, at) if calls else {}
        yield message, [found.get(call["id"]) or _no_result(call["id"]) for call in calls]


def _answers_after(messages: Sequence[Message], at: int) -> dict[str, Message]:
    """Tool messages by id, up to the next message with calls; the newest of one id counts."""
    found: dict[str, Message] = {}
    for place in range(at + 1, len(messages)):  # a slice would copy all the rest each time
        message = messages[place]
        if message.get("tool_calls"):
            break
        if message["role"] == "tool":
            found[id_of(message.get("tool_call_id"))] = message
    return found


def _no_result(call_id: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": NO_RESULT}


def _opening_and_groups(messages: Sequence[Message]) -> tuple[list[Message], list[list[Message]]]:
    opening: list[Message] = []
    groups: list[list[Message]] = []
    for message in messages:
        if not groups and message["role"] in {"system", "developer"}:
            opening.append(message)
        elif message["role"] == "tool" and groups:
            groups[-1].append(message)
        else:
            groups.append([message])
    return opening, groups


def _size(message: Message) -> int:
    return len(json.dumps(message, ensure_ascii=False, default=str))
