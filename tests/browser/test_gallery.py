"""The failure gallery and the approval panel in JupyterLab, as a learner uses them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "notebooks" / "07_when_things_go_wrong.ipynb"
GALLERY = "from course_pkg.lessons.gallery import failure_gallery\nfailure_gallery()"
APPROVAL = """
from course_pkg import ToolCall, execute, tool
from course_pkg.widgets import approval_panel

@tool(side_effect=True)
def send_mail(to: str) -> str:
    "Send a mail."
    return f"Sent to {to}."

approve = approval_panel()
for to in ["Ada", "<img src=x onerror=window.hacked=1>"]:
    call = ToolCall(id="call_1", name="send_mail", arguments='{"to": "%s"}' % to)
    result = await execute(call, [send_mail], approve=approve)
    print("RESULT", result.text)
"""
#: JupyterLab moves the focus after a run. The tests wait until it has.
FOCUS_MS = 700
FORM = ".jupyter-widgets"
SIDES = f"{FORM} .gg .g"


@pytest.fixture
def form(open_notebook):
    """A notebook with the live gallery in it."""
    notebook = open_notebook("gallery.ipynb", [GALLERY])
    notebook.run_all()
    notebook.page.get_by_label("Group", exact=True).wait_for()
    notebook.page.wait_for_timeout(FOCUS_MS)
    return notebook


@pytest.fixture
def asked(open_notebook):
    """A notebook in which a tool waits for approval."""
    notebook = open_notebook("approval.ipynb", [APPROVAL])
    notebook.start_all()
    notebook.find(f"{FORM} .tcu li").get_by_text("Ada").wait_for(timeout=60_000)
    return notebook


def choose(notebook, group: str, failure: str) -> None:
    page = notebook.page
    page.get_by_label("Group", exact=True).select_option(group)
    option = page.get_by_label("Failure", exact=True).locator("option", has_text=f"({failure})")
    option.wait_for(state="attached")
    page.get_by_label("Failure", exact=True).select_option(label=option.inner_text())


def run_both(notebook) -> None:
    notebook.page.get_by_role("button", name="Run both").click()
    notebook.find(SIDES).nth(1).wait_for(timeout=60_000)


def printed(notebook) -> str:
    return " ".join(notebook.find(".jp-OutputArea-output pre").all_inner_texts())


def click(notebook, name: str) -> None:
    notebook.page.get_by_role("button", name=name, exact=True).click()


def test_a_chosen_failure_shows_both_wires_and_both_endings(form) -> None:
    choose(form, "names", "unknown_tool")
    run_both(form)

    naive, ours = (form.find(SIDES).nth(at) for at in (0, 1))
    assert "Ends with KeyError" in naive.inner_text()
    assert "answered (1 failed call on the way)" in ours.inner_text()
    assert naive.locator(".rows > li").count() == 2
    assert ours.locator(".rows > li").count() > naive.locator(".rows > li").count()


def test_a_row_of_a_recording_opens(form) -> None:
    choose(form, "names", "unknown_tool")
    run_both(form)

    form.find(f"{SIDES} .rows > li > details > summary").nth(1).click()

    assert "get_weather_now" in form.find(f"{SIDES} .rows details[open]").first.inner_text()


def test_a_second_failure_takes_the_place_of_the_first(form) -> None:
    choose(form, "names", "unknown_tool")
    run_both(form)
    choose(form, "provider", "quota")
    form.page.get_by_role("button", name="Run both").click()
    form.find(SIDES).get_by_text("Your quota is used up").first.wait_for(timeout=60_000)

    assert form.find(SIDES).count() == 2


def test_the_gallery_is_readable_in_the_dark(form) -> None:
    choose(form, "names", "unknown_tool")
    run_both(form)
    colour = "part => getComputedStyle(part).color"
    light = form.find(SIDES).first.evaluate(colour)

    form.set_theme(dark=True)
    dark = form.find(SIDES).first.evaluate(colour)
    form.set_theme(dark=False)

    assert light != dark


def test_approved_runs_refused_does_not_and_the_reason_reaches_the_model(asked) -> None:
    click(asked, "Approve")
    asked.find(f"{FORM} .tcu li").get_by_text("<img").wait_for(timeout=30_000)
    asked.page.get_by_label("Reason", exact=True).fill("He is on holiday.")
    click(asked, "Refuse")
    asked.wait_idle()

    assert "RESULT Sent to Ada." in printed(asked)
    assert "The reason: He is on holiday." in printed(asked)
    assert asked.page.evaluate("window.hacked") is None


def test_always_asks_no_second_time(asked) -> None:
    click(asked, "Always for this tool")
    asked.wait_idle()

    assert printed(asked).count("RESULT Sent to") == 2


def test_an_answered_panel_leaves_one_line_that_stays_in_the_saved_page(asked) -> None:
    click(asked, "Always for this tool")
    asked.wait_idle()
    asked.save()
    asked.shut_down()

    asked.open(kernel=False)
    asked.find(".tcu").first.wait_for()

    assert asked.find(FORM).count() == 0
    assert "You approved send_mail" in asked.find(".tcu").first.inner_text()


def test_the_page_runs_to_its_end_when_somebody_answers(lab, open_notebook) -> None:
    shutil.copy(PAGE, lab.root / PAGE.name)
    page = open_notebook(PAGE.name)

    page.start_all()
    page.page.get_by_role("button", name="Refuse", exact=True).click(timeout=100_000)
    page.wait_idle()

    assert page.find(".jp-InputPrompt").last.inner_text() != "[ ]:"


def test_a_row_of_the_troubleshooting_table_leads_to_what_it_names(lab, open_notebook) -> None:
    shutil.copy(PAGE, lab.root / PAGE.name)
    page = open_notebook(PAGE.name, kernel=False)
    page.page.wait_for_timeout(FOCUS_MS)
    page.find(".jp-WindowedPanel-outer").evaluate("part => part.scrollTo(0, part.scrollHeight)")

    page.find("table a:has-text('A tool that hangs')").click()

    heading = page.find("h2:has-text('A tool that hangs')")
    heading.wait_for(timeout=20_000)
    page.page.wait_for_timeout(FOCUS_MS)
    place = heading.bounding_box()
    assert 0 < place["y"] < 900
