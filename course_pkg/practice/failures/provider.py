"""What providers and their servers do by rules of their own: refusals, limits, other habits.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from course_pkg.practice.failures.content import THOUGHT, as_object
from course_pkg.practice.failures.spoiling import (
    Call,
    finishing,
    in_place_of_calls,
    on_message,
    on_text,
    read,
    write,
)
from course_pkg.practice.fault import Fault, Moment
from course_pkg.practice.refusal import Refusal

RETRY_AFTER_S = 1
LONG_RETRY_AFTER_S = 3600

#: With a named choice, the course's first tool is asked for.
_NAMED: Mapping[str, Any] = {
    "tool_choice": {"type": "function", "function": {"name": "get_weather"}}
}


def _error(
    message: str,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
) -> str:
    return write(Refusal(message=message, kind=kind, param=param, code=code).body())


def _has_tools(body: Mapping[str, Any]) -> bool:
    return bool(body.get("tools"))


def _is_forced(body: Mapping[str, Any]) -> bool:
    return body.get("tool_choice", "auto") not in ("auto", "none", None)


def _echoes_broken(body: Mapping[str, Any]) -> bool:
    """Whether a call in the history has arguments that are no JSON object."""
    return any(not _is_object(call["function"]["arguments"]) for call in _calls_in(body))


def _calls_in(body: Mapping[str, Any]) -> list[Any]:
    return [call for message in body["messages"] for call in message.get("tool_calls") or ()]


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _lacks_thinking(body: Mapping[str, Any]) -> bool:
    """Whether a call in the history comes without the thinking that led to it."""
    calling = [message for message in body["messages"] if message.get("tool_calls")]
    return any(not message.get("reasoning_content") for message in calling)


def _marked(calls: list[Call]) -> str:
    said = as_object(calls[0])
    return f"[TOOL_CALLS]{said['name']}{write(said['arguments'])}"


def _guessed(_calls: list[Call]) -> str:
    return "It is probably as it always is at this time of the year."


def _if_forced(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    spoil = in_place_of_calls(_guessed)
    return spoil(whole, moment) if _is_forced(moment.body) else whole


def _stop_if_named(whole: dict[str, Any], moment: Moment) -> dict[str, Any]:
    named = isinstance(moment.body.get("tool_choice"), Mapping)
    return finishing("stop")(whole, moment) if named else whole


_TOO_MANY = _error(
    f"Too many requests in a short time. Try again in {RETRY_AFTER_S} s.",
    kind="requests",
    code="rate_limit_exceeded",
)
_FAILED = _error(
    "The server had an error while it worked on your request. Try again.", kind="server_error"
)

ROWS = (
    Fault(
        name="auto_choice_off",
        title="A server without a tool parser",
        says="The server was started without its switches for tools, and refuses every request "
        "with tools.",
        group="provider",
        case="d-01",
        status=400,
        only_if=_has_tools,
        body=_error(
            "Tool choice 'auto' is switched off here. Start the server with "
            "--enable-auto-tool-choice and --tool-call-parser."
        ),
    ),
    Fault(
        name="tools_not_supported",
        title="A model without tools",
        says="The model was not made for tools, and the server says so with status 400.",
        group="provider",
        case="d-01",
        status=400,
        only_if=_has_tools,
        body=write({"error": "This model does not support tools."}),
    ),
    Fault(
        name="parallel_refused",
        title="A parameter that is refused",
        says="The server refuses parallel_tool_calls, even when it is false.",
        group="provider",
        case="d-02",
        options={"parallel_tool_calls": False},
        status=400,
        only_if=lambda body: "parallel_tool_calls" in body,
        body=_error(
            "This model does not know the parameter 'parallel_tool_calls'.",
            param="parallel_tool_calls",
            code="unsupported_parameter",
        ),
    ),
    Fault(
        name="required_unknown",
        title="Another word for required",
        says="The server spells a forced call otherwise, and refuses tool_choice required.",
        group="provider",
        case="d-03",
        options={"tool_choice": "required"},
        status=400,
        only_if=lambda body: body.get("tool_choice") == "required",
        body=_error(
            "tool_choice is 'required'. Allowed here: 'auto', 'any', 'none'.", param="tool_choice"
        ),
    ),
    Fault(
        name="required_ignored",
        title="Required, and no call",
        says="A call was insisted on, and the model guesses an answer all the same.",
        group="provider",
        case="d-05",
        options={"tool_choice": "required"},
        needs="call",
        spoil=_if_forced,
    ),
    Fault(
        name="named_choice_stop",
        title="A named tool, and the reason says stop",
        says="One tool was insisted on; its call comes with the finish reason stop.",
        group="provider",
        case="d-04",
        options=_NAMED,
        spoil=_stop_if_named,
    ),
    Fault(
        name="raw_markup",
        title="The model's own marks in the text",
        says="The call stands in the text with the model's own marks around it.",
        group="provider",
        case="d-14",
        needs="call",
        spoil=in_place_of_calls(_marked),
    ),
    Fault(
        name="arguments_object",
        title="Arguments as an object",
        says="The arguments are an object already, where the interface says a text.",
        group="provider",
        case="d-15",
        needs="call",
        spoil=on_text(read),
    ),
    Fault(
        name="empty_arguments_refused",
        title="Empty arguments, refused when they come back",
        says="The model sends empty arguments, and its server refuses them in the history.",
        group="provider",
        case="b-11",
        needs="call",
        spoil=on_text(lambda _text: ""),
        status=400,
        only_if=_echoes_broken,
        body=_error("The arguments of a tool call in the history are no JSON.", param="messages"),
    ),
    Fault(
        name="broken_arguments_refused",
        title="Broken arguments, refused when they come back",
        says="The model sends half an object, and its server refuses it in the history: a "
        "program that sends it back is stuck.",
        group="provider",
        case="b-12",
        needs="call",
        spoil=on_text(lambda text: text[: len(text) // 2]),
        status=400,
        only_if=_echoes_broken,
        body=_error("The arguments of a tool call in the history are no JSON.", param="messages"),
    ),
    Fault(
        name="thinking_wanted_back",
        title="The thinking is wanted back",
        says="The model thinks in reasoning_content, and its server refuses a history without it.",
        group="provider",
        case="a-62",
        needs="call",
        when="always",
        spoil=on_message(lambda message: message | {"reasoning_content": THOUGHT}),
        status=400,
        only_if=_lacks_thinking,
        body=_error("The field 'reasoning_content' is missing in the history.", param="messages"),
    ),
    Fault(
        name="rate_limited",
        title="Too many requests",
        says="Too many requests: status 429, and when to try again.",
        group="provider",
        case="d-08",
        status=429,
        headers={"retry-after": str(RETRY_AFTER_S)},
        body=_TOO_MANY,
    ),
    Fault(
        name="rate_limited_once",
        title="Too many requests, the first time",
        says="The first try gets status 429; a second one after the pause gets its answer.",
        group="provider",
        case="d-08",
        tries=1,
        status=429,
        headers={"retry-after": str(RETRY_AFTER_S)},
        body=_TOO_MANY,
    ),
    Fault(
        name="long_retry_after",
        title="Come back in an hour",
        says=f"Status 429, and the next try is welcome after {LONG_RETRY_AFTER_S} s.",
        group="provider",
        case="d-08",
        status=429,
        headers={"retry-after": str(LONG_RETRY_AFTER_S)},
        body=_error(
            "You have used all requests of this hour.",
            kind="requests",
            code="rate_limit_exceeded",
        ),
    ),
    Fault(
        name="quota",
        title="The account is used up",
        says="The account is used up: status 429, but waiting does not help.",
        group="provider",
        case="d-08",
        status=429,
        body=_error(
            "Your quota is used up. Waiting does not help: look at your plan and your bill.",
            kind="insufficient_quota",
            code="insufficient_quota",
        ),
    ),
    Fault(
        name="server_error",
        title="The service fails",
        says="The service fails: status 500.",
        group="provider",
        case="d-11",
        status=500,
        body=_FAILED,
    ),
    Fault(
        name="server_error_once",
        title="The service fails, the first time",
        says="The first try gets status 500; the second one gets its answer.",
        group="provider",
        case="d-11",
        tries=1,
        status=500,
        body=_FAILED,
    ),
    Fault(
        name="server_error_in_words",
        title="An error without JSON",
        says="Status 500, and the body is three words of plain text.",
        group="provider",
        case="d-11",
        status=500,
        body="Internal Server Error",
        content_type="text/plain; charset=utf-8",
    ),
    Fault(
        name="overloaded",
        title="The model is busy",
        says="Status 503: all places are taken.",
        group="provider",
        case="d-08",
        status=503,
        headers={"retry-after": str(RETRY_AFTER_S)},
        body=_error("The model is busy. Try again soon.", kind="overloaded_error"),
    ),
    Fault(
        name="gateway_timeout",
        title="The gateway does not wait",
        says="Status 504: a gateway in between gave up waiting for the model.",
        group="provider",
        case="d-11",
        status=504,
        body="upstream request timeout",
        content_type="text/plain; charset=utf-8",
    ),
    Fault(
        name="bad_history",
        title="The history is refused",
        says="Status 400 for what the program sent: to try again changes nothing.",
        group="provider",
        case="d-11",
        status=400,
        body=_error("The content of a tool message must be a text.", param="messages"),
    ),
    Fault(
        name="refused_in_detail",
        title="An error of another shape",
        says="Status 422, and the reason is in a field called detail.",
        group="provider",
        case="d-11",
        status=422,
        body=write({"detail": [{"loc": ["body", "tools", 0], "msg": "Extra inputs are refused"}]}),
    ),
    Fault(
        name="context_too_long",
        title="More than the model can read",
        says="Status 400: the conversation is longer than the model can read.",
        group="provider",
        case="e-09",
        status=400,
        body=_error(
            "This model reads at most 8192 tokens, and your messages have 9120. Shorten them.",
            param="messages",
            code="context_length_exceeded",
        ),
    ),
    Fault(
        name="model_not_found",
        title="The model is gone",
        says="Status 404: the service knows no model of this name, or knows it no longer.",
        group="provider",
        case="d-11",
        status=404,
        body=_error("The model was taken out of service.", param="model", code="model_not_found"),
    ),
    Fault(
        name="not_allowed",
        title="Not with this key",
        says="Status 403: the key is right, and this model is not for it.",
        group="provider",
        case="d-11",
        status=403,
        body=_error("Your account may not use this model.", kind="permission_error"),
    ),
)
