"""One JSON-RPC message that leaves, with what comes of it: its frames, in their recorders.

In: a message's body when it is sent, and that of its answer when it comes. Out: frames, each in the
recorders that were active where the message was sent. Over HTTP the hooks of the HTTP client tell
what was posted and answered, with status and headers. Knows nothing of JSON-RPC.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course_pkg.wire.frame import EVENT_STREAM, Direction, Frame, Headers
from course_pkg.wire.recorder import Payload, Recorder

if TYPE_CHECKING:
    import httpx2

#: Headers that tell how a body was packed. A frame holds the body unpacked, message by message.
PACKING = ("content-encoding", "content-length", "transfer-encoding")

Hide = Callable[[bytes], bytes]


@dataclass(eq=False, kw_only=True)
class Exchange:
    """One message that leaves, and where what comes of it is to be recorded.

    Attributes:
        label: what its frames are called.
        recorders: those that were active where it was sent.
        hide: takes secrets out of a body.
        frames: its frame in each recorder, once it has crossed.
        context: that of its sender. A notebook shows what is printed in the cell whose context
            prints it, and the views of a recorder print.
        response: what the HTTP client was answered, if there is one.
        answers: for an answer of ours: in each recorder the frame of the question.
        given_up: whether nobody waits for its answer any more.
    """

    label: str
    recorders: tuple[Recorder, ...]
    hide: Hide
    frames: list[tuple[Recorder, Frame]] = field(default_factory=list)
    context: Context = field(default_factory=copy_context)
    response: httpx2.Response | None = None
    answers: dict[Recorder, Frame] = field(default_factory=dict)
    given_up: bool = False

    def sent(self, body: bytes, headers: Headers = ()) -> None:
        """Record that it has crossed.

        Args:
            body: its bytes.
            headers: those of the HTTP request, if it was one.
        """
        hidden = self.hide(body)
        for recorder in self.recorders:
            answered = self.answers.get(recorder)
            payload = payload_of("sent", self.label, hidden, headers=headers, request=answered)
            self.frames.append((recorder, recorder.add(payload)))

    def came(self, label: str, body: bytes, *, error: str = "") -> None:
        """Record what came of it.

        Args:
            label: what the frames are called.
            body: the answer's bytes.
            error: why there is no good one.
        """
        headers, status = self._of_response()
        told = {"headers": headers, "status": status, "error": error}
        hidden = self.hide(body)
        for recorder, request in self.frames:
            payload = payload_of("received", label, hidden, request=request, **told)
            self.context.run(recorder.add, payload)

    def _of_response(self) -> tuple[Headers, int | None]:
        if self.response is None:
            return (), None
        return _headers(self.response.headers), self.response.status_code


def payload_of(direction: Direction, label: str, body: bytes, **more: Any) -> Payload:
    """What a recorder is given.

    Args:
        direction: `sent` or `received`.
        label: what the frame is called.
        body: its bytes, without secrets.
        more: other fields of a `Payload`.
    """
    return Payload(wire="mcp", direction=direction, label=label, body=body, **more)


#: The message that is being posted in the present context. The SDK carries a sender's context to
#: the task that posts.
posted_now: ContextVar[Exchange | None] = ContextVar("posted_now", default=None)


def http_hooks() -> dict[str, list[Any]]:
    """The `event_hooks` for the HTTP client of a transport that is recorded with `over_http`."""
    return {"request": [_posting], "response": [_answered]}


async def _posting(request: httpx2.Request) -> None:
    exchange = posted_now.get()
    if exchange is not None and exchange.recorders and request.method == "POST":
        exchange.sent(await request.aread(), _headers(request.headers))


async def _answered(response: httpx2.Response) -> None:
    exchange = posted_now.get()
    if exchange is None or response.request.method != "POST":
        return
    exchange.response = response
    if response.is_error and exchange.frames:
        await response.aread()  # the SDK puts words of its own in its place


def bytes_of(response: httpx2.Response | None) -> bytes | None:
    """What the HTTP client has read of a response that is one message, or none; else `None`.

    Args:
        response: what the HTTP client was answered, if there is one.
    """
    import httpx2

    if response is None or _is_stream(response.headers):
        return None
    try:
        return response.content
    except httpx2.StreamError:
        return None


def http_error(response: httpx2.Response | None) -> str:
    """What an HTTP status says went wrong, where the body does not say it; else empty.

    Args:
        response: what the HTTP client was answered, if there is one.
    """
    if response is None or not response.is_error:
        return ""
    kind = response.headers.get("content-type", "")
    return "" if kind.startswith("application/json") else f"HTTP status {response.status_code}."


def _headers(headers: httpx2.Headers) -> Headers:
    left_out = (*PACKING, "content-type") if _is_stream(headers) else PACKING
    return tuple((name, value) for name, value in headers.items() if name not in left_out)


def _is_stream(headers: httpx2.Headers) -> bool:
    return bool(headers.get("content-type", "").startswith(EVENT_STREAM))
