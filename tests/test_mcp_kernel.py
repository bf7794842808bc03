"""MCP in a real kernel: opened in one cell, used and closed in others; and the stop button."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

#: The stop button must be noticed within this many seconds, on a loaded machine too.
STOP_LIMIT_S = 4.0

#: A server must be gone so many seconds after its kernel.
GONE_LIMIT_S = 10.0

Kernel = tuple[KernelManager, BlockingKernelClient]


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    manager, client = start_new_kernel(kernel_name="python3")
    printed(client, "from course_pkg import Recorder\nfrom course_pkg.mcp_client import *")
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.context.destroy()


def printed(client: BlockingKernelClient, code: str) -> str:
    """What a cell prints, to stderr too; a failure of the cell fails the test."""
    texts: list[str] = []

    def keep(message: dict[str, dict[str, str]]) -> None:
        texts.append(message["content"].get("text", ""))

    reply = client.execute_interactive(code, timeout=60, output_hook=keep)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(texts).strip()


def opened(client: BlockingKernelClient, command: list[str], options: str = "") -> None:
    printed(client, f"server = await connect({command!r}{options})")


def is_running(process: int) -> bool:
    if sys.platform == "win32":
        command = ["tasklist", "/FI", f"PID eq {process}"]
        return str(process) in subprocess.run(command, capture_output=True, text=True).stdout
    shown = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True
    )
    return shown.stdout.strip() not in ("", "Z", "Zs")


def is_gone_in_time(process: int) -> bool:
    end = time.monotonic() + GONE_LIMIT_S
    while is_running(process) and time.monotonic() < end:
        time.sleep(0.1)
    return not is_running(process)


def test_a_connection_goes_from_cell_to_cell(kernel: Kernel, scripted: Any) -> None:
    _, client = kernel
    opened(client, scripted(tools=["t1", "pid"], calls={"pid": {"pid": True}}))

    told = [
        printed(client, "print((await server.call('t1', {'city': '北京'})).text)"),
        printed(client, "print(server.is_open, (await server.call('t1')).text)"),
    ]
    process = int(printed(client, "print((await server.call('pid')).text)"))
    told.append(printed(client, "await server.close(); print(server.is_open)"))
    told.append(printed(client, "await server.close()"))

    assert told == ['{"city": "北京"}', "True {}", "False", ""]
    assert not is_running(process)


def test_several_are_closed_in_the_order_in_which_they_were_opened(
    kernel: Kernel, scripted: Any
) -> None:
    _, client = kernel
    for name in "ab":
        printed(client, f"{name} = await connect({scripted()!r}, name={name!r})")

    told = [printed(client, f"await {name}.close(); print({name}.is_open)") for name in "ab"]

    assert told == ["False", "False"]


def test_frames_are_in_the_recorder_of_the_cell_that_asks(kernel: Kernel, scripted: Any) -> None:
    _, client = kernel
    opened(client, scripted(eras=["legacy"], junk_before=["hello"]), ", era='legacy'")

    told = printed(
        client,
        "with Recorder() as recorder: await server.call('t1')\n"
        "print([frame.label for frame in recorder.frames])",
    )

    assert told == "['tools/call', 'result']"


def test_a_view_that_prints_frames_as_they_come_prints_in_the_cell_that_asks(
    kernel: Kernel, scripted: Any
) -> None:
    _, client = kernel
    opened(client, scripted())

    told = printed(
        client,
        "with Recorder() as recorder:\n"
        "    recorder.listen(lambda frame: print(frame.label))\n"
        "    await server.call('t1')",
    )

    assert told.split() == ["tools/call", "result"]


def test_a_crash_in_one_cell_is_mended_in_the_next(kernel: Kernel, scripted: Any) -> None:
    _, client = kernel
    opened(client, scripted(tools=["t1", "bad"], calls={"bad": {"do": "crash"}}))

    told = [
        printed(
            client,
            "try: await server.call('bad')\n"
            "except ServerError as error: print(error.kind, error.log)",
        ),
        printed(client, "await server.reopen(); print((await server.call('t1')).text)"),
    ]

    assert told == ["gone Traceback: out of luck", "{}"]


@pytest.mark.parametrize(
    ("script", "cell"),
    [
        ({"calls": {"t1": {"do": "hang"}}}, "await server.call('t1')"),
        ({"start": "hang"}, "await connect({command!r})"),
    ],
    ids=["a call", "an opening"],
)
def test_the_stop_button_works_while_a_server_is_waited_for(
    kernel: Kernel, scripted: Any, script: Any, cell: str
) -> None:
    manager, client = kernel
    opened(client, scripted(**{**script, "start": ""}))
    client.execute(cell.format(command=scripted(**script)), stop_on_error=False)
    time.sleep(1.5)

    began = time.monotonic()
    manager.interrupt_kernel()
    left = printed(client, "print(server.is_open)")

    assert left == "True"
    assert time.monotonic() - began < STOP_LIMIT_S


def test_after_the_stop_button_the_connection_still_works(kernel: Kernel, scripted: Any) -> None:
    manager, client = kernel
    opened(client, scripted(tools=["t1", "slow"], calls={"slow": {"do": "hang"}}))
    client.execute("await server.call('slow')", stop_on_error=False)
    time.sleep(1.0)
    manager.interrupt_kernel()

    assert printed(client, "print((await server.call('t1')).text)") == "{}"


@pytest.mark.parametrize("how", ["killed", "shut down", "restarted"])
def test_no_server_is_left_when_its_kernel_goes(kernel: Kernel, scripted: Any, how: str) -> None:
    manager, client = kernel
    opened(client, scripted(calls={"t1": {"pid": True}}))
    process = int(printed(client, "print((await server.call('t1')).text)"))
    assert is_running(process)

    if how == "restarted":
        manager.restart_kernel(now=False)
    else:
        manager.shutdown_kernel(now=how == "killed")

    assert is_gone_in_time(process)


def test_a_cell_that_is_run_again_leaves_no_server(kernel: Kernel, scripted: Any) -> None:
    _, client = kernel
    opened(client, scripted(calls={"t1": {"pid": True}}))
    process = int(printed(client, "print((await server.call('t1')).text)"))

    opened(client, scripted(calls={"t1": {"pid": True}}))
    printed(client, "import gc; gc.collect()")

    assert is_gone_in_time(process)


def test_a_kernel_whose_stderr_is_no_file_can_start_a_server(scripted: Any) -> None:
    """As on Windows, and on some hosted services: `sys.stderr.fileno()` raises."""
    manager, client = start_new_kernel(
        kernel_name="python3", extra_arguments=["--IPKernelApp.capture_fd_output=False"]
    )
    try:
        code = (
            "import sys\ntry: sys.stderr.fileno(); print('a file')\n"
            "except OSError: print('no file')\n"
            f"import json\nfrom course_pkg.mcp_client import connect\n"
            f"server = await connect(json.loads({json.dumps(json.dumps(scripted()))}))\n"
            "print((await server.call('t1')).text)\nawait server.close()"
        )
        assert printed(client, code).split() == ["no", "file", "{}"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.context.destroy()
