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
from course_pkg.practice.words import CJK, closed, split_name, stem, table, words


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
_ORDER = words("order_of_roles")


def fill(source: Source) -> dict[str, list[Found]]:
    """The values for each parameter, in the order of the definition; no entry without a value."""
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
        for key, known in table(name).items():
            if plain == key.lower() or plain in known.split()[:1]:
                forms.update([*known.split(), key.lower()])
    forms.update(
        chinese for chinese, english in table("places").items() if english.lower() == spaced
    )
    forms.update(table("weekdays").get(spaced, "").split())
    if len(plain) == 1 or parameter.role == "unit":
        return [form for form in forms if form]
    return [form for form in forms if len(form) > 1 or not form.isascii()]


_NEGATION = re.compile(
    r"\b(?:not|no|n't|without|non|don't|isn't)\s+(?:\w+\s+){0,2}$|(?:不|别|无需|不用|"
    r"不是很|没那么)[^，。]{0,2}$",
    re.I,
)


def _boolean_values(parameter: Parameter, text: str) -> list[Found]:
    names = [
        word for word in split_name(parameter.name) if word not in {"is", "has", "with", "use"}
    ]
    forms = {form for word in names for form in (word, *table("synonyms").get(word, "").split())}
    forms.update(form for word in names for form in table("flags").get(word, "").split("|") if form)
    found = closed(forms).search(text) if forms else None
    if found:
        value = not _NEGATION.search(text[: found.start()])
        return [Found(value=value, start=found.start(), end=found.end(), strength=1.5)]
    if parameter.is_required:
        return [
            Found(value=bool(parameter.schema.get("default", False)), start=0, end=0, strength=0.3)
        ]
    return []


_COUNT_WORDS = re.compile(
    r"(?:\b(?:top|first|last|max(?:imum)?(?: of)?|at most|up to|only|just|"
    r"limit(?:ed)?(?: to)?|best|latest|give me|show me)\s*$)|(?:前|最多|只要|就要|头|给我|"
    r"来|要|返回|显示|列出|列|找)\s*$",
    re.IGNORECASE,
)
_COUNT_NOUNS = re.compile(
    r"^\s*(?:\w+\s+){0,2}(?:results?|hits?|matches|items?|entries|pages?|docs?|documents?|"
    r"articles?|examples?|links?|copies|pieces|tickets?|people|guests?|persons?|nights?|"
    r"rows?|lines?|answers?|things|ones|of them|suggestions|tips)\b"
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


_COUNT_NAMES = frozenset(words("names_of_counts"))


def _number_strength(item: Found, parameter: Parameter, source: Source) -> float:
    before, after = source.text[: item.start], source.text[item.end :]
    words = {stem(word) for word in split_name(parameter.name)}
    near = re.findall(r"[A-Za-z]+", after)[:2] + re.findall(r"[A-Za-z]+", before)[-2:]
    if any(stem(word) in words for word in near if len(word) > 1) or _unit_fits(after, parameter):
        return 1.6
    following = re.match(r"\s*([A-Za-z]{3,})", after)
    if following and f"={stem(following[1])}" in parameter.concepts | concepts_without_mark(
        parameter, following[1]
    ):
        return 1.3
    if words & {stem(word) for word in _COUNT_NAMES}:
        if _COUNT_NOUNS.match(after):
            return 1.5
        if _COUNT_WORDS.search(before):
            return 1.2
    return 0.5


def concepts_without_mark(parameter: Parameter, word: str) -> frozenset[str]:
    """The word itself, marked, if the parameter's description has it."""
    said = {stem(part) for part in re.findall(r"[A-Za-z]{3,}", parameter.description)}
    return frozenset({f"={stem(word)}"} if stem(word) in said else ())


def _unit_fits(after: str, parameter: Parameter) -> bool:
    words = [
        *split_name(parameter.name),
        *re.findall(r"[a-z]+", parameter.description.lower())[:12],
    ]
    for word in words:
        pattern = table("units").get(word) or table("units").get(word.removesuffix("s"))
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
    if not found and not by_name and parameter.role in {"title", "name"}:
        found = _noted(source)
    return [_in_form(item, parameter) for item in found or by_name]


def _quoted_only(text: str) -> list[Found]:
    return [item for item in find_quoted(text) if " " not in item.value]


def _told_values(parameter: Parameter, source: Source) -> list[Found]:
    if parameter.role == "person":
        told = [person for utterance in source.utterances for person in utterance.people]
        return told or find("person", source.text)
    told = [item.body for item in source.utterances if item.body is not None]
    told = told or ([] if source.utterances else _noted(source))
    return told or find_quoted(source.text) or _text_after_colon(source.text)


_NOTED = re.compile(
    r"\badd (?!a |an |the |\d)(?P<added>.+?) to\b|\b(?:remind me|remember|jot down|"
    r"write down|note down|make a note|take a note|note|save|post|publish|add)\b(?: (?:to|"
    r"that|about|of|saying))?:? (.+)"
    r"|(?:提醒我|记下来?|记一下|记录一下|写下|保存|发布|备忘|记)[：:，,]?(.+)",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"[\s,，]*\b(?:at|on|by|in|tomorrow|today|tonight|every)\b[^,.]*$|"
    r"^(?:明天|今天|后天|今晚|明晚|周.|下周.|[上中下]午|晚上|早上|"
    r"[\d一二三四五六七八九十]+点半?|\s|在)+",
    re.IGNORECASE,
)


def _noted(source: Source) -> list[Found]:
    """Words to keep: "remind me to call mom at 5pm", without the time if the tool asks for it."""
    match = _NOTED.search(source.text)
    if match is None or HIDDEN in match.group():
        return []
    group = match.lastindex or 1
    words = match.group(group).strip()
    if source.offer.with_role("time") or source.offer.with_role("date"):
        words = _WHEN.sub("", words).strip() or words
    start = source.text.index(words, match.start(group))
    return [Found(value=words.rstrip(".!。！"), start=start, end=start + len(words))]


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
        rf"(?<=\w )\b{name}\s*(?:is|=|:|：|of|为|是|named|"
        rf"called)?\s+[\"“]?([\w.@/#-]+(?: [A-Z][\w-]+)*)",
        text,
        re.IGNORECASE,
    )
    if match is None or match.group(1).lower() in _STOPS:
        match = re.search(
            r"\bas\s+(?:an? )?[\"“]?([\w-]+)|(?:设为|标记为|改为|设成|标为|标成|为|成)\s*([\w-]+)",
            text,
        )
        if match is None or parameter.role:
            return []
    place = 1 if match.group(1) else 2
    return [Found(value=match.group(place), start=match.start(place), end=match.end(place))]


_STOPS = frozenset(words("stops_after_name"))


def _in_form(item: Found, parameter: Parameter) -> Found:
    """A date as YYYY-MM-DD where that is wanted, a currency or language as its code."""
    value = item.value
    wants = (
        f"{parameter.description} {parameter.schema.get('format', '')} "
        f"{parameter.schema.get('examples', '')}"
    )
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
        if item.role == parameter.role
        and item.direction
        and type_of(item.schema) == type_of(parameter.schema)
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
    """For required text without a value: quoted words, capitalised names, what is left over."""
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
