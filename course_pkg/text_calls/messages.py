"""Make a Chat Completions message of what a model wrote, as an inference server does.

In: text, and the tools of the request. Out: an assistant message with `tool_calls`. This is what
`--tool-call-parser` switches on in a server: the client then sees calls, and never the tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from course_pkg.conversation import Message
from course_pkg.text_calls.parsed import FORMATS, Definitions, Format, TextCall
from course_pkg.text_calls.parsing import parse_text

#: How calls begin in formats of many models. A reply that begins a line so was not parsed.
MARKERS = re.compile(
    r"^\s*(?:<tool_call>|<function=|<use_mcp_tool>|<function_call>|<tool_use>|\[TOOL_CALLS\]|"
    r"<\|python_tag\|>|<\|tool_call|<\|channel\|>|<｜tool▁calls?▁begin｜>)",
    re.MULTILINE,
)
CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)


def as_message(
    text: str,
    tools: Definitions = (),
    *,
    formats: Sequence[Format] = FORMATS,
    seed: str = "",
) -> Message:
    """The assistant message that a server would answer with.

    Thinking goes into `reasoning_content`. A call that could not be read keeps its text as its
    arguments, so that the client tells the model about it.

    Args:
        text: the model's reply.
        tools: the tools of the request, as definitions or a toolbox.
        formats: which formats the server parses.
        seed: goes into the ids: the id of the completion, say.
    """
    parsed = parse_text(text, tools, formats=formats, seed=seed)
    message: Message = {"role": "assistant", "content": parsed.text or None}
    if not parsed.calls:
        message["content"] = parsed.text
    if parsed.thinking:
        message["reasoning_content"] = parsed.thinking
    if parsed.calls:
        message["tool_calls"] = [_wire_call(call) for call in parsed.calls]
    return message


def looks_like_call(text: str, tools: Definitions = ()) -> bool:
    """Whether an answer looks like a call that nobody parsed: then the server lacks a parser.

    Args:
        text: an answer's words.
        tools: the tools that were on offer.
    """
    if parse_text(text, tools, formats=(*FORMATS, "bare_json")).calls:
        return True
    return bool(MARKERS.search(CODE.sub("", text)))


def _wire_call(call: TextCall) -> dict[str, Any]:
    function = {"name": call.name or "unreadable_call", "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}
