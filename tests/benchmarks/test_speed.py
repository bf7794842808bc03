"""What things cost, as ratios measured in one interleaved run: `pytest tests/benchmarks`.

They are not part of the usual run. Times depend on the machine; ratios hardly do. The two ratios
of instructions need valgrind and some minutes: they run with COURSE_CALLGRIND=1.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from course_pkg import Tool, ToolCall, execute_all, tool

HERE = Path(__file__).parent

Tell = Callable[[str], None]


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    """A cheap service in a process of its own, so that its CPU is not counted."""
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


def figures(*arguments: str | Path) -> Any:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ratio_of(some: list[float], others: list[float]) -> float:
    """The median of the ratios, each of two measurements that were taken one after the other."""
    return median(one / other for one, other in zip(some, others, strict=True))


@pytest.mark.parametrize(("turns", "bound"), [(3, 0.65), (30, 0.3)])
def test_our_loop_costs_less_than_one_by_hand_with_create(
    port: str, tell: Tell, turns: int, bound: float
) -> None:
    cost = figures(HERE / "conversations.py", "compare", port, str(turns))

    ratio = ratio_of(cost["ours"], cost["bare"])
    tell(
        f"{turns} turns: ours {median(cost['ours']):.1f} ms CPU, "
        f"by hand {median(cost['bare']):.1f} ms, "
        f"ratio {ratio:.2f} (bound {bound})"
    )
    assert ratio <= bound


def test_a_request_with_a_long_history_costs_little_more_than_a_short_one(
    port: str, tell: Tell
) -> None:
    cost = figures(HERE / "conversations.py", "sizes", port)

    ours, create = (
        ratio_of(cost[f"{way} at 200"], cost[f"{way} at 2"]) for way in ("ours", "create")
    )
    tell(", ".join(f"{name} messages {median(value):.1f} ms" for name, value in cost.items()))
    tell(f"200 messages against 2: ours {ours:.1f} times (bound 2), create {create:.1f} times")
    assert ours <= 2


WAIT_S = 0.05


@tool(name="wait")
def wait_in_a_thread(n: int) -> int:
    """Wait."""
    time.sleep(WAIT_S)
    return n


@tool(name="wait")
async def wait_on_the_loop(n: int) -> int:
    """Wait."""
    await asyncio.sleep(WAIT_S)
    return n


@pytest.mark.parametrize("waiting", [wait_in_a_thread, wait_on_the_loop], ids=["sync", "async"])
async def test_eight_parallel_calls_take_hardly_longer_than_one(
    tell: Tell, waiting: Tool, request: pytest.FixtureRequest
) -> None:
    calls = [ToolCall(id=f"c{n}", name="wait", arguments=f'{{"n": {n}}}') for n in range(8)]
    took = []

    for _ in range(7):
        began = time.perf_counter()
        await execute_all(calls, [waiting])
        took.append(time.perf_counter() - began)

    ratio = median(took) / WAIT_S
    kind = request.node.callspec.id
    tell(f"8 {kind} calls of {1000 * WAIT_S:.0f} ms: {ratio:.2f} times one (bound 1.5)")
    assert ratio <= 1.5


IMPORT = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"


def test_importing_the_package_costs_less_than_importing_openai(tell: Tell) -> None:
    best = dict.fromkeys(["course_pkg", "openai"], float("inf"))

    for _ in range(5):
        for name in best:
            best[name] = min(best[name], figures("-c", IMPORT.format(name)))

    ratio = best["course_pkg"] / best["openai"]
    tell(
        f"import course_pkg {1000 * best['course_pkg']:.0f} ms CPU, "
        f"import openai {1000 * best['openai']:.0f} ms, ratio {ratio:.2f} (bound 0.4)"
    )
    assert ratio <= 0.4


def test_the_first_payload_in_a_fresh_process(tell: Tell) -> None:
    runs = [figures(HERE / "phases.py") for _ in range(3)]
    phases = min(runs, key=lambda run: sum(wall for _, wall, _ in run))

    last = [name for name, _, _ in phases].index("the first request")
    until_first = phases[: last + 1]
    tell(f"first payload after {sum(wall for _, wall, _ in until_first):.2f} s:")
    for name, wall, cpu in phases:
        tell(f"  {wall:6.3f} s ({cpu:6.3f} s CPU)  {name}")
    assert sum(wall for _, wall, _ in until_first) < 15


def instructions(way: str, port: str, turns: int, times: int, out: Path) -> int:
    done = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={out}",
            sys.executable,
            HERE / "conversations.py",
            way,
            port,
            str(turns),
            str(times),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    match = re.search(r"Collected : (\d+)", done.stderr)
    assert match, done.stderr
    return int(match.group(1))


@pytest.mark.skipif(
    shutil.which("valgrind") is None or os.environ.get("COURSE_CALLGRIND") != "1",
    reason="needs valgrind and COURSE_CALLGRIND=1, and takes some minutes",
)
@pytest.mark.parametrize(("turns", "times", "bound"), [(3, 10, 0.45), (30, 2, 0.15)])
def test_our_loop_takes_fewer_instructions(
    port: str, tell: Tell, tmp_path: Path, turns: int, times: int, bound: float
) -> None:
    cost = {}

    for way in ("bare", "ours"):
        few, many = (
            instructions(way, port, turns, number, tmp_path / "out") for number in (1, 1 + times)
        )
        cost[way] = (many - few) / times / 1e6

    ratio = cost["ours"] / cost["bare"]
    tell(
        f"{turns} turns: ours {cost['ours']:.1f} million instructions, by hand "
        f"{cost['bare']:.1f}, ratio {ratio:.3f} (bound {bound})"
    )
    assert ratio <= bound
