"""The exercises, by number. One module for each notebook that has any.

A module `n05` holds `EXERCISES`, in order. Adding a notebook's exercises is adding a module and a
row to `_MODULES`.
"""

from __future__ import annotations

import importlib
from functools import lru_cache

from course_pkg.lessons.checks import Exercise

_MODULES = (
    "n00",
    "n01",
    "n02",
    "n03",
    "n04",
    "n05",
    "n06",
    "n07",
    "n08",
    "n09",
    "n10",
    "n11",
    "n12",
    "n13",
    "n14",
)


@lru_cache(maxsize=1)
def all_exercises() -> dict[str, Exercise]:
    """All exercises by number, in the order of the course."""
    modules = [importlib.import_module(f"{__name__}.{name}") for name in _MODULES]
    return {item.number: item for module in modules for item in module.EXERCISES}


def exercise(number: str) -> Exercise:
    """The exercise of that number.

    Args:
        number: notebook and place, for example `"05.1"`.

    Raises:
        KeyError: if there is none, with the numbers that there are.
    """
    known = all_exercises()
    if number not in known:
        raise KeyError(f"There is no exercise {number!r}. There are: {', '.join(known)}.")
    return known[number]
