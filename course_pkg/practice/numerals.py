"""Numbers and sums in words: "three", "两百五", "12 times 7", "80 的 15%".

In: a text. Out: numbers and arithmetic expressions, with their places in the text. Nothing is
computed here; that is the work of a tool.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from course_pkg.practice.found import Found
from course_pkg.practice.words import words

_SMALL = words("numbers_to_19")
_TENS = words("tens")
_ENGLISH = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_ENGLISH_UNITS = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_CHINESE = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}

_WORD = "|".join(sorted([*_ENGLISH, *_ENGLISH_UNITS], key=len, reverse=True))
_ENGLISH_NUMBER = rf"\b(?:{_WORD})(?:(?:[ -]| and )(?:{_WORD}))*\b"
_SIGN = "[零〇一二两三四五六七八九十百千万亿]"
_CHINESE_NUMBER = f"(?<!{_SIGN}){_SIGN}{{1,16}}(?:点[零一二三四五六七八九]{{1,16}})?"
_DIGITS = r"(?<![\d])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
NUMBER = re.compile(f"{_DIGITS}|{_ENGLISH_NUMBER}|{_CHINESE_NUMBER}", re.IGNORECASE)

#: Digits that are no numbers to count with: dates, times, file names, versions, telephone numbers.
_NOT_NUMBERS = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}:\d{2}|[\w/-]+\.[A-Za-z]\w*|\d+\.\d+\.\d+|"
    r"\b\d{3}-\d{3,4}(?:-\d{4})?\b"
    r"|(?<![\dA-Za-z])[A-Za-z]+[-_]?\d+\w*"
)


def to_number(text: str) -> int | float:
    """The value of one number, in digits or words of English or Chinese."""
    plain = text.replace(",", "").strip()
    if re.fullmatch(r"\d+", plain):
        return int(plain)
    if re.fullmatch(r"\d*\.\d+", plain):
        return float(plain)
    if plain[0] in _CHINESE or plain[0] in _CHINESE_UNITS:
        return _chinese_value(plain)
    return _english_value(plain.lower())


def _english_value(text: str) -> int:
    total = current = 0
    for word in re.findall("[a-z]+", text):
        unit = _ENGLISH_UNITS.get(word)
        if unit is None:
            current += _ENGLISH.get(word, 0)
        elif unit == 100:
            current = max(current, 1) * unit
        else:
            total, current = total + max(current, 1) * unit, 0
    return total + current


def _chinese_value(text: str) -> int | float:
    whole, _, decimals = text.partition("点")
    value = _chinese_whole(whole)
    if decimals:
        return float(f"{value}.{''.join(str(_CHINESE[char]) for char in decimals)}")
    return value


def _chinese_whole(text: str) -> int:
    if not any(char in _CHINESE_UNITS for char in text):
        return int("".join(str(_CHINESE[char]) for char in text) or 0)
    total = section = digit = last_unit = 0
    for char in text:
        unit = _CHINESE_UNITS.get(char)
        if unit is None:
            digit = _CHINESE[char]
        elif unit >= 10_000:
            total, section, digit = (total + section + digit) * unit, 0, 0
        else:
            section, digit = section + (digit or 1) * unit, 0
        last_unit = unit or (0 if char in "零〇" else last_unit)
    # "两百五" is 250: a last digit without a unit counts the unit below.
    return total + section + (digit * (last_unit // 10) if last_unit > 10 else digit)


def find_numbers(text: str) -> list[Found]:
    """Every number, in order; dates, times, file names and the like left out."""
    hidden = _NOT_NUMBERS.sub(lambda match: " " * len(match.group()), text)
    return [
        Found(value=to_number(match.group()), start=match.start(), end=match.end())
        for match in NUMBER.finditer(hidden)
    ]


# --- expressions ----------------------------------------------------------------------------------

_N = rf"(?:{_DIGITS}|{_ENGLISH_NUMBER}|{_CHINESE_NUMBER})"
_LIST = rf"({_N}(?:\s*(?:,|、|，|and|和|与|跟|加|\s)\s*(?:and\s+)?{_N}){{1,20}})"


def _joined(sign: str) -> Callable[[re.Match[str]], str]:
    def join(match: re.Match[str]) -> str:
        parts = re.findall(_N, match.group(1), re.IGNORECASE)
        return " " + f" {sign} ".join(str(to_number(part)) for part in parts) + " "

    return join


def _by(pattern: str) -> Callable[[re.Match[str]], str]:
    def put(match: re.Match[str]) -> str:
        values = [str(to_number(group)) for group in match.groups() if group]
        return " " + pattern.format(*values) + " "

    return put


def _average(match: re.Match[str]) -> str:
    parts = [str(to_number(part)) for part in re.findall(_N, match.group(1), re.IGNORECASE)]
    return f" ({' + '.join(parts)}) / {len(parts)} "


def _discount(match: re.Match[str]) -> str:
    share = to_number(match.group(2))
    return f" {to_number(match.group(1))} * {share} / {10 if share < 10 else 100} "


#: Ways to say a sum that do not put the sign between the numbers, and how each is written.
_PHRASES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (rf"\b(?:average|mean)\s+of\s+{_LIST}", _average),
    (rf"{_LIST}\s*的平均(?:数|值)?", _average),
    (rf"({_N})\s*(?:元|块钱|块)?\s*(?:的\w+)?打\s*({_N})\s*折", _discount),
    (
        rf"({_N})\s*(?:%|percent)\s*(?:off|discount on)\s+(?:of\s+)?[$€£¥]?({_N})",
        _by("{1} * (1 - {0} / 100)"),
    ),
    (
        rf"\bsplit(?:ting)?\s+[$€£¥]?({_N})\s+(?:\w+\s+)?(?:between|among|by|into)\s+({_N})",
        _by("{0} / {1}"),
    ),
    (rf"\btwo\s+thirds\s+of\s+({_N})", _by("{0} * 2 / 3")),
    (rf"\bthree\s+quarters\s+of\s+({_N})", _by("{0} * 3 / 4")),
    (rf"\b(?:a|one)\s+third\s+of\s+({_N})", _by("{0} / 3")),
    (rf"\b(?:a|one)\s+quarter\s+of\s+({_N})", _by("{0} / 4")),
    (rf"\b(?:the\s+)?(?:sum|total)\s+of\s+{_LIST}", _joined("+")),
    (
        rf"\b(?:add(?:ing)?(?:\s+up)?|sum(?:\s+up)?|total(?:\s+up)?)\s+(?:the numbers?\s+)?{_LIST}",
        _joined("+"),
    ),
    (rf"\bproduct\s+of\s+{_LIST}", _joined("*")),
    (rf"{_LIST}\s*(?:的和|相加|加起来|加在一起|之和)", _joined("+")),
    (rf"{_LIST}\s*(?:的积|相乘|乘起来|之积)", _joined("*")),
    (rf"{_LIST}\s*(?:的差|相减|之差)", _joined("-")),
    (rf"{_LIST}\s*(?:的商|相除)", _joined("/")),
    (rf"\badd\s+({_N})\s+to\s+({_N})", _by("{1} + {0}")),
    (rf"\b(?:subtract|take)\s+({_N})\s+(?:away\s+)?from\s+({_N})", _by("{1} - {0}")),
    (rf"\bdifference\s+between\s+({_N})\s+and\s+({_N})", _by("{0} - {1}")),
    (rf"\bmultiply(?:ing)?\s+({_N})\s+(?:by|with|and|times)\s+({_N})", _by("{0} * {1}")),
    (rf"\bdivid(?:e|ing)\s+({_N})\s+(?:by|into)\s+({_N})", _by("{0} / {1}")),
    (
        rf"({_N})\s*(?:%|percent|per cent)\s*(?:\w+\s+)?(?:of|on)\s+(?:a\s+|an\s+|"
        rf"the\s+)?[$€£¥]?\s*({_N})",
        _by("{0} / 100 * {1}"),
    ),
    (rf"({_N})\s*的\s*({_N})\s*%", _by("{0} * {1} / 100")),
    (rf"({_N})\s*的\s*百分之\s*({_N})", _by("{0} * {1} / 100")),
    (rf"百分之\s*({_N})\s*的\s*({_N})", _by("{0} / 100 * {1}")),
    (rf"({_N})\s*的\s*({_N})\s*分之\s*({_N})", _by("{0} * {2} / {1}")),
    (rf"({_N})\s*分之\s*({_N})\s*的\s*({_N})", _by("{1} / {0} * {2}")),
    (rf"\b(?:square\s+root|sqrt)\s+(?:of\s+)?({_N})", _by("{0} ** 0.5")),
    (rf"({_N})\s*的\s*平方根", _by("{0} ** 0.5")),
    (rf"(?:根号|√)\s*({_N})", _by("{0} ** 0.5")),
    (rf"({_N})\s*(?:的)?平方", _by("{0} ** 2")),
    (rf"({_N})\s*(?:的)?立方", _by("{0} ** 3")),
    (rf"({_N})\s*的\s*({_N})\s*次(?:方|幂)", _by("{0} ** {1}")),
    (rf"\bhalf\s+(?:of\s+)?({_N})", _by("{0} / 2")),
    (rf"({_N})\s*的\s*一半", _by("{0} / 2")),
    (rf"\b(?:double|twice)\s+({_N})", _by("2 * {0}")),
    (rf"({_N})\s*的\s*({_N})\s*倍", _by("{0} * {1}")),
    (rf"从\s*({_N})\s*(?:中|里)?\s*减(?:去|掉)?\s*({_N})", _by("{0} - {1}")),
)

#: Words for signs; each is written as the sign.
_SIGNS = (
    (r"to\s+the\s+power\s+of|raised\s+to(?:\s+the)?|\*\*|\^|的?次方", "**"),
    (r"squared", "** 2"),
    (r"cubed", "** 3"),
    (r"plus|added\s+to|加上|加|＋", "+"),
    (r"minus|take\s+away|减去|减掉|减|－|−", "-"),
    (r"times|multiplied\s+by|乘以|乘上|乘|×|·", "*"),
    (r"divided\s+by|over|除以|除|÷", "/"),
    (r"modulo|mod|取余", "%"),
)
_TOKEN = re.compile(
    r"(?P<function>(?:sqrt|sin|cos|tan|log|exp|abs|min|max|round|floor|ceil)\s*(?=\())"
    rf"|(?P<number>{_N})|(?P<plain>\*\*|[-+*/%(),（）]|(?<=\d)\s*x\s*(?=\d))|"
    rf"(?P<space>\s+|元|块钱|块|个|[$€£¥]|再|然后再?(?=[加减乘除]))|"
    + "|".join(f"(?P<sign{place}>{pattern})" for place, (pattern, _) in enumerate(_SIGNS)),
    re.IGNORECASE,
)


@functools.cache
def _phrases() -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]:
    # Compiled when the first number comes: a first request about the weather need not wait.
    return tuple((re.compile(pattern, re.IGNORECASE), put) for pattern, put in _PHRASES)


@functools.lru_cache(maxsize=512)
def find_expressions(text: str) -> tuple[Found, ...]:
    """Every arithmetic expression, in order, written with digits and signs.

    "12 times 7" gives "12 * 7". Something is an expression if it has a sign between two numbers.
    """
    hidden = _NOT_NUMBERS.sub(lambda match: "\x00" * len(match.group()), text)
    if NUMBER.search(hidden) is None:
        return ()
    for pattern, put in _phrases():
        hidden = pattern.sub(put, hidden)
    return tuple(found for run in _runs(hidden) if (found := _expression(run)) is not None)


def _runs(text: str) -> list[list[tuple[str, int, int]]]:
    """Stretches of the text in which every token belongs to arithmetic."""
    runs: list[list[tuple[str, int, int]]] = [[]]
    place = 0
    for match in _TOKEN.finditer(text):
        if match.start() > place:
            runs.append([])
        place = match.end()
        written = _written(match)
        if written == "," and not _is_open(runs[-1]):
            runs.append([])
        elif _is_number(written) and runs[-1] and _is_number(runs[-1][-1][0]):
            runs.append([(written, match.start(), match.end())])
        elif written:
            runs[-1].append((written, match.start(), match.end()))
    return runs


def _is_number(written: str) -> bool:
    return written[:1].isdigit()


def _is_open(run: list[tuple[str, int, int]]) -> bool:
    written = [token for token, _, _ in run]
    return written.count("(") > written.count(")")


def _written(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    text = match.group().strip()
    if kind == "space":
        return ""
    if kind == "number":
        return text.replace(",", "") if text[0].isdigit() else str(to_number(text))
    if kind.startswith("sign"):
        return _SIGNS[int(kind.removeprefix("sign"))][1]
    return {"（": "(", "）": ")", "x": "*", "X": "*"}.get(text, text)


def _expression(run: list[tuple[str, int, int]]) -> Found | None:
    tokens = _trimmed(run)
    written = [token for token, _, _ in tokens]
    numbers = sum(_is_number(token) for token in written)
    has_sign = any(token[0] in "+-*/%" for token in written[1:])
    has_function = bool(written) and written[0].isalpha()
    if not numbers or not (has_function or (has_sign and (numbers > 1 or "**" in written[-1]))):
        return None
    text = re.sub(r"\(\s+", "(", " ".join(written))
    text = re.sub(r"\s+([),])", r"\1", re.sub(r"([a-z]) \(", r"\1(", text))
    text = re.sub(r"^- (?=\d)|(?<=\()- (?=\d)", "-", text)
    return Found(value=text, start=tokens[0][1], end=tokens[-1][2], strength=2.0)


def _trimmed(run: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Without signs at the ends, and with as many closing as opening brackets."""
    tokens = list(run)
    while tokens and (tokens[-1][0][0] in "+-*/%,(" and " " not in tokens[-1][0]):
        tokens.pop()
    while tokens and (tokens[0][0][0] in "+*/%,)" or tokens[0][0] == "- "):
        tokens.pop(0)
    written = [token for token, _, _ in tokens]
    extra = written.count(")") - written.count("(")
    if extra > 0 and tokens[-1][0] == ")":
        return _trimmed(tokens[:-1])
    if extra < 0 and tokens[0][0] == "(":
        return _trimmed(tokens[1:])
    return tokens if extra == 0 else []
