"""Hide credentials before a frame exists.

In: headers and payloads as they crossed. Out: the same without a credential, not even a part of
one. Everything else stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

REDACTED = "(hidden)"

#: Words in a header's name that mean its value is a credential.
SECRET_WORDS = ("auth", "key", "token", "secret", "cookie", "password", "credential", "signature")

#: Headers' names of which it is remembered whether they are secret.
MAX_KEPT_NAMES = 256

#: Headers, name and value, that are kept decoded.
MAX_KEPT_HEADERS = 512

#: A credential shorter than this could be an ordinary word of a payload ("none", "local").
MIN_SECRET_CHARS = 8

#: What looks like a key, whole or with its middle starred out, as services quote it in errors.
KEY_PATTERN = re.compile(rb"\bsk-[A-Za-z0-9_*.\-]{4,}")

#: So many characters at a key's beginning, with stars after them, are that key starred out.
SHOWN_CHARS = 3


class SafeHeaders(tuple[tuple[str, str], ...]):
    """Headers without a credential, so that nobody has to look them over again."""

    __slots__ = ()


def redacted(headers: Iterable[tuple[str, str]]) -> SafeHeaders:
    """Headers with lower-case names, and no credential in any value.

    Args:
        headers: names and values as they crossed.
    """
    if isinstance(headers, SafeHeaders):
        return headers
    pairs = [(*_known(name), value) for name, value in headers]
    return SafeHeaders([(name, REDACTED if secret else value) for name, secret, value in pairs])


def readable(headers: Iterable[tuple[bytes, bytes]]) -> SafeHeaders:
    """The same for the bytes of headers.

    Args:
        headers: names and values as they crossed.
    """
    return SafeHeaders(
        [
            (_known(name)[0], REDACTED) if _known(name)[1] else _decoded(name, value)
            for name, value in headers
        ]
    )


def hider(headers: Iterable[tuple[bytes, bytes]]) -> Callable[[bytes], bytes]:
    """A function that hides, in a payload, the credentials that these headers carry.

    Args:
        headers: the request's headers as they crossed. A service may quote its key in an answer.
    """
    values = [value.split()[-1] for name, value in headers if _known(name)[1] and value.strip()]
    secrets = [value for value in values if len(value) >= MIN_SECRET_CHARS]

    def hide(payload: bytes) -> bytes:
        for secret in secrets:
            payload = payload.replace(secret, REDACTED.encode())
        for secret in secrets if b"*" in payload else ():
            starred = re.escape(secret[:SHOWN_CHARS]) + rb"[\w.-]*\*[\w.*-]*"
            payload = re.sub(starred, REDACTED.encode(), payload)
        return hide_keys(payload)

    return hide


def hide_keys(payload: bytes) -> bytes:
    """`payload` without anything that looks like a key, whoever it belongs to."""
    return KEY_PATTERN.sub(REDACTED.encode(), payload) if b"sk-" in payload else payload


# Most headers are the same at each request: what was found out of them is kept. No credential is
# kept here, only that its header's name means one.
@lru_cache(maxsize=MAX_KEPT_NAMES)
def _known(name: str | bytes) -> tuple[str, bool]:
    """A header's name in lower case, and whether its value is a credential."""
    lower = (name if isinstance(name, str) else name.decode("latin-1")).lower()
    return lower, any(word in lower for word in SECRET_WORDS)


@lru_cache(maxsize=MAX_KEPT_HEADERS)
def _decoded(name: bytes, value: bytes) -> tuple[str, str]:
    return name.decode("latin-1").lower(), value.decode("latin-1")
