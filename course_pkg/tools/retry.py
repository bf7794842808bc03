"""How a tool may be tried again, and the error that says it is worth it.

In: nothing. Out: `Retry` and `TemporaryToolError`. The executor does the waiting.
"""

from __future__ import annotations

from dataclasses import dataclass

from course_pkg.tools.values import ToolError


class TemporaryToolError(ToolError):
    """Raise this in a tool when the same call may well succeed a little later.

    A tool with `retry=Retry()` is then run again. The text goes to the model if no try succeeds.
    """


@dataclass(frozen=True, kw_only=True)
class Retry:
    """How a tool is tried again after a temporary error.

    Attributes:
        tries: how often it runs at most, the first time included.
        first_wait_s: the longest wait before the second try, in seconds; each further one doubles.
        longest_wait_s: no wait is longer, in seconds.
        also_after: exceptions that count as temporary besides `TemporaryToolError`.
    """

    tries: int = 3
    first_wait_s: float = 0.5
    longest_wait_s: float = 8.0
    also_after: tuple[type[Exception], ...] = ()

    def __post_init__(self) -> None:
        """See that there is at least one try.

        Raises:
            ValueError: if `tries` is less than 1.
        """
        if self.tries < 1:
            raise ValueError(f"tries is {self.tries}: a tool runs at least once. Give 1 or more.")

    def is_temporary(self, error: BaseException) -> bool:
        """Whether the same call may succeed a little later."""
        return isinstance(error, (TemporaryToolError, *self.also_after))
