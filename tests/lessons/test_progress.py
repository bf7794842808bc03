"""Progress is a learner's file: nothing that happens to it may lose it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from course_pkg.lessons import exercise, progress
from course_pkg.lessons.progress_file import note


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path / "mine"))
    return tmp_path / "mine"


def test_without_a_file_nothing_is_solved() -> None:
    assert progress() == {}


def test_a_check_is_kept() -> None:
    exercise("00.1").check(3)
    exercise("00.1").check(4)

    assert progress()["00.1"] == {"passed": True, "tries": 2}


def test_once_passed_stays_passed() -> None:
    note("05.1", passed=True)
    note("05.1", passed=False)

    assert progress()["05.1"] == {"passed": True, "tries": 1}


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", '{"05.1": 3}', "\x00\xff"])
def test_a_file_that_was_spoilt_does_not_stop_a_check(own_folder: Path, text: str) -> None:
    own_folder.mkdir()
    (own_folder / "progress.json").write_bytes(text.encode("latin-1"))

    assert exercise("00.1").check(4).passed
    assert progress()["00.1"]["passed"]


def test_a_file_that_cannot_be_read_is_put_aside_not_lost(own_folder: Path) -> None:
    own_folder.mkdir()
    (own_folder / "progress.json").write_text('{"05.1": {"passed": tr', encoding="utf-8")

    note("05.2", passed=True)

    aside = own_folder / "progress.unreadable.json"
    assert aside.read_text(encoding="utf-8") == '{"05.1": {"passed": tr'


def test_a_folder_that_cannot_be_written_costs_the_progress_not_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path / "file" / "inside"))

    assert exercise("00.1").check(4).passed


def test_no_half_written_file_is_left(own_folder: Path) -> None:
    note("05.1", passed=True)

    assert os.listdir(own_folder) == ["progress.json"]  # noqa: PTH208 - names are what counts
