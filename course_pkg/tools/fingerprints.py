"""Pin what was approved, and notice when a server offers something else later.

In: tool definitions in the form of any interface. Out: a fingerprint for each, and `Pins`: what a
person has approved, kept in a file, and what is new, changed or gone since. A tool can be harmless
on the day it is approved and another one the day after: that is called a rug pull.

A fingerprint covers what the model is told: name, description, input schema. The same tool has the
same one in every form, whatever the order of keys. Annotations are no part of it: they are hints
from the server, which nothing may rely on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_pkg.schema import TooDeepError
from course_pkg.tools import pins_file
from course_pkg.tools.differences import Difference, differences
from course_pkg.tools.hidden import revealed
from course_pkg.tools.pins_file import PinsError
from course_pkg.tools.suspicions.reading import Offer, read_offers

__all__ = ["Change", "Pins", "PinsError", "fingerprint"]

SENTENCES = {
    "new": "is new. Read its definition before you approve it.",
    "changed": "is not what was approved. Do not run it before you have read what changed:",
    "gone": "was approved and is no longer offered.",
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """A tool that is not as it was approved.

    Attributes:
        kind: `new`, `changed` or `gone`.
        server: the server's name.
        tool: the tool's name.
        parts: for `changed`: every place that differs.
    """

    kind: str
    server: str
    tool: str
    parts: tuple[Difference, ...] = ()

    def __str__(self) -> str:
        """What happened and what to do, with each place that differs."""
        of = f" of {revealed(self.server)}" if self.server else ""
        lines = [f"{revealed(self.tool)}{of} {SENTENCES[self.kind]}"]
        return "\n  ".join([*lines, *map(str, self.parts)])


def fingerprint(definition: Any) -> str:
    """The SHA-256 of a definition, as 64 hexadecimal digits.

    Args:
        definition: a tool, or a definition in the form of any interface.

    Raises:
        ValueError: if it is no single definition.
        TooDeepError: if it is nested too deeply.
    """
    offers = read_offers(definition, "")
    if len(offers) != 1:
        raise ValueError(f"A fingerprint is of one definition, and these are {len(offers)}.")
    return _fingerprint(_told(offers[0]))


@dataclass
class Pins:
    """What a person has approved: for each server its tools, as they were then."""

    _kept: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many tools are pinned."""
        return len(self._kept)

    def approve(self, source: Any, *, server: str = "") -> None:
        """Pin tools as they are now. Those that were pinned under the same name are replaced.

        Args:
            source: a tool, a toolbox, definitions, or a result of `tools/list`.
            server: the server's name.

        Raises:
            PinsError: if two of the tools have the same name.
            ValueError: if something in it is no definition.
        """
        told = [_told(offer) for offer in read_offers(source, server)]
        names = [str(one["name"]) for one in told]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PinsError(
                f"Two tools of {server or 'this server'} are named {revealed(twice)!r}, and a pin "
                "holds one. Approve neither before they have different names."
            )
        self._kept |= {(server, name): one for name, one in zip(names, told, strict=True)}

    def check(self, source: Any, *, server: str = "") -> tuple[Change, ...]:
        """What is not as it was approved; empty if all is.

        Args:
            source: everything that the server offers now.
            server: the server's name.

        Raises:
            ValueError: if something in it is no definition.
        """
        offered = [_told(offer) for offer in read_offers(source, server)]
        found = [self._compared(one, server) for one in offered]
        names = {one["name"] for one in offered}
        gone = [
            Change(kind="gone", server=of, tool=name)
            for of, name in self._kept
            if of == server and name not in names
        ]
        return (*(change for change in found if change is not None), *gone)

    def forget(self, *, server: str) -> None:
        """Take the pins of a server away.

        Args:
            server: the server's name.
        """
        self._kept = {key: told for key, told in self._kept.items() if key[0] != server}

    def save(self, path: Path | str) -> None:
        """Write the pins to a file, all at once: whatever happens, an old file stays whole.

        Args:
            path: the file. Its folder must be there.

        Raises:
            OSError: if it cannot be written.
        """
        pins_file.write(
            Path(path),
            [
                {"server": server, "sha256": _fingerprint(told), **told}
                for (server, _), told in sorted(self._kept.items())
            ],
        )

    @classmethod
    def load(cls, path: Path | str) -> Pins:
        """Read pins from a file. Where there is no file there are no pins.

        Args:
            path: what `save` wrote.

        Raises:
            PinsError: if the file is not what `save` writes, or was changed by hand.
            OSError: if it cannot be read.
        """
        pins = cls()
        for entry in pins_file.read(Path(path)):
            told = {key: entry[key] for key in ("name", "description", "input_schema")}
            if _fingerprint(told) != entry["sha256"]:
                why = f"the pin of {revealed(entry['name'])!r} does not fit its fingerprint"
                raise pins_file.unusable(Path(path), why)
            pins._kept[entry["server"], entry["name"]] = told
        return pins

    def _compared(self, told: Mapping[str, Any], server: str) -> Change | None:
        name = str(told["name"])
        kept = self._kept.get((server, name))
        if kept is None:
            return Change(kind="new", server=server, tool=name)
        if _fingerprint(kept) == _fingerprint(told):
            return None
        parts = differences(kept, told)
        return Change(kind="changed", server=server, tool=name, parts=parts)


def _told(offer: Offer) -> dict[str, Any]:
    """What a model is told, in one form."""
    schema = _plain(offer.schema)
    return {"name": offer.name, "description": offer.description, "input_schema": schema}


def _plain(value: Any) -> Any:
    """A JSON value without what JSON does not tell apart: 1.0 is 1, a tuple is a list."""
    try:
        return json.loads(json.dumps(value), parse_float=_number)
    except RecursionError as error:
        raise TooDeepError("The definition is nested too deeply to be pinned.") from error
    except TypeError as error:
        raise ValueError(f"The definition holds what JSON does not have: {error}.") from error


def _number(text: str) -> float | int:
    value = float(text)
    return int(value) if value.is_integer() else value


def _fingerprint(told: Mapping[str, Any]) -> str:
    # Escapes keep the bytes the same whatever stands in a text, half characters included.
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
