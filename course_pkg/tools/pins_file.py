"""Keep pins in a file: JSON in UTF-8, written all at once, in which a person sees what hides.

In: entries. Out: a file, and the entries again, or an error that says what to do. Knows nothing of
what the entries mean.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from course_pkg.tools.hidden import hidden_characters

#: The form of the file.
VERSION = 1

#: What an entry must hold, and of which type.
FIELDS: Mapping[str, type] = {
    "server": str,
    "sha256": str,
    "name": str,
    "description": str,
    "input_schema": dict,
}


class PinsError(ValueError):
    """Pins cannot be made or read as they are. The text says which file and what to do."""


def write(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the file. Whatever happens, an old one stays whole until the new one is.

    Args:
        path: where. The folder must be there.
        entries: what to keep.

    Raises:
        OSError: if it cannot be written.
    """
    text = json.dumps({"version": VERSION, "tools": entries}, ensure_ascii=False, indent=1)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(_escaped(text) + "\n")
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def read(path: Path) -> list[Mapping[str, Any]]:
    """The entries of a file; none where there is no file.

    Args:
        path: what `write` wrote.

    Raises:
        PinsError: if it is not what `write` writes.
        OSError: if it cannot be read.
    """
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (ValueError, RecursionError) as error:
        raise unusable(path, f"it is no JSON in UTF-8 ({type(error).__name__})") from error
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        raise unusable(path, f"it is not in version {VERSION} of the form")
    entries = kept.get("tools")
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise unusable(path, "an entry lacks something, or is of another type")
    return entries


def unusable(path: Path, why: str) -> PinsError:
    """The error about a file that cannot be used.

    Args:
        path: the file.
        why: what is wrong with it.
    """
    return PinsError(
        f"The pins in {path.name} cannot be used: {why}. Put the file aside, look every tool over "
        "again, and approve what you want to keep."
    )


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(key), kind) for key, kind in FIELDS.items()
    )


def _escaped(text: str) -> str:
    """JSON in which what hides is written as an escape: a person sees it, and it can be encoded."""
    hiding = {letter for part in hidden_characters(text) for letter in part.characters}
    return text.translate({ord(letter): json.dumps(letter)[1:-1] for letter in hiding})
