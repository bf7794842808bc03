"""Speak JSON-RPC over stdin and stdout by hand: a line in, a line out.

In: a handler for each method. Out: an answer for each request, until stdin ends. It speaks the
protocol of 2025-11-25 only, as most servers of other people still do, and knows nothing of tools.

Source of the forms: JSON-RPC 2.0, and the MCP specification 2025-11-25, "Lifecycle" and "stdio".
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

VERSION = "2025-11-25"
UNKNOWN_METHOD, WRONG_PARAMS = -32601, -32602

#: The parameters of a request → its result; `None` if it is never to be answered.
Handler: TypeAlias = Callable[[dict[str, Any]], dict[str, Any] | None]

_writing = threading.Lock()


class Refusal(Exception):  # noqa: N818 - the protocol calls it an error; here it is an answer
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        """Hold what the client is told.

        Args:
            code: the code of the error.
            message: what is wrong, in words.
        """
        self.code, self.message = code, message
        super().__init__(message)


def serve(handlers: Mapping[str, Handler], *, name: str) -> None:
    """Answer each request until stdin ends.

    Args:
        handlers: what to do, by method.
        name: the server's name.
    """
    known = {"initialize": lambda _: _about(name), **handlers}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message and "method" in message:
            # A thread for each, so that a slow call does not hold up the next one.
            threading.Thread(target=_answer, args=(message, known), daemon=True).start()


def write(text: str) -> None:
    """Write one line to stdout, as bytes: a Windows console would change them.

    Args:
        text: the line, without its end.
    """
    with _writing:
        sys.stdout.buffer.write(f"{text}\n".encode())
        sys.stdout.buffer.flush()


def _answer(message: Mapping[str, Any], handlers: Mapping[str, Handler]) -> None:
    head = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        result = _handler(message["method"], handlers)(message.get("params") or {})
    except Refusal as refusal:
        error = {"code": refusal.code, "message": refusal.message}
        write(json.dumps({**head, "error": error}))
        return
    if result is not None:
        write(json.dumps({**head, "result": result}, ensure_ascii=False))


def _handler(method: str, handlers: Mapping[str, Handler]) -> Handler:
    if method not in handlers:
        raise Refusal(UNKNOWN_METHOD, "Method not found")
    return handlers[method]


def _about(name: str) -> dict[str, Any]:
    return {
        "protocolVersion": VERSION,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": name, "version": "1.0"},
    }
