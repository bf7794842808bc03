"""One call over three bridges, side by side in JupyterLab, in light and dark."""

from __future__ import annotations

import pytest

CELL = """
import sys
from course_pkg import Connection, Recorder, ToolCall, execute
from course_pkg.mcp_server import high_level
from course_pkg.programs import tools_of
from course_pkg.samples.programs import sample_programs
from course_pkg.sidecar import Sidecar, sidecar_tools
from course_pkg.widgets import show_beside

local = tools_of(sample_programs())
call = ToolCall(id="call_1", name="count_words", arguments='{"file": "files/notes.txt"}')
recordings = {name: Recorder() for name in ("Local function", "MCP", "Sidecar")}
async with Connection(high_level(local)) as server:
    with Sidecar(local) as sidecar:
        remote = await sidecar_tools(sidecar.url, sidecar.token)
        for recorder, tools in zip(recordings.values(), (local, server.tools, remote)):
            with recorder:
                result = await execute(call, tools)
show_beside(recordings, "One call, three bridges")
print("done:", result.text)
"""
COLUMNS = ".jp-OutputArea-output .gg > .g"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_one_call_over_three_wires_stands_side_by_side(open_notebook, dark):
    notebook = open_notebook(f"bridges-{dark}.ipynb", [CELL])
    notebook.page.set_viewport_size({"width": 1600, "height": 1000})
    notebook.set_theme(dark=dark)

    notebook.run_all()
    columns = notebook.find(COLUMNS)
    columns.nth(2).wait_for()
    tops = {round(columns.nth(place).bounding_box()["y"]) for place in range(3)}
    wires = [
        set(
            columns.nth(place)
            .locator(".rows > li")
            .evaluate_all("all => all.map(e => e.dataset.w)")
        )
        for place in range(3)
    ]
    text, ground = columns.first.locator(".m").first.evaluate(
        "e => [getComputedStyle(e).color, getComputedStyle(e.closest('.tci')).backgroundColor]"
    )
    notebook.set_theme(dark=False)

    assert len(tops) == 1
    assert [
        wire in seen for wire, seen in zip(("local", "mcp", "sidecar"), wires, strict=True)
    ] == [
        True,
        True,
        True,
    ]
    assert text != ground


def test_a_row_of_a_column_opens_and_shows_its_payload(open_notebook):
    notebook = open_notebook("bridges-open.ipynb", [CELL])

    notebook.run_all()
    row = notebook.find(f"{COLUMNS} .rows > li[data-w='sidecar']").first
    row.locator("summary").first.click()

    assert '"file": "files/notes.txt"' in row.locator(".b > pre").inner_text()
    assert notebook.browsing.errors == []


def test_on_a_narrow_page_the_columns_stand_one_below_the_other(open_notebook):
    notebook = open_notebook("bridges-narrow.ipynb", [CELL])
    notebook.page.set_viewport_size({"width": 800, "height": 1000})

    notebook.run_all()
    columns = notebook.find(COLUMNS)
    columns.nth(2).wait_for()
    tops = {round(columns.nth(place).bounding_box()["y"]) for place in range(3)}

    assert len(tops) > 1
