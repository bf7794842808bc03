"""Words of English and Chinese, and the concepts behind them.

In: a text. Out: its language, its words, its concepts ("forecast" and "天气" are both `weather`).
The word list is `lexicon.json`; it names no tool. Knows nothing of tools and requests.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

CJK = "\u4e00-\u9fff"
#: Shorter words are not taken for other words with a typing error.
MIN_TYPO_CHARS = 6
_CJK_CHAR = re.compile(f"[{CJK}]")
_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDINGS = (
    "ations",
    "ation",
    "ators",
    "ator",
    "ings",
    "ing",
    "ies",
    "ed",
    "es",
    "er",
    "est",
    "e",
    "y",
    "s",
)


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """The word list, ready for look-ups.

    Attributes:
        stems: from the stem of an English word to its concepts.
        known: from an English word as it is written to its concepts.
        shortened: the same for long words with one letter left out, to recognise typing errors.
        chinese: from a Chinese word to its concepts.
        chinese_words: finds these words in a text, longest first.
        weak: concepts that say little alone, since many tools share them.
        function_words: English words that carry no meaning of their own.
        noise: finds Chinese words that carry no meaning of their own.
        surnames: Chinese family names.
        tables: the other lists, by name, see `table`.
    """

    stems: Mapping[str, tuple[str, ...]]
    known: Mapping[str, tuple[str, ...]]
    shortened: Mapping[str, tuple[str, ...]]
    chinese: Mapping[str, tuple[str, ...]]
    chinese_words: re.Pattern[str]
    weak: frozenset[str]
    function_words: frozenset[str]
    noise: re.Pattern[str]
    surnames: str
    tables: Mapping[str, Mapping[str, str]]


@functools.cache
def lexicon() -> Lexicon:
    """The word list, read once."""
    file = resources.files("course_pkg.practice").joinpath("lexicon.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    stems: dict[str, tuple[str, ...]] = {}
    known: dict[str, tuple[str, ...]] = {}
    chinese: dict[str, tuple[str, ...]] = {}
    for concept, (english_words, chinese_words) in data["concepts"].items():
        for word in english_words.split():
            stems[stem(word)] = known[word] = (*stems.get(stem(word), ()), concept)
        for word in chinese_words.split():
            chinese[word] = (*chinese.get(word, ()), concept)
    tables = (
        "places",
        "currencies",
        "languages",
        "synonyms",
        "weekdays",
        "units",
        "flags",
        "lists",
    )
    return Lexicon(
        stems=stems,
        known=known,
        shortened={
            shorter: known[word]
            for word in known
            if len(word) >= MIN_TYPO_CHARS
            for shorter in _shorter(word)
        },
        chinese=chinese,
        chinese_words=any_of(chinese),
        weak=frozenset(data["weak_concepts"]),
        function_words=frozenset(data["function_words"].split()),
        noise=any_of(data["chinese_noise"].split()),
        surnames=data["surnames"],
        tables={name: data[name] for name in tables},
    )


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds any of `words`, the longest one where several fit."""
    return re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)))


def is_chinese(text: str) -> bool:
    """Whether a text is to be answered in Chinese: at least as many characters as words."""
    characters = len(_CJK_CHAR.findall(text))
    return characters > 0 and characters >= len(_LATIN_WORD.findall(text))


def stem(word: str) -> str:
    """The front part of an English word that its forms share: "reading", "reads" -> "read"."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    return word


def split_name(name: str) -> list[str]:
    """The words in a name of a program: "getTide_now" -> "get", "tide", "now"."""
    return [part.lower() for part in _NAME_PART.findall(name)] + _CJK_CHAR.findall(name)


@functools.lru_cache(maxsize=2048)
def concepts(text: str) -> frozenset[str]:
    """What a text is about: concepts of the word list, other words as they are.

    A word outside the list counts as its stem with a `=` before it, a pair of Chinese characters
    outside the list likewise, so that words that nobody foresaw still match.
    """
    words = lexicon()
    found: set[str] = set()
    for match in _LATIN_WORD.finditer(text):
        for part in _NAME_PART.findall(match.group()) or [match.group()]:
            found.update(_concepts_of_word(part.lower(), words))
    rest = text
    for match in words.chinese_words.finditer(text):
        found.update(words.chinese[match.group()])
        rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
    for run in re.findall(f"[{CJK}]{{2,}}", words.noise.sub(" ", rest)):
        found.update("=" + run[start : start + 2] for start in range(len(run) - 1))
    return frozenset(found)


def first_concepts(text: str) -> frozenset[str]:
    """The concepts of the first word that has any."""
    words = lexicon()
    chinese = words.chinese_words.search(text)
    for match in _LATIN_WORD.finditer(text, 0, chinese.start() if chinese else len(text)):
        if found := [item for item in concepts(match.group()) if not item.startswith("=")]:
            return frozenset(found)
    return frozenset(words.chinese[chinese.group()]) if chinese else frozenset()


def _concepts_of_word(word: str, words: Lexicon) -> Iterable[str]:
    if word in words.function_words or len(word) < 2:
        return ()
    if (stemmed := stem(word)) in words.stems:
        return words.stems[stemmed]
    return ("=" + stemmed, *_concepts_of_typo(word, words))


def _concepts_of_typo(word: str, words: Lexicon) -> tuple[str, ...]:
    """The concepts of a known word that differs by one letter, missing, added, changed or moved."""
    if word in words.shortened:
        return words.shortened[word]
    if len(word) < MIN_TYPO_CHARS:
        return ()
    for shorter in _shorter(word):
        if shorter in words.known:
            return words.known[shorter]
        if shorter in words.shortened:
            return words.shortened[shorter]
    return ()


def _shorter(word: str) -> Iterable[str]:
    return (word[:place] + word[place + 1 :] for place in range(1, len(word)))


def table(name: str) -> Mapping[str, str]:
    """One of the lists: places, currencies, languages, synonyms, weekdays, units, flags."""
    return lexicon().tables[name]


def words(name: str) -> list[str]:
    """One of the short lists of words, such as the names of the numbers."""
    return table("lists")[name].split()


def closed(forms: Iterable[str]) -> re.Pattern[str]:
    """Like `any_of`, but English words only match whole, in any case."""
    parts = [
        re.escape(word)
        if _CJK_CHAR.search(word)
        else rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])"
        for word in sorted(forms, key=len, reverse=True)
    ]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def as_text(value: Any) -> str:
    """A message's content as text: a string as it is, the text parts of an array joined."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(part.get("text", "") for part in value if isinstance(part, dict))
    return ""
