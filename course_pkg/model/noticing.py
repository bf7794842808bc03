"""Notice what is odd about a reply that is whole: code words for its `notes`.

In: a reply and the request that it answers. Out: code words. Nothing is changed and no call is made
of a text: an example that a model quotes must not run. To read calls from texts is another module's
work, and only when it is asked to.

| code word | what it means |
|---|---|
| `required_not_honoured` | a call was demanded, and none came, or one of another tool |
| `none_not_honoured` | calls were forbidden, and some came |
| `looks_like_tool_call` | the answer's text is a call that the service's tool parser left there |
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from course_pkg.model.reply import Reply

#: How calls begin in the texts of several model families.
MARKUP = re.compile(
    r"<tool_call>\s*(?:\{|<)|\[TOOL_CALLS\]|<function=[\w.-]+>|<invoke name=|<use_mcp_tool>"
    r"|<\|(?:tool_call|tool_calls_section|python_tag|toolcall)|<｜tool▁calls?▁begin｜>"
    r"|\bto=functions\.|^functools\[\{",
    re.IGNORECASE,
)

#: Fenced blocks and quoted words: what stands in them is shown, not meant.
QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)

#: A reply that is nothing but one fenced block.
FENCED = re.compile(r"```\w*\s*\n(.*)\n\s*```", re.DOTALL)


def notes_on(reply: Reply, body: Mapping[str, Any]) -> tuple[str, ...]:
    """What is odd about a reply, in code words.

    Args:
        reply: the reply.
        body: the payload of the request, as the caller meant it.
    """
    note = _of_choice(reply, body.get("tool_choice"))
    notes = (note,) if note else ()
    if not reply.calls and _looks_like_a_call(reply.text or reply.reasoning, body):
        notes = (*notes, "looks_like_tool_call")
    return notes


def _of_choice(reply: Reply, choice: Any) -> str:
    if choice == "none":
        return "none_not_honoured" if reply.calls else ""
    if choice in (None, "auto") or reply.refused or reply.cut_off:
        return ""
    wanted = _name_in(choice)
    others = [call for call in reply.calls if wanted not in ("", call.name)]
    return "required_not_honoured" if others or not reply.calls else ""


def _name_in(choice: Any) -> str:
    function = choice.get("function") if isinstance(choice, Mapping) else None
    return str(function.get("name") or "") if isinstance(function, Mapping) else ""


def _looks_like_a_call(text: str, body: Mapping[str, Any]) -> bool:
    if not body.get("tools") or not text:
        return False
    if MARKUP.search(QUOTED.sub("", text)):
        return True
    fenced = FENCED.fullmatch(text.strip())
    return _is_one_call(fenced[1] if fenced else text, body["tools"])


def _is_one_call(text: str, tools: Any) -> bool:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    names = [item.get("function", {}).get("name") for item in tools if isinstance(item, Mapping)]
    return value.get("name") in names and bool({"arguments", "parameters"} & value.keys())
