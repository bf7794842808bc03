"""The chooser: answer a few questions, and see which way fits and why.

In: questions, each answer with what speaks for or against a way, and a function that weighs the
answers. Out: a table that stays when the page is saved, and in live mode a form below it. Knows
nothing of the ways themselves: whoever calls brings the table and the judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from course_pkg.widgets.key_keeper import key_keeper
from course_pkg.widgets.mode import widget_mode
from course_pkg.widgets.showing import display, shell
from course_pkg.widgets.union_forms import View, style
from course_pkg.widgets.visible import markup, visible

OPEN = "(not answered)"
SIGNS = {"for": "✓", "against": "−", "never": "✗"}


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What an answer means for one way.

    Attributes:
        way: the way's title.
        weight: how much it speaks for it (above 0) or against it (below); `None` rules it out.
        reason: why, in a sentence.
    """

    way: str
    weight: int | None
    reason: str

    @property
    def kind(self) -> str:
        """`for`, `against` or `never`."""
        if self.weight is None:
            return "never"
        return "for" if self.weight > 0 else "against"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One answer to a question.

    Attributes:
        name: what it is called in code.
        text: the answer, in words.
        effects: what it means for the ways.
    """

    name: str
    text: str
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question with its answers.

    Attributes:
        name: what it is called in code.
        text: the question.
        choices: the answers.
    """

    name: str
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, kw_only=True)
class Advice:
    """Which way fits, and why.

    Attributes:
        way: the way's title; empty if every way is ruled out.
        sentence: the advice in a sentence.
        reasons: what speaks for the way, and what is against it all the same.
        others: what rules out, or speaks against, each other way: its title and the reason.
    """

    way: str
    sentence: str
    reasons: tuple[str, ...] = ()
    others: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """The plain text."""
        return advice_view(self).text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return advice_view(self).bundle()


Advise: TypeAlias = Callable[[Mapping[str, str]], Advice]


def chooser(questions: Sequence[Question], advise: Advise) -> None:
    """Show the table and, in live mode, a form that advises as you answer.

    Args:
        questions: what is asked.
        advise: gives the advice on answers, by question; questions may be left out.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
    """
    live = widget_mode() == "live" and getattr(shell(), "kernel", None) is not None
    if shell() is not None:
        display(table_view(questions, folded=live).bundle(), raw=True)
    if live:
        # An output of its own: a saved widget would hide the table.
        display(Form(questions, advise).widget)


def table_view(questions: Sequence[Question], *, folded: bool = False) -> View:
    """All questions with their answers, and what each means.

    Args:
        questions: what is asked.
        folded: whether the HTML is closed until it is opened.
    """
    html = "".join(map(_table, questions))
    if folded:
        html = (
            f"<details><summary>All answers and what they mean, as a table</summary>{html}"
            "</details><p class='h'>Below are the questions. If they are gone, run this cell "
            "again.</p>"
        )
    return View(html=_box(html), text=visible("\n".join(_lines(questions))))


def advice_view(advice: Advice) -> View:
    """An advice with its reasons.

    Args:
        advice: the advice.
    """
    reasons = "".join(f"<li>{markup(reason)}</li>" for reason in advice.reasons)
    others = "".join(f"<li><b>{markup(way)}</b>: {markup(why)}</li>" for way, why in advice.others)
    html = f'<p><b class="{"y" if advice.way else "x"}">{markup(advice.sentence)}</b></p>'
    html += f"<ul>{reasons}</ul>" if reasons else ""
    html += f'<p class="h">And the others:</p><ul>{others}</ul>' if others else ""
    lines = [advice.sentence, *(f"  - {reason}" for reason in advice.reasons)]
    if others:
        lines += ["And the others:", *(f"  - {way}: {why}" for way, why in advice.others)]
    return View(html=_box(f'<div role="status">{html}</div>'), text=visible("\n".join(lines)))


class Form:
    """The live form: a menu for each question, and the advice."""

    def __init__(self, questions: Sequence[Question], advise: Advise) -> None:
        """Make the form, with no question answered.

        Args:
            questions: what is asked.
            advise: gives the advice on the answers.
        """
        import ipywidgets as widgets  # type: ignore[import-untyped]

        self._advise = advise
        self.menus: dict[str, Any] = {
            question.name: widgets.Dropdown(
                options=[(OPEN, ""), *((one.text, one.name) for one in question.choices)],
                value="",
                description=question.text,
                layout={"width": "min(100%, 640px)"},
            )
            for question in questions
        }
        self.again: Any = widgets.Button(description="Begin again", tooltip="Take all answers back")
        self.result: Any = widgets.HTML()
        parts = [*self.menus.values(), self.again, self.result, key_keeper()]
        self.widget: Any = widgets.VBox(parts)
        for menu in self.menus.values():
            menu.add_class("tcc")
            menu.observe(self._answered, "value")
        self.again.on_click(self._begin_again)
        self._answered()

    @property
    def answers(self) -> dict[str, str]:
        """What is answered so far, by question."""
        return {name: menu.value for name, menu in self.menus.items() if menu.value}

    def _answered(self, _change: Any = None) -> None:
        self.result.value = advice_view(self._advise(self.answers)).html

    def _begin_again(self, _button: Any = None) -> None:
        for menu in self.menus.values():
            menu.value = ""


def _table(question: Question) -> str:
    rows = "".join(
        f'<tr><th scope="row">{markup(choice.text)}</th><td>{_effects(choice)}</td></tr>'
        for choice in question.choices
    )
    top = '<tr><th scope="col">Answer</th><th scope="col">What it means</th></tr>'
    return (
        f'<div class="u"><p><b>{markup(question.text)}</b></p>'
        f"<table><thead>{top}</thead><tbody>{rows}</tbody></table></div>"
    )


def _effects(choice: Choice) -> str:
    return "<br>".join(
        f'<i class="{"y" if effect.kind == "for" else "x"}">{SIGNS[effect.kind]} '
        f"{markup(effect.way)}</i> {markup(effect.reason)}"
        for effect in choice.effects
    )


def _lines(questions: Sequence[Question]) -> list[str]:
    lines: list[str] = []
    for question in questions:
        lines.append(question.text)
        for choice in question.choices:
            lines.append(f"  {choice.text}")
            lines += [
                f"    {SIGNS[effect.kind]} {effect.way}: {effect.reason}"
                for effect in choice.effects
            ]
    return lines


def _box(inner: str) -> str:
    return f'<div class="tcu"><style>{style()}{_style()}</style>{inner}</div>'


@cache
def _style() -> str:
    path = files("course_pkg.widgets").joinpath("static", "chooser.css")
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(text.split())
