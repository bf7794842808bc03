"""The doctor says in plain words what is wrong, and what to do."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from course_pkg.lessons.machine import (
    Examination,
    doctor,
    folder_finding,
    model_finding,
    packages_finding,
    port_finding,
    python_finding,
)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen(1)
        yield holder.getsockname()[1]


def test_a_machine_that_runs_these_tests_is_good() -> None:
    assert doctor().good


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 1), (3, 14, 2)])
def test_a_new_python_is_good(version: tuple[int, ...]) -> None:
    assert python_finding(version).good


def test_an_old_python_is_named_with_what_to_do() -> None:
    finding = python_finding((3, 10, 4))

    assert not finding.good
    assert "3.10.4 is too old. Install Python 3.11 or newer" in finding.detail


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    finding = packages_finding(["openai>=3", "no-such-package-anywhere>=1"])

    assert not finding.good
    assert "no-such-package-anywhere is missing" in finding.detail
    assert "pip install -c constraints.txt -e ." in finding.detail


def test_a_package_of_the_wrong_version_is_named_with_the_range() -> None:
    finding = packages_finding(["pytest<1"])

    assert "but <1 is needed" in finding.detail


def test_a_requirement_for_another_system_or_an_extra_is_left_aside() -> None:
    assert packages_finding(['no-such-package; extra == "test"']).good


def test_a_taken_port_is_named(taken_port: int) -> None:
    finding = port_finding(taken_port)

    assert not finding.good
    assert f"Port {taken_port} of 127.0.0.1 is taken." in finding.detail


def test_a_number_that_is_no_port_is_named() -> None:
    assert "70000 is no port" in port_finding(70_000).detail


def test_wrong_settings_are_shown_with_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_MODEL", "gtp")

    finding = model_finding()

    assert not finding.good
    assert "COURSE_MODEL is 'gtp'" in finding.detail


def test_a_remote_model_is_not_asked_and_its_key_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "made-up-" + "k" * 20
    monkeypatch.setenv("COURSE_MODEL", "remote")
    monkeypatch.setenv("COURSE_MODEL_NAME", "some-model")
    monkeypatch.setenv("OPENAI_API_KEY", key)

    finding = model_finding()

    assert finding.good
    assert key not in repr(finding)


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path / "file" / "inside"))

    finding = folder_finding()

    assert not finding.good
    assert "Set COURSE_FOLDER" in finding.detail


def test_the_notebook_form_says_the_same_on_every_machine_that_is_good() -> None:
    shown = repr(doctor())

    assert "good" in shown
    assert not any(character.isdigit() for character in shown)


def test_the_summary_names_what_to_mend() -> None:
    examination = Examination(findings=(python_finding((3, 9, 1)),))

    assert examination.table().splitlines()[-1] == "Please mend this first: Python."
