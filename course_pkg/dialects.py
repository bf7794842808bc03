"""One definition, one call, one result, in the forms of four interfaces; and back.

In: a `Tool`'s facts, a `ToolCall`, a `ToolResult`. Out: the JSON that each interface wants, and the
same values again from that JSON. Pure functions. Knows nothing of clients or wires.

Sources of the forms: the reference pages of Chat Completions, Responses and Anthropic Messages, and
the Model Context Protocol's schema (2025-11-25). Only what concerns tools is covered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from course_pkg.tools import JSONSchema, Tool, ToolCall, ToolResult

JSON: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a model is told about a tool, whatever the interface."""

    name: str
    description: str
    input_schema: JSONSchema = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one interface writes the three things, and how they are read back.

    Attributes:
        name: the interface.
        arguments_are: `a JSON string` or `a JSON object`.
        write_definition: what is sent about a tool.
        write_call: the model's request to run it. Arguments must be a JSON object.
        write_result: what goes back.
        read_definition: the inverse of `write_definition`.
        read_call: the inverse of `write_call`.
        read_result: the inverse of `write_result`: the call's id and the text, and whether it is
            an error where the interface says so.
    """

    name: str
    arguments_are: str
    write_definition: Callable[[Definition], JSON]
    write_call: Callable[[ToolCall], JSON]
    write_result: Callable[[ToolResult], JSON]
    read_definition: Callable[[JSON], Definition]
    read_call: Callable[[JSON], ToolCall]
    read_result: Callable[[JSON], ToolResult]


def definition_of(tool: Tool) -> Definition:
    """The facts about a tool that every interface sends."""
    return Definition(name=tool.name, description=tool.description, input_schema=tool.input_schema)


def side_by_side(tool: Tool, call: ToolCall, result: ToolResult) -> dict[str, dict[str, JSON]]:
    """The same definition, call and result in every dialect.

    Args:
        tool: a tool.
        call: a call of it.
        result: what came of the call.

    Returns:
        For each dialect's name: `definition`, `call` and `result`.
    """
    return {
        dialect.name: {
            "definition": dialect.write_definition(definition_of(tool)),
            "call": dialect.write_call(call),
            "result": dialect.write_result(result),
        }
        for dialect in DIALECTS
    }


def _definition(found: Mapping[str, Any], schema_key: str) -> Definition:
    return Definition(
        name=found["name"],
        description=found["description"],
        input_schema=found[schema_key],
    )


def _chat_definition(definition: Definition) -> JSON:
    return {"type": "function", "function": _named(definition, "parameters")}


def _named(definition: Definition, schema_key: str) -> JSON:
    return {
        "name": definition.name,
        "description": definition.description,
        schema_key: dict(definition.input_schema),
    }


def _chat_call(call: ToolCall) -> JSON:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _chat_call_back(found: JSON) -> ToolCall:
    return ToolCall(id=found["id"], **found["function"])


def _chat_result(result: ToolResult) -> JSON:
    return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}


def _responses_definition(definition: Definition) -> JSON:
    # This interface is strict unless told otherwise; the others are not.
    return {"type": "function", **_named(definition, "parameters"), "strict": False}


def _responses_call(call: ToolCall) -> JSON:
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }


def _responses_result(result: ToolResult) -> JSON:
    return {"type": "function_call_output", "call_id": result.call_id, "output": result.text}


def _anthropic_call(call: ToolCall) -> JSON:
    arguments = json.loads(call.arguments)
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}


def _anthropic_call_back(found: JSON) -> ToolCall:
    return ToolCall(id=found["id"], name=found["name"], arguments=_text(found["input"]))


def _anthropic_result(result: ToolResult) -> JSON:
    return {
        "type": "tool_result",
        "tool_use_id": result.call_id,
        "content": result.text,
        "is_error": result.is_error,
    }


def _anthropic_result_back(found: JSON) -> ToolResult:
    return ToolResult(
        call_id=found["tool_use_id"], text=found["content"], is_error=found["is_error"]
    )


def _mcp_call(call: ToolCall) -> JSON:
    params = {"name": call.name, "arguments": json.loads(call.arguments)}
    return {"jsonrpc": "2.0", "id": call.id, "method": "tools/call", "params": params}


def _mcp_call_back(found: JSON) -> ToolCall:
    params = found["params"]
    return ToolCall(id=found["id"], name=params["name"], arguments=_text(params["arguments"]))


def _mcp_result(result: ToolResult) -> JSON:
    content = [{"type": "text", "text": result.text}]
    outcome = {"content": content, "isError": result.is_error}
    return {"jsonrpc": "2.0", "id": result.call_id, "result": outcome}


def _mcp_result_back(found: JSON) -> ToolResult:
    texts = [block["text"] for block in found["result"]["content"] if block["type"] == "text"]
    return ToolResult(
        call_id=found["id"], text="\n".join(texts), is_error=found["result"]["isError"]
    )


def _text(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False)


CHAT_COMPLETIONS = Dialect(
    name="Chat Completions",
    arguments_are="a JSON string",
    write_definition=_chat_definition,
    write_call=_chat_call,
    write_result=_chat_result,
    read_definition=lambda found: _definition(found["function"], "parameters"),
    read_call=_chat_call_back,
    read_result=lambda found: ToolResult(call_id=found["tool_call_id"], text=found["content"]),
)

RESPONSES = Dialect(
    name="Responses",
    arguments_are="a JSON string",
    write_definition=_responses_definition,
    write_call=_responses_call,
    write_result=_responses_result,
    read_definition=lambda found: _definition(found, "parameters"),
    read_call=lambda found: ToolCall(
        id=found["call_id"], name=found["name"], arguments=found["arguments"]
    ),
    read_result=lambda found: ToolResult(call_id=found["call_id"], text=found["output"]),
)

ANTHROPIC = Dialect(
    name="Anthropic Messages",
    arguments_are="a JSON object",
    write_definition=lambda definition: _named(definition, "input_schema"),
    write_call=_anthropic_call,
    write_result=_anthropic_result,
    read_definition=lambda found: _definition(found, "input_schema"),
    read_call=_anthropic_call_back,
    read_result=_anthropic_result_back,
)

MCP = Dialect(
    name="MCP",
    arguments_are="a JSON object",
    write_definition=lambda definition: _named(definition, "inputSchema"),
    write_call=_mcp_call,
    write_result=_mcp_result,
    read_definition=lambda found: _definition(found, "inputSchema"),
    read_call=_mcp_call_back,
    read_result=_mcp_result_back,
)

DIALECTS = (CHAT_COMPLETIONS, RESPONSES, ANTHROPIC, MCP)
