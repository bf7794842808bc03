"""The faults that the practice model shows on request, by name: the model `practice:<fault>`.

In: a model name. Out: a `Fault`, which says how to spoil a reply. A fault is data; `api` acts on
it. To add one, add a row to the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from course_pkg.practice.refusal import Refusal

MODEL = "practice"
SLOW_S = 3.0
RETRY_AFTER_S = 1

#: A reply message and whether tool results have come back already, to the spoilt message.
ChangeMessage: TypeAlias = Callable[[dict[str, Any], bool], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """How a reply is spoilt. What is not set stays as in a good reply.

    Attributes:
        name: what follows `practice:` in the model name.
        says: what happens, for a learner, in one sentence.
        status: the HTTP status.
        headers: headers on top of the usual ones.
        body: sent in place of the completion.
        content_type: the type of `body`.
        wait_s: seconds to wait before the reply.
        kept_share: which share of the body is sent before the connection closes; 1 is all.
        change: changes the assistant message before it is sent.
    """

    name: str
    says: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    content_type: str = "application/json"
    wait_s: float = 0.0
    kept_share: float = 1.0
    change: ChangeMessage | None = None


def _error(message: str, *, kind: str, code: str | None) -> str:
    return json.dumps(Refusal(message=message, kind=kind, code=code).body())


def _empty(message: dict[str, Any], _answered: bool) -> dict[str, Any]:  # noqa: FBT001
    return {"role": "assistant", "content": None, "refusal": None}


def _break_arguments(message: dict[str, Any], answered: bool) -> dict[str, Any]:  # noqa: FBT001
    def broken(text: str) -> str:
        return text.replace('"', "'").removesuffix("}") + ",}"

    return message if answered else _change_calls(message, arguments=broken)


def _rename_tools(message: dict[str, Any], answered: bool) -> dict[str, Any]:  # noqa: FBT001
    return message if answered else _change_calls(message, name=lambda name: f"{name[:60]}_now")


def _change_calls(message: dict[str, Any], **changes: Callable[[str], str]) -> dict[str, Any]:
    if "tool_calls" not in message:
        return message
    calls = [
        call
        | {
            "function": {
                key: changes[key](value) if key in changes else value
                for key, value in call["function"].items()
            }
        }
        for call in message["tool_calls"]
    ]
    return message | {"tool_calls": calls}


_PAGE = (
    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n"
    "<body><h1>502 Bad Gateway</h1><p>The gateway could not reach the model.</p></body></html>\n"
)

_TABLE = (
    Fault(
        name="rate_limited",
        says="Too many requests: status 429, and when to try again.",
        status=429,
        headers={"retry-after": str(RETRY_AFTER_S)},
        body=_error(
            f"Too many requests in a short time. Try again in {RETRY_AFTER_S} s.",
            kind="requests",
            code="rate_limit_exceeded",
        ),
    ),
    Fault(
        name="quota",
        says="The account is used up: status 429, but waiting does not help.",
        status=429,
        body=_error(
            "Your quota is used up. Waiting does not help: look at your plan and your bill.",
            kind="insufficient_quota",
            code="insufficient_quota",
        ),
    ),
    Fault(
        name="server_error",
        says="The service fails: status 500.",
        status=500,
        body=_error(
            "The server had an error while it worked on your request. Try again.",
            kind="server_error",
            code=None,
        ),
    ),
    Fault(name="slow", says=f"The reply comes after {SLOW_S} s.", wait_s=SLOW_S),
    Fault(name="dropped", says="The connection closes half-way.", kept_share=0.5),
    Fault(
        name="html_page",
        says="A gateway answers with a page in HTML and status 502.",
        status=502,
        body=_PAGE,
        content_type="text/html; charset=utf-8",
    ),
    Fault(
        name="html_page_200",
        says="A gateway answers with a page in HTML and status 200.",
        body=_PAGE,
        content_type="text/html; charset=utf-8",
    ),
    Fault(
        name="malformed_body",
        says="The body is JSON that stops half-way, with status 200.",
        body='{"id": "chatcmpl-broken", "object": "chat.completion", "choices": [{"index": 0, ',
    ),
    Fault(name="empty_answer", says="No text and no call.", change=_empty),
    Fault(
        name="broken_arguments",
        says="Arguments that are no JSON; good ones after the error result.",
        change=_break_arguments,
    ),
    Fault(
        name="unknown_tool",
        says="A call of a tool that nobody offered; the right one after the error result.",
        change=_rename_tools,
    ),
)

#: Every fault by its name.
FAULTS: Mapping[str, Fault] = MappingProxyType({fault.name: fault for fault in _TABLE})
_NO_FAULT = Fault(name="", says="A good reply.")


def model_names() -> list[str]:
    """Every model name that is accepted, `practice` first."""
    return [MODEL, *(f"{MODEL}:{name}" for name in FAULTS)]


def fault_of(model: str) -> Fault | Refusal:
    """The fault that a model name asks for; a fault that changes nothing for `practice`."""
    if model == MODEL:
        return _NO_FAULT
    start, _, name = model.partition(":")
    if start == MODEL and name in FAULTS:
        return FAULTS[name]
    return Refusal(
        status=404,
        message=(
            f"There is no model {model[:80]!r} here. Use {MODEL!r}, or one of its faults: "
            f"{', '.join(model_names()[1:])}."
        ),
        param="model",
        code="model_not_found",
    )
