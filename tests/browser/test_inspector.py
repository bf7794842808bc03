"""The inspector in JupyterLab, as a learner sees it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

SETUP = """
import asyncio, json, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from course_pkg.widgets import inspect, show
from course_pkg.wire import Recorder
from course_pkg.wire.recorder import Payload
from openai import OpenAI

class OneAnswer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        last = asked["messages"][-1]
        arguments = json.dumps({"city": "北京"}, ensure_ascii=False)
        function = {"name": "get_weather", "arguments": arguments}
        call = {"id": "call_1", "type": "function", "function": function}
        calls = {"role": "assistant", "content": None, "tool_calls": [call]}
        answer = {"role": "assistant", "content": "It is 21 °C."}
        final = last["role"] == "tool"
        choice = {"index": 0, "message": answer if final else calls,
                  "finish_reason": "stop" if final else "tool_calls"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        body = json.dumps({"id": "chatcmpl-1", "object": "chat.completion", "created": 0,
                           "model": "m", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *values):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), OneAnswer)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1"
client = OpenAI(base_url=url, api_key="sk" + "-never-shown-12345678")
question = {"role": "user", "content": "What is the weather in 北京? It's <b>'quoted'</b> $HOME"}
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
function = {"name": "get_weather", "description": "Weather.", "parameters": parameters}
tools = [{"type": "function", "function": function}]

def ask(*messages):
    return client.chat.completions.create(model="m", messages=list(messages), tools=tools)

def two_turns():
    calls = ask(question).choices[0].message.model_dump(exclude_none=True)
    return ask(question, calls, {"role": "tool", "tool_call_id": "call_1", "content": "21 °C"})
"""
RUN = """
with inspect("Weather") as recorder:
    two_turns()
"""
BROKEN = """
with inspect("Broken") as recorder:
    two_turns()
    call = {"id": "\\u202e", "type": "function", "function": {"name": "f", "arguments": "{"}}
    message = {"role": "assistant", "tool_calls": [call], "content": "long " * 1_000}
    body = json.dumps({"choices": [{"message": message}], "error": None}).encode()
    recorder.add(Payload(wire="model", direction="received", label="200", body=body))
    recorder.add(Payload(wire="model", direction="received", label="no answer", error="Refused"))
"""
BLOCKING = """
with inspect("Blocking") as recorder:
    two_turns()
    time.sleep(5)
"""
WAITING = """
with inspect("Waiting") as recorder:
    two_turns()
    await asyncio.sleep(8)
"""
HOSTILE = """
texts = [
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "</script></details></pre></style><svg onload=window.hacked=1>",
    '"><a href="javascript:window.hacked=1">x</a>',
    "\\u202egnp.exe",
]
with inspect(texts[1]) as recorder:
    for text in texts:
        message = {"role": text, "content": text, text: text}
        body = json.dumps({"messages": [message]}, ensure_ascii=False).encode()
        recorder.add(Payload(wire="model", direction="sent", label=text, body=body,
                             headers=((text, text), ("accept", text))))
        recorder.add(Payload(wire="model", direction="received", label="502", status=502,
                             body=text.encode()))
    time.sleep(4)
"""
MANY = """
import random
def add_many(recorder):
    for number in range(100):
        size = 200_000 if number == 50 else 600
        body = json.dumps({"messages": [{"role": "user", "content": "x" * size}], "n": number})
        recorder.add(Payload(wire="model", direction="sent", label="POST /v1/chat/completions",
                             body=body.encode()))

with inspect("Warm") as recorder:
    recorder.add(Payload(wire="model", direction="sent", label="warm"))
    await asyncio.sleep(2)
"""
ADD_MANY = """
with inspect("Many") as recorder:
    await asyncio.sleep(2)
    add_many(recorder)
    await asyncio.sleep(4)
"""
ROWS = ".tci .rows>li"
SUMMARY = f"{ROWS}>details>summary"


@pytest.fixture
def weather(open_notebook):
    """A notebook whose last cell holds the saved form of two turns: 4 frames."""
    notebook = open_notebook("weather.ipynb", [SETUP, RUN])
    notebook.run_all()
    notebook.find(SUMMARY).nth(3).wait_for()
    notebook.find(".tci .bar").wait_for()
    return notebook


def status(notebook) -> str:
    return notebook.find(".tci [role=status]").last.inner_text()


def clipboard(notebook) -> str:
    notebook.page.wait_for_timeout(200)
    return notebook.page.evaluate("navigator.clipboard.readText()")


def copied(notebook, row: int, label: str) -> str:
    details = notebook.find(f"{ROWS}>details").nth(row)
    if details.get_attribute("open") is None:
        details.locator("summary").first.click()
    details.get_by_role("button", name=label).click()
    return clipboard(notebook)


def test_rows_appear_while_a_blocking_cell_still_runs(open_notebook):
    notebook = open_notebook("blocking.ipynb", [SETUP, BLOCKING])
    notebook.start_all()

    notebook.find(SUMMARY).nth(3).wait_for(timeout=60_000)

    assert notebook.find(".jp-InputPrompt").last.inner_text() == "[*]:"
    assert "get_weather" in notebook.find(SUMMARY).nth(1).inner_text()


def test_rows_that_were_opened_while_an_awaiting_cell_ran_stay_open_in_the_saved_form(
    open_notebook,
):
    notebook = open_notebook("waiting.ipynb", [SETUP, WAITING])
    notebook.start_all()
    notebook.find(SUMMARY).nth(3).wait_for(timeout=60_000)
    notebook.find(SUMMARY).nth(1).click()
    notebook.find("pre").get_by_text("decoded").wait_for()
    assert notebook.find(".jp-InputPrompt").last.inner_text() == "[*]:"

    notebook.wait_idle()
    notebook.find(".jp-RenderedHTML .bar").wait_for()

    assert notebook.find(f"{ROWS}>details[open]").count() == 1
    assert notebook.find("details[open] pre").get_by_text("decoded").is_visible()


def test_the_saved_notebook_holds_plain_html_and_text_and_no_widget(weather):
    saved = weather.save()

    [output] = saved.cells[1].outputs
    assert set(output) == {"output_type", "data", "metadata"}
    assert output.output_type == "display_data"
    assert set(output.data) == {"text/html", "text/plain"}
    assert "widgets" not in saved.metadata


def test_a_row_opens_by_keyboard_and_the_notebook_does_not_hear_the_keys(weather):
    cells = weather.find(".jp-Cell").count()
    weather.find(".tci .bar button").last.focus()
    weather.page.keyboard.press("Tab")

    for key in ("Enter", "ArrowDown", "Space", "d", "d", "b", "m"):
        weather.page.keyboard.press(key)

    opened = weather.find(f"{ROWS}>details").evaluate_all("all => all.map(one => one.open)")
    assert opened == [True, True, False, False]
    assert weather.find(".jp-Cell").count() == cells


def test_the_keys_for_saving_reach_the_notebook_from_within_the_inspector(weather):
    before = weather.path.stat().st_mtime_ns
    weather.find(SUMMARY).first.focus()

    weather.page.keyboard.press("Control+s")
    weather.page.wait_for_timeout(2_000)

    assert weather.path.stat().st_mtime_ns != before


def test_the_static_form_opens_by_keyboard_without_a_script(open_notebook):
    static = "import os\nos.environ['COURSE_WIDGETS'] = 'static'"
    notebook = open_notebook("static.ipynb", [static, SETUP, RUN])
    notebook.run_all()
    notebook.find(SUMMARY).nth(3).wait_for()

    for row, key in enumerate(("Enter", "Space")):
        notebook.find(SUMMARY).nth(row).focus()
        notebook.page.keyboard.press(key)

    assert notebook.find(f"{ROWS}>details[open]").count() == 2
    assert notebook.find(".tci .bar").count() == 0


def test_home_and_end_go_to_the_first_and_the_last_row(weather):
    weather.find(SUMMARY).first.focus()

    weather.page.keyboard.press("End")

    assert weather.find(SUMMARY).last.evaluate("one => one === document.activeElement")


def test_filters_show_the_rows_that_fit_and_typing_changes_no_cell(weather):
    cells = weather.find(".jp-Cell").count()
    weather.find(".bar input").press_sequentially("21 °C ddb")
    weather.page.wait_for_timeout(400)
    assert status(weather) == "0 of 4 frames shown"

    weather.find(".bar input").fill("21 °C")
    weather.page.wait_for_timeout(400)
    assert status(weather) == "2 of 4 frames shown"
    weather.find(".bar select").last.select_option("received")

    assert status(weather) == "1 of 4 frames shown"
    assert weather.find(f"{ROWS}:visible").count() == 1
    assert weather.find(".jp-Cell").count() == cells


def test_copied_json_is_the_payload_that_crossed(weather):
    text = copied(weather, 0, "Copy JSON")

    assert json.loads(text)["messages"][0]["content"].endswith("<b>'quoted'</b> $HOME")
    assert status(weather) == "Copied."


@pytest.mark.skipif(shutil.which("bash") is None, reason="There is no bash.")
def test_the_copied_curl_command_sends_the_same_payload_and_holds_no_key(weather):
    payload = copied(weather, 0, "Copy JSON")
    command = copied(weather, 0, "Copy as curl")

    asked = {"PATH": os.environ["PATH"], "OPENAI_BASE_URL": "http://host/v1", "OPENAI_API_KEY": "k"}
    script = f'curl() {{ printf "%s\\0" "$@"; }}\n{command}'
    run = subprocess.run(["bash", "-c", script], env=asked, capture_output=True, check=True)
    arguments = run.stdout.decode("utf-8").split("\0")

    assert payload in arguments
    assert "http://host/v1/chat/completions" in arguments
    assert "Authorization: Bearer k" in arguments
    assert "sk-never" not in command


def test_the_copied_python_sends_the_same_payload_and_holds_no_key(weather):
    payload = copied(weather, 0, "Copy JSON")
    code = copied(weather, 0, "Copy as Python")
    listening = (
        "import openai\nopenai.OpenAI.post = lambda self, path, body, **more: [path, body]\n"
    )

    run = subprocess.run(
        [
            sys.executable,
            "-c",
            listening + code.replace("print(answer)", "print(json.dumps(answer))"),
        ],
        env=os.environ | {"OPENAI_BASE_URL": "http://host/v1", "OPENAI_API_KEY": "k"},
        capture_output=True,
        check=True,
    )

    assert json.loads(run.stdout) == ["/chat/completions", json.loads(payload)]
    assert "sk-never" not in code


def test_all_rows_expand_and_collapse(weather):
    weather.find("button:text('Expand all')").click()
    assert weather.find(f"{ROWS}>details[open]").count() == 4

    weather.find("button:text('Collapse all')").click()

    assert weather.find(f"{ROWS}>details[open]").count() == 0


def test_frames_are_exported_as_json(weather):
    with weather.page.expect_download() as download:
        weather.find("button:text('Export JSON')").click()

    frames = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert [frame["direction"] for frame in frames] == ["sent", "received"] * 2
    assert json.loads(frames[0]["text"])["tools"][0]["function"]["name"] == "get_weather"


CONTRAST = """(root) => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, under) => top.slice(0, 3).map(
    (part, i) => part * top[3] / 255 + under[i] * (1 - top[3] / 255));
  const light = (colour) => colour.map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement)
      layers.unshift(rgba(getComputedStyle(one).backgroundColor));
    return layers.reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const low = [];
  for (const element of root.querySelectorAll('*')) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility() || element.tagName === 'STYLE') continue;
    const under = ground(element);
    const [a, b] = [light(over(rgba(getComputedStyle(element).color), under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return low;
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_has_enough_contrast_in_both_themes(open_notebook, dark):
    notebook = open_notebook("colours.ipynb", [SETUP, BROKEN])
    notebook.run_all()
    notebook.find(".jp-RenderedHTML .bar").wait_for()
    notebook.set_theme(dark=dark)
    notebook.find("button:text('Expand all')").click()
    notebook.find("details").evaluate_all("all => all.forEach(one => { one.open = true })")

    low = notebook.find(".tci").evaluate(CONTRAST)
    background = notebook.find(".tci").evaluate("one => getComputedStyle(one).backgroundColor")
    notebook.set_theme(dark=False)

    assert low == []
    assert (max(map(int, re.findall(r"\d+", background)[:3])) < 60) is dark


def test_after_a_reload_without_kernel_the_saved_form_is_there_and_works(weather):
    weather.save()
    weather.shut_down()

    weather.open(kernel=False)
    weather.find(SUMMARY).nth(1).click()
    weather.find(".bar input").fill("get_weather(city")
    weather.page.wait_for_timeout(400)

    assert weather.find("details[open] pre").get_by_text("decoded").is_visible()
    assert status(weather) == "1 of 4 frames shown"


def test_a_notebook_that_is_not_trusted_shows_plain_details(weather, lab, open_notebook):
    saved = weather.save()
    saved.metadata["from_elsewhere"] = True
    saved.cells[1].source += "\n# changed"
    html = saved.cells[1].outputs[0].data["text/html"]
    saved.cells[1].outputs[0].data["text/html"] = html.replace("Weather.", "Weather!")
    (lab.root / "copy.ipynb").write_text(json.dumps(saved), encoding="utf-8")

    notebook = open_notebook("copy.ipynb")
    details = notebook.find(".jp-OutputArea-output details").first
    details.locator("summary").first.click()

    assert "The first request: 1 message and 1 tool." in details.inner_text()
    assert notebook.find(".bar").count() == 0
    assert notebook.find(".jp-OutputArea-output style").count() == 0


def test_hostile_payloads_stay_text_live_and_saved(open_notebook):
    notebook = open_notebook("hostile.ipynb", [SETUP, HOSTILE])
    notebook.start_all()
    notebook.find(SUMMARY).nth(9).wait_for(timeout=60_000)
    for _form in ("live", "saved"):
        notebook.find("button:text('Expand all')").click()
        notebook.find("details").evaluate_all("all => all.forEach(one => { one.open = true })")
        notebook.page.wait_for_timeout(500)
        assert notebook.find(".tci :is(script, img, svg, a, iframe)").count() in (0, 1)
        notebook.wait_idle()
        notebook.find(".jp-RenderedHTML .bar").wait_for()

    assert notebook.find(".tci :is(img, svg, a, iframe)").count() == 0
    assert notebook.page.evaluate("window.hacked") is None
    assert notebook.browsing.dialogs == []


TIMER = """() => {
  window.times = {};
  const look = () => {
    const views = [...document.querySelectorAll('.tci')];
    const many = views.find((view) => view.querySelector('.ti').textContent.includes('Many'));
    const rows = many?.querySelectorAll('.rows>li').length ?? 0;
    if (rows > 0) window.times.first ??= performance.now();
    if (rows >= 100 && !window.times.last)
      requestAnimationFrame(() => setTimeout(() => { window.times.last ??= performance.now(); }));
  };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
}"""


def test_a_hundred_frames_with_one_of_200_kb_are_added_in_under_a_second(
    open_notebook, record_property
):
    notebook = open_notebook("many.ipynb", [SETUP, MANY, ADD_MANY])
    notebook.page.evaluate(TIMER)
    notebook.start_all()
    notebook.page.wait_for_function("() => window.times.last", timeout=90_000)

    took_ms = notebook.page.evaluate("() => window.times.last - window.times.first")

    record_property("took_ms", took_ms)
    assert took_ms < 1_000
