"""Calls in texts: which are read, which are only talk, and what becomes of broken ones."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.executor import execute_all
from course_pkg.text_calls import FORMATS, ParsedText, as_message, looks_like_call, parse_text
from course_pkg.tools import Tool, Toolbox, ToolResult

NOTE_SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "urgent": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "until": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "place": {"$ref": "#/$defs/place"},
        "size": {"enum": [1, 2]},
        "free": {},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {"place": {"type": "object"}},
}
NOTE = Tool(
    name="note", description="Note it.", input_schema=NOTE_SCHEMA, run=lambda **given: given
)
TOOLS = Toolbox([NOTE])
CALL = '{"name": "note", "arguments": {"title": "tea"}}'
TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"
CODER = (
    "<tool_call>\n<function=note>\n<parameter=title>\ntea\n</parameter>\n</function>\n</tool_call>"
)
MCP = (
    "<use_mcp_tool>\n<server_name>lab</server_name>\n<tool_name>note</tool_name>\n"
    '<arguments>\n{"title": "tea"}\n</arguments>\n</use_mcp_tool>'
)
FORMS = {"hermes": TAGGED, "qwen3_coder": CODER, "use_mcp_tool": MCP}
EACH_FORM = pytest.mark.parametrize("call", FORMS.values(), ids=FORMS)


def arguments(parsed: ParsedText) -> list[Any]:
    return [json.loads(call.arguments) for call in parsed.calls]


async def ran(text: str, **options: Any) -> list[ToolResult]:
    return await execute_all(parse_text(text, TOOLS, **options).calls, TOOLS)


# --- what is a call -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_call_is_read_in_its_own_format_and_not_in_others(form: Any) -> None:
    found = {other: parse_text(FORMS[form], TOOLS, formats=[other]).calls for other in FORMS}

    assert [other for other, calls in found.items() if calls] == [form]
    assert found[form][0].name == "note"


@EACH_FORM
def test_the_words_around_calls_stay(call: str) -> None:
    parsed = parse_text(f"One moment.\n\n{call}\n{call}\nThat is all.", TOOLS)

    assert arguments(parsed) == [{"title": "tea"}] * 2
    assert parsed.text.split() == ["One", "moment.", "That", "is", "all."]


@EACH_FORM
def test_a_call_may_follow_words_at_the_end_of_their_line(call: str) -> None:
    parsed = parse_text(f"One moment. {call}", TOOLS)

    assert (parsed.text, len(parsed.calls)) == ("One moment.", 1)


@EACH_FORM
def test_calls_may_stand_directly_behind_one_another(call: str) -> None:
    assert len(parse_text(call * 3, TOOLS).calls) == 3


def test_the_server_is_kept() -> None:
    assert parse_text(MCP).calls[0].server == "lab"


def test_ids_are_unique_and_the_same_for_the_same_text_and_seed() -> None:
    first, again = (parse_text(TAGGED * 2, seed="s").calls for _ in range(2))
    other = parse_text(TAGGED * 2, seed="t").calls

    assert [call.id for call in first] == [call.id for call in again]
    assert len({call.id for call in (*first, *other)}) == 4


@pytest.mark.parametrize(
    "inside",
    [
        f"[{CALL}, {CALL}]",
        f"{CALL}\n{CALL}",
    ],
)
def test_several_calls_in_one_tag_are_several_calls(inside: str) -> None:
    assert len(parse_text(f"<tool_call>{inside}</tool_call>").calls) == 2


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ('{"name": "note", "parameters": {"title": "tea"}}', '{"title": "tea"}'),
        ('{"arguments": {"title": "茶"}, "name": "note"}', '{"title": "茶"}'),
        ('{"name": "note", "arguments": "{\\"title\\": \\"tea\\"}"}', '{"title": "tea"}'),
        ('{"name": "note"}', "{}"),
        ('{"name": "note", "arguments": [1]}', "[1]"),
    ],
)
def test_the_arguments_go_on_as_text(call: str, text: str) -> None:
    assert parse_text(f"<tool_call>{call}</tool_call>").calls[0].arguments == text


@pytest.mark.parametrize(
    "tag", ["</tool_call>", "<tool_call>", "```", "`", "<think>", "</think>", "<function=x>"]
)
def test_tags_inside_a_text_of_the_arguments_mean_nothing(tag: str) -> None:
    value = {"title": f"write {tag} here", "tags": [tag]}
    call = json.dumps({"name": "note", "arguments": value})

    parsed = parse_text(f"<tool_call>{call}</tool_call>\n" * 2)

    assert arguments(parsed) == [value] * 2


# --- what is talk ---------------------------------------------------------------------------------


@EACH_FORM
@pytest.mark.parametrize(
    "around",
    [
        "```\n{}\n```",
        "```xml\n{}\n```\nShall I?",
        "~~~\n{}\n~~~",
        "````\n```\n{}\n```\n````",
        "```\n{}",
        "Write `{}` to note it.",
        "Write ``{}`` to note it.",
        "Write ```{}``` to note it.",
        'Write "{}" to note it.',
        'You would write "{}".',
        "> {}",
        "You would write {} to note it.",
        "<think>I could write\n{}\n</think>No.",
        "I could write\n{}\n</think>\n\nNo.",
        "<think>I begin\n{}\n",
        "<thinking>\n{}</thinking>",
    ],
)
def test_a_call_that_is_only_shown_is_not_lifted(call: str, around: str) -> None:
    assert (
        parse_text(around.replace("{}", call), TOOLS, formats=(*FORMATS, "bare_json")).calls == ()
    )


@EACH_FORM
@pytest.mark.parametrize(
    "before",
    [
        "<think>First look.</think>\n",
        "<think>\nFirst look.\n</think>\n\n",
        "First look.\n</think>\n\n",
        "First look.</think>",
        "Use `note` for it:\n",
        "```python\nprint(1)\n```\n",
        "A lone ` here.\n\n",
        "Tags such as <tool_call> or <use_mcp_tool> or <think> say so.\n",
        "I <think> so\n",
    ],
)
def test_a_call_after_thinking_or_code_is_a_call(call: str, before: str) -> None:
    assert len(parse_text(before + call, TOOLS).calls) == 1


def test_thinking_is_kept_apart() -> None:
    parsed = parse_text(f"<think>\nTea?\n</think>\n\nYes.\n{TAGGED}")

    assert (parsed.thinking, parsed.text) == ("Tea?", "Yes.")


@pytest.mark.parametrize(
    "text",
    ["", "Just words.", "Open with <tool_call>, close with </tool_call>.", "a < b > c", "</think>"],
)
def test_words_are_words(text: str) -> None:
    assert parse_text(text).calls == ()


# --- what is mended, and what is told -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (f"<tool_call>{CALL}", "unclosed_tag"),
        (f"<tool_call>{CALL}\n</tool_c", "unclosed_tag"),
        (f"<tool_call>\n```json\n{CALL}\n```\n</tool_call>", "code_fence"),
        (f"<tool_call>{CALL}\n<tool_call>{CALL}</tool_call>", "unclosed_tag"),
        (CODER.replace("</parameter>\n", ""), "missing_parameter_close"),
        (CODER.replace("</function>\n", ""), "missing_function_close"),
        (CODER.removesuffix("\n</tool_call>"), "unclosed_tag"),
        (MCP.removesuffix("\n</use_mcp_tool>"), "unclosed_tag"),
        (MCP[:-4], "unclosed_tag"),
        (MCP.removesuffix("ments>\n</use_mcp_tool>"), "unclosed_tag"),
        (MCP.replace("</arguments>\n", ""), "unclosed_tag"),
        (MCP.replace("</arguments>\n</use_mcp_tool>", "</use_mcp_tool>\n</arguments>"),
         "misplaced_close_tag"),
    ],
)  # fmt: skip
async def test_a_missing_or_misplaced_end_is_mended_and_noted(text: str, note: str) -> None:
    result, *_ = await ran(text)

    assert (result.value, result.notes) == ({"title": "tea"}, (note,))


def test_the_wrapper_of_qwen3_coder_may_be_missing() -> None:
    bare = CODER.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>")

    assert parse_text(bare).calls[0].notes == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<tool_call>{"name": "note", "arguments": {"title": "say "hi""}}</tool_call>',
         "invalid_json"),
        ('<tool_call>{"name": "note", "arguments": {"title": "a", "title": "b"}}</tool_call>',
         "duplicate_key"),
        ('<tool_call>{"name": "note", "arguments": {"title": NaN}}</tool_call>', "invalid_json"),
        (f"<tool_call>{CALL}}}</tool_call>", "invalid_json"),
        ('<tool_call>{"name": "note", "arguments": {"title": "tea"}</tool_call>', "invalid_json"),
        ('<tool_call>{"name": "note", "arguments": }</tool_call>', "unreadable_call"),
        ('<tool_call>{"title": "tea"}</tool_call>', "unreadable_call"),
        ("<tool_call>{note: tea}</tool_call>", "unreadable_call"),
        ('<tool_call>{"name": "note", "arguments": {"title": "te', "unclosed_call"),
        ('<tool_call>{"name": "note", "arguments": ', "unclosed_call"),
        ("<tool_call>", "unclosed_call"),
        ("<function=note>\n<parameter=title>\ntea\n</parameter>\n", "unclosed_call"),
        ("<function=note>\n<parameter=title>\ntea\n", "unclosed_call"),
        ("<function=note>\nnonsense\n</function>", "unreadable_call"),
        (CODER.replace("</parameter>", "</parameter><parameter=title>x</parameter>"),
         "duplicate_key"),
        (MCP.replace('{"title": "tea"}', '{"title": "say "hi""}'), "invalid_json"),
        (MCP.replace('{"title": "tea"}', '{"title": "tea"} {}'), "invalid_json"),
        (MCP.removesuffix("\n}\n</arguments>\n</use_mcp_tool>")[:-30], "unclosed_call"),
        ("<use_mcp_tool>\n<server_name>lab</server_name>\n</use_mcp_tool>", "unreadable_call"),
        ("<use_mcp_tool>", "unclosed_call"),
    ],
)  # fmt: skip
async def test_a_call_that_cannot_be_read_is_answered_and_never_run(text: str, kind: str) -> None:
    (result,) = await ran(text)

    assert (result.is_error, result.error_kind) == (True, kind)


async def test_a_broken_call_does_not_take_the_next_one_with_it() -> None:
    broken = '<tool_call>{"name": "note", "arguments": {"title": "te'

    results = await ran(f"{broken}\n{TAGGED}")

    assert [result.is_error for result in results] == [True, False]


@pytest.mark.parametrize(
    ("call", "note"),
    [
        ('{"name": "note", "arguments": {"title": "tea",}}', "trailing_comma"),
        ("{'name': 'note', 'arguments': {'title': 'tea'}}", "python_literal"),
    ],
)
async def test_arguments_that_can_be_mended_are_mended_by_the_executor(
    call: str, note: str
) -> None:
    (result,) = await ran(f"<tool_call>{call}</tool_call>")

    assert (result.value, result.notes) == ({"title": "tea"}, (note,))


@pytest.mark.parametrize("depth", [50, 300, 900, 980, 1_000, 5_000])
async def test_arguments_that_are_nested_deeply_are_answered(depth: int) -> None:
    nested = "[" * depth + "]" * depth
    call = f'{{"name": "note", "arguments": {{"title": "tea", "free": {nested}}}}}'

    (result,) = await ran(f"<tool_call>{call}</tool_call>")

    assert result.is_error == (depth > 60)


# --- values of Qwen3-Coder ------------------------------------------------------------------------


def coder(**values: str) -> str:
    inside = "".join(
        f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in values.items()
    )
    return f"<tool_call>\n<function=note>\n{inside}</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("title", "5", "5"),
        ("title", "true", "true"),
        ("title", '{"a": 1}', '{"a": 1}'),
        ("title", "<b>5 < 6 & 7</b>", "<b>5 < 6 & 7</b>"),
        ("title", "one\n\ntwo\n", "one\n\ntwo\n"),
        ("title", "  kept  ", "  kept  "),
        ("title", "see </parameter> there", "see </parameter> there"),
        ("title", "\n<parameter=other>\nx", "\n<parameter=other>\nx"),
        ("title", "", ""),
        ("count", "9007199254740993", 9007199254740993),
        ("count", "3.0", "3.0"),
        ("count", "three", "three"),
        ("share", "2.50", 2.5),
        ("share", "2", 2),
        ("urgent", "True", True),
        ("urgent", "false", False),
        ("tags", '["a", "b"]', ["a", "b"]),
        ("until", "null", None),
        ("until", "None", None),
        ("place", '{"city": "青岛"}', {"city": "青岛"}),
        ("size", "2", 2),
        ("free", "2", "2"),
        ("unknown", "2", "2"),
    ],
)
def test_the_schema_says_what_a_value_means(name: str, written: str, value: Any) -> None:
    assert arguments(parse_text(coder(**{name: written}), TOOLS)) == [{name: value}]


def test_without_a_schema_every_value_is_a_text() -> None:
    assert arguments(parse_text(coder(count="2"))) == [{"count": "2"}]


def test_no_parameters_are_no_arguments() -> None:
    assert arguments(parse_text(coder())) == [{}]


# --- bare JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [CALL, f"```json\n{CALL}\n```", f"\n```\n{CALL}```\n"])
async def test_a_reply_that_is_one_json_call_counts_where_that_is_asked_for(text: str) -> None:
    (result,) = await ran(text, formats=["bare_json"])

    assert (result.value, result.notes) == ({"title": "tea"}, ("call_in_content",))
    assert parse_text(text, TOOLS).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        f"Here: {CALL}",
        f"{CALL} Shall I?",
        f"{CALL}\n{CALL}",
        f"[{CALL}]",
        CALL.replace("note", "other"),
        '{"name": "note"}',
        '{"name": "note", "arguments": "x"}',
        '{"name": ["note"], "arguments": {}}',
        '{"name": "note", "arguments": {}, "comment": "an example"}',
        '{"name": "note", "arguments": {"title": "tea"}',
        "{'name': 'note', 'arguments': {}}",
        f"```json\n{CALL}\n",
    ],
)
def test_json_that_is_more_or_less_than_one_call_stays_words(text: str) -> None:
    parsed = parse_text(text, TOOLS, formats=(*FORMATS, "bare_json"))

    assert (parsed.calls, parsed.text) == ((), text.strip())


# --- as a server answers --------------------------------------------------------------------------


def test_the_message_has_calls_like_a_servers() -> None:
    message = as_message(f"<think>Tea.</think>One moment.\n{TAGGED}", TOOLS, seed="1")

    (call,) = message["tool_calls"]
    assert message["content"] == "One moment."
    assert message["reasoning_content"] == "Tea."
    assert call["type"] == "function"
    assert call["function"] == {"name": "note", "arguments": '{"title": "tea"}'}


def test_a_message_without_calls_has_none_and_one_without_words_has_null() -> None:
    assert as_message("Hello.", TOOLS) == {"role": "assistant", "content": "Hello."}
    assert as_message(TAGGED, TOOLS)["content"] is None


@pytest.mark.parametrize(
    "text",
    [
        TAGGED[:-25],
        CODER[:-40],
        '<tool_call>{"title": "tea"}</tool_call>',
        "<tool_call>{}</tool_call>",
        "<tool_call>",
    ],
)
def test_a_call_that_could_not_be_read_cannot_run_at_the_client_either(text: str) -> None:
    (call,) = as_message(text, TOOLS)["tool_calls"]

    assert call["function"]["name"] != "note" or is_no_json(call["function"]["arguments"])


def is_no_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize(
    "text",
    [
        TAGGED, CODER, MCP, CALL, f"```json\n{CALL}\n```",
        '[TOOL_CALLS]note{"title": "tea"}', '<|python_tag|>{"name": "note"}',
        "Fine.\n<function_call>note</function_call>",
    ],
)  # fmt: skip
def test_what_a_server_left_unparsed_looks_like_a_call(text: str) -> None:
    assert looks_like_call(text, TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        "Tea it is.", '{"name": "tea", "arguments": "none"}', f"You would send {CALL}. Shall I?",
        f"```\n{TAGGED}\n```", "A `<tool_call>` tag opens a call.",
    ],
)  # fmt: skip
def test_words_do_not_look_like_a_call(text: str) -> None:
    assert not looks_like_call(text, TOOLS)


# --- for every text -------------------------------------------------------------------------------

PIECES = [
    "<tool_call>", "</tool_call>", "<function=note>", "</function>", "<parameter=title>",
    "</parameter>", "<use_mcp_tool>", "</use_mcp_tool>", "<server_name>", "</server_name>",
    "<tool_name>", "</tool_name>", "<arguments>", "</arguments>", "<think>", "</think>", "```",
    "`", "~~~", '"', "{", "}", "[", "]", CALL, '{"title": "x"}', "\n", " ", "note", ",", "\\",
    ":", "\ud83c", "潮",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=20).map("".join)


@given(TEXTS)
async def test_no_text_raises_and_each_call_has_one_result(text: str) -> None:
    parsed = parse_text(text, TOOLS, formats=(*FORMATS, "bare_json"))
    results = await execute_all(parsed.calls, TOOLS)

    assert [result.call_id for result in results] == [call.id for call in parsed.calls]
    assert len({call.id for call in parsed.calls}) == len(parsed.calls)
    assert all(result.text for result in results)
    assert isinstance(looks_like_call(text, TOOLS), bool)


@given(
    st.dictionaries(
        st.sampled_from(["title", "free", "tags"]),
        st.text(st.sampled_from(PIECES).flatmap(st.sampled_from), max_size=10)
        | st.sampled_from(PIECES),
    ).filter(lambda value: "\ud83c" not in str(value)),
    st.sampled_from(["hermes", "use_mcp_tool"]),
)
def test_any_arguments_come_back_out_of_their_format(value: dict[str, Any], form: str) -> None:
    written = json.dumps(value, ensure_ascii=False)
    text = (
        f'<tool_call>\n{{"name": "note", "arguments": {written}}}\n</tool_call>'
        if form == "hermes"
        else MCP.replace('{"title": "tea"}', written)
    )

    assert arguments(parse_text(text, TOOLS)) == [value]


@given(st.data())
async def test_a_call_that_was_cut_off_anywhere_never_runs_with_less(data: st.DataObject) -> None:
    value = {"title": "tea", "count": 12, "tags": ["a"]}
    written = json.dumps(value)
    text = data.draw(
        st.sampled_from(
            [
                f'<tool_call>\n{{"name": "note", "arguments": {written}}}\n</tool_call>',
                coder(title="tea", count="12", tags='["a"]'),
                MCP.replace('{"title": "tea"}', written),
                f'{{"name": "note", "arguments": {written}}}',
            ]
        )
    )
    at = data.draw(st.integers(0, len(text)))

    results = await ran(text[:at], formats=(*FORMATS, "bare_json"))

    assert all(result.is_error or result.value == value for result in results)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>" * 20_000,
        "<tool_call>{" * 20_000,
        '<tool_call>{"name": "note", "arguments": {"' * 3_000,
        "`" * 100_000,
        "` `` " * 20_000,
        "```\n" * 20_001,
        "<think>" * 20_000,
        "<function=note>" * 10_000,
        "<function=note>" + "<parameter=title>" * 5_000,
        "<use_mcp_tool><server_name>" * 10_000,
        "<tool_call>" + " " * 100_000,
        "<tool_call>" + "[" * 100_000,
        "x" * 100_000 + "</think>",
        "</think" * 20_000,
        "~~~" * 30_000,
    ],
    ids=range(15),
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()

    parse_text(text, TOOLS, formats=(*FORMATS, "bare_json"))

    assert time.process_time() - began < 2.0
