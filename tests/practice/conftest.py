"""A running practice model, clients for it, and the course's tools as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from course_pkg.practice import PracticeServer
from course_pkg.practice.mind import decide

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def practice() -> Iterator[PracticeServer]:
    """One server for all tests: it keeps no state."""
    with PracticeServer() as server:
        yield server


@pytest.fixture
def client(practice: PracticeServer) -> Iterator[openai.OpenAI]:
    """The real client."""
    with openai.OpenAI(base_url=practice.base_url, api_key="any", max_retries=0) as made:
        yield made


@pytest.fixture
def post(practice: PracticeServer) -> Iterator[Callable[..., httpx2.Response]]:
    """Send a body as it is: `post(body)`, `post(content=b"...")`."""
    headers = {"authorization": "Bearer any"}
    with httpx2.Client(base_url=practice.base_url, headers=headers, timeout=10) as made:

        def send(body: Any = None, **options: Any) -> httpx2.Response:
            options = options or {"json": body}
            return made.post("/chat/completions", **options)

        yield send


@pytest.fixture(scope="session")
def tools() -> list[dict[str, Any]]:
    """The five course tools, well described."""
    made: list[dict[str, Any]] = json.loads((HERE / "tools.json").read_text(encoding="utf-8"))
    return made


@pytest.fixture(scope="session")
def requests() -> list[dict[str, Any]]:
    """Natural requests with the calls that are right for them."""
    made: list[dict[str, Any]] = json.loads((HERE / "requests.json").read_text(encoding="utf-8"))
    return made


@pytest.fixture
def body(tools: list[dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A request body: `body("What is 2 + 2?", stream=True)`."""

    def make(text: str = "What's the weather in Paris?", **more: Any) -> dict[str, Any]:
        messages = [{"role": "user", "content": text}]
        return {"model": "practice", "messages": messages, "tools": tools} | more

    return make


class Talk:
    """A conversation in which a plain function stands for the tools."""

    def __init__(self, tools: Sequence[dict[str, Any]], run: Callable[..., str]) -> None:
        self.tools = list(tools)
        self.run = run
        self.messages: list[dict[str, Any]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def ask(self, text: str, **more: Any) -> str:
        """Say something, run what is called until there is an answer, and give that."""
        self.messages.append({"role": "user", "content": text})
        for turn in range(8):
            body = {"model": "practice", "messages": self.messages, "tools": self.tools} | more
            decision = decide(body)
            if not decision.calls:
                self.messages.append({"role": "assistant", "content": decision.text})
                return decision.text
            self.answer(turn, decision.calls)
        raise AssertionError(f"no answer after 8 turns: {self.calls}")

    def answer(self, turn: int, calls: Sequence[Any]) -> None:
        ids = [f"call_{len(self.messages)}_{turn}_{place}" for place in range(len(calls))]
        written = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call_id, call in zip(ids, calls, strict=True)
        ]
        self.messages.append({"role": "assistant", "content": None, "tool_calls": written})
        for call_id, call in zip(ids, calls, strict=True):
            self.calls.append((call.name, dict(call.arguments)))
            result = self.run(call.name, **call.arguments)
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": result})


@pytest.fixture
def talk(tools: list[dict[str, Any]]) -> Callable[..., Talk]:
    """Start a conversation: `talk(run)`, where `run(name, **arguments)` gives a result's text."""

    def start(run: Callable[..., str], tools: Sequence[dict[str, Any]] = tools) -> Talk:
        return Talk(tools, run)

    return start


@pytest.fixture
def define() -> Callable[..., dict[str, Any]]:
    """Write a tool definition: `define("get_tide", "Get ...", port={"type": "string"})`."""

    def make(
        tool: str, about: str, required: Sequence[str] | None = None, **properties: Any
    ) -> dict[str, Any]:
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties if required is None else required),
            "additionalProperties": False,
        }
        function = {"name": tool, "description": about, "parameters": schema}
        return {"type": "function", "function": function}

    return make


@pytest.fixture
def calls_for(tools: list[dict[str, Any]]) -> Callable[..., list[tuple[str, dict[str, Any]]]]:
    """The calls that a request leads to: `calls_for("weather in Paris", tools)`."""

    def ask(text: str, offered: Sequence[dict[str, Any]] = tools, **more: Any) -> Any:
        messages = [{"role": "user", "content": text}]
        decision = decide({"messages": messages, "tools": list(offered)} | more)
        return [(call.name, dict(call.arguments)) for call in decision.calls]

    return ask
