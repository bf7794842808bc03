"""What a client can connect to: a command, an address, or a server in this process.

In: an argv list, a URL, or a server object of the SDK. Out: a transport of the SDK, recorded, and
what must be kept out of the frames. Knows nothing of tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from course_pkg.mcp_client.server_log import ServerLog
from course_pkg.mcp_client.watching import Watch
from course_pkg.wire.mcp import http_hooks, recorded
from course_pkg.wire.passing import Transport
from course_pkg.wire.redaction import REDACTED

if TYPE_CHECKING:
    import httpx2

#: A command with its arguments, an address, or a server object of the SDK.
Place: TypeAlias = Sequence[str] | str | Any

#: How long an HTTP connection may take to be made, in seconds.
HTTP_CONNECT_TIMEOUT_S = 10.0

#: The largest message that is taken from an event stream, in bytes. The SDK's own limit is 1 MiB.
MAX_EVENT_BYTES = 64 * 1024 * 1024

#: A longer command is cut where it is shown, in characters.
MAX_SHOWN_CHARS = 100


@dataclass(frozen=True)
class Target:
    """A server, and what it must be given: `Target(["npx", "some-server"], env={"KEY": key})`.

    Neither the values of `env` nor those of `headers` get into a frame or a message.

    Attributes:
        place: the command as a list, the URL, or the server object.
        env: environment variables for a subprocess. It inherits a few names only (`PATH`, `HOME`,
            ...), so a key must be given here.
        headers: what each HTTP request carries, `Authorization` say.
    """

    place: Place
    env: Mapping[str, str] = field(default_factory=dict, repr=False, kw_only=True)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what is no target.

        Raises:
            ValueError: if the command is empty, or a text is no URL.
        """
        if isinstance(self.place, str) and not re.match(r"https?://", self.place):
            raise ValueError(
                f"{self.place!r} is no URL that begins with http:// or https://. Write a command "
                "as a list with one item for each word: ['python', 'server.py']."
            )
        if self.is_command and not all(isinstance(word, str) for word in self.place or [0]):
            raise ValueError(f"A command is a list of texts, at least one; not {self.place!r}.")

    @property
    def is_url(self) -> bool:
        """Whether the server is reached over HTTP."""
        return isinstance(self.place, str)

    @property
    def is_command(self) -> bool:
        """Whether the server is a subprocess."""
        return isinstance(self.place, list | tuple)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be in a frame nor in a message."""
        words = [word for value in self.headers.values() for word in value.split()]
        return (*self.env.values(), *self.headers.values(), *words)

    def described(self) -> str:
        """Where the server is, in short: no password, no query, no folders of this machine."""
        if self.is_url:
            return re.sub(r"//[^/@]*@", f"//{REDACTED}@", str(self.place)).partition("?")[0]
        if not self.is_command:
            return "in this process"
        words = [
            PurePath(word).name if PurePath(word).is_absolute() else word for word in self.place
        ]
        text = " ".join(words)
        return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"

    async def transport(self, stack: AsyncExitStack, watch: Watch, log: ServerLog) -> Transport:
        """The transport, recorded and watched, not yet entered.

        Args:
            stack: closes what the transport needs, after it.
            watch: notes what passes.
            log: takes the stderr of a subprocess.
        """
        if self.is_url:
            client = await stack.enter_async_context(self._http_client(watch))
            inner = self._over_http(client)
        elif self.is_command:
            inner = self._over_stdio(log)
        else:
            inner = self._in_process()
        return recorded(inner, watch, secrets=self.secrets, over_http=self.is_url)

    def _over_stdio(self, log: ServerLog) -> Transport:
        from mcp import StdioServerParameters, stdio_client

        command, *words = list(self.place)
        parameters = StdioServerParameters(
            command=command,
            args=words,
            env=dict(self.env),
            # A strict decoder would end the reading at the first wrong byte, and tell nobody.
            encoding_error_handler="replace",
        )
        return stdio_client(parameters, errlog=log.file)

    def _over_http(self, client: httpx2.AsyncClient) -> Transport:
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(
            str(self.place), http_client=client, max_sse_event_size=MAX_EVENT_BYTES
        )

    def _http_client(self, watch: Watch) -> httpx2.AsyncClient:
        import httpx2

        async def note(response: httpx2.Response) -> None:
            request = response.request
            if response.is_error and request.method == "POST":
                asked = json.loads(await request.aread())
                has_session = "mcp-session-id" in request.headers
                watch.refused(asked.get("id"), response.status_code, has_session=has_session)

        hooks = http_hooks()
        hooks["response"].append(note)
        # A stream may be silent for long: the time limit of each call is the client's.
        return httpx2.AsyncClient(
            headers=dict(self.headers),
            timeout=httpx2.Timeout(HTTP_CONNECT_TIMEOUT_S, read=None),
            event_hooks=hooks,
        )

    def _in_process(self) -> Transport:
        # `Client(server)` itself would call the handlers directly: no JSON-RPC message at all.
        from mcp.client._memory import InMemoryTransport

        server: Any = self.place
        return InMemoryTransport(server)


def as_target(target: Target | Place) -> Target:
    """Give back a target as it is; make one of a command, a URL or a server.

    Args:
        target: any of them.

    Raises:
        ValueError: if it is none.
    """
    return target if isinstance(target, Target) else Target(target)
