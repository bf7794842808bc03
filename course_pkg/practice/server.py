"""Run the practice model on a port of this computer, in a thread of its own.

In: a port (0 takes a free one). Out: a base URL for any client that speaks chat completions.
Knows nothing of what is served: `api` is only loaded when a server starts, and with it starlette
and uvicorn, so that importing this module stays cheap.
"""

from __future__ import annotations

import asyncio
import atexit
import errno
import os
import socket
import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_pkg.practice.serving import Listener

HOST = "127.0.0.1"
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0


class PracticeServerError(RuntimeError):
    """The practice model could not start. The text says why and what to do."""


class PracticeServer:
    """The practice model on one port, in a daemon thread: it is gone when the program ends.

    `with PracticeServer() as server: ...` starts and stops it; `start()` and `stop()` do the same
    by hand. A stopped server may be started again.
    """

    def __init__(self, *, port: int = 0) -> None:
        """Name the port; nothing runs yet.

        Args:
            port: the port on 127.0.0.1; 0 takes one that is free.
        """
        self._wanted_port = port
        self._port = 0
        self._thread: threading.Thread | None = None
        self._listener: Listener | None = None
        self._failure: BaseException | None = None
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        """The port it listens on; 0 while it does not run."""
        return self._port

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as `base_url`, `/v1` included.

        Raises:
            PracticeServerError: if the server does not run.
        """
        if not self._port:
            raise PracticeServerError("The practice model does not run. Call start() first.")
        return f"http://{HOST}:{self._port}/v1"

    def start(self) -> PracticeServer:
        """Listen, and come back when requests are answered. A running server stays as it is.

        Raises:
            PracticeServerError: if the port is taken or not allowed.
        """
        with self._lock:
            if self._thread is None:
                self._start()
        return self

    def stop(self) -> None:
        """Close every connection and wait until thread and socket are gone. Twice does no harm."""
        with self._lock:
            thread, listener = self._thread, self._listener
            self._thread = self._listener = None
            self._port = 0
            if thread is not None and listener is not None:
                listener.stop()
                thread.join(STOP_TIMEOUT_S)

    def __enter__(self) -> PracticeServer:
        """Start."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()

    def __repr__(self) -> str:
        """The address, or that it does not run."""
        return f"PracticeServer({self.base_url if self._port else 'not running'})"

    def _start(self) -> None:
        listening = _bind(self._wanted_port)
        ready = threading.Event()
        self._failure = None
        thread = threading.Thread(
            target=self._serve, args=(listening, ready), name="practice-model", daemon=True
        )
        thread.start()
        if not ready.wait(START_TIMEOUT_S) or self._failure is not None:
            listening.close()
            raise PracticeServerError(
                f"The practice model did not start: {self._failure or 'no answer in time'}. "
                "Restart the kernel; if it happens again, run `python -m course_pkg doctor`."
            ) from self._failure
        self._thread = thread
        self._port = listening.getsockname()[1]

    def _serve(self, listening: socket.socket, ready: threading.Event) -> None:
        # Loaded here, in the server's own thread: the dear imports come with the first start.
        try:
            from course_pkg.practice.serving import Listener

            self._listener = Listener(listening)
            with asyncio.Runner() as runner:
                runner.run(self._listener.serve(ready))
        except BaseException as error:
            self._failure = error
        finally:
            ready.set()


def _bind(port: int) -> socket.socket:
    # The protocol is named, or asyncio leaves small packets to wait for each other (40 ms).
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":
        # Elsewhere this option lets two servers share a port, which is not what we want.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise PracticeServerError(_why_not(port, error)) from error
    return listening


def _why_not(port: int, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in {errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", errno.EADDRINUSE)}:
        return (
            f"Port {port} on {HOST} is taken: another program listens there. Stop that program, "
            f"name another port, or use port 0 to get a free one."
        )
    if number in {errno.EACCES, errno.EPERM}:
        return f"Port {port} needs special rights. Use a port above 1023, or 0 to get a free one."
    return f"Port {port} on {HOST} cannot be used: {error}. Use 0 to get a free one."


_background_lock = threading.Lock()
_background: tuple[int, PracticeServer] | None = None


def serve_in_background() -> str:
    """Start the practice model of this process, if it does not run yet, and give its base URL.

    Every call of one process gets the same server; a forked process gets its own.

    Raises:
        PracticeServerError: if it cannot start.
    """
    global _background
    with _background_lock:
        if _background is None or _background[0] != os.getpid() or not _background[1].port:
            _background = (os.getpid(), PracticeServer().start())
            atexit.register(stop_background_server)
        return _background[1].base_url


def stop_background_server() -> None:
    """Stop the server of `serve_in_background`, if there is one. The next call starts another."""
    global _background
    with _background_lock:
        if _background is not None and _background[0] == os.getpid():
            _background[1].stop()
        _background = None


def _forget_after_fork() -> None:
    global _background, _background_lock
    # The thread did not come along, and the lock may have been held when the process forked.
    _background, _background_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
