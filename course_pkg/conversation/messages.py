"""Make messages, and append them to a conversation.

In: texts, a reply, results. Out: plain dicts in the list. A group (the assistant message with its
calls, then one tool message per call) is appended so that it is never left half done.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

Message: TypeAlias = dict[str, Any]


class HasMessage(Protocol):
    """Anything that carries an assistant message for the list; a `Reply` is meant."""

    @property
    def message(self) -> Message:
        """The assistant message, whole, with all its calls."""


class AnswersCall(Protocol):
    """Anything that answers one call with text; a `ToolResult` is meant."""

    @property
    def call_id(self) -> str:
        """The id of the call that is answered."""

    @property
    def text(self) -> str:
        """What the model is to read."""


def system(text: str) -> Message:
    """A system message: how the model is to behave."""
    return {"role": "system", "content": text}


def user(text: str) -> Message:
    """A user message."""
    return {"role": "user", "content": text}


def start(question: str, *, system_prompt: str = "") -> list[Message]:
    """A new conversation.

    Args:
        question: the user's first message.
        system_prompt: how the model is to behave; nothing is sent if it is empty.
    """
    return [*([system(system_prompt)] if system_prompt else []), user(question)]


def append_reply(messages: list[Message], reply: HasMessage) -> None:
    """Append the model's message to the list: once, whole, with all its calls.

    If it has calls, append their results directly afterwards.
    """
    messages.append(reply.message)


def append_results(messages: list[Message], results: Iterable[AnswersCall]) -> None:
    """Append one tool message per result, each with the id of its call.

    All of them or none: the list is only touched when every message has been made.
    """
    messages.extend(
        [
            {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
            for result in results
        ]
    )
