"""What `model` promises: a reply that is safe to act on, or an error that says what to do."""

from __future__ import annotations

import asyncio
import json
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import course_pkg
from course_pkg import ModelClient, ModelError, Recorder, Settings, settings, tool
from course_pkg.conversation import append_reply, append_results, problems, start
from course_pkg.executor import FastClock, failed
from course_pkg.model import Accumulator, SettingsError, reply_from, with_own_ids
from course_pkg.model.errors import ADVICE, Service, retry_after_s
from course_pkg.model.noticing import notes_on
from course_pkg.practice import PracticeServer

SERVICE = Service(where="The model 'm' at here", key="sk" + "-test-key-in-a-test")


def completion(message: Any, finish_reason: Any = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return {"id": "chatcmpl-1", "choices": [choice]} | more


def calls(*listed: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(listed)} | more


def call(call_id: Any = "c1", name: Any = "add", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


# --- settings -------------------------------------------------------------------------------------

REMOTE = {
    "COURSE_MODEL": "remote",
    "OPENAI_BASE_URL": "https://models.example/v1",
    "OPENAI_API_KEY": "secret-words",
    "COURSE_MODEL_NAME": "large",
}


def test_a_remote_model_is_read_from_the_environment() -> None:
    chosen = settings(REMOTE)

    assert (chosen.kind, chosen.base_url, chosen.model, chosen.api_key) == (
        "remote",
        "https://models.example/v1",
        "large",
        "secret-words",
    )


def test_without_settings_the_practice_model_answers() -> None:
    chosen = settings({})

    assert chosen.kind == "practice"
    assert chosen.base_url.startswith("http://127.0.0.1:")


def test_a_practice_model_can_be_named() -> None:
    assert settings({"COURSE_MODEL_NAME": "practice:slow"}).model == "practice:slow"


def test_an_empty_base_url_means_the_usual_service() -> None:
    assert settings(REMOTE | {"OPENAI_BASE_URL": ""}).base_url == "https://api.openai.com/v1"


@pytest.mark.parametrize("tail", ["/", "/chat/completions", "/chat/completions/"])
def test_a_base_url_with_too_much_at_its_end_is_understood(tail: str) -> None:
    chosen = settings(REMOTE | {"OPENAI_BASE_URL": f"https://models.example/v1{tail}"})

    assert chosen.base_url == "https://models.example/v1"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("COURSE_MODEL", "chatgpt", "Set it to one of: practice, remote"),
        ("OPENAI_API_KEY", "", "is not set"),
        ("OPENAI_API_KEY", "   ", "is not set"),
        ("OPENAI_API_KEY", "two words", "Copy the key again"),
        ("OPENAI_API_KEY", "schlüssel", "Copy the key again"),
        ("COURSE_MODEL_NAME", "", "is not set"),
        ("OPENAI_BASE_URL", "models.example/v1", "http or https"),
        ("OPENAI_BASE_URL", "ftp://models.example", "http or https"),
        ("OPENAI_BASE_URL", "https://", "http or https"),
        ("OPENAI_BASE_URL", "https://models.example:port/v1", "http or https"),
        ("OPENAI_BASE_URL", "https://[::1", "http or https"),
        ("OPENAI_BASE_URL", "https://me:secret-words@models.example/v1", "no user name"),
    ],
)
def test_a_wrong_setting_gives_a_sentence_with_the_name_of_the_variable(
    name: str, value: str, words: str
) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        settings(REMOTE | {name: value})

    assert name in str(caught.value)
    assert "secret-words" not in str(caught.value)


def test_the_key_is_in_no_text_made_of_the_settings() -> None:
    chosen = settings(REMOTE)

    assert "secret-words" not in f"{chosen} {chosen!r} {ModelClient(chosen)!r}"
    assert chosen.key_state == "configured"


def test_a_practice_model_needs_no_key() -> None:
    assert settings({}).key_state == "not needed"


# --- requests -------------------------------------------------------------------------------------


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def sent_by(service: Any, write: Any, *values: Any, **options: Any) -> Any:
    served = service(write.text("Hello"))
    async with ModelClient(served.settings) as client:
        promised = client.request(*values, **options)
        await client.ask(*values, **options)
    assert served.requests[0].json == promised
    return promised


async def test_a_request_holds_the_model_the_messages_and_the_definitions(
    service: Any, write: Any
) -> None:
    sent = await sent_by(service, write, start("北京?"), [add], temperature=0)

    assert sent == {
        "model": "teaching",
        "messages": start("北京?"),
        "tools": [add.definition()],
        "temperature": 0,
    }


async def test_a_plain_function_can_be_offered_as_it_is(service: Any, write: Any) -> None:
    def ping() -> None:
        """Ping."""

    sent = await sent_by(service, write, start("?"), [ping])

    assert sent["tools"][0]["function"]["name"] == "ping"


async def test_what_needs_tools_is_left_out_without_them(service: Any, write: Any) -> None:
    sent = await sent_by(
        service, write, start("?"), tool_choice="required", parallel_tool_calls=False
    )

    assert sent == {"model": "teaching", "messages": start("?")}


async def test_a_streamed_request_asks_for_the_usage(service: Any, write: Any) -> None:
    served = service(write.events(piece({"content": "Hello"}, "stop")))
    async with ModelClient(served.settings) as client:
        await client.ask(start("?"), stream=True)

    assert served.requests[0].json["stream_options"] == {"include_usage": True}


async def test_the_key_travels_in_its_header_only(service: Any, write: Any, key: str) -> None:
    served = service(write.text("Hello"))
    async with ModelClient(served.settings) as client:
        await client.ask(start("?"))

    holding = [name for name, value in served.requests[0].headers.items() if key in value]
    assert holding == ["authorization"]


async def test_one_client_serves_many_conversations_at_the_same_time(
    service: Any, write: Any
) -> None:
    served = service(lambda request: write.text(request.json["messages"][0]["content"]))
    async with ModelClient(served.settings) as client:
        replies = await asyncio.gather(*(client.ask(start(str(n))) for n in range(8)))

    assert [reply.text for reply in replies] == [str(number) for number in range(8)]


# --- replies --------------------------------------------------------------------------------------


def test_a_reply_has_text_calls_reason_and_usage() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 2}

    reply = reply_from(completion(calls(call(), content="I add."), "stop", usage=usage), SERVICE)

    assert (reply.text, reply.finish_reason) == ("I add.", "stop")
    assert [item.name for item in reply.calls] == ["add"]
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (7, 2)


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "text",
        {},
        {"choices": None},
        {"choices": {}},
        {"choices": [None]},
        {"choices": [{"message": "text"}]},
        {"error": {"message": "in a 200"}},
    ],
)
def test_an_answer_without_a_message_is_an_error_that_quotes_it(payload: Any) -> None:
    with pytest.raises(ModelError, match="Chat Completions interface") as caught:
        reply_from(payload, SERVICE)

    assert caught.value.kind == "bad_response"
    assert caught.value.body == json.dumps(payload)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Hello", "Hello"),
        ("", None),
        (None, None),
        ([{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}], "Hello"),
        ([{"type": "image"}, None], None),
        (7, None),
    ],
)
def test_content_is_text_or_parts_or_nothing(content: Any, text: str | None) -> None:
    assert reply_from(completion({"content": content}), SERVICE).text == text


@pytest.mark.parametrize(
    ("finish_reason", "cut_off"),
    [("stop", False), ("length", True), ("max_tokens", True), (None, False), (7, False)],
)
def test_an_output_that_ended_too_early_is_cut_off(finish_reason: Any, cut_off: bool) -> None:
    assert reply_from(completion({"content": "x"}, finish_reason), SERVICE).cut_off == cut_off


def test_a_stream_without_a_finish_reason_has_broken_off() -> None:
    reply = reply_from(completion({"content": "x"}, None), SERVICE, streamed=True)

    assert reply.cut_off


def test_a_plain_answer_without_a_finish_reason_is_whole_and_its_call_may_run() -> None:
    function = {"name": "add", "arguments": "{}"}
    message = {"content": None, "tool_calls": [{"id": "c", "function": function}]}

    (made,) = reply_from(completion(message, None), SERVICE).calls

    assert made.problem == ""


def test_the_calls_of_a_reply_that_was_held_back_must_not_run() -> None:
    function = {"name": "add", "arguments": "{}"}
    message = {"content": None, "tool_calls": [{"id": "c", "function": function}]}

    reply = reply_from(completion(message, "content_filter"), SERVICE)

    assert (reply.refused, reply.calls[0].problem) == (True, "refused")


def test_the_old_form_of_a_call_is_a_call() -> None:
    message = {"content": None, "function_call": {"name": "add", "arguments": "{}"}}

    (made,) = reply_from(completion(message), SERVICE).calls

    assert (made.name, made.arguments) == ("add", "{}")


@pytest.mark.parametrize("ids", [("", ""), (None, None), ("c1", "c1"), (7, 7), ("c1", " ")])
def test_each_call_gets_an_id_of_its_own(ids: tuple[Any, Any]) -> None:
    payload = completion(calls(*(call(call_id) for call_id in ids)))

    first, second = reply_from(payload, SERVICE).calls

    assert first.id.strip()
    assert second.id.strip()
    assert first.id != second.id


def test_made_ids_are_the_same_for_the_same_answer() -> None:
    payload = completion(calls(call(""), call("")))

    assert reply_from(payload, SERVICE) == reply_from(payload, SERVICE)


async def test_half_a_character_in_a_reply_does_not_end_the_conversation(
    service: Any, write: Any
) -> None:
    half = json.dumps(completion({"content": "wave \ud83c\udf0a and \ud83c"})).encode()
    served = service(write.Answer(pieces=(half,)), write.text("Hello"))
    messages = start("?")

    async with ModelClient(served.settings) as client:
        append_reply(messages, await client.ask(messages))
        reply = await client.ask(messages)

    assert messages[1]["content"] == "wave 🌊 and \ufffd"
    assert reply.text == "Hello"


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "{}", "a", "\ud83c", "sk-"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "arguments", "id", "text"]), inner)
    ),
    max_leaves=4,
)
ODD_CALLS = ODD | st.fixed_dictionaries(
    {"function": ODD | st.fixed_dictionaries({"name": ODD, "arguments": ODD})},
    optional={"id": ODD, "type": ODD, "custom": ODD},
)
ODD_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": ODD,
        "content": ODD,
        "tool_calls": ODD | st.lists(ODD_CALLS, max_size=3),
        "function_call": ODD,
        "refusal": ODD,
        "reasoning_content": ODD,
    },
)


@given(message=ODD_MESSAGES, finish_reason=ODD)
def test_any_message_makes_a_reply_that_can_be_appended_and_sent(
    message: Any, finish_reason: Any
) -> None:
    reply = reply_from(completion(message, finish_reason), SERVICE)
    messages = start("?")

    append_reply(messages, reply)
    append_results(messages, [failed(item, "no", kind="x") for item in reply.calls])

    assert problems(messages) == []
    assert json.dumps(messages, ensure_ascii=False).encode("utf-8")


# --- streams --------------------------------------------------------------------------------------


def streamed(*chunks: Any) -> Any:
    accumulator = Accumulator()
    for chunk in chunks:
        accumulator.add(chunk)
    return accumulator.payload()


def piece(delta: Any, finish_reason: Any = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "chatcmpl-1", "choices": [choice]} | more


def cut(data: st.DataObject, text: str) -> list[str]:
    """`text` in pieces, cut at any points."""
    at = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[i:j] for i, j in zip([0, *at], [*at, len(text)], strict=True)]


PLAIN_CALLS = st.lists(
    st.tuples(st.text(max_size=8).filter(bool), st.text(max_size=20)), min_size=0, max_size=3
)


@given(data=st.data(), text=st.text(max_size=20), made=PLAIN_CALLS)
def test_a_streamed_answer_is_the_plain_one_wherever_it_was_cut(
    data: st.DataObject, text: str, made: list[tuple[str, str]]
) -> None:
    listed = [call(f"c{number}", *values) for number, values in enumerate(made)]
    message = {"role": "assistant", "content": text} | ({"tool_calls": listed} if listed else {})
    chunks = [piece({"role": "assistant", "content": part}) for part in cut(data, text)]
    for index, item in enumerate(listed):
        name, arguments = item["function"]["name"], item["function"]["arguments"]
        opening = {**item, "function": {"name": name, "arguments": ""}, "index": index}
        chunks.append(piece({"tool_calls": [opening]}))
        chunks += [
            piece({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
            for part in cut(data, arguments)
        ]
    chunks.append(piece({}, "tool_calls"))

    joined = streamed(*chunks)

    assert joined["choices"][0]["message"] == message
    assert joined["choices"][0]["finish_reason"] == "tool_calls"


def call_piece(index: Any = None, call_id: Any = None, **function: Any) -> dict[str, Any]:
    made = {"index": index, "id": call_id, "function": function}
    return piece({"tool_calls": [{key: value for key, value in made.items() if value is not None}]})


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (  # no index: a new id opens a call
            [
                call_piece(call_id="c1", name="add", arguments="{"),
                call_piece(arguments="}"),
                call_piece(call_id="c2", name="sub", arguments="{}"),
            ],
            [("c1", "add", "{}"), ("c2", "sub", "{}")],
        ),
        (  # the same index twice, with another id
            [
                call_piece(0, "c1", name="add", arguments="{}"),
                call_piece(0, "c2", name="sub", arguments="{}"),
            ],
            [("c1", "add", "{}"), ("c2", "sub", "{}")],
        ),
        (  # indexes in turns, from 1
            [
                call_piece(1, "c1", name="add", arguments=""),
                call_piece(2, "c2", name="sub", arguments=""),
                call_piece(1, arguments="[1]"),
                call_piece(2, arguments="[2]"),
            ],
            [("c1", "add", "[1]"), ("c2", "sub", "[2]")],
        ),
        (  # the id comes late
            [call_piece(0, name="add"), call_piece(0, "c1", arguments="{}")],
            [("c1", "add", "{}")],
        ),
        (  # the form before 2023-11
            [
                piece({"function_call": {"name": "add", "arguments": "{"}}),
                piece({"function_call": {"arguments": "}"}}),
            ],
            [("", "add", "{}")],
        ),
        (  # the arguments are an object already
            [call_piece(0, "c1", name="add", arguments={"a": 1})],
            [("c1", "add", {"a": 1})],
        ),
        (  # id and name come again with each piece
            [
                call_piece(0, "c1", name="add", arguments="{"),
                call_piece(0, "c1", name="add", arguments="}"),
            ],
            [("c1", "add", "{}")],
        ),
    ],
)
def test_pieces_find_their_call(chunks: list[Any], expected: list[tuple[str, str, str]]) -> None:
    made = streamed(*chunks)["choices"][0]["message"]["tool_calls"]

    assert [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in made] == expected


def test_the_usage_comes_from_the_chunk_without_a_choice() -> None:
    joined = streamed(piece({"content": "x"}, "stop"), {"choices": [], "usage": {"a": 1}})

    assert joined["usage"] == {"a": 1}


@given(st.lists(st.dictionaries(st.sampled_from(["choices", "id", "usage"]), ODD), max_size=4))
def test_odd_chunks_never_break_the_joining(chunks: list[Any]) -> None:
    assert streamed(*chunks)["object"] == "chat.completion"


@pytest.mark.parametrize(
    "chunks",
    [
        [{"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}],
        [piece({"content": [{"type": "text", "text": part}]}, "stop") for part in ("Hel", "lo")],
    ],
    ids=["a whole message", "parts"],
)
def test_text_in_other_forms_is_joined_too(chunks: list[Any]) -> None:
    assert streamed(*chunks)["choices"][0]["message"]["content"] == "Hello"


async def test_a_streamed_reply_is_the_plain_reply() -> None:
    with PracticeServer() as server:
        chosen = Settings(
            kind="practice", base_url=server.base_url, model="practice", api_key="any"
        )
        async with ModelClient(chosen) as client:
            plain = await client.ask(start("What is the weather in Beijing?"), [add])
            joined = await client.ask(start("What is the weather in Beijing?"), [add], stream=True)

    assert joined.message == plain.message
    assert joined.finish_reason == plain.finish_reason


async def test_a_stream_without_a_finish_reason_is_cut_off_and_runs_nothing(
    service: Any, write: Any
) -> None:
    served = service(write.events(call_piece(0, "c1", name="add", arguments="{}"), done=False))
    async with ModelClient(served.settings) as client:
        reply = await client.ask(start("?"), [add], stream=True)

    assert [item.problem for item in reply.calls] == ["truncated"]


# --- errors ---------------------------------------------------------------------------------------


async def failure(settings: Settings, *, stream: bool = False, **options: Any) -> ModelError:
    async with ModelClient(settings, **({"max_retries": 0} | options)) as client:
        with pytest.raises(ModelError) as caught:
            await client.ask(start("?"), stream=stream)
    return caught.value


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "wrong_key"),
        (403, "not_allowed"),
        (404, "not_found"),
        (408, "timeout"),
        (422, "bad_request"),
        (429, "rate_limited"),
        (500, "server_error"),
        (502, "server_error"),
    ],
)
async def test_each_status_has_a_kind_with_its_advice(
    service: Any, write: Any, status: int, kind: str, stream: bool
) -> None:
    served = service(write.json({"error": {"message": "said so"}}, status=status))

    error = await failure(served.settings, stream=stream)

    assert (error.kind, error.status) == (kind, status)
    assert str(error) == (
        f"The model 'teaching' at 127.0.0.1 refused with status {status}: said so {ADVICE[kind]}"
    )


@pytest.mark.parametrize("body", ['{"error": "said so"}', '{"detail": "said so"}', "said so"])
async def test_the_services_sentence_is_found_in_other_forms(
    service: Any, write: Any, body: str
) -> None:
    served = service(write.Answer(pieces=(body.encode(),), status=400))

    assert "status 400: said so The" in str(await failure(served.settings))


async def test_a_used_up_account_is_told_from_a_busy_service(service: Any, write: Any) -> None:
    said = {"error": {"message": "no credit", "code": "insufficient_quota"}}
    served = service(write.json(said, status=429))

    error = await failure(served.settings)

    assert error.kind == "quota"


async def test_a_busy_service_says_how_long_to_wait(service: Any, write: Any) -> None:
    answer = write.json({"error": {"message": "busy"}}, status=429, headers=(("retry-after", "7"),))

    error = await failure(service(answer).settings)

    assert "It asks to wait 7 seconds." in str(error)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_page_instead_of_json_is_named_so(service: Any, write: Any, stream: bool) -> None:
    served = service(write.page("<!DOCTYPE html><title>Gateway</title>"))

    error = await failure(served.settings, stream=stream)

    assert error.kind == "bad_response"
    assert "html" in str(error).lower()
    assert "ending in /v1" in str(error)


async def test_a_page_with_an_error_status_is_quoted_in_short(service: Any, write: Any) -> None:
    served = service(write.page("<html>" + "<p>busy</p>" * 200, status=502))

    error = await failure(served.settings)

    assert (error.kind, error.status) == ("server_error", 502)
    assert len(str(error)) < 600


@pytest.mark.parametrize("body", [b"", b"not json", b'{"id": "c", "choices": [{"in', b"\xff\xfe"])
async def test_a_malformed_body_is_a_bad_response(service: Any, write: Any, body: bytes) -> None:
    error = await failure(service(write.Answer(pieces=(body,))).settings)

    assert error.kind == "bad_response"


async def test_a_body_that_ends_anywhere_is_a_reply_or_an_error_of_ours(
    service: Any, write: Any
) -> None:
    whole = json.dumps(completion(calls(call())), ensure_ascii=False).encode()
    served = service(lambda request: write.Answer(pieces=(whole[: request.json["length"]],)))

    async with ModelClient(served.settings, max_retries=0) as client:
        for length in range(0, len(whole), 7):
            with pytest.raises(ModelError) as caught:
                await client.ask(start("?"), length=length)
            assert caught.value.kind == "bad_response"


async def test_a_refused_connection_says_to_look_at_the_address() -> None:
    nowhere = Settings(kind="remote", base_url="http://127.0.0.1:1/v1", model="m", api_key="any")

    error = await failure(nowhere)

    assert error.kind == "connection"
    assert "OPENAI_BASE_URL" in str(error)


async def test_an_unknown_host_says_to_look_at_the_address() -> None:
    nowhere = Settings(
        kind="remote", base_url="http://nowhere.invalid/v1", model="m", api_key="any"
    )

    assert (await failure(nowhere)).kind == "connection"


async def test_a_slow_service_ends_in_a_timeout(service: Any, write: Any) -> None:
    served = service(write.Answer(wait_s=1.0))

    error = await failure(served.settings, timeout_s=0.1)

    assert error.kind == "timeout"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("pieces", [(), (b'data: {"id": "c"}\n\n',)])
async def test_a_dropped_connection_is_a_clear_error(
    service: Any, write: Any, stream: bool, pieces: tuple[bytes, ...]
) -> None:
    headers = (("content-type", "text/event-stream"),)
    served = service(write.Answer(pieces=pieces, headers=headers, dropped=True))

    error = await failure(served.settings, stream=stream)

    assert error.kind == "connection"
    assert "gave no answer" in str(error)


@pytest.mark.parametrize("events", [[], [{"id": "c"}], [{"choices": []}, {"usage": {}}]])
async def test_a_stream_that_says_nothing_is_a_bad_response(
    service: Any, write: Any, events: list[Any]
) -> None:
    error = await failure(service(write.events(*events)).settings, stream=True)

    assert error.kind == "bad_response"


async def test_an_error_in_the_middle_of_a_stream_ends_it(service: Any, write: Any) -> None:
    events = (piece({"content": "Hel"}), {"error": {"message": "upstream closed"}})

    error = await failure(service(write.events(*events)).settings, stream=True)

    assert error.kind == "stream_error"
    assert "upstream closed" in str(error)


async def test_an_event_that_is_no_json_ends_the_stream(service: Any, write: Any) -> None:
    headers = (("content-type", "text/event-stream"),)
    served = service(write.Answer(pieces=(b"data: {broken\n\n",), headers=headers))

    error = await failure(served.settings, stream=True)

    assert error.kind == "stream_error"


async def test_a_wrong_key_is_told_by_the_practice_model() -> None:
    with PracticeServer() as server:
        chosen = Settings(
            kind="remote", base_url=server.base_url, model="practice", api_key="wrong-key"
        )

        error = await failure(chosen)

    assert error.kind == "wrong_key"
    assert "OPENAI_API_KEY" in str(error)


# --- trying again ---------------------------------------------------------------------------------


async def asked(service: Any, *script: Any, stream: bool = False, **options: Any) -> Any:
    """A reply or an error, the requests that came, and the waits between them, in seconds."""
    clock = FastClock(fraction=options.pop("fraction", 1.0))
    served = service(*script)
    async with ModelClient(served.settings, clock=clock, **options) as client:
        try:
            reached: Any = await client.ask(start("?"), [add], stream=stream)
        except ModelError as error:
            reached = error
    return reached, served.requests, clock.waits


@pytest.fixture
def said(write: Any) -> Any:
    """A service's refusal: `said(429, ("retry-after", "7"), code="busy")`."""

    def refusal(status: int, *headers: tuple[str, str], **error: Any) -> Any:
        body = {"error": {"message": "said so"} | error}
        return write.json(body, status=status, headers=headers)

    return refusal


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_a_failure_that_may_pass_is_tried_again(
    service: Any, write: Any, status: int, stream: bool, said: Any
) -> None:
    done = write.events(piece({"content": "Hello"}, "stop")) if stream else write.text("Hello")

    reply, requests, waits = await asked(service, said(status), said(status), done, stream=stream)

    assert (reply.text, len(requests)) == ("Hello", 3)
    assert waits == [0.5, 1.0]


async def test_a_service_can_tell_a_request_that_it_was_sent_before(
    service: Any, write: Any, said: Any
) -> None:
    _, requests, _ = await asked(service, said(503), said(503), write.text("Hello"))

    counts = [request.headers["x-stainless-retry-count"] for request in requests]
    assert counts == ["0", "1", "2"]


async def test_a_request_tells_nothing_of_the_machine_that_it_comes_from(
    service: Any, write: Any
) -> None:
    _, requests, _ = await asked(service, write.text("Hello"))

    named = {name.lower() for name in requests[0].headers}
    assert {name for name in named if name.startswith("x-stainless")} == {"x-stainless-retry-count"}


async def test_a_lost_connection_is_tried_again(service: Any, write: Any) -> None:
    reply, _, _ = await asked(service, write.Answer(dropped=True), write.text("Hello"))

    assert reply.text == "Hello"


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_a_request_that_will_fail_again_is_sent_once(
    service: Any, status: int, said: Any
) -> None:
    error, requests, waits = await asked(service, said(status))

    assert (len(requests), waits, error.tries) == (1, [], 1)
    assert "tried" not in str(error)


@pytest.mark.parametrize("code", ["insufficient_quota", "billing_hard_limit_reached"])
async def test_a_used_up_account_is_not_asked_again(service: Any, code: str, said: Any) -> None:
    error, requests, _ = await asked(service, said(429, ("retry-after", "1"), code=code))

    assert (error.kind, len(requests)) == ("quota", 1)


async def test_a_service_that_says_not_to_try_again_is_obeyed(service: Any, said: Any) -> None:
    _, requests, _ = await asked(service, said(500, ("x-should-retry", "false")))

    assert len(requests) == 1


async def test_after_the_last_try_the_error_says_how_many_there_were(
    service: Any, said: Any
) -> None:
    error, requests, _ = await asked(service, said(503), max_retries=3)

    assert (len(requests), error.tries, error.kind) == (4, 4, "server_error")
    assert f"said so (It was tried 4 times.) {ADVICE['server_error']}" in str(error)


async def test_an_error_of_another_kind_ends_the_tries(service: Any, said: Any) -> None:
    error, requests, _ = await asked(service, said(503), said(400))

    assert (len(requests), error.tries, error.kind) == (2, 2, "bad_request")


async def test_the_waits_are_drawn_below_limits_that_double(service: Any, said: Any) -> None:
    _, _, waits = await asked(service, said(503), max_retries=7, fraction=0.5)

    assert waits == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0]


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ([("retry-after", "7")], 7.0),
        ([("retry-after", "0.25")], 0.25),
        ([("retry-after", "-3")], 0.0),
        ([("retry-after-ms", "1500"), ("retry-after", "7")], 1.5),
        ([("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")], 0.0),
        ([("retry-after", "soon")], 0.5),
        ([("retry-after", "nan")], 0.5),
        ([("retry-after", "inf")], 0.5),
        ([("retry-after", "Thu, 99 Jan 1970")], 0.5),
    ],
)
async def test_the_wait_that_a_service_asks_for_is_kept(
    service: Any, write: Any, headers: Any, wait_s: float, said: Any
) -> None:
    _, _, waits = await asked(service, said(429, *headers), write.text("Hello"))

    assert waits == [wait_s]


def test_a_date_to_come_back_at_is_made_seconds() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)

    assert 95 <= (retry_after_s({"retry-after": later}) or 0) <= 101


async def test_a_wait_that_is_too_long_is_told_at_once(service: Any, said: Any) -> None:
    error, requests, waits = await asked(service, said(429, ("retry-after", "3600")))

    assert (len(requests), waits) == (1, [])
    assert "It asks to wait 3600 seconds." in str(error)


async def test_a_stream_that_has_begun_is_not_asked_for_again(service: Any, write: Any) -> None:
    begun = write.events(call_piece(0, "c1", name="add"), done=False, dropped=True)

    error, requests, _ = await asked(service, begun, stream=True)

    assert (error.kind, len(requests)) == ("connection", 1)


async def test_an_answer_that_trickles_for_ever_has_a_time_limit(service: Any, write: Any) -> None:
    drops = [piece({"content": "."})] * 50
    served = service(write.events(*drops, gap_s=0.05))

    error = await failure(served.settings, stream=True, timeout_s=0.3)

    assert error.kind == "timeout"
    assert "gave no whole answer in 0.3 seconds" in str(error)


async def test_a_slow_answer_is_tried_again_with_a_limit_of_its_own(
    service: Any, write: Any
) -> None:
    slow = write.Answer(wait_s=0.6)

    reply, requests, _ = await asked(service, slow, write.text("Hello"), timeout_s=0.5)

    assert (reply.text, len(requests)) == ("Hello", 2)


# --- what a service does not know -----------------------------------------------------------------

PARAMETER = {"code": "unsupported_parameter"}


async def sent_with(
    service: Any, *script: Any, times: int = 1, stream: bool = False, **options: Any
) -> Any:
    """The last reply or an error, and the requests that came."""
    served = service(*script)
    async with ModelClient(served.settings, max_retries=0) as client:
        try:
            for _ in range(times):
                reached: Any = await client.ask(start("?"), [add], stream=stream, **options)
        except ModelError as error:
            reached = error
    return reached, [request.json for request in served.requests]


@pytest.mark.parametrize(
    ("name", "value", "refusal"),
    [
        ("parallel_tool_calls", False, {"param": "parallel_tool_calls", **PARAMETER}),
        ("parallel_tool_calls", False, {"message": "parallel_tool_calls cannot be used here"}),
        ("parallel_tool_calls", True, {"message": "we don't yet support parallel_tool_calls"}),
        ("tool_choice", "required", {"message": "tool_choice 'required' is not supported"}),
        ("temperature", 0, {"message": "Unsupported value: 'temperature' does not support 0"}),
        ("seed", 1, {"message": "Unrecognized request argument supplied: seed"}),
        ("reasoning_effort", "low", {"message": "unknown field `reasoning_effort`"}),
        ("top_p", 1, {"message": "[{'loc': ['body', 'top_p'], 'msg': 'Extra inputs are not'}]"}),
    ],
)
async def test_an_optional_field_that_is_refused_is_left_out_and_noted(
    service: Any, write: Any, name: str, value: Any, refusal: dict[str, Any], said: Any
) -> None:
    script = [said(400, **refusal), write.calls(("c1", "add", "{}"))]

    reply, sent = await sent_with(service, *script, **{name: value})

    assert reply.notes == (f"dropped {name}",)
    assert sent[1] == {key: kept for key, kept in sent[0].items() if key != name}


async def test_stream_options_that_are_refused_are_left_out(
    service: Any, write: Any, said: Any
) -> None:
    refusal = said(422, message="stream_options: extra fields not permitted")
    answer = write.events(piece({"content": "Hello"}, "stop"))

    reply, sent = await sent_with(service, refusal, answer, stream=True)

    assert (reply.text, reply.notes) == ("Hello", ("dropped stream_options",))
    assert "stream_options" not in sent[1]


async def test_two_refused_fields_are_left_out_one_after_the_other(
    service: Any, write: Any, said: Any
) -> None:
    refusals = [said(400, param=name, **PARAMETER) for name in ("seed", "temperature")]

    reply, sent = await sent_with(service, *refusals, write.text("Hi"), seed=1, temperature=0)

    assert reply.notes == ("dropped seed", "dropped temperature")
    assert len(sent) == 3


async def test_a_refused_field_is_not_sent_to_the_same_service_again(
    service: Any, write: Any, said: Any
) -> None:
    script = [said(400, param="seed", **PARAMETER), write.text("Hi")]

    reply, sent = await sent_with(service, *script, times=3, seed=1)

    assert [("seed" in body) for body in sent] == [True, False, False, False]
    assert reply.notes == ("dropped seed",)


async def test_another_choice_is_sent_although_one_was_refused(
    service: Any, write: Any, said: Any
) -> None:
    served = service(said(400, param="tool_choice", **PARAMETER), write.text("Hi"))

    async with ModelClient(served.settings) as client:
        for choice in ("required", NAMED, "required"):
            await client.ask(start("?"), [add], tool_choice=choice)

    choices = [request.json.get("tool_choice") for request in served.requests]
    assert choices == ["required", None, NAMED, None]


async def test_a_limit_on_tokens_is_renamed_and_never_dropped(
    service: Any, write: Any, said: Any
) -> None:
    message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."

    reply, sent = await sent_with(
        service, said(400, message=message), write.text("Hi"), max_tokens=9
    )

    assert (sent[1]["max_completion_tokens"], "max_tokens" in sent[1]) == (9, False)
    assert reply.notes == ("renamed max_tokens",)


async def test_a_limit_that_is_refused_by_both_names_is_an_error(service: Any, said: Any) -> None:
    refusals = [
        said(400, param=name, **PARAMETER) for name in ("max_tokens", "max_completion_tokens")
    ]

    error, sent = await sent_with(service, *refusals, max_tokens=9)

    assert (error.kind, len(sent)) == ("bad_request", 2)


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({"tool_choice": "any"}, {"message": "'tool_choice' must be one of auto, none"}),
        ({"tool_choice": "none"}, {"param": "tool_choice", **PARAMETER}),
        ({"seed": "x"}, {"param": "seed", "code": "invalid_type"}),
        ({"seed": 1}, {"param": "tools[0].function", **PARAMETER}),
        ({"response_format": {}}, {"param": "response_format", **PARAMETER}),
        ({}, {"param": "seed", **PARAMETER}),
        ({}, {"message": "messages[3].content must be a string"}),
    ],
)
async def test_any_other_refusal_is_an_error_at_once(
    service: Any, options: dict[str, Any], refusal: dict[str, Any], said: Any
) -> None:
    error, sent = await sent_with(service, said(400, **refusal), **options)

    assert (error.kind, len(sent)) == ("bad_request", 1)


# --- notes on a reply -----------------------------------------------------------------------------


async def test_plain_json_in_place_of_a_stream_is_a_plain_reply(service: Any, write: Any) -> None:
    reply, _ = await sent_with(service, write.calls(("c1", "add", "{}")), stream=True)

    assert ([made.name for made in reply.calls], reply.notes) == (["add"], ("not_streamed",))


async def test_events_with_another_label_are_read_as_events(service: Any, write: Any) -> None:
    events = write.events(piece({"content": "Hello"}, "stop"))
    answer = write.Answer(pieces=events.pieces, headers=(("content-type", "text/plain"),))

    reply, _ = await sent_with(service, answer, stream=True)

    assert (reply.text, reply.notes) == ("Hello", ())


def notes(message: dict[str, Any], choice: Any = None, finish_reason: str = "stop") -> Any:
    body = {"tools": [add.definition()], "tool_choice": choice}
    return notes_on(reply_from(completion(message, finish_reason), SERVICE), body)


NAMED = {"type": "function", "function": {"name": "add"}}


@pytest.mark.parametrize(
    ("choice", "message", "noted"),
    [
        ("required", {"content": "5"}, ("required_not_honoured",)),
        (NAMED, {"content": "5"}, ("required_not_honoured",)),
        (NAMED, calls(call(name="sub")), ("required_not_honoured",)),
        (NAMED, calls(call()), ()),
        ("required", calls(call()), ()),
        ("auto", {"content": "5"}, ()),
        (None, {"content": "5"}, ()),
        ("none", {"content": "5"}, ()),
        ("none", calls(call()), ("none_not_honoured",)),
        ("required", {"content": None, "refusal": "No."}, ()),
    ],
)
def test_a_choice_that_was_not_honoured_is_noted(choice: Any, message: Any, noted: Any) -> None:
    assert notes(message, choice) == noted


def test_an_answer_that_was_cut_off_had_no_chance_to_honour_a_choice() -> None:
    assert notes({"content": "I thi"}, "required", "length") == ()


CALL = '{"name": "add", "arguments": {"a": 1}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"```json\n{CALL}\n```",
        '{"name": "add", "parameters": {}}',
        f"I add. <tool_call>\n{CALL}\n</tool_call>",
        '[TOOL_CALLS]add{"a": 1}',
        "<function=add>\n<parameter=a>1</parameter>\n</function>",
        "<use_mcp_tool>\n<tool_name>add</tool_name>",
        "<|python_tag|>add.call(a=1)",
        '<invoke name="add">',
        'functools[{"name": "add"}]',
    ],
)
def test_a_text_that_is_a_call_is_noted_and_runs_nothing(text: str) -> None:
    reply = reply_from(completion({"content": text}), SERVICE)

    assert notes({"content": text}) == ("looks_like_tool_call",)
    assert (reply.calls, reply.text) == ((), text)


@pytest.mark.parametrize(
    "text",
    [
        "It is 5.",
        f"You would send {CALL} to the service.",
        f"In that format:\n```\n<tool_call>{CALL}</tool_call>\n```",
        "A call begins with `<tool_call>{`.",
        '{"name": "unknown", "arguments": {}}',
        '{"name": "add"}',
        "{broken",
        "{" * 9_000 + "}",
        "A <tool_call> is a tag.",
    ],
)
def test_a_text_that_only_speaks_of_calls_is_not_noted(text: str) -> None:
    assert notes({"content": text}) == ()


def test_without_tools_no_text_looks_like_a_call() -> None:
    assert notes_on(reply_from(completion({"content": CALL}), SERVICE), {}) == ()


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_what_a_model_thought_is_kept_and_goes_back_with_the_message(name: str) -> None:
    reply = reply_from(completion({"content": "5", name: "2 + 3"}), SERVICE)

    assert (reply.reasoning, reply.message[name]) == ("2 + 3", "2 + 3")


@given(message=ODD_MESSAGES, choice=ODD, finish_reason=ODD)
def test_any_reply_can_be_looked_over(message: Any, choice: Any, finish_reason: Any) -> None:
    body = {"tools": [add.definition()], "tool_choice": choice}

    noted = notes_on(reply_from(completion(message, finish_reason), SERVICE), body)

    assert set(noted) <= {"required_not_honoured", "none_not_honoured", "looks_like_tool_call"}


# --- ids over a conversation ----------------------------------------------------------------------


def test_a_call_with_an_id_that_was_used_gets_another_in_the_message_too() -> None:
    reply = reply_from(completion(calls(call("c1"), call("c2"))), SERVICE)

    own = with_own_ids(reply, {"c1"})

    ids = [made.id for made in own.calls]
    assert ids[0] != "c1"
    assert ids[1] == "c2"
    assert [made["id"] for made in own.message["tool_calls"]] == ids


def test_a_reply_with_new_ids_stays_as_it_is() -> None:
    reply = reply_from(completion(calls(call("c1"))), SERVICE)

    assert with_own_ids(reply, {"c2"}) is reply


# --- keys -----------------------------------------------------------------------------------------


def everything_of(error: BaseException) -> str:
    """What a notebook could show of an error, hidden causes too."""
    shown = "".join(traceback.format_exception(error))
    while error:
        shown += f"{error!r} {vars(error)}"
        shown += "".join(traceback.format_exception(error))
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return shown


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
@pytest.mark.parametrize("shape", ["{key}", "sk-test***1234", "密钥sk-test**34", "Bearer {key}!"])
async def test_no_text_of_an_error_holds_the_key(
    service: Any, write: Any, key: str, shape: str, status: int, stream: bool
) -> None:
    said = f"wrong: {shape.format(key=key)}"
    headers = (("content-type", "application/json"), ("retry-after", key))
    served = service(write.json({"error": {"message": said}}, status=status, headers=headers))

    shown = everything_of(await failure(served.settings, stream=stream))

    assert "sk-test" not in shown
    assert "1234" not in shown


async def test_no_text_of_a_stream_error_holds_the_key(service: Any, write: Any, key: str) -> None:
    served = service(write.events({"error": {"message": f"wrong: {key}"}}))

    shown = everything_of(await failure(served.settings, stream=True))

    assert "sk-test" not in shown
    assert "wrong: (hidden)" in shown


async def test_a_key_of_another_form_is_hidden_too(service: Any, write: Any) -> None:
    served = service(write.json({"error": {"message": "key abcd****7890 is wrong"}}, status=401))
    chosen = Settings(
        kind="remote", base_url=served.base_url, model="m", api_key="abcdefghij1234567890"
    )

    assert "key (hidden) is wrong" in str(await failure(chosen))


async def test_frames_of_a_failed_request_are_kept(service: Any, write: Any) -> None:
    served = service(write.page("<html>busy</html>", status=502))

    with Recorder() as recorder:
        await failure(served.settings)

    assert [frame.status for frame in recorder.frames] == [None, 502]


def test_the_front_door_starts_the_practice_model_on_first_use() -> None:
    assert course_pkg.settings({}).base_url == course_pkg.settings({}).base_url
