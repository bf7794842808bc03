"""Recordings beside each other: each in full, once styled, inert."""

from __future__ import annotations

from course_pkg import Recorder
from course_pkg.widgets.beside import beside
from course_pkg.wire.recorder import Payload

HOSTILE = "</div><script>window.hacked=1</script><img src=x onerror=alert(1)>\u202e"
WIRES = ("local", "mcp", "sidecar")


def recording(wire: str, text: str = "word_count") -> Recorder:
    recorder = Recorder(clock=lambda: 0.0)
    body = f'{{"name": "{text}"}}'.encode()
    recorder.add(Payload(wire=wire, direction="sent", label="tools/call", body=body))  # type: ignore[arg-type]
    return recorder


def test_each_recording_has_its_column_and_its_text() -> None:
    view = beside({f"Over {wire}": recording(wire) for wire in WIRES}, "One request, three wires")

    assert view.html.count('<div class="g">') == 3
    assert [f"Over {wire}: 1 frame" in view.text for wire in WIRES] == [True] * 3
    assert view.text.startswith("One request, three wires")


def test_the_inspectors_style_comes_once() -> None:
    view = beside({wire: recording(wire) for wire in WIRES})

    assert view.html.count("<style>") == 2  # the boxes' own, and the inspector's


def test_titles_and_payloads_are_inert() -> None:
    view = beside({HOSTILE: recording("mcp", HOSTILE.replace('"', ""))}, HOSTILE)

    assert "<script" not in view.html
    assert "<img" not in view.html
    assert "\u202e" not in view.text


def test_frames_can_be_given_in_place_of_a_recorder() -> None:
    recorder = recording("local")

    assert beside({"a": recorder.frames}).text == beside({"a": recorder}).text
