"""What can go wrong with an MCP server, in words.

In: whatever the SDK raised. Out: a `ServerError`, whose text says what happened, where, and what to
do next. What a tool got wrong is no exception: it is a `CallOutcome`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["not_opened", "closed", "gone", "timeout", "session_lost", "unreadable"]

#: So much of a server's log stands in an error, in characters.
MAX_LOG_CHARS = 2_000


class ServerError(RuntimeError):
    """An MCP server could not be reached, has gone, or did not answer in time.

    Attributes:
        kind: what happened, in one code word.
        short: what happened in a sentence, without the server's log: what a model is told.
        log: the end of what the server wrote to its stderr; may be empty.
    """

    def __init__(self, short: str, *, kind: Kind, advice: str = "", log: str = "") -> None:
        """Make the text.

        Args:
            short: what happened, in a sentence.
            kind: the code word.
            advice: what to do next.
            log: what the server wrote to its stderr; its end is shown.
        """
        self.kind, self.short, self.log = kind, short, log[-MAX_LOG_CHARS:].strip()
        told = f"\nThe end of its log:\n{self.log}" if self.log else ""
        super().__init__(f"{short} {advice}".strip() + told)


def root_cause(error: BaseException) -> BaseException:
    """The first plain exception inside groups of exceptions, which the SDK's task groups make.

    Args:
        error: any exception.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def in_a_line(error: BaseException) -> str:
    """An exception's type and message, in one line.

    Args:
        error: any exception.
    """
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
