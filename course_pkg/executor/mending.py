"""Mend arguments that are no JSON, where the mending cannot be wrong.

In: a text that strict reading has refused. Out: its value and notes in code words, or nothing. Each
repair is made around texts in quotes, never inside them, and its outcome is read strictly again.

What is not mended, since it would be a guess: quotes are never replaced, brackets never closed,
nothing after the object is dropped, and an unreadable text never becomes `{}`. So arguments that
were cut off stay unreadable, wherever the cut is.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Sequence
from typing import Any, TypeAlias

from course_pkg.executor.decoding import ArgumentsError, decoded

Mended: TypeAlias = tuple[Any, tuple[str, ...]]

#: A longer text is not read as Python: its reader takes many times the text's size in memory.
MAX_PYTHON_CHARS = 100_000

FENCE = "```"
#: An invisible character that some programs put in front of a text.
BYTE_ORDER_MARK = "\ufeff"
#: What may stand behind the opening fence: a language.
LANGUAGE = re.compile(r"[A-Za-z0-9_+-]*")

#: A text in double quotes (to the end where it is not closed), a comma that nothing stands before,
#: or a comma that nothing follows.
PART = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*+(?:"|\\?\Z))|(?P<odd>[\[{]\s*,)|,(?=\s*[}\]])', re.DOTALL
)

#: A text as Python writes it, with the escapes that mean something.
PYTHON_TEXT = re.compile(
    r"""(?s:(["'])(?:[^\\]|\\(?:[\\'"abfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*+)"""
)

#: In JSON, line ends and tabs stand in a text as escapes. Written as they are they mean the same.
RAW = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def mended(text: str) -> Mended | None:
    """The value of a text that is no JSON, and what was mended; `None` where it would be a guess.

    Args:
        text: the arguments as the model wrote them.
    """
    inner, notes = _without_fence(text)
    found = _as_json(inner) or _as_python(inner)
    return (found[0], (*notes, *found[1])) if found else None


def _without_fence(text: str) -> tuple[str, tuple[str, ...]]:
    """The text inside one fence around everything. A fence that is not closed stays."""
    if text.startswith(BYTE_ORDER_MARK):
        return text.removeprefix(BYTE_ORDER_MARK), ("byte_order_mark",)
    bare = text.strip()
    if len(bare) < 2 * len(FENCE) or not (bare.startswith(FENCE) and bare.endswith(FENCE)):
        return text, ()
    inner = bare[len(FENCE) : -len(FENCE)]
    language = LANGUAGE.match(inner)
    return inner[language.end() if language else 0 :], ("code_fence",)


def _as_json(text: str) -> Mended | None:
    notes: list[str] = []

    def repair(part: re.Match[str]) -> str:
        if part["odd"]:
            return part[0]
        quoted = part["text"]
        if quoted is None:
            notes.append("trailing_comma")
            return ""
        if any(raw in quoted for raw in RAW):
            notes.append("raw_line_break")
        return "".join(RAW.get(character, character) for character in quoted)

    try:
        value = decoded(PART.sub(repair, text))
    except ArgumentsError:
        return None
    return value, tuple(dict.fromkeys(notes))


def _as_python(text: str) -> Mended | None:
    """A dict as Python writes it: `{'port': "St. Mary's", 'urgent': True}`."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")) or len(text) > MAX_PYTHON_CHARS:
        return None
    try:
        if _is_plain(text):
            return _value(ast.parse(text, mode="eval").body), ("python_literal",)
    except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        pass
    return None


def _is_plain(text: str) -> bool:
    """Whether the text is made of brackets, texts, numbers and words, and nothing would be lost.

    Two texts in a row would be joined, a comment dropped, and a backslash before an ordinary letter
    is a guess. So is a name: it is no value.
    """
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    texts = [token.type == tokenize.STRING for token in tokens if token.type != tokenize.NL]
    return all(map(_is_expected, tokens)) and (True, True) not in itertools.pairwise(texts)


def _is_expected(token: tokenize.TokenInfo) -> bool:
    if token.type == tokenize.STRING:
        return PYTHON_TEXT.fullmatch(token.string) is not None
    if token.type == tokenize.NAME:
        return token.string in ("True", "False", "None")
    if token.type == tokenize.OP:
        return token.string in "{}[]():,-"
    return token.type in (tokenize.NUMBER, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)


def _value(node: ast.expr) -> Any:
    """The value of a literal that JSON has too. Raises `ValueError` for anything else."""
    if isinstance(node, ast.Dict):
        return _object(node)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item) for item in node.elts]
    value = ast.literal_eval(node)
    if not isinstance(value, str | int | float | None) or value in (float("inf"), float("-inf")):
        raise ValueError("JSON has no such value")
    return value


def _object(node: ast.Dict) -> dict[str, Any]:
    names: Sequence[Any] = [ast.literal_eval(key) if key else None for key in node.keys]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError("names must be texts, each given once")
    return {name: _value(item) for name, item in zip(names, node.values, strict=True)}
