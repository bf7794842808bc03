"""Say what happened when a server could not be opened, or a call did not come to an answer.

In: what the SDK raised, and what is known of the server. Out: a `ServerError` to raise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from course_pkg.mcp_client.errors import ServerError, in_a_line
from course_pkg.mcp_client.link import Link

#: The SDK's own codes for a connection that ended, and for an answer that did not come in time.
CONNECTION_CLOSED, REQUEST_TIMEOUT = -32000, -32001

#: How long to wait for the reason of an end, in seconds.
SETTLE_S = 1.0

#: So much is told of what the SDK found wrong with an answer.
MAX_REASON_LINES = 3

REOPEN = "Open it again with `await connection.reopen()`."


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of a server when something goes wrong.

    Attributes:
        name: what it is called here.
        place: where it is.
        log: the end of its stderr.
        hidden: takes secrets out of a text.
    """

    name: str
    place: str
    log: str = ""
    hidden: Callable[[str], str] = str


def not_open(known: Known) -> ServerError:
    """The error of using a connection that is closed, or was never opened."""
    return ServerError(
        f"The connection to the server {known.name!r} is not open.",
        kind="closed",
        advice="Open it with `await connection.open()`.",
    )


def seconds(number: float) -> str:
    """`1 second`, `0.5 seconds`."""
    return f"{number:g} second{'' if number == 1 else 's'}"


def failed_opening(known: Known, error: BaseException, limit_s: float) -> ServerError:
    """The error of a server that could not be opened.

    Args:
        known: the server.
        error: the root cause.
        limit_s: how long opening may take, in seconds.
    """
    where = f"The server {known.name!r} ({known.place})"
    if isinstance(error, TimeoutError):
        return ServerError(
            f"{where} did not answer within {seconds(limit_s)}.",
            kind="timeout",
            advice="Look whether it starts at all, or give it longer with open_timeout_s.",
            log=known.log,
        )
    if isinstance(error, FileNotFoundError | PermissionError):
        return ServerError(
            f"{where} could not be started: {in_a_line(error)}.",
            kind="not_opened",
            advice="The first item of the list must be a program that this machine can find.",
        )
    if _code(error) == CONNECTION_CLOSED:
        return ServerError(
            f"{where} ended before it had answered.",
            kind="not_opened",
            advice="Run its command in a terminal to see why.",
            log=known.log,
        )
    return ServerError(
        f"{where} could not be opened: {in_a_line(error)}.",
        kind="not_opened",
        advice="Look whether it is running, and whether the address is right.",
        log=known.log,
    )


def unreadable(known: Known, what: str, error: Exception) -> ServerError:
    """The error of an answer that is not what the protocol says.

    Args:
        known: the server.
        what: what was asked for.
        error: what the SDK found.
    """
    reason = "; ".join(line.strip() for line in str(error).splitlines()[:MAX_REASON_LINES])
    told = f"The answer of the server {known.name!r} to {what!r} cannot be used: {reason}"
    return ServerError(known.hidden(told), kind="unreadable")


def session_lost(known: Known, what_then: str) -> ServerError:
    """The error of a server that no longer knows the session.

    Args:
        known: the server.
        what_then: what was tried, and what came of it.
    """
    told = f"The server {known.name!r} no longer knew the session (HTTP status 404). {what_then}"
    return ServerError(told, kind="session_lost")


async def failed_call(
    known: Known, link: Link, error: Exception, limit_s: float
) -> ServerError | None:
    """The error of a call that came to no answer; `None` if the server has answered with an error.

    Args:
        known: the server.
        link: the link that the call went through.
        error: the SDK's `MCPError`.
        limit_s: how long a call may take, in seconds.
    """
    if _code(error) == REQUEST_TIMEOUT and "timed out" in str(error):
        return ServerError(
            f"The server {known.name!r} did not answer within {seconds(limit_s)}. The call was "
            "given up; what it does may still happen.",
            kind="timeout",
            advice="Other calls may work. If not, `await connection.reopen()`.",
            log=known.log,
        )
    if _code(error) != CONNECTION_CLOSED:
        return None
    if link.is_closing:
        return not_open(known)
    if not link.watch.has_ended:  # over HTTP, the reason comes a moment later
        await link.settled(timeout_s=SETTLE_S)
    if not link.watch.has_ended and link.is_open:
        return None  # the server's own words
    reason = f" ({in_a_line(link.failure)})" if link.failure else ""
    return ServerError(
        f"The server {known.name!r} has gone{reason}: the connection was closed.",
        kind="gone",
        advice=REOPEN,
        log=known.log,
    )


def _code(error: BaseException) -> int:
    code: int = getattr(getattr(error, "error", None), "code", 0)
    return code
