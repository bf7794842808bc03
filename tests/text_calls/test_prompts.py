"""Prompts that describe tools in the words of a format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course_pkg.text_calls import (
    FORMATS,
    call_in_words,
    parse_text,
    result_in_words,
    tools_prompt,
)
from course_pkg.tools import Toolbox, ToolCall


def get_tide(port: str) -> str:
    """Get the tide. 潮汐"""
    return port


TOOLS = Toolbox([get_tide])
ALL = [*FORMATS, "bare_json"]


@pytest.mark.parametrize("form", ALL)
def test_a_prompt_names_each_tool_with_its_schema_and_unescaped(form: Any) -> None:
    prompt = tools_prompt(TOOLS, form)

    assert all(words in prompt for words in ("get_tide", "潮汐", '"port"', '"required"'))


@pytest.mark.parametrize("form", ALL)
def test_definitions_do_as_well_as_a_toolbox(form: Any) -> None:
    assert tools_prompt(TOOLS.definitions(), form) == tools_prompt(TOOLS, form)


@pytest.mark.parametrize("form", ALL)
def test_without_tools_there_is_nothing_to_say(form: Any) -> None:
    assert tools_prompt([], form) == ""


@pytest.mark.parametrize(
    ("form", "tag"),
    [
        ("hermes", "<tool_call>"),
        ("qwen3_coder", "<function="),
        ("use_mcp_tool", "<server_name>lab</server_name>"),
        ("bare_json", "nothing but a JSON object"),
    ],
)
def test_a_prompt_shows_the_form_of_a_call(form: Any, tag: str) -> None:
    assert tag in tools_prompt(TOOLS, form, server="lab")


def test_a_model_that_follows_the_prompt_is_understood() -> None:
    prompt = tools_prompt(TOOLS, "hermes")
    shown = prompt[prompt.index("<tool_call>") : prompt.index("</tool_call>")] + "</tool_call>"

    written = shown.replace("the tool's name", "get_tide").replace("an argument", "port")

    assert parse_text(written, TOOLS).calls[0].name == "get_tide"


@pytest.mark.parametrize("form", ALL)
def test_a_result_is_written_for_the_model(form: Any) -> None:
    assert "09:12" in result_in_words("09:12", form, name="get_tide")


@pytest.mark.parametrize("form", ALL)
@pytest.mark.parametrize("port", ["Brest", 'a "quoted" one', "青岛\n港", "</tool_call>", "5"])
def test_a_call_that_was_written_is_read_again(form: Any, port: str) -> None:
    call = ToolCall(id="c", name="get_tide", arguments=json.dumps({"port": port}))

    parsed = parse_text(call_in_words(call, form), TOOLS, formats=[form])

    assert [json.loads(found.arguments) for found in parsed.calls] == [{"port": port}]
    assert parsed.text == ""


@pytest.mark.parametrize("arguments", ["[1]", "", '{"port": '])
def test_arguments_that_are_no_object_cannot_be_written(arguments: str) -> None:
    with pytest.raises(ValueError, match=r"no JSON object|Expecting"):
        call_in_words(ToolCall(id="c", name="get_tide", arguments=arguments))
