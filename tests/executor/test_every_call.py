"""Whatever calls come: one result for each, in their order, and nothing raised."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from course_pkg.executor import ScriptedApprover, execute_all
from course_pkg.tools import Toolbox, ToolCall, ToolError, tool


@tool
def add(a: int, b: float = 1.0) -> float:
    """Add."""
    return a + b


@tool(side_effect=True)
async def send(to: list[str]) -> None:
    """Send."""


@tool
def fail(how: str = "") -> None:
    """Fail."""
    raise ToolError(how)


TOOLS = Toolbox([add, send, fail])
NAMES = st.sampled_from(["add", "send", "fail", "functions.add", "none", ""]) | st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "to", "how", "x"]), VALUES, max_size=3)
ARGUMENTS = (
    OBJECTS.map(json.dumps)
    | OBJECTS.map(repr)
    | VALUES.map(json.dumps)
    | st.builds(lambda value, at: json.dumps(value)[:at], OBJECTS, st.integers(0, 30))
    | st.text(st.characters(), max_size=10)
)
CALLS = st.builds(
    ToolCall,
    id=st.text(max_size=3),
    name=NAMES,
    arguments=ARGUMENTS,
    problem=st.sampled_from(["", "", "", "truncated", "other"]),
)


@given(st.lists(CALLS, max_size=5), st.lists(st.booleans() | st.text(max_size=3), max_size=3))
async def test_each_call_has_one_result_that_can_be_sent(
    calls: list[ToolCall], answers: list[Any]
) -> None:
    results = await execute_all(calls, TOOLS, approve=ScriptedApprover(answers))

    assert [result.call_id for result in results] == [call.id for call in calls]
    assert all(result.text and result.text.encode("utf-8") for result in results)
    assert all(result.is_error == bool(result.error_kind) for result in results)


@given(CALLS.filter(lambda call: call.problem))
async def test_a_call_with_a_problem_never_runs(call: ToolCall) -> None:
    (result,) = await execute_all([call], TOOLS)

    assert result.error_kind == call.problem
