"""Find what somebody wants to be told to somebody: "tell Ada that dinner is at 8".

In: a text. Out: `Utterance`s: to whom, which words, and where they stand. English and Chinese.
The words of a message are hidden from everything else, so that they start no task of their own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from course_pkg.practice.finding import find_quoted, people_in
from course_pkg.practice.found import Found
from course_pkg.practice.words import CJK, lexicon


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """Something to be told.

    Attributes:
        people: to whom.
        body: the words; `None` if there are none.
        start: where the request for it begins.
        end: where it ends.
        is_marked: whether "that", a colon, quotation marks or the like show the words.
    """

    people: tuple[Found, ...]
    body: Found | None
    start: int
    end: int
    is_marked: bool


# Each pattern below has a group `who`, a group `body`, and perhaps a group `mark`: what says that
# the words of the message follow. They go from the surest to the loosest.

_SEND = "(?:send|write|drop|shoot|give|leave)"
_TELL = "(?:tell|inform|notify|remind|warn)"
_TEXT = "(?:message|text|ping|dm|email|mail|msg)"
_ADJECTIVE = "(?:quick|short|brief|urgent|new|little|friendly|important|high priority)"
_NOTE = (
    rf"(?:an?|the|another)?\s*(?:{_ADJECTIVE} )*"
    "(?:message|msg|note|text|dm|e-?mail|mail|line|reminder|ping|sms)"
)
_ONE = (
    r"(?!(?:to|for|of|an?|that|it|me|and)\b)(?:(?:my|the|our)\s+)?[@\w][\w.@'’+-]*"
    r"(?:\s(?-i:(?!I\b)[A-Z][\w'’-]*))?"
)
_NEXT = r"(?:(?:my|the|our)\s+\w+|(?-i:[A-Z])[\w'’-]*|[\w.+-]+@[\w.-]+|\w+(?=$|[.!?]))"
_WHO = rf"(?P<who>{_ONE}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*){_NEXT})*)"
_MARK = (
    r"(?P<mark>\s*[,;]?\s*(?:saying that|that says|which says|that reads|to say(?: that)?|"
    "(?:and )?(?:telling|tell|let) (?:him|her|them)(?: know)?(?: that)?|"
    "with the (?:text|message|content|words|body)|saying|that|"
    r"to let (?:him|her|them) know(?: that)?|:|-|—)\s*:?\s*)"
)
_BODY = "(?P<body>.+)"
_STOP = r"(?=$|[.!?,;](?:\s|$)"
_LATER = r"\s+(?:please|pls|asap|urgently|now|and|then|right|as)\b"
_ENGLISH = (
    # send Ada a note saying ...
    rf"\b{_SEND}\s+{_WHO}\s+{_NOTE}{_MARK}{_BODY}",
    # send a note to Ada: ...
    rf"\b{_SEND}\s+{_NOTE}\s+(?:to|for)\s+{_WHO}{_MARK}{_BODY}",
    # send a note saying ... to Ada
    rf"\b{_SEND}\s+{_NOTE}{_MARK}(?P<body>.+?)\s+to\s+{_WHO}{_STOP})",
    # reply to Ada that ...
    r"\b(?:write|reply|respond|answer|say|get back|speak|talk)\s+(?:back\s+)?to\s+"
    rf"{_WHO}{_MARK}{_BODY}",
    # message for Ada: ...
    rf"\b(?:message|note|text|msg|reminder)\s+(?:for|to)\s+{_WHO}(?P<mark>\s*[:,-]\s*){_BODY}",
    # let Ada know that ...
    rf"\blet\s+{_WHO}\s+know(?P<mark>\s+(?:that\s+)?|\s*:\s*){_BODY}",
    # tell Ada that ...
    rf"\b{_TELL}\s+{_WHO}(?P<mark>\s+(?:that|about the fact that)\s+|\s*[:,]\s*){_BODY}",
    # text Ada: ...
    rf"\b{_TEXT}\s+{_WHO}{_MARK}{_BODY}",
    # send ... to Ada
    r"\b(?:send|forward|deliver|say|message|text|write|pass)\s+"
    rf"(?P<body>(?!an? |the same )\S.*?)\s+(?:over |on )?to\s+{_WHO}{_STOP}|{_LATER})",
    # send a message to Ada
    rf"\b{_SEND}\s+{_NOTE}\s+(?:to|for)\s+{_WHO}(?P<body>)(?=$|[.!?;](?:\s|$))",
    # send Ada ...
    r"\bsend\s+(?P<who>(?!the |it |this |that |an? |out )(?:my\s+)?[\w@.]+)\s+(?P<body>\S.+)",
    # tell Ada ...
    rf"\b(?:{_TELL}|{_TEXT}|ask)\s+"
    rf"(?P<who>{_ONE}(?:(?:\s+and\s+|\s*&\s*)(?-i:[A-Z][\w'’-]*))?)\s+(?P<body>\S.+)",
)

_GIVE = "(?:给|跟|向|往)"
_FORWARD = "(?:发送|转发|转达|转告|告诉|发|传|通知|转)"
_INFORM = "(?:转告|告诉|告知|通知|提醒|回复)"
_SAY = "(?:说一声|说一下|讲一声|讲一下|带个话|捎个话|带句话|说声|说|讲|道)"
_TITLE = "(?:经理|老师|总|医生|先生|女士|主任|教授|同学|师傅|阿姨|叔叔|哥|姐)"
_KNOWN = "(?:老板|同事|大家|妈妈|爸爸|爷爷|奶奶|团队|客户|房东)"
#: A character that may be in a given name: not one that begins what is told.
_GIVEN = r"[^\W\da-zA-Z_我你他她它咱这那明今昨后会在要已不没别快请就都也是有去来把说]"
_PERSON = rf"(?:[@A-Za-z][\w.@-]*(?:\s[A-Z]\w+)?|[{CJK}]{{1,6}}?)"
_PEOPLE = rf"\s?(?P<who>{_PERSON}(?:\s?(?:、|和|跟|以及)\s?{_PERSON})*)\s?"
_MESSAGE = (
    r"(?:一?[条个封则份句下])?(?:紧急|加急|简短|新|重要|急)?的?"
    r"(?:消息|短信|信息|留言|邮件|微信|通知|口信|话)"
)
_SENDING = rf"(?:(?:发送|发|写|留|传|带|捎)(?:去|过去)?{_MESSAGE}|留言|留个言|私信|发微信)"
_COLON = (
    r"(?P<mark>\s*[，,：:]?\s*(?:内容(?:是|为|写)?|就?说(?:一声|一下)?|写上|"
    r"告诉(?:他|她|他们|对方)|正文(?:是|为)?|：|:|，|,|说是)\s*[：:，,]?\s*)"
)
_HALT = r"(?=$|[。！？!?，,；;\s]|然后|再|吧"
_CHINESE = (
    # 给小李发消息说……
    rf"{_GIVE}{_PEOPLE}{_SENDING}{_COLON}{_BODY}",
    # 发消息给小李：……
    rf"(?:发送|发|写|留){_MESSAGE}(?:给|到){_PEOPLE}{_COLON}{_BODY}",
    # 把……发给小李
    rf"(?:把|将)(?P<body>.+?)(?:这(?:条|句)(?:消息|话)?)?\s?{_FORWARD}(?:送)?(?:一下)?(?:给|到)?"
    rf"{_PEOPLE}{_HALT}|一下)",
    # 告诉小李：……
    rf"{_INFORM}{_PEOPLE}(?P<mark>一声|一下)?(?P<mark2>\s*[，,：:]\s*(?:说)?|说){_BODY}",
    # 跟小李说……
    rf"(?:跟|和|对|向|同|给){_PEOPLE}{_SAY}(?P<mark>\s*[，,：:]?\s*(?:说)?){_BODY}",
    # 发……给小李
    rf"(?:发送|发)(?!{_MESSAGE})(?P<body>[^，。：:给]+?)给{_PEOPLE}{_HALT})",
    # 给小李发……
    rf"{_GIVE}{_PEOPLE}(?:发送|发|写|留|传)(?:去|过去)?(?:{_MESSAGE})?(?P<mark>[：:])?"
    r"(?P<body>[^，。！!？?]*)(?=$|[，。！!？?])",
    # 发消息给小李
    rf"(?:发送|发|写){_MESSAGE}(?:给|到){_PEOPLE}(?P<body>)(?=$|[。！？!?])",
    # 告诉小李…… (no mark: the name must be one by its form)
    r"(?:转告|告诉|告知|通知|提醒|问问|问)(?:一下)?"
    rf"(?P<who>[A-Za-z]+|(?:小|老|阿)[{CJK}]|[{CJK}]{{1,2}}?{_TITLE}|{_KNOWN}|"
    rf"[{lexicon().surnames}]{_GIVEN}{{1,2}}(?=[{CJK}]))\s?(?P<body>.+)",
)

#: Words without which no pattern fits. They are looked for first, and patterns are only compiled
#: when needed: a first request about the weather need not wait for them.
_ENGLISH_SIGN = re.compile(
    "send|write|drop|shoot|give|leave|tell|inform|notify|remind|warn|message|text|ping|dm|mail|"
    "msg|repl|respond|answer|say|get back|speak|talk|note|let|forward|deliver|pass|ask",
    re.IGNORECASE,
)
_CHINESE_SIGN = re.compile("[给跟向往发写留把将转告通提回和对同问]")


def _patterns(text: str) -> Iterator[re.Pattern[str]]:
    if _ENGLISH_SIGN.search(text):
        yield from _compiled(_ENGLISH)
    if _CHINESE_SIGN.search(text):
        yield from _compiled(_CHINESE)


@functools.cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in patterns)


#: What ends the words of a message for certain.
_END = re.compile(
    r"[.!?](?=\s+[A-Z])|[。！？；\n]|;\s|\s*[,;]?\s*\b(?:and |& )?(?:please )?(?:mark|flag|"
    r"make|set|treat) (?:it|this|that) (?:as )?(?:an? )?(?:urgent|important|high)\b"
    r"|\s*[,(（，]?\s*(?:it'?s |this is |as )?(?:urgent|urgently|asap|"
    r"high priority)\b[)）.!\s]*$|\s*[,，(（]?\s*(?:很急|比较急|挺急的|加急|紧急|急件|"
    r"请加急)[)）。！!]*$",
    re.IGNORECASE,
)
#: Where the words may end, if a task begins there.
_MAYBE_END = re.compile(
    r"[.!?]\s+|,?\s+(?:and|then|also|plus|after that|"
    r"afterwards)\s+(?:then\s+|also\s+|after that\s+)?|,\s*|，(?:并且|顺便|另外|"
    r"然后|再|同时|还有|接着)?|然后|顺便|并且|另外|接着|还要|再(?=[帮查算读看发给告搜])",
    re.IGNORECASE,
)


class MessageFinder:
    """Finds utterances; it is told what counts as the start of another task."""

    def __init__(self, *, starts_task: Callable[[str], bool]) -> None:
        """Keep the question to ask.

        Args:
            starts_task: called with the rest of a text, says whether another task begins there.
        """
        self._starts_task = starts_task

    def find(self, text: str) -> list[Utterance]:
        """Every utterance, in order."""
        found: list[Utterance] = []
        place = 0
        while (utterance := self._first(text, place)) is not None:
            found.append(utterance)
            place = max(utterance.end, place + 1)
        return found

    def _first(self, text: str, place: int) -> Utterance | None:
        made = [
            self._utterance(match)
            for pattern in _patterns(text)
            if (match := pattern.search(text, place)) is not None
        ]
        good = [item for item in made if item is not None]
        # Patterns come from the surest to the loosest: among those that begin first, the surest.
        return min(good, key=lambda item: item.start) if good else None

    def _utterance(self, match: re.Match[str]) -> Utterance | None:
        people = tuple(people_in(match.group("who"), match.start("who")))
        if not people:
            return None
        start, end = match.span("body")
        groups = match.groupdict()
        marked = bool((groups.get("mark") or groups.get("mark2") or "").strip())
        if start >= match.start("who"):
            end = self._end(match.string, start, end)
        body = _body(match.string, start, end)
        quoted = body is not None and body.strength > 1
        return Utterance(
            people=people,
            body=body,
            start=match.start(),
            end=max(body.end if body else end, people[-1].end),
            is_marked=marked or quoted,
        )

    def _end(self, text: str, start: int, end: int) -> int:
        quoted = next(iter(find_quoted(text[start:end])), None)
        if quoted is not None and not text[start : start + quoted.start].strip(" :：,，"):
            return start + quoted.end
        certain = _END.search(text, start + 1, end)
        end = certain.start() if certain else end
        for maybe in _MAYBE_END.finditer(text, start, end):
            if self._starts_task(text[maybe.end() : end]):
                return maybe.start()
        return end


def _outside(words: str, quoted: list[Found]) -> str:
    return words[: quoted[0].start] + words[quoted[0].end :] if quoted else words


def _body(text: str, start: int, end: int) -> Found | None:
    words = text[start:end]
    quoted = find_quoted(words)
    around = re.sub(r"\b(?:the|message|text|words?|following)\b", "", _outside(words, quoted))
    if len(quoted) == 1 and len(around.strip()) <= 8:
        item = quoted[0]
        return Found(value=item.value, start=start + item.start, end=start + item.end, strength=2.0)
    kept = re.sub(r"^(?:(?:that|saying|to)\s|说|：|:|,|，|\s)+", "", words, flags=re.IGNORECASE)
    start += len(words) - len(kept)
    kept = re.sub(
        r"(?:[\s,，.。;；!！]|\b(?:please|pls|thanks|thank you|thx)\b|谢谢|吧$)+$",
        "",
        kept,
        flags=re.IGNORECASE,
    )
    return Found(value=kept, start=start, end=start + len(kept)) if kept else None
