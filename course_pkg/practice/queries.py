"""Find what to search for, and what is left of a text when the known words are taken out.

In: a text and the offer of the tool. Out: `Found`s. Knows nothing of schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from course_pkg.practice.finding import find_quoted
from course_pkg.practice.found import Found
from course_pkg.practice.offers import Offer
from course_pkg.practice.words import CJK, concepts, lexicon

_TRIGGERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:about|regarding|concerning|related to|mentions?|mentioning)\s+(.+)",
        r"\b(?:search|look|looking|searching|query|browse|find|finding|dig|"
        r"check)\b[^.?!]*?\b(?:for|up|on)\s+(.+)",
        r"\b(?:docs?|documentation|pages?|manual|guide|course|articles?|info|information|"
        r"anything|something|material|chapters?|sections?)\b[^.?!]{0,20}?\b(?:say |says |"
        r"saying )?(?:on|for|covers?|covering|explains?|explaining|describes?|"
        r"describing)\s+(.+)",
        r"((?:how (?:do|does|can|to|should|is|are)|what(?:'s| is| are| does)|why|"
        r"when should|where do)\b.+)",
        r"\b(?:search|find|lookup|query|google|look up)\s+(?:me\s+)?(.+)",
        r"(?:关于|有关|涉及|提到|介绍|讲解|讲到|讲)(?!过|了|"
        r"什么)(.+?)(?:的)?(?:文档|资料|内容|说明|页面|教程|文章|介绍|部分|章节|信息|"
        r"东西|新闻|消息|[前]?[\d一二两三四五六七八九十]+[条个篇]|$|[，。？！?])",
        r"(?:文档|资料|教程|手册|课程|讲义|教材)(?:里|中|里面|上|"
        r"库)?(?:面)?(?:是)?(?:怎么|如何|有没有|有哪些|哪里|哪儿|搜一下|搜搜|搜索|搜|"
        r"查一下|查查|查找|查|找一下|找找|找)?(?:说|讲|写|提到|介绍|解释)?(?:到|了|"
        r"过)?(?:关于|有关)?(.+)",
        r"(?:搜索|搜寻|检索|查找|查询|搜一下|搜一搜|搜搜|查一下|查一查|查查|找一下|找一找|"
        r"找找|搜|查|找)(?:一下|下)?(.+)",
    )
)
_COUNTS = re.compile(
    r"[,，]?\s*\b(?:and )?(?:(?:give|show|return|list|get|with|i need|i want|just|only|"
    r"limit(?:ed)? to|max(?:imum)?|at most|up to)\s+(?:me\s+)?)*(?:the\s+)?(?:(?:top|"
    r"first|best|at most|up to|max)\s+)?(?:\d+|one|two|three|four|five|six|seven|eight|"
    r"nine|ten)\s+(?:\w+\s+)?(?:results?|hits?|matches|items?|entries|pages?|docs|"
    r"articles?|links?|examples|answers|headlines|stories|titles)(?:\s+(?:only|please|max|"
    r"is enough|are enough))?\b"
    r"|\b(?:top|first|max)\s+(?:\d+|two|three|four|five|ten)\b(?:\s+(?:results?|hits?|only))?"
    r"|[，,]?(?:只要|给我|就要|返回|显示|列出|来|要|最多|取)*(?:前|最多|头|"
    r"最相关的)?[\d一二两三四五六七八九十]+(?:条|个|篇|项|份|页)(?:结果|文档|资料|就行|"
    r"就好|就够了|即可|内容)*",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"^(?:the |some |any |info(?:rmation)? (?:on|about) |anything (?:on|about) |"
    r"something (?:on|about) |docs? (?:on|about|for) |pages? (?:on|about|for) |"
    r"for |about |on |up |关于|有关|一下|下|到|是|讲|说|如何用文档|：|:|，|,|\s)+"
    r"|(?:[\s,，.。?？!！]|\b(?:please|pls|plz|thanks|thank you|for me|in|from|"
    r"within|the|course|our|your|docs?|documentation|manual|guide|there|"
    r"material|pages?)\b|(?:的)?(?:相关)?(?:文档|资料|教程|内容|说明|页面|文章|部分|"
    r"章节|介绍|信息)|"
    r"吗|呢|吧|啊|好吗|谢谢|的|这块|这部分|方面)+$",
    re.IGNORECASE,
)


def search_words(text: str, offer: Offer) -> list[Found]:
    """What to search for: quoted words, what stands after "about" or "search for", or the rest."""
    quoted = find_quoted(text)
    if len(quoted) == 1:
        return quoted
    plain = _COUNTS.sub(lambda match: " " * len(match.group()), text)
    for trigger in _TRIGGERS:
        match = trigger.search(plain)
        found = _tidy(plain, *match.span(1)) if match else None
        if found is not None and _means_something(found.value):
            return [found]
    return leftover(plain, offer)


#: Words for where and how to search say nothing of what to search for.
_PLACES_TO_SEARCH = frozenset({"docs", "search", "file", "help"})


def _means_something(words: str) -> bool:
    about = concepts(words) - _PLACES_TO_SEARCH
    return bool(re.search(rf"[{CJK}]{{2}}|[A-Za-z]{{2}}", words)) and bool(about)


def _tidy(text: str, start: int, end: int) -> Found | None:
    kept = text[start:end]
    stop = re.search(r"[.!?]\s|[。！？\n]|[，,]\s*(?:谢谢|麻烦|please|thanks|\d)", kept)
    kept = kept[: stop.start()] if stop else kept
    while (shorter := _ENDS.sub("", kept)) != kept:
        kept = shorter
    if not kept:
        return None
    start = text.index(kept, start)
    return Found(value=" ".join(kept.split()), start=start, end=start + len(kept))


def leftover(text: str, offer: Offer) -> list[Found]:
    """What is left without words that mean nothing and words of the tool's own name.

    The longest run that stays, as a guess.
    """
    hidden = lexicon().noise.sub(_blank, text)
    for match in lexicon().chinese_words.finditer(hidden):
        if _is_own(lexicon().chinese[match.group()], offer):
            hidden = hidden[: match.start()] + " " * len(match.group()) + hidden[match.end() :]
    hidden = re.sub(r"[A-Za-z]+(?:['’][a-z]+)?", lambda match: _keep(match, offer), hidden)
    runs = re.finditer(rf"[{CJK}]+|[A-Za-z][\w'-]*(?: [A-Za-z][\w'-]*)*", hidden)
    found = [
        Found(value=run.group(), start=run.start(), end=run.end(), strength=0.4)
        for run in runs
        if len(run.group()) > 1
    ]
    return sorted(found, key=lambda item: -_size(item.value))[:1]


def _is_own(found: Iterable[str], offer: Offer) -> bool:
    """Whether a word belongs to the tool, not to what it is asked for."""
    own = offer.name_concepts | _PLACES_TO_SEARCH if offer.with_role("query") else offer.weights
    return any(item in own for item in found)


def _size(words: str) -> int:
    return len(words) * (2 if re.search(f"[{CJK}]", words) else 1)


def _keep(match: re.Match[str], offer: Offer) -> str:
    word = match.group()
    if word.lower() in lexicon().function_words or concepts(word) & offer.name_concepts:
        return _blank(match)
    return word


def _blank(match: re.Match[str]) -> str:
    return "  " + " " * (len(match.group()) - 2) if len(match.group()) > 1 else " "
