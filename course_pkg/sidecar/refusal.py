"""An answer that says no.

In: a status and words. Out: a frozen `Refusal` and its JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a request was not served.

    Attributes:
        status: the HTTP status.
        code: the reason in one code word.
        message: the reason in words, and what to do. It repeats no credential.
        headers: what else goes along.
    """

    status: int
    code: str
    message: str
    headers: tuple[tuple[str, str], ...] = ()

    def body(self) -> bytes:
        """The JSON that is sent."""
        return encoded({"error": {"code": self.code, "message": self.message}})


def encoded(value: Any) -> bytes:
    """JSON as it goes onto the wire: UTF-8, Chinese characters as they are.

    Args:
        value: what JSON can carry.
    """
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
