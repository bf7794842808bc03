"""How long all notebooks take under strict nbval, from a fresh pytest to its last line."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

Tell = Callable[[str], None]


def test_all_notebooks_under_nbval(tell: Tell) -> None:
    began = time.monotonic()

    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--nbval", "notebooks"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    count = len(list((ROOT / "notebooks").glob("*.ipynb")))
    tell(f"{count} notebooks under nbval: {time.monotonic() - began:.0f} s in all.")
    assert run.returncode == 0, run.stdout[-2000:]
