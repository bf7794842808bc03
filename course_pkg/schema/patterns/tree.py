"""What a pattern is made of.

The tree is the same for both engines: `rendering.py` writes it for Python's, `automaton.py` runs
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from course_pkg.schema.patterns.characters import Ranges


class PatternError(ValueError):
    """A pattern cannot be read. The text says why and what to write instead."""


@dataclass(frozen=True)
class Characters:
    """One character of a set."""

    ranges: Ranges


@dataclass(frozen=True)
class Sequence:
    """Parts, one after the other. No parts match the empty text."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Either:
    """One of several."""

    options: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A part several times; `most` is `None` where there is no limit."""

    part: Node
    least: int
    most: int | None
    lazy: bool = False


@dataclass(frozen=True)
class Edge:
    r"""A place between characters: `^`, `$`, `b` (a word's edge) or `B` (no word's edge)."""

    kind: str


@dataclass(frozen=True)
class Group:
    """Brackets that keep what they matched."""

    part: Node
    name: str = ""


@dataclass(frozen=True)
class Look:
    """A look ahead or back that takes no characters. `opening` says which: `?=`, `?<!`."""

    part: Node
    opening: str


@dataclass(frozen=True)
class Again:
    """What a group matched, once more: its number or its name."""

    group: str


Node: TypeAlias = Characters | Sequence | Either | Repeat | Edge | Group | Look | Again
