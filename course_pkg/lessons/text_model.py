"""Ask a model that only writes text, and read its calls: what a server's tool-call parser does.

In: messages and tool definitions. Out: a `Reply`, as from any `ModelClient`, so the same loop runs.
On the wire there is no field `tools`: the tools stand in the system prompt, the calls in the
answer's text, and the results in a user message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from course_pkg.conversation import Message
from course_pkg.model import ModelClient, Reply, Settings, reply_from
from course_pkg.model.client import Offer, ToolChoice
from course_pkg.model.errors import Service
from course_pkg.text_calls import Format, as_message, call_in_words, result_in_words, tools_prompt
from course_pkg.tools import ToolCall

SYSTEM_ROLES = ("system", "developer")

#: What a client notes of a text that nobody has read for calls. Here somebody has.
UNREAD = "looks_like_tool_call"


class TextModel(ModelClient):
    """A client for a model without `tool_calls`. Use it wherever a `ModelClient` goes.

    `tool_choice="none"` leaves the tools out of the prompt. A forced choice is only a wish: nobody
    can make a text hold a call. If it holds none, the reply notes `required_not_honoured`.
    """

    def __init__(
        self, chosen: Settings | None = None, *, form: Format = "hermes", **settings: Any
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            chosen: which model to ask; read from the environment if left out.
            form: the format in which the model is told to write its calls, and read.
            settings: more settings of a `ModelClient`.

        Raises:
            SettingsError: if the environment's settings are missing or wrong.
        """
        super().__init__(chosen, **settings)
        self.form: Format = form

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Offer = (),
        *,
        tool_choice: ToolChoice | None = None,
        stream: bool = False,
        **options: Any,
    ) -> Reply:
        """Send the whole conversation as text, and read the reply.

        Args:
            messages: the conversation, with calls and results in their own fields.
            tools: what the model may call.
            tool_choice: see the class.
            stream: let the answer come in pieces. The reply is the same.
            options: more fields of the request.

        Raises:
            ModelError: if the service fails, refuses, or answers with something that is no reply.
            ValueError: if a call in the conversation has arguments that are no JSON object.
        """
        offered = [] if tool_choice == "none" else self.request((), tools).get("tools", [])
        sent = in_words(messages, offered, self.form)
        raw = await super().ask(sent, stream=stream, **options)
        reply = self._read(raw, offered, seed=str(len(messages))) if offered else raw
        forced = tool_choice not in (None, "auto", "none")
        missed = ("required_not_honoured",) if forced and not reply.calls else ()
        kept = tuple(note for note in raw.notes if note != UNREAD)
        return replace(reply, usage=raw.usage, notes=(*kept, *missed))

    def _read(self, raw: Reply, offered: Sequence[Mapping[str, Any]], *, seed: str) -> Reply:
        read = as_message(raw.text or "", offered, formats=[self.form], seed=seed)
        message = {**raw.message, **read}
        finish_reason = "tool_calls" if read.get("tool_calls") else raw.finish_reason
        if raw.cut_off:
            finish_reason = "length"  # then no call runs, however whole it looks
        answer = {"choices": [{"message": message, "finish_reason": finish_reason}]}
        where = f"The model {self.model!r}, read as text"
        return reply_from(answer, Service(where=where, key=self.settings.api_key))


def in_words(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], form: Format
) -> list[Message]:
    """A conversation as a model without `tool_calls` is sent it.

    Args:
        messages: the conversation. It is not changed.
        tools: definitions for the system prompt; with none, nothing is added to it.
        form: the format of tools, calls and results.

    Raises:
        ValueError: if a call has arguments that are no JSON object.
    """
    names = {
        call["id"]: call["function"]["name"]
        for message in messages
        for call in message.get("tool_calls") or ()
    }
    written: list[Message] = []
    for role, group in groupby(messages, key=lambda message: message["role"]):
        if role == "tool":
            written.append(_results(list(group), names, form))
        else:
            written += [_said(message, form) for message in group]
    return _with_prompt(written, tools_prompt(tools, form))


def _results(group: Sequence[Mapping[str, Any]], names: Mapping[str, str], form: Format) -> Message:
    results = [
        result_in_words(message["content"], form, name=names.get(message["tool_call_id"], ""))
        for message in group
    ]
    return {"role": "user", "content": "\n".join(results)}


def _said(message: Mapping[str, Any], form: Format) -> Message:
    if message["role"] != "assistant":
        return dict(message)
    calls = [_call(call, form) for call in message.get("tool_calls") or ()]
    words = [message.get("content") or "", *calls]
    return {"role": "assistant", "content": "\n".join(filter(None, words))}


def _call(call: Mapping[str, Any], form: Format) -> str:
    function = call["function"]
    made = ToolCall(id=call["id"], name=function["name"], arguments=function["arguments"])
    return call_in_words(made, form)


def _with_prompt(messages: list[Message], prompt: str) -> list[Message]:
    """The messages, with the prompt at the end of the system message; a new one if there is none.

    One system message, since the chat templates of many models know only one.
    """
    if not prompt:
        return messages
    first = messages[0] if messages else {}
    if first.get("role") not in SYSTEM_ROLES:
        return [{"role": "system", "content": prompt}, *messages]
    return [{**first, "content": f"{first['content']}\n\n{prompt}"}, *messages[1:]]
