"""How well the practice model does on natural requests, those that nobody scripted counted apart.

`requests.json` holds requests "before" (the matching was developed against them) and "after"
(written when the matching was done, and not changed for them). A right answer has the right tools
in the right order, with right arguments; or it asks for the right parameter; or it calls nothing.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from simpleeval import SimpleEval

from course_pkg.practice.completion import Decision
from course_pkg.practice.mind import decide

KNOWN_FLOOR = 0.95
#: 79 of 81 were right when they were first asked.
FRESH_FLOOR = 0.93
#: The names of parameters (`city`, `path`) still tell something.
VAGUE_CEILING = 0.65
DEFAULTS = {"unit": "celsius", "num_results": 3, "urgent": False}


def ask(text: str, tools: Sequence[Mapping[str, Any]]) -> Decision:
    return decide({"messages": [{"role": "user", "content": text}], "tools": tools})


def plain(text: Any) -> str:
    return re.sub(r"\s+", " ", str(text)).strip(" .!?。！？").lower().replace("’", "'")


def value_of(expression: str) -> float:
    return float(SimpleEval(functions={"sqrt": math.sqrt}).eval(expression))


def is_right_value(found: Any, expected: Any) -> bool:
    """A list holds alternatives; `has` words that must be in; `equals` what a sum comes to."""
    if isinstance(expected, list):
        return any(
            found is item if isinstance(item, bool) else plain(found) == plain(item)
            for item in expected
        )
    if "equals" in expected:
        wanted = expected["equals"]
        wanted = wanted if isinstance(wanted, list) else [wanted]
        return any(math.isclose(value_of(found), value, rel_tol=1e-9) for value in wanted)
    text = plain(found)
    return all(plain(word) in text for word in expected["has"]) and not any(
        plain(word) in text for word in expected.get("not", [])
    )


def are_right_arguments(found: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    if any(DEFAULTS.get(name) != found[name] for name in found.keys() - expected.keys()):
        return False
    return all(
        name in found and is_right_value(found[name], wanted) for name, wanted in expected.items()
    )


def is_right(decision: Decision, request: Mapping[str, Any]) -> bool:
    expected = request["calls"]
    if [call.name for call in decision.calls] != [call["tool"] for call in expected]:
        return False
    asks = re.search(r'Which value should I use for "(\w+)"|请告诉我 (\w+)', decision.text)
    if not expected:
        asked = next((name for name in asks.groups() if name), None) if asks else None
        return asked == request.get("asks")
    return all(
        are_right_arguments(call.arguments, wanted["arguments"])
        for call, wanted in zip(decision.calls, expected, strict=True)
    )


def wrong_ones(
    requests: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> list[str]:
    return [item["text"] for item in requests if not is_right(ask(item["text"], tools), item)]


@pytest.mark.parametrize(
    ("written", "name", "floor"),
    [
        ("before", "known requests", KNOWN_FLOOR),
        ("after", "fresh requests (written after the matching was done)", FRESH_FLOOR),
    ],
)
def test_most_requests_lead_to_the_right_calls(
    written: str,
    name: str,
    floor: float,
    requests: list[dict[str, Any]],
    tools: list[dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen = [item for item in requests if item["written"] == written]

    wrong = wrong_ones(chosen, tools)

    score = 1 - len(wrong) / len(chosen)
    with capsys.disabled():
        right = len(chosen) - len(wrong)
        sys.stdout.write(
            f"\npractice model, {name}: {right} of {len(chosen)} right ({score:.1%})\n"
        )
    assert score >= floor, wrong


def test_the_set_is_large_enough_and_half_chinese(requests: list[dict[str, Any]]) -> None:
    fresh = [item for item in requests if item["written"] == "after"]
    chinese = [item for item in requests if item["language"] == "zh"]

    assert (len(requests) >= 130, len(fresh) >= 50) == (True, True)
    assert 0.4 <= len(chinese) / len(requests) <= 0.6


def test_no_request_is_there_twice(requests: list[dict[str, Any]]) -> None:
    texts = [plain(item["text"]) for item in requests]

    assert len(texts) == len(set(texts))


def test_vague_definitions_do_much_worse(
    requests: list[dict[str, Any]], tools: list[dict[str, Any]]
) -> None:
    with_calls = [item for item in requests if item["calls"]]
    names = {tool["function"]["name"]: f"do_{place}" for place, tool in enumerate(tools)}
    vague = [vague_form(tool, names) for tool in tools]
    renamed = [renamed_form(item, names) for item in with_calls]

    good = 1 - len(wrong_ones(with_calls, tools)) / len(with_calls)
    poor = 1 - len(wrong_ones(renamed, vague)) / len(renamed)

    assert (good > 0.9, poor < VAGUE_CEILING) == (True, True), (good, poor)


def test_the_descriptions_alone_already_help(
    requests: list[dict[str, Any]], tools: list[dict[str, Any]]
) -> None:
    with_calls = [item for item in requests if item["calls"]]
    names = {tool["function"]["name"]: f"do_{place}" for place, tool in enumerate(tools)}
    opaque = [renamed_tool(tool, names) for tool in tools]
    vague = [vague_form(tool, names) for tool in tools]
    renamed = [renamed_form(item, names) for item in with_calls]

    assert len(wrong_ones(renamed, opaque)) < len(wrong_ones(renamed, vague))


def test_with_nothing_left_in_the_definitions_nothing_is_called(
    requests: list[dict[str, Any]], tools: list[dict[str, Any]]
) -> None:
    blank = [blank_form(tool, place) for place, tool in enumerate(tools)]

    called = sum(bool(ask(item["text"], blank).calls) for item in requests)

    assert called / len(requests) < 0.1


def blank_form(tool: Mapping[str, Any], place: int) -> dict[str, Any]:
    """A tool of which neither name, description nor parameters tell anything."""
    count = len(tool["function"]["parameters"]["properties"])
    properties = {f"value_{number}": {"type": "string"} for number in range(count)}
    schema = {"type": "object", "properties": properties, "required": ["value_0"]}
    function = {"name": f"do_{place}", "description": "Process data.", "parameters": schema}
    return {"type": "function", "function": function}


def renamed_tool(tool: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    function = tool["function"]
    return {"type": "function", "function": function | {"name": names[function["name"]]}}


def vague_form(tool: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The same tool under a name and with descriptions that say nothing."""
    function = renamed_tool(tool, names)["function"]
    schema = function["parameters"]
    properties = {
        name: {key: part[key] for key in part if key != "description"}
        for name, part in schema["properties"].items()
    }
    parameters = schema | {"properties": properties}
    vague = {"description": "Process data.", "parameters": parameters}
    return {"type": "function", "function": function | vague}


def renamed_form(request: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    calls = [call | {"tool": names[call["tool"]]} for call in request["calls"]]
    return {**request, "calls": calls}
