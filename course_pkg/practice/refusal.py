"""The one value for a request that is not answered, in the error shape of the OpenAI API.

In: what is wrong. Out: a status and a JSON body. Knows no rules; `rules` and `api` do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a request is refused.

    Attributes:
        message: what is wrong and what to do; never the key.
        status: the HTTP status.
        kind: the `type` field of the error.
        param: the place in the request, as the real service writes it.
        code: one code word, where the real service has one.
    """

    message: str
    status: int = 400
    kind: str = "invalid_request_error"
    param: str | None = None
    code: str | None = None

    def body(self) -> dict[str, Any]:
        """The JSON body: `{"error": {"message", "type", "param", "code"}}`."""
        return {
            "error": {
                "message": self.message,
                "type": self.kind,
                "param": self.param,
                "code": self.code,
            }
        }
