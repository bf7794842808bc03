"""Draw bars and lines that need no script: for a notebook, a code host, a screen reader.

In: labels and numbers. Out: a `Chart` that a cell shows by itself, as HTML with an SVG drawing and
a table, and as plain text of the same. The same numbers give the same bytes. Every text comes in
through `markup`, as the inside of an element. Knows nothing of what is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from course_pkg.widgets.visible import cut, markup, visible

#: More series than colours would not be told apart.
MAX_SERIES = 4
MAX_LABELS = 40
#: A longer label is cut in the drawing; the table has all of it.
LABEL_CHARS = 31

#: Sizes in the drawing's own units; it scales to the width that there is.
WIDTH, LEFT, RIGHT = 680, 216, 64
BAR, BAR_GAP, GROUP_GAP = 14, 3, 12
PLOT_HEIGHT, PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_BOTTOM = 240, 64, 24, 14, 44
TICKS = 5

#: A bar of the plain text has so many characters at most.
TEXT_BAR = 30

MARKERS = ("circle", "square", "diamond", "triangle")


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
        html: self-contained markup, without a script.
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
    svg = "".join(_bars(labels, series, highest))
    height = len(labels) * _group_height(series) + 2
    return _chart(title, labels, series, unit, _svg(title, height, svg), highest)


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
    svg = "".join(_lines(positions, series, highest, along))
    height = PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM
    return _chart(title, labels, series, unit, _svg(title, height, svg), highest)


# --- the drawing of bars --------------------------------------------------------------------------


def _group_height(series: Sequence[Series]) -> int:
    return len(series) * (BAR + BAR_GAP) + GROUP_GAP


def _bars(labels: Sequence[str], series: Sequence[Series], highest: float) -> Iterator[str]:
    scale = (WIDTH - LEFT - RIGHT) / highest
    height = _group_height(series)
    yield f'<path class="g" d="M{LEFT} 0V{len(labels) * height}"/>'
    for place, label in enumerate(labels):
        top = place * height + GROUP_GAP / 2
        middle = top + (height - GROUP_GAP) / 2 + 4
        yield _text(LEFT - 10, middle, cut(label, LABEL_CHARS), "e")
        for number, one in enumerate(series):
            yield _bar(top + number * (BAR + BAR_GAP), one, place, number, scale)


def _bar(top: float, one: Series, place: int, number: int, scale: float) -> str:
    value = one.values[place]
    width = value * scale
    drawn = (
        f'<rect class="f{number}" x="{LEFT}" y="{_n(top)}" width="{_n(width)}" height="{BAR}"'
        ' rx="2"/>'
    )
    end = width
    if one.spans:
        low, high = (edge * scale for edge in one.spans[place])
        drawn += _whisker(LEFT + low, LEFT + high, top + BAR / 2)
        end = max(width, high)
    return drawn + _text(LEFT + end + 6, top + BAR - 3, _number(value), "")


def _whisker(low: float, high: float, y: float) -> str:
    ends = "".join(f"M{_n(x)} {_n(y - 4)}v8" for x in (low, high))
    return f'<path class="i" d="M{_n(low)} {_n(y)}H{_n(high)}{ends}"/>'


# --- the drawing of lines -------------------------------------------------------------------------


def _lines(
    positions: Sequence[float], series: Sequence[Series], highest: float, along: str
) -> Iterator[str]:
    across = (WIDTH - PLOT_LEFT - PLOT_RIGHT) / positions[-1]
    up = PLOT_HEIGHT / highest
    floor = PLOT_TOP + PLOT_HEIGHT
    for tick in range(TICKS + 1):
        value = highest * tick / TICKS
        y = floor - value * up
        yield f'<path class="g" d="M{PLOT_LEFT} {_n(y)}H{WIDTH - PLOT_RIGHT}"/>'
        yield _text(PLOT_LEFT - 8, y + 4, _number(value), "e d")
    for position in positions:
        yield _text(PLOT_LEFT + position * across, floor + 18, _number(position), "m d")
    yield _text((PLOT_LEFT + WIDTH - PLOT_RIGHT) / 2, floor + 38, along, "m d")
    for number, one in enumerate(series):
        points = [
            (PLOT_LEFT + position * across, floor - value * up)
            for position, value in zip(positions, one.values, strict=True)
        ]
        yield _line(points, number)


def _line(points: Sequence[tuple[float, float]], number: int) -> str:
    path = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
    drawn = f'<path class="l s{number}" d="M{path}"/>'
    return drawn + "".join(_marker(x, y, number) for x, y in points)


def _marker(x: float, y: float, number: int) -> str:
    """A shape of its own for each series: colour alone does not tell everybody enough."""
    paths = {
        "circle": f"M{_n(x - 4.5)} {_n(y)}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0",
        "square": f"M{_n(x - 4)} {_n(y - 4)}h8v8h-8z",
        "diamond": f"M{_n(x)} {_n(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
        "triangle": f"M{_n(x)} {_n(y - 5)}l5 9h-10z",
    }
    return f'<path class="f{number}" d="{paths[MARKERS[number]]}"/>'


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


def _chart(
    title: str,
    labels: Sequence[str],
    series: Sequence[Series],
    unit: str,
    svg: str,
    highest: float,
) -> Chart:
    table = _table(labels, series)
    legend = _legend(series)
    what = f" <span>({markup(unit)})</span>" if unit else ""
    html = (
        f'<div class="tcc"><style>{style()}</style><p><b>{markup(title)}</b>{what}</p>'
        f"{legend}{svg}<details><summary>The same as a table</summary>{table}</details></div>"
    )
    return Chart(html=html, text=visible("\n".join(_plain(title, labels, series, unit, highest))))


def _svg(title: str, height: float, inner: str) -> str:
    # The title is an element, not an attribute: nothing of it can become markup.
    return (
        f'<svg viewBox="0 0 {WIDTH} {_n(height)}" role="img"><title>{markup(title)}</title>'
        f"{inner}</svg>"
    )


def _legend(series: Sequence[Series]) -> str:
    items = "".join(
        f'<span style="white-space:nowrap"><svg viewBox="0 0 12 12" aria-hidden="true" '
        f'style="display:inline-block;width:12px;height:12px">{_marker(6, 6, number)}</svg> '
        f"{markup(one.name)} &nbsp; </span>"
        for number, one in enumerate(series)
    )
    return f"<p>{items}</p>"


def _table(labels: Sequence[str], series: Sequence[Series]) -> str:
    head = "".join(f"<th>{markup(one.name)}</th>" for one in series)
    rows = "".join(
        f"<tr><td>{markup(label)}</td>"
        + "".join(f"<td>{markup(_cell(one, place))}</td>" for one in series)
        + "</tr>"
        for place, label in enumerate(labels)
    )
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _plain(
    title: str, labels: Sequence[str], series: Sequence[Series], unit: str, highest: float
) -> Iterator[str]:
    yield f"{title} ({unit})" if unit else title
    names = _padded([one.name for one in series])
    for place, label in enumerate(labels):
        yield ""
        yield label
        for name, one in zip(names, series, strict=True):
            filled = "█" * round(one.values[place] / highest * TEXT_BAR)
            yield f"  {name}  {filled} {_cell(one, place)}"


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


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" class="{kind}">{markup(text)}</text>'


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
