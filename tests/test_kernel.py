"""What happens in a real kernel: the stop button, and what is left when the kernel goes."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

#: The stop button must be noticed within this many seconds, on a loaded machine too.
STOP_LIMIT_S = 4.0

SETUP = """
import asyncio, time
from course_pkg import run, tool
from course_pkg.conversation import problems, start

@tool
async def wait_for_tide(place: str) -> str:
    "Wait for the next tide at a place."
    await asyncio.sleep(60)

@tool
def watch_tide(place: str) -> str:
    "Wait for the next tide at a place."
    time.sleep(60)
"""


@pytest.fixture
def kernel() -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager, client = start_new_kernel(kernel_name="python3")
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.context.destroy()


def printed(client: BlockingKernelClient, code: str) -> str:
    """What a cell prints; a failure of the cell fails the test."""
    texts: list[str] = []

    def keep(message: dict[str, dict[str, str]]) -> None:
        texts.append(message["content"].get("text", ""))

    reply = client.execute_interactive(code, timeout=60, output_hook=keep)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(texts).strip()


@pytest.mark.parametrize("name", ["wait_for_tide", "watch_tide"])
def test_the_stop_button_ends_a_run_at_once_and_leaves_a_whole_conversation(
    kernel: tuple[KernelManager, BlockingKernelClient], name: str
) -> None:
    manager, client = kernel
    printed(client, SETUP)
    cell = f"m = start('Wait for the tide at Dover.'); await run(m, [{name}])"
    client.execute(cell, stop_on_error=False)
    time.sleep(2.5)

    began = time.monotonic()
    manager.interrupt_kernel()
    left = printed(client, "print(m[-1]['role'], problems(m))")

    assert left == "tool []"
    assert time.monotonic() - began < STOP_LIMIT_S


def test_the_practice_model_is_gone_with_its_kernel(
    kernel: tuple[KernelManager, BlockingKernelClient],
) -> None:
    manager, client = kernel
    url = printed(client, "from course_pkg import settings; print(settings().base_url)")
    address = (urlsplit(url).hostname or "", urlsplit(url).port or 0)
    socket.create_connection(address, timeout=5).close()

    manager.shutdown_kernel(now=True)

    with pytest.raises(OSError, match=r"refused|10061"):
        socket.create_connection(address, timeout=5)
