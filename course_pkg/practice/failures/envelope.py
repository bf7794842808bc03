"""Failures of what is around the message: no choices, no message, no JSON at all.

In: nothing. Out: `ROWS`.
"""

from __future__ import annotations

from typing import Any

from course_pkg.practice.failures.spoiling import on_choice, on_message, write
from course_pkg.practice.fault import Fault

SLOW_S = 3.0

_HTML = "text/html; charset=utf-8"
_PAGE = (
    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n"
    "<body><h1>502 Bad Gateway</h1><p>The gateway could not reach the model.</p></body></html>\n"
)
_SIGN_IN = (
    "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n"
    "<body><h1>Sign in to this network</h1></body></html>\n"
)


def _bare(whole: dict[str, Any]) -> dict[str, Any]:
    return {"choices": whole["choices"]}


ROWS = (
    Fault(
        name="choices_empty",
        title="No choice",
        says="The list of choices is empty.",
        group="envelope",
        case="a-47",
        when="always",
        spoil=lambda whole, _moment: whole | {"choices": []},
    ),
    Fault(
        name="choices_null",
        title="Null for the choices",
        says="The choices are null, in a reply with status 200.",
        group="envelope",
        case="a-47",
        when="always",
        spoil=lambda whole, _moment: whole | {"choices": None},
    ),
    Fault(
        name="message_null",
        title="A choice without a message",
        says="There is a choice, and its message is null.",
        group="envelope",
        case="a-48",
        when="always",
        spoil=on_message(lambda _message: None),
    ),
    Fault(
        name="choice_null",
        title="Null for a choice",
        says="The list of choices has one item, and it is null.",
        group="envelope",
        case="a-48",
        when="always",
        spoil=on_choice(lambda _choice: None),
    ),
    Fault(
        name="fields_missing",
        title="Only the choices",
        says="The reply has choices and nothing else: no id, no date, no usage.",
        group="envelope",
        case="a-47",
        when="always",
        spoil=lambda whole, _moment: _bare(whole),
    ),
    Fault(
        name="error_with_200",
        title="An error with status 200",
        says="The body is an error object, and the status says that all is well.",
        group="envelope",
        case="a-60",
        body=write({"error": {"message": "No worker is free.", "type": "server_error"}}),
    ),
    Fault(
        name="body_is_list",
        title="A list for a body",
        says="The body is a list of replies where one reply should be.",
        group="envelope",
        case="a-49",
        body="[]",
    ),
    Fault(
        name="body_empty",
        title="An empty body",
        says="The status is 200 and the body is empty.",
        group="envelope",
        case="a-49",
        body="",
    ),
    Fault(
        name="body_of_words",
        title="A sentence for a body",
        says="The body is a sentence, although its type says JSON.",
        group="envelope",
        case="a-49",
        body="The model is being loaded. Please wait.",
    ),
    Fault(
        name="body_not_utf8",
        title="A body in another encoding",
        says="The body is not UTF-8, so it cannot be read as text.",
        group="envelope",
        case="a-49",
        body='{"id": "chatcmpl-1", "note": "très bien", "choices": []}'.encode("latin-1"),
    ),
    Fault(
        name="malformed_body",
        title="JSON that stops half-way",
        says="The body is JSON that stops half-way, with status 200.",
        group="envelope",
        case="a-49",
        body='{"id": "chatcmpl-broken", "object": "chat.completion", "choices": [{"index": 0, ',
    ),
    Fault(
        name="html_page",
        title="An error page",
        says="A gateway answers with a page in HTML and status 502.",
        group="envelope",
        case="a-49",
        status=502,
        body=_PAGE,
        content_type=_HTML,
    ),
    Fault(
        name="html_page_200",
        title="An error page with status 200",
        says="A gateway answers with a page in HTML and status 200.",
        group="envelope",
        case="a-49",
        body=_PAGE,
        content_type=_HTML,
    ),
    Fault(
        name="sign_in_page",
        title="The network wants you to sign in",
        says="A network in between answers with its own sign-in page and status 200.",
        group="envelope",
        case="a-49",
        body=_SIGN_IN,
        content_type=_HTML,
    ),
    Fault(
        name="dropped",
        title="The connection closes",
        says="The connection closes half-way.",
        group="envelope",
        case="a-60",
        kept_share=0.5,
    ),
    Fault(
        name="slow",
        title="A slow reply",
        says=f"The reply comes after {SLOW_S} s.",
        group="envelope",
        case="d-08",
        wait_s=SLOW_S,
    ),
)
