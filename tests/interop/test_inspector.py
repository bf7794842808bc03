"""The Inspector, the official tool for looking at a server, against ours: stdio and HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from course_pkg.samples import TOOL_NAMES

INSPECTOR = "inspector/clients/launcher/build/index.js"
TOOL_FAILED = 5  # the Inspector's exit code for a tool that failed, or that is not there

Look = Callable[..., Any]
Tell = Callable[[str], None]


@pytest.fixture(params=["stdio", "http"])
def look(request: pytest.FixtureRequest, node: Any, server: tuple[str, ...]) -> Look:
    """Ask our server something with the Inspector: `look("tools/list")`."""
    http = request.param == "http"
    target = [request.getfixturevalue("url"), "--transport", "http"] if http else [*server]

    def ended(method: str, *words: str) -> Any:
        return node.run(INSPECTOR, "--cli", *target, "--method", method, *words, "--format", "json")

    return ended


@pytest.fixture
def place(request: pytest.FixtureRequest) -> str:
    """Which test this is, for its figure."""
    return f"inspector, {request.node.callspec.id}"


def calling(name: str, **arguments: Any) -> tuple[str, ...]:
    """The words that call a tool."""
    told = json.dumps(arguments, ensure_ascii=False)
    return ("tools/call", "--tool-name", name, "--tool-args-json", told)


@pytest.mark.parametrize(("era", "version"), [("legacy", "2025-11-25"), ("modern", "2026-07-28")])
def test_the_inspector_opens_our_server_in_both_eras(
    look: Look, place: str, tell: Tell, era: str, version: str
) -> None:
    ended = look("initialize", "--protocol-era", era)

    assert ended.code == 0, ended
    opened = json.loads(ended.out)["result"]
    tell(f"{place}, initialize: {opened['protocolVersion']}")
    assert opened["protocolVersion"] == version
    assert opened["serverInfo"]["version"], opened


def test_the_inspector_lists_our_tools_and_finds_no_fault_with_them(
    look: Look, place: str, tell: Tell
) -> None:
    ended = look("tools/list", "--strict")

    assert ended.code == 0, ended
    names = [tool["name"] for tool in json.loads(ended.out)["result"]["tools"]]
    tell(f"{place}, tools/list: {len(names)} tools")
    assert set(names) >= set(TOOL_NAMES)


def test_chinese_text_comes_through_the_inspector_whole_in_both_directions(
    look: Look, place: str, tell: Tell
) -> None:
    ended = look(*calling("read_file", path="会议记录.txt"))

    assert ended.code == 0, ended
    result = json.loads(ended.out)["result"]
    text = result["content"][0]["text"]
    tell(f"{place}, tools/call: {len(text)} characters")
    assert "会议" in text
    assert not result.get("isError")


def test_a_tool_that_fails_is_an_error_result_in_the_inspector(
    look: Look, place: str, tell: Tell
) -> None:
    ended = look(*calling("get_weather", city="火星"))

    tell(f"{place}, failing tool: exit code {ended.code}")
    assert ended.code == TOOL_FAILED, ended
    assert "tool_is_error" in ended.err
    assert "There is no weather for '火星'" in json.loads(ended.out)["result"]["content"][0]["text"]


def test_a_tool_that_is_not_there_is_named_by_the_inspector(
    look: Look, place: str, tell: Tell
) -> None:
    ended = look(*calling("subtract", a=2, b=3))

    tell(f"{place}, unknown tool: exit code {ended.code}")
    assert ended.code == TOOL_FAILED, ended
    assert "tool_not_found" in ended.err
