"""Keep frames in order, and lay the recording over code that knows nothing of it.

In: payloads from the taps. Out: `frames`, and each new frame to those who listen. Redacts
credentials before a frame exists. Knows nothing of views.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from course_pkg.wire.frame import Direction, Frame, Headers, WireName
from course_pkg.wire.redaction import redacted

if TYPE_CHECKING:
    import httpx2

Listener: TypeAlias = Callable[[Frame], None]


@dataclass(frozen=True, kw_only=True)
class Payload:
    """What a tap has caught, before it has a number: the same fields as `Frame`'s."""

    wire: WireName
    direction: Direction
    label: str
    body: bytes = b""
    headers: Headers = ()
    status: int | None = None
    request: Frame | None = None
    error: str = ""


class Recorder:
    """Keeps what crossed the wires while it was laid over some code.

    Use it as `with Recorder() as recorder:` around the code. Everything in that block that talks to
    a model over `httpx2` (the `openai` clients do) or runs a tool is recorded, in its tasks and in
    the threads of its tools too; a thread that the code starts itself is not seen. Recorders may be
    nested: each keeps its own frames.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with no frames.

        Args:
            clock: gives seconds; only differences count. Tests put their own here.
        """
        self._clock = clock
        self._began_s = clock()
        self._frames: list[Frame] = []
        self._listeners: list[Listener] = []
        self._lock = threading.RLock()
        self._entered: list[AbstractContextManager[None]] = []

    def __repr__(self) -> str:
        """How many frames there are."""
        return f"Recorder({len(self.frames)} frames)"

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames so far, in the order in which they crossed."""
        with self._lock:
            return tuple(self._frames)

    def add(self, payload: Payload, *, request: Frame | None = None) -> Frame:
        """Keep one payload as the next frame, with its credentials hidden, and tell the listeners.

        Args:
            payload: what a tap has caught.
            request: the frame that it answers, in place of the payload's own: the same payload can
                be kept by several recorders, each of which has its own frame of the request.

        Returns:
            The frame. An answer names it as its `request`.
        """
        with self._lock:
            frame = Frame(
                number=len(self._frames) + 1,
                wire=payload.wire,
                direction=payload.direction,
                label=payload.label,
                body=payload.body,
                headers=redacted(payload.headers),
                status=payload.status,
                at_s=self._clock() - self._began_s,
                request=request or payload.request,
                error=payload.error,
            )
            self._frames.append(frame)
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(frame)
        return frame

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each frame from now on, in the thread in which it crossed.

        Returns:
            A function that ends the listening.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def clear(self) -> None:
        """Forget all frames; numbers begin at 1 again."""
        with self._lock:
            self._frames.clear()

    def recording(self) -> AbstractContextManager[None]:
        """Lay this recorder over the code in a `with` block."""
        return _laid(self)

    def __enter__(self) -> Recorder:
        """Begin recording what this block does."""
        context = self.recording()
        context.__enter__()
        self._entered.append(context)
        return self

    def __exit__(self, *exception: object) -> None:
        """End recording. The frames stay, also after an exception."""
        self._entered.pop().__exit__(None, None, None)

    def http_client(self) -> httpx2.AsyncClient:
        """An HTTP client whose exchanges are always recorded here, for `http_client=` arguments."""
        from course_pkg.wire.http import async_client

        return async_client(self)

    def sync_http_client(self) -> httpx2.Client:
        """The same for synchronous code, such as the `openai.OpenAI` client."""
        from course_pkg.wire.http import sync_client

        return sync_client(self)


_active: ContextVar[tuple[Recorder, ...]] = ContextVar("_active", default=())


def active_recorders() -> tuple[Recorder, ...]:
    """The recorders that are laid over the present code, outermost first."""
    return _active.get()


@contextmanager
def also(recorder: Recorder) -> Iterator[None]:
    """Add `recorder` to the active ones inside the `with`; once only, however often it is added."""
    active = _active.get()
    token = _active.set(active if recorder in active else (*active, recorder))
    try:
        yield
    finally:
        _active.reset(token)


@contextmanager
def _http_tap() -> Iterator[None]:
    from course_pkg.wire import http

    http.install()
    yield


@contextmanager
def _laid(recorder: Recorder) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(also(recorder))
        for lay in taps:
            stack.enter_context(lay())
        yield


#: What is opened with each recording, besides the HTTP tap: the package's front door adds the tap
#: for tool runs, since tools and wires must not know each other.
taps: list[Callable[[], AbstractContextManager[None]]] = [_http_tap]
