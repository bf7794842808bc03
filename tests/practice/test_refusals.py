"""What the practice model refuses: the status and the error shape of the real service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import openai
import pytest

from course_pkg.practice import PracticeServer
from course_pkg.practice.api import WRONG_KEY

Post = Callable[..., httpx2.Response]
ASK = {"role": "user", "content": "Hello"}


def called(*ids: str) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
    calls = [{"id": call_id, "type": "function", "function": function} for call_id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, content: Any = "sunny") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def tool(**function: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "look", "description": "Look."} | function}


def strict(**schema: Any) -> list[dict[str, Any]]:
    whole = {"type": "object", "additionalProperties": False} | schema
    return [tool(strict=True, parameters=whole)]


TEXT = {"type": "string"}
REFUSALS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "no model": ({"model": None}, "model", "missing_required_parameter"),
    "a model that is no text": ({"model": 7}, "model", "invalid_type"),
    "no messages": ({"messages": None}, "messages", "missing_required_parameter"),
    "empty messages": ({"messages": []}, "messages", "empty_array"),
    "messages that are no array": ({"messages": "Hello"}, "messages", "invalid_type"),
    "a message that is no object": ({"messages": ["Hello"]}, "messages[0]", "invalid_type"),
    "an unknown role": (
        {"messages": [{"role": "robot", "content": "Hello"}]},
        "messages[0].role",
        "invalid_value",
    ),
    "no content": ({"messages": [{"role": "user"}]}, "messages[0].content", "invalid_type"),
    "an assistant that says nothing": (
        {"messages": [ASK, {"role": "assistant", "content": None}]},
        "messages[1].content",
        "invalid_type",
    ),
    "empty tool calls": (
        {"messages": [ASK, {"role": "assistant", "content": "x", "tool_calls": []}]},
        "messages[1].tool_calls",
        "empty_array",
    ),
    "a call without an id": (
        {"messages": [ASK, {"role": "assistant", "tool_calls": [{"type": "function"}]}]},
        "messages[1].tool_calls[0].id",
        "missing_required_parameter",
    ),
    "an unanswered call": (
        {"messages": [ASK, called("c1", "c2"), result("c1")]},
        "messages[1]",
        None,
    ),
    "a user message between call and result": (
        {"messages": [ASK, called("c1"), ASK, result("c1")]},
        "messages[1]",
        None,
    ),
    "an orphan tool message": ({"messages": [ASK, result("c1")]}, "messages[1].role", None),
    "a second reply to a call": (
        {"messages": [ASK, called("c1"), result("c1"), result("c1")]},
        "messages[3].tool_call_id",
        None,
    ),
    "a result that is an object": (
        {"messages": [ASK, called("c1"), result("c1", {"sky": "blue"})]},
        "messages[2].content",
        "invalid_type",
    ),
    "tools that are no array": ({"tools": {}}, "tools", "invalid_type"),
    "no tools in the array": ({"tools": []}, "tools", "empty_array"),
    "too many tools": (
        {"tools": [tool(name=f"tool_{number}") for number in range(129)]},
        "tools",
        "array_above_max_length",
    ),
    "a tool without type": (
        {"tools": [{"function": {"name": "look"}}]},
        "tools[0].type",
        "missing_required_parameter",
    ),
    "a bad tool name": (
        {"tools": [tool(name="look at")]},
        "tools[0].function.name",
        "invalid_value",
    ),
    "a long tool name": (
        {"tools": [tool(name="a" * 65)]},
        "tools[0].function.name",
        "invalid_value",
    ),
    "twin names": ({"tools": [tool(), tool()]}, "tools[1].function.name", "invalid_value"),
    "a schema that is no object": (
        {"tools": [tool(parameters={"type": "string"})]},
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "a schema in a list": (
        {"tools": [tool(parameters=[])]},
        "tools[0].function.parameters",
        "invalid_type",
    ),
    "strict without required": (
        {"tools": strict(properties={"a": TEXT}, required=[])},
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict without additionalProperties": (
        {"tools": strict(properties={}, required=[], additionalProperties=True)},
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict with an open object inside": (
        {
            "tools": strict(
                properties={"a": {"type": "object", "properties": {}, "required": []}},
                required=["a"],
            )
        },
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict with anyOf at the root": (
        {"tools": strict(anyOf=[{"type": "object"}])},
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict with oneOf": (
        {"tools": strict(properties={"a": {"oneOf": [TEXT]}}, required=["a"])},
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "tool_choice without tools": ({"tool_choice": "auto"}, "tool_choice", None),
    "an unknown tool_choice": (
        {"tools": [tool()], "tool_choice": "any"},
        "tool_choice",
        "invalid_value",
    ),
    "tool_choice of an unknown tool": (
        {
            "tools": [tool()],
            "tool_choice": {"type": "function", "function": {"name": "hear"}},
        },
        "tool_choice.function.name",
        "invalid_value",
    ),
    "parallel_tool_calls without tools": (
        {"parallel_tool_calls": False},
        "parallel_tool_calls",
        None,
    ),
    "stream_options without stream": (
        {"stream_options": {"include_usage": True}},
        "stream_options",
        None,
    ),
    "a stream flag that is no flag": ({"stream": "yes"}, "stream", "invalid_type"),
    "a limit of zero": (
        {"max_completion_tokens": 0},
        "max_completion_tokens",
        "integer_below_min_value",
    ),
    "a limit that is no number": ({"max_tokens": "ten"}, "max_tokens", "invalid_type"),
    "two limits": (
        {"max_tokens": 1, "max_completion_tokens": 1},
        "max_tokens",
        "invalid_parameter_combination",
    ),
    "several choices": ({"n": 2}, "n", "invalid_value"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_request_that_breaks_a_rule_is_refused(name: str, post: Post) -> None:
    change, param, code = REFUSALS[name]

    response = post({"model": "practice", "messages": [ASK]} | change)

    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (400, "invalid_request_error")
    assert (error["param"], error["code"]) == (param, code), error["message"]


def test_a_refusal_of_an_unanswered_call_names_the_ids_and_what_to_do(post: Post) -> None:
    messages = [ASK, called("c1", "c2"), result("c1")]

    message = post({"model": "practice", "messages": messages}).json()["error"]["message"]

    assert all(words in message for words in ("c2", "tool_call_id", "directly after"))


def test_a_good_strict_schema_is_accepted(post: Post) -> None:
    part = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    tools = strict(properties={"a": {"anyOf": [part, {"type": "null"}]}}, required=["a"])

    assert post({"model": "practice", "messages": [ASK], "tools": tools}).status_code == 200


@pytest.mark.parametrize("content", ["sunny", "", [{"type": "text", "text": "sunny"}]])
def test_a_result_may_be_text_or_text_parts(content: Any, post: Post) -> None:
    messages = [ASK, called("c1"), result("c1", content)]

    assert post({"model": "practice", "messages": messages}).status_code == 200


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[1]", b"\xff\xfe", b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"]
)
def test_a_body_that_is_no_json_object_is_refused(raw: bytes, post: Post) -> None:
    response = post(content=raw)

    assert (response.status_code, set(response.json())) == (400, {"error"})


def test_a_body_that_is_too_large_is_refused(post: Post) -> None:
    assert post(content=b" " * 10_000_001).status_code == 413


def test_an_unknown_model_is_named_and_so_are_the_known_ones(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match=r"'great'.*'practice'") as caught:
        client.chat.completions.create(model="great", messages=[{"role": "user", "content": "x"}])

    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Basic abc"])
def test_without_a_key_nothing_is_answered(header: str | None, practice: PracticeServer) -> None:
    headers = {} if header is None else {"authorization": header}

    response = httpx2.get(f"{practice.base_url}/models", headers=headers)

    error = response.json()["error"]
    assert (response.status_code, sorted(error)) == (401, ["code", "message", "param", "type"])


def test_the_wrong_key_is_refused_and_never_repeated(practice: PracticeServer) -> None:
    with (
        openai.OpenAI(base_url=practice.base_url, api_key=WRONG_KEY) as client,
        pytest.raises(openai.AuthenticationError) as caught,
    ):
        client.models.list()

    assert caught.value.code == "invalid_api_key"
    assert WRONG_KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/v1/chat/completions", 405),
        ("DELETE", "/v1/models", 405),
        ("POST", "/v1/embeddings", 404),
        ("GET", "/v1/models/nothing", 404),
    ],
)
def test_other_paths_and_methods_get_an_error_that_says_where_to_go(
    method: str, path: str, status: int, practice: PracticeServer
) -> None:
    root = practice.base_url.removesuffix("/v1")

    response = httpx2.request(method, root + path, headers={"authorization": "Bearer any"})

    assert response.status_code == status
    assert any(word in response.json()["error"]["message"] for word in ("/v1/", "Use "))
