"""Join a streamed answer.

In: the chunks of a streamed Chat Completions answer, one by one. Out: the same JSON as a plain
answer, for `reply_from`. Services differ: an index may be missing, begin at 1 or be used twice, an
id may come late, a name may come in pieces or again with each piece. The rules are in `_slot`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TEXT_FIELDS = ("content", "reasoning_content", "reasoning", "refusal")


@dataclass
class _Call:
    """One call as far as it has come. Pieces are joined once, at the end."""

    index: Any
    id: str = ""
    type: str = "function"
    name: str = ""
    arguments: list[Any] = field(default_factory=list)


class Accumulator:
    """Joins chunks: `add` each one, then take `payload()`."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._texts: dict[str, list[str]] = {}
        self._calls: list[_Call] = []
        self._first: dict[str, Any] = {}
        self._usage: Any = None
        self._finish_reason: Any = None
        self._said = False
        self.chunks = 0

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Take in one chunk.

        Args:
            chunk: the JSON of one event. Unknown fields are left aside.
        """
        self.chunks += 1
        self._first = self._first or {key: chunk.get(key) for key in ("id", "created", "model")}
        self._usage = chunk.get("usage") or self._usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return  # the last chunk carries the usage and no choice
        self._said = True
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        delta = choice.get("delta") or choice.get("message")  # some send the whole at once
        if isinstance(delta, Mapping):
            self._add_delta(delta)

    def payload(self) -> dict[str, Any]:
        """The answer so far, in the form of a plain one. Without a finish reason it was cut off."""
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message |= {name: "".join(parts) for name, parts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [_joined(call) for call in self._calls]
        choice = {"index": 0, "message": message, "finish_reason": self._finish_reason}
        return {
            **self._first,
            "object": "chat.completion",
            "choices": [choice] if self._said else [],
            "usage": self._usage,
        }

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        for name in TEXT_FIELDS:
            text = delta.get(name)
            if isinstance(text, str):
                self._texts.setdefault(name, []).append(text)
            elif isinstance(text, list):  # parts with text in them
                parts = [part.get("text") for part in text if isinstance(part, Mapping)]
                texts = [part for part in parts if isinstance(part, str)]
                self._texts.setdefault(name, []).extend(texts)
        calls = delta.get("tool_calls")
        pieces = calls if isinstance(calls, list) else []
        if "function_call" in delta and not pieces:
            pieces = [{"function": delta["function_call"]}]  # the form before 2023-11
        for piece in pieces:
            if isinstance(piece, Mapping):
                _extend(self._slot(piece), piece)

    def _slot(self, piece: Mapping[str, Any]) -> _Call:
        """The call to which a piece belongs.

        By index where there is one; a new id under a known index is a new call all the same. With
        no index, a new id opens a call, and a piece without an id continues the last one.
        """
        index, call_id = piece.get("index"), piece.get("id") or ""
        for call in reversed(self._calls):
            same_place = call.index == index if index is not None else True
            if same_place and (not call_id or call.id in {"", call_id}):
                return call
            if index is None and not call_id:
                return call
        self._calls.append(_Call(index=index))
        return self._calls[-1]


def _extend(call: _Call, piece: Mapping[str, Any]) -> None:
    call.id = call.id or str(piece.get("id") or "")
    call.type = str(piece.get("type") or call.type)
    function = piece.get("function")
    function = function if isinstance(function, Mapping) else {}
    name = function.get("name")
    if isinstance(name, str) and name != call.name:  # some services repeat it with each piece
        call.name += name
    if function.get("arguments") is not None:
        call.arguments.append(function["arguments"])


def _joined(call: _Call) -> dict[str, Any]:
    whole = call.arguments[0] if len(call.arguments) == 1 else None
    arguments = "".join(map(_as_text, call.arguments)) if whole is None else whole
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": call.type, "function": function}


def _as_text(piece: Any) -> str:
    return piece if isinstance(piece, str) else json.dumps(piece, ensure_ascii=False)
