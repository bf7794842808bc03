"""Make the text that the model reads of what a tool returned.

In: any Python value. Out: text, never empty, never longer than a limit. Characters stay as they
are: escaped Chinese would cost three times as many tokens and read worse.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from course_pkg.executor.plain import in_words, plain

__all__ = ["MAX_RESULT_CHARS", "in_words", "result_text", "shortened"]

#: A longer result is cut, its head and its tail kept, in characters.
MAX_RESULT_CHARS = 20_000

#: A cut moves back at most so far to come between two whole characters, as a person sees them.
MAX_CLUSTER_CHARS = 64

NOTHING = "Done. The tool returned nothing."
EMPTY_TEXT = "The tool returned an empty text."

JOINER = "\N{ZERO WIDTH JOINER}"


def result_text(value: Any, *, max_chars: int = MAX_RESULT_CHARS) -> str:
    """What the model reads of `value`: text as it is, anything else as JSON.

    Args:
        value: what the tool returned. What JSON does not have (a date, a set) becomes text in it.
        max_chars: how long the text may be.
    """
    text = _as_text(value)
    if not text.isascii():
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
    room = max_chars - len(_cut_note(len(text), len(text)))
    if room < 2:
        return text[:max_chars]
    head = _between_characters(text, room * 2 // 3)
    tail = _between_characters(text, len(text) - (room - room * 2 // 3), forward=True)
    return text[:head] + _cut_note(tail - head, len(text)) + text[tail:]


def _cut_note(omitted: int, length: int) -> str:
    return (
        f"\n[… {omitted:,} characters are omitted here, of {length:,} characters in all. "
        "Ask for less to see more of it …]\n"
    )


def _between_characters(text: str, at: int, *, forward: bool = False) -> int:
    """A place near `at` where a cut does not take an accent or a joined emoji apart."""
    step = 1 if forward else -1
    for place in range(at, at + step * MAX_CLUSTER_CHARS, step):
        if not 0 < place < len(text):
            return at
        if not _belong_together(text[place - 1], text[place]):
            return place
    return at


def _belong_together(left: str, right: str) -> bool:
    if right.isascii():
        return left == "\r" and right == "\n"
    if JOINER in (left, right) or unicodedata.category(right) in ("Mn", "Me", "Mc"):
        return True
    is_tone = "\U0001f3fb" <= right <= "\U0001f3ff"
    flags = all("\U0001f1e6" <= letter <= "\U0001f1ff" for letter in (left, right))
    return is_tone or flags


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value if value.strip() else EMPTY_TEXT
    if value is None:
        return NOTHING
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except Exception:  # it holds what JSON has not
        return json.dumps(plain(value), ensure_ascii=False)
