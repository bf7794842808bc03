"""What a learner is given: the brief, a place to begin, and the file of the sample solution.

In: nothing. Out: texts and a path.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Brief:
    """The brief: a page of Markdown. A cell that ends in it shows it."""

    text: str

    def __repr__(self) -> str:
        """The text."""
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": self.text, "text/plain": self.text}


def brief() -> Brief:
    """What is asked."""
    return Brief((HERE / "brief.md").read_text(encoding="utf-8").strip())


def starter() -> str:
    """Code to begin with. It runs, and it is bad."""
    return (HERE / "starter.txt").read_text(encoding="utf-8").strip()


def solution_path() -> Path:
    """The file of the sample solution."""
    return HERE / "solution.py"
