"""The tap for HTTP: record each exchange that `httpx2` makes with a model or with a sidecar.

In: requests and responses as they pass through `httpx2`'s own transports. Out: two frames an
exchange, in every recorder that is active where the request was made. A streamed response becomes
its frame when the stream ends, with all its bytes.

The tap sits on the two transport classes of `httpx2`, so it sees any client that any library has
made, the `openai` clients among them. Without an active recorder it does nothing but ask for one.
Not recorded: any other exchange (a tool that asks a weather service, say).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import httpx2

from course_pkg.wire.frame import Headers, WireName, decoded
from course_pkg.wire.recorder import Payload, Recorder, active_recorders, also
from course_pkg.wire.redaction import hider, readable

#: How the paths of a model's HTTP interface end.
MODEL_PATHS = ("/chat/completions", "/models")

#: The paths of a sidecar, which is always on this computer.
SIDECAR_PATHS = ("/execute", "/tools")
LOOPBACK = "127.0.0.1"

#: A server that sends its payload unpacked can be read on the wire as it is.
READABLE = {"accept-encoding": "identity"}

_install_lock = threading.Lock()


def async_client(recorder: Recorder) -> httpx2.AsyncClient:
    """An asynchronous client that is recorded by `recorder`, wherever it is used."""
    return _AsyncClient(recorder)


def sync_client(recorder: Recorder) -> httpx2.Client:
    """A synchronous client that is recorded by `recorder`, wherever it is used."""
    return _SyncClient(recorder)


# Both keep the settings of a plain client (time limits, proxies of the environment) and follow
# redirects, as the `openai` clients do: recording changes nothing but `READABLE`.
class _AsyncClient(httpx2.AsyncClient):
    def __init__(self, recorder: Recorder) -> None:
        install()
        super().__init__(headers=READABLE, follow_redirects=True)
        self._recorder = recorder

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        with also(self._recorder):
            return await super().send(request, **options)


class _SyncClient(httpx2.Client):
    def __init__(self, recorder: Recorder) -> None:
        install()
        super().__init__(headers=READABLE, follow_redirects=True)
        self._recorder = recorder

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        with also(self._recorder):
            return super().send(request, **options)


def install() -> None:
    """Put the tap on `httpx2`'s transports. Calling it again changes nothing."""
    with _install_lock:
        if not hasattr(httpx2.HTTPTransport.handle_request, "__wrapped__"):
            _install_sync()
            _install_async()


def _install_sync() -> None:
    plain = httpx2.HTTPTransport.handle_request

    @functools.wraps(plain)
    def handle_request(self: httpx2.HTTPTransport, request: httpx2.Request) -> httpx2.Response:
        recorders = active_recorders()
        wire = _wire_of(request) if recorders else None
        if wire is None:
            return plain(self, request)
        exchange = _Exchange(wire, recorders, request, request.read())
        with exchange:
            response = plain(self, request)
        response.stream = _SyncStream(response, exchange)
        return response

    httpx2.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]


def _install_async() -> None:
    plain = httpx2.AsyncHTTPTransport.handle_async_request

    @functools.wraps(plain)
    async def handle_async_request(
        self: httpx2.AsyncHTTPTransport, request: httpx2.Request
    ) -> httpx2.Response:
        recorders = active_recorders()
        wire = _wire_of(request) if recorders else None
        if wire is None:
            return await plain(self, request)
        exchange = _Exchange(wire, recorders, request, await request.aread())
        with exchange:
            response = await plain(self, request)
        response.stream = _AsyncStream(response, exchange)
        return response

    httpx2.AsyncHTTPTransport.handle_async_request = handle_async_request  # type: ignore[method-assign]


def _wire_of(request: httpx2.Request) -> WireName | None:
    path = request.url.path
    if path.endswith(MODEL_PATHS):
        return "model"
    return "sidecar" if path in SIDECAR_PATHS and request.url.host == LOOPBACK else None


class _Exchange:
    """One request and what came of it, in all recorders at once.

    As a context it records the failure of what is done inside it.
    """

    def __init__(
        self,
        wire: WireName,
        recorders: tuple[Recorder, ...],
        request: httpx2.Request,
        body: bytes,
    ) -> None:
        raw = request.headers.raw
        self._wire = wire
        self._hide = hider(raw)
        sent = Payload(
            wire=wire,
            direction="sent",
            label=f"{request.method} {request.url.path}",
            body=self._hide(body),
            headers=readable(raw),
        )
        self._requests = [(recorder, recorder.add(sent)) for recorder in recorders]

    def received(
        self, response: httpx2.Response, body: bytes, error: BaseException | None = None
    ) -> None:
        """Record an answer whose last byte has come, or that broke off with an error."""
        headers = self._hidden(response.headers)
        encodings = [value for name, value in headers if name == "content-encoding"]
        self._add(
            Payload(
                wire=self._wire,
                direction="received",
                label=f"{response.status_code}",
                body=self._hidden_body(body, ", ".join(encodings)),
                headers=headers,
                status=response.status_code,
                error=self._named(error),
            )
        )

    def __enter__(self) -> None:
        """Nothing to do before."""

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        """Record why no answer came."""
        if error is not None:
            text = self._named(error)
            self._add(Payload(wire=self._wire, direction="received", label="no answer", error=text))

    def _hidden_body(self, body: bytes, encoding: str) -> bytes:
        # A key could be quoted in a packed body. Then the body is kept unpacked, the key hidden.
        plain = decoded(body, encoding) if encoding else body
        hidden = self._hide(plain)
        return body if hidden == plain else hidden

    def _hidden(self, headers: httpx2.Headers) -> Headers:
        # All values at once: there are many headers, and hardly ever one with a key in it.
        raw = headers.raw
        values = self._hide(b"\n".join([value for _, value in raw])).split(b"\n")
        return readable(zip([name for name, _ in raw], values, strict=True))

    def _named(self, error: BaseException | None) -> str:
        if error is None:
            return ""
        text = f"{type(error).__name__}: {error}".rstrip(": ")
        return self._hide(text.encode("utf-8", "replace")).decode()

    def _add(self, payload: Payload) -> None:
        for recorder, request in self._requests:
            recorder.add(payload, request=request)


class _SyncStream(httpx2.SyncByteStream):
    """Pass a response's bytes on as they come, and record them when the last has come."""

    def __init__(self, response: httpx2.Response, exchange: _Exchange) -> None:
        self._response, self._exchange = response, exchange
        self._inner = cast(httpx2.SyncByteStream, response.stream)
        self._parts: list[bytes] = []
        self._done = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for part in self._inner:
                self._parts.append(part)
                yield part
        except BaseException as error:
            self._finish(None if isinstance(error, GeneratorExit) else error)
            raise
        self._finish()

    def close(self) -> None:
        self._finish()
        self._inner.close()

    def _finish(self, error: BaseException | None = None) -> None:
        # Closing comes after the last byte, after an error in between, or when nobody reads on.
        if not self._done:
            self._done = True
            self._exchange.received(self._response, b"".join(self._parts), error)


class _AsyncStream(httpx2.AsyncByteStream):
    """The same for asynchronous responses."""

    def __init__(self, response: httpx2.Response, exchange: _Exchange) -> None:
        self._response, self._exchange = response, exchange
        self._inner = cast(httpx2.AsyncByteStream, response.stream)
        self._parts: list[bytes] = []
        self._done = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        self._iterator = self._inner.__aiter__()
        return self

    async def __anext__(self) -> bytes:
        # No generator: one more of these for each answer would cost as much as the recording.
        try:
            part = await self._iterator.__anext__()
        except StopAsyncIteration:
            self._finish()
            raise
        except BaseException as error:
            self._finish(error)
            raise
        self._parts.append(part)
        return part

    async def aclose(self) -> None:
        self._finish()
        await self._inner.aclose()

    def _finish(self, error: BaseException | None = None) -> None:
        if not self._done:
            self._done = True
            self._exchange.received(self._response, b"".join(self._parts), error)
