"""Draw bars and lines that need no script: for a notebook, a code host, a screen reader.

In: labels and numbers. Out: a `Chart` that a cell shows by itself: HTML, and plain text of it.
The same numbers give the same bytes. Knows nothing of what is counted.

The HTML is a table of all numbers, with drawings that hold shapes only. Where a page may not draw
(JupyterLab before a notebook is trusted, a code host), the table is left and says everything. Every
text comes in through `markup`, as the inside of an element; attributes hold numbers alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from course_pkg.widgets.visible import markup, visible

#: More series than colours would not be told apart.
MAX_SERIES = 4
MAX_LABELS = 40

#: A bar's drawing, in units of its own: it is stretched to the width that there is.
BAR_WIDTH, BAR_HEIGHT = 300, 14
#: The drawing of lines. Room is left at the edges for markers and for the numbers on the scales.
PLOT_WIDTH, PLOT_HEIGHT = 680, 280
PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_BOTTOM = 60, 24, 14, 28
TICKS = 5

#: A bar of the plain text has so many characters at most.
TEXT_BAR = 30


class ChartError(ValueError):
    """The numbers do not make a chart. The text says why."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """Numbers of one kind, one for each label.

    Attributes:
        name: what is counted.
        values: the numbers, 0 or more.
        spans: for each number the ends of its interval, if it has one.
    """

    name: str
    values: Sequence[float]
    spans: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A drawing and its twin in words. A cell that ends in one shows it.

    Attributes:
        html: self-contained markup, without a script. It stays readable without style and drawing.
        text: the same as plain text.
    """

    html: str = field(repr=False)
    text: str = field(repr=False)

    def __repr__(self) -> str:
        """The plain text."""
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def bar_chart(
    title: str, labels: Sequence[str], series: Sequence[Series], *, highest: float, unit: str = ""
) -> Chart:
    """Draw a group of bars for each label, one bar a series, from left to right.

    The chart is a table: label, name of the series, bar, number.

    Args:
        title: what the chart shows, in one sentence.
        labels: one for each group.
        series: one to four.
        highest: the value at the right end of the scale.
        unit: what the numbers count, for example `of 30`.

    Raises:
        ChartError: if there is nothing to draw, or numbers are missing or too large.
    """
    _refuse(labels, series, highest)
    rows = "".join(_bar_rows(labels, series, highest))
    table = f'<table class="bars"><tbody>{rows}</tbody></table>'
    return Chart(html=_html(title, unit, table), text=_plain(title, labels, series, unit, highest))


def line_chart(
    title: str,
    positions: Sequence[float],
    series: Sequence[Series],
    *,
    highest: float,
    unit: str = "",
    along: str = "",
) -> Chart:
    """Draw one line a series over positions on a scale, from 0 to the last position.

    Below the drawing stands a table with every number.

    Args:
        title: what the chart shows, in one sentence.
        positions: where the numbers stand, ascending.
        series: one to four.
        highest: the value at the top of the scale.
        unit: what the numbers count, for example `bytes`.
        along: what the positions count, for example `tools`.

    Raises:
        ChartError: if there is nothing to draw, or numbers are missing or too large.
    """
    labels = [f"{along}: {_number(position)}".removeprefix(": ") for position in positions]
    _refuse(labels, series, highest)
    if list(positions) != sorted(set(positions)) or positions[0] < 0 or positions[-1] == 0:
        raise ChartError(f"The positions {list(positions)} do not ascend from 0 or more.")
    drawing = _plot(positions, series, highest)
    table = _table_of_lines(positions, series, along)
    return Chart(
        html=_html(title, unit, drawing + table),
        text=_plain(title, labels, series, unit, highest),
    )


# --- bars -----------------------------------------------------------------------------------------


def _bar_rows(labels: Sequence[str], series: Sequence[Series], highest: float) -> Iterator[str]:
    for place, label in enumerate(labels):
        for number, one in enumerate(series):
            # The label stands once, before the first of its bars.
            first = f'<th rowspan="{len(series)}">{markup(label)}</th>' if number == 0 else ""
            name = f"<td>{markup(one.name)}</td>" if len(series) > 1 else ""
            bar = f"<td>{_bar(one, place, number, highest)}</td>"
            yield f"<tr>{first}{name}{bar}<td>{_cell(one, place)}</td></tr>"


def _bar(one: Series, place: int, number: int, highest: float) -> str:
    scale = BAR_WIDTH / highest
    width = _n(one.values[place] * scale)
    drawn = f'<rect class="f{number}" width="{width}" height="{BAR_HEIGHT}"/>'
    if one.spans:
        low, high = (edge * scale for edge in one.spans[place])
        drawn += _whisker(low, high)
    return (
        f'<svg viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}" preserveAspectRatio="none" '
        f'aria-hidden="true">{drawn}</svg>'
    )


def _whisker(low: float, high: float) -> str:
    middle = BAR_HEIGHT / 2
    ends = "".join(f"M{_n(x)} {_n(middle - 4)}v8" for x in (low, high))
    return f'<path class="i" d="M{_n(low)} {_n(middle)}H{_n(high)}{ends}"/>'


# --- lines ----------------------------------------------------------------------------------------


def _plot(positions: Sequence[float], series: Sequence[Series], highest: float) -> str:
    across = (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT) / positions[-1]
    up = (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM) / highest
    floor = PLOT_HEIGHT - PLOT_BOTTOM
    ticks = [highest * tick / TICKS for tick in range(TICKS + 1)]
    drawn = "".join(_grid(floor - value * up) for value in ticks)
    numbers = "".join(_number_at(PLOT_LEFT - 8, floor - value * up, value, "y") for value in ticks)
    for position in positions:
        numbers += _number_at(PLOT_LEFT + position * across, floor + 14, position, "x")
    for number, one in enumerate(series):
        points = [
            (PLOT_LEFT + position * across, floor - value * up)
            for position, value in zip(positions, one.values, strict=True)
        ]
        drawn += _line(points, number)
    return (
        f'<div class="plot" aria-hidden="true"><svg viewBox="0 0 {PLOT_WIDTH} {PLOT_HEIGHT}">'
        f"{drawn}</svg>{numbers}</div>"
    )


def _grid(y: float) -> str:
    return f'<path class="g" d="M{PLOT_LEFT} {_n(y)}H{PLOT_WIDTH - PLOT_RIGHT}"/>'


def _number_at(x: float, y: float, value: float, kind: str) -> str:
    """A number on a scale. The style sheet writes it, so without style it is not in the way."""
    left, top = _n(100 * x / PLOT_WIDTH), _n(100 * y / PLOT_HEIGHT)
    return f'<i class="{kind}" style="left:{left}%;top:{top}%" data-n="{_number(value)}"></i>'


def _line(points: Sequence[tuple[float, float]], number: int) -> str:
    path = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
    drawn = f'<path class="l s{number}" d="M{path}"/>'
    return drawn + "".join(_marker(x, y, number) for x, y in points)


def _marker(x: float, y: float, number: int) -> str:
    """A shape of its own for each series: colour alone does not tell everybody enough."""
    paths = (
        f"M{_n(x - 4.5)} {_n(y)}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0",
        f"M{_n(x - 4)} {_n(y - 4)}h8v8h-8z",
        f"M{_n(x)} {_n(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
        f"M{_n(x)} {_n(y - 5)}l5 9h-10z",
    )
    return f'<path class="f{number}" d="{paths[number]}"/>'


def _table_of_lines(positions: Sequence[float], series: Sequence[Series], along: str) -> str:
    head = "".join(f"<th>{_number(position)}</th>" for position in positions)
    rows = "".join(
        f"<tr><th>{_swatch(number)}{markup(one.name)}</th>"
        + "".join(f"<td>{_cell(one, place)}</td>" for place in range(len(positions)))
        + "</tr>"
        for number, one in enumerate(series)
    )
    return (
        f"<table><thead><tr><th>{markup(along)}</th>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _swatch(number: int) -> str:
    drawn = f'<path class="l s{number}" d="M0 6H24"/>{_marker(12, 6, number)}'
    return f'<svg class="sw" viewBox="0 0 24 12" aria-hidden="true">{drawn}</svg>'


# --- both -----------------------------------------------------------------------------------------


def _refuse(labels: Sequence[str], series: Sequence[Series], highest: float) -> None:
    if not 1 <= len(labels) <= MAX_LABELS or not 1 <= len(series) <= MAX_SERIES:
        raise ChartError(
            f"{len(labels)} labels and {len(series)} series: a chart takes 1 to {MAX_LABELS} "
            f"labels and 1 to {MAX_SERIES} series."
        )
    for one in series:
        if len(one.values) != len(labels) or len(one.spans) not in (0, len(labels)):
            raise ChartError(
                f"{one.name!r} has {len(one.values)} values and {len(one.spans)} spans for "
                f"{len(labels)} labels. Give one of each for each label; spans may be left out."
            )
        edges = [edge for span in one.spans for edge in span]
        if not all(0 <= value <= highest for value in [*one.values, *edges]):
            raise ChartError(f"{one.name!r} has a number that is not from 0 to {highest:g}.")


def _html(title: str, unit: str, inner: str) -> str:
    what = f" ({markup(unit)})" if unit else ""
    return (
        f'<div class="tcc"><style>{style()}</style><p><b>{markup(title)}</b>{what}</p>{inner}</div>'
    )


def _plain(
    title: str, labels: Sequence[str], series: Sequence[Series], unit: str, highest: float
) -> str:
    lines = [f"{title} ({unit})" if unit else title]
    names = _padded([one.name for one in series])
    for place, label in enumerate(labels):
        lines += ["", label]
        for name, one in zip(names, series, strict=True):
            filled = "█" * round(one.values[place] / highest * TEXT_BAR)
            lines.append(f"  {name}  {filled} {_cell(one, place)}")
    return visible("\n".join(lines))


def _padded(names: Iterable[str]) -> list[str]:
    listed = list(names)
    longest = max(map(len, listed))
    return [name.ljust(longest) for name in listed]


def _cell(one: Series, place: int) -> str:
    """A number, with its interval if it has one: `24 (19 to 27)`."""
    value = _number(one.values[place])
    if not one.spans:
        return value
    low, high = (_number(round(edge, 1)) for edge in one.spans[place])
    return f"{value} ({low} to {high})"


def _n(value: float) -> str:
    """A coordinate with one place after the point at most."""
    return f"{value:.1f}".removesuffix(".0")


def _number(value: float) -> str:
    """A number as people write it: `1,250` or `0.5`."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


@cache
def style() -> str:
    """The style sheet, without comments and needless space."""
    path = files("course_pkg.widgets").joinpath("static", "charts.css")
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", text)).replace(";}", "}").strip()
