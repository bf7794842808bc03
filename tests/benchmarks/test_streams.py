"""Streams, long conversations and crowds, as ratios: `pytest tests/benchmarks/test_streams.py -s`.

Both ways are measured in turns, in a process of their own, so that a busy machine slows both alike.
The service runs in another process: its time is not counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    """A cheap service in a process of its own."""
    with subprocess.Popen(
        [sys.executable, HERE / "serve.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as served:
        assert served.stdin is not None
        assert served.stdout is not None
        yield served.stdout.readline().strip()
        served.stdin.close()


def figures(*arguments: str | Path, program: str = "streams.py") -> Any:
    command = [sys.executable, HERE / program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ratio_of(some: list[float], others: list[float]) -> float:
    """The median of the ratios, each of two measurements that were taken one after the other."""
    return median(one / other for one, other in zip(some, others, strict=True))


def tell(text: str) -> None:
    sys.stdout.write(f"\n    {text}")


@pytest.mark.parametrize(("chunks", "bound"), [(5_000, 0.15), (50, 0.3)])
def test_joining_a_stream_costs_a_fraction_of_draining_it_with_create(
    port: str, chunks: int, bound: float
) -> None:
    cost = figures("chunks", port, str(chunks))

    ratio = ratio_of(cost["ours"], cost["create"])
    ours, create = median(cost["ours"]), median(cost["create"])
    tell(f"{chunks} chunks: ours {ours:.1f} ms CPU, create {create:.1f} ms, ratio {ratio:.3f}")
    assert ratio <= bound


def test_a_late_turn_costs_no_more_for_each_byte_than_an_early_one(port: str) -> None:
    cost = figures("history", port)

    ratio = ratio_of(cost["turn 500"], cost["turn 5"])
    each = {name: f"{median(value):.0f} µs CPU a KB" for name, value in cost.items()}
    tell(f"{each}, ratio {ratio:.2f}")
    assert ratio <= 1.2


def test_the_cost_of_a_late_turn_grows_with_the_bytes_and_not_with_their_square(port: str) -> None:
    cost = figures("history", port, "250")

    ratio = ratio_of(cost["turn 500"], cost["turn 250"])
    tell(f"turn 500 against turn 250, for each byte: ratio {ratio:.2f}")
    assert ratio <= 1.2


# `create` walks the whole conversation at each request, so the longer one is, the more we gain. The
# bound is for conversations of 5 turns; those of 3 are told as well, with a looser one.
@pytest.mark.parametrize(("turns", "bound"), [(5, 1.5), (3, 1.35)])
def test_fifty_conversations_at_once_are_faster_than_by_hand(
    port: str, turns: int, bound: float
) -> None:
    took = figures("crowd", port, "50", str(turns))

    ratio = ratio_of(took["by hand"], took["ours"])
    ours, by_hand = median(took["ours"]), median(took["by hand"])
    tell(
        f"50 of {turns} turns at once: ours {ours:.2f} s, by hand {by_hand:.2f} s, {ratio:.2f} "
        f"times as many (bound {bound})"
    )
    assert ratio >= bound


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_thousand_conversations_leave_no_memory_behind(port: str) -> None:
    used = figures("memory", port, "1000")

    ratio = used["end"] / used["start"]
    tell(f"{used['start'] / 2**20:.1f} MB, then {used['end'] / 2**20:.1f} MB, ratio {ratio:.3f}")
    assert ratio <= 1.1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ten_thousand_turns_with_faults_leave_nothing_behind() -> None:
    told = figures("10000", program="soak.py")

    for turns, threads, tasks, files, megabytes in told:
        tell(
            f"{turns:5} turns: {threads} threads, {tasks} tasks, {files} files, {megabytes:.1f} MB"
        )
    (_, *early, warm), (_, *late, end) = told[0], told[-1]
    assert all(after <= before + 2 for before, after in zip(early, late, strict=True))
    assert end <= 1.1 * warm
