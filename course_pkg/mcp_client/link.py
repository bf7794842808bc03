"""Open one client of the SDK, and close it in the task that opened it.

In: a target. Out: a `Link` with the SDK's client. The SDK's task groups must be left by the task
that entered them, and each cell of a notebook is another task. So a task of its own, the owner,
opens and closes; calls may come from any task of the same event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from course_pkg.executor.waking import waking
from course_pkg.mcp_client.eras import Mode
from course_pkg.mcp_client.errors import root_cause
from course_pkg.mcp_client.listing import Listing, list_tools
from course_pkg.mcp_client.server_log import ServerLog
from course_pkg.mcp_client.targets import Target
from course_pkg.mcp_client.watching import Watch

if TYPE_CHECKING:
    from mcp import Client

#: How long the server may take to confirm that it will tell of changed tools, in seconds.
LISTEN_TIMEOUT_S = 2.0

#: How the client names itself to servers.
CLIENT_NAME, CLIENT_VERSION = "course", "1.0"

#: Owners in being. The event loop itself keeps no task alive.
_owners: set[asyncio.Task[None]] = set()


class Link:
    """One open client.

    Attributes:
        client: the SDK's client; there once `open` has returned.
        listing: what the server had on offer when it was opened.
        watch: what was noted about what passed.
        failure: why the link ended, if it did not end by `close`.
    """

    client: Client

    def __init__(
        self,
        target: Target,
        *,
        mode: Mode,
        open_timeout_s: float,
        call_timeout_s: float,
        follow_changes: bool,
        warn: Callable[[str], None],
    ) -> None:
        """Do nothing yet.

        Args:
            target: how to reach the server.
            mode: which era of the protocol to speak, as the SDK calls it.
            open_timeout_s: how long opening may take, the first listing included.
            call_timeout_s: how long any answer may take after that.
            follow_changes: whether to ask the server to tell when its tools change.
            warn: is told what is odd.
        """
        self.listing = Listing()
        self.watch, self._log, self._last_log = Watch(warn), ServerLog(), ""
        self.failure: BaseException | None = None
        self.loop = asyncio.get_running_loop()
        self._target, self._mode, self._follow_changes = target, mode, follow_changes
        self._open_timeout_s, self._call_timeout_s = open_timeout_s, call_timeout_s
        self._opened, self._closing = asyncio.Event(), asyncio.Event()
        self._owner: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the owner holds the client open."""
        return self._opened.is_set() and self._owner is not None and not self._owner.done()

    @property
    def is_closing(self) -> bool:
        """Whether it was asked to close."""
        return self._closing.is_set()

    @property
    def log(self) -> str:
        """The end of the server's stderr, also after it has gone."""
        return self._log.end() or self._last_log

    async def open(self) -> None:
        """Start the owner, and wait until the client is open and its tools are listed.

        Raises:
            BaseException: the root cause, if that fails. Nothing is left then.
        """
        self._owner = self.loop.create_task(self._own(), name="owner of an MCP connection")
        _owners.add(self._owner)
        self._owner.add_done_callback(_owners.discard)
        opened = self.loop.create_task(self._opened.wait())
        try:
            await asyncio.wait({self._owner, opened}, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:
            self._owner.cancel()
            raise
        finally:
            opened.cancel()
        if self.failure is not None:
            raise self.failure

    async def close(self) -> None:
        """Ask the owner to close, and wait until it has. Again, or after a crash: nothing more."""
        self._closing.set()
        await self.settled()

    async def settled(self, *, timeout_s: float | None = None) -> None:
        """Wait until the owner is done.

        Args:
            timeout_s: how long at most, in seconds.
        """
        if self._owner is not None:
            await asyncio.wait({self._owner}, timeout=timeout_s)

    def abandon(self) -> None:
        """Ask the owner to close, from any thread, and do not wait."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: the owner went with it
            self.loop.call_soon_threadsafe(self._closing.set)

    async def _own(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(self._open_timeout_s):
                    await self._enter(stack)
                self._opened.set()
                # One ticker for all calls: to start one for each would cost more than the call.
                with waking():
                    await self._closing.wait()
        except BaseException as error:
            self.failure = root_cause(error)
            if not isinstance(self.failure, Exception):
                raise  # cancelled, or interrupted
        finally:
            self._last_log = self._log.end()
            self._log.close()

    async def _enter(self, stack: AsyncExitStack) -> None:
        from mcp import Client
        from mcp.types import Implementation

        _quiet()
        transport = await self._target.transport(stack, self.watch, self._log)
        client = Client(
            transport,
            mode=self._mode,
            read_timeout_seconds=self._call_timeout_s,
            cache=None,  # each listing is a request that can be seen
            client_info=Implementation(name=CLIENT_NAME, version=CLIENT_VERSION),
        )
        self.client = await stack.enter_async_context(client)
        if self._must_be_asked_to_tell():
            await stack.enter_async_context(_following(self.client, self.watch))
        self.listing = await list_tools(self.client)

    def _must_be_asked_to_tell(self) -> bool:
        """Whether to ask the server to tell of changes. Before 2026-07-28 it did so unasked."""
        if not self._follow_changes or self.client.session.discover_result is None:
            return False
        offered = self.client.server_capabilities.tools
        # Without discovery it is not known what the server can do; it may refuse.
        return self._mode != "auto" or (offered is not None and bool(offered.list_changed))


@asynccontextmanager
async def _following(client: Client, watch: Watch) -> AsyncGenerator[None]:
    """Keep a stream of changes open beside the client; the watch sees them pass."""
    ready = asyncio.Event()
    task = asyncio.create_task(_follow(client, watch, ready))
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LISTEN_TIMEOUT_S):
                await ready.wait()
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _follow(client: Client, watch: Watch, ready: asyncio.Event) -> None:
    from mcp import MCPError
    from mcp.client.subscriptions import SubscriptionLost

    while True:
        try:
            async with client.listen(tools_list_changed=True) as changes:
                ready.set()
                async for _ in changes:
                    """The watch has seen it pass."""
        except (MCPError, TimeoutError):
            return ready.set()  # refused, or the server has gone
        except SubscriptionLost:
            """The server was started anew, say."""
        # What changed meanwhile nobody has told. Ask again when the server has answered something:
        # asking one that is down would end the connection.
        watch.has_changed = True
        watch.has_answered.clear()
        await watch.has_answered.wait()


def _quiet() -> None:
    """Keep the SDK's log out of notebook cells, unless somebody has asked for logs.

    What it would say (a junk line, with a traceback) is told as a warning of the connection.
    """
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
