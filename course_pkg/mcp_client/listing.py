"""List the tools of a server, page by page, and leave out what cannot be used.

In: the SDK's client. Out: what was listed, raw, and sentences about what was left out. The SDK's
`list_tools` gives one page; a server may have many, or never come to an end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_pkg.mcp_client.saving import shown
from course_pkg.mcp_client.watching import flaw_of, raw_of
from course_pkg.schema import SchemaError, check_schema

if TYPE_CHECKING:
    from mcp import Client

#: So many pages are asked for.
MAX_PAGES = 100


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What a server has on offer.

    Attributes:
        tools: the usable ones, as they came: MCP's form of a definition.
        warnings: what was left out, and what was odd, in sentences.
    """

    tools: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()


async def list_tools(client: Client) -> Listing:
    """Ask for all pages.

    Args:
        client: the SDK's client, open.

    Raises:
        MCPError: if the server answers with an error.
    """
    collected = _Collected()
    cursor, seen = None, set()
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        is_new = collected.take(raw_of(page).get("tools"), {tool.name for tool in page.tools})
        cursor = page.next_cursor
        if not cursor:
            break
        if cursor in seen or not is_new:
            collected.warn(_stuck(cursor))
            break
        seen.add(cursor)
    else:
        collected.warn(f"The list of tools had no end after {MAX_PAGES} pages; the rest is left.")
    return Listing(tools=tuple(collected.tools.values()), warnings=tuple(collected.warnings))


def _stuck(cursor: str) -> str:
    return (
        f"The server's list of tools has no end: its cursor did not advance ({shown(cursor)}). "
        "The listing was stopped there."
    )


class _Collected:
    """The tools of all pages so far."""

    def __init__(self) -> None:
        self.tools: dict[str, Mapping[str, Any]] = {}
        self.warnings: dict[str, None] = {}  # each once, in order
        self._met: set[str] = set()

    def warn(self, sentence: str) -> None:
        self.warnings[sentence] = None

    def take(self, tools: Any, known: set[str]) -> bool:
        """Take one page. Whether it may be followed by more: it holds something new, or nothing."""
        if not isinstance(tools, list):
            self.warn(f"The server's answer to tools/list holds no list: {shown(tools)}.")
            return False
        names = [shown(tool.get("name") if isinstance(tool, Mapping) else tool) for tool in tools]
        is_new = not tools or not self._met.issuperset(names)
        for name, tool in zip(names, tools if is_new else (), strict=False):
            self._take_one(name, tool, known)
        return is_new

    def _take_one(self, name: str, tool: Any, known: set[str]) -> None:
        flaw = flaw_of(tool) or _flaw_of_schema(tool) or _flaw_of_headers(tool, known)
        if flaw:
            self.warn(f"The tool {name} was left out: {flaw}.")
        elif name in self._met:
            self.warn(f"The server lists the tool {name} twice; the first is kept.")
        else:
            self.tools[tool["name"]] = tool
            _note_letters(tool, self.warn)
            _note_output_schema(tool, self.warn)
        self._met.add(name)


def _flaw_of_schema(tool: Mapping[str, Any]) -> str:
    try:
        check_schema(tool["inputSchema"])
    except (SchemaError, RecursionError) as error:
        return f"its input schema is not valid: {str(error).rstrip('.')}"
    return ""


def _flaw_of_headers(tool: Mapping[str, Any], known: set[str]) -> str:
    return "" if tool["name"] in known else "its x-mcp-header annotations are not valid"


def _note_letters(tool: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    if "\ufffd" in f"{tool['name']}{tool.get('description')}":
        warn(
            f"The description of the tool {shown(tool['name'])} holds bytes that are no UTF-8; "
            "they are replaced. A server must write UTF-8."
        )


def _note_output_schema(tool: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    try:
        check_schema(tool.get("outputSchema") or {})
    except (SchemaError, RecursionError) as error:
        reason = str(error).rstrip(".")
        warn(
            f"The output schema of the tool {shown(tool['name'])} is not valid, so its results "
            f"are not checked: {reason}."
        )
