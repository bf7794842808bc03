"""The learner's own folder, where the course keeps what it must keep: messages, progress.

In: environment variables and the present folder. Out: a path; nothing is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

#: The environment variable that names the folder.
FOLDER_VARIABLE = "COURSE_FOLDER"
DEFAULT_FOLDER = ".course"

#: The folder stands beside the one that holds this file, wherever in it the work goes on.
FIRST_NOTEBOOK = Path("notebooks") / "00_start_here.ipynb"


def course_folder(environment: Mapping[str, str], here: Path | None = None) -> Path:
    """`COURSE_FOLDER` if it is set, else `.course` beside `notebooks`, else `.course` right here.

    Args:
        environment: variables by name.
        here: where the work goes on; the present folder if left out.
    """
    named = environment.get(FOLDER_VARIABLE, "").strip()
    if named:
        return Path(named)
    here = here or Path.cwd()
    for place in (here, *here.parents):
        if (place / FIRST_NOTEBOOK).is_file():
            return place / DEFAULT_FOLDER
    return here / DEFAULT_FOLDER
