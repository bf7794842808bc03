"""A server of tide gauges that works, crashes, hangs, or prints rubbish, as it is asked to.

    python -m course_pkg.lessons.servers.troubled [paged] [rubbish] [shorthand]

In: words. With `paged` it lists its tools on two pages; with `rubbish` it prints a line that is no
JSON before each result; with `shorthand` it also lists a tool whose schema is none. Out: an MCP
server on stdin and stdout. There is no real gauge.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from course_pkg.lessons.servers.lines import WRONG_PARAMS, Refusal, serve, write
from course_pkg.lessons.servers.paged import cursor_of

TIDES = {"Dover": 2.4, "Brest": 5.1}
SLOW_S = 0.3
PAGE_SIZE = 3
#: A picture of one white point: a whole PNG file in base64.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsSf6XwAAAABJRU5ErkJggg=="
)
RUBBISH = "Reading the gauge ..."


def _definition(name: str, description: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "inputSchema": schema}


PLACE = {"type": "string", "description": 'Name of a port, for example "Dover".'}

TOOLS = [
    _definition("read_tide", "Read the height of the tide at one port, in metres.", place=PLACE),
    _definition("survey", "Look at a port: words, a picture and a link.", place=PLACE),
    _definition("crash", "End the server in the middle of this call."),
    _definition("hang", "Never answer this call."),
]

#: As many tutorials write it. It says nothing: `city` is no keyword of JSON Schema.
SHORTHAND = {
    "name": "find_port",
    "description": "Find the port of a city.",
    "inputSchema": {"city": "string"},
}


def _read_tide(arguments: Mapping[str, Any]) -> dict[str, Any]:
    place = arguments.get("place")
    if place not in TIDES:
        known = ", ".join(TIDES)
        return {**_text(f"There is no gauge at {place!r}. Ports: {known}."), "isError": True}
    if place == "Brest":  # an old gauge
        time.sleep(SLOW_S)
    return _text(f"{place}: {TIDES[place]} m")


def _survey(arguments: Mapping[str, Any]) -> dict[str, Any]:
    place = arguments.get("place")
    return {
        "content": [
            {"type": "text", "text": f"Survey of {place}."},
            {"type": "image", "data": PICTURE, "mimeType": "image/png"},
            {"type": "resource_link", "uri": f"tides://{place}/today", "name": "today"},
            {"type": "text", "text": "Warning: the quay is closed."},
        ]
    }


def _crash(_arguments: Mapping[str, Any]) -> None:
    sys.stderr.write("The gauge sent a number that is no number. Giving up.\n")
    sys.stderr.flush()
    os._exit(1)


def _hang(_arguments: Mapping[str, Any]) -> None:
    return None


DEEDS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any] | None]] = {
    "read_tide": _read_tide,
    "survey": _survey,
    "crash": _crash,
    "hang": _hang,
}


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _page(tools: list[dict[str, Any]], cursor: str | None) -> dict[str, Any]:
    if cursor == cursor_of(1):
        return {"tools": tools[PAGE_SIZE:]}
    return {"tools": tools[:PAGE_SIZE], "nextCursor": cursor_of(1)}


def main(words: list[str]) -> None:
    """Serve until stdin ends.

    Args:
        words: `paged`, `rubbish`, `shorthand`, some of them or none.
    """
    tools = [*TOOLS, SHORTHAND] if "shorthand" in words else TOOLS

    def listed(params: dict[str, Any]) -> dict[str, Any]:
        return _page(tools, params.get("cursor")) if "paged" in words else {"tools": tools}

    def call(params: dict[str, Any]) -> dict[str, Any] | None:
        name = str(params.get("name"))
        if name not in DEEDS:
            raise Refusal(WRONG_PARAMS, f"Unknown tool: {name}")
        if "rubbish" in words:
            write(RUBBISH)
        return DEEDS[name](params.get("arguments") or {})

    serve({"tools/list": listed, "tools/call": call}, name="tides")


if __name__ == "__main__":
    main(sys.argv[1:])
