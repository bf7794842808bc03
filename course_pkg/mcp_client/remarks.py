"""Keep what was odd about a server, in sentences.

In: sentences. Out: each once, in order, without secrets.
"""

from __future__ import annotations

from collections.abc import Callable

#: So many are kept; a server may print for ever.
MAX_REMARKS = 100


class Remarks:
    """What was odd about one server."""

    def __init__(self, hide: Callable[[bytes], bytes]) -> None:
        """Begin with none.

        Args:
            hide: takes secrets out.
        """
        self._hide = hide
        self._kept: dict[str, None] = {}

    @property
    def all(self) -> tuple[str, ...]:
        """The sentences so far."""
        return tuple(self._kept)

    def add(self, sentence: str) -> None:
        """Keep a sentence, unless it is there.

        Args:
            sentence: what was odd.
        """
        if len(self._kept) < MAX_REMARKS:
            self._kept[self.hidden(sentence)] = None

    def hidden(self, text: str) -> str:
        """A text without secrets.

        Args:
            text: any text.
        """
        return self._hide(text.encode("utf-8", "replace")).decode("utf-8", "replace")
