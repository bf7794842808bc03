"""The few environment variables that a started program gets.

In: this process's variables, and names that one program needs besides. Out: a small environment. A
program that a model can start sees no key: what is not named here does not come along.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

#: Windows programs do not start without the first; the time zone changes what a date means.
KEPT = ("SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "TZ")

#: Where programs put what they need for a moment: in their own folder.
TEMPORARY = ("TMPDIR", "TEMP", "TMP")

#: Words in a variable's name that mean it holds a credential. Such a variable is never handed on.
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "COOKIE")


def small_environment(
    mine: Mapping[str, str], *, folder: Path, also: Iterable[str] = ()
) -> dict[str, str]:
    """What a program gets: a short PATH, UTF-8, its folder for temporary files, and what is named.

    Args:
        mine: the variables of this process.
        folder: the program's working folder.
        also: further names. One that means a credential is left out all the same.
    """
    named = [*KEPT, *(name for name in also if not _is_secret(name))]
    kept = {name: mine[name] for name in named if name in mine}
    made = {"PATH": _search_path(mine), "PYTHONUTF8": "1", "LANG": "C.UTF-8"}
    return {**kept, **made, **dict.fromkeys(TEMPORARY, str(folder))}


def _search_path(mine: Mapping[str, str]) -> str:
    if os.name == "nt":
        return str(Path(mine.get("SYSTEMROOT", r"C:\Windows")) / "System32")
    return os.defpath


def _is_secret(name: str) -> bool:
    return any(word in name.upper() for word in SECRET_WORDS)
