"""The HTTP bridge: a small service on this computer that runs tools, and the tools that ask it.

In: a `Toolbox`. Out: `Sidecar`, a service on 127.0.0.1 with `GET /tools` and `POST /execute`, and
`sidecar_tools`, which makes plain `Tool`s of what such a service offers. Knows nothing of models
and of programs.

On the way of a request: `serving` speaks HTTP, `guarding.py` looks at host, origin and token,
`reading.py` at type, size and form of the body, `application.py` runs the tool through `executor`.
`service.py` starts and stops it all, `client.py` is the other end. A refusal (`refusal.py`) is
always JSON and never shows what the service is made of.
"""

from course_pkg.sidecar.client import SidecarClient, sidecar_tools
from course_pkg.sidecar.errors import SidecarError
from course_pkg.sidecar.service import Sidecar

__all__ = ["Sidecar", "SidecarClient", "SidecarError", "sidecar_tools"]
