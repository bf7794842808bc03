"""The error of both ends of the sidecar.

In: nothing. Out: `SidecarError`.
"""

from __future__ import annotations

from course_pkg.tools import ToolError


class SidecarError(ToolError):
    """A sidecar cannot start, does not answer, or refuses. The text says why and what to do.

    It never holds a token, and goes to the model as it is.
    """
