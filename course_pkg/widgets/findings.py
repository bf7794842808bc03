"""Find what is wrong in a frame: in its conversation, or in the arguments of its calls.

In: payloads. Out: sentences; none if all is well. The rules are those of `conversation` and
`schema`; nothing is judged here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from course_pkg.conversation import problems
from course_pkg.widgets.pretty import brief
from course_pkg.widgets.stream import calls_of, message_of
from course_pkg.widgets.visible import cut

#: More problems are counted, not told.
MAX_TOLD = 10
NAME_CHARS = 60


def of_request(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """What a service would refuse in a request's messages.

    Args:
        payload: the request.
    """
    messages = payload.get("messages")
    found = problems(messages) if isinstance(messages, list) else []
    return _told([problem.text for problem in found])


def of_answer(payload: Any, request: Mapping[str, Any]) -> tuple[str, ...]:
    """Which calls of an answer cannot be run as they are, and why.

    Args:
        payload: the answer.
        request: what it answers. Its tools say which calls fit.
    """
    schemas = _schemas(request)
    calls = calls_of(message_of(payload))
    return _told([text for call in calls for text in _of_call(call, schemas)])


def _of_call(call: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    function = call.get("function")
    if not isinstance(function, dict):
        yield f"The call {brief(call.get('id'), NAME_CHARS)} has no function."
        return
    name, arguments = function.get("name"), function.get("arguments")
    label = cut(str(name), NAME_CHARS)
    if schemas and name not in schemas:
        yield f"{label}: no tool of this name was offered."
        return
    try:
        instance = json.loads(arguments if isinstance(arguments, str) else "")
    except (ValueError, RecursionError) as error:
        yield f"{label}: the arguments are no JSON ({error})."
        return
    yield from _of_arguments(label, instance, schemas.get(str(name)))


def _of_arguments(label: str, instance: Any, schema: Any) -> Iterator[str]:
    from course_pkg.schema import check, explain  # jsonschema is dear: only with a call to check

    if not isinstance(instance, dict):
        yield f"{label}: the arguments are JSON, but no object: {brief(instance, NAME_CHARS)}."
        return
    if not isinstance(schema, dict):
        return
    try:
        found = check(instance, schema)
    except Exception as error:  # a recorded schema may be anything; to look at it must not fail
        yield f"{label}: the arguments could not be checked: {cut(str(error), 200)}"
        return
    if found:
        yield f"{label}: the arguments do not fit the input schema:\n{explain(found)}"


def _schemas(request: Mapping[str, Any]) -> dict[str, Any]:
    tools = request.get("tools")
    functions = [
        tool["function"]
        for tool in (tools if isinstance(tools, list) else [])
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict)
    ]
    return {
        function["name"]: function.get("parameters")
        for function in functions
        if isinstance(function.get("name"), str)
    }


def _told(texts: Sequence[str]) -> tuple[str, ...]:
    more = len(texts) - MAX_TOLD
    return (*texts[:MAX_TOLD], *([f"And {more} more."] if more > 0 else []))
