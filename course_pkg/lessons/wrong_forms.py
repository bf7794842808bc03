"""Requests to an MCP server as many articles teach them, and one as it should be.

In: the URL of a server that speaks Streamable HTTP. Out: what it really answers: a status and a
text. MCP has one path, and the method stands in the body: there is no `GET /tools/list`. Knows no
MCP library: what is sent stands here, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

#: Where every message of MCP goes.
PATH = "/mcp"
TIMEOUT_S = 30.0
#: More than the 4 MiB that the SDK's servers take.
TOO_LONG_BYTES = 5 * 1024 * 1024

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"


@dataclass(frozen=True, kw_only=True)
class RequestForm:
    """One way to ask a server over HTTP.

    Attributes:
        name: what is peculiar to it, in a few words.
        method: the HTTP method.
        path: the path on the server.
        headers: the headers besides those that any HTTP client sends.
        body: the body; empty if there is none.
        blanks: how many blanks follow the body: they change nothing in JSON but its length.
    """

    name: str
    method: str = "POST"
    path: str = PATH
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    blanks: int = 0


@dataclass(frozen=True, kw_only=True)
class FormAnswer:
    """What a server answered.

    Attributes:
        status: the HTTP status.
        text: the body.
    """

    status: int
    text: str

    @property
    def error(self) -> dict[str, Any]:
        """The JSON-RPC error in the body: `code`, `message`; empty if there is none."""
        try:
            found = json.loads(self.text)
        except ValueError:
            return {}
        error = found.get("error") if isinstance(found, dict) else None
        return error if isinstance(error, dict) else {}


async def send_wrong_form(
    form: RequestForm, url: str, *, http_client: httpx2.AsyncClient | None = None
) -> FormAnswer:
    """Send one request, wrong or right, and give the server's answer.

    Args:
        form: one of `WRONG_FORMS`, or `RIGHT_FORM`.
        url: the server's address, which ends in `/mcp`.
        http_client: what sends it; a plain one if left out.

    Raises:
        httpx2.TransportError: if nobody answers there.
    """
    import httpx2

    if http_client is None:
        async with httpx2.AsyncClient(trust_env=False, timeout=TIMEOUT_S) as plain:
            return await send_wrong_form(form, url, http_client=plain)
    response = await http_client.request(
        form.method,
        url.removesuffix(PATH) + form.path,
        headers=dict(form.headers),
        content=(form.body + " " * form.blanks).encode("utf-8"),
    )
    return FormAnswer(status=response.status_code, text=response.text)


def _headers(**more: str) -> dict[str, str]:
    names = {name.replace("_", "-"): value for name, value in more.items()}
    accepted = "application/json, text/event-stream"
    return {"Content-Type": "application/json", "Accept": accepted} | names


def _call(**changes: Any) -> str:
    """A whole `tools/call` of today's protocol as text, or one with parts changed."""
    meta = {f"{PREFIX}protocolVersion": VERSION, f"{PREFIX}clientCapabilities": {}}
    params = {"name": "calculate", "arguments": {"expression": "2 + 3"}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(message | changes)


_TUTORIAL_BODY = json.dumps({"tool_name": "calculate", "arguments": {"expression": "2 + 3"}})
_LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
_RIGHT = _headers(Mcp_Protocol_Version=VERSION, Mcp_Method="tools/call", Mcp_Name="calculate")


def _without(name: str) -> dict[str, str]:
    return {key: value for key, value in _RIGHT.items() if key != name}


#: A call as it should be, for comparison.
RIGHT_FORM = RequestForm(name="the right call", headers=_RIGHT, body=_call())

#: Each differs from the right call in one way, or comes from another idea of what MCP is.
WRONG_FORMS = (
    RequestForm(name="GET /tools/list", method="GET", path="/tools/list"),
    RequestForm(
        name="POST /tools/call", path="/tools/call", headers=_headers(), body=_TUTORIAL_BODY
    ),
    RequestForm(name="tool_name sent to /mcp", headers=_headers(), body=_TUTORIAL_BODY),
    RequestForm(name="JSON-RPC without an envelope", headers=_headers(), body=_LIST),
    RequestForm(
        name="2026 headers without _meta",
        headers=_headers(Mcp_Protocol_Version=VERSION, Mcp_Method="tools/list"),
        body=_LIST,
    ),
    RequestForm(
        name="Mcp-Name of another tool", headers=_RIGHT | {"Mcp-Name": "get_weather"}, body=_call()
    ),
    RequestForm(name="Mcp-Method missing", headers=_without("Mcp-Method"), body=_call()),
    RequestForm(
        name="a version that does not exist",
        headers=_RIGHT | {"Mcp-Protocol-Version": "2099-01-01"},
        body=_call().replace(VERSION, "2099-01-01"),
    ),
    RequestForm(
        name="a method that does not exist",
        headers=_RIGHT | {"Mcp-Method": "tools/run"},
        body=_call(method="tools/run"),
    ),
    RequestForm(name="a batch", headers=_RIGHT, body=f"[{_call()}, {_call(id=2)}]"),
    RequestForm(name="not JSON", headers=_RIGHT, body="call calculate with 2 + 3"),
    RequestForm(name="text/plain", headers=_RIGHT | {"Content-Type": "text/plain"}, body=_call()),
    RequestForm(name="5 MiB", headers=_RIGHT, body=_call(), blanks=TOO_LONG_BYTES),
)
