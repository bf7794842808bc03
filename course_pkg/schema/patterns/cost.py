"""How many ways Python's engine may try on a text before it gives up.

In: a tree and the length of a text. Out: a number that grows as the engine's worst case does, never
far below it: exact counting would need the engine itself. `(a+)+` costs an exponential number;
`[a-z]+` costs as many as the text is long.
"""

from __future__ import annotations

from course_pkg.schema.patterns.characters import Ranges, joined, overlap
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

#: Costs above this are all the same: too much.
ENDLESS = 1e30


def cost(node: Node, length: int) -> float:
    """Ways to try on a text of `length` characters."""
    starts = 1 if _begins_at_the_start(node) else length + 1
    return min(starts * (_ways(node, length) + _looks(node, length)), ENDLESS)


def _ways(node: Node, length: int) -> float:
    if isinstance(node, Sequence):
        product = 1.0
        for part in node.parts:
            product = min(product * _ways(part, length), ENDLESS)
        return product
    if isinstance(node, Either):
        ways = [_ways(option, length) for option in node.options]
        return max(ways) if _are_told_apart(node.options) else min(sum(ways), ENDLESS)
    if isinstance(node, Group):
        return _ways(node.part, length)
    return _ways_to_repeat(node, length) if isinstance(node, Repeat) else 1.0


def _ways_to_repeat(node: Repeat, length: int) -> float:
    most = length if node.most is None else min(node.most, length)
    counts = max(most - node.least, 0) + 1
    inner = _ways(node.part, length)
    if inner <= 1:
        return float(counts)
    if _is_marked_off(node.part):
        return min(counts * inner, ENDLESS)
    try:
        return min(max(inner, 2.0) ** most * counts, ENDLESS)
    except OverflowError:
        return ENDLESS


def _is_marked_off(node: Node) -> bool:
    """Whether the repetitions of a part can be told apart by a character at one of its ends."""
    inner = node.part if isinstance(node, Group) else node
    if not isinstance(inner, Sequence) or len(inner.parts) < 2:
        return False
    return any(
        isinstance(mark, Characters) and not overlap(mark.ranges, _all_characters(Sequence(rest)))
        for mark, rest in (
            (inner.parts[0], inner.parts[1:]),
            (inner.parts[-1], inner.parts[:-1]),
        )
    )


def _are_told_apart(options: tuple[Node, ...]) -> bool:
    """Whether the first character says which option it can be."""
    firsts = [_first_character(option) for option in options]
    known = [first for first in firsts if first is not None]
    return len(known) == len(firsts) and not any(
        overlap(one, other) for at, one in enumerate(known) for other in known[at + 1 :]
    )


def _first_character(node: Node) -> Ranges | None:
    if isinstance(node, Characters):
        return node.ranges
    if isinstance(node, Sequence):
        return _first_character(node.parts[0]) if node.parts else None
    if isinstance(node, Group) or (isinstance(node, Repeat) and node.least):
        return _first_character(node.part)
    return None


def _all_characters(node: Node) -> Ranges:
    if isinstance(node, Characters):
        return node.ranges
    if isinstance(node, Again):  # it could be anything
        return ((0, 0x10FFFF),)
    return joined(pair for part in _parts(node) for pair in _all_characters(part))


def _parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sequence):
        return node.parts
    if isinstance(node, Either):
        return node.options
    return (node.part,) if isinstance(node, Repeat | Group | Look) else ()


def _looks(node: Node, length: int) -> float:
    """What looking ahead and back costs: it is not tried again once it has succeeded."""
    own = _ways(node.part, length) if isinstance(node, Look) else 0.0
    return min(own + sum(_looks(part, length) for part in _parts(node)), ENDLESS)


def _begins_at_the_start(node: Node) -> bool:
    if isinstance(node, Edge):
        return node.kind == "^"
    if isinstance(node, Sequence):
        return bool(node.parts) and _begins_at_the_start(node.parts[0])
    if isinstance(node, Either):
        return all(map(_begins_at_the_start, node.options))
    return isinstance(node, Group) and _begins_at_the_start(node.part)
