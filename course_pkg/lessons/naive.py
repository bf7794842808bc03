"""The bad example: a loop as it is often copied. It works as long as nothing goes wrong.

In: a question, tools, and a service. Out: whatever it returns or raises. Nothing here is to be
used: lesson 07 runs it beside the course's own loop, on the same failures. Its mistakes are those
of published code, and they are marked.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from course_pkg.tools import Tool, Toolbox, run_watched

if TYPE_CHECKING:
    import httpx2

#: The one thing that was added: without it some failures would never end.
SAFETY_STOP = 8


class NeverEndsError(RuntimeError):
    """The loop was still going round at the safety stop."""


async def naive_loop(
    question: str, tools: Toolbox, http: httpx2.AsyncClient, model: str, **options: Any
) -> Any:
    """Ask, run the calls, ask again, with the mistakes of much-copied code.

    Args:
        question: what the user asks.
        tools: what the model may call.
        http: a client whose base is the service's address.
        model: the model's name.
        options: more fields of each request.

    Raises:
        NeverEndsError: at the safety stop.
        Exception: whatever an unexpected reply leads to.
    """
    messages: list[Any] = [{"role": "user", "content": question}]
    body = {"model": model, "messages": messages, "tools": tools.definitions(), **options}
    for _ in range(SAFETY_STOP):
        response = await http.post("chat/completions", json=body)  # the status is not looked at
        reply = _joined(response.text) if options.get("stream") else response.json()
        choice = reply["choices"][0]
        if choice["finish_reason"] != "tool_calls":  # the reason is believed, the calls are not
            return choice["message"]["content"]
        messages.append(choice["message"])
        for call in choice["message"]["tool_calls"]:
            tool = tools[call["function"]["name"]]  # the name is taken as it is
            arguments = json.loads(call["function"]["arguments"])  # outside the error handling
            try:
                result = await _run(tool, arguments)  # nothing is checked
            except Exception as error:
                result = f"Error: {error}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": str(result)})
    raise NeverEndsError(f"It was stopped from outside after {SAFETY_STOP} requests.")


async def _run(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    async def proceed() -> Any:
        value = tool(**arguments)
        return await value if inspect.isawaitable(value) else value

    return await run_watched(tool, arguments, proceed)  # so that the inspector sees it


def _joined(stream: str) -> dict[str, Any]:
    """A stream's pieces, put together by their index alone, as much-copied code does."""
    text, reason = "", None
    calls: dict[int, Any] = {}
    for line in stream.splitlines():
        if not line.startswith("data: ") or line == "data: [DONE]":
            continue
        choice = json.loads(line.removeprefix("data: "))["choices"][0]
        text += choice["delta"].get("content") or ""
        for piece in choice["delta"].get("tool_calls") or ():
            if piece["index"] in calls:
                function = calls[piece["index"]]["function"]
                function["arguments"] += piece["function"]["arguments"]
            else:
                calls[piece["index"]] = piece
        reason = choice["finish_reason"] or reason
    message = {"role": "assistant", "content": text, "tool_calls": list(calls.values())}
    return {"choices": [{"message": message, "finish_reason": reason}]}
