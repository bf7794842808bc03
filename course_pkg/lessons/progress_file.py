"""Keep what a learner has solved, in a file of theirs. It is never sent anywhere.

In: verdicts and hints. Out: a JSON file in the course's own folder, and a table. A file that cannot
be read is put aside, not overwritten.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course_pkg.samples.folder import course_folder

FILE_NAME = "progress.json"

_lock = threading.Lock()


def folder() -> Path:
    """The course's own folder: `COURSE_FOLDER`, or `.course` beside the notebooks."""
    return course_folder(os.environ)


def note(number: str, *, passed: bool) -> None:
    """Keep the outcome of one check.

    Args:
        number: the exercise.
        passed: whether it passed. Once passed stays passed.
    """
    with _lock:
        kept = _read()
        entry = kept.setdefault(number, {})
        entry["tries"] = entry.get("tries", 0) + (0 if entry.get("passed") else 1)
        entry["passed"] = entry.get("passed", False) or passed
        _write(kept)


def hints_given(number: str) -> int:
    """How many hints an exercise has given so far."""
    with _lock:
        return int(_read().get(number, {}).get("hints", 0))


def note_hint(number: str) -> None:
    """Keep that one more hint was given."""
    with _lock:
        kept = _read()
        entry = kept.setdefault(number, {})
        entry["hints"] = entry.get("hints", 0) + 1
        _write(kept)


def progress() -> Mapping[str, Mapping[str, Any]]:
    """What is kept, by exercise: `passed`, `tries`, `hints`."""
    with _lock:
        return _read()


def _read() -> dict[str, Any]:
    path = folder() / FILE_NAME
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        _put_aside(path)
        return {}
    entries = kept.items() if isinstance(kept, dict) else ()
    return {number: entry for number, entry in entries if isinstance(entry, dict)}


def _put_aside(path: Path) -> None:
    """Keep a file that cannot be read, under another name: it may be a learner's work."""
    try:
        path.replace(path.with_suffix(".unreadable.json"))
    except OSError:
        return


def _write(kept: Mapping[str, Any]) -> None:
    """Write all at once: a full disk or a kernel that dies leaves the old file whole.

    A folder that cannot be written (a read-only classroom share) costs the progress, not the check.
    """
    try:
        folder().mkdir(parents=True, exist_ok=True)
        path = folder() / FILE_NAME
        fresh = path.with_name(f"{FILE_NAME}.{os.getpid()}.new")
        fresh.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError:
        return
