"""Start one process, read what it prints without waiting, and end it with all that it has started.

In: an argv list, a folder, an environment. Out: a `ProcessTree`. No thread and no event loop: who
wants to wait asks again a little later.

On POSIX the process leads a session of its own, and its group is killed. On Windows it is in a job
object. Ending is at once: a program that a model started gets no time to argue.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from course_pkg.programs.strays import MARK_VARIABLE, end_strays, new_mark

#: So much is read at once: what a pipe of Linux holds.
CHUNK_BYTES = 65_536

#: A killed process is gone in moments; one that the kernel holds on to is not waited for.
REAP_TIMEOUT_S = 2.0


class ProcessTree:
    """A started process and everything that it starts. As a context it ends them all.

    Attributes:
        pipes: what it prints, and what it prints to the error stream.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        keeps_running: bool = False,
    ) -> None:
        """Start.

        Args:
            argv: the program by its whole path, and its arguments, an item each.
            folder: where it works.
            environment: all the variables that it gets, but for one that marks the run.
            keeps_running: whether what it has started may go on after a good end.

        Raises:
            OSError: if it cannot be started.
        """
        self._mark = new_mark()
        self._keeps_running = keeps_running
        self._process = subprocess.Popen(
            list(argv),
            cwd=folder,
            env={**environment, MARK_VARIABLE: self._mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            shell=False,
            close_fds=True,
            start_new_session=os.name == "posix",
            creationflags=_creation_flags(),
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.pipes: tuple[IO[bytes], IO[bytes]] = (self._process.stdout, self._process.stderr)
        self._group = _group_of(self._process, ends_all=not keeps_running)
        for pipe in self.pipes:
            _never_wait(pipe)

    @property
    def exit_status(self) -> int | None:
        """What the process exited with; negative for a signal; `None` while it runs."""
        return self._process.poll()

    def __enter__(self) -> ProcessTree:
        """Nothing more to do."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the process and all that it has started, and close the pipes."""
        if not (self._keeps_running and self._process.poll() == 0):
            self._group.end()
            end_strays(self._mark)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(REAP_TIMEOUT_S)
        self._group.close()
        for pipe in self.pipes:
            pipe.close()


if sys.platform == "win32":
    import _winapi
    import msvcrt

    from course_pkg.programs.windows_job import Job

    def _creation_flags() -> int:
        return subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW

    def _group_of(process: subprocess.Popen[bytes], *, ends_all: bool) -> Job:
        try:
            return Job(int(process._handle), ends_all=ends_all)  # type: ignore[attr-defined]
        except OSError:
            process.kill()  # what cannot be ended as a whole must not run
            raise

    def _never_wait(pipe: IO[bytes]) -> None:
        """Nothing to set: `read_now` looks before it reads."""

    def read_now(pipe: IO[bytes]) -> bytes | None:
        """What is in a pipe: `None` if nothing is there yet, no bytes at its end."""
        try:
            waiting = int(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(pipe.fileno()))[0])
        except OSError:  # the other end is closed
            return b""
        return os.read(pipe.fileno(), min(waiting, CHUNK_BYTES)) if waiting else None

else:

    class _SessionGroup:
        """The processes of a session that was made for one program."""

        def __init__(self, number: int) -> None:
            self._number = number

        def end(self) -> None:
            """Kill the group, also when its leader has gone: others may be left in it.

            Its number is nobody else's as long as one of them lives.
            """
            # macOS says "not permitted" of a group that has only just died.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._number, signal.SIGKILL)

        def close(self) -> None:
            """Nothing to give back."""

    def _creation_flags() -> int:
        return 0

    def _group_of(process: subprocess.Popen[bytes], *, ends_all: bool) -> _SessionGroup:
        return _SessionGroup(process.pid)

    def _never_wait(pipe: IO[bytes]) -> None:
        os.set_blocking(pipe.fileno(), False)

    def read_now(pipe: IO[bytes]) -> bytes | None:
        """What is in a pipe: `None` if nothing is there yet, no bytes at its end."""
        try:
            return os.read(pipe.fileno(), CHUNK_BYTES)
        except BlockingIOError:
            return None
