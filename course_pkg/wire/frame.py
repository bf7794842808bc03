"""One payload that crossed a wire, in one direction.

In: bytes and what was known about them when they crossed. Out: a frozen `Frame`, which decodes its
payload only when somebody looks. Knows nothing of how bytes are caught.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

WireName: TypeAlias = Literal["model", "mcp", "sidecar", "local"]
Direction: TypeAlias = Literal["sent", "received"]
Headers: TypeAlias = tuple[tuple[str, str], ...]

EVENT_STREAM = "text/event-stream"

#: What ends a line of an event stream. `str.splitlines` would also split inside a JSON text, at the
#: line separators of Unicode.
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One payload in one direction on one wire.

    Attributes:
        number: its place in the recording, from 1.
        wire: between whom: `model`, `mcp`, `sidecar`, or `local` for a tool in this process.
        direction: `sent` by this program, or `received` by it.
        label: what it is, in a few characters: `POST /v1/chat/completions`, `200`, a tool's name.
        body: the payload's bytes, exactly as they crossed.
        headers: names in lower case, and values; credentials are replaced before a frame is made.
        status: the HTTP status of an answer; `None` where there is none.
        at_s: when it crossed, in seconds since the recording began.
        request: the frame that this one answers; `None` for a request.
        error: why no answer came (`ConnectError: ...`); empty if one came.
    """

    number: int
    wire: WireName
    direction: Direction
    label: str
    body: bytes = field(default=b"", repr=False)
    headers: Headers = field(default=(), repr=False)
    status: int | None = None
    at_s: float = field(default=0.0, repr=False)
    request: Frame | None = field(default=None, repr=False)
    error: str = ""

    @property
    def content(self) -> bytes:
        """The body with any content encoding (gzip) undone; the body itself if that fails."""
        encoding = self.header("content-encoding")
        return decoded(self.body, encoding) if encoding else self.body

    @property
    def text(self) -> str:
        """The payload as text. Bytes that are no UTF-8 show as the replacement character."""
        return self.content.decode("utf-8", errors="replace")

    @property
    def json(self) -> Any:
        """The payload as a Python value; for an event stream, the list of its events.

        `None` where the payload is no JSON: `text` shows it then.
        """
        if self.header("content-type").startswith(EVENT_STREAM):
            return list(events_of(self.text))
        try:
            return json.loads(self.content)
        except (ValueError, RecursionError):
            return None

    @property
    def duration_s(self) -> float | None:
        """For an answer: seconds since its request. `None` for a request."""
        return None if self.request is None else self.at_s - self.request.at_s

    def header(self, name: str) -> str:
        """The value of one header, or an empty text.

        Args:
            name: the header's name, in lower case.
        """
        return next((value for key, value in self.headers if key == name), "")


def events_of(text: str) -> Iterator[Any]:
    """The data of each server-sent event in `text`: JSON where it is JSON, else the text itself.

    Source of the format: the WHATWG HTML standard, section "Server-sent events". A line that starts
    with a colon is a comment; lines of one event are joined; an empty line ends it.
    """
    lines: list[str] = []
    for line in [*LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            lines.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and lines:
            yield _json_or_text("\n".join(lines))
            lines = []


def _json_or_text(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data


def decoded(body: bytes, encoding: str) -> bytes:
    """`body` with its content encoding undone; `body` itself if that fails.

    Args:
        body: bytes as they crossed.
        encoding: what the header `content-encoding` says.
    """
    # httpx2 undoes whatever encodings it offered to accept, so its own decoder is the right one.
    import httpx2

    try:
        return httpx2.Response(200, headers={"content-encoding": encoding}, content=body).content
    except httpx2.DecodingError:
        return body
