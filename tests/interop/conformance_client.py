"""The client that the conformance suite starts for each scenario: `conformance_client.py URL`.

In: the server's URL as the last word; the scenario and the protocol version in the environment.
Out: an exit code, and messages that the suite's server looks at. Recording is on, as in a notebook.

Eleven of the thirteen scenarios go through the course's own `connect`. In the other two the server
asks a question in the middle of a call (elicitation). The course's `Connection` answers no such
question, so these two go through the SDK's `Client`, over the course's recorded transport.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client

from course_pkg import Tool
from course_pkg.mcp_client import connect
from course_pkg.schema import SchemaError, check_schema
from course_pkg.wire import Recorder
from course_pkg.wire.mcp import recorded

Era: TypeAlias = Literal["auto", "legacy"]

# In the environment, set by the suite.
SCENARIO, VERSION = "MCP_CONFORMANCE_SCENARIO", "MCP_CONFORMANCE_PROTOCOL_VERSION"

# Values that a header cannot carry as they are: the client has to encode them.
HEADER_VALUES = {
    "region": "eu-west",
    "priority": 7,
    "verbose": False,
    "debug": True,
    "empty_val": "",
    "method_val": "GET",
    "float_val": 2.5,
    "non_ascii_val": "中文",
    "whitespace_val": "  both  ",
    "leading_space_val": " before",
    "trailing_space_val": "after ",
    "internal_space_val": "in between",
    "control_char_val": "one\x01two",
    "crlf_val": "one\r\ntwo",
    "tab_val": "\tone",
    "query": "stays in the body",
}

KNOWN_ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "add_numbers": {"a": 5, "b": 3},
    "test_custom_headers": HEADER_VALUES,
    "test_custom_headers_null": {"region": "eu", "priority": 1, "verbose": None, "query": "q"},
    "valid_tool": {"region": "eu"},
}


def calls(tools: Mapping[str, Tool]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """One call of each tool on offer, with arguments that fit it.

    `json_schema_echo` is given the schema of its neighbour, as it arrived here.
    """
    for name in tools:
        if name == "json_schema_echo":
            yield name, {"schema": tools["json_schema_2020_12_tool"].input_schema}
        else:
            yield name, KNOWN_ARGUMENTS.get(name, {})


async def call_each_tool(url: str, era: Era) -> None:
    """Open, list, call, close: with the course's client."""
    async with await connect(url, era=era) as connection:
        for name, arguments in calls({tool.name: tool for tool in connection.tools}):
            await connection.call(name, arguments)


async def look_schemas_over(url: str, era: Era) -> None:
    """Open, list, and look each tool's schema over: nothing that it names may be fetched."""
    async with await connect(url, era=era) as connection:
        for tool in connection.tools:
            with contextlib.suppress(SchemaError):
                check_schema(tool.input_schema)


async def accept(_context: Any, question: Any) -> types.ElicitResult:
    """Answer a server's question with the values that its form proposes, or with yes."""
    fields = question.requested_schema.get("properties", {})
    content = {name: field.get("default", True) for name, field in fields.items()}
    return types.ElicitResult(action="accept", content=content)


async def call_and_answer(url: str, era: Era) -> None:
    """The same with the SDK's client, which answers questions."""
    transport = recorded(streamable_http_client(url))
    async with Client(transport, mode=era, elicitation_callback=accept) as client:
        for tool in (await client.list_tools()).tools:
            try:
                await client.call_tool(tool.name, {})
            except (MCPError, ValueError) as error:
                # One tool answers without `resultType`, which the SDK refuses to read. The suite
                # wants to see only that the client does not send the call again.
                sys.stderr.write(f"{tool.name}: {error}\n")


# What to do in the scenarios in which calling each tool is not it.
PLAYS = {
    "elicitation-sep1034-client-defaults": call_and_answer,
    "sep-2322-client-request-state": call_and_answer,
    "json-schema-ref-no-deref": look_schemas_over,
}


async def main() -> None:
    """Play the scenario that the suite names."""
    # From the environment comes a version; `auto` finds 2026-07-28 out by itself.
    era: Era = "auto" if os.environ[VERSION] >= "2026" else "legacy"
    play = PLAYS.get(os.environ[SCENARIO], call_each_tool)
    with Recorder():
        await play(sys.argv[-1], era)


if __name__ == "__main__":
    asyncio.run(main())
