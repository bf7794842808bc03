r"""Read the text of a pattern into a tree.

In: a text. Out: a `Node`. The grammar is that of ECMA-262, section 22.2.1, with the flag `u`, and
as lenient as browsers are without it where that cannot be misread (a lone `]` or `{`).
"""

from __future__ import annotations

import re

from course_pkg.schema.patterns.characters import (
    ANYTHING,
    NAMED,
    NEW_LINE,
    Ranges,
    in_both_cases,
    joined,
    turned,
)
from course_pkg.schema.patterns.tree import (
    Again,
    Characters,
    Edge,
    Either,
    Group,
    Look,
    Node,
    PatternError,
    Repeat,
    Sequence,
)

#: How deep brackets may stand in brackets.
MAX_DEPTH = 50

CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
COUNTED = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
CODE = re.compile(r"u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
LOW_HALF = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
GROUP_NAME = re.compile(r"\?P?<([A-Za-z_]\w*)>", re.ASCII)
NOTHING = Sequence(())
LOOKS = ("?<=", "?<!", "?=", "?!")


def parse(text: str) -> Node:
    """The tree of a pattern.

    Raises:
        PatternError: if it is not one, or holds something that is not understood here.
    """
    reader = _Reader(text)
    node = reader.either(0)
    if reader.at < len(text):
        raise reader.error("a closing bracket has no opening one")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.both_cases = False

    def error(self, why: str) -> PatternError:
        return PatternError(f"{self.text!r} cannot be read at position {self.at}: {why}")

    def take(self, start: str) -> bool:
        found = self.text.startswith(start, self.at)
        self.at += len(start) * found
        return found

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def either(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error("brackets are nested too deeply")
        options = [self.sequence(depth)]
        while self.take("|"):
            options.append(self.sequence(depth))
        return options[0] if len(options) == 1 else Either(tuple(options))

    def sequence(self, depth: int) -> Node:
        parts = []
        while self.next() not in {"", "|", ")"}:
            in_brackets = self.next() == "("
            part = self.repeated(self.atom(depth), in_brackets=in_brackets)
            parts += [part] if part != NOTHING else []
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, part: Node, *, in_brackets: bool) -> Node:
        counts = self.counts()
        if counts is None:
            return part
        if isinstance(part, Edge) and not in_brackets:
            raise self.error("there is nothing to repeat")
        least, most = counts
        lazy = self.take("?")
        if self.next() in {"*", "+", "?"}:
            raise self.error("two signs of repetition stand together")
        return Repeat(part, least, most, lazy)

    def counts(self) -> tuple[int, int | None] | None:
        for sign, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(sign):
                return least, most
        found = COUNTED.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        least = int(found[1])
        most = least if found[2] is None else int(found[3]) if found[3] else None
        if most is not None and most < least:
            raise self.error("the numbers of a repetition are in the wrong order")
        return least, most

    def atom(self, depth: int) -> Node:
        sign = self.next()
        if sign in {"*", "+", "?"}:
            raise self.error("there is nothing to repeat")
        self.at += 1
        if sign in {"^", "$"}:
            return Edge(sign)
        if sign == ".":
            return Characters(turned(NEW_LINE))
        if sign == "[":
            return self.characters(self.set_of_characters())
        if sign == "(":
            return self.group(depth)
        return self.escaped() if sign == "\\" else self.characters(_one(ord(sign)))

    def characters(self, ranges: Ranges) -> Characters:
        return Characters(in_both_cases(ranges) if self.both_cases else ranges)

    def group(self, depth: int) -> Node:
        if self.take("?i)"):
            self.both_cases = True
            return NOTHING
        for opening in LOOKS:
            if self.take(opening):
                return Look(self.closed(depth), opening)
        if self.take("?:"):
            return self.closed(depth)
        if self.take("?P="):
            return self.named_again()
        if named := GROUP_NAME.match(self.text, self.at):
            self.at = named.end()
            return Group(self.closed(depth), named[1])
        if self.next() == "?":
            raise self.error(f"{self.text[self.at - 1 : self.at + 3]!r} is not known here")
        return Group(self.closed(depth))

    def closed(self, depth: int) -> Node:
        inner = self.either(depth + 1)
        if not self.take(")"):
            raise self.error("a bracket is not closed")
        return inner

    def named_again(self) -> Node:
        name, _, _ = self.text[self.at :].partition(")")
        self.at += len(name) + 1
        return Again(name)

    def escaped(self) -> Node:
        letter = self.next()
        self.at += 1
        edge = {"b": "b", "B": "B", "A": "^", "Z": "$"}.get(letter)
        if edge:
            return Edge(edge)
        if letter in NAMED:
            return Characters(NAMED[letter])
        if letter == "k" and (named := re.compile(r"<(\w+)>").match(self.text, self.at)):
            self.at = named.end()
            return Again(named[1])
        if letter in set("123456789"):
            digits = re.compile(r"\d*", re.ASCII).match(self.text, self.at)
            self.at += len(digits[0]) if digits else 0
            return Again(letter + (digits[0] if digits else ""))
        self.at -= 1
        return self.characters(_one(self.code()))

    def code(self) -> int:
        """The code point that stands after a backslash."""
        letter = self.next()
        if found := CODE.match(self.text, self.at):
            self.at = found.end()
            return self.whole(int(found[1] or found[2] or found[3], 16))
        self.at += 1
        if letter == "c" and self.next().isascii() and self.next().isalpha():
            self.at += 1
            return ord(self.text[self.at - 1].upper()) - 64
        if letter in CONTROLS or letter == "0":
            return CONTROLS.get(letter, 0)
        if not letter or (letter.isascii() and letter.isalnum()):
            self.at -= 1
            raise self.error(f"'\\{letter}' is not known here{self.advice(letter)}")
        return ord(letter)

    def advice(self, letter: str) -> str:
        if letter in {"p", "P"}:
            return ". Name the characters, such as [A-Za-zÀ-ÿ], or leave the pattern out"
        return ""

    def whole(self, code: int) -> int:
        r"""A character of two halves, such as `\ud83d\ude00`, is one."""
        low = LOW_HALF.match(self.text, self.at)
        if low is None or not 0xD800 <= code < 0xDC00:
            return code
        self.at = low.end()
        return 0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)

    def set_of_characters(self) -> Ranges:
        negated = self.take("^")
        found: list[tuple[int, int]] = []
        while not self.take("]"):
            found += self.range_of_characters()
        ranges = joined(found)
        if self.both_cases and negated:
            ranges = in_both_cases(ranges)
        return turned(ranges) if negated else ranges

    def range_of_characters(self) -> Ranges:
        first = self.member()
        if len(first) != 1 or first[0][0] != first[0][1] or not self.a_range_follows():
            return first
        self.at += 1
        last = self.member()
        if len(last) != 1 or last[0][0] != last[0][1]:
            return joined([*first, (45, 45), *last])
        if last[0][0] < first[0][0]:
            raise self.error("a range of characters is in the wrong order")
        return ((first[0][0], last[0][0]),)

    def a_range_follows(self) -> bool:
        return self.next() == "-" and self.text[self.at + 1 : self.at + 2] not in {"", "]"}

    def member(self) -> Ranges:
        sign = self.next()
        if not sign:
            raise self.error("a set of characters is not closed")
        self.at += 1
        if sign != "\\":
            return _one(ord(sign))
        letter = self.next()
        if letter in NAMED or letter == "b":
            self.at += 1
            return NAMED.get(letter, _one(8))
        return _one(self.code())


def _one(code: int) -> Ranges:
    return ((code, code),) if code <= ANYTHING[0][1] else ()
