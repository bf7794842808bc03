"""MCP messages in the inspector: their era, what they ask or answer, and two kinds of error."""

from __future__ import annotations

from typing import Any

import pytest

from course_pkg.widgets.inspector import bundle
from course_pkg.widgets.reading import Row, read
from course_pkg.wire import Frame

VERSION = "io.modelcontextprotocol/protocolVersion"
MODERN = {"_meta": {VERSION: "2026-07-28"}}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}}
TEXT = {"type": "text", "text": "5"}


def request(method: str, params: Any = None) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": method}
    return body if params is None else body | {"params": params}


def sent(recording: Any, body: Any, **more: Any) -> Frame:
    given = {"wire": "mcp", "label": body["method"], "headers": ()} | more
    frame: Frame = recording.sent(body, **given)
    return frame


def answered(recording: Any, asked: Frame, **body: Any) -> Frame:
    label = "error" if "error" in body else "result"
    given = {"wire": "mcp", "label": label, "headers": (), "status": None}
    frame: Frame = recording.received({"jsonrpc": "2.0", "id": 1} | body, asked, **given)
    return frame


def last(recording: Any) -> Row:
    return read(recording.frames)[0][-1]


CALL = {"name": "add", "arguments": {"a": 2, "b": 3}}


@pytest.mark.parametrize(
    ("body", "summary"),
    [
        (request("tools/call", CALL | MODERN), "2026-07-28 · tools/call add(a=2, b=3)"),
        (request("tools/call", CALL), "handshake era · tools/call add(a=2, b=3)"),
        (request("tools/list", {"cursor": "p2"}), "handshake era · tools/list p2"),
        (request("initialize", INITIALIZE), "2025-11-25 · initialize"),
        (
            request("resources/read", {"uri": "course://a"}),
            "handshake era · resources/read course://a",
        ),
        (
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            "notification · notifications/initialized",
        ),
        (request("tools/call", "no object"), "handshake era · tools/call"),
    ],
)
def test_a_message_shows_its_era_its_method_and_its_call(
    recording: Any, body: Any, summary: str
) -> None:
    sent(recording, body)

    assert last(recording).summary == summary


def test_over_http_a_header_says_the_era(recording: Any) -> None:
    sent(recording, request("tools/list"), headers=(("mcp-protocol-version", "2025-11-25"),))

    assert last(recording).summary == "2025-11-25 · tools/list"


def test_after_a_handshake_each_request_belongs_to_the_era_that_was_agreed_on(
    recording: Any,
) -> None:
    asked = sent(recording, request("initialize", INITIALIZE))
    answered(recording, asked, result=INITIALIZE | {"serverInfo": {"name": "demo"}})
    sent(recording, request("tools/list"))

    first, _, asking = read(recording.frames)[0]

    assert asking.summary == "2025-11-25 · tools/list"
    assert "handshake" in first.notes[0]
    assert asking.notes == ()  # it is said once


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        ({"result": {"content": [TEXT]}}, 'answers #1 · result · "5"'),
        (
            {"result": {"content": [TEXT, {"type": "image", "data": "AAAA"}]}},
            'answers #1 · result · "5" + [image]',
        ),
        (
            {"result": {"content": [], "structuredContent": {"total": 5}}},
            'answers #1 · result · {"total": 5}',
        ),
        ({"result": {"content": []}}, "answers #1 · result · no content"),
        (
            {"result": {"tools": [{"name": "add"}, {"name": "sub"}], "nextCursor": "2"}},
            "answers #1 · result · 2 tools: add, sub, and there is a next page",
        ),
        ({"result": {"tools": []}}, "answers #1 · result · 0 tools"),
        (
            {"result": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "demo"}}},
            'answers #1 · result · demo speaks "2025-11-25"',
        ),
        (
            {"result": {"isError": True, "content": [{"type": "text", "text": "No such city"}]}},
            'answers #1 · tool error (isError) · "No such city"',
        ),
        (
            {"error": {"code": -32602, "message": "Unknown tool"}},
            "answers #1 · protocol error · -32602 · Unknown tool",
        ),
        ({"error": "odd"}, 'answers #1 · protocol error · None · "odd"'),
    ],
)
def test_an_answer_shows_what_it_answers_and_what_it_is(
    recording: Any, answer: Any, summary: str
) -> None:
    asked = sent(recording, request("tools/call", CALL))
    answered(recording, asked, **answer)

    assert last(recording).summary == summary


@pytest.mark.parametrize(
    ("answer", "wrong", "words"),
    [
        ({"result": {"isError": True, "content": [TEXT]}}, True, "the model can read it"),
        (
            {"error": {"code": -32601, "message": "x"}},
            True,
            "there is no such method (code -32601)",
        ),
        ({"error": {"code": 7, "message": "x"}}, True, "protocol error: code 7"),
        ({"result": {"content": [TEXT]}}, False, ""),
    ],
)
def test_the_two_kinds_of_error_are_told_apart_in_words(
    recording: Any, answer: Any, wrong: bool, words: str
) -> None:
    asked = sent(recording, request("tools/call", CALL))
    answered(recording, asked, **answer)

    row = last(recording)

    assert row.failed is wrong
    assert words in " ".join(row.notes)


def test_a_line_that_is_no_message_is_shown_as_it_came(recording: Any) -> None:
    recording.received(
        b"server is ready",
        wire="mcp",
        label="junk",
        headers=(),
        status=None,
        error="This is no JSON-RPC message.",
    )

    assert last(recording).summary == 'junk · This is no JSON-RPC message. "server is ready"'
    assert "No answer came" not in bundle(recording.recorder)["text/html"]
