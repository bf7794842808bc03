"""The server's own log: what a client must not see, and the server's owner must.

In: what went wrong. Out: lines on the logger `course_pkg.mcp_server`, tracebacks with them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

#: Goes to stderr unless the program says otherwise. Never to stdout: on stdio that is the wire.
log = logging.getLogger("course_pkg.mcp_server")


@contextmanager
def root_logger_left_alone() -> Iterator[None]:
    """Keep `logging.basicConfig` from changing anything inside the `with`.

    The SDK's `MCPServer` calls it when it is made. In a notebook that would put a handler on
    everybody's logs. It does nothing to a root logger that has a handler, so one is lent to it.
    """
    root, lent = logging.getLogger(), logging.NullHandler()
    root.addHandler(lent)
    try:
        yield
    finally:
        root.removeHandler(lent)
