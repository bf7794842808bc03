"""The course's own pages in JupyterLab, as a newcomer opens them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parent.parent.parent / "notebooks"
ROWS = ".tci .rows > li"
OPENED = f"{ROWS} > details[open]"


@pytest.fixture
def start_page(lab, open_notebook):
    shutil.copy(NOTEBOOKS / "00_start_here.ipynb", lab.root / "00_start_here.ipynb")
    return open_notebook("00_start_here.ipynb")


def test_a_newcomer_runs_the_first_page_and_looks_into_a_row(start_page) -> None:
    start_page.run_all()

    start_page.find(ROWS).first.wait_for()
    start_page.find(f"{ROWS} > details > summary").nth(1).click()

    opened = start_page.find(OPENED).first
    assert "get_weather" in opened.inner_text()
    assert "decoded" in opened.inner_text()


def test_a_newcomer_filters_the_rows(start_page) -> None:
    start_page.run_all()
    inspector = start_page.find(".tci").first

    inspector.get_by_role("combobox").first.select_option("local")
    start_page.page.wait_for_timeout(500)

    assert inspector.locator(".rows > li:visible").count() == 2


def test_the_page_is_readable_in_the_dark(start_page) -> None:
    start_page.run_all()
    light = start_page.find(".tci").first.evaluate("part => getComputedStyle(part).backgroundColor")

    start_page.set_theme(dark=True)
    dark = start_page.find(".tci").first.evaluate("part => getComputedStyle(part).backgroundColor")
    start_page.set_theme(dark=False)

    assert light != dark


def test_after_a_reload_the_static_twin_is_there_without_a_kernel(start_page) -> None:
    start_page.run_all()
    start_page.save()
    start_page.shut_down()

    start_page.open(kernel=False)
    start_page.find(ROWS).first.wait_for()

    text = start_page.find(".jp-OutputArea").all_inner_texts()
    assert "model not found" not in " ".join(text)
    assert "Loading widget" not in " ".join(text)


def test_the_rows_of_the_committed_page_can_be_read_before_anything_is_run(start_page) -> None:
    first = start_page.find(".tci").first
    first.wait_for()

    # JupyterLab draws what is near the window only, so this looks at the first inspector.
    assert first.locator(".rows > li").count() == 6
    assert "get_weather" in first.inner_text()


@pytest.mark.parametrize("name", ["05_six_steps_by_hand.ipynb", "06_the_loop.ipynb"])
def test_a_page_runs_to_its_end_with_no_failing_cell(lab, open_notebook, name: str) -> None:
    shutil.copy(NOTEBOOKS / name, lab.root / name)
    page = open_notebook(name)

    page.run_all()

    errors = page.find(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']")
    assert errors.all_inner_texts() == []
    assert page.find(".jp-InputPrompt").last.inner_text() != "[ ]:"
