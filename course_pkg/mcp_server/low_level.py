"""The low-level way: the SDK's `Server`, with one handler for each method of the protocol.

In: tools, documents, prompts. Out: a `Server`. This kind checks and wraps nothing: arguments come
as the client sent them, and what a handler raises becomes a protocol error, in the handshake era
with the exception's own text. So each handler here answers whatever comes, or raises an `MCPError`.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from course_pkg.executor.threads import in_thread
from course_pkg.mcp_server.answering import answer
from course_pkg.mcp_server.defining import definition, offered
from course_pkg.mcp_server.documents import Documents
from course_pkg.mcp_server.high_level import VERSION
from course_pkg.mcp_server.logs import log
from course_pkg.mcp_server.paging import page_of
from course_pkg.mcp_server.prompts import listed, written
from course_pkg.tools import RunTool, Tool, Toolbox, as_toolbox

Request = ServerRequestContext[Any, Any]
Page = PaginatedRequestParams | None
Params = TypeVar("Params")
Result = TypeVar("Result")


def low_level(
    tools: Toolbox | Iterable[Tool | RunTool],
    *,
    name: str = "course",
    instructions: str = "",
    documents: Documents | None = None,
    prompts: Iterable[Tool | RunTool] = (),
    page_size: int | None = None,
) -> Server[Any]:
    """A `Server` that offers these tools.

    Args:
        tools: tools and functions.
        name: the server's name.
        instructions: when and how to use the server, for the model of whoever connects.
        documents: texts that a client may read.
        prompts: functions that write a request for the user.
        page_size: how many items of a list go into one answer; `None` is all.

    Raises:
        ToolDefinitionError: if a tool cannot be offered as it stands.
        ValueError: if the page size is less than 1.
    """
    if page_size is not None and page_size < 1:
        raise ValueError(f"page_size is {page_size}: a page has 1 item or more.")
    handlers = Handlers(offered(tools), documents, as_toolbox(prompts), page_size=page_size)
    return Server(
        name,
        version=VERSION,
        instructions=instructions or None,
        get_tool_input_schema=handlers.input_schema,
        on_list_tools=_sealed(handlers.list_tools),
        on_call_tool=handlers.call_tool,
        on_list_resources=_sealed(handlers.list_resources),
        on_list_resource_templates=_sealed(handlers.list_resource_templates),
        on_read_resource=_sealed(handlers.read_resource),
        on_list_prompts=_sealed(handlers.list_prompts),
        on_get_prompt=_sealed(handlers.get_prompt),
    )


class Handlers:
    """What a server does for each method. A handler takes the request and its parameters."""

    def __init__(
        self,
        tools: Toolbox,
        documents: Documents | None,
        prompts: Toolbox,
        *,
        page_size: int | None,
    ) -> None:
        """Hold what is offered.

        Args:
            tools: tools, looked over.
            documents: texts to read, if any.
            prompts: functions that write a request.
            page_size: how many items make a page; `None` is all.
        """
        self._tools = tools
        self._documents = documents
        self._prompts = prompts
        self._page_size = page_size
        self._definitions = [definition(tool) for tool in tools.values()]
        self._output_schemas = {item.name: item.output_schema for item in self._definitions}

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The input schema of a tool, which HTTP headers are checked by; `None` if unknown."""
        return dict(self._tools[name].input_schema) if name in self._tools else None

    async def list_tools(self, _request: Request, params: Page) -> ListToolsResult:
        """Answer `tools/list`."""
        page, cursor = page_of(self._definitions, params, self._page_size)
        return ListToolsResult(tools=page, next_cursor=cursor)

    async def call_tool(self, request: Request, params: CallToolRequestParams) -> CallToolResult:
        """Answer `tools/call`. Nothing is raised: see `answer`."""
        send_progress = request.session.report_progress
        return await answer(
            params.name, params.arguments, self._tools, self._output_schemas, send_progress
        )

    async def list_resources(self, _request: Request, params: Page) -> ListResourcesResult:
        """Answer `resources/list`: each document by name."""
        page, cursor = page_of(self._resources(), params, self._page_size)
        return ListResourcesResult(resources=page, next_cursor=cursor)

    async def list_resource_templates(
        self, _request: Request, _params: Page
    ) -> ListResourceTemplatesResult:
        """Answer `resources/templates/list`: how a document's URI is made of its name."""
        documents = self._documents
        if documents is None:
            return ListResourceTemplatesResult(resource_templates=[])
        template = ResourceTemplate(
            uri_template=documents.uri,
            name=documents.title,
            description=documents.description,
            mime_type=documents.mime_type,
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _request: Request, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """Answer `resources/read`. Raises -32602 for a URI that is no document's."""
        uri, documents = str(params.uri), self._documents
        name = documents.name_of(uri) if documents else None
        if documents is None or name is None:
            raise MCPError(INVALID_PARAMS, f"Unknown resource: {uri}", {"uri": uri})
        try:
            text = await in_thread(lambda: documents.text(name), name="document")
        except Exception as error:
            log.exception("The document %r could not be read.", name)
            message = f"Error reading resource {uri}"
            raise MCPError(INTERNAL_ERROR, message, {"uri": uri}) from error
        contents = TextResourceContents(uri=uri, mime_type=documents.mime_type, text=text)
        return ReadResourceResult(contents=[contents])

    async def list_prompts(self, _request: Request, params: Page) -> ListPromptsResult:
        """Answer `prompts/list`."""
        prompts = [listed(prompt) for prompt in self._prompts.values()]
        page, cursor = page_of(prompts, params, self._page_size)
        return ListPromptsResult(prompts=page, next_cursor=cursor)

    async def get_prompt(
        self, _request: Request, params: GetPromptRequestParams
    ) -> GetPromptResult:
        """Answer `prompts/get`. Raises -32602 for an unknown prompt or unfit arguments."""
        return await written(params.name, params.arguments, self._prompts)

    def _resources(self) -> list[Resource]:
        documents = self._documents
        if documents is None:
            return []
        return [
            Resource(
                uri=documents.uri_of(name),
                name=name,
                description=documents.description,
                mime_type=documents.mime_type,
            )
            for name in documents.names
        ]


def _sealed(
    handler: Callable[[Request, Params], Awaitable[Result]],
) -> Callable[[Request, Params], Awaitable[Result]]:
    """The handler, with anything unexpected kept in the log: its text must not reach a client."""

    @functools.wraps(handler)
    async def sealed(request: Request, params: Params) -> Result:
        try:
            return await handler(request, params)
        except MCPError:
            raise
        except Exception as error:
            log.exception("%s could not be answered.", request.method)
            raise MCPError(INTERNAL_ERROR, "The server failed at this request.") from error

    return sealed
