"""The union laboratory in JupyterLab, as a learner uses it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "notebooks" / "03_anyof_and_oneof.ipynb"
CELL = "from course_pkg.widgets import laboratory\nlaboratory()"
STATIC = "import os\nos.environ['COURSE_WIDGETS'] = 'static'"
#: JupyterLab moves the focus after a run. The tests wait until it has.
FOCUS_MS = 700
FORM = ".jupyter-widgets"
RESULT = f"{FORM} .tcu [role=status]"


@pytest.fixture
def form(open_notebook):
    """A notebook with the live laboratory in it."""
    notebook = open_notebook("laboratory.ipynb", [CELL])
    notebook.run_all()
    notebook.find(RESULT).wait_for()
    notebook.page.wait_for_timeout(FOCUS_MS)
    return notebook


def field(notebook, name: str):
    return notebook.page.get_by_label(name, exact=True)


def result(notebook) -> str:
    return notebook.find(RESULT).inner_text()


def wait_for_result(notebook, words: str) -> None:
    notebook.find(RESULT).get_by_text(words).first.wait_for(timeout=20_000)


def type_value(notebook, text: str) -> None:
    field(notebook, "Value").fill(text)
    field(notebook, "Value").press("Enter")


def test_hello_fits_both_length_branches_so_any_of_passes_and_one_of_fails(form) -> None:
    field(form, "Sample").select_option('"hello"')
    wait_for_result(form, "2 branches fit.")

    told = result(form)
    assert told.count("✓ fits") == 2
    assert "anyOf ✓ passes" in told
    assert "oneOf ✗ fails" in told


def test_a_payment_without_currency_fails_both_branches_with_two_reasons(form) -> None:
    field(form, "Schema").select_option("payment amount")
    wait_for_result(form, "Exactly one branch fits")
    field(form, "Sample").select_option('{"value": 100}')
    wait_for_result(form, "No branch fits")

    told = result(form)
    assert "expected a number" in told
    assert 'expected the required "currency"' in told
    assert told.count("✗ fails") == 2


def test_bad_json_gets_a_kind_sentence_and_stays_in_the_box(form) -> None:
    type_value(form, "hello")
    wait_for_result(form, "double quotes")

    assert field(form, "Value").input_value() == "hello"
    assert "Your text is still there." in result(form)


def test_the_keyboard_alone_is_enough_and_no_key_reaches_the_notebook(form) -> None:
    cells = form.find(".jp-Cell").count()
    field(form, "Schema").focus()
    form.page.keyboard.press("ArrowDown")
    form.find(f"{FORM} .tcu").get_by_text("digits only").wait_for()
    form.page.keyboard.press("Tab")
    form.page.keyboard.press("Tab")

    form.page.keyboard.press("ControlOrMeta+a")
    form.page.keyboard.type('"ddbbaa1"')
    form.page.keyboard.press("Enter")
    wait_for_result(form, "No branch fits")

    assert form.find(".jp-Cell").count() == cells
    assert field(form, "Schema").input_value() == "patterns"


def test_typed_markup_is_shown_as_text(form) -> None:
    type_value(form, '"<img src=x onerror=window.hacked=1>"')
    wait_for_result(form, "Exactly one branch fits")

    assert form.find(f"{FORM} img").count() == 0
    assert form.page.evaluate("window.hacked") is None


def test_the_saved_page_keeps_the_tables(form) -> None:
    form.save()
    form.shut_down()

    form.open(kernel=False)
    form.find("details > summary").first.click()

    form.find("table").nth(4).wait_for()
    assert "hello" in form.find("table").first.inner_text()


def test_colours_follow_the_theme(form) -> None:
    colour = "part => getComputedStyle(part).color"
    light = form.find(f"{FORM} .tcu").last.evaluate(colour)

    form.set_theme(dark=True)
    dark = form.find(f"{FORM} .tcu").last.evaluate(colour)
    form.set_theme(dark=False)

    assert light != dark


def test_the_static_form_shows_the_tables_at_once(open_notebook) -> None:
    notebook = open_notebook("static_laboratory.ipynb", [STATIC, CELL])
    notebook.run_all()

    notebook.find("table").nth(4).wait_for()
    assert notebook.find(FORM).count() == 0


def test_the_page_runs_to_its_end_with_the_form_in_it(lab, open_notebook) -> None:
    shutil.copy(PAGE, lab.root / PAGE.name)
    page = open_notebook(PAGE.name)

    page.run_all()

    page.find(RESULT).wait_for()
    assert page.find(".jp-InputPrompt").last.inner_text() != "[ ]:"
