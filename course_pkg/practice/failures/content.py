"""Failures of the message's text: a call that is only told, thinking in the open, no text at all.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

from typing import Any

from course_pkg.practice.failures.spoiling import (
    Call,
    Message,
    in_place_of_calls,
    on_choice,
    on_message,
    read,
    write,
)
from course_pkg.practice.fault import Fault

THOUGHT = "The user wants to know something. A tool can tell me."


def as_object(call: Call) -> dict[str, Any]:
    """A call as most models write it: a name and arguments."""
    function = call["function"]
    return {"name": function["name"], "arguments": read(function["arguments"])}


def _first_as_json(calls: list[Call]) -> str:
    return write(as_object(calls[0]))


def _quoted(calls: list[Call]) -> str:
    return (
        f"One could send {_first_as_json(calls)} to find that out. Shall I do so, or do you want "
        "to ask for something else?"
    )


def _announced(calls: list[Call]) -> str:
    return f"I will call {calls[0]['function']['name']} now and come back to you."


def _with_text(message: Message) -> Message:
    return message | {"content": "Let me look that up for you."}


def _thinking_aloud(message: Message) -> Message:
    return message | {"content": f"<think>\n{THOUGHT}\n</think>\n\n{message['content'] or ''}"}


def _in_parts(message: Message) -> Message:
    text = message["content"] or "Let me see."
    return message | {"content": [{"type": "text", "text": text}]}


def _no_calls_listed(choice: dict[str, Any]) -> dict[str, Any]:
    said = choice["message"]
    text = said["content"] or "It is probably fine, but I have not looked."
    message = said | {"content": text, "tool_calls": []}
    return choice | {"message": message, "finish_reason": "tool_calls"}


ROWS = (
    Fault(
        name="text_and_call",
        title="A text and a call",
        says="The model says something and calls a tool in the same message.",
        group="content",
        case="a-43",
        needs="call",
        spoil=on_message(_with_text),
    ),
    Fault(
        name="content_in_parts",
        title="The text as a list of parts",
        says="The content is a list of parts with text in them, where the interface says a text.",
        group="content",
        case="a-43",
        when="always",
        spoil=on_message(_in_parts),
    ),
    Fault(
        name="call_as_text",
        title="The call is the answer",
        says="The server did not read the call out of what its model wrote: it is the text.",
        group="content",
        case="a-44",
        needs="call",
        spoil=in_place_of_calls(_first_as_json),
    ),
    Fault(
        name="call_as_text_in_fence",
        title="The call as a code block",
        says="The call is the answer, in a Markdown code fence.",
        group="content",
        case="a-44",
        needs="call",
        spoil=in_place_of_calls(lambda calls: f"```json\n{_first_as_json(calls)}\n```"),
    ),
    Fault(
        name="call_announced",
        title="The call is only announced",
        says="The model says that it will call a tool, and does not.",
        group="content",
        case="a-44",
        needs="call",
        spoil=in_place_of_calls(_announced),
    ),
    Fault(
        name="call_in_prose",
        title="A call as an example",
        says="A call is quoted in a sentence; it is not meant to be run.",
        group="content",
        case="a-45",
        needs="call",
        spoil=in_place_of_calls(_quoted),
    ),
    Fault(
        name="no_calls_listed",
        title="A reason to call, and no call",
        says="The finish reason says tool_calls, and the list of calls is empty.",
        group="content",
        case="d-05",
        spoil=on_choice(_no_calls_listed),
    ),
    Fault(
        name="thinking_aloud",
        title="Thinking inside the text",
        says="What the model thinks stands at the beginning of its text, between think tags.",
        group="content",
        case="a-62",
        when="always",
        spoil=on_message(_thinking_aloud),
    ),
    Fault(
        name="thinking_field",
        title="Thinking in a field of its own",
        says="What the model thinks comes in reasoning_content; some services want it back.",
        group="content",
        case="a-62",
        when="always",
        spoil=on_message(lambda message: message | {"reasoning_content": THOUGHT}),
    ),
    Fault(
        name="empty_answer",
        title="No text and no call",
        says="No text and no call.",
        group="content",
        case="a-48",
        when="always",
        spoil=on_choice(
            lambda choice: (
                choice
                | {
                    "message": {"role": "assistant", "content": None, "refusal": None},
                    "finish_reason": "stop",
                }
            )
        ),
    ),
    Fault(
        name="blank_answer",
        title="An answer of white space",
        says="The answer is a few line breaks, which is a text and still says nothing.",
        group="content",
        case="a-48",
        when="always",
        spoil=on_choice(
            lambda choice: (
                choice
                | {
                    "message": {"role": "assistant", "content": "\n\n", "refusal": None},
                    "finish_reason": "stop",
                }
            )
        ),
    ),
)
