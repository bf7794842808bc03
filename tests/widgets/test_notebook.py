"""The inspector in a kernel: what a notebook keeps of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager

import nbformat
import pytest
from nbclient import NotebookClient

SETUP = """
from course_pkg.widgets import inspect, show
from course_pkg.wire.recorder import Payload

def exchange(recorder):
    body = b'{"messages": [{"role": "user", "content": "Hi"}]}'
    request = recorder.add(Payload(wire="model", direction="sent", label="POST /v1", body=body))
    recorder.add(Payload(wire="model", direction="received", label="200", request=request))
"""
BLOCK = "with inspect() as recorder:\n    exchange(recorder)"
THREADS = """
from threading import Thread
with inspect() as recorder:
    threads = [Thread(target=exchange, args=[recorder]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
FAILING = BLOCK + "\n    1 / 0"
AWAITING = "import asyncio\n" + BLOCK + "\n    await asyncio.sleep(0)"
NESTED = """
with inspect("Outer") as outer:
    exchange(outer)
    with inspect("Inner") as inner:
        exchange(inner)
"""
SHOWN = "show(recorder.frames[:1], 'One')"
CELLS = [SETUP, BLOCK, THREADS, FAILING, AWAITING, NESTED, SHOWN]


@contextmanager
def widgets(mode: str) -> Iterator[None]:
    """Set `COURSE_WIDGETS` for the kernels that are started meanwhile."""
    before = os.environ.get("COURSE_WIDGETS")
    os.environ["COURSE_WIDGETS"] = mode
    try:
        yield
    finally:
        os.environ.pop("COURSE_WIDGETS")
        if before is not None:
            os.environ["COURSE_WIDGETS"] = before


def executed(mode: str) -> list[list[nbformat.NotebookNode]]:
    """The outputs of each cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client = NotebookClient(notebook, allow_errors=True, timeout=60, kernel_name="python3")
    with widgets(mode), asyncio.Runner() as runner:
        runner.run(client.async_execute())
    return [cell.outputs for cell in notebook.cells[1:]]


@pytest.fixture(scope="module")
def static() -> list[list[nbformat.NotebookNode]]:
    return executed("static")


@pytest.fixture(scope="module")
def live() -> list[list[nbformat.NotebookNode]]:
    return executed("live")


def displays(outputs) -> list[nbformat.NotebookNode]:
    return [output.data for output in outputs if output.output_type == "display_data"]


@pytest.mark.parametrize("mode", ["static", "live"])
def test_each_cell_keeps_html_and_text_and_no_widget(mode, request):
    outputs = request.getfixturevalue(mode)

    shown = [display for cell in outputs for display in displays(cell)]
    assert [len(displays(cell)) for cell in outputs] == [1, 1, 1, 1, 2, 1]
    assert all(set(data) == {"text/html", "text/plain"} for data in shown)


def test_only_the_live_form_has_a_script(static, live):
    assert "<script>" not in displays(static[0])[0]["text/html"]
    assert "<script>" in displays(live[0])[0]["text/html"]


def test_frames_of_threads_are_all_there(live):
    assert displays(live[1])[0]["text/plain"].startswith("Inspector: 16 frames")


@pytest.mark.parametrize("mode", ["static", "live"])
def test_after_an_exception_the_frames_are_shown_and_the_exception_too(mode, request):
    outputs = request.getfixturevalue(mode)[2]

    assert displays(outputs)[0]["text/plain"].startswith("Inspector: 2 frames")
    assert [output.ename for output in outputs if output.output_type == "error"] == [
        "ZeroDivisionError"
    ]


def test_inspectors_may_be_nested(static):
    titles = [data["text/plain"].split(":")[0] for data in displays(static[4])]

    assert titles == ["Inner", "Outer"]


def test_a_list_of_frames_is_shown_under_its_title(static):
    assert displays(static[5])[0]["text/plain"].startswith("One: 1 frame\n")


def test_a_second_run_gives_the_same_outputs(static):
    assert executed("static")[0] == static[0]
