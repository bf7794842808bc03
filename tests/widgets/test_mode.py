"""`COURSE_WIDGETS` says how things are shown."""

from __future__ import annotations

import subprocess
import sys

import pytest

from course_pkg.widgets import ModeError, inspect, show, widget_mode
from course_pkg.wire.recorder import Payload

DEAR = ("anywidget", "ipywidgets", "IPython", "jsonschema", "openai", "traitlets", "httpx2")


@pytest.mark.parametrize(
    ("word", "mode"), [("", "live"), ("live", "live"), (" Static ", "static"), ("static", "static")]
)
def test_a_known_word_is_the_mode(word, mode):
    assert widget_mode({"COURSE_WIDGETS": word}) == mode


def test_without_the_variable_views_are_live():
    assert widget_mode({}) == "live"


def test_an_unknown_word_is_answered_with_the_variable_and_the_known_words():
    with pytest.raises(ModeError, match=r"COURSE_WIDGETS is 'off'.*'live'.*'static'"):
        widget_mode({"COURSE_WIDGETS": "off"})


def test_outside_a_notebook_all_is_recorded_and_nothing_is_shown(capsys):
    with inspect() as recorder:
        recorder.add(Payload(wire="model", direction="sent", label="POST /"))
    show(recorder)

    assert len(recorder.frames) == 1
    assert capsys.readouterr() == ("", "")


def test_an_exception_passes_through_and_the_frames_stay():
    recorded = []

    def fail() -> None:
        with inspect() as recorder:
            recorded.append(recorder)
            recorder.add(Payload(wire="model", direction="sent", label="POST /"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(recorded[0].frames) == 1


def test_importing_the_widgets_imports_nothing_dear():
    code = (
        f"import sys, course_pkg.widgets; print([name for name in {DEAR} if name in sys.modules])"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"
