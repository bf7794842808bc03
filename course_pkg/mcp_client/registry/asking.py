"""Ask a registry for entries: the official one, or a server that answers in its form.

In: words. Out: a `Listing`. Only people ask: a model discovers nothing in a registry. Nothing is
asked unless `COURSE_LIVE` is on.

Source of the form: the registry's API `/v0.1`, `GET /v0.1/servers` with `search`, `limit` and
`version=latest`; each item holds `server` and `_meta`.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course_pkg.mcp_client.registry.entry import Entry, RegistryError, read_entry

#: The official registry, a public service of the MCP project that can be read without a key.
OFFICIAL_REGISTRY = "https://registry.modelcontextprotocol.io"
LIST_PATH = "/v0.1/servers"
OFFICIAL_META = "io.modelcontextprotocol.registry/official"

#: For the whole exchange, in seconds.
ASK_TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 2_000_000
MAX_ENTRIES = 20
MAX_QUOTED_CHARS = 120

#: The environment variable that lets the course ask services outside, and what counts as "on".
LIVE_VARIABLE = "COURSE_LIVE"
ON = frozenset({"1", "true", "yes", "on"})

BUNDLED = "The bundled entry shows the same: course_pkg.samples.registry.sample_entry()."


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What a registry answered.

    Attributes:
        entries: the servers that could be read, in the registry's order.
        unreadable: for each other one, its name if it has one, and why.
        has_more: whether the registry has more of them.
    """

    entries: tuple[Entry, ...] = ()
    unreadable: tuple[str, ...] = ()
    has_more: bool = False


async def ask_registry(
    words: str,
    *,
    limit: int = 5,
    address: str = OFFICIAL_REGISTRY,
    timeout_s: float = ASK_TIMEOUT_S,
    environment: Mapping[str, str] | None = None,
) -> Listing:
    """The servers whose names hold some words, each in its latest version.

    Args:
        words: a part of a name, such as `filesystem`.
        limit: how many at most, from 1 to `MAX_ENTRIES`.
        address: the registry, without a slash at the end.
        timeout_s: seconds for the whole exchange.
        environment: variables by name; the process's own if left out.

    Raises:
        RegistryError: if it may not ask (`not_live`), or got no answer that can be read (`offline`,
            `timeout`, `refused`, `too_large`, `not_json`, `odd_body`). The text says what to do.
        ValueError: if `limit` is out of bounds.
    """
    if not 1 <= limit <= MAX_ENTRIES:
        raise ValueError(f"limit is {limit}. Ask for 1 to {MAX_ENTRIES} entries.")
    environment = os.environ if environment is None else environment
    if environment.get(LIVE_VARIABLE, "").strip().casefold() not in ON:
        raise RegistryError(
            "The course asks no service outside this computer unless you let it. Set "
            f"{LIVE_VARIABLE}=1 and run this again. {BUNDLED}",
            kind="not_live",
        )
    query = {"search": words, "limit": str(limit), "version": "latest"}
    return _listing(await _answer(f"{address}{LIST_PATH}", query, timeout_s))


async def _answer(address: str, query: Mapping[str, str], timeout_s: float) -> Any:
    import httpx2

    from course_pkg.executor.waking import waking

    try:
        # Without a ticker the stop button of a notebook is heard only when the answer comes.
        with waking():
            async with asyncio.timeout(timeout_s):
                body = await _body(address, query)
    except TimeoutError as error:
        text = f"The registry did not answer within {timeout_s:g} seconds."
        raise _failed(text, kind="timeout") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        text = f"The registry could not be reached ({type(error).__name__}). Is there a network?"
        raise _failed(text, kind="offline") from error
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        text = f"The registry answered with what is no JSON: {_quoted(body)}."
        raise _failed(text, kind="not_json") from error


async def _body(address: str, query: Mapping[str, str]) -> bytes:
    import httpx2

    body = b""
    # Redirects are not followed: who may answer is named in one place.
    async with (
        httpx2.AsyncClient(timeout=None) as client,
        client.stream("GET", address, params=dict(query)) as response,
    ):
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                text = f"The registry's answer is longer than {MAX_ANSWER_BYTES:,} bytes."
                raise _failed(text, kind="too_large")
        if response.status_code != 200:
            text = f"The registry answered with status {response.status_code}: {_quoted(body)}."
            raise _failed(text, kind="refused")
    return body


def _listing(answer: Any) -> Listing:
    items = answer.get("servers") if isinstance(answer, Mapping) else None
    if not isinstance(items, list):
        text = f"The registry answered without a list of servers: {_quoted(json.dumps(answer))}."
        raise _failed(text, kind="odd_body")
    entries: list[Entry] = []
    unreadable: list[str] = []
    for item in items:
        try:
            entries.append(_entry(item))
        except RegistryError as error:
            unreadable.append(f"{_name(item)}: {error}")
    meta = answer.get("metadata")
    has_more = isinstance(meta, Mapping) and bool(meta.get("nextCursor"))
    return Listing(entries=tuple(entries), unreadable=tuple(unreadable), has_more=has_more)


def _entry(item: Any) -> Entry:
    if not isinstance(item, Mapping) or not isinstance(item.get("server"), Mapping):
        raise RegistryError("It holds no server.", kind="not_an_entry")
    meta = item.get("_meta")
    official = meta.get(OFFICIAL_META) if isinstance(meta, Mapping) else None
    status = official.get("status") if isinstance(official, Mapping) else None
    return read_entry(item["server"], status=status if isinstance(status, str) else "")


def _name(item: Any) -> str:
    server = item.get("server") if isinstance(item, Mapping) else None
    name = server.get("name") if isinstance(server, Mapping) else None
    return name if isinstance(name, str) else "(without a name)"


def _quoted(text: str | bytes) -> str:
    shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return repr(shown[:MAX_QUOTED_CHARS]) if shown else "nothing"


def _failed(text: str, *, kind: str) -> RegistryError:
    return RegistryError(f"{text} Try again later. {BUNDLED}", kind=kind)
