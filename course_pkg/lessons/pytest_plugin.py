"""Give every notebook that pytest runs (with nbval) the settings of a clean run.

pytest loads this through `-p` in pyproject.toml, so that it also holds for `pytest --nbval
notebooks`. Each notebook gets a folder of its own: no notebook sees what another one sent or kept.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from course_pkg.lessons.notebooks import CLEAN_SETTINGS

_folders = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Set what notebooks and tests have in common, and make a folder for what they keep."""
    config.stash[_folders] = tempfile.TemporaryDirectory(prefix="course-")
    os.environ.update(CLEAN_SETTINGS)
    os.environ["COURSE_FOLDER"] = config.stash[_folders].name


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the folder away."""
    folder = config.stash.get(_folders, None)
    if folder is not None:
        folder.cleanup()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before a notebook's kernel starts, name its own folder."""
    if item.path.suffix == ".ipynb":
        folder = Path(item.config.stash[_folders].name) / item.path.stem
        os.environ["COURSE_FOLDER"] = str(folder)
    else:
        os.environ["COURSE_FOLDER"] = item.config.stash[_folders].name
