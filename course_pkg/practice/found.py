"""The value for something that was found in a text.

In: nothing. Out: `Found`. Knows nothing of what is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Found:
    """A value and the place in the text that it came from.

    Attributes:
        value: what was found, in the form of an argument.
        start: the first character.
        end: the character after the last.
        strength: how sure it is: 2 is certain by its form, 1 by the words around it, less a guess.
    """

    value: Any
    start: int
    end: int
    strength: float = 1.0

    def overlaps(self, other: Found) -> bool:
        """Whether both use the same characters."""
        return self.start < other.end and other.start < self.end
