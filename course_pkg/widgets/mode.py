"""Whether views are live widgets or stay still.

In: the environment variable `COURSE_WIDGETS`. Out: `live` or `static`. Knows nothing of views.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

Mode: TypeAlias = Literal["live", "static"]

VARIABLE = "COURSE_WIDGETS"
MODES = ("live", "static")


class ModeError(ValueError):
    """`COURSE_WIDGETS` holds a word that it does not know."""


def widget_mode(environment: Mapping[str, str] | None = None) -> Mode:
    """How to show things: `live`, or `static` for tests, exports and saved outputs.

    Args:
        environment: where to look; the process's own environment if not given.

    Raises:
        ModeError: if the variable holds another word. Its text says which are known.
    """
    environment = os.environ if environment is None else environment
    word = environment.get(VARIABLE, "").strip().lower() or "live"
    if word not in MODES:
        raise ModeError(
            f"{VARIABLE} is {word!r}. It can be 'live' (views that fill while a cell runs) or "
            "'static' (views that are shown once, without a script). Set one of the two, or unset "
            f"{VARIABLE} to have live views, and restart the kernel."
        )
    return cast(Mode, word)
