"""Find a match in time that grows with the text only, whatever the pattern.

In: a tree without looks and back references. Out: an `Automaton`, which follows all ways through
the pattern at once (Thompson, "Regular Expression Search Algorithm", CACM 11(6), 1968) and keeps
the steps it has worked out. Slower than Python's engine on easy patterns, never stuck on hard ones.
"""

from __future__ import annotations

import bisect
from typing import TypeAlias

from course_pkg.schema.patterns.characters import WORD, Ranges
from course_pkg.schema.patterns.tree import (
    Again,
    Characters,
    Edge,
    Either,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
)

#: Larger automata are not built.
MAX_STATES = 20_000

#: Work on one text, in states looked at.
MAX_WORK = 2_000_000

#: Steps that are kept. More are forgotten and worked out again.
MAX_KEPT_STEPS = 4_096

States: TypeAlias = frozenset[int]


class TooLargeError(ValueError):
    """The pattern cannot be made into an automaton, or the text is too long for it."""


class Automaton:
    """A pattern, ready to be looked for.

    Each state has either a set of characters that leads to the next state, or an edge (`^`) that
    must hold, or ways on that take no character.
    """

    def __init__(self, node: Node) -> None:
        """Build it.

        Raises:
            TooLargeError: if it would be too large, or the tree holds a look or a back reference.
        """
        self._characters: dict[int, tuple[list[int], list[int], int]] = {}
        self._edges: dict[int, tuple[str, int]] = {}
        self._ways: dict[int, tuple[int, ...]] = {}
        self._count = 1  # state 0 is the end
        self._start = self._build(node, 0)
        self._kept: dict[tuple[States, str, str], tuple[bool, States]] = {}

    def is_found_in(self, text: str) -> bool:
        """Whether the pattern matches anywhere in a text.

        Raises:
            TooLargeError: if that takes too much work.
        """
        states: States = frozenset()
        before, work = "", 0
        for sign in (*text, ""):
            step = self._kept.get((states, before, sign))
            if step is None:
                work += len(states) + 1
                step = self._step(states, before, sign)
            ended, states = step
            if ended:
                return True
            if work > MAX_WORK:
                raise TooLargeError
            before = _kind(sign)
        return False

    def _step(self, states: States, before: str, sign: str) -> tuple[bool, States]:
        if len(self._kept) >= MAX_KEPT_STEPS:
            self._kept.clear()
        reached = self._closure({*states, self._start}, before, _kind(sign))
        code = ord(sign) if sign else -1
        found = frozenset(
            target
            for state in reached
            if state in self._characters
            for firsts, lasts, target in (self._characters[state],)
            if _holds(firsts, lasts, code)
        )
        self._kept[states, before, sign] = (0 in reached, found)
        return 0 in reached, found

    def _closure(self, states: set[int], before: str, after: str) -> set[int]:
        waiting = list(states)
        reached = set(states)
        while waiting:
            state = waiting.pop()
            ways = self._ways.get(state, ())
            if state in self._edges:
                kind, target = self._edges[state]
                ways = (target,) if _at(kind, before, after) else ()
            fresh = [way for way in ways if way not in reached]
            reached.update(fresh)
            waiting += fresh
        return reached

    def _new(self) -> int:
        if self._count >= MAX_STATES:
            raise TooLargeError
        self._count += 1
        return self._count - 1

    def _build(self, node: Node, then: int) -> int:
        """The state from which `node` leads to `then`."""
        if isinstance(node, Characters):
            state = self._new()
            self._characters[state] = (*_columns(node.ranges), then)
            return state
        if isinstance(node, Edge):
            state = self._new()
            self._edges[state] = (node.kind, then)
            return state
        return self._build_parts(node, then)

    def _build_parts(
        self, node: Sequence | Either | Repeat | Group | Look | Again, then: int
    ) -> int:
        if isinstance(node, Look | Again):
            raise TooLargeError
        if isinstance(node, Sequence):
            for part in reversed(node.parts):
                then = self._build(part, then)
            return then
        if isinstance(node, Either):
            return self._fork(*(self._build(option, then) for option in node.options))
        return self._build(node.part, then) if isinstance(node, Group) else self._repeat(node, then)

    def _fork(self, *ways: int) -> int:
        state = self._new()
        self._ways[state] = ways
        return state

    def _repeat(self, node: Repeat, then: int) -> int:
        end = then
        if node.most is None:
            loop = self._new()
            self._ways[loop] = (self._build(node.part, loop), then)
            end = loop
        else:
            for _ in range(node.most - node.least):
                end = self._fork(self._build(node.part, end), then)
        for _ in range(node.least):
            end = self._build(node.part, end)
        return end


def _columns(ranges: Ranges) -> tuple[list[int], list[int]]:
    return [first for first, _ in ranges], [last for _, last in ranges]


def _holds(firsts: list[int], lasts: list[int], code: int) -> bool:
    place = bisect.bisect_right(firsts, code) - 1
    return place >= 0 and code <= lasts[place]


def _kind(sign: str) -> str:
    """What a word's edge wants to know of a character: `w`, `o`, or nothing at an end."""
    if not sign:
        return ""
    return "w" if any(first <= ord(sign) <= last for first, last in WORD) else "o"


def _at(kind: str, before: str, after: str) -> bool:
    if kind == "^":
        return not before
    if kind == "$":
        return not after
    return ((before == "w") != (after == "w")) == (kind == "b")
