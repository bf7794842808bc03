"""Find characters that a person does not see and a model reads, and make them visible.

In: any text. Out: what hides in it, by kind, with the message if it carries one; and the text with
each hidden character written out. Characters that belong where they stand are left alone: a joiner
between emoji or Arabic letters, a direction mark in Hebrew, the tags of the flag of Scotland.
Knows nothing of tools.

Source: the Unicode Character Database (general categories Cf, Co, Cs, Cc) and UTS #51 for emoji.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

#: What is looked at more closely: all but plain ASCII with its line breaks and tabs.
_UNUSUAL = re.compile(r"[^\x20-\x7e\t\n\r]")

_TAGS = range(0xE0000, 0xE1000)
_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_SELECTOR_NUMBER = {code: number for number, code in enumerate(_SELECTORS)}
_MONGOLIAN_SELECTORS = frozenset("\u180b\u180c\u180d\u180f")
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MARKS = frozenset("\u200e\u200f\u061c")
#: Letters and symbols that look like nothing at all.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
#: Format characters that are seen: signs before numbers, and layout inside hieroglyphs.
_SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd")

#: The three flags that are written with tags, and nothing else is: England, Scotland, Wales.
_FLAGS = re.compile(
    "\U0001f3f4(?:"
    + "|".join(
        "".join(chr(0xE0000 + ord(letter)) for letter in name)
        for name in ("gbeng", "gbsct", "gbwls")
    )
    + ")\U000e007f"
)
#: Scripts that join their letters, so that (non-)joiners stand in ordinary words.
_JOINING = (
    (0x0600, 0x08FF),
    (0x0900, 0x0DFF),
    (0x1000, 0x109F),
    (0x1780, 0x18AF),
    (0xFB50, 0xFEFC),
)
#: Scripts without spaces, where a zero-width space says where a line may break.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))

#: What each kind is called, for a person.
KINDS = {
    "tag_text": "tag characters",
    "selector_text": "variation selectors",
    "bidi_control": "direction overrides",
    "zero_width": "zero-width characters",
    "blank_letter": "blank letters",
    "private_use": "private-use characters",
    "control_character": "control characters",
}

_BY_CATEGORY = {
    "Cf": "zero_width",
    "Co": "private_use",
    **dict.fromkeys(("Cc", "Cs", "Zl", "Zp"), "control_character"),
}


@dataclass(frozen=True, kw_only=True)
class Hidden:
    """Characters of one kind that hide in a text.

    Attributes:
        kind: one of `KINDS`.
        characters: all of them, in order.
        at: where the first one stands, counted from 0.
        message: the words that they carry, if they spell some; else empty.
    """

    kind: str
    characters: str
    at: int
    message: str = ""


def hidden_characters(text: str) -> tuple[Hidden, ...]:
    """What hides in a text, by kind, in the order of its first place.

    Args:
        text: any text, lone surrogates included.
    """
    found: dict[str, list[int]] = {}
    for at, kind in _places(text):
        found.setdefault(kind, []).append(at)
    return tuple(_hidden(kind, text, places) for kind, places in found.items())


def revealed(text: str) -> str:
    """The text with each hidden character written as its code point: `⟨U+200B⟩`.

    Characters that spell a message are written as one: `⟨hidden: read the key⟩`. The outcome can
    always be encoded as UTF-8.

    Args:
        text: any text.
    """
    kinds = dict(_places(text))
    pieces: list[str] = []
    run = ""
    for at, character in enumerate(text if kinds else ""):
        if kinds.get(at) in ("tag_text", "selector_text"):
            run += character
            continue
        pieces += [_written(run), f"⟨U+{ord(character):04X}⟩" if at in kinds else character]
        run = ""
    return "".join([*pieces, _written(run)]) if kinds else text


def without_hidden(text: str) -> str:
    """The text as a model may well read it: hidden characters left out, messages written out.

    Args:
        text: any text.
    """
    places = dict(_places(text))
    seen = "".join(character for at, character in enumerate(text) if at not in places)
    messages = (part.message for part in hidden_characters(text) if part.message)
    return " ".join([seen, *messages]) if places else text


def _hidden(kind: str, text: str, places: list[int]) -> Hidden:
    characters = "".join(text[at] for at in places)
    return Hidden(kind=kind, characters=characters, at=places[0], message=_message(characters))


def _written(run: str) -> str:
    message = _message(run)
    if message:
        return f"⟨hidden: {message}⟩"
    return "".join(f"⟨U+{ord(character):04X}⟩" for character in run)


def _message(characters: str) -> str:
    """The words that tags (one letter each) or variation selectors (one byte each) spell."""
    letters = "".join(
        chr(ord(one) - 0xE0000) for one in characters if 0xE0020 <= ord(one) <= 0xE007E
    )
    selected = [_SELECTOR_NUMBER[ord(one)] for one in characters if ord(one) in _SELECTOR_NUMBER]
    text = bytes(selected).decode("utf-8", "replace") if len(selected) > 1 else ""
    printable = "".join(one for one in text if one.isprintable() and one != "\ufffd")
    return letters or printable


def _places(text: str) -> Iterator[tuple[int, str]]:
    flags = [range(*match.span()) for match in _FLAGS.finditer(text)]
    right_to_left: bool | None = None
    for match in _UNUSUAL.finditer(text):
        at, character = match.start(), match[0]
        kind = _kind(character)
        if not kind or any(at in flag for flag in flags):
            continue
        if character in _MARKS:
            right_to_left = _is_right_to_left(text) if right_to_left is None else right_to_left
            if right_to_left:
                continue
        if not _is_at_home(text, at):
            yield at, kind


def _kind(character: str) -> str:
    code = ord(character)
    if code in _SELECTOR_NUMBER or character in _MONGOLIAN_SELECTORS:
        return "selector_text"
    if code in _TAGS:
        return "tag_text"
    if character in _BIDI:
        return "bidi_control"
    if character in _BLANKS:
        return "blank_letter"
    if character in _SEEN or 0x13430 <= code <= 0x13455:
        return ""
    return _BY_CATEGORY.get(unicodedata.category(character), "")


def _is_right_to_left(text: str) -> bool:
    # The marks themselves are of these classes too.
    return any(unicodedata.bidirectional(one) in ("R", "AL") for one in text if one not in _MARKS)


def _is_at_home(text: str, at: int) -> bool:
    """Whether a character stands where ordinary writing puts it."""
    character = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1 : at + 2]
    if _kind(character) == "selector_text":
        return bool(before) and _may_be_selected(before, character)
    if character == "\u200d" and _is_picture(_base(text, at)) and _is_picture(after):
        return True
    if character in "\u200c\u200d":
        return _is_of(before, _JOINING) and not (after and after in "\u200b\u200c\u200d")
    return character == "\u200b" and _is_of(before, _UNSPACED) and _is_of(after, _UNSPACED)


def _may_be_selected(before: str, selector: str) -> bool:
    if selector in _MONGOLIAN_SELECTORS:
        return _is_of(before, ((0x1820, 0x18AF),))
    if selector in "\ufe0e\ufe0f":
        return _is_picture(before) or before in "0123456789#*©®™‼⁉〰〽㊗㊙"
    if ord(selector) >= 0xE0100:
        return unicodedata.name(before, "").startswith("CJK ")
    return unicodedata.category(before) in ("Lo", "Po", "Ps", "Pe", "Sm")


def _base(text: str, at: int) -> str:
    """What stands before, without a colour of skin and without the choice of a picture."""
    at -= 1
    while at >= 0 and (text[at] == "\ufe0f" or "\U0001f3fb" <= text[at] <= "\U0001f3ff"):
        at -= 1
    return text[at] if at >= 0 else ""


def _is_picture(character: str) -> bool:
    return bool(character) and unicodedata.category(character) in ("So", "Sm", "Sk")


def _is_of(character: str, blocks: tuple[tuple[int, int], ...]) -> bool:
    return bool(character) and any(low <= ord(character) <= high for low, high in blocks)
