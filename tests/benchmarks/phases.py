"""What a learner waits for before the first payload: run in a fresh process, prints JSON.

Each phase is `[name, wall seconds, CPU seconds]`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

QUESTION = [{"role": "user", "content": "What is the weather in Beijing?"}]
PHASES: list[tuple[str, float, float]] = []
_last = (time.perf_counter(), time.process_time())


def phase(name: str) -> None:
    """Note what passed since the last phase."""
    global _last
    now = (time.perf_counter(), time.process_time())
    PHASES.append((name, now[0] - _last[0], now[1] - _last[1]))
    _last = now


async def main() -> None:
    """Do what the first cells do."""
    import course_pkg

    phase("import course_pkg")
    tools = course_pkg.toolbox()
    phase("the toolbox (pydantic)")
    chosen = course_pkg.settings({})
    phase("the practice model starts (starlette, uvicorn)")
    async with course_pkg.ModelClient(chosen) as client:
        phase("the client (openai)")
        with course_pkg.Recorder() as recorder:
            phase("the recorder (httpx2)")
            await client.ask(QUESTION, tools)
            phase("the first request")
            await client.ask(QUESTION, tools)
            phase("the second request")
    assert len(recorder.frames) == 4
    call = course_pkg.ToolCall(id="c", name="get_weather", arguments='{"city": "Beijing"}')
    await course_pkg.execute(call, tools)
    phase("the first call is checked and run (jsonschema)")


asyncio.run(main())
sys.stdout.write(json.dumps(PHASES))
