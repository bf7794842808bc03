"""The tap for tools that run in this process: two frames a run, so that step 4 is visible.

In: a tool's run as it passes. Out: a frame with name and arguments, and a frame with what the
function gave back or raised. This is no network wire: the JSON here is made by the tap.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from course_pkg.wire.recorder import Payload, active_recorders
from course_pkg.wire.redaction import hide_keys

#: A value's `repr` in a frame ends after this many characters.
MAX_REPR_CHARS = 2_000


class Named(Protocol):
    """Anything with a name; a `Tool` is meant."""

    @property
    def name(self) -> str:
        """The tool's name."""


async def record_run(
    item: Named, arguments: Mapping[str, Any], proceed: Callable[[], Awaitable[Any]]
) -> Any:
    """Record one run of a tool in the active recorders, and give back its value.

    Args:
        item: the tool.
        arguments: what it is given.
        proceed: runs it. What it raises is recorded and raised again.
    """
    sent = Payload(
        wire="local",
        direction="sent",
        label=item.name,
        body=_json({"name": item.name, "arguments": dict(arguments)}),
    )
    requests = [(recorder, recorder.add(sent)) for recorder in active_recorders()]
    label, body, said = "raised", b"", ""
    try:
        value = await proceed()
        label, body = "returned", _json(value)
    except BaseException as error:
        said = _named(error)
        raise
    finally:
        answer = Payload(wire="local", direction="received", label=label, body=body, error=said)
        for recorder, request in requests:
            recorder.add(answer, request=request)
    return value


def _json(value: Any) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, default=_shown)
    except Exception:  # a value's own methods may raise anything, and the tool must not notice
        text = json.dumps(_shown(value), ensure_ascii=False)
    return hide_keys(text.encode("utf-8", "replace"))


def _shown(value: Any) -> str:
    try:
        return repr(value)[:MAX_REPR_CHARS]
    except Exception:
        return f"(a {type(value).__name__} whose repr fails)"


def _named(error: BaseException) -> str:
    try:
        said = f"{type(error).__name__}: {error}".rstrip(": ")
    except Exception:
        said = type(error).__name__
    return hide_keys(said.encode("utf-8", "replace")).decode()
