"""The embedded practice model: a small HTTP server that talks like a chat completions service.

In: requests of any HTTP client on this computer. Out: replies in the shape of the OpenAI API.
It is no language model: it compares words with tool definitions, by rules that you can read here.

The way of a request: `server` takes it from the socket, `api` checks key and body, `rules` refuses
what the real service refuses, `mind` decides (with `matching`, `filling`, `mending`, `answering`),
`completion` puts it into the wire form. Where the system prompt describes tools, `prompted` writes
the calls as text. The model `practice:<fault>` spoils its reply: `faults` knows the fault,
`failures` holds the rows, `staging` finds the call that is spoilt. `gallery()` lists them all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from course_pkg.practice.server import (
    PracticeServer,
    PracticeServerError,
    serve_in_background,
    stop_background_server,
)

if TYPE_CHECKING:
    from course_pkg.practice.faults import CALLER_MISTAKES, Fault, gallery

__all__ = [
    "CALLER_MISTAKES",
    "Fault",
    "PracticeServer",
    "PracticeServerError",
    "gallery",
    "serve_in_background",
    "stop_background_server",
]

#: Loaded when they are first asked for: they bring the mind along, which the server loads late.
_LATE = frozenset({"CALLER_MISTAKES", "Fault", "gallery"})


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module("course_pkg.practice.faults"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
