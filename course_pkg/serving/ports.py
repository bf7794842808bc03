"""Take a port of this computer, or say why it cannot be had.

In: a port's number, or 0 for any that is free. Out: a socket that listens on loopback only.
"""

from __future__ import annotations

import errno
import os
import socket

#: Never an address that another computer can reach.
HOST = "127.0.0.1"


class PortError(RuntimeError):
    """The port cannot be used. The text says why and what to do."""


def bind(port: int) -> socket.socket:
    """A socket that listens.

    Args:
        port: the port on 127.0.0.1; 0 takes one that is free.

    Raises:
        PortError: if it is taken, not allowed, or none.
    """
    # The protocol is named, or asyncio leaves small packets to wait for each other (40 ms).
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":
        # Elsewhere this option lets two services share a port, which is not what we want.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise PortError(_why_not(port, error)) from error
    return listening


def _why_not(port: int, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in {errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", errno.EADDRINUSE)}:
        return (
            f"Port {port} on {HOST} is taken: another program listens there. Stop that program, "
            "name another port, or use port 0 to get a free one."
        )
    if number in {errno.EACCES, errno.EPERM}:
        return f"Port {port} needs special rights. Use a port above 1023, or 0 to get a free one."
    reason = str(error).rstrip(".")
    return f"Port {port} on {HOST} cannot be used: {reason}. Use 0 to get a free one."
