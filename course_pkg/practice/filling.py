"""Fill a tool's parameters from a text, by type, enum, pattern, role and the words around.

In: an offer and a text (and what `messages` found in it). Out: for each parameter the values found,
best first. Optional parameters are only filled when the text says so; required ones may be guessed.
Knows nothing of the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from course_pkg.practice.finding import (
    HIDDEN,
    days_from_today,
    find,
    find_capitalised,
    find_named,
    find_quoted,
    to_iso_date,
)
from course_pkg.practice.found import Found
from course_pkg.practice.matching import pattern_words, safe_pattern
from course_pkg.practice.messages import Utterance
from course_pkg.practice.numerals import find_numbers
from course_pkg.practice.offers import (
    MAX_SCHEMA_DEPTH,
    Offer,
    Parameter,
    enum_of,
    read_parameters,
    type_of,
)
from course_pkg.practice.queries import leftover, search_words
from course_pkg.practice.words import CJK, closed, split_name, stem, table


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where values come from.

    Attributes:
        text: the part of the request that is about this tool.
        utterances: what is to be told to whom, in this part.
        offer: the tool.
    """

    text: str
    utterances: Sequence[Utterance]
    offer: Offer


#: In which order parameters choose: who has the clearest sign goes first.
_ORDER = (
    "expression path email url phone person message currency language place date time identifier "
    "ticker name title query"
).split()


def fill(source: Source) -> dict[str, list[Found]]:
    """The values for each parameter, in the order of the definition; no entry where none is found."""
    found: dict[str, list[Found]] = {}
    used: list[Found] = []
    for parameter in sorted(source.offer.parameters, key=_turn):
        values = [
            item
            for item in values_for(parameter, source)
            if not any(item.overlaps(other) for other in used)
        ]
        values = _directed(values, parameter, source)
        if values:
            found[parameter.name] = values
            used += values if _is_exclusive(parameter) else []
    _guess(found, used, source)
    return {item.name: found[item.name] for item in source.offer.parameters if item.name in found}


def _turn(parameter: Parameter) -> tuple[int, int]:
    if enum_of(parameter.schema) or parameter.schema.get("pattern"):
        return (0, 0)
    if type_of(parameter.schema) in {"integer", "number"}:
        return (2, 0)
    place = _ORDER.index(parameter.role) if parameter.role in _ORDER else len(_ORDER)
    return (1 if parameter.role not in {"query", ""} else 3, place)


def _is_exclusive(parameter: Parameter) -> bool:
    return parameter.role != "query" and type_of(parameter.schema) != "boolean"


def values_for(parameter: Parameter, source: Source, depth: int = 0) -> list[Found]:
    """What a text says for one parameter, looked at by its schema."""
    schema = parameter.schema
    if enum_of(schema):
        return _enum_values(parameter, source.text)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list) and depth < MAX_SCHEMA_DEPTH:
            return _branch_values(parameter, schema[keyword], source, depth)
    kind = type_of(schema)
    if kind == "boolean":
        return _boolean_values(parameter, source.text)
    if kind in {"integer", "number"}:
        return _number_values(parameter, source)
    if kind == "array" and depth < MAX_SCHEMA_DEPTH:
        return _array_values(parameter, source, depth)
    if kind == "object" and depth < MAX_SCHEMA_DEPTH:
        return _object_values(parameter, source, depth)
    return _string_values(parameter, source)


# --- enums, booleans, numbers ---------------------------------------------------------------------


def _enum_values(parameter: Parameter, text: str) -> list[Found]:
    allowed = enum_of(parameter.schema)
    if len(allowed) == 1:
        return [
            Found(value=allowed[0], start=0, end=0, strength=0.7 if parameter.is_required else 0)
        ]
    found: list[Found] = []
    for value in allowed:
        for match in closed(_forms(value, parameter)).finditer(text):
            found.append(Found(value=value, start=match.start(), end=match.end(), strength=1.8))
    longest = sorted(found, key=lambda item: item.start - item.end)
    kept: list[Found] = []
    for item in longest:
        if not any(item.overlaps(other) for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: item.start)


def _forms(value: Any, parameter: Parameter) -> list[str]:
    """The ways to say an allowed value: itself, its synonyms, its names in the lists."""
    plain = str(value).lower()
    spaced = re.sub(r"[_-]+", " ", plain)
    forms = {plain, spaced}
    forms.update(table("synonyms").get(spaced, "").split())
    for name in ("currencies", "languages"):
        for key, words in table(name).items():
            if plain == key.lower() or plain in words.split()[:1]:
                forms.update([*words.split(), key.lower()])
    forms.update(
        chinese for chinese, english in table("places").items() if english.lower() == spaced
    )
    forms.update(table("weekdays").get(spaced, "").split())
    if len(plain) == 1 or parameter.role == "unit":
        return [form for form in forms if form]
    return [form for form in forms if len(form) > 1 or not form.isascii()]


_NEGATION = re.compile(
    r"\b(?:not|no|n't|without|non|don't|isn't)\s+(?:\w+\s+){0,2}$|(?:不|别|无需|不用|不是很|没那么)[^，。]{0,2}$",
    re.I,
)


def _boolean_values(parameter: Parameter, text: str) -> list[Found]:
    names = [
        word for word in split_name(parameter.name) if word not in {"is", "has", "with", "use"}
    ]
    forms = {form for word in names for form in (word, *table("synonyms").get(word, "").split())}
    forms.update(form for word in names for form in _BOOLEAN_FORMS.get(word, "").split("|") if form)
    found = closed(forms).search(text) if forms else None
    if found:
        value = not _NEGATION.search(text[: found.start()])
        return [Found(value=value, start=found.start(), end=found.end(), strength=1.5)]
    if parameter.is_required:
        return [
            Found(value=bool(parameter.schema.get("default", False)), start=0, end=0, strength=0.3)
        ]
    return []


_BOOLEAN_FORMS = {
    "urgent": "urgently|asap|as soon as possible|immediately|right away|high priority|emergency|紧急|加急|尽快|立刻|立即|马上|很急|急件|急事|比较急|挺急|急急|着急|十万火急",
    "recursive": "recursively|subfolders|递归|子目录|子文件夹",
    "private": "privately|secret|私密|私有|不公开",
    "public": "publicly|公开",
    "silent": "silently|quietly|静默|安静",
    "vegetarian": "veggie|素食|素",
    "vegan": "纯素",
    "return": "round trip|round-trip|往返|来回",
    "round": "round trip|round-trip|往返|来回",
    "direct": "nonstop|non-stop|直飞|直达",
    "detailed": "details|in detail|详细",
    "exact": "exactly|精确",
    "gift": "gift wrapped|礼品|礼物包装",
    "express": "expedited|加急|快递加急",
    "repeat": "every|repeating|重复|每",
    "all": "everything|全部|所有",
    "forecast": "预报",
    "verbose": "详细",
    "dry": "dry run|试运行",
}

_COUNT_WORDS = re.compile(
    r"(?:\b(?:top|first|last|max(?:imum)?(?: of)?|at most|up to|only|just|limit(?:ed)?(?: to)?|best|latest|give me|show me)\s*$)|(?:前|最多|只要|就要|头|给我|来|要|返回|显示|列出|列|找)\s*$",
    re.IGNORECASE,
)
_COUNT_NOUNS = re.compile(
    r"^\s*(?:\w+\s+){0,2}(?:results?|hits?|matches|items?|entries|pages?|docs?|documents?|articles?|examples?|links?|copies|pieces|tickets?|people|guests?|persons?|nights?|rows?|lines?|answers?|things|ones|of them|suggestions|tips)\b"
    r"|^\s*(?:条|个|篇|项|份|页|张|件|位|人|晚|行|本|则|段)",
    re.IGNORECASE,
)


def _number_values(parameter: Parameter, source: Source) -> list[Found]:
    days = _days_as_number(parameter, source.text)
    if days:
        return days
    numbers = [_as_type(item, parameter.schema) for item in find_numbers(source.text)]
    scored = [
        replace(item, strength=_number_strength(item, parameter, source))
        for item in numbers
        if item is not None and _within(item.value, parameter.schema)
    ]
    alone = len([item for item in source.offer.parameters if _is_number(item)]) == 1
    enough = 0.4 if parameter.is_required and alone else 0.9
    good = [item for item in scored if item.strength >= enough]
    best = max((item.strength for item in good), default=0.0)
    return [item for item in good if item.strength == best]


def _is_number(parameter: Parameter) -> bool:
    return type_of(parameter.schema) in {"integer", "number"}


def _as_type(item: Found, schema: Mapping[str, Any]) -> Found | None:
    if type_of(schema) == "integer" and isinstance(item.value, float):
        return replace(item, value=int(item.value)) if item.value.is_integer() else None
    return item


def _within(value: float, schema: Mapping[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    # A count over the limit is still what was asked for; the tool will say so.
    return not (isinstance(low, int | float) and value < low) and not (
        isinstance(high, int | float) and value > high * 20
    )


_COUNT_NAMES = frozenset(
    "num number count limit max top n k results size quantity amount 数量 条数".split()
)


def _number_strength(item: Found, parameter: Parameter, source: Source) -> float:
    before, after = source.text[: item.start], source.text[item.end :]
    words = {stem(word) for word in split_name(parameter.name)}
    near = re.findall(r"[A-Za-z]+", after)[:2] + re.findall(r"[A-Za-z]+", before)[-2:]
    if any(stem(word) in words for word in near if len(word) > 1) or _unit_fits(after, parameter):
        return 1.6
    if words & {stem(word) for word in _COUNT_NAMES}:
        if _COUNT_NOUNS.match(after):
            return 1.5
        if _COUNT_WORDS.search(before):
            return 1.2
    return 0.5


_UNITS = {
    "day": "days?|天|日", "night": "nights?|晚", "minute": "min(?:ute)?s?|分钟?", "hour": "h(?:ou)?rs?|小时|个小时",
    "second": "s(?:ec(?:ond)?s?)?|秒", "week": "weeks?|周|星期", "month": "months?|个?月", "year": "years?|年",
    "age": "years? old|岁", "people": "people|persons?|guests?|人|位", "guest": "people|persons?|guests?|人|位",
    "person": "people|persons?|人|位", "party": "people|persons?|guests?|人|位", "passenger": "people|passengers?|人|位",
    "adult": "adults?|people|人|位|个大人", "amount": r"dollars?|euros?|usd|eur|gbp|yuan|yen|pounds?|元|块|美元|欧元|日元|人民币|英镑|[$€£¥]",
    "price": r"dollars?|euros?|usd|eur|yuan|yen|元|块", "weight": "kg|kilos?|g|grams?|公斤|千克|斤", "height": "cm|m|meters?|metres?|厘米|米|公分",
    "distance": "km|kilomet(?:er|re)s?|miles?|公里|千米|里", "percent": "%|percent", "temperature": "degrees?|°|度", "brightness": "%|percent",
    "volume": "%|percent", "quantity": "个|件|本|份|张|盒|瓶|杯|pcs|pieces|copies|boxes|bottles", "star": "stars?|星", "rating": "stars?|星|分",
    "level": "%|percent|级", "copy": "copies|份", "seat": "seats?|people|位|人", "ticket": "tickets?|张", "line": "lines?|行", "duration": "min(?:ute)?s?|分钟|小时|hours?|天|days?",
}  # fmt: skip


def _unit_fits(after: str, parameter: Parameter) -> bool:
    words = [
        *split_name(parameter.name),
        *re.findall(r"[a-z]+", parameter.description.lower())[:12],
    ]
    for word in words:
        pattern = _UNITS.get(word) or _UNITS.get(word.removesuffix("s"))
        if pattern and re.match(rf"\s*(?:{pattern})(?![a-z])", after, re.IGNORECASE):
            return True
    return False


def _days_as_number(parameter: Parameter, text: str) -> list[Found]:
    if parameter.role != "date" or type_of(parameter.schema) == "string":
        return []
    found = []
    for item in find("date", text):
        days = days_from_today(str(item.value))
        if days is not None and _within(days, parameter.schema):
            found.append(replace(item, value=days))
    return found


# --- strings --------------------------------------------------------------------------------------


def _string_values(parameter: Parameter, source: Source) -> list[Found]:
    pattern = safe_pattern(parameter.schema.get("pattern"))
    if pattern is not None:
        fitting = [
            Found(
                value=word,
                start=source.text.find(word),
                end=source.text.find(word) + len(word),
                strength=2.0,
            )
            for word in pattern_words(source.text, pattern)
        ]
        if fitting:
            return fitting
    by_name = _after_name(parameter, source.text)
    if parameter.role in {"person", "message"}:
        return _told_values(parameter, source) or by_name
    if parameter.role == "query":
        return search_words(source.text, source.offer)
    found = [item for item in find(parameter.role, source.text) if item.strength >= 0.6]
    if parameter.role == "path":
        found = found or _quoted_only(source.text)
    if parameter.role == "expression":
        return found
    return [_in_form(item, parameter) for item in found or by_name]


def _quoted_only(text: str) -> list[Found]:
    return [item for item in find_quoted(text) if " " not in item.value]


def _told_values(parameter: Parameter, source: Source) -> list[Found]:
    if parameter.role == "person":
        told = [person for utterance in source.utterances for person in utterance.people]
        return told or find("person", source.text)
    told = [item.body for item in source.utterances if item.body is not None]
    return told or find_quoted(source.text) or _text_after_colon(source.text)


def _text_after_colon(text: str) -> list[Found]:
    match = re.search(r"(?:[:：]|内容是|内容为)\s*(?=\S)([^\n]+)$", text)
    if match is None or HIDDEN in match.group(1):
        return []
    return [Found(value=match.group(1).strip(), start=match.start(1), end=match.end(1))]


def _after_name(parameter: Parameter, text: str) -> list[Found]:
    """A value right after the parameter's own name: "port Brest", "tag: new", "编号 42"."""
    words = [word for word in split_name(parameter.name) if len(word) > 2] or [parameter.name]
    name = rf"(?:{'|'.join(re.escape(word) for word in [parameter.name, words[-1]])})"
    match = re.search(
        rf"\b{name}\s*(?:is|=|:|：|of|为|是|named|called)?\s+[\"“]?([\w.@/#-]+(?: [A-Z][\w-]+)*)",
        text,
        re.IGNORECASE,
    )
    if match is None or match.group(1).lower() in _STOPS:
        return []
    return [Found(value=match.group(1), start=match.start(1), end=match.end(1))]


_STOPS = frozenset(
    "the a an in of for to is are at on and or with from be my your this that please by as".split()
)


def _in_form(item: Found, parameter: Parameter) -> Found:
    """A date as YYYY-MM-DD where that is wanted, a currency or language as its code."""
    value = item.value
    wants = f"{parameter.description} {parameter.schema.get('format', '')} {parameter.schema.get('examples', '')}"
    if parameter.role == "date" and re.search(
        r"yyyy-mm-dd|\bdate\b$|iso|\d{4}-\d\d-\d\d", wants.lower()
    ):
        value = to_iso_date(str(value)) or value
    if parameter.role == "language" and re.search(
        r"\bcode\b|iso|['\"(, ](?:en|fr|de|zh)['\"), ]|代码", wants.lower()
    ):
        value = (
            table("languages")[str(value)].split()[0] if str(value) in table("languages") else value
        )
    if (
        parameter.role == "identifier"
        and str(value).isdigit()
        and type_of(parameter.schema) == "integer"
    ):
        value = int(value)
    return replace(item, value=value)


# --- arrays, objects, unions ----------------------------------------------------------------------


def _array_values(parameter: Parameter, source: Source, depth: int) -> list[Found]:
    items = parameter.schema.get("items")
    element = replace(parameter, schema=_described(items, parameter))
    kind = type_of(element.schema)
    if kind == "number" or kind == "integer":
        found = find_numbers(source.text)
    else:
        found = values_for(element, source, depth + 1)
    if not found:
        return []
    values = list(dict.fromkeys(_hashable(item.value) for item in found))
    plain = [item.value for item in found] if kind == "object" else values
    return [Found(value=plain, start=found[0].start, end=found[-1].end)]


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) else str(value)


def _described(items: Any, parameter: Parameter) -> dict[str, Any]:
    schema = items if isinstance(items, dict) else {}
    return {"description": parameter.description, **schema}


def _object_values(parameter: Parameter, source: Source, depth: int) -> list[Found]:
    inner = tuple(read_parameters(parameter.schema, parameter.schema))
    made: dict[str, Any] = {}
    places: list[Found] = []
    for part in sorted(inner, key=_turn):
        values = values_for(part, source, depth + 1) or _last_guess(part, source)
        values = [
            item for item in values if item.end == 0 or not any(item.overlaps(o) for o in places)
        ]
        if values:
            made[part.name] = values[0].value
            places.append(values[0])
    if not places or any(part.is_required and part.name not in made for part in inner):
        return []
    ordered = {part.name: made[part.name] for part in inner if part.name in made}
    start = min(item.start for item in places)
    return [Found(value=ordered, start=start, end=max(item.end for item in places))]


def _last_guess(part: Parameter, source: Source) -> list[Found]:
    if not part.is_required or type_of(part.schema) != "string" or enum_of(part.schema):
        return []
    return find_named(source.text) or find_capitalised(source.text)


def _branch_values(
    parameter: Parameter, branches: Sequence[Any], source: Source, depth: int
) -> list[Found]:
    """The branch of a union for which the text gives the surest and the most."""
    best: list[Found] = []
    for branch in branches:
        if not isinstance(branch, dict) or branch.get("type") == "null":
            continue
        schema = {"description": parameter.description, **branch}
        found = values_for(replace(parameter, schema=schema), source, depth + 1)
        if found and (not best or _weight(found) > _weight(best)):
            best = found
    return best


def _weight(found: Sequence[Found]) -> float:
    value = found[0].value
    return found[0].strength + (len(value) if isinstance(value, dict) else 0)


# --- pairs and guesses ----------------------------------------------------------------------------


def _directed(values: list[Found], parameter: Parameter, source: Source) -> list[Found]:
    """Of two values for a pair such as `from_currency` and `to_currency`, the right one."""
    twins = [
        item
        for item in source.offer.parameters
        if item.role == parameter.role and item.direction and item.role
    ]
    if len(twins) < 2 or not parameter.direction:
        return values
    wanted = _near_direction(values, parameter.direction, source.text)
    if wanted:
        return [wanted]
    position = 0 if parameter.direction == "from" else 1
    return values[:1] if position == 0 else values[-1:] if values else []


_TO = re.compile(r"(?:\b(?:to|into|in)|->|→|到|成|为|换|兑|去|往|飞|至)\s*$", re.IGNORECASE)
_FROM = re.compile(r"(?:\bfrom|从|由|\d[\d,.]*)\s*$", re.IGNORECASE)


def _near_direction(values: Sequence[Found], direction: str, text: str) -> Found | None:
    sign = _FROM if direction == "from" else _TO
    return next((item for item in values if sign.search(text[: item.start])), None)


def _guess(found: dict[str, list[Found]], used: list[Found], source: Source) -> None:
    """For required text without a value: quoted words, names by their capital, what is left over."""
    for parameter in source.offer.parameters:
        if parameter.name in found or not parameter.is_required:
            continue
        if type_of(parameter.schema) != "string" or enum_of(parameter.schema):
            continue
        guesses = [
            item
            for item in _guesses(parameter, source)
            if not any(item.overlaps(other) for other in used)
        ]
        if guesses:
            found[parameter.name] = guesses[:1] if parameter.role != "place" else guesses
            used += guesses[:1]


def _guesses(parameter: Parameter, source: Source) -> list[Found]:
    if parameter.role in {"expression", "path", "message", "date", "time", "email", "url"}:
        return []
    if safe_pattern(parameter.schema.get("pattern")) is not None:
        return []
    text = source.text
    if parameter.role in {"currency", "language", "phone", "identifier"}:
        return find_quoted(text)
    chinese = bool(re.search(f"[{CJK}]", text))
    if parameter.role == "person":
        return find_capitalised(text)
    return (
        find_quoted(text)
        or find_capitalised(text)
        or (leftover(text, source.offer) if chinese or parameter.role != "place" else [])
    )
