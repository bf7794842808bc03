"""Keep the keys of a form from JupyterLab's shortcuts.

Out: a part for a form that is not seen, and that the form must hold. Knows nothing of what is in
the form.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any


def key_keeper() -> Any:
    """A part that is not seen, for the `VBox` whose keys are to stay in it."""
    import anywidget

    script = files("course_pkg.widgets").joinpath("static", "laboratory.js")
    # The class is made here, since importing anywidget is dear where no form is shown.
    keeper = type("KeyKeeper", (anywidget.AnyWidget,), {"_esm": script.read_text(encoding="utf-8")})
    return keeper()
