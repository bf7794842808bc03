"""Whatever is sent, a proper JSON answer comes back, with a status that the real service has."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Post = Callable[..., httpx2.Response]
EXAMPLES = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
STATUSES = {200, 400, 404}

WORDS = st.sampled_from(
    [
        "weather in Paris",
        "北京天气",
        "3 * 7",
        "tell Ada that",
        "read notes.txt",
        "it",
        "“",
        "add",
        "",
    ]
)
SAID = st.lists(WORDS | st.text(max_size=12), max_size=6).map(" ".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)
KEYWORDS = st.sampled_from(
    [
        *("type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "pattern"),
        *("format", "description", "default", "minimum", "maximum", "$ref", "$defs", "examples"),
    ]
)
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
SCHEMA = st.recursive(
    st.fixed_dictionaries({"type": KINDS}),
    lambda inner: st.dictionaries(
        KEYWORDS,
        inner
        | JSON
        | st.lists(inner, max_size=2)
        | st.dictionaries(st.text(max_size=5), inner, max_size=2),
        max_size=5,
    ),
    max_leaves=8,
)
ROOT = st.builds(
    lambda parts, more: more | {"type": "object", "properties": parts, "required": list(parts)[:2]},
    st.dictionaries(st.sampled_from(["city", "path", "to", "x", "数量"]), SCHEMA, max_size=4),
    st.dictionaries(KEYWORDS, SCHEMA, max_size=2),
)
TOOL = st.builds(
    lambda name, about, schema: {
        "type": "function",
        "function": {"name": name, "description": about, "parameters": schema},
    },
    st.sampled_from(["get_weather", "look", "send_message", "add"]),
    SAID,
    ROOT,
)
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
HISTORY = st.builds(
    lambda said, arguments, result: [
        {"role": "user", "content": said},
        {
            "role": "assistant",
            "tool_calls": [CALL | {"function": {"name": "look", "arguments": arguments}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": result},
    ],
    SAID,
    SAID | JSON.map(json.dumps),
    SAID | JSON.map(json.dumps),
)
MESSAGES = (
    st.builds(
        lambda before, said: [*before, {"role": "user", "content": said}],
        st.just([]) | HISTORY,
        SAID,
    )
    | HISTORY
)


@EXAMPLES
@given(body=JSON)
def test_any_json_at_all(post: Post, body: Any) -> None:
    response = post(content=json.dumps(body).encode())

    assert response.status_code in STATUSES
    assert set(response.json()["error"]) == {"message", "type", "param", "code"}


@EXAMPLES
@given(
    messages=MESSAGES | JSON,
    tools=st.lists(TOOL, min_size=1, max_size=3, unique_by=lambda tool: tool["function"]["name"])
    | JSON,
    more=st.fixed_dictionaries(
        {},
        optional={
            "tool_choice": st.sampled_from(["auto", "none", "required"]) | JSON,
            "parallel_tool_calls": st.booleans() | JSON,
            "max_tokens": st.integers(1, 30) | JSON,
        },
    ),
)
def test_any_conversation_with_any_tools(post: Post, messages: Any, tools: Any, more: Any) -> None:
    body = {"model": "practice", "messages": messages, "tools": tools} | more

    response = post(content=json.dumps(body).encode())

    assert response.status_code in STATUSES
    assert ("choices" in response.json()) == (response.status_code == 200)
