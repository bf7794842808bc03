"""Recordings to look at, made without a network."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from course_pkg.wire import Frame, Recorder
from course_pkg.wire.recorder import Payload

ASKED = (
    ("host", "127.0.0.1:41233"),
    ("authorization", "Bearer sk" + "-abcdefgh12345678"),
    ("content-type", "application/json"),
    ("user-agent", "OpenAI/Python 3.57.0"),
)
ANSWERED = (
    ("content-type", "application/json"),
    ("date", "Mon, 30 Nov 2026 16:00:00 GMT"),
    ("server", "uvicorn"),
)
QUESTION = {"role": "user", "content": "What is the weather in 北京?"}


def tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    """A tool definition in which every argument is required."""
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


TOOLS = [
    tool(
        "get_weather",
        "Get the present weather in a city: temperature, sky and wind.",
        city={"type": "string", "description": "The city's name in English or Chinese."},
        unit={"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
    ),
    tool(
        "search_docs",
        "Search the pages of this course and give back the best matches with their titles.",
        query={"type": "string", "description": "Words to look for."},
        num_results={"type": "integer", "default": 3, "minimum": 1, "maximum": 10},
    ),
    tool(
        "calculate",
        "Work out an arithmetic expression.",
        expression={"type": "string", "description": "For example (3 + 4) * 2."},
    ),
    tool(
        "read_file",
        "Read a text file from the sample folder.",
        path={"type": "string", "description": "The path inside the sample folder."},
    ),
    tool(
        "send_message",
        "Send a message to a person. It cannot be taken back.",
        to={"type": "string", "description": "Who gets it."},
        content={"type": "string", "description": "What to say."},
        urgent={"type": "boolean", "default": False},
    ),
]


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool call as a model writes it."""
    text = json.dumps(arguments, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def result(call_id: str, content: str) -> dict[str, Any]:
    """A tool message."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def calling(*calls: Any) -> dict[str, Any]:
    """An assistant message with calls."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


class Recording:
    """Makes frames as the taps make them, and what goes into them."""

    tools = TOOLS
    call = staticmethod(call)
    calling = staticmethod(calling)
    result = staticmethod(result)

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.recorder = Recorder(clock=clock)

    @property
    def frames(self) -> tuple[Frame, ...]:
        return self.recorder.frames

    def sent(self, body: Any, **more: Any) -> Frame:
        """A request to a model; `body` is bytes, or a JSON value."""
        given = {"wire": "model", "label": "POST /v1/chat/completions", "headers": ASKED} | more
        return self.recorder.add(Payload(direction="sent", body=_bytes(body), **given))

    def asked(self, *messages: Any, **more: Any) -> Frame:
        """A request with these messages."""
        return self.sent({"model": "practice", "messages": list(messages)} | more)

    def received(self, body: Any, request: Frame | None = None, **more: Any) -> Frame:
        """An answer of a model."""
        given = {"wire": "model", "label": "200", "status": 200, "headers": ANSWERED} | more
        payload = Payload(direction="received", body=_bytes(body), request=request, **given)
        return self.recorder.add(payload)

    def said(self, message: Any, request: Frame, reason: str = "stop") -> Frame:
        """An answer with this message."""
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 612, "completion_tokens": 25, "total_tokens": 637}
        body = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}
        return self.received(body | {"usage": usage}, request)

    def ran(self, name: str, arguments: Any, value: Any) -> None:
        """A tool's run in this process."""
        body = {"name": name, "arguments": arguments}
        request = self.sent(body, wire="local", label=name, headers=())
        self.received(value, request, wire="local", label="returned", status=None, headers=())


def record_three_turns(recording: Recording) -> Recording:
    """The usual run: two calls at once, one more, the answer."""
    weather = {"city": "北京", "temperature": 21.5, "unit": "celsius", "sky": "晴", "wind_kmh": 12}
    system = {"role": "system", "content": "You are a helpful assistant. Use tools when they help."}
    messages = [system, QUESTION]
    first = calling(
        call("call_a1", "get_weather", city="北京", unit="celsius"),
        call("call_b2", "calculate", expression="(3 + 4) * 2"),
    )
    recording.said(first, recording.asked(*messages, tools=TOOLS), "tool_calls")
    recording.ran("get_weather", {"city": "北京", "unit": "celsius"}, weather)
    recording.ran("calculate", {"expression": "(3 + 4) * 2"}, 14)
    told = result("call_a1", json.dumps(weather, ensure_ascii=False))
    messages = [*messages, first, told, result("call_b2", "14")]
    second = calling(call("call_c3", "send_message", to="Ana", content="21.5 °C", urgent=False))
    recording.said(second, recording.asked(*messages, tools=TOOLS), "tool_calls")
    recording.ran("send_message", {"to": "Ana", "content": "21.5 °C", "urgent": False}, "sent")
    messages = [*messages, second, result("call_c3", "sent")]
    answer = {"role": "assistant", "content": "It is 21.5 °C and sunny in 北京. Ana knows."}
    recording.said(answer, recording.asked(*messages, tools=TOOLS))
    return recording


@pytest.fixture
def recording() -> Recording:
    """A recording with no frames yet."""
    return Recording()


@pytest.fixture
def three_turns() -> Recording:
    """A usual run: 12 frames, 5 tools."""
    return record_three_turns(Recording())


def _bytes(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
