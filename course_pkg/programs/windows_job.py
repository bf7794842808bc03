"""A Windows job object: end a program together with all that it has started.

In: the handle of a process. Out: a `Job` that ends whatever is in it. Where the system is not
Windows, nothing here is used.

Source of the numbers: Microsoft's documentation of `SetInformationJobObject` and
`JOBOBJECT_EXTENDED_LIMIT_INFORMATION` (winnt.h).
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    EXTENDED_LIMITS = 9
    END_ALL_ON_CLOSE = 0x2000

    class _Basic(ctypes.Structure):
        _fields_ = (
            ("per_process_time", ctypes.c_int64),
            ("per_job_time", ctypes.c_int64),
            ("flags", wintypes.DWORD),
            ("least_working_set", ctypes.c_size_t),
            ("most_working_set", ctypes.c_size_t),
            ("most_processes", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("priority", wintypes.DWORD),
            ("scheduling", wintypes.DWORD),
        )

    class _Extended(ctypes.Structure):
        _fields_ = (
            ("basic", _Basic),
            ("counters", ctypes.c_uint64 * 6),
            ("process_memory", ctypes.c_size_t),
            ("job_memory", ctypes.c_size_t),
            ("peak_process_memory", ctypes.c_size_t),
            ("peak_job_memory", ctypes.c_size_t),
        )

    def _library() -> ctypes.WinDLL:
        library = ctypes.WinDLL("kernel32", use_last_error=True)
        library.CreateJobObjectW.restype = wintypes.HANDLE
        library.CreateJobObjectW.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
        library.SetInformationJobObject.argtypes = (
            wintypes.HANDLE,
            ctypes.c_int,
            wintypes.LPVOID,
            wintypes.DWORD,
        )
        library.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
        library.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
        library.CloseHandle.argtypes = (wintypes.HANDLE,)
        return library

    class Job:
        """All processes of one run."""

        def __init__(self, process_handle: int, *, ends_all: bool) -> None:
            """Take in a process that has just been started; what it starts comes along.

            Args:
                process_handle: the handle of the process.
                ends_all: whether what is left ends when the job is closed.

            Raises:
                OSError: if the system refuses.
            """
            self._library = _library()
            self._handle = self._library.CreateJobObjectW(None, None)
            limits = _Extended()
            limits.basic.flags = END_ALL_ON_CLOSE if ends_all else 0
            size = ctypes.sizeof(limits)
            is_done = self._library.SetInformationJobObject(
                self._handle, EXTENDED_LIMITS, ctypes.byref(limits), size
            ) and self._library.AssignProcessToJobObject(self._handle, process_handle)
            if not is_done:
                error = ctypes.WinError(ctypes.get_last_error())
                self.close()
                raise error

        def end(self) -> None:
            """End every process in the job."""
            self._library.TerminateJobObject(self._handle, 1)

        def close(self) -> None:
            """Give the handle back."""
            self._library.CloseHandle(self._handle)
