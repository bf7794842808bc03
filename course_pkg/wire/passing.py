"""Stand between an MCP transport and the client that uses it, and see what passes.

In: a transport of the MCP SDK, and watchers. Out: the same transport, each of whose messages the
watchers are shown first. Knows the SDK's streams by their shape only, and imports nothing of it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeAlias

#: What a transport of the SDK is: entered, it gives a stream to read from and one to write to.
Transport: TypeAlias = AbstractAsyncContextManager[tuple[Any, Any]]


class Watcher(Protocol):
    """Sees the messages of one transport, in order."""

    def leaving(self, message: Any) -> None:
        """A JSON-RPC message is about to be sent; this runs in the context of its sender."""

    def came(self, item: Any) -> Any:
        """A JSON-RPC message has come, or an exception in place of what was none.

        Returns:
            What the SDK is given in its place, in the SDK's wrapping; `None` leaves it.
        """

    def ended(self) -> None:
        """Nothing more will come: the other side has gone, or this one has closed. Maybe twice."""


@asynccontextmanager
async def passing(transport: Transport, *watchers: Watcher) -> AsyncGenerator[tuple[Any, Any]]:
    """The transport, with watchers beside both of its streams.

    Args:
        transport: the transport, not yet entered.
        watchers: are shown what passes, one after the other. What one raises goes to the client, as
            if the transport had raised it.
    """
    try:
        async with transport as (read, write):
            yield _Reading(read, watchers), _Writing(write, watchers)
    finally:
        _end(watchers)


def _end(watchers: tuple[Watcher, ...]) -> None:
    for watcher in watchers:
        watcher.ended()


class _Reading:
    """The stream from the server."""

    def __init__(self, inner: Any, watchers: tuple[Watcher, ...]) -> None:
        self._inner, self._watchers = inner, watchers

    @property
    def last_context(self) -> Any:
        """The sender's context, where the SDK's stream keeps it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        return self._shown(await self._inner.receive())

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Any:
        try:
            item = await self._inner.__anext__()
        except StopAsyncIteration:
            _end(self._watchers)
            raise
        return self._shown(item)

    def _shown(self, item: Any) -> Any:
        message, given = getattr(item, "message", item), item
        for watcher in self._watchers:
            given = watcher.came(message) or given
        return given

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Reading:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> Any:
        return await self._inner.__aexit__(*exception)


class _Writing:
    """The stream to the server."""

    def __init__(self, inner: Any, watchers: tuple[Watcher, ...]) -> None:
        self._inner, self._watchers = inner, watchers

    async def send(self, item: Any) -> None:
        for watcher in self._watchers:
            watcher.leaving(item.message)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Writing:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> Any:
        return await self._inner.__aexit__(*exception)
