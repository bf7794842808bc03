"""The live widget: rows appear while the code runs.

In: a recorder. Out: a view that fills, row by row, also while a cell blocks the kernel. Knows
nothing of how it is swapped for the saved form.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress

import anywidget
import traitlets

from course_pkg.widgets import html_form
from course_pkg.widgets.reading import Reading, Row
from course_pkg.wire import Frame, Recorder


class LiveWidget(anywidget.AnyWidget):
    """The browser's side: markup made in Python, shown by `static/inspector.js`."""

    _esm = html_form.module_script()
    shell = traitlets.Unicode().tag(sync=True)
    head = traitlets.Unicode().tag(sync=True)

    def __repr__(self) -> str:
        """What is shown where widgets are not."""
        return "The inspector: it fills while this cell runs."

    def send_row(self, number: int, row: Mapping[str, str], head: str) -> None:
        """Add one row.

        Args:
            number: its number, from 1.
            row: its markup, closed (`item`) and what is in it (`body`).
            head: the new header.
        """
        # State under a key of its own: what is a message is lost until the view is there, and one
        # trait with all rows would send all rows again with each.
        if self.comm is not None:
            state = {f"row{number}": dict(row), "head": head}
            self.comm.send(data={"method": "update", "state": state, "buffer_paths": []})


class LiveView:
    """Fills a `LiveWidget` from a recorder. A context: it listens while it is open."""

    def __init__(self, recorder: Recorder, title: str = "") -> None:
        """Make the widget, still empty.

        Args:
            recorder: whose frames to show. Those that it has already are read, not shown.
            title: a heading.
        """
        self._recorder = recorder
        self._title = title
        self._reading = Reading()
        self._shown = 0
        self._before = len(recorder.frames)
        for frame in recorder.frames:
            self._reading.row(frame)
        self._lock = threading.Lock()
        shell = html_form.shell(html_form.header(0, frozenset(), title))
        self.widget = LiveWidget(shell=shell)

    def __enter__(self) -> LiveView:
        """Begin to listen."""
        self._stop = self._recorder.listen(self._heard)
        return self

    def __exit__(self, *exception: object) -> None:
        """Listen no more. The widget stays until `close`."""
        self._stop()

    def close(self) -> None:
        """Take the widget away, in the browser too."""
        self.widget.close()

    def _heard(self, _frame: Frame) -> None:
        # We are called from inside the learner's exchange, and it must not fail because a browser
        # is gone. The saved form is complete in any case.
        with suppress(Exception), self._lock:
            # Frames of other threads may be here before their turn to be heard.
            for frame in self._recorder.frames[self._before + self._shown :]:
                self._shown += 1
                self._show(self._reading.row(frame))

    def _show(self, row: Row) -> None:
        start, end = html_form.item_parts(row, time=time_text(row.frame))
        head = html_form.header(self._shown, self._reading.reached, self._title)
        parts = {"item": start + end, "body": html_form.body(row, saved=False)}
        self.widget.send_row(self._shown, parts, head)


def time_text(frame: Frame) -> str:
    """How long an answer took, or when a request left: `0.35 s`, `at 1.20 s`."""
    took = frame.duration_s
    return f"at {frame.at_s:.2f} s" if took is None else f"{took:.2f} s"
