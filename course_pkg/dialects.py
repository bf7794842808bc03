"""One definition, one call, one result, one choice, in the forms of four interfaces; and back.

In: a `Tool`'s facts, a `ToolCall`, a `ToolResult`, a `Choice`. Out: the JSON that each interface
wants, and the same values again from that JSON. Pure functions. Knows nothing of clients or wires.

Sources of the forms: the reference pages of Chat Completions, Responses and Anthropic Messages, and
the Model Context Protocol's schema (2025-11-25). Only what concerns tools is covered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from course_pkg.tools import JSONSchema, Tool, ToolCall, ToolResult

JSON: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a model is told about a tool, whatever the interface."""

    name: str
    description: str
    input_schema: JSONSchema = field(repr=False)


class ToolChoiceError(ValueError):
    """A choice that cannot be written, or not be understood. The text says why."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which tools the model may, must or must not call, whatever the interface.

    Attributes:
        mode: `auto`: as it likes; `none`: no call; `required`: at least one; `named`: this one.
        name: the tool's name with `named`; else empty.
    """

    mode: Literal["auto", "none", "required", "named"]
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one interface writes the four things, and how they are read back.

    Attributes:
        name: the interface.
        arguments_are: `a JSON string` or `a JSON object`.
        write_definition: what is sent about a tool.
        write_call: the model's request to run it. Arguments must be a JSON object.
        write_result: what goes back.
        write_choice: what is sent about who decides on calls. For MCP it is the form of a server's
            request for an answer (sampling), which cannot name a tool.
        read_definition: the inverse of `write_definition`.
        read_call: the inverse of `write_call`.
        read_result: the inverse of `write_result`: the call's id and the text, and whether it is
            an error where the interface says so.
        read_choice: the inverse of `write_choice`.
    """

    name: str
    arguments_are: str
    write_definition: Callable[[Definition], JSON]
    write_call: Callable[[ToolCall], JSON]
    write_result: Callable[[ToolResult], JSON]
    write_choice: Callable[[Choice], JSON | str]
    read_definition: Callable[[JSON], Definition]
    read_call: Callable[[JSON], ToolCall]
    read_result: Callable[[JSON], ToolResult]
    read_choice: Callable[[Any], Choice]


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


def choice_of(written: Any, names: Collection[str]) -> Choice:
    """The choice that is meant, in whichever interface's words it is written.

    Understood are `auto`, `none`, `required`, `any`, a tool's bare name, and the objects of all
    dialects.

    Args:
        written: a choice in any form.
        names: the tools on offer.

    Raises:
        ToolChoiceError: if it is no choice, or names a tool that is not on offer.
    """
    choice = _choice(written) or _choice_by_name(written)
    if choice.mode == "named" and choice.name not in names:
        raise ToolChoiceError(
            f"tool_choice names the unknown tool {choice.name!r}. "
            f"Tools on offer: {', '.join(names) or 'none'}."
        )
    return choice


#: The words of all interfaces for the same three modes.
_MODES: Mapping[str, Choice] = {
    "auto": Choice(mode="auto"),
    "none": Choice(mode="none"),
    "required": Choice(mode="required"),
    "any": Choice(mode="required"),
}


def _choice(written: Any) -> Choice | None:
    """A choice by its word, or by an object with a word or a name in it."""
    if isinstance(written, str):
        return _MODES.get(written)
    if not isinstance(written, Mapping):
        return None
    inner = written.get("function")
    named = inner if isinstance(inner, Mapping) else written
    if written.get("type") in ("function", "tool") and isinstance(named.get("name"), str):
        return Choice(mode="named", name=named["name"])
    word = written.get("type", written.get("mode"))
    return _MODES.get(word) if isinstance(word, str) else None


def _choice_by_name(written: Any) -> Choice:
    if isinstance(written, str) and written:
        return Choice(mode="named", name=written)
    raise ToolChoiceError(
        f"{written!r} is no tool_choice. Use 'auto', 'none', 'required' or the name of a tool."
    )


def _read_choice(written: Any) -> Choice:
    found = _choice(written)
    if found is None:
        raise ToolChoiceError(f"{written!r} is no tool_choice.")
    return found


def _chat_choice(choice: Choice) -> JSON | str:
    named = {"type": "function", "function": {"name": choice.name}}
    return named if choice.mode == "named" else choice.mode


def _responses_choice(choice: Choice) -> JSON | str:
    named = {"type": "function", "name": choice.name}
    return named if choice.mode == "named" else choice.mode


def _anthropic_choice(choice: Choice) -> JSON:
    if choice.mode == "named":
        return {"type": "tool", "name": choice.name}
    return {"type": "any" if choice.mode == "required" else choice.mode}


def _mcp_choice(choice: Choice) -> JSON:
    if choice.mode == "named":
        raise ToolChoiceError(
            f"MCP cannot demand the tool {choice.name!r}: its modes are auto, none and required. "
            "Use 'required', and offer this tool only."
        )
    return {"mode": choice.mode}


def _definition(found: Mapping[str, Any], schema_key: str) -> Definition:
    return Definition(
        name=found["name"],
        description=found.get("description") or "",
        input_schema=found.get(schema_key) or {"type": "object", "properties": {}},
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
    function = found["function"]
    return ToolCall(id=found["id"], name=function["name"], arguments=function["arguments"])


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
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": _object_in(call)}


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
        call_id=found["tool_use_id"],
        text=_plain_text(found.get("content")),
        is_error=bool(found.get("is_error")),
    )


def _mcp_call(call: ToolCall) -> JSON:
    params = {"name": call.name, "arguments": _object_in(call)}
    return {"jsonrpc": "2.0", "id": call.id, "method": "tools/call", "params": params}


def _mcp_call_back(found: JSON) -> ToolCall:
    params = found["params"]
    arguments = _text(params.get("arguments") or {})
    return ToolCall(id=str(found["id"]), name=params["name"], arguments=arguments)


def _mcp_result(result: ToolResult) -> JSON:
    content = [{"type": "text", "text": result.text}]
    outcome = {"content": content, "isError": result.is_error}
    return {"jsonrpc": "2.0", "id": result.call_id, "result": outcome}


def _mcp_result_back(found: JSON) -> ToolResult:
    return ToolResult(
        call_id=str(found["id"]),
        text=_plain_text(found["result"].get("content")),
        is_error=bool(found["result"].get("isError")),
    )


def _plain_text(content: Any) -> str:
    """The text in a result's content, which is text or a list of blocks with text in some."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _object_in(call: ToolCall) -> JSON:
    """The arguments as the object that some interfaces want.

    Raises:
        ValueError: if they are no JSON object.
    """
    try:
        found = json.loads(call.arguments)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(
            f"The arguments of the call {call.id!r} are no JSON object: {call.arguments[:80]!r}. "
            "Only Chat Completions and Responses can carry them."
        )
    return found


def _text(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False)


CHAT_COMPLETIONS = Dialect(
    name="Chat Completions",
    arguments_are="a JSON string",
    write_definition=_chat_definition,
    write_call=_chat_call,
    write_result=_chat_result,
    write_choice=_chat_choice,
    read_definition=lambda found: _definition(found["function"], "parameters"),
    read_call=_chat_call_back,
    read_result=lambda found: ToolResult(
        call_id=found["tool_call_id"], text=_plain_text(found["content"])
    ),
    read_choice=_read_choice,
)

RESPONSES = Dialect(
    name="Responses",
    arguments_are="a JSON string",
    write_definition=_responses_definition,
    write_call=_responses_call,
    write_result=_responses_result,
    write_choice=_responses_choice,
    read_definition=lambda found: _definition(found, "parameters"),
    read_call=lambda found: ToolCall(
        id=found["call_id"], name=found["name"], arguments=found["arguments"]
    ),
    read_result=lambda found: ToolResult(
        call_id=found["call_id"], text=_plain_text(found["output"])
    ),
    read_choice=_read_choice,
)

ANTHROPIC = Dialect(
    name="Anthropic Messages",
    arguments_are="a JSON object",
    write_definition=lambda definition: _named(definition, "input_schema"),
    write_call=_anthropic_call,
    write_result=_anthropic_result,
    write_choice=_anthropic_choice,
    read_definition=lambda found: _definition(found, "input_schema"),
    read_call=_anthropic_call_back,
    read_result=_anthropic_result_back,
    read_choice=_read_choice,
)

MCP = Dialect(
    name="MCP",
    arguments_are="a JSON object",
    write_definition=lambda definition: _named(definition, "inputSchema"),
    write_call=_mcp_call,
    write_result=_mcp_result,
    write_choice=_mcp_choice,
    read_definition=lambda found: _definition(found, "inputSchema"),
    read_call=_mcp_call_back,
    read_result=_mcp_result_back,
    read_choice=_read_choice,
)

DIALECTS = (CHAT_COMPLETIONS, RESPONSES, ANTHROPIC, MCP)
