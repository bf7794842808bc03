"""Look for keys and tokens that were left in notebooks and other text files.

In: files and folders. Out: `Leak`s: where, which kind, and the first three characters with the
length. The key itself is never shown, since what a scanner prints ends in logs. It finds what it
knows: no findings are no proof.

`key_kinds.py` knows what keys look like; this module knows where to look: the cells' sources, their
outputs, and every piece of metadata.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from course_pkg.lessons.key_kinds import Found, keys_in

#: Larger files are named and not read, in bytes.
MAX_FILE_BYTES = 20_000_000

#: A NUL in so many bytes at the beginning says that a file is no text.
BEGINNING_BYTES = 8_192

#: Folders that tools make and fill, and that are never shared.
LEFT_OUT = frozenset(
    {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache"}
    | {".pytest_cache", ".hypothesis", ".import_linter_cache"}
)
#: Pictures and sounds stand in notebooks as long runs of letters, in which anything can be found.
MEDIA = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/",
    "video/",
    "application/pdf",
)

#: A place inside a file, for a person, and the text there.
Part: TypeAlias = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Leak:
    """Something that looks like a key.

    Attributes:
        path: the file.
        place: where in it: `line 5`, or `cell 3, output 1, line 2`.
        kind: which kind of key.
        shown: its first three characters and its length.
    """

    path: Path
    place: str
    kind: str
    shown: str

    def __str__(self) -> str:
        """All of it on one line."""
        return f"{self.path.as_posix()}: {self.place}: {self.kind}, {self.shown}"


def scan(paths: Sequence[Path | str] = (".",)) -> tuple[Leak, ...]:
    """Everything in files and folders that looks like a key.

    Args:
        paths: files, and folders that are looked through with all that is in them. Links are not
            followed.

    Raises:
        FileNotFoundError: if a path leads nowhere.
        OSError: if a file cannot be read.
    """
    return tuple(leak for path in paths for file in _files(Path(path)) for leak in _scanned(file))


def scan_file(path: Path) -> tuple[Leak, ...]:
    """Everything in one file that looks like a key.

    Args:
        path: a notebook or any other file. One that is no text has no leaks.

    Raises:
        OSError: if it cannot be read.
    """
    if path.stat().st_size > MAX_FILE_BYTES:
        size = f"over {MAX_FILE_BYTES:,} bytes"
        return (Leak(path=path, place="the file", kind="too large to be read", shown=size),)
    text = _text(path.read_bytes())
    return tuple(
        Leak(path=path, place=_with_line(place, found), kind=found.kind, shown=found.shown)
        for place, part in _parts(text, path)
        for found in keys_in(part)
    )


def _scanned(path: Path) -> tuple[Leak, ...]:
    try:
        return scan_file(path)
    except FileNotFoundError:
        return ()  # somebody took it away meanwhile


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}. Check the spelling.")
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if name not in LEFT_OUT)
        files = (Path(folder) / name for name in sorted(names))
        yield from (file for file in files if file.is_file() and not file.is_symlink())


def _text(content: bytes) -> str:
    # PowerShell writes UTF-16 when it redirects.
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return "" if b"\0" in content[:BEGINNING_BYTES] else content.decode("utf-8", "replace")


def _parts(text: str, path: Path) -> Iterator[Part]:
    notebook = _notebook(text) if path.suffix == ".ipynb" else None
    if notebook is None:
        yield "", text
        return
    for number, cell in enumerate(notebook["cells"], start=1):
        yield from _of_cell(f"cell {number}", cell)
    rest = {key: value for key, value in notebook.items() if key != "cells"}
    yield from _texts("the notebook", rest)


def _notebook(text: str) -> dict[str, Any] | None:
    """The notebook, or `None` where the text is none: then it is looked through as it stands."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_one = isinstance(value, dict) and isinstance(value.get("cells"), list)
    return value if is_one else None


def _of_cell(place: str, cell: Any) -> Iterator[Part]:
    if not isinstance(cell, dict):
        yield from _texts(place, cell)
        return
    for key, value in cell.items():
        if key == "outputs" and isinstance(value, list):
            for number, output in enumerate(value, start=1):
                yield from _texts(f"{place}, output {number}", output)
        else:
            yield from _texts(place if key == "source" else f"{place}, {key}", value)


def _texts(place: str, value: Any) -> Iterator[Part]:
    """Every text in a JSON value. Lists of texts are the lines of one, as notebooks write them."""
    waiting: list[tuple[str, Any]] = [(place, value)]
    while waiting:
        where, item = waiting.pop()
        if isinstance(item, str):
            yield where, item
        elif isinstance(item, list) and item and all(isinstance(line, str) for line in item):
            yield where, "".join(item)
        elif isinstance(item, list):
            waiting += [(where, part) for part in item]
        elif isinstance(item, dict):
            yield from _named_texts(where, item)
            waiting += [(where, part) for key, part in item.items() if not key.startswith(MEDIA)]


def _named_texts(where: str, item: dict[str, Any]) -> Iterator[Part]:
    """Names with their values: a token in metadata stands under a name that says so."""
    for key, value in item.items():
        if isinstance(value, str) and len(value) < 1_000:
            found = f'{key} = "{value}"'
            # What is found by its own form is found in the value anyway.
            if any(part.by_name for part in keys_in(found)):
                yield where, found


def _with_line(place: str, found: Found) -> str:
    line = f"line {found.line}"
    return f"{place}, {line}" if place else line
