"""A pattern, ready to be looked for in texts, each time in bounded time.

In: the text of a pattern. Out: a `Pattern`. Python's engine does the work where it cannot run away;
the automaton does it elsewhere; where neither can, the text is too long for the pattern.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from course_pkg.schema.patterns.automaton import Automaton, TooLargeError
from course_pkg.schema.patterns.cost import cost
from course_pkg.schema.patterns.parsing import parse
from course_pkg.schema.patterns.rendering import rendered
from course_pkg.schema.patterns.tree import Edge, Either, Group, Node, Sequence
from course_pkg.schema.patterns.tree import PatternError as PatternError

#: Ways that Python's engine may have to try on one text: about a tenth of a second.
MAX_WAYS = 3_000_000

#: A pattern that costs more than this on a text of 100 characters could run away in other engines.
LONG_TEXT = 100

#: Lengths for which the cost is worked out, once for each pattern.
LENGTHS = (0, 8, 12, 16, 24, 50, 100, 200, 500, 1_000, 2_000, 10_000, 100_000, 1_000_000)

MAX_KEPT_PATTERNS = 512


class PatternTooSlowError(ValueError):
    """A text is too long to be held against a pattern in bounded time."""


class Pattern:
    """One pattern.

    Attributes:
        text: as it stands in the schema.
        python: the same in the words of Python's `re`.
        could_run_away: whether an engine that goes back and tries again, as most do, may need more
            time than anyone has.
        is_anchored: whether it is held against the whole text: `^...$`.
    """

    def __init__(self, text: str) -> None:
        """Read a pattern.

        Raises:
            PatternError: if it cannot be read.
        """
        self.text = text
        self._tree = parse(text)
        self.python = rendered(self._tree)
        try:
            self._compiled = re.compile(self.python)
        except (re.error, OverflowError, RecursionError) as error:
            raise PatternError(f"{text!r} cannot be used: {error}") from None
        self._quick_length = max(n for n in LENGTHS if n == 0 or cost(self._tree, n) <= MAX_WAYS)
        self.could_run_away = self._quick_length < LONG_TEXT
        self.is_anchored = _holds_edges(self._tree)

    def is_found_in(self, text: str) -> bool:
        """Whether the pattern matches anywhere in a text: `pattern` is a search.

        Raises:
            PatternTooSlowError: if nobody can say so in bounded time.
        """
        if len(text) <= self._quick_length:
            return self._compiled.search(text) is not None
        try:
            if self._automaton is not None:
                return self._automaton.is_found_in(text)
        except TooLargeError:
            pass
        raise PatternTooSlowError(
            f"a text of {len(text)} characters is too long to be held against {self.text!r}"
        )

    @cached_property
    def _automaton(self) -> Automaton | None:
        try:
            return Automaton(self._tree)
        except (TooLargeError, RecursionError):
            return None


@lru_cache(maxsize=MAX_KEPT_PATTERNS)
def compile_pattern(text: str) -> Pattern:
    """A pattern, read once.

    Raises:
        PatternError: if it cannot be read; the text says where and why.
    """
    return Pattern(text)


def _holds_edges(node: Node) -> bool:
    if isinstance(node, Either):
        return all(map(_holds_edges, node.options))
    if isinstance(node, Group):
        return _holds_edges(node.part)
    parts = node.parts if isinstance(node, Sequence) else (node,)
    return _is_edge(parts[:1], "^") and _is_edge(parts[-1:], "$")


def _is_edge(parts: tuple[Node, ...], kind: str) -> bool:
    return any(isinstance(part, Edge) and part.kind == kind for part in parts)
