"""The high-level way: the SDK's `MCPServer`, with the tools of a `Toolbox`.

In: tools, documents, prompts. Out: an `MCPServer`, on which more can be put as usual, with
`@server.tool()`, `@server.resource(…)` and `@server.prompt()`.

Documents and prompts are put on it that way here, too. Tools are not. `server.add_tool(function)`
derives a schema from the signature by rules of its own and reads arguments leniently: unknown names
are ignored and `"yes"` becomes true. Our tools have their schema already, and it is the one to be
listed and to be checked against. `MCPServer(tools=[…])` takes the SDK's own tool objects, whose
schema can be set; but they count as internal there, and check arguments by a pydantic model all the
same. So `ToolboxServer` overrides the two public methods that the SDK's handlers call, `list_tools`
and `call_tool`, and `get_prompt` for its errors. What was put on the server by decorator goes its
usual way, and is listed after the toolbox.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.prompts.base import Prompt, PromptArgument
from mcp.server.mcpserver.resources import FunctionResource
from mcp.types import CallToolResult, GetPromptResult, InputRequiredResult
from mcp.types import Tool as Definition

from course_pkg.mcp_server.answering import answer
from course_pkg.mcp_server.defining import definition, offered
from course_pkg.mcp_server.documents import Documents
from course_pkg.mcp_server.logs import root_logger_left_alone
from course_pkg.mcp_server.prompts import listed, written
from course_pkg.tools import RunTool, Tool, Toolbox, as_toolbox

#: The version of what is offered, which a client may show. It is not one of the protocol's.
VERSION = "1.0"


def high_level(
    tools: Toolbox | Iterable[Tool | RunTool],
    *,
    name: str = "course",
    instructions: str = "",
    documents: Documents | None = None,
    prompts: Iterable[Tool | RunTool] = (),
) -> MCPServer[Any]:
    """An `MCPServer` that offers these tools.

    Args:
        tools: tools and functions.
        name: the server's name.
        instructions: when and how to use the server, for the model of whoever connects.
        documents: texts that a client may read.
        prompts: functions that write a request for the user.

    Raises:
        ToolDefinitionError: if a tool cannot be offered as it stands.
    """
    with root_logger_left_alone():
        server = ToolboxServer(
            offered(tools), as_toolbox(prompts), name=name, instructions=instructions
        )
    if documents is not None:
        _put_documents(server, documents)
    return server


class ToolboxServer(MCPServer[Any]):
    """The SDK's `MCPServer`, with a toolbox whose schemas it takes as they are."""

    def __init__(self, tools: Toolbox, prompts: Toolbox, *, name: str, instructions: str) -> None:
        """Make the server and list the prompts.

        Args:
            tools: what is on offer, looked over.
            prompts: functions that write a request.
            name: the server's name.
            instructions: when and how to use it; may be empty.
        """
        super().__init__(
            name, version=VERSION, instructions=instructions or None, log_level="WARNING"
        )
        self._toolbox = tools
        self._prompts = prompts
        self._definitions = [definition(tool) for tool in tools.values()]
        self._output_schemas = {item.name: item.output_schema for item in self._definitions}
        for prompt in prompts.values():
            self.add_prompt(_as_sdk_prompt(prompt))

    async def list_tools(self) -> list[Definition]:
        """The tools of the toolbox, then those that were put on the server by decorator."""
        added = await super().list_tools()
        return [*self._definitions, *(item for item in added if item.name not in self._toolbox)]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool of the toolbox, or one that was put on the server by decorator.

        Args:
            name: the tool's name. An unknown one is answered with the tools on offer.
            arguments: its arguments.
            context: the request, for its progress; `None` if there is none.
        """
        if name not in self._toolbox and name in {item.name for item in await super().list_tools()}:
            return await super().call_tool(name, arguments, context)
        send_progress = _nowhere if context is None else context.report_progress
        return await answer(name, arguments, self._toolbox, self._output_schemas, send_progress)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """Write a prompt out.

        Args:
            name: the prompt's name.
            arguments: its arguments.
            context: the request; `None` if there is none.

        Raises:
            MCPError: -32602 if there is no such prompt, or the arguments do not fit.
        """
        if name not in self._prompts and name in {item.name for item in await self.list_prompts()}:
            return await super().get_prompt(name, arguments, context)
        return await written(name, arguments, self._prompts)


async def _nowhere(_done: float, _total: float | None, _message: str | None) -> None:
    """Where progress goes that belongs to no request."""


def _as_sdk_prompt(prompt: Tool) -> Prompt:
    shown = listed(prompt)
    arguments = [
        PromptArgument(**item.model_dump(exclude={"meta"})) for item in shown.arguments or []
    ]
    return Prompt(
        name=shown.name,
        title=None,
        description=shown.description,
        arguments=arguments,
        fn=prompt.run,
        context_kwarg=None,
    )


def _put_documents(server: MCPServer[Any], documents: Documents) -> None:
    shown: dict[str, Any] = {
        "description": documents.description,
        "mime_type": documents.mime_type,
    }

    @server.resource(documents.uri, name=documents.title, **shown)
    def read(name: str) -> str:
        try:
            return documents.text(name)
        except KeyError:
            raise ResourceNotFoundError(f"Unknown resource: {documents.uri_of(name)}") from None

    for name in documents.names:
        server.add_resource(
            FunctionResource(
                uri=documents.uri_of(name), name=name, fn=partial(documents.text, name), **shown
            )
        )
