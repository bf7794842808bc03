"""Whatever a payload holds, it stays text: no markup, no hidden characters, no exception."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_pkg.widgets.html_form import body, item_parts
from course_pkg.widgets.inspector import bundle
from course_pkg.widgets.reading import read
from course_pkg.widgets.visible import UNSEEN, visible
from course_pkg.wire import Recorder
from course_pkg.wire.recorder import Payload

OUR_TAGS = {
    *("div", "style", "ol", "ul", "li", "details", "summary", "span", "b", "i", "p", "pre"),
    *("bdi", "mark", "samp", "em", "code"),
}
OUR_ATTRIBUTES = {"class", "style", "data-w", "data-d", "data-l", "open"}
OUR_STYLE = re.compile(r"--d:\d+")
HOSTILE = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "</script></details></pre></style><svg onload=window.hacked=1>",
    '"><a href="javascript:window.hacked=1">x</a>',
    "' onmouseover='window.hacked=1",
    "&lt;script&gt;&#60;script>",
    "<!--", "]]>", "<![CDATA[", "${alert(1)}", "`",
    "\u202egnp.exe\u202c\u2066\u200b\ufeff\u2028\x00\x1b[31m",
    "\ud800",
)  # fmt: skip


class Tags(HTMLParser):
    """Collects tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += attrs

    def handle_comment(self, data):
        self.tags["comment"] += 1

    def handle_decl(self, decl):
        self.tags["declaration"] += 1

    unknown_decl = handle_decl
    handle_pi = handle_decl


def assert_inert(html: str) -> None:
    parser = Tags()
    parser.feed(html)
    parser.close()
    assert set(parser.tags) <= OUR_TAGS
    assert {name for name, _ in parser.attributes} <= OUR_ATTRIBUTES
    styles = [value for name, value in parser.attributes if name == "style"]
    assert all(OUR_STYLE.fullmatch(value or "") for value in styles)


def forms_of(*payloads: Payload) -> dict[str, str]:
    recorder = Recorder(clock=lambda: 0.0)
    request = None
    for payload in payloads:
        answered = request if payload.direction == "received" else None
        given = {**vars(payload), "request": answered}
        frame = recorder.add(Payload(**given))
        request = frame if payload.direction == "sent" else request
    return bundle(recorder)


def assert_safe(forms: dict[str, str]) -> None:
    assert_inert(forms["text/html"])
    for form in forms.values():
        assert not UNSEEN.search(form)
        form.encode("utf-8")


def dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert_wherever_it_stands(text):
    call = {"id": text, "type": "function", "function": {"name": text, "arguments": text}}
    tool = {"type": "function", "function": {"name": text, "description": text}}
    messages = [{"role": text, "content": text, text: text}, {"tool_calls": [call]}]
    request = {"messages": messages, "tools": [tool], text: text}
    answer = {"choices": [{"message": {"tool_calls": [call]}, "finish_reason": text}]}
    headers = (("content-type", text), (text, text), ("accept", text))

    forms = forms_of(
        Payload(wire="model", direction="sent", label=text, body=dumped(request), headers=headers),
        Payload(wire="model", direction="received", label=text, body=dumped(answer), error=text),
        Payload(wire="local", direction="sent", label=text, body=dumped({"name": text})),
        Payload(wire=text, direction="received", label=text, body=text.encode("utf-8", "replace")),  # type: ignore[arg-type]
    )

    assert_safe(forms)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_title_is_inert(text):
    assert_safe(bundle(Recorder(), title=text))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_headers_are_inert_in_the_live_view_which_shows_all(text):
    recorder = Recorder()
    headers = ((text, text),)
    recorder.add(Payload(wire="model", direction="sent", label="POST /", headers=headers))

    [row] = read(recorder.frames)[0]

    assert_inert(body(row, saved=False) + "".join(item_parts(row, time="0.1 s")))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(HOSTILE),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.text(max_size=5)
        | st.sampled_from(["messages", "tools", "choices", "message", "role", "function", "usage"])
        | st.sampled_from(["tool_calls", "id", "tool_call_id", "arguments", "name", "delta"]),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip
BODIES = JSON.map(dumped) | st.binary(max_size=200) | st.text().map(
    lambda text: text.encode("utf-8", "replace")
)  # fmt: skip
HEADERS = st.sampled_from(
    [(), (("content-type", "text/event-stream"),), (("content-encoding", "gzip"),)]
)
PAYLOADS = st.builds(
    Payload,
    wire=st.sampled_from(["model", "mcp", "sidecar", "local"]),
    direction=st.sampled_from(["sent", "received"]),
    label=st.text(max_size=20),
    body=BODIES,
    headers=HEADERS,
    status=st.sampled_from([None, 200, 400]),
    error=st.sampled_from(["", *HOSTILE]),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PAYLOADS, max_size=5))
def test_no_payload_raises_or_becomes_markup(payloads):
    assert_safe(forms_of(*payloads))


@given(st.text(alphabet=st.characters()))
def test_visible_text_means_the_same_json(text):
    quoted = json.dumps(text, ensure_ascii=False)

    assert json.loads(visible(quoted)) == text


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def within(start: bytes, end: bytes, levels: int) -> bytes:
    return start * levels + b"1" + end * levels


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe" * 1_000,
        nested(2_000),
        nested(900),
        nested(400),
        within(b'{"messages":', b"}", 2_000),
        within(b'{"a":', b"}", 450),
        b'{"messages":[{"role":"user","content":' + nested(300) + b"}]}",
        b'{"messages":[{"role":' + nested(300) + b'}],"tools":{"a":1}}',
        b'{"choices":[{"message":{"tool_calls":[3,{"id":1,"function":{"name":[]}}]}}]}',
        b'{"usage":{"prompt_tokens":true,"completion_tokens":-1},"choices":{}}',
        rb'{"messages":[{"role":"user","content":"\ud800"}],"\udfff":["\ud83d"]}',
        b"9" * 5_000,
        b"[1e999,NaN,-Infinity]",
        b"x" * 1_000_000,
        dumped({"a": "<" * 1_000_000}),
        dumped(list(range(200_000))),
        dumped({f"k{number}": {} for number in range(50_000)}),
    ],
    ids=lambda content: f"{content[:16]!r}-{len(content)}",
)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_odd_bodies_are_shown_bounded_and_never_raise(content, kind):
    tool_last = dumped({"messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]})
    headers = (("content-type", kind),)

    forms = forms_of(
        Payload(wire="model", direction="sent", label="POST /", body=content),
        Payload(wire="model", direction="sent", label="POST /", body=tool_last),
        Payload(wire="model", direction="received", label="200", body=content, headers=headers),
        Payload(wire="local", direction="received", label="returned", body=content),
    )

    assert_safe(forms)
    assert len(forms["text/html"]) < 700_000
    assert len(forms["text/plain"]) < 150_000


def test_unseen_characters_are_made_visible(recording):
    recording.asked({"role": "user", "content": "gnp\u202eexe\u200b"})

    forms = bundle(recording.recorder)
    assert r"gnp<em>\u202e</em>exe<em>\u200b</em>" in forms["text/html"]
    assert r"gnp\u202eexe\u200b" in forms["text/plain"]
