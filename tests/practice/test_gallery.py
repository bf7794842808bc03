"""The failure gallery: every failure can be asked for by name, and is what it says that it is."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from course_pkg.conversation import problems
from course_pkg.loop import MAX_TURNS, run
from course_pkg.model import ModelClient, ModelError, Settings
from course_pkg.practice import CALLER_MISTAKES, Fault, PracticeServer, gallery
from course_pkg.practice.fault import Group
from course_pkg.samples import MORE_TOOL_NAMES, TOOL_NAMES, toolbox

CASES = Path(__file__).parents[1] / "cases"
LEAST = 60
GALLERY = gallery()
BY_NAME = {fault.name: fault for fault in GALLERY}
QUICK = [fault for fault in GALLERY if not fault.wait_s]

Ask = Callable[..., httpx2.Response]

each = pytest.mark.parametrize("fault", GALLERY, ids=lambda fault: fault.name)


def some(*groups: str) -> pytest.MarkDecorator:
    chosen = [fault for fault in GALLERY if fault.group in groups]
    return pytest.mark.parametrize("fault", chosen, ids=lambda fault: fault.name)


@pytest.fixture(scope="module")
def definitions() -> list[dict[str, Any]]:
    return [item.definition() for item in toolbox(*TOOL_NAMES, *MORE_TOOL_NAMES).values()]


@pytest.fixture
def ask(practice: PracticeServer, definitions: list[dict[str, Any]]) -> Iterator[Ask]:
    """Send the question that shows a fault: `ask(fault)`, `ask(fault, model="practice")`."""
    headers = {"authorization": "Bearer any"}
    with httpx2.Client(base_url=practice.base_url, headers=headers, timeout=10) as made:

        def send(fault: Fault, *after: dict[str, Any], **more: Any) -> httpx2.Response:
            messages = [{"role": "user", "content": fault.question}, *after]
            usual = {"model": fault.model, "messages": messages, "tools": definitions}
            body = usual | dict(fault.options) | more
            sent = {name: value for name, value in body.items() if value is not None}
            return made.post("/chat/completions", json=sent)

        yield send


def message_in(response: httpx2.Response) -> dict[str, Any]:
    message: dict[str, Any] = response.json()["choices"][0]["message"]
    return message


def functions_in(response: httpx2.Response) -> list[dict[str, Any]]:
    return [call["function"] for call in message_in(response).get("tool_calls", ())]


def events_in(response: httpx2.Response) -> list[str]:
    return [event for event in response.text.replace("\r", "").split("\n\n") if event]


def chunks_in(response: httpx2.Response) -> list[dict[str, Any]]:
    events = [event.removeprefix("data: ") for event in events_in(response)]
    return [json.loads(event) for event in events if event.startswith("{")]


def pieces_in(response: httpx2.Response) -> list[dict[str, Any]]:
    deltas = [choice["delta"] or {} for chunk in chunks_in(response) for choice in chunk["choices"]]
    return [piece for delta in deltas for piece in delta.get("tool_calls") or ()]


# --- the table -----------------------------------------------------------------------------------


def test_the_gallery_is_large_and_each_name_is_there_once() -> None:
    assert len(BY_NAME) == len(GALLERY) >= LEAST
    assert len({fault.title for fault in GALLERY}) == len(GALLERY)


def test_every_group_has_failures() -> None:
    assert {fault.group for fault in GALLERY} == set(typing.get_args(Group))


@each
def test_an_entry_names_a_case_and_says_in_one_sentence_what_happens(fault: Fault) -> None:
    assert list(CASES.glob(f"{fault.case}-*.json"))
    assert fault.says.endswith(".")
    assert ". " not in fault.says


def test_the_cases_of_odd_replies_are_all_in_the_gallery() -> None:
    cases = {path.name[:4] for path in CASES.glob("a-*.json")}

    assert cases - {fault.case for fault in GALLERY} == set()


def test_every_failure_is_listed_by_the_server(client: openai.OpenAI) -> None:
    listed = [model.id for model in client.models.list()]

    assert listed == ["practice", *(fault.model for fault in GALLERY)]


# --- what comes over the wire --------------------------------------------------------------------


WHOLE = [fault for fault in QUICK if fault.kept_share == 1]


@pytest.mark.parametrize("fault", WHOLE, ids=lambda fault: fault.name)
def test_the_same_request_gets_the_same_bytes(fault: Fault, ask: Ask) -> None:
    assert ask(fault).content == ask(fault).content


#: Refused is only what a program may send back after the first reply.
REFUSED_LATER = {"empty_arguments_refused", "broken_arguments_refused", "thinking_wanted_back"}
REPLACED = [
    fault for fault in GALLERY if fault.body is not None and fault.name not in REFUSED_LATER
]


@pytest.mark.parametrize("fault", REPLACED, ids=lambda fault: fault.name)
def test_a_reply_that_is_replaced_has_the_status_type_and_body_of_its_row(
    fault: Fault, ask: Ask
) -> None:
    body = fault.body.encode() if isinstance(fault.body, str) else fault.body

    response = ask(fault)

    assert (response.status_code, response.content) == (fault.status, body)
    assert response.headers["content-type"] == fault.content_type
    assert fault.headers.items() <= dict(response.headers).items()


#: These spoil the first reply only together with what came before, or do not spoil it at all.
SEEN_LATER = {
    "answer_cut_off",
    "same_call_forever",
    "two_call_circle",
    "never_the_same_call",
    "call_without_offer",
    "forced_forever",
    "call_made_twice",
    "silent_after_results",
}
SPOILT = [
    fault for fault in QUICK if fault not in REPLACED and fault.name not in {*SEEN_LATER, "dropped"}
]


@pytest.mark.parametrize("fault", SPOILT, ids=lambda fault: fault.name)
def test_a_spoilt_reply_is_not_the_good_one(fault: Fault, ask: Ask) -> None:
    response = ask(fault)

    assert response.status_code == 200
    assert without_ids(response) != without_ids(ask(fault, model="practice"))


def without_ids(response: httpx2.Response) -> str:
    """The body without the ids and names that are made of the request."""
    return re.sub(r'"(?:call_|chatcmpl-)[0-9a-f]{24}"|"practice[^"]*"', '"same"', response.text)


#: The arguments of the first call, in the very characters that are sent.
WRITTEN = {
    "broken_arguments": "{'city': 'Paris',}",
    "arguments_empty": "",
    "arguments_blank": " \n",
    "arguments_null": "null",
    "arguments_list": '["Paris"]',
    "arguments_bare_value": '"Paris"',
    "arguments_encoded_twice": '"{\\"city\\": \\"Paris\\"}"',
    "python_literal": "{'city': 'Paris'}",
    "trailing_comma": '{"city": "Paris",}',
    "code_fence": '```json\n{"city": "Paris"}\n```',
    "text_after_arguments": '{"city": "Paris"}\nThat should do it.',
    "text_before_arguments": 'These are my arguments: {"city": "Paris"}',
    "closing_tag_after_arguments": '{"city": "Paris"}\n</tool_call>',
    "two_objects": '{"city": "Paris"}{"city": "Paris"}',
    "line_break_in_text": '{"city": "\nParis"}',
    "escaped_characters": '{"city": "\\u0050\\u0061\\u0072\\u0069\\u0073"}',
    "missing_quote": '{"city": Paris"}',
    "missing_brace": '{"city": "Paris"',
    "comment_in_arguments": '{"city": "Paris" // as the user said\n}',
    "not_a_number": '{"city": NaN}',
    "argument_given_twice": '{"city": null, "city": "Paris"}',
    "list_for_text": '{"city": ["Paris"]}',
    "quoted_text": '{"city": "\'Paris\'"}',
    "escaped_twice": '{"city": "Paris\\\\n"}',
    "number_as_text": '{"query": "tool calls", "num_results": "2"}',
    "big_number_as_text": '{"query": "tool calls", "num_results": "9007199254740993"}',
    "number_with_words": '{"query": "tool calls", "num_results": "about 2"}',
    "boolean_as_text": '{"to": "Ada", "content": "lunch is ready", "urgent": "True"}',
    "half_character": '{"city": "Paris\\ud83c"}',
    "value_not_allowed": '{"city": "Paris", "unit": "FAHRENHEIT"}',
    "argument_renamed": '{"the_city": "Paris"}',
    "argument_made_up": '{"city": "Paris", "verbose": true}',
    "argument_missing": "{}",
    "null_for_optional": '{"city": "Paris", "unit": null}',
    "arguments_wrapped": '{"arguments": {"city": "Paris"}}',
    "cut_off": '{"city": "P',
    "cut_off_before_arguments": "",
    "cut_off_between_calls": '{"city": "Paris"}',
    "arguments_object": {"city": "Paris"},
    "name_as_code": "{}",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_arguments_are_written_as_promised(name: str, ask: Ask) -> None:
    assert functions_in(ask(BY_NAME[name]))[0]["arguments"] == WRITTEN[name]


@pytest.mark.parametrize(
    ("name", "recipients"),
    [
        ("list_as_text", '["ada@example.com", "bob@example.com"]'),
        ("items_as_text", ['"ada@example.com"', '"bob@example.com"']),
        ("text_for_list", "ada@example.com"),
    ],
)
def test_a_list_is_spoilt_in_the_tool_that_wants_one(name: str, recipients: Any, ask: Ask) -> None:
    function = functions_in(ask(BY_NAME[name]))[0]

    assert function["name"] == "send_emails"
    assert json.loads(function["arguments"])["recipients"] == recipients


NAMED = {
    "unknown_tool": "get_weather_now",
    "name_in_camel_case": "GetWeather",
    "name_with_spaces": " get_weather ",
    "name_empty": "",
    "name_as_code": "get_weather(city='Paris')",
    "wrapper_tool": "multi_tool_use.parallel",
    "name_prefixed": "functions.get_weather",
    "control_token_in_name": "get_weather<|channel|>commentary",
}


@pytest.mark.parametrize("name", NAMED)
def test_names_are_spoilt_as_promised(name: str, ask: Ask) -> None:
    assert [item["name"] for item in functions_in(ask(BY_NAME[name]))] == [NAMED[name]]


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("ids_empty", ["", ""]),
        ("ids_null", [None, None]),
        ("ids_missing", ["none", "none"]),
        ("ids_are_numbers", [0]),
        ("ids_duplicate", ["call_1", "call_1"]),
        ("id_too_long", ["call_" + "0" * 295]),
    ],
)
def test_ids_are_spoilt_as_promised(name: str, ids: list[Any], ask: Ask) -> None:
    calls = message_in(ask(BY_NAME[name]))["tool_calls"]

    assert [call.get("id", "none") for call in calls] == ids


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("type_missing", {"id", "function"}),
        ("function_missing", {"id", "type"}),
        ("custom_call", {"id", "type", "custom"}),
    ],
)
def test_calls_have_the_promised_fields(name: str, fields: set[str], ask: Ask) -> None:
    assert set(message_in(ask(BY_NAME[name]))["tool_calls"][0]) == fields


def test_the_form_of_2023_has_one_call_in_its_own_field(ask: Ask) -> None:
    message = message_in(ask(BY_NAME["function_call_of_old"]))

    assert "tool_calls" not in message
    assert message["function_call"] == {"name": "get_weather", "arguments": '{"city": "Paris"}'}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("finish_stop", "stop"),
        ("finish_foreign", "function_calls"),
        ("finish_null", None),
        ("cut_off", "length"),
        ("cut_off_between_calls", "length"),
        ("held_back", "content_filter"),
        ("no_calls_listed", "tool_calls"),
        ("named_choice_stop", "stop"),
    ],
)
def test_the_finish_reason_is_as_promised(name: str, reason: str | None, ask: Ask) -> None:
    assert ask(BY_NAME[name]).json()["choices"][0]["finish_reason"] == reason


CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
SAID = {
    "call_as_text": CALL,
    "call_as_text_in_fence": f"```json\n{CALL}\n```",
    "call_announced": "I will call get_weather now and come back to you.",
    "hermes_text": f"<tool_call>\n{CALL}\n</tool_call>",
    "hermes_unclosed": f"Let me see.\n<tool_call>\n{CALL}",
    "hermes_broken_json": f"<tool_call>\n{CALL[:-2]}\n</tool_call>",
    "qwen3_coder_text": "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n"
    "</parameter>\n</function>\n</tool_call>",
    "qwen3_coder_unclosed": "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n"
    "</function>\n</tool_call>",
    "raw_markup": '[TOOL_CALLS]get_weather{"city": "Paris"}',
    "required_ignored": "It is probably as it always is at this time of the year.",
    "empty_answer": None,
    "blank_answer": "\n\n",
    "declined": None,
    "held_back": None,
    "content_in_parts": [{"type": "text", "text": "Let me see."}],
}


@pytest.mark.parametrize("name", SAID)
def test_the_content_is_as_promised(name: str, ask: Ask) -> None:
    assert message_in(ask(BY_NAME[name]))["content"] == SAID[name]


@some("text formats")
def test_a_call_in_a_text_format_is_a_text_about_the_users_question(fault: Fault, ask: Ask) -> None:
    message = message_in(ask(fault))

    assert "tool_calls" not in message
    assert "get_weather" in message["content"]
    assert "Paris" in message["content"]


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("choices_empty", []),
        ("choices_null", None),
        ("choice_null", [None]),
    ],
)
def test_the_choices_are_as_promised(name: str, choices: Any, ask: Ask) -> None:
    assert ask(BY_NAME[name]).json()["choices"] == choices


def test_thinking_comes_in_its_own_field_plain_and_in_pieces(ask: Ask) -> None:
    fault = BY_NAME["thinking_field"]
    streamed = chunks_in(ask(fault, stream=True))
    pieces = [chunk["choices"][0]["delta"].get("reasoning_content", "") for chunk in streamed]

    assert message_in(ask(fault))["reasoning_content"] == "".join(pieces) != ""


# --- streams, read raw ---------------------------------------------------------------------------


STREAMED: Mapping[str, Callable[[list[dict[str, Any]]], bool]] = {
    "stream_index_missing": lambda pieces: all("index" not in piece for piece in pieces),
    "stream_index_repeated": lambda pieces: (
        {piece["index"] for piece in pieces} == {0} and len(ids_of(pieces)) == 2
    ),
    "stream_in_one_piece": lambda pieces: (
        [json.loads(piece["function"]["arguments"])["city"] for piece in pieces]
        == ["Paris", "Tokyo"]
    ),
    "stream_index_from_one": lambda pieces: {piece["index"] for piece in pieces} == {1},
    "stream_name_repeated": lambda pieces: (
        len(pieces) > 2 and {piece["function"]["name"] for piece in pieces} == {"get_weather"}
    ),
    "stream_name_in_pieces": lambda pieces: (
        [piece["function"].get("name") for piece in pieces[:2]] == ["get_w", "eather"]
    ),
    "stream_id_late": lambda pieces: "id" not in pieces[0] and "id" in pieces[1],
    "stream_id_emptied": lambda pieces: bool(pieces[0]["id"]) and pieces[1]["id"] == "",
    "stream_type_missing": lambda pieces: all("type" not in piece for piece in pieces),
    "stream_arguments_absent": lambda pieces: all(
        "arguments" not in piece["function"] for piece in pieces
    ),
}


def ids_of(pieces: list[dict[str, Any]]) -> set[str]:
    return {piece["id"] for piece in pieces if piece.get("id")}


@pytest.mark.parametrize("name", STREAMED)
def test_the_pieces_of_a_stream_are_spoilt_as_promised(name: str, ask: Ask) -> None:
    response = ask(BY_NAME[name])

    assert response.headers["content-type"].startswith("text/event-stream")
    assert events_in(response)[-1] == "data: [DONE]"
    assert STREAMED[name](pieces_in(response))


ENDS = {
    "stream_error_event": lambda events: "error" in json.loads(events[-1][6:]),
    "stream_breaks_off": lambda events: '"finish_reason": null' in events[-1],
    "stream_without_reason": lambda events: (
        events[-1] == "data: [DONE]" and '"tool_calls"}' not in "".join(events)
    ),
    "stream_without_done": lambda events: '"finish_reason": "tool_calls"' in events[-1],
    "stream_empty": lambda events: events == ["data: [DONE]"],
    "stream_event_no_json": lambda events: events[-2] == 'data: {"id": "chatc',
    "stream_with_comments": lambda events: events[::2] == [": still at work"] * (len(events) // 2),
    "stream_opens_without_choice": lambda events: '"choices": []' in events[0],
    "stream_delta_null": lambda events: '"delta": null' in events[-2],
    "stream_reason_with_each": lambda events: all('"tool_calls"}' in item for item in events[:-1]),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_events_of_a_stream_are_as_promised(name: str, ask: Ask) -> None:
    assert ENDS[name](events_in(ask(BY_NAME[name])))


def test_lines_may_end_otherwise(ask: Ask) -> None:
    text = ask(BY_NAME["stream_other_line_ends"]).text

    assert text.endswith("data: [DONE]\r\n\r\n")


def test_a_plain_reply_may_come_where_a_stream_was_asked_for(ask: Ask) -> None:
    response = ask(BY_NAME["stream_not_streamed"])

    assert response.headers["content-type"] == "application/json"
    assert functions_in(response)[0]["name"] == "get_weather"


@some("stream")
def test_a_stream_failure_leaves_a_plain_reply_good(fault: Fault, ask: Ask) -> None:
    assert {item["name"] for item in functions_in(ask(fault, stream=False))} == {"get_weather"}


# --- requests that leave little to spoil ----------------------------------------------------------

BARE = {"type": "function", "function": {"name": "ping"}}
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}
NO_PARAMETERS = {"type": "function", "function": {"name": "ping", "parameters": EMPTY}}
NAMED_CHOICE = {"type": "function", "function": {"name": "calculate"}}
ANSWERED = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hello."},
]
LEAN: list[dict[str, Any]] = [
    {"tools": None},
    {"tool_choice": "none"},
    {"tool_choice": "required"},
    {"tool_choice": NAMED_CHOICE},
    {"tools": [BARE]},
    {"tools": [NO_PARAMETERS], "messages": ANSWERED[:1]},
    {"messages": ANSWERED},
    {"messages": [{"role": "system", "content": "Be brief."}]},
    {"messages": ANSWERED[1:]},
    {"max_completion_tokens": 1},
    {"max_completion_tokens": 6, "stream": True, "stream_options": {"include_usage": True}},
    {"tool_choice": "none", "stream": True},
]


@pytest.mark.parametrize("place", range(len(LEAN)))
@pytest.mark.parametrize("stream", [False, True])
def test_no_failure_is_a_mistake_of_the_practice_model_itself(
    place: int, stream: bool, ask: Ask
) -> None:
    asked = LEAN[place] | ({"stream": True} if stream else {})

    replies = [ask(fault, **asked) for fault in WHOLE]

    assert not any("itself made a mistake" in reply.text for reply in replies)


# --- after the failure ---------------------------------------------------------------------------

CORRECTED = [fault for fault in GALLERY if fault.group in {"arguments", "names", "ids"}]


@pytest.mark.parametrize("fault", CORRECTED, ids=lambda fault: fault.name)
def test_after_an_error_result_the_call_is_made_well(fault: Fault, ask: Ask) -> None:
    calls = [
        {"id": f"call_{place}", "type": "function", "function": {"name": "broken", "arguments": ""}}
        for place in range(2)
    ]
    said = {"role": "assistant", "content": None, "tool_calls": calls}
    told = [
        {"role": "tool", "tool_call_id": call["id"], "content": "Error: this is no call."}
        for call in calls
    ]

    function = functions_in(ask(fault, said, *told))[0]

    good = functions_in(ask(fault, model="practice"))
    fits = function in good or fault.needs == "array"
    assert fits
    assert isinstance(json.loads(function["arguments"]), dict)


@pytest.mark.parametrize("name", ["rate_limited_once", "server_error_once"])
def test_a_second_try_gets_its_answer(name: str, practice: PracticeServer) -> None:
    fault = BY_NAME[name]
    asked: Any = [{"role": "user", "content": "Hello"}]
    with openai.OpenAI(base_url=practice.base_url, api_key="any", max_retries=1) as made:
        raw = made.chat.completions.with_raw_response.create(model=fault.model, messages=asked)

    assert (raw.retries_taken, raw.status_code) == (1, 200)


def test_a_failure_that_no_offered_tool_can_show_is_refused_with_what_is_missing(
    ask: Ask, definitions: list[dict[str, Any]]
) -> None:
    response = ask(BY_NAME["list_as_text"], tools=definitions[:1])

    assert response.status_code == 400
    assert "'array'" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("name", "spoilt"),
    [
        ("empty_arguments_refused", {"arguments": ""}),
        ("broken_arguments_refused", {"arguments": '{"city": '}),
        ("thinking_wanted_back", {}),
    ],
)
def test_a_spoilt_call_is_refused_when_it_comes_back_as_it_was(
    name: str, spoilt: dict[str, str], ask: Ask
) -> None:
    call = message_in(ask(BY_NAME[name]))["tool_calls"][0]
    call["function"] |= spoilt
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    told = {"role": "tool", "tool_call_id": call["id"], "content": "Error: no JSON."}

    response = ask(BY_NAME[name], said, told)

    assert response.status_code == 400
    assert "history" in response.json()["error"]["message"]


@pytest.mark.parametrize("code", CALLER_MISTAKES)
def test_a_broken_conversation_is_refused(code: str, post: Callable[..., httpx2.Response]) -> None:
    path = next(CASES.glob(f"{code}-*.json"))
    case = json.loads(path.read_text(encoding="utf-8"))
    body = {"model": "practice", "messages": case["input"]["messages"]}

    response = post(body)

    assert (response.status_code, set(response.json())) == (400, {"error"})


# --- our loop over all of it ---------------------------------------------------------------------

#: How a run ends, where it does not end with an answer. Where two are named, both are right.
ENDINGS: Mapping[str, set[str]] = {
    "answer_cut_off": {"cut_off"},
    "held_back": {"refused"},
    "declined": {"refused"},
    "empty_answer": {"empty"},
    "blank_answer": {"empty"},
    "stream_without_reason": {"answered", "cut_off"},
    "stream_breaks_off": {"answered", "cut_off"},
    "parallel_refused": {"answered", "model_failed"},
    "body_empty": {"model_failed"},
    "stream_error_event": {"model_failed"},
    "stream_event_no_json": {"model_failed"},
    "stream_empty": {"model_failed", "empty", "cut_off"},
    "stream_not_streamed": {"answered", "model_failed"},
    "same_call_forever": {"repeated_call"},
    "two_call_circle": {"repeated_call"},
    "never_the_same_call": {"turn_limit", "repeated_call"},
    "never_corrects": {"repeated_call"},
    "call_without_offer": {"repeated_call"},
    "many_calls_at_once": {"repeated_call", "answered"},
    "silent_after_results": {"empty"},
    "choices_empty": {"model_failed"},
    "choices_null": {"model_failed"},
    "choice_null": {"model_failed"},
    "message_null": {"model_failed"},
    "dropped": {"model_failed"},
}


def endings_of(fault: Fault) -> set[str]:
    usual = "model_failed" if fault in REPLACED else "answered"
    return ENDINGS.get(fault.name, {usual})


async def ended(
    fault: Fault, practice: PracticeServer, **options: Any
) -> tuple[str, int, list[Any]]:
    """The reason, the number of turns, and the conversation that is left."""
    chosen = Settings(kind="practice", base_url=practice.base_url, model=fault.model, api_key="any")
    messages: list[Any] = [{"role": "user", "content": fault.question}]
    tools = toolbox(*TOOL_NAMES, *MORE_TOOL_NAMES)
    async with ModelClient(chosen, max_retries=0) as client:
        try:
            outcome = await run(messages, tools, client, **fault.options, **options)
        except ModelError as error:
            outcome = error.outcome or pytest.fail("the error does not say what was reached")
    return outcome.reason, len(outcome.turns), outcome.messages


@each
async def test_our_loop_ends_well_whatever_happens(fault: Fault, practice: PracticeServer) -> None:
    reason, turns, messages = await ended(fault, practice)

    assert reason in endings_of(fault)
    assert turns <= MAX_TURNS + 1
    assert problems(messages) == []


PLAIN = [fault for fault in QUICK if "stream" not in fault.options]
#: A chunk cannot be as wrong as a whole reply: what is missing in a stream is a stream cut short.
OTHERWISE_STREAMED = {
    *("function_call_of_old", "finish_null", "choices_empty", "choices_null", "choice_null"),
    "message_null",
}


@pytest.mark.parametrize("fault", PLAIN, ids=lambda fault: fault.name)
async def test_our_loop_ends_well_on_the_same_failure_in_a_stream(
    fault: Fault, practice: PracticeServer
) -> None:
    reason, turns, messages = await ended(fault, practice, stream=True)

    odd = {"empty", "cut_off", "answered", "model_failed"}
    assert reason in (odd if fault.name in OTHERWISE_STREAMED else endings_of(fault))
    assert turns <= MAX_TURNS + 1
    assert problems(messages) == []
