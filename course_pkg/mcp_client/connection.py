"""An open link to one MCP server, that any cell of a notebook may use.

In: a target. Out: the server's tools as plain `Tool`s, and calls of them. Whatever the server does
(crash, hang, print, forget its session), a call ends in time and says what happened.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping
from typing import Any

from course_pkg.executor.waking import waking
from course_pkg.mcp_client.eras import Era, era_of, mode_of
from course_pkg.mcp_client.errors import ServerError
from course_pkg.mcp_client.failing import (
    Known,
    failed_call,
    failed_opening,
    not_open,
    session_lost,
    unreadable,
)
from course_pkg.mcp_client.link import Link
from course_pkg.mcp_client.listing import Listing, list_tools
from course_pkg.mcp_client.remarks import Remarks
from course_pkg.mcp_client.remote import remote_tools
from course_pkg.mcp_client.results import CallOutcome, outcome_of, refused
from course_pkg.mcp_client.targets import Place, Target, as_target
from course_pkg.mcp_client.watching import raw_of
from course_pkg.tools import Tool
from course_pkg.wire.mcp import hiding

#: How long opening may take, in seconds. In the era `auto` the SDK alone waits 10 for the first
#: answer, before it tries the older protocol.
OPEN_TIMEOUT_S = 20.0

#: How long one call may take, in seconds.
CALL_TIMEOUT_S = 30.0

#: The executor's own limit for a remote tool is so much longer, so that ours speaks first.
MARGIN_S = 5.0


class Connection:
    """A link to one MCP server.

    Open it in one cell, call its tools in others, close it in a third; or use it as
    `async with Connection(target) as connection:`.

    Attributes:
        name: what you call the server here.
        follow_changes: whether to ask the server, when it is opened, to tell of changed tools.
    """

    def __init__(
        self,
        target: Target | Place,
        *,
        name: str = "server",
        era: str = "auto",
        open_timeout_s: float = OPEN_TIMEOUT_S,
        call_timeout_s: float = CALL_TIMEOUT_S,
        follow_changes: bool = False,
    ) -> None:
        """Prepare a connection; nothing is started yet.

        Args:
            target: a command as a list (`[sys.executable, "server.py"]`), a URL, or a server object
                of the SDK in this process. `Target` adds environment variables or headers.
            name: what you call it.
            era: `auto` asks for the newest protocol and takes the older one if need be; `legacy` is
                2025-11-25, `modern` is 2026-07-28.
            open_timeout_s: how long opening may take, the first listing of its tools included.
            call_timeout_s: how long one call may take.
            follow_changes: whether to ask the server to tell when its tools change, as
                `Connections` does. Servers of 2025-11-25 tell unasked.

        Raises:
            ValueError: if there is no such era, or the target is none.
        """
        self.name = name or "server"
        self.follow_changes = follow_changes
        self._target, self._mode = as_target(target), mode_of(era)
        self._open_timeout_s, self._call_timeout_s = open_timeout_s, call_timeout_s
        self._remarks = Remarks(hiding(self._target.secrets))
        self._link: Link | None = None
        self._listing = Listing()
        self._output_schemas: dict[str, Any] = {}
        self._tools: tuple[Tool, ...] = ()
        self._renewing = asyncio.Lock()

    def __repr__(self) -> str:
        """The name, where it is, the protocol and the tools."""
        state = self.protocol_version or "not open"
        names = ", ".join(tool.name for tool in self._tools)
        return f"Connection({self.name!r}, {self._known().place!r}, {state}, tools: {names})"

    # --- what is known --------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether calls can be made. A server that has crashed is not open."""
        return self._link is not None and self._link.is_open and not self._link.watch.has_ended

    @property
    def protocol_version(self) -> str:
        """The version that both sides speak; empty while it is not open."""
        return self._link.client.protocol_version if self._link and self.is_open else ""

    @property
    def era(self) -> Era:
        """`modern` from 2026-07-28 on, `legacy` before it; empty while it is not open."""
        return era_of(self.protocol_version)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The server's tools, as tools like any others. A name that no chat takes is made legal."""
        return self._tools

    @property
    def real_names(self) -> dict[str, str]:
        """The server's own name for each of the tools' names."""
        pairs = zip(self._tools, self._listing.tools, strict=True)
        return {tool.name: str(listed["name"]) for tool, listed in pairs}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd, in sentences: junk lines, tools that were left out, wrong bytes."""
        return self._remarks.all

    @property
    def server_log(self) -> str:
        """The end of what the server wrote to its stderr, without the values of `env`."""
        return self._remarks.hidden(self._link.log) if self._link else ""

    @property
    def has_changes(self) -> bool:
        """Whether the server has said that its tools changed, and they were not read since."""
        return self._link is not None and self._link.watch.has_changed

    # --- opening and closing --------------------------------------------------------------------

    async def open(self) -> Connection:
        """Open the connection, and list the server's tools. An open one stays as it is.

        Returns:
            The connection itself.

        Raises:
            ServerError: if the server cannot be reached, or does not answer in time.
        """
        if self.is_open:
            return self
        await self.close()
        link = self._link = Link(
            self._target,
            mode=self._mode,
            open_timeout_s=self._open_timeout_s,
            call_timeout_s=self._call_timeout_s,
            follow_changes=self.follow_changes,
            warn=self._remarks.add,
        )
        weakref.finalize(self, link.abandon)  # a cell that is run again drops the old connection
        try:
            with waking():
                await link.open()
        except Exception as error:
            raise failed_opening(self._known(), error, self._open_timeout_s) from error
        self._take(link.listing)
        return self

    async def close(self) -> None:
        """Close the connection; a subprocess is gone then. In any order, and twice, is fine."""
        if self._link is not None:
            self._refuse_other_loop(self._link)
            with waking():
                await self._link.close()

    async def reopen(self) -> Connection:
        """Close what is left, and open anew: after a crash, or when the server has changed.

        Returns:
            The connection itself. Its tools, and a toolbox made of it, work again.

        Raises:
            ServerError: if the server cannot be reached, or does not answer in time.
        """
        await self.close()
        return await self.open()

    async def __aenter__(self) -> Connection:
        """Open the connection."""
        return await self.open()

    async def __aexit__(self, *exception: object) -> None:
        """Close it."""
        await self.close()

    # --- using ----------------------------------------------------------------------------------

    async def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> CallOutcome:
        """Call one tool of the server.

        Args:
            name: the tool's name, as the server has it.
            arguments: its arguments.

        Returns:
            What came of it. An error result and a JSON-RPC error are outcomes too.

        Raises:
            ServerError: if the server has gone, did not answer in time, answered what cannot be
                read, or forgot the session and could not be reached anew.
        """
        link = self._usable_link()
        outcome = await self._called(link, name, arguments)
        if outcome is None:
            await self._renew(link)
            outcome = await self._called(self._usable_link(), name, arguments)
        if outcome is None:
            raise session_lost(self._known(), "It lost a new one too.")
        if "\ufffd" in outcome.text:
            self._remarks.add(
                f"A result of {name!r} holds bytes that are no UTF-8; they are replaced. A server "
                "must write UTF-8: for one in Python, set PYTHONUTF8=1 in its env."
            )
        return outcome

    async def refresh(self) -> None:
        """Read the list of tools again.

        Raises:
            ServerError: if the server has gone, did not answer in time, or its list cannot be read.
        """
        from mcp import MCPError

        link = self._usable_link()
        link.watch.has_changed = False
        try:
            self._take(await list_tools(link.client))
        except (MCPError, ValueError, RuntimeError) as error:
            failure = await failed_call(self._known(), link, error, self._call_timeout_s)
            raise failure or unreadable(self._known(), "tools/list", error) from error

    async def _called(
        self, link: Link, name: str, arguments: Mapping[str, Any] | None
    ) -> CallOutcome | None:
        """What came of a call; `None` if the server no longer knew the session."""
        from mcp import MCPError

        try:
            result = await link.client.call_tool(name, dict(arguments or {}))
        except MCPError as error:
            if link.watch.has_lost_session:
                return None
            failure = await failed_call(self._known(), link, error, self._call_timeout_s)
            if failure is not None:
                raise failure from error
            return refused(name, error)
        except (ValueError, RuntimeError) as error:  # pydantic's ValidationError is a ValueError
            raise unreadable(self._known(), name, error) from error
        return outcome_of(name, raw_of(result), self._output_schemas.get(name))

    async def _renew(self, link: Link) -> None:
        """Begin a new session; once, if several calls found the old one lost."""
        async with self._renewing:
            if self._link is not link:
                return
            self._remarks.add(session_lost(self._known(), "A new one was begun.").short)
            try:
                await self.reopen()
            except ServerError as error:
                why = f"A new one could not be begun: {error.short}"
                raise session_lost(self._known(), why) from error

    def _take(self, listing: Listing) -> None:
        self._listing = listing
        self._output_schemas = {tool["name"]: tool.get("outputSchema") for tool in listing.tools}
        for sentence in listing.warnings:
            self._remarks.add(sentence)
        limit_s = self._call_timeout_s + MARGIN_S
        self._tools = remote_tools(listing.tools, self.call, timeout_s=limit_s)

    def _usable_link(self) -> Link:
        if self._link is None or self._link.is_closing:
            raise not_open(self._known())
        self._refuse_other_loop(self._link)
        return self._link

    def _refuse_other_loop(self, link: Link) -> None:
        if link.loop is not asyncio.get_running_loop():
            raise RuntimeError(
                f"The connection {self.name!r} belongs to another event loop. Open and use a "
                "connection within one asyncio.run(...)."
            )

    def _known(self) -> Known:
        hidden = self._remarks.hidden
        place = hidden(self._target.described())
        return Known(name=self.name, place=place, log=self.server_log, hidden=hidden)


async def connect(target: Target | Place, **options: Any) -> Connection:
    """Open a connection to an MCP server.

    Args:
        target: a command as a list (`[sys.executable, "server.py"]`), a URL, or a server object of
            the SDK in this process. `Target` adds environment variables or headers.
        options: `name`, `era`, `open_timeout_s`, `call_timeout_s`, `follow_changes`: see
            `Connection`.

    Raises:
        ServerError: if the server cannot be reached, or does not answer in time.
        ValueError: if there is no such era, or the target is none.
    """
    return await Connection(target, **options).open()
