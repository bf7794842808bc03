"""Failures of the tool's name, and calls of another kind.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

from typing import Any

from course_pkg.practice.failures.spoiling import (
    Call,
    Message,
    on_calls,
    on_function,
    on_message,
    on_name,
    read,
    write,
)
from course_pkg.practice.fault import Fault, Moment

MAX_NAME_CHARS = 60


def _in_wrapper(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    """All calls inside one call of a tool that nobody offered."""

    def changed(message: Message) -> Message:
        calls = message.get("tool_calls")
        return message | {"tool_calls": [_wrapper(calls)]} if calls else message

    return on_message(changed)(whole, moment)


def _wrapper(calls: list[Call]) -> Call:
    functions = [call["function"] for call in calls]
    uses = [
        {"recipient_name": f"functions.{item['name']}", "parameters": read(item["arguments"])}
        for item in functions
    ]
    function = {"name": "multi_tool_use.parallel", "arguments": write({"tool_uses": uses})}
    return calls[0] | {"function": function}


def _written_as_code(function: dict[str, Any]) -> dict[str, Any]:
    given = [f"{name}={value!r}" for name, value in read(function["arguments"]).items()]
    return {"name": f"{function['name']}({', '.join(given)})", "arguments": "{}"}


def _custom(call: Call) -> Call:
    function = call["function"]
    said = " ".join(str(value) for value in read(function["arguments"]).values())
    return {
        "id": call["id"],
        "type": "custom",
        "custom": {"name": function["name"], "input": said},
    }


def _old_form(message: Message) -> Message:
    if not message.get("tool_calls"):
        return message
    kept = {key: value for key, value in message.items() if key != "tool_calls"}
    return kept | {"function_call": message["tool_calls"][0]["function"]}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


ROWS = (
    Fault(
        name="unknown_tool",
        title="A tool that nobody offered",
        says="A call of a tool that nobody offered; the right one after the error result.",
        group="names",
        case="a-29",
        needs="call",
        spoil=on_name(lambda name: f"{name[:MAX_NAME_CHARS]}_now"),
    ),
    Fault(
        name="name_in_camel_case",
        title="The name in another spelling",
        says="The right tool, spelt in the way of another programming language.",
        group="names",
        case="a-29",
        needs="call",
        spoil=on_name(_camel),
    ),
    Fault(
        name="name_with_spaces",
        title="Spaces around the name",
        says="The name of the tool comes with a space before and after it.",
        group="names",
        case="a-29",
        needs="call",
        spoil=on_name(lambda name: f" {name} "),
    ),
    Fault(
        name="name_empty",
        title="A call without a name",
        says="The name of the tool is an empty text.",
        group="names",
        case="a-29",
        needs="call",
        spoil=on_name(lambda _name: ""),
    ),
    Fault(
        name="name_as_code",
        title="The whole call as the name",
        says="The name holds the whole call as a line of code, and the arguments are empty.",
        group="names",
        case="a-29",
        needs="call",
        spoil=on_function(_written_as_code),
    ),
    Fault(
        name="wrapper_tool",
        title="A made-up tool around the calls",
        says="The calls stand inside one call of multi_tool_use.parallel, which nobody offered.",
        group="names",
        case="a-26",
        needs="two_calls",
        spoil=_in_wrapper,
    ),
    Fault(
        name="name_prefixed",
        title="A prefix before the name",
        says="The name comes as functions.<tool>, a habit from the model's training.",
        group="names",
        case="a-27",
        needs="call",
        spoil=on_name(lambda name: f"functions.{name}"),
    ),
    Fault(
        name="control_token_in_name",
        title="A control token in the name",
        says="A token of the model's own format sticks to the end of the name.",
        group="names",
        case="a-28",
        needs="call",
        spoil=on_name(lambda name: f"{name}<|channel|>commentary"),
    ),
    Fault(
        name="custom_call",
        title="A call of another type",
        says="The call has the type custom and a text as its input, where a function was offered.",
        group="names",
        case="a-31",
        needs="call",
        spoil=on_calls(_custom),
    ),
    Fault(
        name="function_missing",
        title="A call with nothing in it",
        says="The call has an id and a type, but says neither which tool nor with what.",
        group="names",
        case="a-31",
        needs="call",
        spoil=on_calls(lambda call: {"id": call["id"], "type": "function"}),
    ),
    Fault(
        name="function_call_of_old",
        title="The form of 2023",
        says="The call comes in the field function_call, as it did before tool_calls existed.",
        group="names",
        case="a-31",
        needs="call",
        spoil=on_message(_old_form),
    ),
)
