"""Do one of the things that a program should not do: `misbehave.py -- WHAT`."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Every process that lives on writes here, again and again.
HEART = Path("heart.txt")


def sleep() -> None:
    """Do nothing, for long."""
    time.sleep(60)


def ignore_signals_and_sleep() -> None:
    """Do nothing, for long, and do not listen."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    beat()


def beat() -> None:
    """Live on, so that it shows."""
    for _ in range(6_000):
        with HEART.open("a", encoding="utf-8") as heart:
            heart.write(".")
        time.sleep(0.01)


def flood(stream: int = 1) -> None:
    """Print without end."""
    while True:
        os.write(stream, b"x" * 65_536)


def flood_errors() -> None:
    """Print to the error stream without end."""
    flood(2)


def trickle_and_flood() -> None:
    """Print without end on both streams."""
    while True:
        os.write(1, b"x" * 10_000)
        os.write(2, b"x" * 10_000)


def start(what: str, **settings: Any) -> None:
    """Start this script once more."""
    command = [sys.executable, "-I", __file__, "--", what]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, **settings)


def leave_a_child() -> None:
    """End at once, and leave a child that holds the pipe and does not listen."""
    start("ignore_signals_and_sleep")
    wait_for_heart()
    sys.stdout.write("The parent is done.\n")


def leave_a_flooding_child() -> None:
    """End at once, and leave a child that prints without end."""
    start("flood")


def let_a_child_flood() -> None:
    """Print nothing, and wait while a child prints without end."""
    start("flood")
    sleep()


def leave_a_child_in_a_session_of_its_own() -> None:
    """End at once, and leave a child that has left the group."""
    start("ignore_signals_and_sleep", start_new_session=True)
    wait_for_heart()


def leave_a_child_with_other_variables() -> None:
    """End at once, and leave a child that knows nothing of where it comes from."""
    kept = {name: value for name, value in os.environ.items() if "COURSE" not in name}
    start("ignore_signals_and_sleep", env=kept)
    wait_for_heart()


def leave_many_children_and_wait() -> None:
    """Start ten children that do not listen, and do not end."""
    for _ in range(10):
        start("ignore_signals_and_sleep")
    sleep()


def leave_a_grandchild() -> None:
    """End at once, and leave a grandchild whose parent has gone too."""
    start("leave_a_child")
    wait_for_heart()


def close_the_pipes_and_sleep() -> None:
    """Look as if it were done, and go on."""
    os.close(1)
    os.close(2)
    beat()


def wait_for_input() -> None:
    """Ask for a line that nobody types."""
    sys.stdout.write(f"got {sys.stdin.read()!r}\n")


def wait_for_heart() -> None:
    """Wait until a child is alive."""
    while not HEART.exists():
        time.sleep(0.005)


if __name__ == "__main__":
    action: Callable[[], None] = globals()[sys.argv[-1]]
    action()
