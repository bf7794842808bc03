"""Save an answer that the SDK would drop, so that nobody waits for it until the time limit.

In: a line that the SDK could not read, and the ids that are waited for. Out: the message it was
meant to be, or an error in its place; nothing if it is no answer at all.
"""

from __future__ import annotations

import json
from collections.abc import Container
from typing import Any

#: JSON-RPC's own code for what cannot be read as a message.
INVALID_MESSAGE = -32600


def saved_answer(line: str, waited_for: Container[str]) -> Any:
    """What can be made of an answer that is no valid JSON-RPC message.

    Half a pair of UTF-16 (a lone surrogate) is legal in JSON, and the SDK refuses the whole line
    for it: it is replaced. Whatever else is wrong, its asker is told that the answer is unreadable.

    Args:
        line: what the server wrote.
        waited_for: the ids of open requests, as texts.

    Returns:
        A message in the SDK's wrapping; `None` if nobody waits for it.
    """
    answer = _read(line)
    if not isinstance(answer, dict) or "method" in answer or "id" not in answer:
        return None
    if str(answer["id"]) not in waited_for:
        return None
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(answer, by_name=False))
    except ValueError:
        said = f"its answer is no valid JSON-RPC message: {shown(answer)}"
        error = {"code": INVALID_MESSAGE, "message": said}
        made = {"jsonrpc": "2.0", "id": answer["id"], "error": error}
        return SessionMessage(jsonrpc_message_adapter.validate_python(made, by_name=False))


def _read(line: str) -> Any:
    try:
        return _whole(json.loads(line))
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> Any:
    """A JSON value without halves of pairs: each is replaced."""
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def shown(value: Any, *, max_chars: int = 200) -> str:
    """A value for a sentence, cut if it is long.

    Args:
        value: any value.
        max_chars: how long its representation may be.
    """
    text = repr(value)
    return text if len(text) <= max_chars else f"{text[:max_chars]}…"
