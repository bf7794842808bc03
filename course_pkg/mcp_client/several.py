"""Several MCP servers at once, and one toolbox of all their tools.

In: targets by name. Out: connections by name, and a live `Toolbox` with names that are unique. One
server that fails does not hurt the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from course_pkg.mcp_client.connection import Connection
from course_pkg.mcp_client.errors import ServerError
from course_pkg.mcp_client.live import LiveToolbox
from course_pkg.mcp_client.names import Pair, public_names
from course_pkg.mcp_client.targets import Place, Target
from course_pkg.tools import RunTool, Tool


class Connections(Mapping[str, Connection]):
    """Connections by name: `async with Connections({"tides": [...], "notes": url}) as servers:`.

    It is a `Mapping` of those that were opened, in the order of the targets. Without `async with`,
    `open()` in one cell and `close()` in another do the same.

    Attributes:
        failures: why a server could not be opened, by name.
    """

    def __init__(
        self, targets: Mapping[str, Target | Place | Connection] | None = None, **options: Any
    ) -> None:
        """Prepare connections; nothing is started yet.

        Args:
            targets: for each name a command, a URL, a server object, a `Target`, or a `Connection`
                with options of its own.
            options: for all of them: `era`, `open_timeout_s`, `call_timeout_s`.
        """
        self.failures: dict[str, ServerError] = {}
        self._options = options
        self._known: dict[str, Connection] = {}
        self._opened: list[str] = []
        self._names: dict[Pair, str] = {}
        self._reserved: set[str] = set()
        for name, target in (targets or {}).items():
            self.add(name, target)

    def __getitem__(self, name: str) -> Connection:
        """One connection. Raises `KeyError` where none of that name was opened."""
        if name not in self._opened:
            raise KeyError(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the opened ones."""
        return iter([name for name in self._known if name in self._opened])

    def __len__(self) -> int:
        """How many were opened."""
        return len(self._opened)

    def __repr__(self) -> str:
        """The names, and the failed ones."""
        failed = [f"failed: {', '.join(self.failures)}"] if self.failures else []
        return f"Connections({'; '.join([', '.join(self) or 'none open', *failed])})"

    def add(self, name: str, target: Target | Place | Connection) -> None:
        """Name one more server. The next `open()` opens it.

        Args:
            name: what you call it; its tools are named after it.
            target: where it is.

        Raises:
            ValueError: if the name is taken or empty, or the target is none.
        """
        if name in self._known or not name:
            raise ValueError(f"Give each server a name of its own; {name!r} is taken or empty.")
        if isinstance(target, Connection):
            target.name, target.follow_changes = name, True
            self._known[name] = target
        else:
            self._known[name] = Connection(target, name=name, follow_changes=True, **self._options)

    async def open(self) -> Connections:
        """Open all that are not open, side by side. What fails is kept in `failures`.

        Returns:
            The connections themselves.
        """
        await asyncio.gather(*(self._open(name) for name in self._known))
        return self

    async def close(self, name: str = "") -> None:
        """Close one connection, or all of them; each in the task that opened it.

        Args:
            name: which one; all if left out.
        """
        names = [name] if name else list(self._known)
        self._opened = [kept for kept in self._opened if kept not in names]
        await asyncio.gather(*(self._known[one].close() for one in names))

    async def __aenter__(self) -> Connections:
        """Open all."""
        return await self.open()

    async def __aexit__(self, *exception: object) -> None:
        """Close all."""
        await self.close()

    def toolbox(self, *local: Tool | RunTool) -> LiveToolbox:
        """A toolbox of the tools of all servers, named `server__tool`, and of local ones.

        It is live: it follows what is opened and closed, and reads a server's list again when that
        server says that its tools changed. A loop asks for that before each request.

        Args:
            local: tools of this program, under their own names.
        """
        box = LiveToolbox(self, local)
        self._reserved |= box.local_names
        return box

    def named_tools(self) -> dict[str, Tool]:
        """Each remote tool by its public name. A name that was given once stays."""
        tools = {
            (name, real[tool.name]): tool
            for name, connection in self.items()
            for real in [connection.real_names]
            for tool in connection.tools
        }
        self._names = public_names(tools, given=self._names, reserved=self._reserved)
        return {self._names[pair]: tool for pair, tool in tools.items()}

    def origin(self, public_name: str) -> Pair:
        """The way back: which tool of which server a public name stands for.

        Args:
            public_name: a name from the toolbox.

        Raises:
            KeyError: if no remote tool has had that name.
        """
        for pair, name in self._names.items():
            if name == public_name:
                return pair
        raise KeyError(public_name)

    async def refresh(self) -> None:
        """Read the lists of those servers again that have said that they changed."""
        changed = [self[name] for name in self if self[name].has_changes]
        await asyncio.gather(*(one.refresh() for one in changed), return_exceptions=True)

    async def _open(self, name: str) -> None:
        try:
            await self._known[name].open()
        except ServerError as error:
            self.failures[name] = error
            self._opened = [kept for kept in self._opened if kept != name]
        else:
            self.failures.pop(name, None)
            self._opened = [*[kept for kept in self._opened if kept != name], name]
