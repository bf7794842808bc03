"""The saved forms: complete, the same each time, small, and without anything of this machine."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from course_pkg.widgets.inspector import bundle
from course_pkg.wire import STEPS, Recorder
from course_pkg.wire.recorder import Payload

MAX_STATIC_BYTES = 40_000


class RawTexts(HTMLParser):
    """Collects the text of each `<pre class="raw">`."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "pre" and ("class", "raw") in attrs:
            self._inside = True
            self.texts.append("")

    def handle_endtag(self, tag):
        self._inside = self._inside and tag != "pre"

    def handle_data(self, data):
        if self._inside:
            self.texts[-1] += data


def html_of(recording, **settings) -> str:
    return bundle(recording.recorder, **settings)["text/html"]


def text_of(recording) -> str:
    return bundle(recording.recorder)["text/plain"]


def test_the_static_form_of_a_usual_run_is_under_40_kb(three_turns):
    assert len(html_of(three_turns).encode()) < MAX_STATIC_BYTES


def test_the_static_form_has_no_script(three_turns):
    assert "<script" not in html_of(three_turns)


def test_the_live_form_ends_with_the_same_markup_and_a_script(three_turns):
    static, scripted = html_of(three_turns), html_of(three_turns, script=True)

    assert scripted.startswith(static.removesuffix("</div>") + "<script>")
    assert "export default" not in scripted


def test_raw_texts_are_the_payloads_character_by_character(three_turns):
    parser = RawTexts()
    parser.feed(html_of(three_turns))

    assert parser.texts == [frame.text for frame in three_turns.frames]


def test_two_recordings_of_the_same_conversation_give_the_same_bytes(recording, three_turns):
    times = iter(range(1000))
    other = type(recording)(clock=lambda: next(times) * 1.37)
    for frame in three_turns.frames:
        headers = (*frame.headers, ("date", "another day"), ("x-stainless-os", "another"))
        other.recorder.add(payload_like(frame, headers, other.frames))

    assert bundle(other.recorder) == bundle(three_turns.recorder)


def payload_like(frame, headers, frames):
    from course_pkg.wire.recorder import Payload

    return Payload(
        wire=frame.wire,
        direction=frame.direction,
        label=frame.label,
        body=frame.body,
        headers=headers,
        status=frame.status,
        request=frames[frame.request.number - 1] if frame.request else None,
    )


@pytest.mark.parametrize("told", ["127.0.0.1", "2026", "uvicorn", "Python 3", "sk" + "-abcdefgh"])
def test_nothing_that_differs_between_runs_is_in_the_saved_forms(three_turns, told):
    forms = bundle(three_turns.recorder)

    assert told not in forms["text/html"]
    assert told not in forms["text/plain"]


def test_headers_that_teach_are_kept_and_keys_are_hidden(three_turns):
    assert "<b>authorization</b>: (hidden)" in html_of(three_turns)
    assert "<b>content-type</b>: application/json" in html_of(three_turns)


def test_reached_steps_are_lit(recording):
    recording.asked({"role": "user", "content": "Hi"}, tools=recording.tools)

    html = html_of(recording)
    assert html.count('<li class="on">') == 2
    assert all(step.name in html for step in STEPS)


def test_a_result_has_the_colour_of_its_call(three_turns):
    html = html_of(three_turns)

    assert set(re.findall(r'<span class="(k\d)">"call_b2"</span>', html)) == {"k1"}
    assert set(re.findall(r'<span class="(k\d)">"call_c3"</span>', html)) == {"k2"}


def test_arguments_are_decoded_below_their_raw_form(three_turns):
    text = text_of(three_turns)

    assert r'"arguments": "{\"expression\": \"(3 + 4) * 2\"}"' in text
    assert '↳ decoded: {"expression": "(3 + 4) * 2"}' in text


def test_the_text_has_a_block_for_each_frame(three_turns):
    blocks = re.findall(r"^#\d+  .*", text_of(three_turns), re.MULTILINE)

    assert blocks[1] == (
        '#2  3 Decide | model | ← received | 200 · tool_calls · get_weather(city="北京", '
        'unit="celsius"), calculate(expression="(3 + 4) * 2") | 476 B | 612 + 25 tokens'
    )
    assert len(blocks) == 12


def test_added_lines_have_a_plus_in_the_text(three_turns):
    assert re.search(r'^    \+ +"tool_call_id": "call_a1",$', text_of(three_turns), re.MULTILINE)


def test_an_empty_recording_says_that_nothing_crossed(recording):
    assert "Nothing crossed a wire here" in html_of(recording)
    assert "Nothing crossed a wire here" in text_of(recording)


def test_a_long_text_is_folded_and_a_longer_one_is_cut_with_a_sentence(recording):
    recording.asked({"role": "user", "content": "a" * 5_000})
    recording.asked({"role": "user", "content": "b" * 200_000})

    html = html_of(recording)
    assert "show all 5,000 characters" in html
    assert re.search(r"Cut here: 180,\d\d\d more characters. In Python, <code>frames\[1\]", html)
    assert len(html) < 120_000


def test_a_streamed_answer_keeps_its_events_as_they_came(recording):
    body = b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'
    request = recording.asked({"role": "user", "content": "Hi"})
    recording.received(body, request, headers=(("content-type", "text/event-stream"),))

    assert "2 events, as they came" in html_of(recording)
    assert 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]' in html_of(recording)


def test_a_list_of_frames_can_be_shown_too(three_turns):
    assert bundle(list(three_turns.frames)) == bundle(three_turns.recorder)


def test_many_frames_stay_bounded_in_the_text(recording):
    for number in range(100):
        recording.asked({"role": "user", "content": f"{number} " + json.dumps("x" * 3_000)})

    assert "And 40 frames more." in text_of(recording)
    assert len(text_of(recording)) < 100_000


def test_a_recorder_that_goes_on_shows_what_is_new_and_compares_it_with_what_was() -> None:
    recorder = Recorder()
    first = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
    second = {"model": "m", "messages": [*first["messages"], {"role": "user", "content": "Again"}]}
    for payload in (first, second):
        body = json.dumps(payload).encode()
        recorder.add(Payload(wire="model", direction="sent", label="POST /v1", body=body))

    text = bundle(recorder, since=1)["text/plain"]

    assert "1 frame" in text
    assert "Message 2 added, the rest as before" in text
