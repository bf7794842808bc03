"""The charts of page 04 in JupyterLab: before it is trusted, run, and in the dark."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

NAME = "04_descriptions_that_work.ipynb"
PAGE = Path(__file__).parent.parent.parent / "notebooks" / NAME
CHART = ".tcc"


@pytest.fixture
def page_04(lab, open_notebook):
    shutil.copy(PAGE, lab.root / NAME)
    return open_notebook(NAME)


def test_a_newcomer_reads_every_number_before_the_notebook_is_trusted(page_04) -> None:
    chart = page_04.find("td:has-text('valid arguments')").first.locator("xpath=ancestor::table")
    # JupyterLab draws only what is near the window.
    chart.scroll_into_view_if_needed()

    assert chart.locator("svg").count() == 0
    assert (chart.text_content() or "").startswith("all good" + "right tool")


def test_a_learner_runs_the_page_and_sees_the_charts(page_04) -> None:
    page_04.run_all()

    chart = page_04.find(CHART).first
    chart.scroll_into_view_if_needed()
    assert chart.locator("svg rect").count() == 18
    assert page_04.find(".widget-hprogress:visible").count() == 0


def test_a_chart_changes_with_the_theme(page_04) -> None:
    page_04.run_all()
    chart = page_04.find(CHART).first
    chart.scroll_into_view_if_needed()
    light = chart.evaluate("part => getComputedStyle(part).backgroundColor")

    page_04.set_theme(dark=True)
    dark = chart.evaluate("part => getComputedStyle(part).backgroundColor")
    page_04.set_theme(dark=False)

    assert light != dark
