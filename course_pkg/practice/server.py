"""Run the practice model on a port of this computer, in a thread of its own.

In: a port (0 takes a free one). Out: a base URL for any client that speaks chat completions.
Knows nothing of what is served: `api` is only loaded when a server starts, and with it starlette
and uvicorn, so that importing this module stays cheap.
"""

from __future__ import annotations

import atexit
import os
import socket
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from course_pkg.serving import HOST, PortError, ThreadedService

if TYPE_CHECKING:
    from course_pkg.serving.listening import Listener


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
        self._service = ThreadedService(_listener, name="practice-model")

    @property
    def port(self) -> int:
        """The port it listens on; 0 while it does not run."""
        return self._service.port

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as `base_url`, `/v1` included.

        Raises:
            PracticeServerError: if the server does not run.
        """
        if not self.port:
            raise PracticeServerError("The practice model does not run. Call start() first.")
        return f"http://{HOST}:{self.port}/v1"

    def start(self) -> PracticeServer:
        """Listen, and come back when requests are answered. A running server stays as it is.

        Raises:
            PracticeServerError: if the port is taken or not allowed.
        """
        try:
            self._service.start(self._wanted_port)
        except PortError as error:
            raise PracticeServerError(str(error)) from error
        except RuntimeError as error:
            raise PracticeServerError(
                f"The practice model did not start: {error}. "
                "Restart the kernel; if it happens again, run `python -m course_pkg doctor`."
            ) from error
        return self

    def stop(self) -> None:
        """Close every connection and wait until thread and socket are gone. Twice does no harm."""
        self._service.stop()

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
        return f"PracticeServer({self.base_url if self.port else 'not running'})"


def _listener(listening: socket.socket) -> Listener:
    # Loaded here, in the server's own thread: the dear imports come with the first start.
    from course_pkg.practice.api import application
    from course_pkg.serving.listening import Listener

    return Listener(listening, application())


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
