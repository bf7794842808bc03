"""Names that every interface takes, and the way back to the real ones.

In: the names of tools from anywhere. Out: for each a legal name, none twice. A server may call a
tool `stock.find-part` (MCP allows dots and slashes); chat interfaces do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

#: What chat interfaces take as a name.
LEGAL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MAX_NAME_CHARS = 64
HASH_CHARS = 6
#: What a name becomes of which no legal character is left.
NO_NAME = "tool"


def legal_names(names: Iterable[str]) -> dict[str, str]:
    """A legal name for each name, none twice.

    A legal name stays as it is. In others each illegal character becomes `_`. Where that would be a
    name that is taken, or the name was cut or lost, a short hash of the real name follows it, so
    the result does not depend on the order of the names.

    Args:
        names: real names. A name that comes twice is one name.

    Returns:
        The real names, each with its legal one, in order. Turned round, it leads back.
    """
    real = list(dict.fromkeys(names))
    clean = {name: _clean(name) for name in real}
    counts = Counter(clean.values())
    taken = {name for name in real if LEGAL_NAME.fullmatch(name)}
    legal: dict[str, str] = {}
    for name in real:
        plain = clean[name]
        keeps_its_own = name in taken or (counts[plain] == 1 and _says_enough(name, plain))
        legal[name] = plain if keeps_its_own else _with_hash(name, plain, taken)
        taken.add(legal[name])
    return legal


def real_names(legal: dict[str, str]) -> dict[str, str]:
    """The way back: the real name for each legal one.

    Args:
        legal: what `legal_names` gave.
    """
    return {made: name for name, made in legal.items()}


def _clean(name: str) -> str:
    if LEGAL_NAME.fullmatch(name):
        return name
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", name)
    return plain if plain.strip("_") else NO_NAME


def _says_enough(name: str, plain: str) -> bool:
    return len(plain) <= MAX_NAME_CHARS and plain != NO_NAME and name.isascii()


def _with_hash(name: str, plain: str, taken: set[str]) -> str:
    import hashlib

    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for length in range(HASH_CHARS, len(digest) + 1):
        tail = f"_{digest[:length]}"
        made = f"{plain[: MAX_NAME_CHARS - len(tail)]}{tail}"
        if made not in taken:
            return made
    raise ValueError(f"No legal name is left for {name!r}.")  # pragma: no cover - 58 hash digits
