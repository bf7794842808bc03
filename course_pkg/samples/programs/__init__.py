"""The programs that lessons share: small scripts, run with this Python, so they are everywhere.

In: a folder to work in. Out: an `AllowList` of five programs. Each is a file of `scripts/`, started
as a process of its own and never imported.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from course_pkg.programs import AllowList, Option, PathIn, Program, Switch, Word, path_schema
from course_pkg.samples.files import SAMPLE_FILES
from course_pkg.samples.folder import course_folder

__all__ = ["SCRIPTS", "python_command", "sample_programs", "working_folder"]

SCRIPTS = Path(__file__).parent / "scripts"

#: What a program needs to find the screen and the learner's desktop.
SCREEN_VARIABLES = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "HOME",
    "USERPROFILE",
    "SSH_CONNECTION",
)

#: A file of the working folder: a path with an ending, so that no word of a sentence is one.
FILE = {
    **path_schema("A text file in the working folder, for example files/notes.txt."),
    "pattern": r"^[^-/~:\\\s][^:]*\.[a-z]{2,5}$",
}


def sample_programs(folder: Path | None = None) -> AllowList:
    """The programs of the lessons, and a folder with the sample files for them to work in.

    Args:
        folder: where they work; a folder in the course's own if left out. It is made, and the
            sample files are put into its `files`.
    """
    programs = (
        _count_words(),
        _compute_checksum(),
        _show_calendar(),
        _save_backup(),
        _open_calculator(),
    )
    return AllowList(programs, folder=working_folder(folder))


def working_folder(folder: Path | None = None) -> Path:
    """A folder that holds a fresh copy of the sample files, in `files`.

    Args:
        folder: which one; a folder in the course's own if left out.
    """
    folder = folder or course_folder(os.environ) / "programs"
    for file in SAMPLE_FILES.rglob("*"):
        if file.is_file():
            target = folder / "files" / file.relative_to(SAMPLE_FILES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)  # without its rights: it may be installed as read-only
    return folder


def python_command(script: Path) -> tuple[str, ...]:
    """The command that runs a script with this Python, apart from all settings and other modules.

    `-I` leaves out variables such as PYTHONPATH and the folder of the work, so that no file there
    can stand in for a module. UTF-8 is asked for here, since `-I` also leaves out PYTHONUTF8.

    Args:
        script: the whole path of a Python file.
    """
    return (sys.executable, "-I", "-B", "-X", "utf8", str(script))


def _count_words() -> Program:
    """The program that counts lines, words and characters."""
    return Program(
        name="count_words",
        description=(
            "Count one text file of the working folder, and return its numbers of lines, words and "
            "characters. Changes nothing."
        ),
        command=python_command(SCRIPTS / "count_words.py"),
        parts=(PathIn("file"),),
        input_schema=_object(
            {"file": FILE},
            required=["file"],
        ),
        side_effect=False,
    )


def _compute_checksum() -> Program:
    """The program that computes a checksum."""
    algorithm = {
        "type": "string",
        "enum": ["sha256", "sha512", "blake2b"],
        "description": "Which checksum; sha256 if left out.",
    }
    return Program(
        name="compute_checksum",
        description=(
            "Compute the checksum of one file of the working folder and return it, to see whether "
            "two files are the same. Changes nothing."
        ),
        command=python_command(SCRIPTS / "compute_checksum.py"),
        parts=(Option("--algorithm", Word("algorithm")), PathIn("file")),
        input_schema=_object(
            {
                "file": FILE,
                "algorithm": algorithm,
            },
            required=["file"],
        ),
        side_effect=False,
    )


def _show_calendar() -> Program:
    """The program that prints a month."""
    return Program(
        name="show_calendar",
        description="Return the calendar of one month as text, with weeks from Monday to Sunday.",
        command=python_command(SCRIPTS / "show_calendar.py"),
        parts=(Word("month"),),
        input_schema=_object(
            {
                "month": {
                    "type": "string",
                    "pattern": "^(19|20)[0-9]{2}-(0[1-9]|1[0-2])$",
                    "description": "Year and month from 1900-01 to 2099-12, for example 2026-05.",
                }
            },
            required=["month"],
        ),
        side_effect=False,
    )


def _save_backup() -> Program:
    """The program that packs a folder into an archive."""
    return Program(
        name="save_backup",
        description=(
            "Pack one folder of the working folder into a zip archive under backups/, and return "
            "the archive's name. An older archive of the same folder is replaced."
        ),
        command=python_command(SCRIPTS / "save_backup.py"),
        parts=(PathIn("folder", kind="folder"),),
        input_schema=_object(
            {
                "folder": {
                    "type": "string",
                    "enum": ["files", "files/reports"],
                    "description": "Which folder: files, or only files/reports.",
                }
            },
            required=["folder"],
        ),
    )


def _open_calculator() -> Program:
    """The program that opens this computer's calculator."""
    return Program(
        name="open_calculator",
        description=(
            "Open the calculator of this computer in a window, for the user to use. It computes "
            "nothing for you. Without a screen it only says what it would have started."
        ),
        command=python_command(SCRIPTS / "open_calculator.py"),
        parts=(Switch("--dry-run", "dry_run"),),
        input_schema=_object(
            {
                "dry_run": {
                    "type": "boolean",
                    "description": "True to only say what would be started; false if left out.",
                }
            },
            required=[],
        ),
        keeps_running=True,
        variables=SCREEN_VARIABLES,
    )


def _object(properties: dict[str, object], *, required: list[str]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
