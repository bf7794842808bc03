"""Each factual sentence of notebook 05, proved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import BadRequestError, OpenAI

from course_pkg import Recorder, ToolCall, execute, exercise, settings
from course_pkg.conversation import problems
from course_pkg.model import reply_from
from course_pkg.model.errors import Service
from course_pkg.samples import get_weather

TOOLS: Any = [get_weather.definition()]
CASES = Path(__file__).parent.parent / "cases"
SERVICE = Service(where="A service", key="")


@pytest.fixture
def client() -> Iterator[OpenAI]:
    chosen = settings()
    with OpenAI(base_url=chosen.base_url, api_key=chosen.api_key, max_retries=0) as made:
        yield made


def ask(client: OpenAI, messages: Any) -> Any:
    return client.chat.completions.create(model="practice", messages=messages, tools=TOOLS)


def asked(text: str = "What is the weather in Paris?") -> list[Any]:
    return [{"role": "user", "content": text}]


def test_city_is_required_and_unit_may_be_left_out() -> None:
    schema = get_weather.input_schema

    assert schema["required"] == ["city"]
    assert set(schema["properties"]) == {"city", "unit"}


def test_every_parameter_has_a_description() -> None:
    assert all(part["description"] for part in get_weather.input_schema["properties"].values())


def test_the_request_holds_model_messages_and_tools_and_nothing_else(client: OpenAI) -> None:
    with Recorder() as recorder:
        ask(client, asked())

    assert set(recorder.frames[0].json) == {"model", "messages", "tools"}


def test_an_answer_has_an_id_choices_and_usage_in_tokens(client: OpenAI) -> None:
    response = ask(client, asked())

    assert response.id
    assert len(response.choices) == 1
    assert response.usage.total_tokens > 0


def test_content_is_none_when_the_model_only_calls(client: OpenAI) -> None:
    assert ask(client, asked()).choices[0].message.content is None


def test_text_and_calls_may_come_together() -> None:
    case = json.loads((CASES / "a-43-content-and-calls.json").read_text(encoding="utf-8"))

    reply = reply_from(case["input"]["response"], SERVICE)

    assert reply.text
    assert reply.calls


@pytest.mark.parametrize("name", ["a-37-finish-stop-with-calls", "a-38-finish-reason-foreign"])
def test_services_differ_in_the_finish_reason_so_the_calls_count(name: str) -> None:
    case = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))

    reply = reply_from(case["input"]["response"], SERVICE)

    assert reply.finish_reason != "tool_calls"
    assert reply.calls[0].problem == ""


def test_arguments_are_a_string(client: OpenAI) -> None:
    (call,) = ask(client, asked()).choices[0].message.tool_calls

    assert type(call.function.arguments) is str


async def test_arguments_that_do_not_parse_become_a_result_not_an_exception() -> None:
    call = ToolCall(id="call_1", name="get_weather", arguments='{"city": "Paris"')

    result = await execute(call, [get_weather])

    assert (result.call_id, result.error_kind) == ("call_1", "invalid_json")


async def test_arguments_that_do_not_fit_never_reach_the_function() -> None:
    call = ToolCall(id="call_1", name="get_weather", arguments='{"town": "Paris"}')

    result = await execute(call, [get_weather])

    assert result.error_kind == "invalid_arguments"


def test_exclude_unset_keeps_the_message_as_it_came(client: OpenAI) -> None:
    with Recorder() as recorder:
        response = ask(client, asked())

    came = recorder.frames[1].json["choices"][0]["message"]
    assert response.choices[0].message.model_dump(exclude_unset=True) == came


def test_ensure_ascii_off_keeps_other_scripts_readable_and_short() -> None:
    written = '{"city": "北京"}'

    assert json.dumps(json.loads(written), ensure_ascii=False) == written
    assert len(json.dumps(json.loads(written))) > len(written)


def test_a_question_with_one_tool_call_takes_two_requests(client: OpenAI) -> None:
    messages = asked()
    with Recorder() as recorder:
        reply = ask(client, messages).choices[0].message
        messages += [reply.model_dump(exclude_unset=True)]
        messages += [{"role": "tool", "tool_call_id": reply.tool_calls[0].id, "content": "sunny"}]
        final = ask(client, messages).choices[0].message

    assert (final.tool_calls, len(recorder.frames)) == (None, 4)


def with_one_answer(client: OpenAI) -> tuple[list[Any], str]:
    messages = asked("What is the weather in Paris and in Tokyo?")
    reply = ask(client, messages).choices[0].message
    first, second = reply.tool_calls
    messages.append(reply.model_dump(exclude_unset=True))
    messages.append({"role": "tool", "tool_call_id": first.id, "content": "sunny"})
    return messages, second.id


def test_a_call_without_a_result_is_refused_with_400_and_its_id(client: OpenAI) -> None:
    messages, left_out = with_one_answer(client)

    with pytest.raises(BadRequestError, match=left_out) as refused:
        ask(client, messages)
    assert refused.value.status_code == 400


def test_every_later_request_is_refused_in_the_same_way(client: OpenAI) -> None:
    messages, left_out = with_one_answer(client)
    messages.append({"role": "user", "content": "Hello?"})

    with pytest.raises(BadRequestError, match=left_out):
        ask(client, messages)


def test_the_course_finds_the_missing_result_before_sending(client: OpenAI) -> None:
    messages, left_out = with_one_answer(client)

    assert [problem.code for problem in problems(messages)] == [f"unanswered_call:{left_out}"]


def test_one_assistant_message_for_each_call_is_refused(client: OpenAI) -> None:
    one = {"type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    messages = asked()
    messages += [
        {"role": "assistant", "content": None, "tool_calls": [one | {"id": "call_1"}]},
        {"role": "assistant", "content": None, "tool_calls": [one | {"id": "call_2"}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
        {"role": "tool", "tool_call_id": "call_2", "content": "rainy"},
    ]

    with pytest.raises(BadRequestError):
        ask(client, messages)


def test_a_service_accepts_the_third_exercise_although_it_is_wrong(client: OpenAI) -> None:
    assert ask(client, exercise("05.3").material()).choices[0].message.content
