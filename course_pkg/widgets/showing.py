"""Show something under the cell that runs, where there is a notebook.

In: content. Out: an output of the cell. Does not import IPython where it is not in use.
"""

from __future__ import annotations

import sys
from typing import Any


def shell() -> Any:
    """IPython's shell, or `None` outside it."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def display(content: Any, **settings: Any) -> Any:
    """Show content; only where there is a shell.

    Args:
        content: a widget, or data by media type with `raw=True`.
        settings: for IPython's own `display`.

    Returns:
        A handle, if `settings` ask for one with `display_id`.
    """
    from IPython.display import display as shown

    return shown(content, **settings)  # type: ignore[no-untyped-call]
