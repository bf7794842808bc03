"""Charts: the drawing, the table and the plain text say the same, and no text becomes markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.widgets.charts import (
    MAX_SERIES,
    Chart,
    ChartError,
    Series,
    bar_chart,
    line_chart,
)
from course_pkg.widgets.visible import UNSEEN

LABELS = ("all good", "vague names")
RIGHT = Series(name="right", values=(29, 7.5), spans=((25.0, 29.8), (4.2, 12.0)))
VALID = Series(name="valid", values=(30, 8))
TAGS = {"div", "style", "p", "b", "i", "svg", "path", "rect"} | {
    *("table", "thead", "tbody", "tr", "th", "td", "em")
}
HOSTILE = (
    "<script>window.hacked=1</script>",
    "</title></svg><img src=x onerror=window.hacked=1>",
    "</style><style>*{display:none}",
    "' onload='window.hacked=1",
    "\u202egnp.exe\u2066\u200b\ud800",
)


def bars(*labels: str, title: str = "Counts", series: Any = (RIGHT, VALID)) -> Chart:
    return bar_chart(title, labels or LABELS, series, highest=30, unit="of 30")


def lines(title: str = "Sizes") -> Chart:
    series = [Series(name="good", values=(800, 3_800, 19_551)), Series(name="b", values=(1, 2, 3))]
    return line_chart(title, (1, 5, 50), series, highest=20_000, unit="bytes", along="tools")


class Page(HTMLParser):
    """What a browser would find: tags, attributes, and the text of table cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag in ("td", "th"):
            self.inside = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def test_the_table_has_each_label_once_and_each_number_with_its_interval() -> None:
    assert [cell for cell in Page(bars().html).cells if cell] == [
        *("all good", "right", "29 (25 to 29.8)", "valid", "30"),
        *("vague names", "right", "7.5 (4.2 to 12)", "valid", "8"),
    ]


def test_one_series_needs_no_name_beside_each_bar() -> None:
    assert [cell for cell in Page(bars(series=[VALID]).html).cells if cell] == [
        *("all good", "30"),
        *("vague names", "8"),
    ]


def test_the_plain_text_says_the_same_as_the_table() -> None:
    chart = bars()

    assert all(cell in chart.text for cell in Page(chart.html).cells)
    assert chart.text.splitlines()[0] == "Counts (of 30)"


@pytest.mark.parametrize("chart", [bars(), lines()], ids=["bars", "lines"])
def test_drawings_hold_no_text_so_a_page_that_may_not_draw_has_nothing_left_of_them(
    chart: Chart,
) -> None:
    drawings = re.findall(r"<svg.*?</svg>", chart.html)

    assert drawings
    assert not any(re.sub(r"<[^>]*>", "", drawing) for drawing in drawings)


def test_the_numbers_on_the_scales_are_written_by_the_style_sheet_alone() -> None:
    scales = re.findall(r'<i class="([xy])" style="[^"]*" data-n="([^"]*)"></i>', lines().html)

    assert [number for kind, number in scales if kind == "x"] == ["1", "5", "50"]
    assert [number for kind, number in scales if kind == "y"][-1] == "20,000"
    assert "content: attr(data-n)" in lines().html


def test_a_bar_is_as_long_as_its_number() -> None:
    widths = [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)"', bars().html)]

    assert widths[0] / widths[1] == pytest.approx(29 / 30, abs=0.001)


def test_lines_have_their_positions_in_the_table_and_in_the_text() -> None:
    chart = lines()

    assert Page(chart.html).cells == [
        *("tools", "1", "5", "50"),
        *("good", "800", "3,800", "19,551"),
        *("b", "1", "2", "3"),
    ]
    assert "tools: 50\n  good  █████████████████████████████ 19,551" in chart.text


def test_each_line_has_a_shape_of_its_own_besides_its_colour() -> None:
    assert {"s0", "s1"} <= set(re.findall(r'class="l (s\d)"', lines().html))


@pytest.mark.parametrize("chart", [bars, lines])
def test_the_same_numbers_give_the_same_bytes(chart: Any) -> None:
    assert (chart().html, chart().text) == (chart().html, chart().text)


def test_a_cell_shows_both_forms() -> None:
    chart = bars()

    assert chart._repr_mimebundle_() == {"text/html": chart.html, "text/plain": chart.text}
    assert repr(chart) == chart.text


@pytest.mark.parametrize("chart", [bars(), lines()], ids=["bars", "lines"])
def test_a_chart_has_no_script_and_asks_nobody_for_anything(chart: Chart) -> None:
    page = Page(chart.html)

    assert page.tags <= TAGS
    assert not re.search(r"url\(|@import|https?:|on\w+=", chart.html)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(text: str) -> None:
    series = [Series(name=text, values=(1, 2))]
    plain = Page(bars(series=[Series(name="x", values=(1, 2))]).html)

    chart = bar_chart(text, (text, "b"), series, highest=3, unit=text)

    page = Page(chart.html)
    assert page.tags - {"em"} == plain.tags
    assert page.attributes == plain.attributes


@given(text=st.text())
def test_any_text_is_shown_without_unseen_characters(text: str) -> None:
    chart = bar_chart(text, [text], [Series(name=text, values=[1])], highest=1)

    assert not UNSEEN.search(chart.html + chart.text)
    assert (chart.html + chart.text).encode("utf-8")


@pytest.mark.parametrize("value", [0, 1, 30])
def test_the_ends_of_the_scale_can_be_drawn(value: int) -> None:
    assert f">{value}<" in bars("one", series=[Series(name="n", values=[value])]).html


@pytest.mark.parametrize(
    ("labels", "series", "reason"),
    [
        ((), [], "0 labels and 0 series"),
        (("a",), [Series(name="n", values=[1])] * (MAX_SERIES + 1), "5 series"),
        (("a", "b"), [Series(name="n", values=[1])], "'n' has 1 values"),
        (("a",), [Series(name="n", values=[1], spans=[(0, 1), (0, 1)])], "2 spans"),
        (("a",), [Series(name="n", values=[31])], "not from 0 to 30"),
        (("a",), [Series(name="n", values=[-1])], "not from 0 to 30"),
        (("a",), [Series(name="n", values=[float("nan")])], "not from 0 to 30"),
        (("a",), [Series(name="n", values=[1], spans=[(0, 31)])], "not from 0 to 30"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(
    labels: Any, series: Any, reason: str
) -> None:
    with pytest.raises(ChartError, match=reason):
        bar_chart("Counts", labels, series, highest=30)


@pytest.mark.parametrize("positions", [(5, 1), (1, 1), (-1, 2), (0,)])
def test_positions_ascend_from_zero_or_more(positions: Any) -> None:
    series = [Series(name="n", values=[1] * len(positions))]

    with pytest.raises(ChartError, match="do not ascend"):
        line_chart("Sizes", positions, series, highest=2)


def test_colours_come_from_the_theme_of_the_page() -> None:
    assert "var(--jp-content-font-color1" in bars().html
    assert "color-scheme: light dark" in bars().html
