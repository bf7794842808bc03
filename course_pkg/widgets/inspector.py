"""Look at what crosses the wires: `with inspect():` around any code, or `show(recorder)`.

In: code to run, or what a recorder has kept. Out: a view in the notebook: live while the code runs,
then self-contained HTML with a plain text twin, which stays readable in the saved notebook.
Outside a notebook nothing is shown, and all is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from course_pkg.widgets.html_form import html_form
from course_pkg.widgets.mode import widget_mode
from course_pkg.widgets.reading import read
from course_pkg.widgets.showing import display, shell
from course_pkg.widgets.text_form import text_form
from course_pkg.wire import Frame, Recorder

Bundle: TypeAlias = dict[str, str]


@contextmanager
def inspect(title: str = "", *, recorder: Recorder | None = None) -> Iterator[Recorder]:
    """Record what the code in this block sends and receives, and show it.

    Works round `await` too. An exception passes through; what was recorded before it is shown.

    Args:
        title: a heading for the view.
        recorder: one to go on with, so that several blocks make one recording: the view shows what
            is new, and says what a request adds to those before. Left out, a new one.

    Yields:
        The recorder: `with inspect() as recorder:` keeps the frames in `recorder.frames`.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
    """
    recorder = Recorder() if recorder is None else recorder
    with _view(recorder, title), recorder.recording():
        yield recorder


def show(recording: Recorder | Sequence[Frame], title: str = "") -> None:
    """Show what was recorded.

    Args:
        recording: a recorder, or a list of frames.
        title: a heading for the view.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
    """
    _show(recording, title, since=0)


def bundle(
    recording: Recorder | Sequence[Frame],
    title: str = "",
    *,
    script: bool = False,
    since: int = 0,
) -> Bundle:
    """The saved form by media type: `text/html` and `text/plain`.

    Args:
        recording: a recorder, or a list of frames.
        title: a heading for the view.
        script: whether the HTML brings its script, for filters and copying.
        since: so many frames at the beginning are not shown.
    """
    frames = recording.frames if isinstance(recording, Recorder) else recording
    rows, reached = read(frames, since)
    return {
        "text/html": html_form(rows, reached, title, script=script),
        "text/plain": text_form(rows, reached, title),
    }


def _view(recorder: Recorder, title: str) -> AbstractContextManager[None]:
    live = widget_mode() == "live"
    # A terminal has a shell, but no kernel that a widget could talk to.
    has_kernel = getattr(shell(), "kernel", None) is not None
    return _live(recorder, title) if live and has_kernel else _at_the_end(recorder, title)


def _show(recording: Recorder | Sequence[Frame], title: str, *, since: int) -> None:
    script = widget_mode() == "live"
    if shell() is not None:
        display(bundle(recording, title, script=script, since=since), raw=True)


@contextmanager
def _at_the_end(recorder: Recorder, title: str) -> Iterator[None]:
    since = len(recorder.frames)
    try:
        yield
    finally:
        _show(recorder, title, since=since)


@contextmanager
def _live(recorder: Recorder, title: str) -> Iterator[None]:
    from course_pkg.widgets.live import LiveView

    since = len(recorder.frames)
    view = LiveView(recorder, title)
    handle = display(view.widget, display_id=True)
    try:
        with view:
            yield
    finally:
        # A saved widget says "model not found" to whoever opens the notebook again, and JupyterLab
        # then ignores HTML beside it. So the widget goes, and HTML takes its place.
        handle.update(bundle(recorder, title, script=True, since=since), raw=True)
        view.close()
