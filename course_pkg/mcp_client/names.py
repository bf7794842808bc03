"""Names for the tools of several servers, each once, that every chat interface takes.

In: pairs of a server and a tool of it. Out: `server__tool`, and the way back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from course_pkg.tools.names import MAX_NAME_CHARS

#: A server's name here, and a tool's name there.
Pair: TypeAlias = tuple[str, str]

BETWEEN = "__"


def public_names(
    pairs: Iterable[Pair],
    *,
    given: Mapping[Pair, str] | None = None,
    reserved: Iterable[str] = (),
) -> dict[Pair, str]:
    """A legal name for each pair, none twice. What would be a name that is taken gets a number.

    Args:
        pairs: server and tool.
        given: names from before. They stay, since a conversation may hold them.
        reserved: names that others have.

    Returns:
        The names from before, and the new ones. Turned round, it leads back.
    """
    names = dict(given or {})
    taken = {*names.values(), *reserved}
    for pair in pairs:
        if pair not in names:
            names[pair] = _free(_clean(BETWEEN.join(pair)), taken)
            taken.add(names[pair])
    return names


def _clean(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:MAX_NAME_CHARS]


def _free(name: str, taken: set[str]) -> str:
    made, number = name, 1
    while made in taken:
        number += 1
        tail = f"_{number}"
        made = f"{name[: MAX_NAME_CHARS - len(tail)]}{tail}"
    return made
