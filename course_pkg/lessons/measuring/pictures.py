"""Scores as charts.

In: scores. Out: a `Chart` that a cell shows. Knows nothing of how scores are made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.lessons.measuring.chance import wilson
from course_pkg.lessons.measuring.crowds import SIZES
from course_pkg.lessons.measuring.published import PUBLISHED, REQUESTS, Published
from course_pkg.lessons.measuring.scoring import Score
from course_pkg.widgets.charts import Chart, Series, bar_chart, line_chart


def bars(scores: Sequence[Score]) -> Chart:
    """Three bars for each score: right tool, valid arguments, right arguments.

    The line across the last bar is its 95 % interval.
    """
    of = scores[0].of
    right = [score.right for score in scores]
    return bar_chart(
        "Three counts for each toolbox, the same requests",
        [score.name for score in scores],
        [
            Series(name="right tool", values=[score.right_tool for score in scores]),
            Series(name="valid arguments", values=[score.valid for score in scores]),
            Series(name="right arguments", values=right, spans=[_span(n, of) for n in right]),
        ],
        highest=of,
        unit=f"of {of} requests",
    )


def published_bars(rows: Sequence[Published] = PUBLISHED) -> Chart:
    """One bar for each toolbox: how often a real model of 0.5 billion parameters chose right."""
    right = [row.small for row in rows]
    spans = [_span(count, REQUESTS) for count in right]
    return bar_chart(
        "Right tool, a real model with 0.5 billion parameters",
        [row.wording for row in rows],
        [Series(name="right tool", values=right, spans=spans)],
        highest=REQUESTS,
        unit=f"of {REQUESTS} requests",
    )


def curve(crowds: Mapping[str, Sequence[Score]], of_each: str = "right") -> Chart:
    """One line for each wording, from few tools to many.

    Args:
        crowds: scores by the name of their wording, one score for each of `SIZES`.
        of_each: which number of a score: `right`, `right_tool`, `request_bytes` or `prompt_tokens`.
    """
    titles = {
        "right": ("Right arguments, and how many tools are on offer", "of 30 requests"),
        "right_tool": ("Right tool, and how many tools are on offer", "of 30 requests"),
        "request_bytes": ("Size of one request, and how many tools are on offer", "bytes"),
        "prompt_tokens": ("Tokens of one request, and how many tools are on offer", "tokens"),
    }
    title, unit = titles[of_each]
    series = [
        Series(name=name, values=[_value(score, of_each) for score in scores])
        for name, scores in crowds.items()
    ]
    highest = max(value for one in series for value in one.values)
    return line_chart(
        title,
        SIZES,
        series,
        highest=REQUESTS if of_each.startswith("right") else _round_up(highest),
        unit=unit,
        along="tools",
    )


def _value(score: Score, name: str) -> Any:
    return getattr(score, name)


def _span(right: int, of: int) -> tuple[float, float]:
    low, high = wilson(right, of)
    return low * of, high * of


def _round_up(value: float) -> float:
    """The next number with one digit and zeros, such as 20,000 for 19,551."""
    step = float(10 ** math.floor(math.log10(max(value, 1))))
    return math.ceil(value / step) * step
