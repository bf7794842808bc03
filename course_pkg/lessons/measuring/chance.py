"""How much of a measured difference may be chance: an interval, and a test for pairs.

In: counts. Out: numbers from 0 to 1. Only the standard library. Knows nothing of tools.
"""

from __future__ import annotations

import math

#: The normal distribution has 95 % of its weight within so many standard deviations.
Z_95 = 1.959963984540054


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share after Wilson: between which two shares the true one may lie.

    Args:
        right: how many were right.
        of: how many there were; at least 1.

    Returns:
        The lower and the upper end, from 0 to 1.

    Raises:
        ValueError: if the counts are none.
    """
    if not 0 <= right <= of or of < 1:
        raise ValueError(f"{right} of {of} is no share. Give 0 <= right <= of, and at least one.")
    share, square = right / of, Z_95 * Z_95
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = Z_95 * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def mcnemar(lost: int, gained: int) -> float:
    """How likely a difference at least as large is when there is none: the exact McNemar test.

    The same requests are put to two toolboxes. Only those count that the two answer differently.
    Without a real difference each of them is a coin's throw.

    Args:
        lost: requests that only the first toolbox got right.
        gained: requests that only the second got right.

    Returns:
        A probability from 0 to 1, for differences in both directions. Below 0.05 is the usual limit
        for calling a difference shown.

    Raises:
        ValueError: if a count is below 0.
    """
    if lost < 0 or gained < 0:
        raise ValueError(f"{lost} lost and {gained} gained: counts are 0 or more.")
    changed = lost + gained
    tail = sum(math.comb(changed, count) for count in range(min(lost, gained) + 1))
    return float(min(1.0, 2 * tail / 2**changed))
