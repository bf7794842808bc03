"""A bar that fills while something long runs. Only in a live notebook: saved pages stay still.

In: how many steps there are. Out: a function that is called after each step. Knows nothing of what
the steps are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from course_pkg.widgets.mode import widget_mode


@contextmanager
def progress_bar(steps: int, label: str = "") -> Iterator[Callable[[], None]]:
    """Show a bar while the block runs, and take it away at its end.

    In static mode and outside a notebook nothing is shown.

    Args:
        steps: how many steps make the bar full.
        label: what is going on, in a word or two.

    Yields:
        A function to call after each step.

    Raises:
        ModeError: if `COURSE_WIDGETS` holds a word that it does not know.
    """
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    if widget_mode() != "live" or getattr(shell, "kernel", None) is None:
        yield _nothing
        return
    yield from _shown(steps, label)


def _nothing() -> None:
    """Show nothing."""


def _shown(steps: int, label: str) -> Iterator[Callable[[], None]]:
    from IPython.display import display
    from ipywidgets import IntProgress  # type: ignore[import-untyped]

    bar: Any = IntProgress(max=steps, description=label)
    handle: Any = display(bar, display_id=True)  # type: ignore[no-untyped-call]

    def advance() -> None:
        bar.value += 1

    try:
        yield advance
    finally:
        # A saved widget says "model not found" later, so a line of text takes its place.
        done = f"{label}: {bar.value} of {steps}".removeprefix(": ")
        handle.update({"text/plain": done}, raw=True)
        bar.close()
