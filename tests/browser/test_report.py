"""The report of the capstone in JupyterLab."""

from __future__ import annotations

import pytest

TOOLS = """\
def get_repair(ticket):
    return "<img src=x onerror=window.hacked=1>"
toolbox = [get_repair]"""
CELL = "from course_pkg.lessons.capstone import review\nreview(toolbox)"
BOX = ".tcr"
#: From here on, words of this size are easy to read on their ground (WCAG 2.2, 1.4.3).
MIN_CONTRAST = 4.5

CONTRAST = """box => {
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = colour => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1); return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const light = colour => rgb(colour).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = light(getComputedStyle(box).backgroundColor);
  return [...box.querySelectorAll('p, b, i, dt, dd, li, code, summary')].map(part => {
    const word = light(getComputedStyle(part).color);
    return (Math.max(word, ground) + 0.05) / (Math.min(word, ground) + 0.05); });
}"""


@pytest.fixture
def shown(open_notebook):
    """A notebook with the report of one poor tool in it."""
    notebook = open_notebook("report.ipynb", [TOOLS, CELL])
    notebook.run_all()
    notebook.find(BOX).first.wait_for(timeout=60_000)
    return notebook


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out_from_their_ground_in_light_and_dark(shown, *, dark: bool) -> None:
    shown.set_theme(dark=dark)
    contrasts = shown.find(BOX).first.evaluate(CONTRAST)
    shown.set_theme(dark=False)

    assert min(contrasts) >= MIN_CONTRAST


def test_what_a_tool_returns_stays_a_text(shown) -> None:
    assert shown.find(f"{BOX} img").count() == 0
    assert shown.page.evaluate("() => window.hacked") is None


def test_a_failed_section_is_open_and_a_key_closes_it(shown) -> None:
    section = shown.find(f"{BOX} details").nth(1)
    was = section.evaluate("one => one.open")
    section.locator("> summary").focus()
    shown.page.keyboard.press("Enter")

    assert (was, section.evaluate("one => one.open")) == (True, False)


def test_it_is_there_without_a_kernel_and_fits_a_narrow_window(shown) -> None:
    shown.save()
    shown.shut_down()
    shown.open(kernel=False)
    box = shown.find(BOX).first
    box.wait_for()
    shown.page.set_viewport_size({"width": 620, "height": 900})
    wide = box.evaluate("one => one.scrollWidth > one.clientWidth + 1")
    shown.page.set_viewport_size({"width": 1280, "height": 900})

    assert not wide
