"""The progress bar: it counts while it is seen, and leaves a line of text."""

from __future__ import annotations

import asyncio
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from course_pkg.widgets import progress_bar

SETUP = "from course_pkg.widgets import progress_bar"
BLOCK = "with progress_bar(3, 'asking') as advance:\n    advance()\n    advance()"
FAILING = BLOCK + "\n    1 / 0"


def outputs(mode: str, monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    monkeypatch.setenv("COURSE_WIDGETS", mode)
    cells = [nbformat.v4.new_code_cell(cell) for cell in (SETUP, BLOCK, FAILING)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(notebook, allow_errors=True, timeout=60, kernel_name="python3")
    with asyncio.Runner() as runner:
        runner.run(client.async_execute())
    return [cell.outputs for cell in notebook.cells[1:]]


def test_a_live_bar_leaves_one_line_of_text_and_no_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, failed = outputs("live", monkeypatch)

    assert [output.data for output in ran] == [{"text/plain": "asking: 2 of 3"}]
    assert [output.output_type for output in failed] == ["display_data", "error"]


def test_in_static_mode_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, failed = outputs("static", monkeypatch)

    assert ran == []
    assert [output.output_type for output in failed] == ["error"]


def test_outside_a_notebook_it_counts_in_silence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COURSE_WIDGETS", "live")

    with progress_bar(3) as advance:
        advance()

    assert capsys.readouterr().out == ""
