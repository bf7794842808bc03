"""The tap for MCP: record each JSON-RPC message, in both directions, over any transport.

In: a transport of the MCP SDK. Out: the same transport, and a frame for each message in the
recorders of whoever asked. A connection lives longer than a notebook cell, so an answer goes to the
recorders that were active where its request was sent, and a message that nobody asked for to the
recorders of those who are waiting. Knows the SDK by its shape only, and imports nothing of it.

Over a pipe the SDK writes a message as `model_dump_json(by_alias=True, exclude_unset=True)`, and so
do we. Over HTTP the bytes of the requests and of JSON answers are taken from the HTTP client, with
their headers; a message in an event stream, or from a pipe, is written anew: the same JSON. (What
a server puts beside `jsonrpc`, `id`, `result` or `error`, the SDK drops before we see it.)
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from course_pkg.wire.exchange import (
    Exchange,
    Hide,
    bytes_of,
    http_error,
    http_hooks,
    payload_of,
    posted_now,
)
from course_pkg.wire.frame import Frame
from course_pkg.wire.passing import Transport, Watcher, passing
from course_pkg.wire.recorder import Recorder, active_recorders
from course_pkg.wire.redaction import MIN_SECRET_CHARS, REDACTED, hide_keys

__all__ = ["hiding", "http_hooks", "junk_of", "recorded"]

#: So many requests without an answer are remembered; then the oldest is forgotten.
MAX_WAITING = 1_000

#: A request that is open for as long as its sender listens, so it does not count as waiting.
LISTENING = "subscriptions/listen"


def recorded(
    transport: Transport,
    *watchers: Watcher,
    secrets: Iterable[str] = (),
    over_http: bool = False,
) -> Transport:
    """The transport, with all its messages recorded.

    Args:
        transport: the SDK's transport, not yet entered.
        watchers: see each message after it was recorded; they may change what the SDK is given.
        secrets: texts that must not be in any frame: values of `env`, tokens in headers.
        over_http: whether the transport's HTTP client carries `http_hooks`. They make the frames
            of what is sent then, since only what is posted has crossed.
    """
    return passing(transport, _Tap(hiding(secrets), over_http=over_http), *watchers)


def hiding(secrets: Iterable[str]) -> Hide:
    """A function that hides these secrets in a payload, and whatever looks like a key.

    Args:
        secrets: texts. One of less than 8 characters could be an ordinary word, and stays.
    """
    long = {secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS}
    escaped = {json.dumps(secret)[1:-1] for secret in long}
    hidden = [text.encode("utf-8", "replace") for text in sorted(long | escaped, key=len)][::-1]

    def hide(payload: bytes) -> bytes:
        for secret in hidden:
            payload = payload.replace(secret, REDACTED.encode())
        return hide_keys(payload)

    return hide


def junk_of(error: Exception) -> str:
    """The text in place of which an exception came: what a server wrote that was no message.

    Args:
        error: what the SDK puts on its stream; pydantic's error holds what it could not read.
    """
    found = error.errors(include_url=False) if hasattr(error, "errors") else []
    # The error that is nearest to the root is about the whole; others are about a part of it.
    whole = min(found, key=lambda one: len(one["loc"]) - (one["type"] == "missing"), default=None)
    if whole is None:
        return str(error)
    value = whole["input"]
    is_line = whole["type"] == "json_invalid" and isinstance(value, str)
    return value if is_line else json.dumps(value, ensure_ascii=False, default=str)


class _Tap:
    """Makes frames of the messages of one transport."""

    def __init__(self, hide: Hide, *, over_http: bool) -> None:
        self._hide, self._over_http = hide, over_http
        self._waiting: dict[str, Exchange] = {}
        self._asked: dict[str, dict[Recorder, Frame]] = {}
        self._last: Exchange | None = None

    def leaving(self, message: Any) -> None:
        """Record what is sent, in the recorders that are active where it is sent."""
        exchange = self._exchange(message)
        if self._over_http:
            posted_now.set(exchange)
        elif exchange.recorders:
            exchange.sent(_json(message))

    def came(self, item: Any) -> None:
        """Record what has come, in the recorders of whoever asked for it, or is waiting."""
        if isinstance(item, Exception):
            body = junk_of(item).encode("utf-8", "replace")
            self._unasked("junk", body, error="This is no JSON-RPC message.")
        elif (method := getattr(item, "method", None)) is not None:
            token = str((item.params or {}).get("progressToken", ""))
            frames = self._unasked(method, _json(item), token=token)
            if hasattr(item, "id"):
                self._asked[str(item.id)] = frames
        else:
            self._answer(item)

    def ended(self) -> None:
        """Record for each open request that no answer will come."""
        for exchange in self._waiting.values():
            if exchange.label != LISTENING and not exchange.given_up:
                exchange.came("no answer", b"", error="The connection was closed.")
        self._waiting.clear()

    def _exchange(self, message: Any) -> Exchange:
        method, number = getattr(message, "method", None), str(getattr(message, "id", ""))
        if method is None:
            frames = self._asked.pop(number, {})
            return self._made(_answer_label(message), tuple(frames), answers=frames)
        exchange = self._made(method, active_recorders())
        self._last = exchange if exchange.recorders else self._last
        if number:
            self._remember(number, exchange)
        elif method == "notifications/cancelled":
            given_up = self._waiting.get(str((message.params or {}).get("requestId")))
            if given_up is not None:
                given_up.given_up = True
        return exchange

    def _made(self, label: str, recorders: tuple[Recorder, ...], **more: Any) -> Exchange:
        return Exchange(label=label, recorders=recorders, hide=self._hide, **more)

    def _remember(self, number: str, exchange: Exchange) -> None:
        if len(self._waiting) >= MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        self._waiting[number] = exchange

    def _answer(self, message: Any) -> None:
        label = _answer_label(message)
        exchange = self._waiting.pop(str(message.id), None)
        if exchange is None:
            self._unasked(label, _json(message), error="No request of this id is open.")
        elif exchange.frames:
            body = bytes_of(exchange.response)
            error = http_error(exchange.response)
            exchange.came(label, _json(message) if body is None else body, error=error)

    def _unasked(
        self, label: str, body: bytes, *, token: str = "", error: str = ""
    ) -> dict[Recorder, Frame]:
        payload = payload_of("received", label, self._hide(body), error=error)
        frames: dict[Recorder, Frame] = {}
        for exchange in self._listening(token):
            for recorder in exchange.recorders:
                if recorder not in frames:
                    frames[recorder] = exchange.context.run(recorder.add, payload)
        return frames

    def _listening(self, token: str) -> list[Exchange]:
        """Who is to be told of a message that answers nothing: who waits, else who asked last."""
        if token in self._waiting:
            return [self._waiting[token]]
        waiting = [
            exchange
            for exchange in self._waiting.values()
            if exchange.label != LISTENING and not exchange.given_up
        ]
        return waiting or ([self._last] if self._last else [])


def _answer_label(message: Any) -> str:
    return "error" if hasattr(message, "error") else "result"


def _json(message: Any) -> bytes:
    text: str = message.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode()
