"""Run the sidecar on a port of this computer, in a thread of its own.

In: tools. Out: a URL and a token, made anew at each start. Only who has both is served, and only on
this computer. starlette and uvicorn are loaded when a service starts, not before.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import secrets
import socket
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from course_pkg.sidecar.client import SidecarClient
from course_pkg.sidecar.errors import SidecarError
from course_pkg.sidecar.guarding import Guard
from course_pkg.tools import RunTool, Tool, Toolbox, as_toolbox

if TYPE_CHECKING:
    from course_pkg.sidecar.listening import Listener

#: Never an address that another computer can reach.
HOST = "127.0.0.1"
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0

#: For the body of a request to come in, all of it.
BODY_TIMEOUT_S = 10.0

#: Bytes of chance in a token; it is written in 4 characters for every 3.
TOKEN_BYTES = 32


class Sidecar:
    """A service that runs tools for programs of this computer that have its token.

    `with Sidecar(tools) as sidecar: ...` starts and closes it; `start()` and `close()` do the same
    by hand. A closed one may be started again: it then has another token.
    """

    def __init__(
        self,
        tools: Toolbox | Iterable[Tool | RunTool],
        *,
        port: int = 0,
        body_timeout_s: float = BODY_TIMEOUT_S,
    ) -> None:
        """Say what may be executed; nothing runs yet.

        Args:
            tools: what may be executed.
            port: the port on 127.0.0.1; 0 takes one that is free.
            body_timeout_s: how long the body of a request may take to come in, in seconds.
        """
        self._tools = as_toolbox(tools)
        self._wanted_port = port
        self._body_timeout_s = body_timeout_s
        self._guard: Guard | None = None
        self._thread: threading.Thread | None = None
        self._listener: Listener | None = None
        self._failure: BaseException | None = None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where it is, without a slash at the end.

        Raises:
            SidecarError: if it does not run.
        """
        return f"http://{HOST}:{self._running().port}"

    @property
    def token(self) -> str:
        """What a request must show. Keep it out of what is printed and saved.

        Raises:
            SidecarError: if it does not run.
        """
        return self._running().token

    def client(self) -> SidecarClient:
        """A client that knows address and token.

        Raises:
            SidecarError: if it does not run.
        """
        return SidecarClient(url=self.url, token=self.token)

    def start(self) -> Sidecar:
        """Listen, and come back when requests are answered. A running one stays as it is.

        Raises:
            SidecarError: if it cannot listen there.
        """
        with self._lock:
            if self._thread is None:
                self._start()
        return self

    def close(self) -> None:
        """End what is running and wait until thread and socket are gone. Twice does no harm."""
        with self._lock:
            thread, listener = self._thread, self._listener
            self._thread = self._listener = self._guard = None
            if thread is not None and listener is not None:
                listener.stop()
                thread.join(STOP_TIMEOUT_S)

    def __enter__(self) -> Sidecar:
        """Start."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def __repr__(self) -> str:
        """What it offers and whether it runs. Port and token are left out: both change."""
        state = "running" if self._guard else "not running"
        return f"Sidecar({', '.join(self._tools)}; {state})"

    def _running(self) -> Guard:
        if self._guard is None:
            raise SidecarError("The sidecar does not run. Call start() first.")
        return self._guard

    def _start(self) -> None:
        listening = _bind(self._wanted_port)
        guard = Guard(port=listening.getsockname()[1], token=secrets.token_urlsafe(TOKEN_BYTES))
        ready = threading.Event()
        self._failure = None
        # An empty context: what is recorded in the notebook must not be recorded here once more.
        thread = threading.Thread(
            target=contextvars.Context().run,
            args=(self._serve, listening, guard, ready),
            name="sidecar",
            daemon=True,
        )
        thread.start()
        if not ready.wait(START_TIMEOUT_S) or self._failure is not None:
            listening.close()
            raise SidecarError(
                f"The sidecar did not start: {self._failure or 'no answer in time'}. Restart the "
                "kernel; if it happens again, run `python -m course_pkg doctor`."
            ) from self._failure
        self._thread, self._guard = thread, guard

    def _serve(self, listening: socket.socket, guard: Guard, ready: threading.Event) -> None:
        # Loaded here, in the service's own thread: the dear imports come with the first start.
        try:
            from course_pkg.sidecar.application import application
            from course_pkg.sidecar.listening import Listener

            served = application(self._tools, guard, body_timeout_s=self._body_timeout_s)
            self._listener = Listener(listening, served)
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
        # Elsewhere this option lets two services share a port, which is not what we want.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise SidecarError(
            f"The sidecar cannot listen on port {port} of {HOST}: {error}. Use port 0 to get a "
            "free one."
        ) from error
    return listening
