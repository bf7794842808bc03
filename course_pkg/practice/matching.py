"""Choose the tool that a piece of text asks for, by comparing it with the definitions.

In: a text and the offers. Out: a score for each. Words count by where the definition has them
(name, description, parameters) and by how few of the tools share them; values of the right form
(a file name for a path, a sum for an expression) count too. No tool is known by name beforehand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from course_pkg.practice.finding import find
from course_pkg.practice.offers import Offer, Parameter, enum_of, type_of
from course_pkg.practice.words import closed, concepts, first_concepts, lexicon

#: A score from which on a tool is called.
THRESHOLD = 1.9
#: Weights of evidence by form: the role of a parameter, and what a value of that form adds.
_EVIDENCE = {
    "expression": 3.0,
    "path": 3.0,
    "url": 2.0,
    "email": 1.0,
    "currency": 1.0,
    "language": 0.8,
    "place": 0.6,
    "person": 0.4,
    "phone": 0.6,
}
_KNOWLEDGE = re.compile(
    r"\b(?:why|explain|what(?:'s| is| are| does) (?:a|an|the meaning|the difference)|"
    r"what causes|how (?:do|does|did|can|to|should) )"
    r"|\bwhat does .{1,40} mean\b|\banything (?:in|about|on)\b"
    r"|\bdoes the (?:course|manual|documentation)\b"
    r"|有没有(?:讲|介绍|关于|说|提到)|为什么|解释|是什么意思|什么是|怎么(?!样|走)|如何",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\b(?:do you (?:like|love|think|feel)|i (?:really )?(?:like|love|hate|enjoy)|"
    r"your favou?rite|are you)\b"
    r"|你喜欢|我喜欢|我讨厌|你觉得自己|你是谁|你是",
    re.IGNORECASE,
)
_HOW_TO = 1.2
#: What the first telling word of a text adds for its tool, and what a wish to tell something adds.
_HEAD = 0.8
_TELLS = 2.2
#: What a tool loses against others if its file name, sum or address is nowhere in the text.
_LACKING = 1.2
_CLEAR_FORMS = frozenset({"path", "expression", "url"})


@dataclass(frozen=True, kw_only=True)
class Match:
    """A tool and how well a text fits it.

    Attributes:
        offer: the tool.
        score: the higher the better; from `THRESHOLD` on it is asked for.
    """

    offer: Offer
    score: float


class Matcher:
    """Compares texts with one set of tools."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        """Find out how each concept is shared out among the tools."""
        self.offers = offers
        squares: dict[str, float] = {}
        for offer in offers:
            for concept, weight in offer.weights.items():
                squares[concept] = squares.get(concept, 0.0) + weight * weight
        self._norms = {concept: math.sqrt(square) for concept, square in squares.items()}
        self._cache: dict[tuple[str, bool], Match | None] = {}

    def best(self, text: str, *, tells: bool = False) -> Match | None:
        """The tool that fits best, or `None` if none reaches the threshold.

        Args:
            text: the words to compare.
            tells: whether they ask to tell somebody something.
        """
        key = (text, tells)
        if key not in self._cache:
            good = [item for item in self.ranked(text, tells=tells) if item.score >= THRESHOLD]
            # Of the tools that are asked for, one whose file name or sum is there comes first.
            good.sort(key=lambda match: _lacking(text, match.offer) - match.score)
            self._cache[key] = good[0] if good else None
        return self._cache[key]

    def ranked(self, text: str, *, tells: bool = False) -> list[Match]:
        """Every tool, the best first; equals stay in the order of the request."""
        found = [
            Match(offer=offer, score=self.score(text, offer, tells=tells)) for offer in self.offers
        ]
        return sorted(found, key=lambda match: -match.score)

    def score(self, text: str, offer: Offer, *, tells: bool = False) -> float:
        """How well one tool fits a text."""
        plain = _without_names(text)
        words = concepts(plain)
        score = sum(self._word_score(concept, offer) for concept in sorted(words))
        score += sum(_form_score(text, parameter) for parameter in offer.parameters)
        score += _HEAD if first_concepts(plain) & _strong(offer) else 0.0
        score += _TELLS if tells and offer.with_role("message") else 0.0
        return self._temper(score, text, words, offer)

    def _word_score(self, concept: str, offer: Offer) -> float:
        """A word that only this tool's definition has counts in full, a shared one in part."""
        weight = offer.weights.get(concept, 0.0)
        if not weight:
            return 0.0
        share = weight / self._norms[concept]
        if concept in lexicon().weak:
            return weight * share * 0.55
        if concept.startswith("="):
            return weight * share * (0.75 if weight >= 3 else 0.55)
        return weight * share

    def _temper(self, score: float, text: str, words: frozenset[str], offer: Offer) -> float:
        """Questions about the world are for tools that look things up, small talk is for none."""
        looks_up = "search" in _strong(offer) or "docs" in offer.name_concepts
        if "creative" in words and "creative" not in offer.weights:
            return score * 0.2
        if _OPINION.search(text):
            return score * 0.3
        if _KNOWLEDGE.search(text) and not _has_form(text, offer):
            return score + _HOW_TO if looks_up and score > 0 else score * 0.5
        return score


def _without_names(text: str) -> str:
    """The text without file names and addresses: words inside them are not meant as words."""
    for role in ("path", "email", "url"):
        for item in find(role, text):
            text = text[: item.start] + " " * (item.end - item.start) + text[item.end :]
    return text


def _lacking(text: str, offer: Offer) -> float:
    lacks = any(
        item.is_required and item.role in _CLEAR_FORMS and not find(item.role, text)
        for item in offer.parameters
    )
    return _LACKING if lacks else 0.0


def _strong(offer: Offer) -> set[str]:
    return {concept for concept, weight in offer.weights.items() if weight >= 2}


def _has_form(text: str, offer: Offer) -> bool:
    strong = {"expression", "path", "place", "currency", "url"}
    return any(find(item.role, text) for item in offer.parameters if item.role in strong)


def _form_score(text: str, parameter: Parameter) -> float:
    score = 0.0
    weight = _EVIDENCE.get(parameter.role, 0.0)
    if weight and any(item.strength >= 0.8 for item in find(parameter.role, text)):
        score += weight
    items = parameter.schema.get("items")
    if isinstance(items, dict) and type_of(items) in {"number", "integer"}:
        score += 1.0 if len(find("number", text)) > 1 else 0.0
    values = [value for value in enum_of(parameter.schema) if isinstance(value, str)]
    if values and closed([value.replace("_", " ") for value in values]).search(text):
        score += 0.5
    pattern = safe_pattern(parameter.schema.get("pattern"))
    if pattern is not None and any(pattern.fullmatch(word) for word in _words(text)):
        score += 2.0
    return score


def _words(text: str) -> list[str]:
    return [
        word.strip(".,;:!?()\"'")
        for word in re.findall(r"[^\s，。！？、“”\u4e00-\u9fff]{1,64}", text)
    ]


def safe_pattern(pattern: object) -> re.Pattern[str] | None:
    """A schema's pattern, if it cannot take long: no repetition of a group, no very long one."""
    if not isinstance(pattern, str) or len(pattern) > 200 or re.search(r"\)[*+{?]", pattern):
        return None
    if len(re.findall(r"[*+]|\{\d*,", pattern)) > 3 or pattern in {".*", ".+", "^.*$", "^.+$"}:
        return None
    try:
        return re.compile(pattern.removeprefix("^").removesuffix("$"), re.ASCII)
    except (re.error, OverflowError, RecursionError):
        return None


def pattern_words(text: str, pattern: re.Pattern[str]) -> list[str]:
    """The words of a text that match a pattern from end to end."""
    return [word for word in _words(text) if pattern.fullmatch(word)]
