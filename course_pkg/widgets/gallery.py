"""The failure gallery: choose a failure, and see two loops meet it, side by side.

In: entries to choose from, and a function that runs both loops on one. Out: views: two recordings
beside each other with how each ended, a table of endings, and in live mode a form to choose with.
Knows nothing of models and loops: whoever calls brings the entries and the runner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeAlias

from course_pkg.widgets.beside import Column, box, laid_out
from course_pkg.widgets.key_keeper import key_keeper
from course_pkg.widgets.mode import widget_mode
from course_pkg.widgets.showing import display, shell
from course_pkg.widgets.union_forms import View
from course_pkg.widgets.visible import markup, visible
from course_pkg.wire import Frame

WAITING = "Both loops are running …"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A failure that can be chosen.

    Attributes:
        name: what it is called in code.
        title: a few words.
        says: what happens, in one sentence.
        group: what it is about.
        question: what is asked, so that it shows.
    """

    name: str
    title: str
    says: str
    group: str
    question: str


@dataclass(frozen=True, kw_only=True)
class Side:
    """How one loop met a failure.

    Attributes:
        title: which loop.
        ending: how it ended, in a sentence.
        good: whether its user got an answer, or a sentence that says what to do.
        frames: what crossed the wires.
    """

    title: str
    ending: str
    good: bool
    frames: Sequence[Frame] = field(default=(), repr=False)


Compare: TypeAlias = Callable[[Entry], Awaitable[Sequence[Side]]]


def side_by_side(entry: Entry, sides: Sequence[Side]) -> View:
    """Two recordings of one failure, each with its ending.

    Args:
        entry: the failure.
        sides: the loops, from left to right.
    """
    columns = [Column(title=side.title, frames=side.frames, head=_ending(side)) for side in sides]
    html, texts = laid_out(columns)
    head = (
        f"<p><b>{markup(entry.title)}</b> <code>{markup(entry.name)}</code></p>"
        f'<p>{markup(entry.says)}</p><p class="h">The question: {markup(entry.question)}</p>'
    )
    lines = [f"{entry.title} ({entry.name})", entry.says, f"The question: {entry.question}"]
    lines += [_ending_in_words(side) for side in sides]
    lines += [f"\n{text}" for text in texts]
    return View(
        html=f'<div class="tcp">{box(head)}{html}</div>',
        # What the inspector wrote is safe already; doing it again changes nothing.
        text=visible("\n".join(lines)),
    )


def endings(rows: Sequence[tuple[Entry, Sequence[Side]]]) -> View:
    """A table: failures, and how each loop ended.

    Args:
        rows: failures with their loops. At least one.
    """
    titles = [side.title for side in rows[0][1]]
    top = "".join(f'<th scope="col">{markup(title)}</th>' for title in ("Failure", *titles))
    html = "".join(_row(entry, sides) for entry, sides in rows)
    lines = []
    for entry, sides in rows:
        lines += [
            f"{entry.title} ({entry.name})",
            *(f"  {_ending_in_words(side)}" for side in sides),
        ]
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{html}</tbody></table>"
    return View(html=box(table), text=visible("\n".join(lines)))


def catalogue(entries: Sequence[Entry]) -> View:
    """All failures by group, with their names.

    Args:
        entries: what there is, the groups together.
    """
    html, lines = "", []
    for group, members in groupby(entries, key=lambda entry: entry.group):
        listed = list(members)
        items = "".join(
            f"<li><code>{markup(entry.name)}</code> {markup(entry.title)}</li>" for entry in listed
        )
        html += (
            f"<details><summary>{markup(group)} ({len(listed)})</summary><ul>{items}</ul></details>"
        )
        lines.append(f"{group} ({len(listed)}): {', '.join(entry.name for entry in listed)}")
    return View(html=box(html), text=visible("\n".join(lines)))


def gallery(entries: Sequence[Entry], compare: Compare) -> None:
    """Show the catalogue and, in live mode, a form that runs what is chosen.

    Args:
        entries: what can be chosen.
        compare: runs the loops on one of them.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
    """
    if shell() is None:
        return
    display(catalogue(entries).bundle(), raw=True)
    if widget_mode() == "live" and getattr(shell(), "kernel", None) is not None:
        # An output of its own: a saved widget would hide the catalogue.
        display(Form(entries, compare).widget)


class Form:
    """The live form: two menus, a button, and both recordings."""

    def __init__(self, entries: Sequence[Entry], compare: Compare) -> None:
        """Make the form; nothing runs yet.

        Args:
            entries: what can be chosen.
            compare: runs the loops on one of them.
        """
        import ipywidgets as widgets  # type: ignore[import-untyped]

        self._entries = {entry.name: entry for entry in entries}
        self._compare = compare
        self._running: asyncio.Task[None] | None = None
        wide = {"layout": {"width": "min(100%, 640px)"}, "style": {"description_width": "70px"}}
        groups = list(dict.fromkeys(entry.group for entry in entries))
        self.group: Any = widgets.Dropdown(options=groups, description="Group", **wide)
        self.failure: Any = widgets.Dropdown(description="Failure", **wide)
        self.run: Any = widgets.Button(
            description="Run both",
            tooltip="Run both loops on this failure",
            layout={"margin": "2px 2px 2px 78px"},
        )
        self.says: Any = widgets.HTML()
        self.result: Any = widgets.HTML()
        parts = [self.group, self.failure, self.says, self.run, self.result, key_keeper()]
        self.widget: Any = widgets.VBox(parts)
        self.group.observe(self._group_chosen, "value")
        self.failure.observe(self._failure_chosen, "value")
        self.run.on_click(self._run_clicked)
        self._group_chosen()

    def _group_chosen(self, _change: Any = None) -> None:
        members = [one for one in self._entries.values() if one.group == self.group.value]
        self.failure.options = [(f"{one.title} ({one.name})", one.name) for one in members]
        self.failure.value = members[0].name

    def _failure_chosen(self, _change: Any = None) -> None:
        if self.failure.value is not None:
            entry = self._entries[self.failure.value]
            self.says.value = box(f"<p>{markup(entry.says)}</p>")

    def _run_clicked(self, _button: Any = None) -> None:
        if self._running is None or self._running.done():
            self._running = asyncio.ensure_future(self.show(self._entries[self.failure.value]))

    async def show(self, entry: Entry) -> None:
        """Run both loops on a failure, and show what came of it.

        Args:
            entry: the failure.
        """
        self.run.disabled = True
        self.result.value = box(f'<p role="status">{WAITING}</p>')
        try:
            self.result.value = side_by_side(entry, await self._compare(entry)).html
        except Exception as error:
            told = f"It could not be run: {type(error).__name__}: {error}"
            self.result.value = box(f'<p class="n" role="status">{markup(told)}</p>')
        finally:
            self.run.disabled = False


def _ending(side: Side) -> str:
    kind, sign = ("y", "✓") if side.good else ("x", "✗")
    return f'<p><b>{markup(side.title)}</b> <i class="{kind}">{sign}</i> {markup(side.ending)}</p>'


def _ending_in_words(side: Side) -> str:
    return f"{'✓' if side.good else '✗'} {side.title}: {side.ending}"


def _row(entry: Entry, sides: Sequence[Side]) -> str:
    cells = "".join(
        f'<td><i class="{"y" if side.good else "x"}">{"✓" if side.good else "✗"}</i> '
        f"{markup(side.ending)}</td>"
        for side in sides
    )
    name = f"{markup(entry.title)}<br><code>{markup(entry.name)}</code>"
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'
