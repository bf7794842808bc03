"""What all benchmarks share: a way to print their figures."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a line of figures, whatever pytest captures."""

    def line(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n    {text}")

    return line
