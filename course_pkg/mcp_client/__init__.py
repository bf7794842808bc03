"""Use the tools of MCP servers: a remote tool is a tool like any other.

In: a command, a URL, or a server object. Out: a `Connection` whose tools a model can be offered,
and `Connections`, several of them with one toolbox. Knows nothing of models and loops; the MCP SDK
comes in when the first connection is opened.

`connection.py` is the front, `link.py` the task that owns the SDK's client, `targets.py` and
`eras.py` say where servers are and what they speak. `watching.py` and `saving.py` see what the SDK
would hide, `listing.py` reads the tools, `remote.py` makes tools of them, `results.py` and
`blocks.py` read answers. `errors.py`, `failing.py`, `remarks.py` and `server_log.py` say what went
wrong; `several.py`, `live.py` and `names.py` take many servers together.
"""

from course_pkg.mcp_client.connection import Connection, connect
from course_pkg.mcp_client.errors import ServerError
from course_pkg.mcp_client.live import LiveToolbox
from course_pkg.mcp_client.results import CallOutcome
from course_pkg.mcp_client.several import Connections
from course_pkg.mcp_client.targets import Target

__all__ = [
    "CallOutcome",
    "Connection",
    "Connections",
    "LiveToolbox",
    "ServerError",
    "Target",
    "connect",
]
