"""Refuse what the real service refuses, with the same status and the same error shape.

In: a request body. Out: the first `Refusal`, or `None`. The words are our own.
Knows nothing of keys and paths (`api`), nor of what to answer (`mind`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course_pkg.practice.faults import fault_of
from course_pkg.practice.refusal import Refusal

MAX_TOOLS = 128
NAME_PATTERN = r"^[a-zA-Z0-9_-]{1,64}$"
ROLES = ("system", "developer", "user", "assistant", "tool")
CHOICES = ("auto", "none", "required")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def refusal_of(body: Mapping[str, Any]) -> Refusal | None:
    """The first rule that the request breaks, looked at in the order in which one reads it."""
    return next(_problems(body), None)


def _problems(body: Mapping[str, Any]) -> Iterator[Refusal]:
    yield from _model(body)
    yield from _messages(body.get("messages"))
    yield from _tools(body)
    yield from _tool_choice(body)
    yield from _settings(body)


def _model(body: Mapping[str, Any]) -> Iterator[Refusal]:
    model = body.get("model")
    if model is None:
        yield _missing("model")
    elif not isinstance(model, str):
        yield _wrong_type("model", "a string", model)
    else:
        fault = fault_of(model)
        if isinstance(fault, Refusal):
            yield fault


# --- messages -------------------------------------------------------------------------------------


def _messages(messages: Any) -> Iterator[Refusal]:
    if messages is None:
        yield _missing("messages")
    elif not isinstance(messages, list):
        yield _wrong_type("messages", "an array", messages)
    elif not messages:
        yield _empty_array("messages")
    else:
        for position, message in enumerate(messages):
            yield from _message(message, f"messages[{position}]")
        yield from _answers(messages)


def _message(message: Any, at: str) -> Iterator[Refusal]:
    if not isinstance(message, dict):
        yield _wrong_type(at, "an object", message)
        return
    role = message.get("role")
    if role not in ROLES:
        yield Refusal(
            message=f"{at}.role is {role!r}; it must be one of {', '.join(ROLES)}.",
            param=f"{at}.role",
            code="invalid_value",
        )
    elif role == "assistant":
        yield from _assistant(message, at)
    else:
        yield from _content(message, at)
        if role == "tool" and not isinstance(message.get("tool_call_id"), str):
            yield _missing(f"{at}.tool_call_id")


def _assistant(message: Mapping[str, Any], at: str) -> Iterator[Refusal]:
    calls = message.get("tool_calls")
    if message.get("content") is not None:
        yield from _content(message, at)
    elif calls is None:
        yield Refusal(
            message=f"{at} says nothing: an assistant message needs content or tool_calls.",
            param=f"{at}.content",
            code="invalid_type",
        )
    if calls is None:
        return
    if not isinstance(calls, list):
        yield _wrong_type(f"{at}.tool_calls", "an array", calls)
    elif not calls:
        yield _empty_array(f"{at}.tool_calls")
    else:
        for position, call in enumerate(calls):
            yield from _call(call, f"{at}.tool_calls[{position}]")


def _call(call: Any, at: str) -> Iterator[Refusal]:
    if not isinstance(call, dict):
        yield _wrong_type(at, "an object", call)
        return
    if not isinstance(call.get("id"), str):
        yield (
            _missing(f"{at}.id")
            if call.get("id") is None
            else _wrong_type(f"{at}.id", "a string", call["id"])
        )
    if call.get("type") != "function":
        yield Refusal(
            message=f"{at}.type must be 'function', not {call.get('type')!r}.",
            param=f"{at}.type",
            code="missing_required_parameter" if call.get("type") is None else "invalid_value",
        )
    function = call.get("function")
    if not isinstance(function, dict):
        yield _wrong_type(f"{at}.function", "an object", function)
        return
    yield from _name(function.get("name"), f"{at}.function.name")
    if not isinstance(function.get("arguments"), str):
        yield _wrong_type(
            f"{at}.function.arguments", "a string that holds JSON", function.get("arguments")
        )


def _content(message: Mapping[str, Any], at: str) -> Iterator[Refusal]:
    content = message.get("content")
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield _wrong_type(f"{at}.content", "a string or an array of parts", content)
        return
    if not content:
        yield _empty_array(f"{at}.content")
    only_text = message["role"] != "user"
    for position, part in enumerate(content):
        yield from _part(part, f"{at}.content[{position}]", only_text=only_text)


def _part(part: Any, at: str, *, only_text: bool) -> Iterator[Refusal]:
    if not isinstance(part, dict):
        yield _wrong_type(at, "an object", part)
    elif part.get("type") == "text":
        if not isinstance(part.get("text"), str):
            yield _wrong_type(f"{at}.text", "a string", part.get("text"))
    elif only_text or not isinstance(part.get("type"), str):
        yield Refusal(
            message=f"{at}.type is {part.get('type')!r}; here only 'text' parts are allowed.",
            param=f"{at}.type",
            code="invalid_value",
        )


def _answers(messages: Sequence[Mapping[str, Any]]) -> Iterator[Refusal]:
    """Every call is answered once, directly after; every tool message answers a call."""
    waiting: list[str] = []
    answered: set[str] = set()
    asked_at = 0
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            yield from _reply(message, f"messages[{position}]", waiting, answered)
            continue
        if waiting:
            break
        calls = message.get("tool_calls") or () if message["role"] == "assistant" else ()
        waiting, answered, asked_at = [call["id"] for call in calls], set(), position
    if waiting:
        yield Refusal(
            message=(
                "An assistant message with 'tool_calls' must be followed by one tool message for "
                f"each 'tool_call_id'. No tool message answers these ids of messages[{asked_at}]: "
                f"{', '.join(waiting)}. Append them directly after it."
            ),
            param=f"messages[{asked_at}]",
        )


def _reply(
    message: Mapping[str, Any], at: str, waiting: list[str], answered: set[str]
) -> Iterator[Refusal]:
    call_id = message["tool_call_id"]
    if call_id in waiting:
        waiting.remove(call_id)
        answered.add(call_id)
    elif call_id in answered:
        yield Refusal(
            message=f"{at} answers the call {call_id!r} a second time. Send one reply a call.",
            param=f"{at}.tool_call_id",
        )
    else:
        yield Refusal(
            message=(
                f"{at} has role 'tool', but no call {call_id!r} comes before it. A tool message "
                "must follow the assistant message whose 'tool_calls' hold its 'tool_call_id'."
            ),
            param=f"{at}.role",
        )


# --- tools ----------------------------------------------------------------------------------------


def _tools(body: Mapping[str, Any]) -> Iterator[Refusal]:
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list):
        yield _wrong_type("tools", "an array", tools)
        return
    if not tools:
        yield _empty_array("tools")
    if len(tools) > MAX_TOOLS:
        yield Refusal(
            message=f"There are {len(tools)} tools; at most {MAX_TOOLS} are allowed.",
            param="tools",
            code="array_above_max_length",
        )
    for position, tool in enumerate(tools):
        yield from _tool(tool, f"tools[{position}]")
    yield from _twins(tools)


def _tool(tool: Any, at: str) -> Iterator[Refusal]:
    if not isinstance(tool, dict):
        yield _wrong_type(at, "an object", tool)
        return
    if tool.get("type") != "function":
        yield Refusal(
            message=f"{at}.type must be 'function', not {tool.get('type')!r}.",
            param=f"{at}.type",
            code="missing_required_parameter" if tool.get("type") is None else "invalid_value",
        )
    function = tool.get("function")
    if not isinstance(function, dict):
        yield (
            _missing(f"{at}.function")
            if function is None
            else _wrong_type(f"{at}.function", "an object", function)
        )
        return
    yield from _name(function.get("name"), f"{at}.function.name")
    if not isinstance(function.get("description", ""), str | None):
        yield _wrong_type(f"{at}.function.description", "a string", function["description"])
    yield from _parameters(function, at)


def _name(name: Any, at: str) -> Iterator[Refusal]:
    if name is None:
        yield _missing(at)
    elif not isinstance(name, str):
        yield _wrong_type(at, "a string", name)
    elif not _NAME.fullmatch(name):
        yield Refusal(
            message=(
                f"{at} is {name[:80]!r}; it must match {NAME_PATTERN!r}: 1 to 64 letters, digits, "
                "'_' or '-'."
            ),
            param=at,
            code="invalid_value",
        )


def _twins(tools: Sequence[Mapping[str, Any]]) -> Iterator[Refusal]:
    seen: set[str] = set()
    for position, tool in enumerate(tools):
        name = tool["function"]["name"]
        if name in seen:
            yield Refusal(
                message=f"Two tools are named {name!r}. Each name may be used once.",
                param=f"tools[{position}].function.name",
                code="invalid_value",
            )
        seen.add(name)


def _parameters(function: Mapping[str, Any], at: str) -> Iterator[Refusal]:
    schema = function.get("parameters")
    name = function["name"]
    if schema is None:
        return
    at = f"{at}.function.parameters"
    if not isinstance(schema, dict):
        yield _wrong_type(at, "an object (a JSON Schema)", schema)
        return
    if schema and schema.get("type") != "object":
        yield _bad_schema(
            name, at, f"the schema must be of 'type': 'object', not {schema.get('type')!r}."
        )
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        yield _bad_schema(name, at, "'properties' must be an object, from names to schemas.")
    if function.get("strict"):
        for where, what in _strict_problems(schema):
            yield _bad_schema(name, at, f"with 'strict': true, {where or 'the root'} {what}")


def _bad_schema(name: str, at: str, what: str) -> Refusal:
    return Refusal(
        message=f"The parameters of the function {name!r} cannot be used: {what}",
        param=at,
        code="invalid_function_parameters",
    )


#: Keywords that strict schemas do not allow, anywhere.
_NOT_STRICT = ("oneOf", "allOf", "not", "if", "then", "else", "patternProperties")


def _strict_problems(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a schema breaks the strict rules, and how: (place, words)."""
    if "anyOf" in schema:
        yield "", "must not have 'anyOf'; put it into a property."
    waiting: list[tuple[str, Any]] = [("", schema)]
    while waiting:
        where, part = waiting.pop()
        if isinstance(part, dict):
            yield from ((where, what) for what in _strict_object(part))
            waiting.extend(reversed(list(_subschemas(where, part))))


def _strict_object(schema: Mapping[str, Any]) -> Iterator[str]:
    for keyword in _NOT_STRICT:
        if keyword in schema:
            yield f"must not use {keyword!r}."
    kind = schema.get("type")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        return
    if schema.get("additionalProperties") is not False:
        yield "must have 'additionalProperties': false."
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        yield "needs 'properties' as an object and 'required' as an array."
        return
    missing = [name for name in properties if name not in required]
    if missing:
        yield f"must list every property in 'required'; missing: {', '.join(missing)}."


def _subschemas(where: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for keyword in ("properties", "$defs", "definitions"):
        group = schema.get(keyword)
        if isinstance(group, dict):
            yield from ((f"{where}.{keyword}.{name}".lstrip("."), group[name]) for name in group)
    if "items" in schema:
        yield f"{where}.items".lstrip("."), schema["items"]
    branches = schema.get("anyOf")
    if isinstance(branches, list):
        for position, branch in enumerate(branches):
            yield f"{where}.anyOf[{position}]".lstrip("."), branch


# --- settings -------------------------------------------------------------------------------------


def _tool_choice(body: Mapping[str, Any]) -> Iterator[Refusal]:
    choice = body.get("tool_choice")
    tools = body.get("tools")
    if choice is None:
        return
    if not tools:
        yield Refusal(
            message="'tool_choice' is only allowed together with 'tools'.", param="tool_choice"
        )
        return
    if choice in CHOICES if isinstance(choice, str) else False:
        return
    name = _chosen_name(choice)
    if name is None:
        yield Refusal(
            message=(
                f"'tool_choice' must be one of {', '.join(CHOICES)}, or "
                '{"type": "function", "function": {"name": ...}}.'
            ),
            param="tool_choice",
            code="invalid_value",
        )
    elif name not in [tool["function"]["name"] for tool in tools]:
        yield Refusal(
            message=f"'tool_choice' names {name!r}, which is not among the tools of the request.",
            param="tool_choice.function.name",
            code="invalid_value",
        )


def _chosen_name(choice: Any) -> str | None:
    if not isinstance(choice, dict) or choice.get("type") != "function":
        return None
    function = choice.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else None


def _settings(body: Mapping[str, Any]) -> Iterator[Refusal]:
    yield from _flag(body, "stream")
    yield from _flag(body, "parallel_tool_calls")
    yield from _limits(body)
    if body.get("parallel_tool_calls") is not None and not body.get("tools"):
        yield Refusal(
            message="'parallel_tool_calls' is only allowed together with 'tools'.",
            param="parallel_tool_calls",
        )
    options = body.get("stream_options")
    if options is not None and not body.get("stream"):
        yield Refusal(
            message="'stream_options' is only allowed when 'stream' is true.",
            param="stream_options",
        )
    if options is not None and not isinstance(options, dict):
        yield _wrong_type("stream_options", "an object", options)
    if body.get("n") not in {None, 1} if not isinstance(body.get("n"), list | dict) else True:
        yield Refusal(
            message="The practice model gives one choice a request: leave 'n' out, or send 1.",
            param="n",
            code="invalid_value",
        )


def _flag(body: Mapping[str, Any], name: str) -> Iterator[Refusal]:
    if not isinstance(body.get(name), bool | None):
        yield _wrong_type(name, "true or false", body[name])


def _limits(body: Mapping[str, Any]) -> Iterator[Refusal]:
    names = [name for name in ("max_tokens", "max_completion_tokens") if body.get(name) is not None]
    if len(names) > 1:
        yield Refusal(
            message="Set 'max_completion_tokens' or the older 'max_tokens', not both.",
            param="max_tokens",
            code="invalid_parameter_combination",
        )
    for name in names:
        value = body[name]
        if not isinstance(value, int) or isinstance(value, bool):
            yield _wrong_type(name, "a whole number", value)
        elif value < 1:
            yield Refusal(
                message=f"{name!r} must be at least 1, not {value}.",
                param=name,
                code="integer_below_min_value",
            )


def _missing(at: str) -> Refusal:
    return Refusal(message=f"{at!r} is missing.", param=at, code="missing_required_parameter")


def _wrong_type(at: str, expected: str, found: Any) -> Refusal:
    return Refusal(
        message=f"{at!r} must be {expected}, not {_json_type(found)}.",
        param=at,
        code="invalid_type",
    )


def _empty_array(at: str) -> Refusal:
    return Refusal(
        message=f"{at!r} is an empty array; leave it out or put something in.",
        param=at,
        code="empty_array",
    )


def _json_type(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    if value is None:
        return "null"
    return names.get(type(value), "an array" if isinstance(value, list) else "an object")
