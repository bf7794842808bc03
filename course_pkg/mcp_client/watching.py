"""See what the SDK would hide or stumble over, on its way in.

In: the messages of one connection. Out: notes (junk lines, changed tools, the end), and the raw
answers to `tools/list` and `tools/call`, carried past the SDK's strict types: one tool without a
schema must not cost the others, nor one block of an unknown type the rest of a result. The frames
are made before, so they show what really came.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from course_pkg.mcp_client.saving import saved_answer, shown
from course_pkg.wire.mcp import junk_of

#: Under this name in `_meta` the raw answer goes through the SDK. It never crosses a wire.
RAW = "course_pkg/raw"

TOOLS_CHANGED = "notifications/tools/list_changed"

#: Of a request that names a session: the server does not know the session any more.
NOT_FOUND = 404

#: Methods whose answers are carried raw.
CARRIED = ("tools/list", "tools/call")


class Watch:
    """What was noted about one connection. It is a `Watcher` of `wire.passing`.

    Attributes:
        has_changed: whether the server has said that its tools changed, since it was last listed.
        has_ended: whether the server has gone.
        has_answered: set with each good answer to `tools/list` and `tools/call`.
        has_lost_session: whether the server no longer knows the session (HTTP status 404).
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        """Begin with no notes.

        Args:
            warn: is told what is odd, in sentences.
        """
        self.has_changed = self.has_ended = self.has_lost_session = False
        self.has_answered = asyncio.Event()
        self._warn = warn
        self._asked: dict[str, str] = {}
        self._statuses: dict[str, int] = {}

    def leaving(self, message: Any) -> None:
        """Remember which method an id belongs to."""
        method = getattr(message, "method", None)
        if method in CARRIED and hasattr(message, "id"):
            self._asked[str(message.id)] = method

    def came(self, item: Any) -> Any:
        """Note junk and changes, put the raw answers by, and save an answer that the SDK drops."""
        if isinstance(item, Exception):
            return self._junk(junk_of(item))
        if getattr(item, "method", None) == TOOLS_CHANGED:
            self.has_changed = True
        else:
            self._answer(item, str(getattr(item, "id", None)))
        return None

    def _answer(self, message: Any, number: str) -> None:
        method, status = self._asked.pop(number, ""), self._statuses.pop(number, None)
        result = getattr(message, "result", None)
        if method and isinstance(result, dict):
            self.has_answered.set()
            message.result = carried(method, result)
        elif status is not None and hasattr(message, "error"):
            # The SDK says only that there was an error.
            message.error.message += f" (HTTP status {status})"

    def refused(self, number: Any, status: int, *, has_session: bool) -> None:
        """Note that a request was answered with an HTTP status that means an error.

        Args:
            number: the request's id.
            status: the status.
            has_session: whether the request named a session.
        """
        self._statuses[str(number)] = status
        self.has_lost_session = self.has_lost_session or (status == NOT_FOUND and has_session)

    def ended(self) -> None:
        """Note that the server has gone."""
        self.has_ended = True

    def _junk(self, line: str) -> Any:
        saved = saved_answer(line, self._asked)
        if saved is not None:
            self._answer(saved.message, str(saved.message.id))
        elif line.strip():
            self._warn(
                "The server wrote a line that is no JSON-RPC message; it was skipped: "
                f"{shown(line)}. A server must write its log to stderr."
            )
        return saved


def carried(method: str, result: dict[str, Any]) -> dict[str, Any]:
    """A result that the SDK's types accept, with the raw one inside it.

    Args:
        method: `tools/list` or `tools/call`.
        result: the result as it came.
    """
    if result.get("resultType") == "input_required":
        return result
    if method == "tools/list":
        tools = result.get("tools")
        kept: dict[str, Any] = {"tools": [_bare(tool) for tool in usable(tools)]}
    else:
        # Of an error the SDK asks no structured content, nor does it list the tools to see whether
        # there should be some. What is true of the result is in the raw one.
        kept = {"content": [], "isError": True}
    rest = {
        key: value
        for key, value in result.items()
        if key not in ("tools", "content", "structuredContent", "isError")
    }
    meta = result.get("_meta")
    known = meta if isinstance(meta, dict) else {}
    return {**rest, **kept, "_meta": {**known, RAW: result}}


def raw_of(result: Any) -> dict[str, Any]:
    """The raw result that was carried through the SDK.

    Args:
        result: what the SDK's client returned.
    """
    raw: dict[str, Any] = (result.meta or {}).get(RAW, {})
    return raw


def usable(tools: Any) -> list[dict[str, Any]]:
    """The tools that have what a tool must have: a name, and a schema of an object.

    Args:
        tools: what a server listed; may be anything.
    """
    return [tool for tool in tools if flaw_of(tool) == ""] if isinstance(tools, list) else []


def flaw_of(tool: Any) -> str:
    """Why a listed tool cannot be used; empty if it can.

    Args:
        tool: one item of a server's list; may be anything.
    """
    if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str) or not tool["name"]:
        return "it has no name"
    schema = tool.get("inputSchema")
    if not isinstance(schema, Mapping):
        return "it has no input schema"
    if "type" not in schema:
        return "its input schema has no type, and must have the type 'object'"
    if schema["type"] != "object":
        return f"its input schema must have the type 'object', not {shown(schema['type'])}"
    return ""


def _bare(tool: Mapping[str, Any]) -> dict[str, Any]:
    """All that the SDK needs to know: it sends some arguments as headers, as the schema says."""
    return {"name": tool["name"], "inputSchema": tool["inputSchema"]}
