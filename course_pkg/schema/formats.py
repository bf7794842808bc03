"""The formats of texts that are checked, each by a function of its own.

In: a text. Out: whether it has the format. The verdict depends on nothing else that is installed:
only Python's own library is used. A format that is not listed is not checked.

Each function names the document that its format comes from; JSON Schema 2020-12 (validation,
section 7.3) says which documents those are. Not covered: formats of international texts (`iri`,
`idn-email`, `idn-hostname`) and of pointers and templates, which tools do not need.
"""

from __future__ import annotations

import datetime
import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any

from course_pkg.schema.patterns import PatternError, compile_pattern

FULL_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
FULL_TIME = re.compile(r"(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))", re.ASCII)
DURATION = re.compile(
    r"P(?:\d+W|(?=.)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?"
    r"(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)",
    re.ASCII,
)
ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
LOCAL_PART = re.compile(rf"{ATOM}(?:\.{ATOM})*|{QUOTED}")
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
URI_SIGN = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})"
URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.\-]*:"
    rf"(?://(?:(?:{URI_SIGN}|:)*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|{URI_SIGN}*)(?::\d*)?"
    rf"(?:/(?:{URI_SIGN}|[:@])*)*|(?!//)(?:{URI_SIGN}|[:@/])*)"
    rf"(?:\?(?:{URI_SIGN}|[:@/?])*)?(?:\#(?:{URI_SIGN}|[:@/?])*)?",
    re.ASCII,
)
UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")

MAX_HOST_CHARS = 253
MAX_LOCAL_PART_CHARS = 64
#: Longer texts have none of the formats; none of the documents above needs more.
MAX_CHARS = 10_000


def is_date(text: str) -> bool:
    """A day, `2026-01-31`: full-date of RFC 3339, section 5.6."""
    return FULL_DATE.fullmatch(text) is not None and _can(datetime.date.fromisoformat, text)


def is_time(text: str) -> bool:
    """A time of day with its offset, `08:30:00Z`: full-time of RFC 3339, section 5.6."""
    found = FULL_TIME.fullmatch(text)
    if found is None:
        return False
    hour, minute, second = (int(found[part]) for part in (1, 2, 3))
    sign = -1 if found[4] == "-" else 1
    away_hour, away_minute = int(found[5] or 0), int(found[6] or 0)
    if hour > 23 or minute > 59 or away_hour > 23 or away_minute > 59:
        return False
    # A leap second comes at the end of a day in UTC only.
    in_utc = (hour * 60 + minute - sign * (away_hour * 60 + away_minute)) % 1440
    return second <= 59 or (second == 60 and in_utc == 1439)


def is_date_time(text: str) -> bool:
    """A moment, `2026-01-31T08:30:00Z`: date-time of RFC 3339, section 5.6."""
    return text[10:11] in {"T", "t"} and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """A length of time, `P1DT12H`: duration of RFC 3339, appendix A."""
    return DURATION.fullmatch(text) is not None


def is_email(text: str) -> bool:
    """A mail address, `ada@example.com`: Mailbox of RFC 5321, section 4.1.2."""
    local, at, domain = text.rpartition("@")
    if not at or len(local) > MAX_LOCAL_PART_CHARS or LOCAL_PART.fullmatch(local) is None:
        return False
    if domain.startswith("[") and domain.endswith("]"):
        inner = domain[1:-1]
        return is_ipv4(inner) or (inner.startswith("IPv6:") and is_ipv6(inner[5:]))
    return is_hostname(domain)


def is_hostname(text: str) -> bool:
    """The name of a computer, `www.example.com`: RFC 1123, section 2.1."""
    return len(text) <= MAX_HOST_CHARS and all(map(LABEL.fullmatch, text.split(".")))


def is_ipv4(text: str) -> bool:
    """An address, `192.0.2.1`: dotted-quad of RFC 2673, section 3.2."""
    return _can(ipaddress.IPv4Address, text)


def is_ipv6(text: str) -> bool:
    """An address, `2001:db8::1`: RFC 4291, section 2.2, without a zone."""
    return "%" not in text and _can(ipaddress.IPv6Address, text)


def is_uri(text: str) -> bool:
    """An address with its scheme, `https://example.com/a`: URI of RFC 3986, section 3."""
    found = URI.fullmatch(text)
    host = found["host"] if found else None
    return found is not None and (not host or host[0] != "[" or is_ipv6(host[1:-1]))


def is_uuid(text: str) -> bool:
    """An id, `123e4567-e89b-12d3-a456-426614174000`: RFC 4122, section 3."""
    return UUID.fullmatch(text) is not None


def is_regex(text: str) -> bool:
    """A pattern that JSON Schema could hold: ECMA-262, as far as it is understood here."""
    return _can(compile_pattern, text)


def _can(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except (ValueError, PatternError):
        return False
    return True


#: Every format that is checked → its check.
FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_date_time,
    "duration": is_duration,
    "email": is_email,
    "hostname": is_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "regex": is_regex,
    "time": is_time,
    "uri": is_uri,
    "uuid": is_uuid,
}

#: A text of each format, for messages.
EXAMPLES: Mapping[str, str] = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T08:30:00Z",
    "duration": "P1DT12H",
    "email": "ada@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "regex": "^[a-z]+$",
    "time": "08:30:00Z",
    "uri": "https://example.com/page",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}


def has_format(value: Any, name: str) -> bool:
    """Whether a value has a format. What is no text has all of them, and so has any unknown format.

    Args:
        value: a JSON value.
        name: the format.
    """
    known = FORMATS.get(name)
    if known is None or not isinstance(value, str):
        return True
    return len(value) <= MAX_CHARS and known(value)
