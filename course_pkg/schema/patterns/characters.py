r"""Sets of characters, as ranges of code points.

In: the names that patterns use for sets (`\d`, `\w`, `\s`, a dot). Out: sorted ranges that do not
touch, which can be joined, turned round and compared.

Source of the named sets: ECMA-262, sections 12.2, 12.3 and 22.2.2.9.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

#: Pairs of first and last code point, sorted, apart from each other.
Ranges: TypeAlias = tuple[tuple[int, int], ...]

LAST = 0x10FFFF


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All the ranges as one set."""
    made: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if made and first <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(made[-1][1], last))
        else:
            made.append((first, last))
    return tuple(made)


def turned(ranges: Ranges) -> Ranges:
    """Every character that is not in the set."""
    edges = [-1, *(edge for pair in ranges for edge in pair), LAST + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((before + 1, after - 1) for before, after in gaps if before + 1 <= after - 1)


def overlap(one: Ranges, other: Ranges) -> bool:
    """Whether a character is in both sets."""
    return any(a <= d and c <= b for a, b in one for c, d in other)


def in_both_cases(ranges: Ranges) -> Ranges:
    """The set with the ASCII letters of the other case added."""
    letters = [
        (max(first, low) + shift, min(last, low + 25) + shift)
        for first, last in ranges
        for low, shift in ((65, 32), (97, -32))
        if max(first, low) <= min(last, low + 25)
    ]
    return joined([*ranges, *letters])


DIGITS: Ranges = ((48, 57),)
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACE: Ranges = joined(
    [
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ]
)
NEW_LINE: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
ANYTHING: Ranges = ((0, LAST),)

#: What stands after a backslash → the set it means.
NAMED = {
    "d": DIGITS,
    "D": turned(DIGITS),
    "w": WORD,
    "W": turned(WORD),
    "s": SPACE,
    "S": turned(SPACE),
}
