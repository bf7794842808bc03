"""Write a pattern's tree in the words of Python's `re`.

In: a tree. Out: a text for `re.compile`, and the set of a part for a person to read.
"""

from __future__ import annotations

from course_pkg.schema.patterns.characters import ANYTHING, Ranges
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

#: Word characters are ASCII's, as in ECMA-262, so word edges are written out.
WORD = "[0-9A-Za-z_]"
EDGES = {
    "^": r"\A",
    "$": r"\Z",
    "b": f"(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))",
    "B": f"(?:(?<={WORD})(?={WORD})|(?<!{WORD})(?!{WORD}))",
}


def rendered(node: Node) -> str:
    """The tree as a text that `re` understands in the same way."""
    if isinstance(node, Characters):
        return _set(node.ranges)
    if isinstance(node, Sequence):
        return "".join(map(_part, node.parts))
    if isinstance(node, Either):
        return "|".join(map(rendered, node.options))
    if isinstance(node, Repeat):
        return f"{_part(node.part, repeated=True)}{_counts(node)}{'?' * node.lazy}"
    if isinstance(node, Edge):
        return EDGES[node.kind]
    return _bracket(node)


def _bracket(node: Group | Look | Again) -> str:
    if isinstance(node, Again):
        named = not node.group.isdecimal()
        return f"(?P={node.group})" if named else f"(?:\\{node.group})"
    if isinstance(node, Look):
        return f"({node.opening}{rendered(node.part)})"
    return f"({f'?P<{node.name}>' if node.name else ''}{rendered(node.part)})"


def _part(node: Node, *, repeated: bool = False) -> str:
    loose = isinstance(node, Either) or (repeated and isinstance(node, Sequence | Repeat | Edge))
    return f"(?:{rendered(node)})" if loose else rendered(node)


def _counts(node: Repeat) -> str:
    most = "" if node.most is None else node.most
    signs = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    return signs.get((node.least, node.most), f"{{{node.least},{most}}}")


def _set(ranges: Ranges) -> str:
    if not ranges:
        return "(?!)"
    if ranges == ANYTHING:
        return r"[\s\S]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _code(ranges[0][0])
    return f"[{''.join(_code(a) if a == b else f'{_code(a)}-{_code(b)}' for a, b in ranges)}]"


def _code(code: int) -> str:
    letter = chr(code)
    if letter.isascii() and letter.isalnum():
        return letter
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
