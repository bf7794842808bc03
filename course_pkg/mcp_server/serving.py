"""Serve over Streamable HTTP on this computer, in a thread of its own.

In: a server of either kind, and a port. Out: a URL that ends in `/mcp`. Only this computer can
reach it, and only under its own name: the SDK refuses a foreign `Host` (421), a foreign `Origin`
(403) and more than 4 MiB (413), so that no web page can talk to it through somebody's browser.

The thread has an event loop of its own. In the loop of a notebook uvicorn would take over Ctrl+C,
and the stop button would stop the server instead of the cell.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any

import uvicorn
from mcp.server import MCPServer, Server

from course_pkg.serving import HOST, START_TIMEOUT_S, STOP_TIMEOUT_S, PortError, bind

PATH = "/mcp"
POLL_S = 0.005


class HttpServiceError(RuntimeError):
    """The server could not start. The text says why and what to do."""


class HttpService:
    """A server on one port. It answers from the moment it is made until `close`.

    `with HttpService(server) as service: ...` closes it at the end. Make another one with the same
    server, and the same port if you like, to start again.
    """

    def __init__(self, server: MCPServer[Any] | Server[Any], *, port: int = 0) -> None:
        """Start to serve.

        Args:
            server: what `high_level` or `low_level` made.
            port: the port on 127.0.0.1; 0 takes one that is free.

        Raises:
            HttpServiceError: if the port is taken or not allowed, or nothing answers in time.
        """
        self._uvicorn = uvicorn.Server(_settings(server))
        try:
            self._listening = bind(port)
        except PortError as error:
            raise HttpServiceError(str(error)) from error
        self._port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(
            target=self._uvicorn.run, args=([self._listening],), name="mcp-server", daemon=True
        )
        self._thread.start()
        if not self._has_started():
            self.close()
            raise HttpServiceError(
                f"The MCP server did not start within {START_TIMEOUT_S:g} seconds. Restart the "
                "kernel; if it happens again, run `python -m course_pkg doctor`."
            )

    @property
    def url(self) -> str:
        """What a client connects to. The same after `close`, when nobody answers there."""
        return f"http://{HOST}:{self._port}{PATH}"

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return self._port

    def close(self) -> None:
        """End every connection, and come back when thread and socket are gone. Twice is fine.

        It takes less than a second; or a little more where a client of the handshake era waits for
        a tool, since the SDK then tries for a second to tell it that nothing will come.
        """
        self._uvicorn.should_exit = True
        self._thread.join(STOP_TIMEOUT_S)
        self._listening.close()

    def __enter__(self) -> HttpService:
        """The service itself; it runs already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def __repr__(self) -> str:
        """The address, or that it is closed."""
        return f"HttpService({self.url if self._thread.is_alive() else 'closed'})"

    def _has_started(self) -> bool:
        end = time.monotonic() + START_TIMEOUT_S
        while not self._uvicorn.started and self._thread.is_alive() and time.monotonic() < end:
            time.sleep(POLL_S)
        return self._uvicorn.started


def _settings(server: MCPServer[Any] | Server[Any]) -> uvicorn.Config:
    return uvicorn.Config(
        # Made anew for each start: the sessions that are in it can be begun only once.
        server.streamable_http_app(streamable_http_path=PATH, host=HOST),
        log_config=None,
        log_level="critical",
        access_log=False,
        ws="none",
        # Streams that a client keeps open would else hold up the end for ever.
        timeout_graceful_shutdown=0,
    )
