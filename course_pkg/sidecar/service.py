"""Run the sidecar on a port of this computer, in a thread of its own.

In: tools. Out: a URL and a token, made anew at each start. Only who has both is served, and only on
this computer. starlette and uvicorn are loaded when a service starts, not before.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from course_pkg.serving import HOST, PortError, ThreadedService
from course_pkg.sidecar.client import SidecarClient
from course_pkg.sidecar.errors import SidecarError
from course_pkg.sidecar.guarding import Guard
from course_pkg.tools import RunTool, Tool, Toolbox, as_toolbox

if TYPE_CHECKING:
    from course_pkg.serving.listening import Listener

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
        self._service = ThreadedService(self._listener, name="sidecar")

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
        try:
            self._service.start(self._wanted_port)
        except PortError as error:
            raise SidecarError(f"The sidecar cannot listen there. {error}") from error
        except RuntimeError as error:
            self._guard = None
            raise SidecarError(
                f"The sidecar did not start: {error}. Restart the kernel; if it happens again, run "
                "`python -m course_pkg doctor`."
            ) from error
        return self

    def close(self) -> None:
        """End what is running and wait until thread and socket are gone. Twice does no harm."""
        self._guard = None
        self._service.stop()

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

    def _listener(self, listening: socket.socket) -> Listener:
        # Loaded here, in the service's own thread: the dear imports come with the first start.
        from course_pkg.serving.listening import Listener
        from course_pkg.sidecar.application import application
        from course_pkg.sidecar.speaking import KEEP_ALIVE_S, JsonProtocol

        guard = Guard(port=listening.getsockname()[1], token=secrets.token_urlsafe(TOKEN_BYTES))
        served = application(self._tools, guard, body_timeout_s=self._body_timeout_s)
        self._guard = guard
        return Listener(listening, served, protocol=JsonProtocol, keep_alive_s=KEEP_ALIVE_S)
