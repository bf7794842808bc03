"""Many turns with faults at random, in one process with the practice model: prints JSON.

    soak.py TURNS      what the process holds after a tenth of the turns, and after each further one

Each line is `[turns, threads, tasks, open files, resident megabytes]`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import sys
import threading
from pathlib import Path
from typing import Any

from streams import resident_bytes

from course_pkg import Limits, ModelClient, ModelError, Settings, run, toolbox
from course_pkg.conversation import problems, start
from course_pkg.executor import FastClock
from course_pkg.practice import PracticeServer
from course_pkg.practice.faults import model_names

TENTHS = 10
SLOW = "practice:slow"
QUESTIONS = ("What is the weather in Beijing?", "Calculate 3 * 14.", "北京的天气怎么样?")


def held(turns: int) -> list[float]:
    gc.collect()
    files = len(list(Path("/proc/self/fd").iterdir()))
    tasks = len(asyncio.all_tasks())
    return [turns, threading.active_count(), tasks, files, resident_bytes() / 2**20]


async def converse(client: ModelClient, chance: random.Random, tools: Any) -> int:
    """One conversation; how many turns it took. It may fail, and never leaves a broken list."""
    messages = start(chance.choice(QUESTIONS))
    options = {"stream": chance.random() < 0.5, "limits": Limits(max_turns=4)}
    try:
        outcome = await run(messages, tools, client, **options)
    except ModelError as error:
        outcome = error.outcome
    assert problems(messages) == []
    return len(outcome.turns) or 1


async def soak(turns: int) -> list[list[float]]:
    chance, tools, told, taken = random.Random(7), toolbox(), [], 0
    names = [name for name in model_names() if name != SLOW]
    with PracticeServer() as server:
        chosen = Settings(kind="practice", base_url=server.base_url, model="", api_key="any")
        async with ModelClient(chosen, clock=FastClock()) as client:
            for tenth in range(1, TENTHS + 1):
                while taken < turns * tenth / TENTHS:
                    client.model = chance.choice(names)
                    taken += await converse(client, chance, tools)
                await asyncio.sleep(0.1)
                told.append(held(taken))
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(soak(int(sys.argv[1])))))
