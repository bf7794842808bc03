"""What `dialects` promises: whatever is written in one interface's form is read back as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg import Tool, ToolCall, ToolResult
from course_pkg.dialects import (
    ANTHROPIC,
    CHAT_COMPLETIONS,
    DIALECTS,
    MCP,
    RESPONSES,
    Choice,
    Definition,
    Dialect,
    ToolChoiceError,
    choice_of,
    definition_of,
    side_by_side,
)

EACH = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)

TEXT = st.text(max_size=12)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=4)
NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True)
DEFINITIONS = st.builds(
    Definition,
    name=NAMES,
    description=TEXT,
    input_schema=OBJECTS.map(lambda found: {"type": "object", "properties": found}),
)
CALLS = st.builds(
    ToolCall,
    id=TEXT.filter(bool),
    name=NAMES,
    arguments=st.builds(
        lambda found, ascii_only: json.dumps(found, ensure_ascii=ascii_only), OBJECTS, st.booleans()
    ),
)
RESULTS = st.builds(ToolResult, call_id=TEXT.filter(bool), text=TEXT, is_error=st.booleans())
CHOICES = st.builds(Choice, mode=st.sampled_from(["auto", "none", "required"])) | st.builds(
    Choice, mode=st.just("named"), name=NAMES
)


def over_the_wire(payload: Any) -> Any:
    return json.loads(json.dumps(payload))


@EACH
@given(definition=DEFINITIONS)
def test_a_definition_comes_back_as_it_was(dialect: Dialect, definition: Definition) -> None:
    written = over_the_wire(dialect.write_definition(definition))

    assert dialect.read_definition(written) == definition


@EACH
@given(call=CALLS)
def test_a_call_comes_back_with_the_same_arguments(dialect: Dialect, call: ToolCall) -> None:
    read = dialect.read_call(over_the_wire(dialect.write_call(call)))

    assert (read.id, read.name) == (call.id, call.name)
    assert json.loads(read.arguments) == json.loads(call.arguments)


@pytest.mark.parametrize("dialect", [CHAT_COMPLETIONS, RESPONSES], ids=lambda found: found.name)
@given(arguments=st.text(max_size=20))
def test_where_arguments_are_text_any_text_comes_back(dialect: Dialect, arguments: str) -> None:
    call = ToolCall(id="c1", name="add", arguments=arguments)

    assert dialect.read_call(over_the_wire(dialect.write_call(call))) == call


@EACH
@given(result=RESULTS)
def test_a_result_comes_back_as_it_was(dialect: Dialect, result: ToolResult) -> None:
    read = dialect.read_result(over_the_wire(dialect.write_result(result)))

    says_errors = dialect in (ANTHROPIC, MCP)
    assert (read.call_id, read.text) == (result.call_id, result.text)
    assert read.is_error == (result.is_error and says_errors)


@EACH
@given(choice=CHOICES)
def test_a_choice_comes_back_as_it_was_or_is_refused_with_the_reason(
    dialect: Dialect, choice: Choice
) -> None:
    if dialect is MCP and choice.mode == "named":
        with pytest.raises(ToolChoiceError, match="MCP cannot demand"):
            dialect.write_choice(choice)
    else:
        assert dialect.read_choice(over_the_wire(dialect.write_choice(choice))) == choice


@given(first=st.sampled_from(DIALECTS), second=st.sampled_from(DIALECTS), call=CALLS)
def test_a_call_may_go_through_two_dialects(
    first: Dialect, second: Dialect, call: ToolCall
) -> None:
    once = first.read_call(first.write_call(call))
    twice = second.read_call(second.write_call(once))

    assert json.loads(twice.arguments) == json.loads(call.arguments)


@EACH
@given(choice=CHOICES)
def test_each_dialects_words_for_a_choice_are_understood_anywhere(
    dialect: Dialect, choice: Choice
) -> None:
    if dialect is not MCP or choice.mode != "named":
        assert choice_of(dialect.write_choice(choice), [choice.name]) == choice


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("auto", ["auto", "auto", {"type": "auto"}, {"mode": "auto"}]),
        ("none", ["none", "none", {"type": "none"}, {"mode": "none"}]),
        ("required", ["required", "required", {"type": "any"}, {"mode": "required"}]),
    ],
)
def test_the_same_mode_has_four_spellings(mode: Any, words: list[Any]) -> None:
    assert [dialect.write_choice(Choice(mode=mode)) for dialect in DIALECTS] == words


@pytest.mark.parametrize("written", ["nope", {"type": "tool", "name": "nope"}])
def test_a_choice_of_a_tool_that_is_not_on_offer_is_refused(written: Any) -> None:
    with pytest.raises(ToolChoiceError, match=r"unknown tool 'nope'. Tools on offer: add\."):
        choice_of(written, ["add"])


@pytest.mark.parametrize(
    "written", [None, "", 7, [], {}, {"type": "tool"}, {"type": "function", "function": None}]
)
def test_what_is_no_choice_is_refused_with_the_ways_to_write_one(written: Any) -> None:
    with pytest.raises(ToolChoiceError, match="'auto', 'none', 'required'"):
        choice_of(written, ["add"])


@EACH
@pytest.mark.parametrize("written", [None, "nope", {"type": ["auto"]}, {"mode": 7}])
def test_what_is_no_choice_is_not_read_as_one(dialect: Dialect, written: Any) -> None:
    with pytest.raises(ToolChoiceError):
        dialect.read_choice(written)


@pytest.mark.parametrize("dialect", [ANTHROPIC, MCP], ids=lambda found: found.name)
@pytest.mark.parametrize("arguments", ["", "not json", "[1]", "null", "[" * 10_000])
def test_arguments_that_are_no_object_are_refused_where_an_object_is_sent(
    dialect: Dialect, arguments: str
) -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        dialect.write_call(ToolCall(id="c1", name="add", arguments=arguments))


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        (CHAT_COMPLETIONS, {"type": "function", "function": {"name": "ping"}}),
        (RESPONSES, {"type": "function", "name": "ping"}),
        (ANTHROPIC, {"name": "ping"}),
        (MCP, {"name": "ping", "description": None}),
    ],
    ids=["chat", "responses", "anthropic", "mcp"],
)
def test_a_definition_may_leave_out_what_is_optional(dialect: Dialect, written: Any) -> None:
    read = dialect.read_definition(written)

    assert read == Definition(
        name="ping", description="", input_schema={"type": "object", "properties": {}}
    )


@pytest.mark.parametrize(
    ("dialect", "written", "text"),
    [
        (ANTHROPIC, {"tool_use_id": "c1"}, ""),
        (
            ANTHROPIC,
            {"tool_use_id": "c1", "content": [{"type": "text", "text": "a"}, {"type": "image"}]},
            "a",
        ),
        (
            MCP,
            {
                "id": 1,
                "result": {"content": [{"type": "text", "text": t} for t in "ab"]},
            },
            "a\nb",
        ),
        (CHAT_COMPLETIONS, {"tool_call_id": "c1", "content": [{"type": "text", "text": "a"}]}, "a"),
    ],
    ids=["nothing", "blocks", "two texts", "parts"],
)
def test_a_results_text_is_found_in_its_other_forms(
    dialect: Dialect, written: Any, text: str
) -> None:
    read = dialect.read_result(written)

    assert (read.text, read.is_error) == (text, False)


def test_a_call_without_arguments_has_none() -> None:
    read = MCP.read_call({"id": 1, "method": "tools/call", "params": {"name": "ping"}})

    assert (read.id, read.arguments) == ("1", "{}")


def test_the_view_side_by_side_has_the_three_things_of_each_dialect() -> None:
    ping = Tool(name="ping", description="Ping.", input_schema={"type": "object"}, run=str)
    call = ToolCall(id="c1", name="ping", arguments="{}")

    view = side_by_side(ping, call, ToolResult(call_id="c1", text="pong"))

    assert list(view) == [dialect.name for dialect in DIALECTS]
    assert all(list(things) == ["definition", "call", "result"] for things in view.values())
    assert view["Chat Completions"]["definition"] == ping.definition()
    assert MCP.read_definition(view["MCP"]["definition"]) == definition_of(ping)
