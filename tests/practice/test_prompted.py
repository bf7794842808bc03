"""The practice model uses tools that its system prompt describes, and writes calls as text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.practice.mind import decide
from course_pkg.practice.prompted import decide_in_words, described_in, with_calls
from course_pkg.samples import toolbox
from course_pkg.text_calls import FORMATS, call_in_words, parse_text, result_in_words, tools_prompt
from course_pkg.tools import ToolCall

TOOLS = toolbox("get_weather", "calculate", "search_docs")
ALL = [*FORMATS, "bare_json"]
each_format = pytest.mark.parametrize("form", ALL)


def asked(text: str, form: Any, *more: dict[str, Any]) -> dict[str, Any]:
    system = f"Be brief.\n\n{tools_prompt(TOOLS, form, server='lab')}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    return {"model": "practice", "messages": [*messages, *more]}


@each_format
def test_the_tools_of_a_prompt_are_read_out_of_it_unchanged(form: Any) -> None:
    described = described_in(asked("Hello.", form)["messages"])

    assert [dict(tool) for tool in described.tools] == TOOLS.definitions()
    assert described.form == form


@each_format
@pytest.mark.parametrize("text", ["What is 12 * 7?", "北京今天天气怎么样？"])
def test_it_calls_in_words_what_it_would_call_with_tools(text: str, form: Any) -> None:
    wanted = decide({**asked(text, form), "tools": TOOLS.definitions()}).calls

    said = decide_in_words(asked(text, form))

    assert said is not None
    parsed = parse_text(said.text, TOOLS, formats=[form])
    assert [(call.name, json.loads(call.arguments)) for call in parsed.calls] == [
        (call.name, dict(call.arguments)) for call in wanted
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_two_calls_are_written_one_after_the_other(form: Any) -> None:
    said = decide_in_words(asked("What is the weather in Paris and in Tokyo?", form))

    assert said is not None
    assert len(parse_text(said.text, TOOLS, formats=[form]).calls) == len(("Paris", "Tokyo"))


def test_the_server_is_the_one_that_the_prompt_names() -> None:
    said = decide_in_words(asked("What is 12 * 7?", "use_mcp_tool"))

    assert said is not None
    assert "<server_name>lab</server_name>" in said.text


@each_format
def test_it_answers_from_a_result_that_came_as_text(form: Any) -> None:
    call = ToolCall(id="c", name="calculate", arguments='{"expression": "12 * 7"}')
    said = {"role": "assistant", "content": call_in_words(call, form)}
    result = {"role": "user", "content": result_in_words("84", form, name="calculate")}

    answer = decide_in_words(asked("What is 12 * 7?", form, said, result))

    assert answer is not None
    assert "84" in answer.text
    assert not parse_text(answer.text, TOOLS, formats=[form]).calls


def test_it_answers_from_results_when_the_tools_are_gone_from_the_prompt() -> None:
    call = ToolCall(id="c", name="calculate", arguments='{"expression": "12 * 7"}')
    messages = [
        {"role": "user", "content": "What is 12 * 7?"},
        {"role": "assistant", "content": call_in_words(call)},
        {"role": "user", "content": result_in_words("84")},
    ]

    answer = decide_in_words({"messages": messages})

    assert answer is not None
    assert "84" in answer.text


@pytest.mark.parametrize("form", ["hermes", "use_mcp_tool"])
@given(texts=st.lists(st.text(max_size=20), min_size=1, max_size=3))
def test_each_call_gets_its_own_result_back(form: Any, texts: list[str]) -> None:
    calls = [ToolCall(id="", name=f"tool_{n}", arguments="{}") for n in range(len(texts))]
    said = "\n".join(call_in_words(call, form) for call in calls)
    written = [result_in_words(text, form, name=f"tool_{n}") for n, text in enumerate(texts)]
    messages = [
        {"role": "assistant", "content": said},
        {"role": "user", "content": "\n".join(written)},
    ]

    read = with_calls(messages, ())

    assert [message["role"] for message in read] == ["assistant", *["tool"] * len(texts)]
    if form == "hermes":
        assert [message["content"] for message in read[1:]] == texts


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "What is 12 * 7?"}],
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello."}],
        [{"role": "system", "content": "{not json\n<tool_call>"}, {"role": "user", "content": "a"}],
        [{"role": "user", "content": "<tool_response>\n84\n</tool_response>"}],
    ],
)
def test_messages_that_speak_of_no_tools_are_left_to_the_usual_way(messages: Any) -> None:
    assert decide_in_words({"messages": messages}) is None


@pytest.mark.parametrize(
    "line",
    [
        '{"a": 1}',
        '{"function": {"name": 5}}',
        '{"type": "function", "function": {"name": "f", "parameters": []}}',
        '{"type": "function", "function": {"name": "not a name"}}',
        'f: a tool\nInput schema: {"type": "array"}',
    ],
)
def test_json_in_a_prompt_that_is_no_definition_is_no_tool(line: str) -> None:
    prompt = f"{line}\n<tool_call>"

    assert described_in([{"role": "system", "content": prompt}]).tools == ()


def test_tools_in_their_own_field_are_used_as_always() -> None:
    body = asked("What is 12 * 7?", "hermes")

    assert decide_in_words({**body, "tools": TOOLS.definitions()}) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_prompt_and_any_text_get_an_answer_or_nothing(prompt: str, text: str) -> None:
    body = asked(text, "hermes", {"role": "assistant", "content": prompt})
    body["messages"].append({"role": "user", "content": f"<tool_response>\n{text}"})
    said = decide_in_words(body)

    assert said is not None
    assert said.calls == ()
