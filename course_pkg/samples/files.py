"""The file tool: read text files of one folder, and no others.

In: a path inside the sample folder, as a model wrote it. Out: the file's text. A path is never
joined to a folder and opened: it is looked up in a list of the files that are really there, so no
way of writing a path leads out. Knows nothing of what is in the files.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from course_pkg.tools import ToolError, tool

MAX_FILE_BYTES = 50_000
MAX_PATH_CHARS = 200
#: How many names an error message lists.
MAX_NAMES_LISTED = 20

SAMPLE_FILES = Path(__file__).parent / "data" / "files"

#: Windows takes these for devices in every folder, whatever the ending.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])", re.I)


@dataclass(frozen=True, kw_only=True)
class ReadableFolder:
    """A folder whose text files may be read, subfolders included.

    Attributes:
        root: the folder.
        max_bytes: how large a file may be.
    """

    root: Path
    max_bytes: int = MAX_FILE_BYTES

    def read(self, path: str) -> str:
        """The text of one file, its lines ended alike on every system.

        Args:
            path: relative to the folder, with slashes of either kind between its parts.

        Raises:
            ToolError: if the path leads out of the folder, or to no file, or to one that is too
                large or not text. Names the files that are there.
        """
        files = self.files()
        if reason := why_refused(path):
            raise ToolError(f"{_shown(path)} {reason} {_listing(files)}")
        wanted = "/".join(_parts(path))
        if wanted not in files:
            raise ToolError(f"{self._missing(wanted, files)} {_listing(files)}")
        return self._text(wanted, files)

    def files(self) -> dict[str, Path]:
        """The files that may be read, by their path with `/`. Links that lead out are left out."""
        root = self.root.resolve()
        found = {}
        for entry in sorted(root.rglob("*")):
            target = _target(entry)
            if target and target.is_file() and target.is_relative_to(root):
                found[entry.relative_to(root).as_posix()] = target
        return found

    def _missing(self, wanted: str, files: dict[str, Path]) -> str:
        if wanted == "" or any(name.startswith(f"{wanted}/") for name in files):
            return f"{wanted or '.'!r} is a folder; read_file reads one file."
        close = difflib.get_close_matches(wanted, files, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return f"There is no file {_shown(wanted)} in the sample folder.{hint}"

    def _text(self, wanted: str, files: dict[str, Path]) -> str:
        content = _beginning(files[wanted], self.max_bytes + 1)
        if len(content) > self.max_bytes:
            raise ToolError(
                f"{wanted!r} is larger than {self.max_bytes:,} bytes, the most that read_file "
                f"gives. {_listing(files)}"
            )
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise ToolError(f"{wanted!r} is not a text file in UTF-8. {_listing(files)}")
        return text.replace("\r\n", "\n")


def _target(entry: Path) -> Path | None:
    """Where an entry really lies; `None` for a link that leads round in a circle."""
    try:
        return entry.resolve()
    except (OSError, RuntimeError):
        return None


def _beginning(file: Path, size: int) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(size)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ToolError(f"{file.name!r} cannot be read: {reason}. Read another file.") from error


def _shown(path: str) -> str:
    return repr(path if len(path) <= 60 else path[:57] + "...")


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[/\\]", path.strip()) if part not in {"", "."}]


def _listing(files: dict[str, Path]) -> str:
    names = list(files)[:MAX_NAMES_LISTED]
    more = f" and {len(files) - len(names)} more" if len(files) > len(names) else ""
    return f"Files there: {', '.join(names) or 'none'}{more}."


def why_refused(path: str) -> str:
    """Why a path is refused for how it is written, the same on every system; empty if it is not.

    Looks at the text alone, never at a disk.
    """
    parts = _parts(path)
    if len(path) > MAX_PATH_CHARS:
        return f"is longer than {MAX_PATH_CHARS} characters."
    if any(ord(letter) < 32 for letter in path):
        return "holds a control character."
    if path.strip()[:1] in {"/", "\\", "~"} or ":" in path:
        return "is no relative path. Give a path inside the sample folder."
    if ".." in (part.strip() for part in parts):
        return "leads out of the sample folder with '..'."
    if any(_DEVICE.fullmatch(part.split(".")[0].strip()) for part in parts):
        return "is the name of a device, not of a file."
    return ""


@tool
def read_file(path: str) -> str:
    """Read a text file from the course's sample folder and return its whole text.

    Only files of that folder can be read, text in UTF-8 of at most 50,000 bytes. If there is no
    such file, the error lists the files that are there.

    Args:
        path: File name, or relative path inside the sample folder, for example notes.txt,
            reports/march.txt or 会议记录.txt. No absolute path and no '..'.
    """
    return ReadableFolder(root=SAMPLE_FILES).read(path)
