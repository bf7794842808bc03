"""The two eras of the protocol: 2025-11-25 with its handshake, and 2026-07-28 without.

In: what a user says, or a version. Out: what the SDK calls it, or the era's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

#: What the SDK calls a way to agree on a protocol.
Mode: TypeAlias = Literal["auto", "legacy", "2026-07-28"]

#: Empty where nothing is agreed on.
Era: TypeAlias = Literal["legacy", "modern", ""]

MODERN: Mode = "2026-07-28"

#: What may be said for an era → what the SDK calls it.
MODES: Mapping[str, Mode] = {
    "auto": "auto",
    "legacy": "legacy",
    "2025-11-25": "legacy",
    "modern": MODERN,
    MODERN: MODERN,
}


def mode_of(era: str) -> Mode:
    """What the SDK calls an era.

    Args:
        era: one of `MODES`.

    Raises:
        ValueError: if there is no such era.
    """
    if era not in MODES:
        raise ValueError(f"There is no era {era!r}. Choose one of {', '.join(MODES)}.")
    return MODES[era]


def era_of(version: str) -> Era:
    """The era of a protocol version.

    Args:
        version: a date such as `2025-11-25`, or an empty text.
    """
    if not version:
        return ""
    return "modern" if version >= MODERN else "legacy"
