"""Look over what servers offer before a model sees it, for signs of an attack.

In: the tools of one server or of several, by the server's name. Out: `Suspicion`s, each with where,
a code word, a sentence what it is, what to do, and the value with hidden characters written out.

`orders.py` finds orders to the model, `lookalikes.py` names that are taken for one another,
`powers.py` tools that can do too much; hidden characters are looked for here, in every text. The
rules are simple on purpose: they find what has been seen in the wild, they prove nothing harmless.
A person reads the whole definition too, and `fingerprints` sees to it that it stays that way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from course_pkg.tools.hidden import KINDS, hidden_characters, revealed
from course_pkg.tools.suspicions.lookalikes import name_suspicions
from course_pkg.tools.suspicions.orders import orders_in
from course_pkg.tools.suspicions.powers import power_suspicions
from course_pkg.tools.suspicions.reading import (
    MAX_DEPTH,
    Offer,
    is_too_deep,
    read_offers,
    shown,
    texts_of,
)
from course_pkg.tools.suspicions.suspicion import Suspicion

__all__ = ["Suspicion", "suspicions", "suspicions_among"]

#: Nobody reads so long a text of a definition to its end, in characters.
MAX_TEXT_CHARS = 10_000

#: What calls for "no" at once; the rest calls for a look.
GRAVE = frozenset({"keeps_secrets", "overrides_orders", "secret_place", "sends_elsewhere"})

Make: TypeAlias = Callable[..., Suspicion]


def suspicions(source: Any, *, server: str = "") -> tuple[Suspicion, ...]:
    """Everything about the definitions of one server that a person should look at.

    Args:
        source: a tool, a toolbox, one definition or a list of them in the form of any interface, or
            a result of MCP's `tools/list`.
        server: the server's name, for the findings.

    Returns:
        The findings, tool by tool. None is no proof of harmlessness.

    Raises:
        ValueError: if something in it is no definition.
    """
    return suspicions_among({server: source})


def suspicions_among(servers: Mapping[str, Any]) -> tuple[Suspicion, ...]:
    """The same for several servers together, and what their tools are beside one another.

    Args:
        servers: what each server offers, by the server's name, as for `suspicions`.

    Raises:
        ValueError: if something in it is no definition.
    """
    offers = [offer for name, source in servers.items() for offer in read_offers(source, name)]
    found = [finding for offer in offers for finding in _of_one(offer, offers)]
    return (*found, *name_suspicions(offers))


def _of_one(offer: Offer, offers: Sequence[Offer]) -> Iterator[Suspicion]:
    own = [one.name for one in offers if one.server == offer.server]
    foreign = [one for one in offers if one.server != offer.server and one.name not in (*own, "")]
    for path, text in texts_of(offer):
        suspicion = _at(offer, path)
        yield from _of_length(text, suspicion)
        yield from _of_hidden(text, suspicion)
        yield from _of_orders(text, own, suspicion)
        if path != "name":
            yield from _of_foreign(text, foreign, suspicion)
    if is_too_deep(offer.schema):
        yield _at(offer, "/")(
            code="nested_too_deeply",
            text=f"The schema is nested more than {MAX_DEPTH} levels deep. Nobody reads that.",
            fix="Do not approve it.",
            shown="(a schema of too many levels)",
        )
    else:
        yield from power_suspicions(offer)


def _of_length(text: str, suspicion: Make) -> Iterator[Suspicion]:
    if len(text) > MAX_TEXT_CHARS:
        yield suspicion(
            code="very_long_text",
            text=f"It has {len(text):,} characters. Nobody reads it to the end but the model.",
            fix="Read the end first, or do not approve it.",
            shown=shown(text, len(text) - 80),
        )


def _of_hidden(text: str, suspicion: Make) -> Iterator[Suspicion]:
    for part in hidden_characters(text):
        says = f" Read as letters they say: {revealed(part.message)!r}." if part.message else ""
        yield suspicion(
            code=part.kind,
            text=f"A model reads {KINDS[part.kind]} here that a person does not see "
            f"({len(part.characters)}).{says}",
            fix="Do not approve it before they are gone.",
            shown=shown(text, part.at),
            severity="error",
        )


def _of_orders(text: str, own: Sequence[str], suspicion: Make) -> Iterator[Suspicion]:
    for rule, words in orders_in(text, own):
        yield suspicion(
            code=rule.code,
            text=rule.text,
            fix="Do not approve it like this: a description says what a tool does, nothing else.",
            shown=shown(words),
            severity="error" if rule.code in GRAVE else "warning",
        )


def _of_foreign(text: str, foreign: Sequence[Offer], suspicion: Make) -> Iterator[Suspicion]:
    for other in foreign:
        match = _mention(other.name, text)
        if match:
            yield suspicion(
                code="names_foreign_tool",
                text=f"It speaks of {revealed(other.name)}, a tool of the server "
                f"{revealed(other.server) or 'without a name'}: it could change how the model uses "
                "that one.",
                fix="Do not connect the two together before you know why.",
                shown=shown(text, match.start()),
            )


def _mention(name: str, text: str) -> re.Match[str] | None:
    """Where a text names a tool. A plain word counts only where it is written like a name."""
    escaped = re.escape(name)
    if re.search(r"[_.\-/]|[a-z][A-Z]", name):
        return re.search(rf"(?<!\w){escaped}(?!\w)", text)
    return re.search(
        rf"[`'\"“]{escaped}[`'\"”]|\b{escaped}\(|\b{escaped} tool\b|\btool {escaped}\b", text
    )


def _at(offer: Offer, path: str) -> Make:
    """Suspicions about one place."""
    return partial(Suspicion, server=offer.server, tool=revealed(offer.name), path=path)
