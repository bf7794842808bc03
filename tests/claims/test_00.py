"""Each factual sentence of notebook 00, proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course_pkg import Frame, Recorder, exercise, run, toolbox
from course_pkg.lessons import progress
from course_pkg.lessons.machine import doctor
from course_pkg.model import SettingsError, settings
from course_pkg.wire import STEPS, step_of, steps_of

QUESTION = "What is the weather in Beijing?"
CHINESE = "北京和东京现在天气怎么样？"


async def recorded(question: str) -> tuple[Frame, ...]:
    with Recorder() as recorder:
        await run(question, toolbox("get_weather"))
    return recorder.frames


def test_the_machine_check_changes_nothing_in_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_MODEL", "practice")

    assert doctor().good


async def test_the_answer_uses_what_the_function_knew() -> None:
    outcome = await run(QUESTION, toolbox("get_weather"))

    temperature = json.loads(outcome.messages[-2]["content"])["temperature"]
    assert str(temperature) in (outcome.answer or "")


async def test_the_run_ends_because_the_model_answered() -> None:
    assert (await run(QUESTION, toolbox("get_weather"))).reason == "answered"


async def test_a_whole_tool_call_reaches_all_six_steps_in_order() -> None:
    frames = await recorded(QUESTION)

    steps = [step for frame in frames for step in steps_of(frame)]
    assert steps == [1, 2, 3, 4, 4, 5, 6]


def test_the_six_steps_have_the_names_of_the_table() -> None:
    assert [step.name for step in STEPS] == [
        "Offer",
        "Ask",
        "Decide",
        "Execute",
        "Return",
        "Answer",
    ]


async def test_the_tools_and_the_question_travel_together() -> None:
    first = (await recorded(QUESTION))[0]

    assert set(first.json) == {"model", "messages", "tools"}


async def test_two_frames_never_leave_this_python() -> None:
    frames = await recorded(QUESTION)

    assert [frame.label for frame in frames if frame.wire == "local"] == ["get_weather", "returned"]


async def test_in_step_3_the_model_gives_a_name_and_arguments_only() -> None:
    decision = next(frame for frame in await recorded(QUESTION) if step_of(frame) == 3)

    (call,) = decision.json["choices"][0]["message"]["tool_calls"]
    assert set(call["function"]) == {"name", "arguments"}


async def test_each_request_carries_the_whole_conversation_and_the_tools_again() -> None:
    first, second = [f.json for f in await recorded(QUESTION) if f.label.startswith("POST")]

    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert second["tools"] == first["tools"]


async def test_two_cities_give_two_calls_in_one_message_and_one_request_takes_both_back() -> None:
    outcome = await run(CHINESE, toolbox("get_weather"))

    assert [len(turn.results) for turn in outcome.turns] == [2, 0]


async def test_chinese_text_crosses_the_wire_as_it_is() -> None:
    frames = await recorded(CHINESE)

    assert all("北京".encode() in frame.body for frame in frames[:2])


async def test_the_same_request_gets_the_same_bytes() -> None:
    first, second = [await recorded(QUESTION), await recorded(QUESTION)]

    assert [frame.body for frame in first] == [frame.body for frame in second]


def test_nothing_has_to_be_set_for_the_practice_model() -> None:
    chosen = settings({})

    assert (chosen.kind, chosen.key_state) == ("practice", "not needed")


def test_the_local_kind_is_not_ready_yet_and_says_what_is() -> None:
    with pytest.raises(SettingsError, match=r"COURSE_MODEL is 'local'.*practice, remote"):
        settings({"COURSE_MODEL": "local"})


@pytest.mark.parametrize("missing", ["OPENAI_API_KEY", "COURSE_MODEL_NAME"])
def test_a_missing_variable_is_named(missing: str) -> None:
    whole = {"COURSE_MODEL": "remote", "OPENAI_API_KEY": "k" * 20, "COURSE_MODEL_NAME": "m"}

    with pytest.raises(SettingsError, match=missing):
        settings({name: value for name, value in whole.items() if name != missing})


def test_a_key_is_never_printed_not_even_in_part() -> None:
    key = "a-made-up-key-of-no-use"
    environment = {"COURSE_MODEL": "remote", "COURSE_MODEL_NAME": "m", "OPENAI_API_KEY": key}

    shown = repr(settings(environment)) + str(settings(environment))
    assert not any(part in shown for part in (key, "a-made-up", "no-use"))


def test_what_was_solved_is_kept_in_a_file_of_the_learners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path))

    exercise("00.1").check(4)

    assert progress() == {"00.1": {"passed": True, "tries": 1}}


def test_a_check_says_which_rule_does_not_hold_and_never_the_answer() -> None:
    verdict = exercise("00.1").verdict(3)

    assert verdict.rule
    assert "4" not in verdict.rule + verdict.hint
