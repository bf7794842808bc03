"""Offer tools over the Model Context Protocol: one server, for every program that has a client.

In: a `Toolbox`, and documents and prompts if there are any. Out: a server object of the SDK, and
what it needs to be reached: `run_stdio` as a subprocess, `HttpService` over HTTP on this computer.
Knows nothing of models and of the course's samples.

There are two ways to one behaviour. `high_level` gives the SDK's `MCPServer`, on which more can be
put with `@server.tool()`; `low_level` gives its `Server`, where each method of the protocol has a
handler. `defining.py` says what a client is told about a tool, `answering.py` runs one call,
`outputs.py` makes structured results, `reporting.py` passes progress on; `documents.py` and
`prompts.py` hold what is offered besides tools. `serving.py` has HTTP, `stdio.py` the pipe.

An unknown tool is answered with an error result (`isError`) that names the tools on offer: the
model made the mistake, and only a result reaches it. The specification's own example is a protocol
error, -32602, so a client has to understand both. Unknown documents and prompts are protocol
errors (-32602): a program asks for those, not a model.
"""

from course_pkg.mcp_server.documents import Documents
from course_pkg.mcp_server.high_level import high_level
from course_pkg.mcp_server.low_level import low_level
from course_pkg.mcp_server.serving import HttpService, HttpServiceError
from course_pkg.mcp_server.stdio import run_stdio

__all__ = ["Documents", "HttpService", "HttpServiceError", "high_level", "low_level", "run_stdio"]
