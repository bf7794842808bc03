"""Letters that look like others.

In: a text or a name. Out: the same with look-alike letters made one. A small table of the letters
that fonts draw alike; the whole of it is UTS #39, "confusables".
"""

from __future__ import annotations

import unicodedata

#: Latin letters, and the Cyrillic, Greek, Armenian and phonetic ones that look like them.
_LOOK_LIKE = {
    "A": "АΑ",
    "B": "ВΒ",
    "C": "С",
    "E": "ЕΕ",
    "H": "НΗ",
    "I": "ІΙӀ",
    "J": "Ј",
    "K": "КΚ",
    "M": "МΜ",
    "N": "Ν",
    "O": "ОΟ",
    "P": "РΡ",
    "S": "Ѕ",
    "T": "ТΤ",
    "X": "ХΧ",
    "Y": "ҮΥ",
    "Z": "Ζ",
    "a": "аα",
    "c": "сϲ",
    "d": "ԁ",
    "e": "еҽ",
    "g": "ɡց",
    "h": "һհ",
    "i": "іι",
    "j": "јϳ",
    "k": "κ",
    "l": "ӏǀ",
    "n": "ո",
    "o": "оοօ",
    "p": "рρ",
    "q": "ԛ",
    "s": "ѕ",
    "u": "սυ",
    "v": "νѵ",
    "w": "ԝ",
    "x": "хχ",
    "y": "уү",
}
_TWINS = str.maketrans({twin: letter for letter, twins in _LOOK_LIKE.items() for twin in twins})
#: Signs and pairs that fonts draw alike, in names.
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_SINGLES = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "5": "s", "2": "z"})


def as_latin(text: str) -> str:
    """A text with full-width forms and letters that look Latin made Latin.

    Args:
        text: any text.
    """
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_TWINS)


def drawn(name: str) -> str:
    """What a name looks like at a glance: `seⅼect_1tem` and `select_item` are the same.

    Args:
        name: a tool's name.
    """
    look = as_latin(name).casefold().translate(_SINGLES)
    for pair, one in _PAIRS:
        look = look.replace(pair, one)
    return look


def alphabets(name: str) -> tuple[str, ...]:
    """The alphabets whose letters stand in a name, out of those that look alike, in order.

    Args:
        name: a tool's name.
    """
    first = (unicodedata.name(one, "").split(" ")[0] for one in name if one.isalpha())
    return tuple(dict.fromkeys(word for word in first if word in ALPHABETS))


ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN")
