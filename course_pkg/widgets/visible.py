r"""Make any text safe to show: as markup inert, and with no character that hides or reorders.

In: text from a payload, which may be hostile. Out: text for a page or for plain output. What cannot
be seen is written as a JSON escape (`\u202e`), so that JSON stays the same JSON.
"""

from __future__ import annotations

import html
import json
import re
from typing import Final

#: Control characters but tab and line feed; bidirectional, zero-width and other format characters;
#: the line and paragraph separators; lone surrogates; tags and selectors that carry hidden text.
#: A fixed list, since the classes of Unicode differ between versions of Python.
UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text, with each unseen character written as an escape.

    Args:
        text: anything, lone surrogates included.

    Returns:
        Text that can always be encoded as UTF-8.
    """
    return UNSEEN.sub(_escape, text)


def markup(text: str) -> str:
    """The same for the inside of an element: no character of it is markup.

    Unseen characters stand in `<em>`, so that a reader can tell them from a typed backslash.
    """
    return UNSEEN.sub(lambda found: f"<em>{_escape(found)}</em>", html.escape(text, quote=False))


def cut(text: str, limit: int) -> str:
    """The text in at most `limit` characters; an ellipsis is the last if it was longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]
