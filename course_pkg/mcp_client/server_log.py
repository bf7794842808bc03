"""Keep what a server writes to its stderr, and show the end of it.

In: nothing. Out: a file for a subprocess to write to, and its end as text. It works where
`sys.stderr` is no real file: in notebooks on Windows, and on some hosted services.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from pathlib import Path
from typing import TextIO

#: So much of the end is read, in bytes.
MAX_LOG_BYTES = 8_000


class ServerLog:
    """A temporary file for one server's stderr."""

    def __init__(self) -> None:
        """Make the file."""
        descriptor, name = tempfile.mkstemp(prefix="mcp-server-", suffix=".log")
        self.file: TextIO = os.fdopen(descriptor, "w", encoding="utf-8")
        self._path = Path(name)
        # A second handle, since the server writes at the place of the first one.
        self._reading = self._path.open("rb")
        # On POSIX the name can go at once, so that nothing is left even if this process is killed.
        with contextlib.suppress(PermissionError):
            self._path.unlink()

    def end(self) -> str:
        """The last of what was written. Bytes that are no UTF-8 show as replacement characters."""
        if self._reading.closed:
            return ""
        size = self._reading.seek(0, io.SEEK_END)
        self._reading.seek(max(0, size - MAX_LOG_BYTES))
        return self._reading.read().decode("utf-8", "replace").replace("\r\n", "\n").strip()

    def close(self) -> None:
        """Remove the file. Calling it again changes nothing."""
        self._reading.close()
        self.file.close()
        with contextlib.suppress(PermissionError):  # a child of the server may still hold it
            self._path.unlink(missing_ok=True)
