"""Answer connections on a socket until told to stop, in silence.

In: a listening socket. Out: HTTP replies of the application in `api`.
uvicorn's HTTP protocol does the talking. Its `Server` class is left out on purpose: it writes to
the log, looks for a stop ten times a second, and wants to handle signals; a notebook kernel wants
none of these.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from course_pkg.practice.api import application

KEEP_ALIVE_S = 60

#: Belongs to no logging tree, so that nothing is printed and no setting of the learner is touched.
_SILENCE = logging.Logger("practice-model")
_SILENCE.disabled = True


class _QuietProtocol(H11Protocol):
    def __init__(self, *values: Any, **settings: Any) -> None:
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

    def __init__(self, listening: socket.socket) -> None:
        """Take over the socket; it is closed at the end of `serve`."""
        self._listening = listening
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End `serve`; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stopping.set)

    async def serve(self, ready: threading.Event) -> None:
        """Answer until `stop`; set `ready` when the first request may come."""
        self._loop = asyncio.get_running_loop()
        config = Config(
            application(),
            lifespan="off",
            ws="none",
            http="h11",
            log_config=None,
            timeout_keep_alive=KEEP_ALIVE_S,
        )
        config.load()
        state = ServerState()
        server = await self._loop.create_server(
            lambda: _QuietProtocol(config, state, {}), sock=self._listening
        )
        ready.set()
        try:
            await self._stopping.wait()
        finally:
            server.close()
            await _close(state)


async def _close(state: ServerState) -> None:
    for task in list(state.tasks):
        task.cancel()
    await asyncio.gather(*state.tasks, return_exceptions=True)
    for connection in list(state.connections):
        if isinstance(connection, _QuietProtocol):
            await connection.abort()
