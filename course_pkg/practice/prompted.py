"""Use tools that are described in the system prompt, and write calls as text.

In: a request without `tools`. Out: a `Decision` that is nothing but text, or `None` if the messages
speak of no tools. Any language model does this when its prompt says how: what an API calls
`tool_calls` is made of such text, on a server. The mind decides as always; only what it reads and
what it says is put into other words here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course_pkg.practice.completion import Decision, PlannedCall
from course_pkg.practice.fault import MODEL
from course_pkg.practice.mind import decide
from course_pkg.practice.rules import refusal_of
from course_pkg.practice.words import as_text
from course_pkg.text_calls import FORMATS, Format, call_in_words, parse_text
from course_pkg.text_calls.parsed import TextCall
from course_pkg.tools import ToolCall

#: One tool as `<use_mcp_tool>` prompts describe it: two lines.
_SECTION = re.compile(
    r"^(?P<name>[A-Za-z0-9_-]{1,64}): (?P<description>.*)\nInput schema: (?P<schema>\{.*\})$",
    re.MULTILINE,
)
_SERVER = re.compile(r"<server_name>\s*([^<>]{1,200}?)\s*</server_name>")
_ASK_FOR_JSON = "nothing but a JSON object"

_CLOSE_RESULT = "</tool_response>"


@dataclass(frozen=True, kw_only=True)
class Described:
    """What a system prompt says of tools.

    Attributes:
        tools: their definitions.
        form: the format in which the model is to write its calls.
        server: the name of the MCP server, where the format has one.
    """

    tools: Sequence[Mapping[str, Any]] = ()
    form: Format = "hermes"
    server: str = ""


def decide_in_words(body: Mapping[str, Any]) -> Decision | None:
    """What to say next where the messages, and not the field `tools`, speak of tools.

    Args:
        body: a request that breaks no rule.

    Returns:
        The words, calls among them in the format of the prompt; `None` if this is no such request.
    """
    if body.get("tools"):
        return None
    described = described_in(body["messages"])
    messages = with_calls(body["messages"], described.tools)
    if not described.tools and messages == body["messages"]:
        return None
    decision = decide({**body, "messages": messages, "tools": described.tools})
    # A reply that is one bare JSON object has room for one call.
    calls = decision.calls[:1] if described.form == "bare_json" else decision.calls
    text = "\n".join(_written(call, described) for call in calls)
    return Decision(text=text) if calls else decision


def described_in(messages: Sequence[Mapping[str, Any]]) -> Described:
    """The tools that the system messages describe, and how they are to be called."""
    said = [message for message in messages if message["role"] in ("system", "developer")]
    text = "\n".join(as_text(message.get("content")) for message in said)
    tools = [tool for tool in (*_lines(text), *_sections(text)) if _is_definition(tool)]
    form = _form(text)
    if not tools or form is None:
        return Described()
    server = _SERVER.search(text)
    return Described(tools=tools, form=form, server=server[1] if server else "")


def with_calls(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The messages with calls and results in their own fields, as the mind reads them.

    Args:
        messages: messages in which calls and results stand as text.
        tools: the tools that the calls are to.
    """
    found: list[Mapping[str, Any]] = []
    waiting: Sequence[TextCall] = ()
    for position, message in enumerate(messages):
        text = as_text(message.get("content"))
        results = list(_results(text, waiting)) if message["role"] == "user" else []
        if results:
            found[-1] = _calling(found[-1], waiting)
        found += results or [message]
        waiting = _calls(text, tools, position) if message["role"] == "assistant" else ()
    return found


def _lines(text: str) -> Iterator[Mapping[str, Any]]:
    """The definitions that stand each on a line of its own."""
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        yield value


def _is_definition(value: Mapping[str, Any]) -> bool:
    """Whether it would be accepted in the field `tools`. A prompt may hold any other JSON."""
    asked = [{"role": "user", "content": ""}]
    return refusal_of({"model": MODEL, "messages": asked, "tools": [value]}) is None


def _sections(text: str) -> Iterator[Mapping[str, Any]]:
    for found in _SECTION.finditer(text):
        try:
            schema = json.loads(found["schema"])
        except (ValueError, RecursionError):
            continue
        function = {"name": found["name"], "description": found["description"]}
        yield {"type": "function", "function": {**function, "parameters": schema}}


def _form(text: str) -> Format | None:
    """The format that a prompt asks for; `None` if it asks for none that is known here."""
    if "<use_mcp_tool>" in text:
        return "use_mcp_tool"
    if "<function=" in text:
        return "qwen3_coder"
    if "<tool_call>" in text:
        return "hermes"
    return "bare_json" if _ASK_FOR_JSON in text else None


def _calls(text: str, tools: Sequence[Mapping[str, Any]], position: int) -> Sequence[TextCall]:
    formats: list[Format] = [*FORMATS, "bare_json"]
    return parse_text(text, tools, formats=formats, seed=str(position)).calls


def _results(text: str, calls: Sequence[TextCall]) -> Iterator[Mapping[str, Any]]:
    """A tool message for each call, if this text begins with a result; else nothing."""
    openings = [rf"<tool_response>\n|Result of {re.escape(call.name)}:\n" for call in calls]
    if not calls or not re.match(openings[0], text):
        return
    for number, call in enumerate(calls):
        opened = re.match(openings[number], text)
        text = text[opened.end() :] if opened else text
        following = openings[number + 1] if number + 1 < len(calls) else r"\Z"
        end = re.search(rf"(?:^|\n)(?={following})|\Z", text)
        result, text = text[: end.start() if end else None], text[end.end() if end else 0 :]
        content = result.removesuffix(_CLOSE_RESULT).removesuffix("\n")
        yield {"role": "tool", "tool_call_id": call.id, "content": content}


def _calling(message: Mapping[str, Any], calls: Sequence[TextCall]) -> Mapping[str, Any]:
    listed = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in calls
    ]
    return {**message, "content": None, "tool_calls": listed}


def _written(call: PlannedCall, described: Described) -> str:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    made = ToolCall(id="", name=call.name, arguments=arguments)
    return call_in_words(made, described.form, server=described.server)
