"""Serve an application on a port of this computer, in a thread of its own.

In: what answers requests, and a port. Out: a service that starts and stops cleanly, with nothing
printed and no signal handled, since it may live in a notebook's kernel. Knows nothing of what is
served. `ports.py` takes a port, `threads.py` starts and stops, `listening.py` speaks HTTP; the last
brings starlette's types and uvicorn along, so it is loaded when a service starts.
"""

from course_pkg.serving.ports import HOST, PortError, bind
from course_pkg.serving.threads import START_TIMEOUT_S, STOP_TIMEOUT_S, ThreadedService

__all__ = ["HOST", "START_TIMEOUT_S", "STOP_TIMEOUT_S", "PortError", "ThreadedService", "bind"]
