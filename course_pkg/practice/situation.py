"""Read what a conversation says about the present moment.

In: the messages of a request. Out: a `Situation`: what the user wants, which calls were made for
it, what came of them. Knows nothing of tools on offer and of plans.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course_pkg.practice.answering import Done, result_in_words
from course_pkg.practice.mending import is_error
from course_pkg.practice.words import as_text, is_chinese

#: How far back a follow-up looks for the call that it continues (messages).
MAX_LOOK_BACK = 40
#: Longer texts are only read this far (characters).
MAX_READ_CHARS = 4000


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
