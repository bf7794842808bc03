"""What keys and tokens look like.

In: a text. Out: what in it looks like a key, with its kind, and no more of it than three characters
and the length. Two ways: forms that services have published, and long, random-looking values that
are given to a name such as `api_key`. Knows nothing of files.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

SHOWN_CHARS = 3

#: A value is random-looking from so many bits for each character on, and so many characters.
MIN_ENTROPY_BITS = 3.3
MIN_RANDOM_CHARS = 16
#: So many letters in the order of the alphabet do not come by chance.
TYPED_RUN = 6

#: Kinds and their forms, in the order in which they are looked for. The first group is the key.
FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"(?<![A-Za-z0-9])({form})"))
    for kind, form in (
        ("key of Anthropic", r"sk-ant-[A-Za-z0-9_-]{20,}"),
        ("key of OpenAI or a service like it", r"sk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}"),
        ("token of GitHub", r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"),
        ("token of GitLab", r"glpat-[A-Za-z0-9_-]{20,}"),
        ("key of AWS", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("key of Google", r"AIza[A-Za-z0-9_-]{35}"),
        ("token of Google", r"ya29\.[A-Za-z0-9_-]{30,}"),
        ("token of Hugging Face", r"hf_[A-Za-z0-9]{30,}"),
        ("token of Slack", r"xox[abeoprs]-[A-Za-z0-9-]{20,}"),
        ("key of Stripe", r"[sr]k_(?:live|test)_[A-Za-z0-9]{20,}"),
        ("token of npm", r"npm_[A-Za-z0-9]{36}"),
        ("token of PyPI", r"pypi-[A-Za-z0-9_-]{50,}"),
        ("key of SendGrid", r"SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
        ("token of DigitalOcean", r"do[opr]_v1_[a-f0-9]{60,}"),
        ("JSON Web Token", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    )
)
PRIVATE_KEY = re.compile(r"(-{5}BEGIN (?:[A-Z]+ )*PRIVATE KEY-{5})")
PASSWORD_IN_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"<>{}]{1,80}:([^\s/@'\"]{6,})@"
    # Hosts that are set aside for examples (RFC 2606) have no passwords.
    r"(?!(?:[\w-]+\.)*(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)\b)"
)
BEARER = re.compile(r"\b(?:bearer|basic) +([A-Za-z0-9+/_.=-]{16,})", re.IGNORECASE)

SECRET_NAME = (
    r"[\w.-]{0,40}(?:api[_-]?key|access[_-]?key|secret|token|password|passwd|credential|auth[_-]?key|"
    r"private[_-]?key)\w{0,20}"
)
#: `api_key = "…"`, `"token": "…"`, also inside JSON inside a text, where quotes have backslashes.
QUOTED = re.compile(
    rf"(?<![\w.-]){SECRET_NAME}[\\\"']{{0,3}}\]?\s*[:=]\s*[\\]?[\"']([^\"'\s\\]{{16,500}})[\\]?[\"']",
    re.IGNORECASE,
)
#: `API_KEY=…`, as in a file of settings or on a command line.
UNQUOTED = re.compile(
    r"(?<![\w.-])(?:export |set |\$env:)?"
    r"[A-Z0-9_]{0,40}(?:KEY|SECRET|TOKEN|PASSWORD|CREDENTIALS?)[A-Z0-9_]{0,20} ?= ?"
    r"([A-Za-z0-9+/_.~-]{20,500}={0,2})(?![\w(\[])"
)
#: Words of values that stand in for a key.
STAND_INS = re.compile(
    r"your|example|placeholder|changeme|not[-_ ]?a[-_ ]?real|dummy|fake|redacted|hidden|xxxx|"
    r"\*\*\*|\.\.\.|…|^[<{$%]|insert|secrets?\.|environ|getenv",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """Something in a text that looks like a key.

    Attributes:
        kind: which kind.
        line: the line, counted from 1.
        shown: its first three characters and its length.
        by_name: whether only its name gave it away, not its own form.
    """

    kind: str
    line: int
    shown: str
    by_name: bool = field(default=False)


def keys_in(text: str) -> Iterator[Found]:
    """What in a text looks like a key, each once.

    Args:
        text: any text.
    """
    taken: list[range] = []
    for kind, pattern, by_name in _looks():
        for match in pattern.finditer(text):
            start, end = match.span(1)
            if any(start < one.stop and one.start < end for one in taken):
                continue
            if _is_meant(kind, match[1], by_name=by_name):
                taken.append(range(start, end))
                line = text.count("\n", 0, start) + 1
                yield Found(kind=kind, line=line, shown=shown(match[1]), by_name=by_name)


def shown(key: str) -> str:
    """What may be said of a key: its first three characters and its length.

    Args:
        key: the key.
    """
    return f"{key[:SHOWN_CHARS]}… ({len(key)} characters)"


def _looks() -> Iterator[tuple[str, re.Pattern[str], bool]]:
    yield from ((kind, pattern, False) for kind, pattern in FORMS)
    yield "private key", PRIVATE_KEY, False
    yield "password in an address", PASSWORD_IN_ADDRESS, False
    yield "credential in a header", BEARER, True
    yield "value of a name that means a key", QUOTED, True
    yield "value of a name that means a key", UNQUOTED, True


def _is_meant(kind: str, key: str, *, by_name: bool) -> bool:
    if kind == "private key":
        return True
    if STAND_INS.search(key):
        return False
    return _is_random(key) if by_name else _is_no_word(key, kind)


def _is_no_word(key: str, kind: str) -> bool:
    """Whether a key in a published form is more than words with hyphens between them."""
    if kind == "password in an address":
        return True
    return any(letter.isdigit() for letter in key) and _entropy(key) > 3.0


def _is_random(value: str) -> bool:
    has_both = any(one.isdigit() for one in value) and any(one.isalpha() for one in value)
    long_enough = len(value) >= MIN_RANDOM_CHARS and _entropy(value) >= MIN_ENTROPY_BITS
    return long_enough and has_both and not _counts_up(value)


def _counts_up(value: str) -> bool:
    """Whether it was typed by somebody who needed any value: abcdef, 123456."""
    steps = [ord(two) - ord(one) for one, two in pairwise(value)]
    return any(set(steps[at : at + TYPED_RUN - 1]) == {1} for at in range(len(steps) - TYPED_RUN))


def _entropy(text: str) -> float:
    """Shannon's entropy of the letters, in bits for each."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)
