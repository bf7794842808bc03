"""Problems that the inspector finds in a frame."""

from __future__ import annotations

import pytest

from course_pkg.widgets.reading import read

USER = {"role": "user", "content": "Hello"}


def problems_of_call(recording, name, arguments):
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    request = recording.asked(USER, tools=recording.tools)
    recording.said(recording.calling(call), request, "tool_calls")
    return read(recording.frames)[0][-1].problems


def test_a_call_that_fits_has_no_problems(recording):
    assert problems_of_call(recording, "calculate", '{"expression": "1+1"}') == ()


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("calculate", "{expression: 1}", "the arguments are no JSON"),
        ("calculate", "", "the arguments are no JSON"),
        ("calculate", "[1]", "the arguments are JSON, but no object"),
        ("calculate", "{}", "the arguments do not fit the input schema"),
        ("calculater", "{}", "no tool of this name was offered"),
    ],
)
def test_a_call_that_cannot_run_says_why(recording, name, arguments, said):
    [problem] = problems_of_call(recording, name, arguments)

    assert problem.startswith(f"{name}: {said}")


def test_a_request_that_a_service_would_refuse_says_why(recording):
    recording.asked(USER, recording.calling(recording.call("c1", "calculate", expression="1")))

    [problem] = read(recording.frames)[0][-1].problems
    assert "'c1'" in problem


@pytest.mark.parametrize("schema", [True, 3, {"type": 3}, {"$ref": "http://x.invalid/y"}, None])
def test_a_schema_that_is_none_does_not_hinder_looking(recording, schema):
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    calls = recording.calling(recording.call("c1", "f", a=1))
    recording.said(calls, recording.asked(USER, tools=[tool]), "tool_calls")

    assert read(recording.frames)[0][-1].summary == "200 · tool_calls · f(a=1)"
