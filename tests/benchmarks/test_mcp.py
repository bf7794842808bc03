"""What our side of MCP costs against the SDK's bare client, recorded, interleaved in one run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

HERE = Path(__file__).parent

Tell = Callable[[str], None]

TRANSPORTS = ["stdio", "http"]
ERAS = ["auto", "legacy"]


def figures(what: str, transport: str, era: str) -> Any:
    done = subprocess.run(
        [sys.executable, HERE / "mcp_calls.py", what, transport, era],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ratio_of(cost: dict[str, list[float]]) -> float:
    """The median of the ratios, each of two measurements that were taken one after the other."""
    return median(ours / bare for ours, bare in zip(cost["ours"], cost["bare"], strict=True))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_recorded_call_takes_hardly_longer_than_a_bare_one(
    tell: Tell, transport: str, era: str
) -> None:
    cost = figures("calls", transport, era)

    ratio = ratio_of(cost)
    tell(
        f"5 x tools/call over {transport}, {era}: recorded {1000 * median(cost['ours']):.2f} ms, "
        f"bare {1000 * median(cost['bare']):.2f} ms, ratio {ratio:.2f} (bound 1.15)"
    )
    assert ratio <= 1.15


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_opening_takes_hardly_longer_than_with_the_bare_client(
    tell: Tell, transport: str, era: str
) -> None:
    cost = figures("openings", transport, era)

    ratio = ratio_of(cost)
    tell(
        f"opening over {transport}, {era}: ours {1000 * median(cost['ours']):.0f} ms, "
        f"bare {1000 * median(cost['bare']):.0f} ms, ratio {ratio:.2f} (bound 1.1)"
    )
    assert ratio <= 1.1
