"""Names of tools that are taken for one another.

In: what servers offer. Out: suspicions about names: the same one twice, the same but for spelling,
letters that only look the same, one letter's difference. A model tells tools apart by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from course_pkg.schema.linting.verbs import is_a_verb
from course_pkg.tools.hidden import revealed, without_hidden
from course_pkg.tools.suspicions.letters import alphabets, drawn
from course_pkg.tools.suspicions.reading import Offer, shown
from course_pkg.tools.suspicions.suspicion import Suspicion

#: Shorter names are near to one another by chance.
MIN_NEAR_CHARS = 6
#: So long a name may differ in two letters and still be read as the same.
LONG_NAME_CHARS = 14

#: Names whose forms are remembered: each is compared with all others.
MAX_KEPT_NAMES = 2_000

RENAME = "Show the model only one of them, or put the server's name before each."
LOOK = "Find out which server you meant, and do not connect the other."


def name_suspicions(offers: Sequence[Offer]) -> Iterator[Suspicion]:
    """What is odd about the names.

    Args:
        offers: the tools of all servers.
    """
    for offer in offers:
        yield from _mixed(offer)
    for one, other in combinations(offers, 2):
        found = _alike(one, other)
        if found:
            code, text, fix, severity = found
            yield Suspicion(
                code=code,
                server=other.server,
                tool=revealed(other.name),
                path="name",
                text=text.format(_called(one)),
                fix=fix,
                shown=f"{shown(one.name)} and {shown(other.name)}",
                severity=severity,
            )


def _mixed(offer: Offer) -> Iterator[Suspicion]:
    found = alphabets(offer.name)
    if len(found) > 1:
        yield Suspicion(
            code="mixed_alphabets",
            server=offer.server,
            tool=revealed(offer.name),
            path="name",
            text=f"The name mixes letters of the {' and '.join(word.title() for word in found)} "
            "alphabets, which look alike: it can be taken for another tool's name.",
            fix="Do not approve it. Ask who made it why the name is written so.",
            shown=" ".join(f"{one}=U+{ord(one):04X}" for one in offer.name if not one.isascii()),
            severity="error",
        )


def _called(offer: Offer) -> str:
    of = f" of {revealed(offer.server)}" if offer.server else ""
    return f"{revealed(offer.name)}{of}"


def _alike(one: Offer, other: Offer) -> tuple[str, str, str, str] | None:
    if one.name == other.name:
        text = "{} has the same name. The model cannot say which one it means."
        return "same_name", text, RENAME, "warning"
    if _plain(one.name) == _plain(other.name):
        text = "{} has the same name but for case, hidden characters, or the signs between words."
        return "same_but_for_spelling", text, RENAME, "warning"
    if _look(one.name) == _look(other.name):
        text = "{} looks the same: other letters or digits are drawn alike."
        return "confusable_name", text, LOOK, "error"
    # Tools of one server are often named alike on purpose: list_user and list_users.
    if one.server != other.server and _near(one.name, other.name):
        text = "{} differs by so little that people and models read one for the other."
        return "nearly_the_same_name", text, LOOK, "warning"
    return None


@lru_cache(maxsize=MAX_KEPT_NAMES)
def _look(name: str) -> str:
    return drawn(without_hidden(name))


@lru_cache(maxsize=MAX_KEPT_NAMES)
def _plain(name: str) -> str:
    return re.sub(r"[\s_./:-]", "", without_hidden(name)).casefold()


def _near(one: str, other: str) -> bool:
    if min(len(one), len(other)) < MIN_NEAR_CHARS or _differ_in_meaning(one, other):
        return False
    allowed = 2 if min(len(one), len(other)) >= LONG_NAME_CHARS else 1
    return distance(one.casefold(), other.casefold(), limit=allowed) <= allowed


def _differ_in_meaning(one: str, other: str) -> bool:
    """Whether the words that differ are two verbs or two numbers: get and set, v1 and v2."""
    mine, theirs = (re.findall(r"[^\W\d_]+|\d+", name.casefold()) for name in (one, other))
    pairs = [(a, b) for a, b in zip(mine, theirs, strict=False) if a != b]
    return len(mine) == len(theirs) and all(
        _are_two_verbs(a, b) or (a.isdigit() and b.isdigit()) for a, b in pairs
    )


def _are_two_verbs(one: str, other: str) -> bool:
    is_one_with_s = one.startswith(other) or other.startswith(one)
    return is_a_verb(one) and is_a_verb(other) and not is_one_with_s


def distance(one: str, other: str, *, limit: int) -> int:
    """How many letters must be changed, put in, taken out or swapped with the next.

    Args:
        one: a name.
        other: another name.
        limit: no more is asked than whether it is greater than this.

    Returns:
        The distance, or `limit` + 1 for any greater one.
    """
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        older, before, row = before, row, [at]
        for there, rival in enumerate(other, start=1):
            cost = min(before[there] + 1, row[-1] + 1, before[there - 1] + (letter != rival))
            if at > 1 and there > 1 and (letter, one[at - 2]) == (other[there - 2], rival):
                cost = min(cost, older[there - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
