"""Correct a call after an error result, if the error says how.

In: the call, the tool's definition, the error text. Out: better arguments, or `None`.
The error text is data: only allowed values, types, forms and names of parameters are taken from
it. Knows nothing of the conversation; that nothing is tried twice is up to `mind`.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course_pkg.practice.finding import to_iso_date
from course_pkg.practice.numerals import NUMBER, to_number
from course_pkg.practice.offers import Offer, Parameter, enum_of, type_of
from course_pkg.practice.words import table

_ERROR = re.compile(
    r"^\W*(?:error|errors|failed|failure|invalid|unknown|cannot|can't|could not|couldn't|"
    r"there is no|there's no|no such|no \w+ ['\"]|did you mean|"
    r"no tool|not found|not allowed|refused|timed? ?out|"
    r"time limit|exception|traceback|unable|missing|wrong|bad |sorry|"
    r"the tool .{0,60}(?:failed|raised|did not|took|timed)|the arguments|\w*(?:Error|"
    r"Exception)\b)"
    r"|^\W*(?:错误|出错|失败|无法|找不到|未找到|没有找到|无效|不存在|缺少|参数错误|超时|不允许)"
    r"|^'[^']{0,80}' (?:is|divides|cannot|holds|does|has|was)\b|^\w+ (?:cannot|does not|"
    r"failed|was not)\b|\bdo not fit\b"
    r"|^.{0,80}\b(?:is not (?:a |an )?(?:valid|one of|known|allowed|on offer|found)|"
    r"not found|does not exist|must be|is required|is missing|was not run|did not run|"
    r"timed out|failed)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|“([^”\n]{1,80})”")
_LISTED = re.compile(
    r"(?:one of|allowed(?: values)?(?: are)?|choose(?: from)?|"
    r"known(?: \w+)?(?: are)?|available(?: \w+)?(?: are)?|valid(?: \w+)?(?: are)?|"
    r"expected|options(?: are)?|did you mean|closest(?: \w+)?(?: is| are)?|try|use|"
    r"instead|such as|for example|e\.g\.|possible \w+|supported(?: \w+)?|\w+ there|"
    r"可选|可用|允许|支持|例如|比如|已知|您是不是要|你是不是要|只能是|必须是|之一|有)\s*(?:is|"
    r"are|be|of|:|：|\(|\[|为|"
    r"是|的)*\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
CLOSE_ENOUGH = 0.6


def is_error(text: str) -> bool:
    """Whether a tool result reports an error, by its form or its first words."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return bool(_ERROR.search(text[:300]))
    if isinstance(value, dict):
        flags = (value.get("error"), value.get("isError"), value.get("is_error"))
        return any(flags) or value.get("ok") is False or value.get("success") is False
    return isinstance(value, str) and bool(_ERROR.search(value[:300]))


#: An error that no better arguments can mend: somebody said no.
_FINAL = re.compile(r"\bdid not approve\b|\bnot approved\b|没有批准|未获批准", re.IGNORECASE)


def mend(
    offer: Offer, arguments: Mapping[str, Any], error: str, fresh: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Better arguments for a call that failed.

    Args:
        offer: the tool that was called.
        arguments: what it was called with.
        error: the text of the error result.
        fresh: what the user's words give for the parameters, looked at again.

    Returns:
        Arguments that differ, or `None` if the error says nothing that helps.
    """
    if _FINAL.search(error):
        return None
    mended = {key: value for key, value in arguments.items() if not _is_refused(key, offer, error)}
    for parameter in _blamed(offer, arguments, error):
        value = _better(parameter, arguments.get(parameter.name), error, fresh)
        if value is not None:
            mended[parameter.name] = value
    return mended if mended != dict(arguments) else None


def _is_refused(key: str, offer: Offer, error: str) -> bool:
    """Whether the error says that there is no such parameter."""
    if key in [parameter.name for parameter in offer.parameters]:
        return False
    return bool(re.search(rf"{re.escape(key)}", error))


def _blamed(offer: Offer, arguments: Mapping[str, Any], error: str) -> Iterator[Parameter]:
    """The parameters that the error names, or whose value it shows; else the only one."""
    named = [
        parameter
        for parameter in offer.parameters
        if re.search(rf"(?<![A-Za-z_]){re.escape(parameter.name)}(?![A-Za-z_])", error)
    ]
    shown = [
        parameter
        for parameter in offer.parameters
        if isinstance(value := arguments.get(parameter.name), str | int | float)
        and len(str(value)) > 1
        and str(value) in error
    ]
    both = [parameter for parameter in shown if parameter in named]
    yield from both or named or shown or offer.parameters[:1]


def _better(parameter: Parameter, value: Any, error: str, fresh: Mapping[str, Any]) -> Any:
    found = fresh.get(parameter.name)
    allowed = enum_of(parameter.schema)
    if allowed and value not in allowed:
        return found if found in allowed else _closest(value, [str(item) for item in allowed])
    typed = _retyped(parameter, value, error)
    if typed is not None:
        return typed
    if value is None:
        return found if found is not None else _example(error)
    if isinstance(value, str):
        free = parameter.role in {"message", "query"}
        return None if free else _renamed(value, error)
    return _limited(value, error)


def _retyped(parameter: Parameter, value: Any, error: str) -> Any:
    """The same value in the type that the definition or the error asks for."""
    wanted = type_of(parameter.schema)
    said = re.search(r"\b(integer|number|boolean|array|list|string)\b", error.lower())
    if said and wanted == "string":
        wanted = {"list": "array"}.get(said.group(1), said.group(1))
    if wanted in {"integer", "number"} and isinstance(value, str):
        match = NUMBER.search(value)
        return to_number(match.group()) if match else None
    if wanted == "boolean" and isinstance(value, str):
        return value.lower() in {"true", "yes", "1", "是"}
    if wanted == "array" and value is not None and not isinstance(value, list):
        return [value]
    if wanted == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def _renamed(value: str, error: str) -> str | None:
    """Another spelling: a date in the wanted form, or the candidate in the error most like it."""
    if re.search(r"yyyy-mm-dd|iso|date", error.lower()) and (day := to_iso_date(value)):
        return day if day != value else None
    candidates = [item for item in _candidates(error) if item.lower() != value.lower()]
    names = [value, *_translations(value)]
    for name in names:
        close = difflib.get_close_matches(
            name.lower(), [item.lower() for item in candidates], n=1, cutoff=CLOSE_ENOUGH
        )
        if close:
            return next(item for item in candidates if item.lower() == close[0])
    inside = [item for item in candidates if value.lower() in item.lower()]
    if inside:
        return inside[0]
    return candidates[0] if _MEANT.search(error) and candidates else None


def _translations(value: str) -> list[str]:
    places = table("places")
    both = [english for chinese, english in places.items() if value.startswith(chinese)]
    both += [chinese for chinese, english in places.items() if english.lower() == value.lower()]
    for plain, forms in table("synonyms").items():
        if value.lower() in forms.split():
            both.append(plain)
    return both


_MEANT = re.compile(
    r"(?:did you mean|你是不是要|您是不是要|你是指)\s*['\"“]?([^'\"”?？\n]{1,80})", re.IGNORECASE
)


def _candidates(error: str) -> list[str]:
    meant = _MEANT.search(error)
    return ([meant.group(1).strip()] if meant else []) + _listed(error)


def _listed(error: str) -> list[str]:
    listed = _LISTED.search(error)
    text = listed.group(1) if listed else error
    quoted = [next(group for group in match if group) for match in _QUOTED.findall(text)]
    if quoted:
        return quoted
    if not listed:
        return []
    parts = re.split(r"\s*[,;，；、|]\s*|\s+(?:or|and)\s+|或|和", text)
    return [part.strip(" .?!。？[]()\n") for part in parts if part.strip(" .?!。？[]()\n")]


def _example(error: str) -> str | None:
    match = re.search(
        r"(?:for example|e\.g\.|such as|例如|比如)[:：]?\s*['\"“]?([^'\"”,.，。\s]+)", error, re.I
    )
    return match.group(1) if match else None


def _limited(value: Any, error: str) -> Any:
    """A number over or under a limit that the error names."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    most = re.search(
        r"(?:at most|maximum(?: of| is)?|less than or equal to|<=|not more than|"
        r"up to|最多|不超过|不能大于|最大)\D{0,10}(\d+)",
        error,
        re.I,
    )
    least = re.search(
        r"(?:at least|minimum(?: of| is)?|greater than or equal to|>=|至少|不少于|"
        r"不能小于|最小)\D{0,10}(\d+)",
        error,
        re.I,
    )
    if most and value > int(most.group(1)):
        return int(most.group(1))
    if least and value < int(least.group(1)):
        return int(least.group(1))
    return None


def _closest(value: Any, allowed: Sequence[str]) -> str | None:
    names = [str(value), *_translations(str(value))]
    for name in names:
        for item in allowed:
            if item.lower() == name.lower():
                return item
    for name in names:
        close = difflib.get_close_matches(name.lower(), [item.lower() for item in allowed], n=1)
        if close:
            return next(item for item in allowed if item.lower() == close[0])
    return None
