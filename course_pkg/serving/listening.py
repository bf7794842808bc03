"""Speak HTTP on a socket until told to stop, in silence.

In: a listening socket and an application. Out: HTTP replies. uvicorn's HTTP protocol does the
talking. Its `Server` class is left out: it writes to the log, looks for a stop ten times a second,
and wants to handle signals; a notebook kernel wants none of these.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
import weakref
from typing import Any

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

#: How long an idle connection stays open, in seconds.
KEEP_ALIVE_S = 60
#: After a connection that could not be accepted (too many open files, say).
ACCEPT_PAUSE_S = 0.05
WAKE_TIMEOUT_S = 5.0

#: Belongs to no logging tree, so that nothing is printed and no setting of the learner is touched.
_SILENCE = logging.Logger("course_pkg.serving")
_SILENCE.disabled = True


class QuietProtocol(H11Protocol):
    """One connection that writes no log, and can be closed from the server's side."""

    def __init__(self, *values: Any, **settings: Any) -> None:
        """As the library's own class, with its loggers silenced."""
        super().__init__(*values, **settings)
        self.logger = self.access_logger = _SILENCE
        self.access_log = False
        self._gone = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tidy up as usual, and tell `abort`."""
        super().connection_lost(exc)
        self._gone.set()

    async def abort(self) -> None:
        """Close the connection now, whatever the client does."""
        self._unset_keepalive_if_required()
        self.transport.abort()
        await self._gone.wait()


class Listener:
    """One listening socket and its connections."""

    def __init__(
        self,
        listening: socket.socket,
        application: ASGIApp,
        *,
        protocol: type[QuietProtocol] = QuietProtocol,
        keep_alive_s: int = KEEP_ALIVE_S,
    ) -> None:
        """Take over the socket; it is closed at the end of `serve`.

        Args:
            listening: a socket that listens.
            application: what answers.
            protocol: what speaks HTTP on each connection.
            keep_alive_s: how long an idle connection stays open, in seconds.
        """
        listening.setblocking(False)  # noqa: FBT003 - the name is the library's
        self._listening = listening
        self._application, self._protocol = application, protocol
        self._keep_alive_s = keep_alive_s
        self._address = listening.getsockname()
        self._is_stopping = False
        self._state = ServerState()
        self._connections: weakref.WeakSet[QuietProtocol] = weakref.WeakSet()

    def stop(self) -> None:
        """End `serve`; called from another thread.

        A connection is what `serve` waits for, so it gets one. To cancel the waiting instead would
        lose a connection that comes in that moment, and leave its socket open.
        """
        self._is_stopping = True
        with contextlib.suppress(OSError):
            socket.create_connection(self._address, timeout=WAKE_TIMEOUT_S).close()

    async def serve(self, ready: threading.Event) -> None:
        """Answer until `stop`; set `ready` when the first request may come.

        Args:
            ready: is set then.
        """
        config = Config(
            self._application,
            lifespan="off",
            ws="none",
            http="h11",
            log_config=None,
            proxy_headers=False,
            timeout_keep_alive=self._keep_alive_s,
        )
        config.load()
        ready.set()
        while not self._is_stopping:
            await self._accept(config)
        self._listening.close()
        await self._close()

    async def _accept(self, config: Config) -> None:
        loop = asyncio.get_running_loop()
        connection = self._protocol(config, self._state, {})
        try:
            client, _ = await loop.sock_accept(self._listening)
            await loop.connect_accepted_socket(lambda: connection, client)
        except OSError:
            await asyncio.sleep(ACCEPT_PAUSE_S)
        else:
            self._connections.add(connection)

    async def _close(self) -> None:
        for connection in list(self._connections):
            await connection.abort()
        tasks = list(self._state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
