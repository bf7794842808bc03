"""What `conversation` promises: a list that a service accepts, or what is wrong with it."""

from __future__ import annotations

import copy
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.conversation import (
    append_reply,
    append_results,
    estimated_tokens,
    heal,
    problems,
    start,
    trim,
)
from course_pkg.practice.rules import refusal_of

CASES = [
    json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parent / "cases").glob("b-*.json"))
]
EACH_CASE = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def call(call_id: Any, *, name: Any = "get_tide", arguments: Any = "{}") -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def asks(*calls: Any, content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def answers(call_id: Any, content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def codes(messages: list[Any]) -> list[tuple[int, str]]:
    return [(problem.at, problem.code) for problem in problems(messages)]


# --- the public cases -----------------------------------------------------------------------------


@EACH_CASE
def test_each_case_is_found_at_its_place(case: dict[str, Any]) -> None:
    found = codes(case["input"]["messages"])

    assert found == [(item["at"], item["code"]) for item in case["expected"]["problems"]]


@EACH_CASE
def test_each_case_is_healed_and_left_as_it_was(case: dict[str, Any]) -> None:
    messages = copy.deepcopy(case["input"]["messages"])

    healed = heal(messages)

    assert problems(healed) == []
    assert messages == case["input"]["messages"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "repaired" in case["expected"]], ids=lambda case: case["id"]
)
def test_a_healed_case_is_the_expected_one_but_for_the_words_about_missing_results(
    case: dict[str, Any],
) -> None:
    healed = heal(case["input"]["messages"])

    for message, expected in zip(healed, case["expected"]["repaired"], strict=True):
        if expected["content"] and expected["content"].startswith("<error"):
            expected = {**expected, "content": message["content"]}
            assert "interrupted" in message["content"]
        assert message == expected


def test_the_order_of_a_healed_group_is_call_results_then_the_rest(case: Any) -> None:
    read = case("b-05-user-message-in-between")
    messages = read["input"]["messages"]

    healed = heal(messages)

    assert healed == [messages[index] for index in read["expected"]["repaired_order"]]


def test_a_healed_orphan_is_left_out(case: Any) -> None:
    read = case("b-02-orphan-tool-after-trim")

    roles = [message["role"] for message in heal(read["input"]["messages"])]

    assert roles == read["expected"]["repaired_roles"]


def test_a_healed_content_is_the_json_of_the_object(case: Any) -> None:
    read = case("b-07-tool-content-object")

    assert heal(read["input"]["messages"])[2]["content"] == read["expected"]["repaired_content"]


@pytest.mark.parametrize("name", ["b-11-echo-empty-arguments", "b-12-echo-broken-arguments"])
def test_healed_arguments_are_an_empty_object(case: Any, name: str) -> None:
    (healed_call,) = heal(case(name)["input"]["messages"])[1]["tool_calls"]

    assert healed_call["function"]["arguments"] == "{}"


def test_a_healed_name_is_legal(case: Any) -> None:
    read = case("b-14-echo-illegal-name")

    (healed_call,) = heal(read["input"]["messages"])[1]["tool_calls"]

    assert healed_call["function"]["name"] == read["expected"]["repaired_name"]


def test_a_result_is_never_paired_by_position(case: Any) -> None:
    healed = heal(case("b-18-reply-id-mismatch")["input"]["messages"])

    assert [(item["tool_call_id"], item["content"]) for item in healed[3:]] == [("c2", "L")]
    assert healed[2]["tool_call_id"] == "c1"
    assert "no result" not in healed[3]["content"]


# --- more of the same kinds -----------------------------------------------------------------------


def test_a_right_list_has_no_problems() -> None:
    messages = [
        *start("Tides?", system_prompt="Be brief."),
        asks(call("c1"), call("c2"), content="I look."),
        answers("c2"),
        answers("c1"),
        {"role": "assistant", "content": "High at 9."},
    ]

    assert problems(messages) == []


def test_the_same_id_may_come_again_in_a_later_group() -> None:
    messages = [*start("?"), asks(call("c1")), answers("c1"), asks(call("c1")), answers("c1")]

    assert problems(messages) == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("text", "role"),
        (None, "role"),
        ({"content": "x"}, "role"),
        ({"role": "function", "content": "x"}, "role"),
        ({"role": ["user"], "content": "x"}, "role"),
        ({"role": "user", "content": None}, "content_not_string"),
        ({"role": "user"}, "content_not_string"),
        ({"role": "assistant", "content": None}, "content_not_string"),
        ({"role": "user", "content": []}, "content_not_string"),
        ({"role": "user", "content": ["text"]}, "content_not_string"),
        ({"role": "assistant", "content": "x", "tool_calls": []}, "tool_calls_empty"),
        ({"role": "assistant", "content": "x", "tool_calls": "c1"}, "tool_calls_not_list"),
        ({"role": "assistant", "content": "x", "tool_calls": [1]}, "tool_calls_not_list"),
    ],
)
def test_a_message_that_is_none_is_a_problem_and_no_exception(message: Any, code: str) -> None:
    assert codes([message]) == [(0, code)]


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (call(None), "call_id:"),
        (call(""), "call_id:"),
        (call(7), "call_id:"),
        ({**call("c1"), "function": None}, "name_pattern:"),
        ({**call("c1"), "type": "custom"}, "type_missing:c1"),
        (call("c1", name="a" * 65), f"name_pattern:{'a' * 65}"),
        (call("c1", name="天气"), "name_pattern:天气"),
        (call("c1", arguments=None), "arguments_not_json_object:c1"),
        (call("c1", arguments={"a": 1}), "arguments_not_json_object:c1"),
        (call("c1", arguments="null"), "arguments_not_json_object:c1"),
        (call("c1", arguments="[" * 5000), "arguments_not_json_object:c1"),
    ],
)
def test_a_call_that_a_service_refuses_is_a_problem(made: dict[str, Any], code: str) -> None:
    assert (1, code) in codes([*start("?"), asks(made), answers(made["id"])])


def test_two_calls_with_one_id_are_a_problem_and_are_healed_apart() -> None:
    messages = [*start("?"), asks(call("c1"), call("c1")), answers("c1")]

    healed = heal(messages)

    assert (1, "call_id:c1") in codes(messages)
    assert len({item["id"] for item in healed[1]["tool_calls"]}) == 2


def test_an_object_as_content_beside_calls_is_a_problem() -> None:
    messages = [*start("?"), asks(call("c1"), content={"text": "x"}), answers("c1")]

    assert codes(messages) == [(1, "content_not_string")]


def test_what_was_said_beside_calls_is_kept_when_messages_are_joined() -> None:
    messages = [
        *start("?"),
        asks(call("c1"), content="First."),
        asks(call("c2"), content="Second."),
        answers("c1"),
        answers("c2"),
    ]

    assert heal(messages)[1]["content"] == "First.\nSecond."


def test_each_problem_says_what_to_do() -> None:
    (problem,) = problems([*start("?"), asks(call("c1"))])

    assert problem.text.endswith("Append one with tool_call_id='c1'.")


def test_a_long_list_is_walked_once() -> None:
    group = [asks(*(call(f"c{number}") for number in range(8)))]
    group += [answers(f"c{number}") for number in range(8)]

    assert problems([*start("?"), *(group * 2000)]) == []


ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
IDS = st.sampled_from(["c1", "c2", "", None]) | ANY_VALUE
CALLS = ANY_VALUE | st.fixed_dictionaries(
    {},
    optional={
        "id": IDS,
        "type": st.sampled_from(["function", "custom", None]),
        "function": ANY_VALUE
        | st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["get_tide", "a.b", ""]) | ANY_VALUE,
                "arguments": st.sampled_from(["{}", "", "null", '{"a":1}']) | ANY_VALUE,
            },
        ),
    },
)
MESSAGES = ANY_VALUE | st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]) | ANY_VALUE},
    optional={
        "content": ANY_VALUE,
        "tool_call_id": IDS,
        "tool_calls": st.lists(CALLS, max_size=3) | ANY_VALUE,
    },
)


@given(st.lists(MESSAGES, max_size=8))
def test_whatever_is_healed_has_no_problems(messages: list[Any]) -> None:
    before = copy.deepcopy(messages)

    assert problems(heal(messages)) == []
    assert messages == before


@given(st.lists(MESSAGES, max_size=8))
def test_healing_twice_changes_nothing_more(messages: list[Any]) -> None:
    healed = heal(messages)

    assert heal(healed) == healed


@given(st.lists(MESSAGES, min_size=1, max_size=8))
def test_the_practice_model_accepts_whatever_is_healed(messages: list[Any]) -> None:
    healed = heal(messages) or start("?")

    assert refusal_of({"model": "practice", "messages": healed}) is None


# --- appending and trimming -----------------------------------------------------------------------


def test_a_reply_and_its_results_are_appended_as_one_group() -> None:
    messages = start("?")
    reply = SimpleNamespace(message=asks(call("c1")))

    append_reply(messages, reply)
    append_results(messages, [SimpleNamespace(call_id="c1", text="ok")])

    assert messages[1:] == [asks(call("c1")), answers("c1")]


def test_results_are_appended_all_or_none() -> None:
    messages = start("?")

    with pytest.raises(AttributeError):
        append_results(messages, [SimpleNamespace(call_id="c1", text="ok"), SimpleNamespace()])

    assert messages == start("?")


def test_a_new_conversation_without_a_system_prompt_has_one_message() -> None:
    assert start("Hello") == [{"role": "user", "content": "Hello"}]


LONG = [
    *start("First question", system_prompt="Be brief."),
    asks(call("c1"), call("c2")),
    answers("c1", "x" * 300),
    answers("c2", "y" * 300),
    {"role": "assistant", "content": "First answer"},
    {"role": "user", "content": "Second question"},
    {"role": "assistant", "content": "Second answer"},
]


@pytest.mark.parametrize("max_chars", [0, 100, 200, 400, 900, 2000])
def test_a_trimmed_list_has_no_problems_and_keeps_the_system_message(max_chars: int) -> None:
    trimmed = trim(LONG, max_chars=max_chars)

    assert problems(trimmed) == []
    assert trimmed[0] == LONG[0]
    assert trimmed[-1] == LONG[-1]


def test_a_list_that_fits_is_kept_whole() -> None:
    assert trim(LONG, max_chars=10_000) == LONG


def test_a_trimmed_list_begins_with_a_user_message_where_there_is_one() -> None:
    assert trim(LONG, max_chars=220)[1]["role"] == "user"


def test_trim_keeps_the_users_last_question_however_long_what_follows_is() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "An older question"},
        {"role": "assistant", "content": "An answer"},
        {"role": "user", "content": "The question"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "long " * 1_000},
    ]

    assert trim(messages, max_chars=100) == messages[2:]


@pytest.mark.parametrize("max_tokens", [0, 55, 100, 250, 500])
def test_a_token_budget_is_four_characters_a_token(max_tokens: int) -> None:
    assert trim(LONG, max_tokens=max_tokens) == trim(LONG, max_chars=4 * max_tokens)


def test_the_smaller_of_two_budgets_counts() -> None:
    assert trim(LONG, max_chars=10_000, max_tokens=55) == trim(LONG, max_chars=220)


def test_trim_without_a_budget_says_what_to_give() -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        trim(LONG)


def test_the_estimate_of_tokens_is_rounded_up() -> None:
    message = {"role": "user", "content": "1"}

    assert len(json.dumps(message)) == 32
    assert estimated_tokens([message, {**message, "content": "12"}]) == 17


def test_a_list_without_a_user_message_is_kept_whole() -> None:
    assert trim(LONG[2:6], max_chars=10) == LONG[2:6]


GROUPS = st.lists(st.sampled_from(["user", "said", "called"]), max_size=12)


@given(kinds=GROUPS, max_chars=st.integers(0, 1500))
def test_whatever_is_trimmed_is_a_right_end_of_the_list(kinds: list[str], max_chars: int) -> None:
    groups = {
        "user": [{"role": "user", "content": "Tides?"}],
        "said": [{"role": "assistant", "content": "High at 9."}],
        "called": [asks(call("c1"), call("c2")), answers("c1", "x" * 90), answers("c2")],
    }
    messages = [message for kind in kinds for message in groups[kind]]

    trimmed = trim(messages, max_chars=max_chars)

    assert problems(trimmed) == []
    assert trimmed == messages[len(messages) - len(trimmed) :]
    assert "user" not in kinds or trimmed[0]["role"] == "user"


def test_the_time_to_trim_and_to_heal_grows_with_the_length_only() -> None:
    group = [asks(call("c1")), answers("c1", "x")]
    took = []

    for length in (1_000, 10_000):
        messages = [*start("?"), *(group * length), *([asks(call("c1"))] * length)]
        began = time.process_time()
        trim(messages, max_chars=100)
        heal(messages)
        took.append(time.process_time() - began)

    assert took[1] < 60 * took[0]  # a quadratic way takes a hundred times as long
