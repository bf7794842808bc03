"""Views for notebooks.

In: what was recorded. Out: something to look at, live or saved. Nothing below knows of it.

The inspector: `inspector.py` has `inspect` and `show`; `reading.py` turns frames into rows (with
`summary.py`, `changes.py`, `findings.py`, `stream.py`, `pretty.py`); `html_form.py` and
`text_form.py` write them; `json_rpc.py` says what MCP messages are; `live.py` sends rows to a
browser, where `static/inspector.js` adds filters and copying; `visible.py` makes any text safe to
show; `mode.py` reads `COURSE_WIDGETS`.

The union laboratory: `laboratory.py` has `laboratory` and `show_branches`; `unions.py` compares,
`union_forms.py` writes.

`beside.py` shows recordings side by side; `gallery.py` does so with two loops on a failure;
`approval.py` asks before a tool runs, `chooser.py` advises, `report.py` shows a review.
`showing.py` puts a view under its cell; `key_keeper.py` keeps the keys of forms from JupyterLab's
shortcuts.

`charts.py` draws bars and lines, `progress_bar.py` fills while something long runs.
"""

from course_pkg.widgets.approval import approval_panel
from course_pkg.widgets.beside import show_beside
from course_pkg.widgets.charts import Chart, Series, bar_chart, line_chart
from course_pkg.widgets.inspector import inspect, show
from course_pkg.widgets.laboratory import laboratory, show_branches
from course_pkg.widgets.mode import ModeError, widget_mode
from course_pkg.widgets.progress_bar import progress_bar

__all__ = [
    "Chart",
    "ModeError",
    "Series",
    "approval_panel",
    "bar_chart",
    "inspect",
    "laboratory",
    "line_chart",
    "progress_bar",
    "show",
    "show_beside",
    "show_branches",
    "widget_mode",
]
