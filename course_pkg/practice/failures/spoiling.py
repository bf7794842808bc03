"""Small tools to spoil a reply: change its calls, their names, their arguments, its finish reason.

In: a function that changes one part. Out: a `Spoil`, which changes a whole reply. A reply without
that part stays as it is. Nothing is changed in place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

from course_pkg.practice.fault import Moment, Need, Spoil
from course_pkg.practice.needs import needed_argument

Call: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]


def on_choice(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    """Change the first choice of the reply."""

    def spoil(whole: dict[str, Any], _moment: Moment) -> dict[str, Any]:
        return whole | {"choices": [change(whole["choices"][0])]}

    return spoil


def on_message(change: Callable[[Message], Any]) -> Spoil:
    """Change the message of the reply."""
    return on_choice(lambda choice: choice | {"message": change(choice["message"])})


def on_calls(change: Callable[[Call], Any]) -> Spoil:
    """Change each call."""

    def changed(message: Message) -> Message:
        if not message.get("tool_calls"):
            return message
        return message | {"tool_calls": [change(call) for call in message["tool_calls"]]}

    return on_message(changed)


def on_function(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    """Change the function of each call: its name and arguments."""
    return on_calls(lambda call: call | {"function": change(call["function"])})


def on_name(change: Callable[[str], Any]) -> Spoil:
    """Change the tool name of each call."""
    return on_function(lambda function: function | {"name": change(function["name"])})


def on_text(change: Callable[[str], Any]) -> Spoil:
    """Change the text of the arguments of each call."""
    return on_function(lambda function: function | {"arguments": change(function["arguments"])})


def on_values(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    """Change the arguments of each call as values; they are written as JSON again."""
    return on_text(lambda text: write(change(read(text))))


def finishing(reason: str | None) -> Spoil:
    """Give another finish reason to a reply that has calls."""

    def changed(choice: dict[str, Any]) -> dict[str, Any]:
        calls = choice["message"] and choice["message"].get("tool_calls")
        return choice | {"finish_reason": reason} if calls else choice

    return on_choice(changed)


def both(first: Spoil, second: Spoil) -> Spoil:
    """One after the other."""
    return lambda whole, moment: second(first(whole, moment), moment)


def in_place_of_calls(write_text: Callable[[list[Call]], str]) -> Spoil:
    """Say the calls as a text, as a server does that does not read what its model wrote."""

    def changed(choice: dict[str, Any]) -> dict[str, Any]:
        calls = choice["message"].get("tool_calls")
        if not calls:
            return choice
        said = {"role": "assistant", "content": write_text(calls), "refusal": None}
        return choice | {"message": said, "finish_reason": "stop"}

    return on_choice(changed)


def read(text: str) -> dict[str, Any]:
    """The arguments of a good call; nothing if the request's own limit has cut them off."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def write(value: Any) -> str:
    """JSON in one line, Chinese characters as they are."""
    return json.dumps(value, ensure_ascii=False)


def on_needed(need: Need, change: Callable[[Any], Any]) -> Spoil:
    """Change, in each call, the first argument that a need is about."""

    def spoil(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
        def changed(function: dict[str, Any]) -> dict[str, Any]:
            arguments = read(function["arguments"])
            tools = moment.body.get("tools") or ()
            name = needed_argument(tools, function["name"], arguments, need)
            if name is None:
                return function
            return function | {"arguments": write(arguments | {name: change(arguments[name])})}

        return on_function(changed)(whole, moment)

    return spoil
