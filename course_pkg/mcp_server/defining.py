"""What a client is told about a tool: the answer to `tools/list`, one entry of it.

In: a `Tool`. Out: the SDK's `Tool`: name, description, input schema letter by letter, output
schema, and hints. Hints are what the server says about itself; a client must not rely on them.
"""

from __future__ import annotations

from collections.abc import Iterable

from mcp.types import Tool as Definition
from mcp.types import ToolAnnotations

from course_pkg.mcp_server.outputs import output_schema_of
from course_pkg.schema import SchemaError, check_schema
from course_pkg.tools import RunTool, Tool, Toolbox, ToolDefinitionError, as_toolbox


def offered(tools: Toolbox | Iterable[Tool | RunTool]) -> Toolbox:
    """The tools as they will be offered, looked over now rather than at the first call.

    Args:
        tools: tools and functions.

    Raises:
        ToolDefinitionError: if an input schema is no JSON Schema of an object, which MCP wants.
    """
    toolbox = Toolbox(as_toolbox(tools).values())
    for tool in toolbox.values():
        if tool.input_schema.get("type") != "object":
            raise ToolDefinitionError(
                f"{tool.name}: MCP wants an input schema of an object, and this one has "
                f'"type": {tool.input_schema.get("type")!r}. Write {{"type": "object", …}}.'
            )
        try:
            check_schema(tool.input_schema)
        except SchemaError as error:
            raise ToolDefinitionError(f"{tool.name}: {error}") from error
    return toolbox


def definition(tool: Tool) -> Definition:
    """What `tools/list` says about one tool.

    Args:
        tool: the tool.
    """
    return Definition(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        output_schema=output_schema_of(tool),
        annotations=hints(tool),
    )


def hints(tool: Tool) -> ToolAnnotations:
    """The annotations of a tool, as far as a `Tool` knows them; where it does not, the careful one.

    A side effect counts as destructive and as repeated by each call. An `idempotency_key` does not
    change that: it makes the *tries* of one call one effect, and two calls are two all the same.
    Nothing in a `Tool` says that it stays on this computer, so each may reach the open world.

    Args:
        tool: the tool.
    """
    return ToolAnnotations(
        read_only_hint=not tool.side_effect,
        destructive_hint=tool.side_effect,
        idempotent_hint=not tool.side_effect,
        open_world_hint=True,
    )
