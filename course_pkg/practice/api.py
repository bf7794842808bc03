"""The HTTP surface: two paths of the OpenAI API, its key, its errors, its stream.

In: HTTP requests. Out: HTTP replies, each a pure function of the request. Nothing is kept from one
request to the next, so any number of learners can ask at once.
Knows nothing of tools: `rules` refuses, `mind` decides, `completion` gives the form.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from course_pkg.practice.completion import CREATED, chunks, completion, message_of, request_hash
from course_pkg.practice.fault import Event, Fault, moment_of, replaces_reply, shows_at
from course_pkg.practice.faults import fault_of, model_names
from course_pkg.practice.prompted import decide_in_words
from course_pkg.practice.refusal import Refusal
from course_pkg.practice.rules import refusal_of
from course_pkg.practice.staging import staged

#: Every key is welcome but this one: it shows what a wrong key looks like.
WRONG_KEY = "wrong-key"
MAX_BODY_BYTES = 10_000_000
MAX_DEPTH = 200
JSON_TYPE = "application/json"
STREAM_TYPE = "text/event-stream; charset=utf-8"
DONE = "data: [DONE]\n\n"
#: In which try a request is, 0 for the first; the `openai` client says so.
TRY_HEADER = "x-stainless-retry-count"


def application() -> Starlette:
    """The ASGI application. It keeps no state."""
    return Starlette(
        routes=[
            Route("/v1/chat/completions", _chat, methods=["POST"]),
            Route("/v1/models", _models, methods=["GET"]),
            Route("/v1/models/{name}", _model, methods=["GET"]),
        ],
        exception_handlers={404: _no_such_path, 405: _wrong_method, 500: _own_mistake},
    )


def check_key(header: str | None) -> Refusal | None:
    """Look at the Authorization header; the refusal never repeats what it holds."""
    scheme, _, key = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        return Refusal(
            status=401,
            message="No API key came along. Send the header 'Authorization: Bearer <key>'; for "
            "the practice model any text will do as a key.",
        )
    if key.strip() == WRONG_KEY:
        return Refusal(
            status=401,
            message="The API key is not right. Check OPENAI_API_KEY; the practice model takes "
            "any other key.",
            code="invalid_api_key",
        )
    return None


def parse_body(raw: bytes) -> dict[str, Any] | Refusal:
    """The request body as a dict, or why it is none."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        return Refusal(message=f"The body is not valid JSON: {_first_line(error)}")
    if not isinstance(body, dict):
        return Refusal(
            message=f"The body must be a JSON object, not {type(body).__name__}.",
            code="invalid_type",
        )
    if not _is_shallow(body):
        return Refusal(message=f"The body is nested more than {MAX_DEPTH} levels deep.")
    return body


async def _chat(request: Request) -> Any:
    refusal = check_key(request.headers.get("authorization"))
    if refusal is not None:
        return _refuse(refusal)
    raw = await _read(request)
    if isinstance(raw, Refusal):
        return _refuse(raw)
    body = parse_body(raw)
    if isinstance(body, Refusal):
        return _refuse(body)
    tries = request.headers.get(TRY_HEADER, "")
    return await _answer(body, tries_before=int(tries) if tries.isdecimal() else 0)


async def _answer(body: dict[str, Any], *, tries_before: int) -> Any:
    refusal = refusal_of(body)
    if refusal is not None:
        return _refuse(refusal)
    fault = fault_of(body["model"])
    if isinstance(fault, Refusal):
        return _refuse(fault)
    await asyncio.sleep(fault.wait_s)
    if replaces_reply(fault, body, tries_before):
        headers = {"content-type": fault.content_type, **fault.headers}
        return Response(fault.body, status_code=fault.status, headers=headers)
    whole = reply_to(body, fault)
    return _refuse(whole) if isinstance(whole, Refusal) else _sent(body, whole, fault)


def _sent(body: Mapping[str, Any], whole: dict[str, Any], fault: Fault) -> Any:
    if body.get("stream") and not fault.ignores_stream:
        pieces = [_event(event) for event in events_of(body, whole, fault)]
        return _Pieces(pieces, content_type=STREAM_TYPE, kept_share=fault.kept_share)
    if fault.kept_share < 1:
        return _Pieces([encode(whole)], content_type=JSON_TYPE, kept_share=fault.kept_share)
    return Response(encode(whole), media_type=JSON_TYPE)


def reply_to(body: Mapping[str, Any], fault: Fault) -> dict[str, Any] | Refusal:
    """The plain reply to a request that breaks no rule: the same for the same request.

    A refusal comes if no tool on offer can show the fault.
    """
    seed = request_hash(body)
    decision = decide_in_words(body) or staged(body, fault)
    if isinstance(decision, Refusal):
        return decision
    whole = completion(body, message_of(decision, seed), seed)
    moment = moment_of(body)
    if fault.spoil is None or not shows_at(fault, moment):
        return whole
    return fault.spoil(whole, moment)


def events_of(body: Mapping[str, Any], whole: Mapping[str, Any], fault: Fault) -> list[Event]:
    """The plain reply as the events of a stream, the last one included."""
    options = body.get("stream_options") or {}
    events: list[Event] = [*chunks(whole, include_usage=bool(options.get("include_usage"))), DONE]
    if fault.spoil_stream is None or not shows_at(fault, moment_of(body)):
        return events
    return fault.spoil_stream(events)


def encode(value: Any) -> bytes:
    """JSON as it goes onto the wire: UTF-8, Chinese characters as they are."""
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        # Half a character (a lone surrogate) came in; escaped, it can go out again.
        return json.dumps(value).encode("utf-8")


def _event(event: Event) -> bytes:
    if isinstance(event, str):
        return event.encode("utf-8")
    return b"data: " + encode(event) + b"\n\n"


class _Pieces:
    """A response in pieces; with `kept_share` under 1 the connection closes before the end."""

    def __init__(self, pieces: list[bytes], *, content_type: str, kept_share: float) -> None:
        if kept_share < 1:
            whole = b"".join(pieces)
            pieces = [whole[: int(len(whole) * kept_share)]]
        self._pieces = pieces
        self._content_type = content_type
        self._complete = kept_share >= 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", self._content_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        if self._complete:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _read(request: Request) -> bytes | Refusal:
    raw = bytearray()
    try:
        async for piece in request.stream():
            raw += piece
            if len(raw) > MAX_BODY_BYTES:
                return Refusal(
                    status=413,
                    message=f"The body is larger than {MAX_BODY_BYTES:,} bytes. Send less.",
                )
    except ClientDisconnect:
        return Refusal(message="The connection closed before the body was complete.")
    return bytes(raw)


async def _models(request: Request) -> Response:
    refusal = check_key(request.headers.get("authorization"))
    if refusal is not None:
        return _refuse(refusal)
    listing = {"object": "list", "data": [_model_card(name) for name in model_names()]}
    return Response(encode(listing), media_type=JSON_TYPE)


async def _model(request: Request) -> Response:
    refusal = check_key(request.headers.get("authorization"))
    name = request.path_params["name"]
    fault = refusal or fault_of(name)
    if isinstance(fault, Refusal):
        return _refuse(fault)
    return Response(encode(_model_card(name)), media_type=JSON_TYPE)


def _model_card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "course"}


def _refuse(refusal: Refusal) -> Response:
    return Response(encode(refusal.body()), status_code=refusal.status, media_type=JSON_TYPE)


async def _no_such_path(request: Request, _error: Exception) -> Response:
    return _refuse(
        Refusal(
            status=404,
            message=f"Nothing is at {request.method} {request.url.path[:200]}. The practice model "
            "has POST /v1/chat/completions and GET /v1/models.",
            code="unknown_url",
        )
    )


async def _wrong_method(request: Request, error: Exception) -> Response:
    allowed = error.headers if isinstance(error, HTTPException) else None
    right = (allowed or {}).get("Allow", "another method")
    refused = _refuse(
        Refusal(
            status=405,
            message=f"{request.method} is not allowed at {request.url.path[:200]}. Use {right}.",
            code="method_not_supported",
        )
    )
    refused.headers.update(allowed or {})
    return refused


async def _own_mistake(_request: Request, error: Exception) -> Response:
    return _refuse(
        Refusal(
            status=500,
            message=f"The practice model itself made a mistake ({type(error).__name__}). Please "
            "report it with the request that you sent.",
            kind="server_error",
        )
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _is_shallow(value: Any) -> bool:
    """Whether nothing is nested deeper than `MAX_DEPTH`, found out level by level."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [part for item in level for part in _parts(item)]
        if not level:
            return True
    return False


def _parts(item: Any) -> Iterable[Any]:
    if isinstance(item, dict):
        return item.values()
    return item if isinstance(item, list) else ()
