"""Keep a path inside one folder.

In: a path as a model wrote it. Out: the same path in plain form, relative to the folder, or a
`RefusedError`. First the text is looked at, with the same verdict on every system; then the disk:
no link, no device, nothing outside.

The look and the program's own opening are two moments. What could change a path in between would
have to run in this folder, so let only listed programs write there.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

from course_pkg.programs.errors import RefusedError
from course_pkg.programs.parts import PathKind

MAX_PATH_CHARS = 200

#: How much of a refused value an error shows, in characters.
MAX_SHOWN_CHARS = 60

#: Windows takes these for devices in every folder, whatever the ending.
DEVICE = re.compile(r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])", re.I)

#: What a schema can say of a path. The rest (`..`, links, devices) is not in its text alone.
PATH_PATTERN = r"^[^-/~:\\\s][^:]*$"

#: Beginnings of a word that a program may take for more than a path.
TAKEN_FOR_MORE = "-@~+"

WANTED = {"file": "a regular file", "folder": "a folder"}


def path_schema(description: str) -> dict[str, Any]:
    """The schema of an argument that is a path inside the working folder.

    Args:
        description: what the model is told of it. The limits are added.
    """
    return {
        "type": "string",
        "pattern": PATH_PATTERN,
        "maxLength": MAX_PATH_CHARS,
        "description": f"{description} A relative path without ':', at most {MAX_PATH_CHARS} long.",
    }


def confined(folder: Path, path: str, *, kind: PathKind = "file") -> str:
    """The path in plain form, with `/` between its parts, if it lies inside the folder.

    The plain form never begins with what a program could take for an option.

    Args:
        folder: the folder that nothing may leave.
        path: a relative path, with slashes of either kind.
        kind: what must be there. `new` may be there or not, and its folder must be.

    Raises:
        RefusedError: if it leads out, through a link, or to something of another kind.
    """
    if reason := why_refused(path):
        raise RefusedError(f"{shown(path)} {reason}")
    root = folder.resolve()
    parts = _parts(path)
    _refuse_links(root, parts)
    place = root.joinpath(*parts)
    if not place.resolve().is_relative_to(root):
        raise RefusedError(f"{shown(path)} leads out of the working folder.")
    _refuse_other_kinds(place, path, kind)
    plain = "/".join(parts) or "."
    # `./-rf` is a fine path, and `-rf` would be an option.
    return f"./{plain}" if plain[0] in TAKEN_FOR_MORE else plain


def why_refused(path: str) -> str:
    """Why a path is refused for how it is written; empty if it is not.

    Looks at the text alone, never at a disk.

    Args:
        path: any text.
    """
    parts = [part.strip() for part in re.split(r"[/\\]", path)]
    if not path.strip():
        return "is an empty path. Name a file or folder of the working folder."
    if len(path) > MAX_PATH_CHARS:
        return f"is longer than {MAX_PATH_CHARS} characters."
    if any(ord(letter) < 32 or "\ud800" <= letter <= "\udfff" for letter in path):
        return "holds a control character or half of a character."
    if path.strip()[0] in "/\\~-" or ":" in path:
        return "is no relative path. Give a path inside the working folder."
    # Windows drops dots and spaces at a part's end, so these would be names of other files.
    if any(part.strip(". ") == "" and part not in {"", "."} for part in parts):
        return "leads out of the working folder with '..'."
    if any(DEVICE.fullmatch(part.split(".")[0].strip()) for part in parts):
        return "is the name of a device, not of a file."
    return ""


def shown(value: str) -> str:
    """A value for an error message, shortened, with what cannot be seen written as escapes."""
    short = value if len(value) <= MAX_SHOWN_CHARS else f"{value[:MAX_SHOWN_CHARS]}..."
    return ascii(short) if not short.isprintable() else repr(short)


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[/\\]", path.strip()) if part not in {"", "."}]


def _refuse_links(root: Path, parts: list[str]) -> None:
    """Refuse links even if they stay inside: where one leads can change at any time."""
    place = root
    for part in parts:
        place /= part
        if place.is_symlink() or _is_junction(place):
            raise RefusedError(f"{shown('/'.join(parts))} goes through a link. Give the real path.")


def _is_junction(place: Path) -> bool:
    # Windows has a second kind of link, which Python knows from 3.12 on.
    return bool(getattr(place, "is_junction", bool)())


def _refuse_other_kinds(place: Path, path: str, kind: PathKind) -> None:
    try:
        found = place.lstat()
    except OSError as error:  # not there, or no name that this system can have
        if kind == "new" and isinstance(error, FileNotFoundError) and place.parent.is_dir():
            return
        raise RefusedError(f"There is no {shown(path)} in the working folder.") from None
    wanted = stat.S_ISDIR if kind == "folder" else stat.S_ISREG
    if not wanted(found.st_mode):
        raise RefusedError(f"{shown(path)} is not {WANTED.get(kind, 'a regular file')}.")
    if kind != "folder" and found.st_nlink > 1:
        raise RefusedError(f"{shown(path)} has a second name on this disk, perhaps outside.")
