"""Describe tools to a model in the words of a format, and write calls and results in it.

In: tools, a call, a result. Out: text for a system prompt or a message. This is what a chat
template does on a server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from course_pkg.text_calls.parsed import Definitions, Format, as_json, schemas_by_name
from course_pkg.tools import Toolbox, ToolCall

HERMES = """\
You can use these tools. Each line describes one, as JSON:
<tools>
{tools}
</tools>
To use a tool, write a JSON object with its name and its arguments between tags, on lines of their \
own:
<tool_call>
{{"name": "the tool's name", "arguments": {{"an argument": "its value"}}}}
</tool_call>
One pair of tags holds one call. Then stop: the result comes in the next message."""

QWEN3_CODER = """\
You can use these tools. Each line describes one, as JSON:
<tools>
{tools}
</tools>
To use a tool, write its call in this form:
<tool_call>
<function=the tool's name>
<parameter=an argument>
its value, as it is, on as many lines as it needs
</parameter>
</function>
</tool_call>
Give every required parameter. Then stop: the result comes in the next message."""

USE_MCP_TOOL = """\
You can use tools of the server {server}:

{tools}

To use a tool, write its call in this form, with the arguments as a JSON object:
<use_mcp_tool>
<server_name>{server}</server_name>
<tool_name>the tool's name</tool_name>
<arguments>
{{"an argument": "its value"}}
</arguments>
</use_mcp_tool>
Then stop: the result comes in the next message."""

BARE_JSON = """\
You can use these tools. Each line describes one, as JSON:
{tools}
To use a tool, answer with nothing but a JSON object with its name and its arguments:
{{"name": "the tool's name", "arguments": {{"an argument": "its value"}}}}
Otherwise answer in words. The result of a tool comes in the next message."""

PROMPTS: Mapping[str, str] = {
    "hermes": HERMES,
    "qwen3_coder": QWEN3_CODER,
    "use_mcp_tool": USE_MCP_TOOL,
    "bare_json": BARE_JSON,
}


def tools_prompt(tools: Definitions, form: Format = "hermes", *, server: str = "course") -> str:
    """The part of a system prompt that describes tools and how to call them.

    Args:
        tools: a toolbox, or definitions in Chat Completions form.
        form: in which format the model is to write its calls.
        server: the name of the server, where the format has one.

    Returns:
        The text; empty without tools.
    """
    listed = tools.definitions() if isinstance(tools, Toolbox) else list(tools)
    if not schemas_by_name(listed):
        return ""
    write: Callable[[Mapping[str, Any]], str] = as_json
    write = _section if form == "use_mcp_tool" else write
    between = "\n\n" if form == "use_mcp_tool" else "\n"
    return PROMPTS[form].format(tools=between.join(map(write, listed)), server=server)


def call_in_words(call: ToolCall, form: Format = "hermes", *, server: str = "course") -> str:
    """A call as a model writes it in a format; `parse_text` reads it again.

    Args:
        call: the call. Its arguments are a JSON object.
        form: the format.
        server: the name of the server, where the format has one.

    Raises:
        ValueError: if the arguments are no JSON object.
    """
    arguments = json.loads(call.arguments)
    if not isinstance(arguments, dict):
        raise ValueError(f"The arguments of {call.name} are no JSON object: {call.arguments!r}.")
    if form == "qwen3_coder":
        inside = "".join(_parameter(name, value) for name, value in arguments.items())
        return f"<tool_call>\n<function={call.name}>\n{inside}</function>\n</tool_call>"
    if form == "use_mcp_tool":
        return (
            f"<use_mcp_tool>\n<server_name>{server}</server_name>\n<tool_name>{call.name}"
            f"</tool_name>\n<arguments>\n{as_json(arguments)}\n</arguments>\n</use_mcp_tool>"
        )
    written = as_json({"name": call.name, "arguments": arguments})
    return written if form == "bare_json" else f"<tool_call>\n{written}\n</tool_call>"


def result_in_words(text: str, form: Format = "hermes", *, name: str = "") -> str:
    """A tool result as the model of a format expects it, for a user message.

    Args:
        text: the result's text.
        form: the format.
        name: the tool's name, where the format tells it.
    """
    if form in ("hermes", "qwen3_coder"):
        return f"<tool_response>\n{text}\n</tool_response>"
    return f"Result of {name or 'the tool'}:\n{text}"


def _parameter(name: str, value: Any) -> str:
    written = value if isinstance(value, str) else as_json(value)
    return f"<parameter={name}>\n{written}\n</parameter>\n"


def _section(definition: Mapping[str, Any]) -> str:
    function = definition["function"]
    schema = as_json(function.get("parameters", {}))
    return f"{function['name']}: {function.get('description', '')}\nInput schema: {schema}"
