"""What a real MCP server answers to requests in forms that MCP does not have."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from course_pkg.lessons.wrong_forms import (
    RIGHT_FORM,
    TOO_LONG_BYTES,
    WRONG_FORMS,
    FormAnswer,
    RequestForm,
    send_wrong_form,
)
from course_pkg.mcp_server import HttpService, high_level, low_level
from course_pkg.samples import toolbox

#: The form's name → the status, the code of the JSON-RPC error (if there is one), and words in it.
ANSWERS: dict[str, tuple[int, int | None, str]] = {
    "GET /tools/list": (404, None, "Not Found"),
    "POST /tools/call": (404, None, "Not Found"),
    "tool_name sent to /mcp": (400, -32602, "JSONRPCRequest.jsonrpc\n  Field required"),
    "JSON-RPC without an envelope": (400, -32600, "Missing session ID"),
    "2026 headers without _meta": (400, -32602, "params._meta must be an object"),
    "Mcp-Name of another tool": (400, -32020, "mcp-name header does not match"),
    "Mcp-Method missing": (400, -32020, "mcp-method header does not match"),
    "a version that does not exist": (400, -32022, "Unsupported protocol version"),
    "a method that does not exist": (404, -32601, "Method not found"),
    "a batch": (400, -32600, "Body must be a single JSON-RPC request"),
    "not JSON": (400, -32700, "Parse error"),
    "text/plain": (400, None, "Invalid Content-Type header"),
    "5 MiB": (413, None, "Request body too large"),
}


@pytest.fixture(params=[high_level, low_level], scope="module")
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server of one kind, then of the other."""
    with HttpService(request.param(toolbox())) as service:
        yield service.url


def test_each_wrong_form_has_an_expected_answer() -> None:
    assert [form.name for form in WRONG_FORMS] == list(ANSWERS)


@pytest.mark.parametrize("form", WRONG_FORMS, ids=lambda form: form.name)
async def test_a_wrong_form_is_refused(form: RequestForm, url: str) -> None:
    status, code, words = ANSWERS[form.name]

    answer = await send_wrong_form(form, url)

    assert (answer.status, answer.error.get("code")) == (status, code)
    assert words in (answer.error.get("message") or answer.text)


async def test_the_right_form_is_answered(url: str) -> None:
    answer = await send_wrong_form(RIGHT_FORM, url)

    assert (answer.status, answer.error) == (200, {})
    assert '"content":[{"text":"5","type":"text"}]' in answer.text


async def test_no_refusal_tells_of_the_servers_inside(url: str) -> None:
    answers = [(await send_wrong_form(form, url)).text for form in WRONG_FORMS]

    assert not [text for text in answers if "Traceback" in text or '.py"' in text]


async def test_a_client_of_ones_own_sends_it_too(url: str) -> None:
    seen: list[httpx2.Request] = []

    async def see(request: httpx2.Request) -> None:
        seen.append(request)

    async with httpx2.AsyncClient(trust_env=False, event_hooks={"request": [see]}) as client:
        await send_wrong_form(WRONG_FORMS[0], url, http_client=client)

    assert [(request.method, request.url.path) for request in seen] == [("GET", "/tools/list")]


def test_a_long_form_is_long_on_the_wire_only() -> None:
    (long,) = [form for form in WRONG_FORMS if form.blanks]

    assert long.blanks == TOO_LONG_BYTES
    assert len(repr(long)) < 2_000


@pytest.mark.parametrize("text", ["", "Not Found", "[]", '{"error": "no"}', '{"result": {}}'])
def test_an_answer_without_a_json_rpc_error_has_none(text: str) -> None:
    assert FormAnswer(status=404, text=text).error == {}
