"""Faults on request: each model name `practice:<fault>` spoils the reply in its own way."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx2
import openai
import pytest

from course_pkg.practice.faults import FAULTS, SLOW_S, model_names

Body = Callable[..., dict[str, Any]]
Post = Callable[..., httpx2.Response]


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("rate_limited", 429, "rate_limit_exceeded"),
        ("quota", 429, "insufficient_quota"),
        ("server_error", 500, None),
    ],
)
def test_an_error_status_comes_with_the_shape_of_the_real_service(
    fault: str, status: int, code: str | None, post: Post, body: Body
) -> None:
    response = post(body(model=f"practice:{fault}"))

    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_a_rate_limit_says_when_to_try_again(client: openai.OpenAI, body: Body) -> None:
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(**body(model="practice:rate_limited"))

    assert float(caught.value.response.headers["retry-after"]) > 0


@pytest.mark.parametrize(("fault", "status"), [("html_page", 502), ("html_page_200", 200)])
def test_a_gateway_answers_with_a_page(fault: str, status: int, post: Post, body: Body) -> None:
    response = post(body(model=f"practice:{fault}"))

    assert (response.status_code, response.text[:9]) == (status, "<!DOCTYPE")


def test_a_malformed_body_is_no_json(post: Post, body: Body) -> None:
    response = post(body(model="practice:malformed_body"))

    with pytest.raises(json.JSONDecodeError):
        response.json()


@pytest.mark.parametrize("stream", [False, True])
def test_a_dropped_connection_ends_in_the_middle(stream: bool, post: Post, body: Body) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        post(body(model="practice:dropped", stream=stream))


def test_a_slow_reply_is_waited_for(client: openai.OpenAI, body: Body) -> None:
    begun = time.monotonic()

    with pytest.raises(openai.APITimeoutError):
        client.with_options(timeout=0.3).chat.completions.create(**body(model="practice:slow"))

    assert 0.2 < time.monotonic() - begun < SLOW_S


def test_a_slow_reply_comes_in_the_end(post: Post, body: Body) -> None:
    begun = time.monotonic()

    response = post(body(model="practice:slow"))

    assert response.status_code == 200
    assert time.monotonic() - begun >= SLOW_S


def test_an_empty_answer_has_no_text_and_no_call(client: openai.OpenAI, body: Body) -> None:
    message = (
        client.chat.completions.create(**body(model="practice:empty_answer")).choices[0].message
    )

    assert (message.content, message.tool_calls) == (None, None)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("broken_arguments", "The arguments are not valid JSON."),
        ("unknown_tool", "There is no tool named 'get_weather_now'. Tools on offer: get_weather."),
    ],
)
def test_a_bad_call_is_made_well_after_the_error_result(
    fault: str, error: str, client: openai.OpenAI, body: Body
) -> None:
    request = body(model=f"practice:{fault}")
    first = client.chat.completions.create(**request).choices[0].message
    assert first.tool_calls
    request["messages"] += [
        first.to_dict(),
        {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": error},
    ]

    second = client.chat.completions.create(**request).choices[0].message

    assert first.tool_calls[0].function != second.tool_calls[0].function
    assert second.tool_calls[0].function.name == "get_weather"
    assert json.loads(second.tool_calls[0].function.arguments) == {"city": "Paris"}


def test_broken_arguments_are_no_json(client: openai.OpenAI, body: Body) -> None:
    reply = client.chat.completions.create(**body(model="practice:broken_arguments"))

    with pytest.raises(json.JSONDecodeError):
        json.loads(reply.choices[0].message.tool_calls[0].function.arguments)


def test_an_unknown_fault_is_answered_with_the_known_ones(post: Post, body: Body) -> None:
    response = post(body(model="practice:explode"))

    assert response.status_code == 404
    assert all(name in response.json()["error"]["message"] for name in FAULTS)


def test_every_model_name_is_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == model_names()
    assert client.models.retrieve("practice:slow").id == "practice:slow"
