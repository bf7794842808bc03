"""The two paths of the service, behind its guard.

In: HTTP requests, as ASGI has them. Out: JSON, always. What a tool got wrong is an answer with
status 200 and `is_error`; other statuses say that no tool was asked at all.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from course_pkg.executor import TOOL_TIMEOUT_S, execute
from course_pkg.sidecar.guarding import Guard
from course_pkg.sidecar.reading import (
    JSON_TYPE,
    MAX_BODY_BYTES,
    read_request,
    too_large,
    wrong_type,
)
from course_pkg.sidecar.refusal import Refusal, encoded
from course_pkg.tools import Tool, Toolbox, ToolCall, ToolResult

#: So many tools run at the same time.
MAX_EXECUTING = 8

#: No cache keeps an answer, and no browser takes it for a page.
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}

CALL_ID = "sidecar"

BUSY = Refusal(
    status=503,
    code="busy",
    message=f"{MAX_EXECUTING} tools are running already. Ask again when one of them is done.",
)
SLOW_BODY = Refusal(status=408, code="slow_body", message="The body did not come in time.")
GONE = Refusal(status=400, code="gone", message="The connection closed before the answer.")


def application(tools: Toolbox, guard: Guard, *, body_timeout_s: float) -> ASGIApp:
    """The ASGI application.

    Args:
        tools: what may be executed.
        guard: who is let in.
        body_timeout_s: for a body to come in, all of it.
    """
    bridge = _Bridge(tools, body_timeout_s)
    router = Router(
        routes=[
            Route("/tools", bridge.list_tools, methods=["GET"]),
            Route("/execute", bridge.execute, methods=["POST"]),
        ],
        redirect_slashes=False,
    )
    return _Guarded(router, guard)


@dataclass(frozen=True)
class _Guarded:
    """An application that answers only whom the guard lets in, and only in JSON."""

    inner: ASGIApp
    guard: Guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self.guard.refusal_of(scope["headers"])
        if refusal is not None:
            return await _refuse(refusal)(scope, receive, send)
        try:
            await self.inner({**scope, "app": self}, receive, send)
        except HTTPException as error:
            await _refuse(_refused_by_router(scope, error))(scope, receive, send)
        except Exception as error:
            await _refuse(_own_mistake(error))(scope, receive, send)


class _Bridge:
    """Runs tools for whoever has been let in."""

    def __init__(self, tools: Toolbox, body_timeout_s: float) -> None:
        self._tools = tools
        self._body_timeout_s = body_timeout_s
        self._executing = 0

    async def list_tools(self, _request: Request) -> Response:
        return _answer({"tools": [_described(tool) for tool in self._tools.values()]})

    async def execute(self, request: Request) -> Response:
        asked = await _asked(request, self._body_timeout_s)
        if isinstance(asked, Refusal):
            return _refuse(asked)
        if self._executing >= MAX_EXECUTING:
            return _refuse(BUSY)
        self._executing += 1
        try:
            result = await _unless_gone(request, execute(asked, self._tools))
        finally:
            self._executing -= 1
        return _refuse(result) if isinstance(result, Refusal) else _answer(_told(result))


async def _asked(request: Request, body_timeout_s: float) -> ToolCall | Refusal:
    headers = request.headers
    kind = wrong_type(headers.get("content-type", ""), headers.get("content-encoding", ""))
    body = kind or await _body(request, body_timeout_s)
    read = body if isinstance(body, Refusal) else read_request(body)
    if isinstance(read, Refusal):
        return read
    text = json.dumps(read.arguments, ensure_ascii=False)
    return ToolCall(id=CALL_ID, name=read.name, arguments=text)


async def _body(request: Request, timeout_s: float) -> bytes | Refusal:
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > MAX_BODY_BYTES:
        return too_large()
    body = bytearray()
    try:
        async with asyncio.timeout(timeout_s):
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_BODY_BYTES:
                    return too_large()
    except TimeoutError:
        return SLOW_BODY
    except ClientDisconnect:
        return GONE
    return bytes(body)


async def _unless_gone(
    request: Request, work: Coroutine[Any, Any, ToolResult]
) -> ToolResult | Refusal:
    """Await the work; but cancel it when the client goes away: nobody would see what came of it."""
    running = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return running.result() if running.done() else GONE
    finally:
        running.cancel()
        leaving.cancel()
        await asyncio.gather(running, leaving, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _described(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.input_schema),
        "side_effect": tool.side_effect,
        "timeout_s": tool.timeout_s or TOOL_TIMEOUT_S,
    }


def _told(result: ToolResult) -> dict[str, Any]:
    # `execute` has cut the text already.
    told: dict[str, Any] = {"text": result.text, "is_error": result.is_error}
    return {**told, "error_kind": result.error_kind} if result.is_error else told


def _answer(value: Mapping[str, Any]) -> Response:
    return Response(encoded(value), media_type=JSON_TYPE, headers=HEADERS)


def _refuse(refusal: Refusal) -> Response:
    headers = {**HEADERS, **dict(refusal.headers)}
    return Response(
        refusal.body(), status_code=refusal.status, media_type=JSON_TYPE, headers=headers
    )


def _refused_by_router(scope: Scope, error: HTTPException) -> Refusal:
    where = f"{scope['method'][:20]} {scope['path'][:100]}"
    return Refusal(
        status=error.status_code,
        code="no_such_path" if error.status_code == 404 else "wrong_method",
        message=f"Nothing is at {where}. There are GET /tools and POST /execute.",
        headers=tuple((error.headers or {}).items()),
    )


def _own_mistake(error: Exception) -> Refusal:
    # The kind of error helps whoever reports it; its text could hold anything.
    return Refusal(
        status=500,
        code="own_mistake",
        message=f"The service itself made a mistake ({type(error).__name__}). Please report it.",
    )
