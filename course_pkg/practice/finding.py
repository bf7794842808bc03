"""Find values in what a person wrote: places, people, files, quoted words, dates, and so on.

In: a text and a role ("place"). Out: a list of `Found`, in order. These are patterns and lists,
for English and Chinese; nothing is understood. Numbers and sums are in `numerals`, the words of a
message in `messages`. Knows nothing of tools.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from course_pkg.practice.completion import COURSE_DATE
from course_pkg.practice.found import Found
from course_pkg.practice.numerals import find_expressions, find_numbers
from course_pkg.practice.words import CJK, closed, concepts, lexicon, table, words

#: Takes the place of characters that belong to something else (the words of a message).
HIDDEN = "\ue000"

_EXTENSIONS = (
    "txt md csv tsv json jsonl py ipynb html htm xml yaml yml toml ini cfg conf log pdf "
    "doc docx xls "
    "xlsx ppt pptx png jpg jpeg gif svg sql sh js ts css zip rst tex bak env"
).replace(" ", "|")
_PATH = re.compile(
    rf"(?:[A-Za-z]:[/\\]|~?/|\.{{1,2}}/)?(?:[\w{CJK}.-]+[/\\])*[\w{CJK}-][\w{CJK}.-]*\.(?:{_EXTENSIONS})(?![A-Za-z0-9])"
    r"|(?<![\w/])(?:~?/|\.{1,2}/)(?:[\w.-]+/)*[\w.-]+",
    re.IGNORECASE | re.ASCII,
)
_VERB_BEFORE_PATH = re.compile(
    "^.*(?:读取|读一下|读|打开|查看|看看|看一下|看|念一下|念|显示|文件|一下|里的|中的|的|"
    "把|将|请|帮我|先|再|下|和|与|跟|叫)"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w", re.ASCII)
_URL = re.compile(r"https?://[^\s，。！？“”\"'<>]+[\w/]")
_QUOTED = re.compile(
    "[“]([^”]+)[”]|[「]([^」]+)[」]|[『]([^』]+)[』]|[《]([^》]+)[》]|[‘]([^’]+)[’]"
    "|\"([^\"]+)\"|`([^`]+)`|(?<![A-Za-z0-9])'((?:[^']|(?<=[a-z])'(?=[a-z]))+)'(?![A-Za-z])"
)
_ISO_DATE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b")
_MONTHS = "january february march april may june july august september october november december"
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS.split())
_DATE_WORDS = re.compile(
    rf"\b(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b|\b\d{{1,2}}(?:st|nd|rd|"
    rf"th)? (?:of )?(?:{_MONTH})\b(?: \d{{4}})?"
    r"|(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]|\b(?:day after tomorrow|today|tomorrow|tonight|"
    r"yesterday)\b"
    r"|\b(?:next |this |on )?(?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)day\b|大后天|后天|明天|今天|昨天|今晚|明晚|下?(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b\d{1,2}:\d{2}(?:\s*[ap]\.?m\.?)?|\b\d{1,2}\s*[ap]\.?m\b\.?|\bnoon\b|\bmidnight\b"
    r"|(?:早上|上午|中午|下午|晚上|凌晨)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})点(?:半|"
    r"一刻|\d{1,2}分|[一二三四五六七八九十]{1,3}分)?",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<!\d)\+?\d[\d -]{6,15}\d(?!\d)")
_CODE = re.compile(
    r"(?<![\w-])(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![\w-])", re.ASCII
)
_TICKER = re.compile(r"\b[A-Z]{2,5}\b")

_CAPITAL = r"[A-Z][\w'’.-]*\w|[A-Z]"
_PROPER = rf"(?:St\. )?(?:{_CAPITAL})(?: (?:de|la|of|da|del|den|am|{_CAPITAL}))*(?<! of)(?<! de)"
_AND = r"\s*(?:,\s*(?:and|or)?|&|\band\b|\bor\b|\bvs\.?|\bversus\b)\s*"
_PLACE_LIST = re.compile(
    rf"\b(?:[Ii]n|[Ff]or|[Aa]t|[Oo]f|[Nn]ear|[Tt]o|[Ff]rom|[Aa]round|[Oo]ver|[Aa]bout|"
    rf"[Oo]n|[Bb]etween|[Vv]isit(?:ing)?)\s+({_PROPER}(?:{_AND}(?:(?:in|for|at|"
    rf"of) )?{_PROPER})*)"
)
_LOWER_PLACE = re.compile(r"\b(?:in|for|at|near)\s+(?:the\s+)?([a-z][a-z'-]{2,})\b(?!\s*\d)")
_SPLIT_LIST = re.compile(rf"{_AND}(?:(?:in|for|at|of) )?")
_NO_PLACES = closed(
    [
        *_MONTHS.split(),
        *(day for day in table("weekdays")),
        *words("no_places"),
    ]
)


def find(role: str, text: str) -> list[Found]:
    """Everything in `text` that can play `role`; a role without a pattern of its own finds none."""
    finder = _FINDERS.get(role)
    return list(finder(text)) if finder else []


def _matches(pattern: re.Pattern[str], text: str, strength: float = 2.0) -> Iterator[Found]:
    for match in pattern.finditer(text):
        yield Found(value=match.group(), start=match.start(), end=match.end(), strength=strength)


def find_quoted(text: str) -> list[Found]:
    """What stands in quotation marks, without them; `start` and `end` include them."""
    return [
        Found(
            value=next(group for group in match.groups() if group).strip(),
            start=match.start(),
            end=match.end(),
            strength=2.0,
        )
        for match in _QUOTED.finditer(text)
    ]


@functools.lru_cache(maxsize=512)
def find_paths(text: str) -> tuple[Found, ...]:
    """File names and paths."""
    hidden = _URL.sub(lambda match: " " * len(match.group()), text)
    hidden = _EMAIL.sub(lambda match: " " * len(match.group()), hidden)
    return tuple(_trim_path(match) for match in _PATH.finditer(hidden))


def _trim_path(match: re.Match[str]) -> Found:
    path = match.group()
    before = _VERB_BEFORE_PATH.match(path)
    # "读取笔记.txt": without spaces, the verb sticks to the name. A bare ".txt" is no name.
    if before and not path[before.end() :].startswith("."):
        path = path[before.end() :]
    return Found(value=path, start=match.end() - len(path), end=match.end(), strength=2.0)


@functools.lru_cache(maxsize=512)
def find_places(text: str) -> tuple[Found, ...]:
    """Places: those of the list, and names after "in", "for", "at" and the like."""
    known = [
        Found(value=_place_name(found.value), start=found.start, end=found.end, strength=1.5)
        for found in _matches(_known_places(), text)
    ]
    named = [
        item
        for match in _PLACE_LIST.finditer(text)
        for item in _listed(match)
        if not any(item.overlaps(other) for other in known)
    ]
    guessed = [
        Found(value=match.group(1).title(), start=match.start(1), end=match.end(1), strength=0.6)
        for match in _LOWER_PLACE.finditer(text)
        if _may_be_place(match.group(1))
    ]
    guessed = [item for item in guessed if not any(item.overlaps(o) for o in [*known, *named])]
    return tuple(sorted([*known, *named, *guessed], key=lambda item: item.start))


def _listed(match: re.Match[str]) -> Iterator[Found]:
    place = match.start(1)
    for part in _SPLIT_LIST.split(match.group(1)):
        start = match.string.index(part, place)
        place = start + len(part)
        # "San Francisco, CA" is one place.
        is_region = start > match.start(1) and re.fullmatch("[A-Z]{2}", part)
        if part and not is_region and not _NO_PLACES.fullmatch(part):
            yield Found(value=part, start=start, end=place)


def _may_be_place(word: str) -> bool:
    return not _NO_PLACES.fullmatch(word) and all(item.startswith("=") for item in concepts(word))


@functools.cache
def _known_places() -> re.Pattern[str]:
    places = table("places")
    return closed([*places, *places.values(), "nyc", "sf", "la"])


def _place_name(text: str) -> str:
    """As people write it: "new york" becomes "New York", Chinese stays."""
    if not text.islower():
        return text
    return next((name for name in table("places").values() if name.lower() == text), text.title())


def find_currencies(text: str) -> list[Found]:
    """Currencies, as their three-letter codes."""
    return find_words(
        text, table("currencies"), signs={"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY"}
    )


def find_languages(text: str) -> list[Found]:
    """Languages, by their English names."""
    return find_words(text, table("languages"))


def find_words(
    text: str, forms: Mapping[str, str], signs: Mapping[str, str] | None = None
) -> list[Found]:
    """Find any of several values by any of its forms.

    Args:
        text: where to look.
        forms: from each value to its forms, with blanks between them.
        signs: from one more form each to its value.
    """
    values = {
        form: value for value, words in forms.items() for form in (*words.split(), value.lower())
    }
    values |= signs or {}
    pattern = closed([form for form in values if form not in (signs or {})])
    found = [
        Found(
            value=values[match.group().lower()], start=match.start(), end=match.end(), strength=1.5
        )
        for match in pattern.finditer(text)
    ]
    for sign, value in (signs or {}).items():
        found += [
            Found(value=value, start=match.start(), end=match.end(), strength=1.5)
            for match in re.finditer(re.escape(sign), text)
        ]
    return sorted(found, key=lambda item: item.start)


def find_dates(text: str) -> list[Found]:
    """Dates as they are written: "2026-05-01", "tomorrow", "5月3日"."""
    found = [*_matches(_ISO_DATE, text), *_matches(_DATE_WORDS, text, 1.5)]
    return sorted(found, key=lambda item: item.start)


def to_iso_date(words: str) -> str | None:
    """A date in the form YYYY-MM-DD, counted from the course's fixed date; `None` if unclear."""
    words = words.lower().removeprefix("on ").strip()
    if match := _ISO_DATE.fullmatch(words):
        year, month, day = (int(part) for part in match.group().split("-"))
    elif days := _days_from_today(words):
        return (COURSE_DATE + datetime.timedelta(days=days[0])).isoformat()
    elif match := re.fullmatch(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]", words):
        year, month, day = int(match[1] or COURSE_DATE.year), int(match[2]), int(match[3])
    elif match := re.search(rf"({_MONTH})", words):
        numbers = [int(number) for number in re.findall(r"\d+", words)]
        month = [name[:3] for name in _MONTHS.split()].index(match[1][:3]) + 1
        day = next((number for number in numbers if number <= 31), 1)
        year = next((number for number in numbers if number > 31), COURSE_DATE.year)
    else:
        return None
    return f"{year:04}-{month:02}-{day:02}"


_DAYS = {
    "today": 0, "今天": 0, "tonight": 0, "今晚": 0, "tomorrow": 1, "明天": 1, "明晚": 1,
    "yesterday": -1, "昨天": -1, "day after tomorrow": 2, "后天": 2, "大后天": 3,
}  # fmt: skip


def _days_from_today(words: str) -> tuple[int] | None:
    if words in _DAYS:
        return (_DAYS[words],)
    for position, (day, chinese) in enumerate(table("weekdays").items()):
        names = [day, *chinese.split()]
        if any(words.endswith(name) for name in names):
            ahead = (position - COURSE_DATE.weekday()) % 7
            return (ahead + (7 if words.startswith(("next", "下")) else 0),)
    return None


def days_from_today(words: str) -> int | None:
    """How many days from the course's fixed date: 1 for "tomorrow"; `None` if unclear."""
    days = _days_from_today(words.lower())
    return days[0] if days else None


_PERSON_WORD = (
    rf"(?:(?:my|the|our)\s+)?(?:[\w.+-]+@[\w.-]+\w|"
    rf"@?[A-Za-z][\w'’-]*(?:\s(?-i:[A-Z][\w'’-]*))?|[{CJK}]{{1,4}})"
)
PEOPLE = rf"{_PERSON_WORD}(?:(?:\s*,\s*|\s+and\s+|\s*&\s*|、|和|跟){_PERSON_WORD})*"
_TO_PERSON = re.compile(rf"\b(?:to|for|cc|meet(?:ing)? with)\s+({PEOPLE})", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:named|called|titled|labelled|labeled)\s+([A-Za-z][\w'-]*(?:\s[A-Z][\w'-]*)*)"
    rf"|(?:名叫|名为|叫做|叫|名字是|姓名是|标题是|名称是)\s*([{CJK}]{{1,10}}?|"
    rf"[\w -]+?)(?=的|，|,|。|\s|$|！)",
)


def find_people(text: str) -> list[Found]:
    """Receivers: who stands after "to" or "for", or between 给 and a verb."""
    found = [*_matches(_EMAIL, text)]
    if found:
        return found
    for match in _TO_PERSON.finditer(text):
        found += people_in(match.group(1), match.start(1))
    chinese = re.compile(
        rf"(?:给|跟|向|替|为|通知|告诉)([{CJK}]{{2,4}}|[A-Za-z]+)(?=发|说|寄|打|订|写|"
        rf"买|$|，|。|创建|添加)"
    )
    for match in chinese.finditer(text):
        found += people_in(match.group(1), match.start(1))
    return _without_doubles(found)


def people_in(text: str, offset: int = 0) -> list[Found]:
    """The people in a list such as "Ada, Bob and my boss", articles left out."""
    found = []
    place = 0
    for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|、|和|跟", text):
        start = text.index(part, place)
        place = start + len(part)
        name = re.sub(r"^(?:my|the|our)\s+|各自?$|分别$", "", part, flags=re.IGNORECASE).strip()
        if name and name.lower() not in _NOBODY and name[0] not in "我你您咱":
            shown = _person_name(name)
            found.append(Found(value=shown, start=offset + start, end=offset + place))
    return found


_NOBODY = frozenset(words("nobody"))
_ROLES = frozenset(words("people_by_role"))


def _person_name(name: str) -> str:
    plain = name.islower() and name.isalpha() and name.isascii()
    return name.capitalize() if plain and name not in _ROLES else name


def find_named(text: str) -> list[Found]:
    """Names after "named", "called", 叫, 名为, and names in quotation marks."""
    found = [*find_quoted(text)]
    for match in _NAMED.finditer(text):
        value = match.group(1) or match.group(2)
        found.append(Found(value=value.strip(), start=match.start(), end=match.end()))
    return _without_doubles(found)


def find_capitalised(text: str) -> list[Found]:
    """Names by their capital letter, the first word of a sentence only if it means nothing else."""
    found = []
    for match in re.finditer(_PROPER, text):
        words = match.group().split()
        while words and (
            words[0].lower() in lexicon().function_words
            or (not text[: match.start()].strip() and _is_known(words[0]))
        ):
            words.pop(0)
        value = " ".join(words)
        if value and not _NO_PLACES.fullmatch(value):
            start = match.end() - len(value)
            found.append(Found(value=value, start=start, end=match.end(), strength=0.8))
    return found


def _is_known(word: str) -> bool:
    return any(not item.startswith("=") for item in concepts(word))


def _without_doubles(found: Iterable[Found]) -> list[Found]:
    kept: list[Found] = []
    for item in sorted(found, key=lambda item: (-item.strength, item.start)):
        if not any(item.overlaps(other) for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: item.start)


_FINDERS: dict[str, Callable[[str], Iterable[Found]]] = {
    "expression": find_expressions,
    "path": find_paths,
    "place": find_places,
    "person": find_people,
    "name": find_named,
    "title": find_named,
    "currency": find_currencies,
    "language": find_languages,
    "date": find_dates,
    "time": lambda text: _matches(_TIME, text),
    "email": lambda text: _matches(_EMAIL, text),
    "url": lambda text: _matches(_URL, text),
    "phone": lambda text: _matches(_PHONE, text),
    "identifier": lambda text: _matches(_CODE, text, 1.2),
    "ticker": lambda text: _matches(_TICKER, text, 1.2),
    "number": find_numbers,
}
