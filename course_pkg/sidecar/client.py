"""Ask a sidecar: list its tools, execute them, and make plain `Tool`s of them.

In: a URL of this computer and a token. Out: `Tool`s that the loop runs as any others. Each exchange
has a connection of its own, so nothing is left open. Proxies of the environment are not used: the
token must not go to one.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course_pkg.sidecar.errors import SidecarError
from course_pkg.tools import Tool

if TYPE_CHECKING:
    import httpx2

#: For a connection to come about, and for the list of tools to come.
CONNECT_TIMEOUT_S = 5.0

#: For a tool's answer. The service ends a tool long before, at the tool's own limit.
ANSWER_TIMEOUT_S = 60.0

#: So much longer than the tool itself its call may take.
MARGIN_S = 5.0

#: A larger answer is none of a sidecar's.
MAX_ANSWER_BYTES = 1_000_000

#: Where the token may go: it would cross any other wire in the clear.
OWN_HOST = "127.0.0.1"

#: What can stand in a header: no space, no line end, nothing outside ASCII.
TOKEN = re.compile(r"[\x21-\x7e]{1,1000}")

START_ANEW = "Start it with Sidecar(tools).start(), and take its url and token from there."


async def sidecar_tools(url: str, token: str) -> tuple[Tool, ...]:
    """The tools that a sidecar offers, as plain `Tool`s.

    Args:
        url: where it is, `http://127.0.0.1:<port>`.
        token: what it made when it started.

    Raises:
        SidecarError: if it does not answer, or refuses.
    """
    return await SidecarClient(url=url, token=token).tools()


@dataclass(frozen=True, kw_only=True)
class SidecarClient:
    """One who may ask a sidecar.

    Attributes:
        url: where it is, without a slash at the end.
        token: what it made when it started. It shows in no `repr` and no error.

    Raises:
        SidecarError: if the URL is not one of this computer, or the token could not be sent.
    """

    url: str = field(repr=False)
    token: str = field(repr=False)

    def __post_init__(self) -> None:
        """See that the token stays on this computer."""
        import httpx2

        if TOKEN.fullmatch(self.token) is None:
            raise SidecarError(f"The token is none that a sidecar makes. {START_ANEW}")
        try:
            address = httpx2.URL(self.url)
        except httpx2.InvalidURL as error:
            raise SidecarError(f"{self.url[:100]!r} is no URL: {error}. {START_ANEW}") from None
        if address.scheme != "http" or address.host != OWN_HOST:
            raise SidecarError(
                f"{self.url[:100]!r} is not on this computer, and the token must not leave it. "
                f"{START_ANEW}"
            )

    async def tools(self) -> tuple[Tool, ...]:
        """What the service offers.

        Raises:
            SidecarError: if it does not answer, or refuses.
        """
        answer = await self._ask("GET", "/tools", timeout_s=CONNECT_TIMEOUT_S)
        try:
            return tuple(self._tool(described) for described in answer["tools"])
        except (KeyError, TypeError, ValueError):
            raise self._no_sidecar() from None

    async def execute(
        self, name: str, arguments: Mapping[str, Any], *, timeout_s: float = ANSWER_TIMEOUT_S
    ) -> str:
        """The text that a tool gives.

        Args:
            name: the tool.
            arguments: what it is given.
            timeout_s: how long its answer may take, in seconds.

        Raises:
            SidecarError: if the service does not answer or refuses, or the tool failed; then with
                the tool's own text.
        """
        asked = {"name": name, "arguments": dict(arguments)}
        answer = await self._ask("POST", "/execute", asked, timeout_s=timeout_s)
        text = answer.get("text")
        if not isinstance(text, str):
            raise self._no_sidecar()
        if answer.get("is_error"):
            raise SidecarError(text)
        return text

    def _tool(self, described: Mapping[str, Any]) -> Tool:
        name, timeout_s = str(described["name"]), float(described["timeout_s"]) + MARGIN_S

        async def run(**arguments: Any) -> str:
            return await self.execute(name, arguments, timeout_s=timeout_s)

        return Tool(
            name=name,
            description=str(described["description"]),
            input_schema=dict(described["input_schema"]),
            run=run,
            side_effect=bool(described["side_effect"]),
            timeout_s=timeout_s + MARGIN_S,
        )

    async def _ask(
        self, method: str, path: str, payload: Any = None, *, timeout_s: float
    ) -> dict[str, Any]:
        import httpx2

        limits = httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S)  # the rest is timed as a whole
        headers = {"authorization": f"Bearer {self.token}", "accept-encoding": "identity"}
        sent: dict[str, Any] = {}
        if payload is not None:
            body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
            headers["content-type"] = "application/json"
            sent = {"content": body}
        try:
            async with (
                asyncio.timeout(timeout_s),
                httpx2.AsyncClient(transport=_transport(), trust_env=False) as client,
                client.stream(
                    method, f"{self.url}{path}", headers=headers, timeout=limits, **sent
                ) as response,
            ):
                return self._read(response.status_code, await _limited(response))
        except (TimeoutError, httpx2.TimeoutException):
            raise SidecarError(
                f"The sidecar did not answer within {timeout_s:g} seconds. It may still be at work."
            ) from None
        except httpx2.HTTPError as error:
            raise SidecarError(
                f"The sidecar does not answer ({type(error).__name__}). {START_ANEW}"
            ) from None

    def _read(self, status: int, body: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            raise self._no_sidecar() from None
        if not isinstance(answer, dict):
            raise self._no_sidecar()
        if status == 200:
            return answer
        if status == 401:
            raise SidecarError(f"The sidecar does not take this token. {START_ANEW}")
        raise SidecarError(f"The sidecar refused with status {status}: {_message(answer)}")

    def _no_sidecar(self) -> SidecarError:
        return SidecarError(f"What answered there is no sidecar, or a broken one. {START_ANEW}")


async def _limited(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            return b""  # not worth reading: the caller takes it for no JSON
    return bytes(body)


def _message(answer: Mapping[str, Any]) -> str:
    error = answer.get("error")
    message = error.get("message") if isinstance(error, Mapping) else None
    return message[:2_000] if isinstance(message, str) else "it did not say why."


def _transport() -> httpx2.AsyncHTTPTransport:
    import ssl

    import httpx2

    # Nothing is encrypted here, and to load the certificates of the system takes 20 ms each time.
    return httpx2.AsyncHTTPTransport(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
