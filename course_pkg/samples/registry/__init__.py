"""Entries of a registry to read, in the official form: made-up servers, on domains for examples.

In: a name. Out: the text of a `server.json`. `tide_tables` is written with care, `careless_notes`
holds things that a person should ask about before installing it.
"""

from __future__ import annotations

from importlib.resources import files

ENTRY_NAMES = ("tide_tables", "careless_notes")


def sample_entry(name: str = "tide_tables") -> str:
    """The text of a bundled `server.json`.

    Args:
        name: one of `ENTRY_NAMES`.

    Raises:
        ValueError: if there is none of that name.
    """
    if name not in ENTRY_NAMES:
        known = ", ".join(ENTRY_NAMES)
        raise ValueError(f"There is no sample entry named {name!r}. Choose from: {known}.")
    return files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
