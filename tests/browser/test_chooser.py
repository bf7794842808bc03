"""The chooser in JupyterLab, as a learner uses it."""

from __future__ import annotations

import pytest

CELL = "from course_pkg.lessons.choosing import choose\nchoose()"
STATIC = "import os\nos.environ['COURSE_WIDGETS'] = 'static'"
#: JupyterLab moves the focus after a run. The tests wait until it has.
FOCUS_MS = 700
FORM = ".jupyter-widgets"
RESULT = f"{FORM} .tcu [role=status]"
USERS = "Which programs will use the tool?"


@pytest.fixture
def form(open_notebook):
    """A notebook with the live chooser in it."""
    notebook = open_notebook("chooser.ipynb", [CELL])
    notebook.run_all()
    notebook.find(RESULT).wait_for()
    notebook.page.wait_for_timeout(FOCUS_MS)
    return notebook


def menu(notebook, question: str):
    return notebook.page.get_by_label(question, exact=True)


def wait_for_advice(notebook, words: str) -> None:
    notebook.find(RESULT).get_by_text(words).first.wait_for(timeout=20_000)


def test_an_answer_changes_the_advice_and_begin_again_takes_it_back(form) -> None:
    menu(form, USERS).select_option("Several programs of mine")
    wait_for_advice(form, "Use an MCP server")

    form.page.get_by_role("button", name="Begin again").click()

    wait_for_advice(form, "Use plain function calling")
    assert menu(form, USERS).evaluate("one => one.selectedIndex") == 0


def test_answers_that_rule_out_every_way_say_what_rules_out_each(form) -> None:
    menu(form, "Where must the tool run?").select_option("On another computer, for many users")
    question = "Does the program that asks the model speak MCP?"
    menu(form, question).select_option("No, and I cannot change that")

    wait_for_advice(form, "None of the three fits")
    assert form.find(RESULT).inner_text().count("ruled out.") == 3


def test_the_keyboard_alone_is_enough_and_no_key_reaches_the_notebook(form) -> None:
    cells = form.find(".jp-Cell").count()
    menu(form, USERS).focus()
    form.page.keyboard.press("ArrowDown")
    form.page.keyboard.press("ArrowDown")
    wait_for_advice(form, "Use an MCP server")

    form.page.keyboard.press("Tab")
    form.page.keyboard.type("dd")

    assert menu(form, "Who wrote the tool?").evaluate("one => one === document.activeElement")
    assert form.find(".jp-Cell").count() == cells


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out_from_their_ground_in_light_and_dark(form, *, dark: bool) -> None:
    form.set_theme(dark=dark)
    ground, *words = form.find(f"{FORM} .tcu").last.evaluate(
        "box => [getComputedStyle(box).backgroundColor, ...[box, ...box.querySelectorAll('p, li')]"
        ".map(part => getComputedStyle(part).color)]"
    )
    form.set_theme(dark=False)

    assert ground not in words


def test_a_saved_page_keeps_the_table(form) -> None:
    form.save()
    form.shut_down()

    form.open(kernel=False)
    form.find("details > summary").first.click()

    form.find("table").nth(5).wait_for()
    assert "One program, and it is mine" in form.find("table").first.inner_text()


def test_the_static_form_shows_the_table_at_once(open_notebook) -> None:
    notebook = open_notebook("static_chooser.ipynb", [STATIC, CELL])
    notebook.run_all()

    notebook.find("table").nth(5).wait_for()
    assert notebook.find(FORM).count() == 0
