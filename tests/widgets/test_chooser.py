"""The chooser: its form, its static twin, and what a notebook keeps of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from course_pkg.widgets.chooser import (
    OPEN,
    Advice,
    Choice,
    Effect,
    Form,
    Question,
    advice_view,
    chooser,
    table_view,
)
from course_pkg.widgets.visible import UNSEEN

QUESTIONS = (
    Question(
        name="far",
        text="Is it far?",
        choices=(
            Choice(
                name="yes",
                text="Yes, over the hill",
                effects=(
                    Effect(way="Train", weight=2, reason="A train is quick."),
                    Effect(way="Walk", weight=None, reason="It would take a day."),
                ),
            ),
            Choice(
                name="no",
                text="No",
                effects=(Effect(way="Train", weight=-1, reason="A ticket costs more than that."),),
            ),
        ),
    ),
    Question(name="rain", text="Does it rain?", choices=(Choice(name="yes", text="It does"),)),
)
HOSTILE = (
    "<script>window.hacked=1</script>",
    "</code></div><img src=x onerror=window.hacked=1>",
    "</style><style>*{display:none}",
    "' onmouseover='window.hacked=1",
    "\u202egnp.exe\u2066\u200b\ud800",
)
TAGS = {"div", "style", "p", "b", "i", "ul", "li", "br", "em", "details", "summary"} | {
    *("table", "thead", "tbody", "tr", "th", "td")
}


def advise(answers: Mapping[str, str]) -> Advice:
    way = {"yes": "Train", "no": "Walk"}.get(answers.get("far", ""), "")
    others = (("Bicycle", "It is broken."),)
    return Advice(way=way, sentence=f"{way or 'Stay'}.", reasons=("So it is.",), others=others)


class Page(HTMLParser):
    """What a browser would find: tags and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


# --- the static twin ------------------------------------------------------------------------------


def test_the_table_and_its_text_hold_the_same() -> None:
    view = table_view(QUESTIONS)

    assert view.text == (
        "Is it far?\n"
        "  Yes, over the hill\n"
        "    ✓ Train: A train is quick.\n"
        "    ✗ Walk: It would take a day.\n"
        "  No\n"
        "    − Train: A ticket costs more than that.\n"
        "Does it rain?\n"
        "  It does"
    )
    for line in view.text.splitlines():
        assert line.split(": ")[-1].strip() in view.html


def test_an_advice_shows_itself_with_its_reasons() -> None:
    advice = advise({"far": "yes"})

    assert str(advice) == "Train.\n  - So it is.\nAnd the others:\n  - Bicycle: It is broken."
    assert set(advice._repr_mimebundle_()) == {"text/html", "text/plain"}


def test_views_are_the_same_each_time_and_hold_no_script() -> None:
    views = [table_view(QUESTIONS), table_view(QUESTIONS, folded=True), advice_view(advise({}))]

    assert [view.html for view in views] == [
        view.html
        for view in (
            table_view(QUESTIONS),
            table_view(QUESTIONS, folded=True),
            advice_view(advise({})),
        )
    ]
    assert not any("<script" in view.html for view in views)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert_wherever_it_stands(text: str) -> None:
    effect = Effect(way=text, weight=1, reason=text)
    question = Question(
        name=text, text=text, choices=(Choice(name=text, text=text, effects=(effect,)),)
    )
    advice = Advice(way=text, sentence=text, reasons=(text,), others=((text, text),))
    views = [table_view([question]), table_view([question], folded=True), advice_view(advice)]

    page = Page("".join(view.html for view in views))

    assert page.tags <= TAGS
    assert page.attributes <= {"class", "role", "scope"}
    assert not UNSEEN.search("".join(view.html + view.text for view in views))


# --- the form -------------------------------------------------------------------------------------


def test_the_form_begins_unanswered_with_the_advice_on_nothing() -> None:
    form = Form(QUESTIONS, advise)

    assert form.answers == {}
    assert {menu.label for menu in form.menus.values()} == {OPEN}
    assert "Stay." in form.result.value


def test_an_answer_changes_the_advice_at_once() -> None:
    form = Form(QUESTIONS, advise)

    form.menus["far"].value = "yes"

    assert form.answers == {"far": "yes"}
    assert "Train." in form.result.value


def test_begin_again_takes_all_answers_back() -> None:
    form = Form(QUESTIONS, advise)
    form.menus["far"].value = "no"

    form.again.click()

    assert form.answers == {}
    assert "Stay." in form.result.value


def test_every_menu_is_labelled_with_its_question_and_the_result_is_announced() -> None:
    form = Form(QUESTIONS, advise)

    assert [menu.description for menu in form.menus.values()] == ["Is it far?", "Does it rain?"]
    assert 'role="status"' in form.result.value


# --- in a notebook --------------------------------------------------------------------------------


def outputs(mode: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.setenv("COURSE_WIDGETS", mode)
    source = "from course_pkg.lessons.choosing import choose\nchoose()"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    client = NotebookClient(notebook, timeout=60, kernel_name="python3", store_widget_state=False)
    with asyncio.Runner() as runner:
        runner.run(client.async_execute())
    return list(notebook.cells[0].outputs)


def test_in_static_mode_a_notebook_keeps_one_open_table_and_no_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (output,) = outputs("static", monkeypatch)

    assert set(output.data) == {"text/html", "text/plain"}
    assert "<details" not in output.data["text/html"]
    assert "Which programs will use the tool?" in output.data["text/plain"]


def test_in_live_mode_the_table_is_an_output_of_its_own_before_the_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, form = outputs("live", monkeypatch)

    assert set(table.data) == {"text/html", "text/plain"}
    assert "application/vnd.jupyter.widget-view+json" in form.data


def test_outside_a_notebook_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COURSE_WIDGETS", "live")

    chooser(QUESTIONS, advise)

    assert capsys.readouterr().out == ""
