"""Make a reply of whatever a service answered.

In: the answer's JSON, odd or not. Out: a frozen `Reply` with a message that can be appended to the
conversation as it is, and calls that can be run. Nothing that came is trusted: ids are made unique,
arguments become text, names in the history become legal. What was mended is noted in code words.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from course_pkg.conversation import Message
from course_pkg.conversation.repair import legal_name
from course_pkg.conversation.rules import is_json_object
from course_pkg.model.errors import Service, bad_response
from course_pkg.tools import ToolCall

#: Finish reasons that say the output was cut off, in several services' words.
CUT_OFF_REASONS = ("length", "max_tokens")

#: Finish reasons that say the service held the answer back.
REFUSED_REASONS = ("content_filter", "refusal")

#: Fields that some services send and want back with the message.
ECHOED_FIELDS = ("reasoning_content", "reasoning", "refusal")


@dataclass(frozen=True, kw_only=True)
class Usage:
    """How many tokens a request took, as the service counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the model said once.

    Attributes:
        message: the assistant message for the conversation, with all its calls.
        text: what it said in words; `None` if nothing.
        calls: the tool calls, in order.
        finish_reason: why the model stopped, in the service's word; `None` if it did not say.
        usage: the tokens.
        refusal: the model's own words if it refused; else empty.
        cut_off: whether the output ended before the model was done. Its calls do not run then.
        notes: what was odd about the answer or done to the request, in code words:
            `required_not_honoured`, `looks_like_tool_call`, `dropped parallel_tool_calls`.
    """

    message: Message
    text: str | None
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage = Usage()
    refusal: str = ""
    cut_off: bool = False
    notes: tuple[str, ...] = ()

    @property
    def reasoning(self) -> str:
        """What the model wrote while it thought, where the service shows it; else empty."""
        return str(self.message.get("reasoning_content") or self.message.get("reasoning") or "")

    @property
    def refused(self) -> bool:
        """Whether the model declined, or the service held its words back."""
        return bool(self.refusal) or self.finish_reason in REFUSED_REASONS


def reply_from(payload: Any, service: Service, *, streamed: bool = False) -> Reply:
    """The reply in a Chat Completions answer.

    Args:
        payload: the answer's JSON.
        service: who was asked, for errors.
        streamed: whether it was joined from a stream. A stream that gave no finish reason has
            broken off; a plain answer without one is whole, some services never give any.

    Raises:
        ModelError: kind `bad_response`, if there is no message in it.
    """
    choice = _first_choice(payload, service)
    said = choice.get("message")
    if not isinstance(said, Mapping):
        raise bad_response("choices[0] has no message", service, _dumped(payload))
    finish_reason = choice.get("finish_reason")
    cut_off = finish_reason in CUT_OFF_REASONS or (streamed and not finish_reason)
    problem = _problem(finish_reason, cut_off=cut_off)
    calls = _calls(said, seed=str(payload.get("id", "")), problem=problem)
    text = _text(said.get("content"))
    return Reply(
        message=_message(text, calls, said),
        text=text,
        calls=calls,
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
        usage=_usage(payload.get("usage")),
        refusal=_whole(str(said.get("refusal") or "")),
        cut_off=cut_off,
    )


def with_own_ids(reply: Reply, taken: Collection[str]) -> Reply:
    """The reply, with another id for each call whose id was used before in the conversation.

    Some services begin to count anew with each answer. Two calls with one id in a conversation make
    their results hard to tell apart.

    Args:
        reply: a reply whose ids differ among themselves.
        taken: the ids that are in the conversation already.
    """
    if not any(call.id in taken for call in reply.calls):
        return reply
    calls = []
    for call in reply.calls:
        if call.id in taken:
            free = (_made_id(f"{call.id}/{len(taken)}/{number}") for number in count())
            own = next(made for made in free if made not in taken)
            call = replace(call, id=own, notes=(*call.notes, "call_id"))
        calls.append(call)
    message = {**reply.message, "tool_calls": [_for_history(call) for call in calls]}
    return replace(reply, message=message, calls=tuple(calls))


def _first_choice(payload: Any, service: Service) -> Mapping[str, Any]:
    if not isinstance(payload, Mapping):
        raise bad_response("not with a JSON object", service, _dumped(payload))
    choices = payload.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise bad_response("the list 'choices' is missing or empty", service, _dumped(payload))
    return choices[0]


def _problem(finish_reason: Any, *, cut_off: bool) -> str:
    """Why none of the calls may run; empty if they may."""
    return "truncated" if cut_off else "refused" if finish_reason in REFUSED_REASONS else ""


def _text(content: Any) -> str | None:
    """Content is text, or parts with text in them, or nothing."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(part for part in parts if isinstance(part, str))
    return _whole(content) if isinstance(content, str) and content else None


def _whole(text: str) -> str:
    """`text` as it can be sent again: halves of characters joined, a lone half replaced."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _calls(said: Mapping[str, Any], *, seed: str, problem: str) -> tuple[ToolCall, ...]:
    listed = said.get("tool_calls")
    listed = listed if isinstance(listed, list) else []
    raw = [call for call in listed if isinstance(call, Mapping)]
    if not raw and isinstance(said.get("function_call"), Mapping):
        raw = [{"type": "function", "function": said["function_call"]}]  # the form before 2023-11
    ids = _unique_ids(raw, seed)
    return tuple(_call(item, call_id, problem) for item, call_id in zip(raw, ids, strict=True))


def _call(item: Mapping[str, Any], call_id: str, problem: str) -> ToolCall:
    function = item.get("function")
    function = function if isinstance(function, Mapping) else {}
    arguments, notes = _arguments(function.get("arguments"))
    if call_id != item.get("id"):
        notes = (*notes, "call_id")
    custom = item.get("type", "function") not in ("function", None, "")
    problem = problem or ("unsupported_call_type" if custom else "")
    name = function.get("name") or _name_of_custom(item)
    name = _whole(str(name))
    return ToolCall(id=call_id, name=name, arguments=arguments, problem=problem, notes=notes)


def _name_of_custom(item: Mapping[str, Any]) -> str:
    kind = str(item.get("type") or "")
    inner = item.get(kind)
    return str(inner.get("name") or kind) if isinstance(inner, Mapping) else ""


def _arguments(raw: Any) -> tuple[str, tuple[str, ...]]:
    """Arguments as the text that the protocol says they are."""
    if isinstance(raw, str):
        text = _whole(raw)
        return text, () if text == raw else ("half_character",)
    if raw is None:
        return "", ()
    return _whole(json.dumps(raw, ensure_ascii=False)), ("arguments_object",)


def _unique_ids(calls: Sequence[Mapping[str, Any]], seed: str) -> list[str]:
    """The ids that came, with a made one where none came or where it came before."""
    ids: dict[str, None] = {}
    for number, call in enumerate(calls):
        given = call.get("id")
        call_id = _whole(given) if isinstance(given, str) else ""
        if not call_id.strip() or call_id in ids:
            call_id = _made_id(f"{seed}/{number}/{given}")
        ids[call_id] = None
    return list(ids)


def _made_id(seed: str) -> str:
    # A hash, so that the same answer always gets the same ids.
    return f"call_{hashlib.sha256(seed.encode('utf-8', 'replace')).hexdigest()[:24]}"


def _message(text: str | None, calls: Sequence[ToolCall], said: Mapping[str, Any]) -> Message:
    message: Message = {"role": "assistant", "content": text if calls else text or ""}
    for name in ECHOED_FIELDS:
        if isinstance(said.get(name), str):
            message[name] = _whole(said[name])
    if calls:
        message["tool_calls"] = [_for_history(call) for call in calls]
    return message


def _for_history(call: ToolCall) -> dict[str, Any]:
    """The call as it goes back: what a service would refuse to read again is replaced."""
    arguments = call.arguments if is_json_object(call.arguments) else "{}"
    function = {"name": legal_name(call.name), "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _usage(raw: Any) -> Usage:
    counts = raw if isinstance(raw, Mapping) else {}
    return Usage(
        prompt_tokens=_count(counts.get("prompt_tokens")),
        completion_tokens=_count(counts.get("completion_tokens")),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _dumped(payload: Any) -> str:
    return json.dumps(payload, ensure_ascii=False, default=str)
