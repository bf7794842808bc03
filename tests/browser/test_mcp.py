"""MCP connections in JupyterLab: opened in one cell, used in others, closed in a third."""

from __future__ import annotations

import psutil
import pytest

MARK = "the course's server"
OPEN = f"""
import sys
from course_pkg import connect, inspect
server = await connect([sys.executable, "-m", "course_pkg", "mcp-server"], name="{MARK}")
print("open:", server.is_open)
"""
CALL = """
with inspect("Called from another cell") as recorder:
    outcome = await server.call("calculate", {"expression": "12 * 7"})
    await server.call("get_weather", {"town": "Paris"})
print("text:", outcome.text)
"""
CLOSE = """
await server.close()
print("open:", server.is_open)
"""
ROWS = ".jp-OutputArea-output .tci .rows > li"


def servers() -> list[psutil.Process]:
    """The MCP servers that run on this computer now, started by a kernel of a test."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [])[-3:] == ["-m", "course_pkg", "mcp-server"]
    ]


def printed(notebook) -> str:
    return " ".join(notebook.find(".jp-OutputArea-output pre").all_inner_texts())


def test_a_connection_is_opened_in_one_cell_used_in_another_and_closed_in_a_third(open_notebook):
    before = len(servers())
    notebook = open_notebook("mcp.ipynb", [OPEN, CALL, CLOSE])

    notebook.run_all()
    notebook.page.wait_for_timeout(500)

    said = printed(notebook)
    assert "open: True" in said
    assert "text: 84" in said
    assert "open: False" in said
    assert len(servers()) == before
    assert (
        notebook.find(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']").count()
        == 0
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_frames_of_a_call_stand_under_the_cell_that_made_it_and_can_be_read(
    open_notebook, dark
):
    notebook = open_notebook(f"mcp-{dark}.ipynb", [OPEN, CALL, CLOSE])
    notebook.set_theme(dark=dark)

    notebook.run_all()
    rows = notebook.find(ROWS)
    rows.first.wait_for()
    summaries = notebook.find(f"{ROWS} bdi").all_inner_texts()
    failed = notebook.find(f"{ROWS} .m.er")
    colours = failed.first.evaluate(
        "e => [getComputedStyle(e).color, getComputedStyle(document.body).backgroundColor]"
    )
    notebook.set_theme(dark=False)

    assert [text for text in summaries if "tools/call calculate" in text]
    assert [text for text in summaries if "tool error (isError)" in text]
    assert colours[0] != colours[1]


def test_a_kernel_that_is_shut_down_takes_its_servers_along(open_notebook):
    before = len(servers())
    notebook = open_notebook("mcp-left-open.ipynb", [OPEN])
    notebook.run_all()
    while_open = len(servers())

    notebook.shut_down()
    for _ in range(100):
        if len(servers()) == before:
            break
        notebook.page.wait_for_timeout(100)

    assert while_open == before + 1
    assert len(servers()) == before
