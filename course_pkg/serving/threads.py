"""Run a service in a daemon thread: it is gone when the program ends, or when it is stopped.

In: a way to make a listener. Out: a port, from the moment that requests are answered.
"""

from __future__ import annotations

import asyncio
import contextvars
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from course_pkg.serving.ports import bind

if TYPE_CHECKING:
    from course_pkg.serving.listening import Listener

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0


class ThreadedService:
    """One service on one port, in a thread with an event loop of its own. It may start again."""

    def __init__(self, make: Callable[[socket.socket], Listener], *, name: str) -> None:
        """Say what is to be served; nothing runs yet.

        Args:
            make: makes what answers on a socket. It is called in the service's thread, at each
                start, so dear imports may stand in it.
            name: the thread's name, for those who look at a process from outside.
        """
        self._make, self._name = make, name
        self._thread: threading.Thread | None = None
        self._listener: Listener | None = None
        self._failure: BaseException | None = None
        self._port = 0
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        """The port it listens on; 0 while it does not run."""
        return self._port

    def start(self, port: int = 0) -> None:
        """Listen, and come back when requests are answered. A running one stays as it is.

        Args:
            port: the port on 127.0.0.1; 0 takes one that is free.

        Raises:
            PortError: if the port cannot be used.
            RuntimeError: if the service fails while it starts; the text says how.
        """
        with self._lock:
            if self._thread is None:
                self._start(bind(port))

    def stop(self) -> None:
        """Close every connection and wait until thread and socket are gone. Twice does no harm."""
        with self._lock:
            thread, listener = self._thread, self._listener
            self._thread = self._listener = None
            self._port = 0
            if thread is not None and listener is not None:
                listener.stop()
                thread.join(STOP_TIMEOUT_S)

    def _start(self, listening: socket.socket) -> None:
        ready = threading.Event()
        self._failure = None
        # An empty context: what is recorded in the notebook must not be recorded here once more.
        thread = threading.Thread(
            target=contextvars.Context().run,
            args=(self._serve, listening, ready),
            name=self._name,
            daemon=True,
        )
        thread.start()
        if not ready.wait(START_TIMEOUT_S) or self._failure is not None:
            listening.close()
            raise RuntimeError(str(self._failure or "no answer in time")) from self._failure
        self._thread, self._port = thread, listening.getsockname()[1]

    def _serve(self, listening: socket.socket, ready: threading.Event) -> None:
        try:
            self._listener = self._make(listening)
            with asyncio.Runner() as runner:
                runner.run(self._listener.serve(ready))
        except BaseException as error:
            self._failure = error
        finally:
            ready.set()
