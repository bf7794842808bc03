"""An MCP server that offers the sample programs: the second of notebook 12's three bridges.

In: the working folder as the only argument, and JSON-RPC messages on stdin. Out: answers on stdout.
"""

from __future__ import annotations

import sys
from pathlib import Path

from course_pkg.mcp_server import high_level, run_stdio
from course_pkg.programs import tools_of
from course_pkg.samples.programs import sample_programs

if __name__ == "__main__":
    run_stdio(high_level(tools_of(sample_programs(Path(sys.argv[1]))), name="programs"))
