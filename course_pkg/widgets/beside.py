"""Recordings beside each other: the same request over several wires, or two loops on one failure.

In: recordings, each with a title. Out: a view with one column for each, or one below the other on a
narrow page. Knows nothing of what was compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from course_pkg.widgets.inspector import bundle
from course_pkg.widgets.mode import widget_mode
from course_pkg.widgets.showing import display, shell
from course_pkg.widgets.union_forms import View
from course_pkg.widgets.union_forms import style as box_style
from course_pkg.widgets.visible import markup, visible
from course_pkg.wire import Frame, Recorder

OWN_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Column:
    """One recording of several.

    Attributes:
        title: what it is a recording of.
        frames: what crossed the wires.
        head: what stands above it, as safe markup; empty for nothing.
    """

    title: str
    frames: Sequence[Frame] = field(default=(), repr=False)
    head: str = ""


def show_beside(recordings: Mapping[str, Recorder | Sequence[Frame]], title: str = "") -> None:
    """Show recordings beside each other.

    Args:
        recordings: title → a recorder, or frames.
        title: a heading over all of them.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
    """
    widget_mode()
    if shell() is not None:
        display(beside(recordings, title).bundle(), raw=True)


def beside(recordings: Mapping[str, Recorder | Sequence[Frame]], title: str = "") -> View:
    """The view of `show_beside`.

    Args:
        recordings: title → a recorder, or frames.
        title: a heading over all of them.
    """
    columns = [
        Column(title=name, frames=one.frames if isinstance(one, Recorder) else one)
        for name, one in recordings.items()
    ]
    html, texts = laid_out(columns)
    head = f"<p><b>{markup(title)}</b></p>" if title else ""
    return View(
        html=f'<div class="tcp">{box(head)}{html}</div>',
        text=visible("\n\n".join([*filter(None, [title]), *texts])),
    )


def laid_out(columns: Sequence[Column]) -> tuple[str, list[str]]:
    """The markup of some recordings beside each other, and the plain text of each.

    Args:
        columns: the recordings, from left to right.
    """
    forms = [bundle(column.frames, column.title) for column in columns]
    # One style sheet is enough for all of them.
    pages = [
        OWN_STYLE.sub("", form["text/html"]) if n else form["text/html"]
        for n, form in enumerate(forms)
    ]
    html = "".join(
        f'<div class="g">{_head(column)}{page}</div>'
        for column, page in zip(columns, pages, strict=True)
    )
    # The recordings stand beside the boxes, not in them: each has rules of its own for lists.
    return f'<div class="gg" role="status">{html}</div>', [form["text/plain"] for form in forms]


def box(inner: str) -> str:
    """Markup in a box, with the style of boxes and columns.

    Args:
        inner: safe markup.
    """
    return f'<div class="tcu"><style>{box_style()}{_style()}</style>{inner}</div>'


def _head(column: Column) -> str:
    return f'<div class="tcu">{column.head}</div>' if column.head else ""


@cache
def _style() -> str:
    path = files("course_pkg.widgets").joinpath("static", "gallery.css")
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(text.split())
