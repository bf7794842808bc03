"""A toolbox that follows the servers its tools come from.

In: connections, and tools of this program. Out: a `Toolbox` whose tools are those of the moment.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from course_pkg.tools import RunTool, Tool, Toolbox

if TYPE_CHECKING:
    from course_pkg.mcp_client.several import Connections


class LiveToolbox(Toolbox):
    """The tools of all open connections, and some local ones.

    A remote tool that has gone is no longer in it; a call of it is answered as one of any unknown
    tool. The tools of a server that has crashed stay: their calls say so.
    """

    def __init__(self, connections: Connections, local: Iterable[Tool | RunTool] = ()) -> None:
        """Follow these connections.

        Args:
            connections: where the remote tools come from.
            local: tools of this program. They keep their names.

        Raises:
            ToolDefinitionError: if two local tools have the same name.
        """
        super().__init__(local)
        self._connections = connections
        self._seen: list[tuple[Tool, ...]] = []
        self._all: dict[str, Tool] = {}

    @property
    def local_names(self) -> set[str]:
        """The names of the local tools."""
        return set(self._tools)

    def __getitem__(self, name: str) -> Tool:
        """The tool of that name. Raises `KeyError` where there is none."""
        return self._now()[name]

    def __iter__(self) -> Iterator[str]:
        """The names, in order."""
        return iter(self._now())

    def __len__(self) -> int:
        """How many tools there are."""
        return len(self._now())

    def __repr__(self) -> str:
        """The names."""
        return f"Toolbox({', '.join(self)})"

    def definitions(self) -> list[dict[str, Any]]:
        """The `tools` array of a request: one definition a tool, in order."""
        return [item.definition() for item in self._now().values()]

    async def refresh(self) -> None:
        """Read the lists again of the servers that have said that their tools changed."""
        await self._connections.refresh()

    def _now(self) -> dict[str, Tool]:
        # Looking a tool up is frequent, a change is rare.
        seen = [connection.tools for connection in self._connections.values()]
        if not self._all or not _are_same(seen, self._seen):
            remote = self._connections.named_tools()
            renamed = {name: replace(tool, name=name) for name, tool in remote.items()}
            self._all, self._seen = {**renamed, **self._tools}, seen
        return self._all


def _are_same(some: list[tuple[Tool, ...]], others: list[tuple[Tool, ...]]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))
