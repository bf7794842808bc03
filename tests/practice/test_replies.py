"""Replies on the wire: the same bytes for the same request, streams, choices, cut-off output."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import openai
import pytest

Body = Callable[..., dict[str, Any]]
Post = Callable[..., httpx2.Response]
TWO_CITIES = "Compare the weather in Paris and 北京"


def events(response: httpx2.Response) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in response.text.split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


def assembled(chunks: Sequence[Any]) -> dict[str, Any]:
    """The message that the chunks add up to."""
    message: dict[str, Any] = {}
    for delta in (chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]):
        message.setdefault("content", delta.get("content"))
        if "content" in delta and "role" not in delta:
            message["content"] = (message["content"] or "") + delta["content"]
        for part in delta.get("tool_calls", ()):
            add(message.setdefault("tool_calls", []), part)
    return message


def add(calls: list[dict[str, Any]], part: dict[str, Any]) -> None:
    if part["index"] == len(calls):
        calls.append({"id": part["id"], "type": part["type"], "function": {**part["function"]}})
    else:
        calls[part["index"]]["function"]["arguments"] += part["function"]["arguments"]


@pytest.mark.parametrize("stream", [False, True])
def test_the_same_request_gives_the_same_bytes(stream: bool, post: Post, body: Body) -> None:
    replies = [post(body(TWO_CITIES, stream=stream)).content for _ in range(3)]

    assert len(set(replies)) == 1


def test_the_order_of_keys_in_a_request_does_not_matter(post: Post, body: Body) -> None:
    request = body()

    assert post(request).content == post(dict(reversed(request.items()))).content


def test_ids_differ_between_calls_and_between_requests(post: Post, body: Body) -> None:
    texts = [TWO_CITIES, "weather in Paris"]
    replies = [post(body(text)).json()["choices"][0]["message"] for text in texts]

    ids = [call["id"] for reply in replies for call in reply["tool_calls"]]

    assert len(set(ids)) == 3
    assert all(call_id.startswith("call_") for call_id in ids)


@pytest.mark.parametrize("text", [TWO_CITIES, "Hello", "你好", "What is the weather?"])
def test_a_stream_adds_up_to_the_plain_reply(text: str, post: Post, body: Body) -> None:
    plain = post(body(text)).json()
    chunks = events(post(body(text, stream=True, stream_options={"include_usage": True})))

    message = {key: plain["choices"][0]["message"].get(key) for key in assembled(chunks)}

    assert assembled(chunks) == message
    assert {chunk["id"] for chunk in chunks} == {plain["id"]}
    assert chunks[-1]["usage"] == plain["usage"]
    assert chunks[-2]["choices"][0]["finish_reason"] == plain["choices"][0]["finish_reason"]


def test_arguments_come_in_several_pieces_call_by_call(post: Post, body: Body) -> None:
    chunks = events(post(body(TWO_CITIES, stream=True)))

    parts = [
        part for chunk in chunks for part in chunk["choices"][0]["delta"].get("tool_calls", [])
    ]
    indexes = [part["index"] for part in parts]

    assert indexes == sorted(indexes)
    assert min(indexes.count(0), indexes.count(1)) >= 3


def test_without_include_usage_no_chunk_has_usage(post: Post, body: Body) -> None:
    assert not any("usage" in chunk for chunk in events(post(body(stream=True))))


def test_the_real_client_reads_the_stream(client: openai.OpenAI, body: Body) -> None:
    with client.chat.completions.stream(**body(TWO_CITIES)) as stream:
        message = stream.get_final_completion().choices[0].message

    cities = [json.loads(call.function.arguments)["city"] for call in message.tool_calls]
    assert cities == ["Paris", "北京"]


def test_chinese_is_not_escaped_in_bodies(post: Post, body: Body) -> None:
    assert "北京".encode() in post(body("北京天气")).content


def test_half_a_character_does_no_harm(post: Post, body: Body) -> None:
    content = json.dumps(body('Tell Ada "hi \ud83d"')).encode()

    assert post(content=content).json()["choices"][0]["message"]["tool_calls"]


def test_tool_choice_none_calls_nothing(post: Post, body: Body) -> None:
    message = post(body(tool_choice="none")).json()["choices"][0]["message"]

    assert "tool_calls" not in message
    assert message["content"]


@pytest.mark.parametrize("text", ["Hello", "weather in Paris", "", "你好"])
def test_tool_choice_required_always_calls(text: str, post: Post, body: Body) -> None:
    choice = post(body(text, tool_choice="required")).json()["choices"][0]

    assert choice["message"]["tool_calls"]
    assert choice["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("name", ["get_weather", "calculate", "send_message"])
def test_a_named_tool_is_called_whatever_the_words(name: str, post: Post, body: Body) -> None:
    choice = {"type": "function", "function": {"name": name}}

    message = post(body("Read notes.txt", tool_choice=choice)).json()["choices"][0]["message"]

    assert [call["function"]["name"] for call in message["tool_calls"]] == [name]


def test_a_named_tool_gets_its_arguments_from_the_words(post: Post, body: Body) -> None:
    choice = {"type": "function", "function": {"name": "get_weather"}}

    message = post(body("What about Oslo?", tool_choice=choice)).json()["choices"][0]["message"]

    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"city": "Oslo"}


def test_without_parallel_calls_there_is_one_at_a_time(post: Post, body: Body) -> None:
    request = body(TWO_CITIES, parallel_tool_calls=False)
    first = post(request).json()["choices"][0]["message"]
    answer = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": "sunny"}
    request["messages"] += [first, answer]

    second = post(request).json()["choices"][0]["message"]

    written = [call["function"]["arguments"] for call in first["tool_calls"] + second["tool_calls"]]
    assert written == ['{"city": "Paris"}', '{"city": "北京"}']


@pytest.mark.parametrize("name", ["max_completion_tokens", "max_tokens"])
def test_cut_off_output_says_length_and_is_really_cut(name: str, post: Post, body: Body) -> None:
    choice = post(body(**{name: 4})).json()["choices"][0]

    arguments = choice["message"]["tool_calls"][0]["function"]["arguments"]
    assert choice["finish_reason"] == "length"
    assert '{"city": "Paris"}'.startswith(arguments)
    assert arguments != '{"city": "Paris"}'


def test_cut_off_text_ends_in_the_middle_and_streams_alike(post: Post, body: Body) -> None:
    request = body("你好", max_completion_tokens=2)

    plain = post(request).json()
    chunks = events(post(request | {"stream": True}))

    assert (plain["choices"][0]["finish_reason"], plain["usage"]["completion_tokens"]) == (
        "length",
        2,
    )
    assert assembled(chunks)["content"] == plain["choices"][0]["message"]["content"]


def test_a_limit_that_is_large_enough_cuts_nothing(post: Post, body: Body) -> None:
    choice = post(body(max_completion_tokens=500)).json()["choices"][0]

    assert choice["finish_reason"] == "tool_calls"


def test_usage_adds_up(post: Post, body: Body) -> None:
    usage = post(body()).json()["usage"]

    assert usage["prompt_tokens"] + usage["completion_tokens"] == usage["total_tokens"]


def test_several_learners_at_once_get_their_own_answers(post: Post, body: Body) -> None:
    sums = [f"What is {number} times {number + 1}?" for number in range(40)]

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda text: post(body(text)).json(), sums))

    written = [reply["choices"][0]["message"]["tool_calls"][0]["function"] for reply in replies]
    assert [json.loads(call["arguments"])["expression"] for call in written] == [
        f"{number} * {number + 1}" for number in range(40)
    ]
