"""Make the text that the model reads of what a tool returned.

In: any Python value. Out: text, never empty, never longer than a limit. Characters stay as they
are: escaped Chinese would cost three times as many tokens and read worse.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

#: A longer result is cut, its head and its tail kept, in characters.
MAX_RESULT_CHARS = 20_000

NOTHING = "Done. The tool returned nothing."
EMPTY_TEXT = "The tool returned an empty text."


def result_text(value: Any, *, max_chars: int = MAX_RESULT_CHARS) -> str:
    """What the model reads of `value`: text as it is, anything else as JSON.

    Args:
        value: what the tool returned. What JSON does not have (a date, a set) becomes text in it.
        max_chars: how long the text may be.
    """
    text = _as_text(value)
    # A lone surrogate cannot be sent; a question mark can.
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    return shortened(text, max_chars=max_chars)


def shortened(text: str, *, max_chars: int) -> str:
    """`text`, or its head and tail with a sentence between them that says how much is left out.

    Args:
        text: any text.
        max_chars: how long the outcome may be, the sentence included.
    """
    if len(text) <= max_chars:
        return text
    note = f"\n[… {len(text):,} characters in all; the middle is omitted …]\n"
    room = max_chars - len(note)
    if room < 2:
        return text[:max_chars]
    head = room * 2 // 3
    return text[:head] + note + text[len(text) - (room - head) :]


def _as_text(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value if value.strip() else EMPTY_TEXT
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except Exception:  # a value's own methods may raise anything
        return in_words(value) or NOTHING


def in_words(value: Any) -> str:
    """`str(value)`, or a note about it where that fails.

    Args:
        value: any value, an exception too.
    """
    try:
        return str(value)
    except Exception as error:
        return f"(a {type(value).__name__} whose text cannot be had: {type(error).__name__})"


def _plain(value: Any) -> Any:
    """A value that JSON has, in place of one that it has not."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if hasattr(value, "model_dump"):  # a pydantic model
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return dict(value) if isinstance(value, Mapping) else str(value)
