"""Failures of the formats in which models write calls as text, before a server reads them.

In: nothing. Out: `ROWS`. The text arrives as the answer, as from a server without a parser.
"""

from __future__ import annotations

from typing import Any

from course_pkg.practice.failures.content import as_object
from course_pkg.practice.failures.spoiling import Call, both, in_place_of_calls, on_needed, write
from course_pkg.practice.fault import Fault

_SERVER = "course"


def _hermes(call: Call) -> str:
    return f"<tool_call>\n{write(as_object(call))}\n</tool_call>"


def _all_hermes(calls: list[Call]) -> str:
    return "\n".join(_hermes(call) for call in calls)


def _hermes_unclosed(calls: list[Call]) -> str:
    return "Let me see.\n" + _hermes(calls[0]).removesuffix("\n</tool_call>")


def _hermes_broken(calls: list[Call]) -> str:
    return f"<tool_call>\n{write(as_object(calls[0]))[:-2]}\n</tool_call>"


def _hermes_after_thinking(calls: list[Call]) -> str:
    call = _hermes(calls[0])
    return f"<think>\nMaybe {call}? No, wait. Yes.\n</think>\n{call}"


def _qwen3_coder(calls: list[Call], *, closing: str) -> str:
    said = as_object(calls[0])
    parts = [
        f"<parameter={name}>\n{_plain(value)}\n{closing}"
        for name, value in said["arguments"].items()
    ]
    return f"<tool_call>\n<function={said['name']}>\n{''.join(parts)}</function>\n</tool_call>"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else write(value)


def _use_mcp_tool(call: Call, *, arguments: str, end: str) -> str:
    return (
        f"<use_mcp_tool>\n<server_name>{_SERVER}</server_name>\n"
        f"<tool_name>{call['function']['name']}</tool_name>\n<arguments>\n{arguments}\n{end}"
    )


_END = "</arguments>\n</use_mcp_tool>"
_END_SWAPPED = "</use_mcp_tool>\n</arguments>"


def _mcp_whole(calls: list[Call]) -> str:
    return _use_mcp_tool(calls[0], arguments=calls[0]["function"]["arguments"], end=_END)


def _mcp_swapped(calls: list[Call]) -> str:
    return _use_mcp_tool(calls[0], arguments=calls[0]["function"]["arguments"], end=_END_SWAPPED)


def _mcp_quotes(calls: list[Call]) -> str:
    """Quotes inside the first text that are not escaped."""
    text: str = calls[0]["function"]["arguments"]
    return _use_mcp_tool(calls[0], arguments=text.replace('": "', '": "the "best" ', 1), end=_END)


ROWS = (
    Fault(
        name="hermes_text",
        title="A call in Hermes tags",
        says="The call is written between tool_call tags, and no server has read it out.",
        group="text formats",
        case="a-64",
        needs="call",
        spoil=in_place_of_calls(_all_hermes),
    ),
    Fault(
        name="hermes_tag_in_value",
        title="The closing tag inside a value",
        says="A value holds the tag that ends a call; who looks for the tag first cuts there.",
        group="text formats",
        case="a-63",
        needs="string",
        spoil=both(
            on_needed("string", lambda value: f"{value} </tool_call>"),
            in_place_of_calls(_all_hermes),
        ),
    ),
    Fault(
        name="hermes_unclosed",
        title="The closing tag is missing",
        says="The call is whole, and the tag that ends it is missing.",
        group="text formats",
        case="a-64",
        needs="call",
        spoil=in_place_of_calls(_hermes_unclosed),
    ),
    Fault(
        name="hermes_broken_json",
        title="Half a call between the tags",
        says="The tags are there, and the JSON between them is not complete.",
        group="text formats",
        case="a-64",
        needs="call",
        spoil=in_place_of_calls(_hermes_broken),
    ),
    Fault(
        name="hermes_after_thinking",
        title="A call in the thinking",
        says="The same call stands in the thinking and after it; only the second is meant.",
        group="text formats",
        case="a-63",
        needs="call",
        spoil=in_place_of_calls(_hermes_after_thinking),
    ),
    Fault(
        name="qwen3_coder_text",
        title="A call in function tags",
        says="The call is written with one tag for the tool and one for each argument.",
        group="text formats",
        case="a-69",
        needs="call",
        spoil=in_place_of_calls(lambda calls: _qwen3_coder(calls, closing="</parameter>\n")),
    ),
    Fault(
        name="qwen3_coder_unclosed",
        title="Parameter tags that are not closed",
        says="The tags that end an argument are missing.",
        group="text formats",
        case="a-69",
        needs="call",
        spoil=in_place_of_calls(lambda calls: _qwen3_coder(calls, closing="")),
    ),
    Fault(
        name="mcp_text",
        title="A call in use_mcp_tool tags",
        says="The call is written for a tool of a server, with tags for server, tool, arguments.",
        group="text formats",
        case="a-71",
        needs="call",
        spoil=in_place_of_calls(_mcp_whole),
    ),
    Fault(
        name="mcp_tags_swapped",
        title="Closing tags in the wrong order",
        says="The two closing tags at the end have changed places.",
        group="text formats",
        case="a-71",
        needs="call",
        spoil=in_place_of_calls(_mcp_swapped),
    ),
    Fault(
        name="mcp_quotes_not_escaped",
        title="Quotes that are not escaped",
        says="A value holds quotes that are not escaped: nothing can tell where it ends.",
        group="text formats",
        case="a-73",
        needs="string",
        spoil=in_place_of_calls(_mcp_quotes),
    ),
)
