"""A proxy that a school has set for everything must not stand between this process and itself."""

from __future__ import annotations

import os
import subprocess
import sys

QUESTION = """
import asyncio
from course_pkg import run, toolbox
outcome = asyncio.run(run("What is the weather in Paris?", toolbox("get_weather")))
print(outcome.reason)
"""


def test_the_practice_model_is_reached_although_a_proxy_is_set_that_nobody_answers() -> None:
    nowhere = "http://127.0.0.1:9"
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), nowhere)
    plain = {name: value for name, value in os.environ.items() if name.lower() != "no_proxy"}

    ended = subprocess.run(
        [sys.executable, "-c", QUESTION],
        env={**plain, **proxies},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )

    assert (ended.stdout.strip(), ended.returncode) == ("answered", 0), ended.stderr
