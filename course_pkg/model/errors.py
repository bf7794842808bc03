"""Say what a model service did wrong: one exception, with a kind.

In: what the `openai` client raised, or an answer that is no reply. Out: a `ModelError` with what
happened, where, and what to do next. The key is never in it.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import openai

#: So much of a service's answer is quoted in an error, in characters.
MAX_QUOTED_CHARS = 300

#: A key shorter than this could be an ordinary word ("none"), and is not searched for in texts.
MIN_KEY_CHARS = 8

#: So many characters at a key's beginning, with stars after them, are that key starred out.
SHOWN_CHARS = 3

HIDDEN = "(hidden)"

#: HTTP status → kind. What is not here is `bad_request` below 500 and `server_error` from 500 on.
KINDS = {
    401: "wrong_key",
    402: "quota",
    403: "not_allowed",
    404: "not_found",
    408: "timeout",
    409: "server_error",
    429: "rate_limited",
}

ADVICE = {
    "wrong_key": "Check OPENAI_API_KEY: the service did not accept it.",
    "not_allowed": "Your key may not use this model. Check COURSE_MODEL_NAME or ask who gave it.",
    "not_found": "Check OPENAI_BASE_URL and COURSE_MODEL_NAME.",
    "timeout": "Try again, or raise timeout_s.",
    "rate_limited": "Wait, then run the cell again.",
    "quota": "Add credit to the account, or use another one.",
    "bad_request": "The request has to change before it is sent again.",
    "server_error": "The fault is the service's. Wait, then run the cell again.",
    "connection": "Check OPENAI_BASE_URL, and that the service runs and can be reached.",
    "bad_response": "Check that OPENAI_BASE_URL is a Chat Completions interface, ending in /v1.",
    "stream_error": "The answer broke off. Nothing of it was run. Ask again.",
}

#: Words in a 429 that say that waiting does not help: the account is used up.
QUOTA_SIGNS = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")

#: Statuses below 500 after which the same request may succeed a little later.
TEMPORARY_STATUSES = (408, 409, 429)

#: What a service says → what it means, where its own sentence is not enough.
HINTS = {
    "--enable-auto-tool-choice": "This is a vLLM server started without a tool parser: start it "
    "with --enable-auto-tool-choice and --tool-call-parser.",
}


class ModelError(Exception):
    """A model service failed, or refused, or answered with something that is no reply.

    The conversation that was sent is unchanged: mend the cause and go on with the same messages.

    Attributes:
        kind: which kind, in one code word: a key of `ADVICE`.
        status: the HTTP status; `None` if there was no answer.
        body: the beginning of what the service said.
        param: the field of the request that the service named; else empty.
        temporary: whether the same request may succeed a little later.
        retry_after_s: how long the service asks to wait, in seconds; `None` if it does not say.
        tries: how often the request was sent.
        outcome: what a loop had reached when it was the one that asked; else `None`.
    """

    def __init__(
        self,
        text: str,
        *,
        kind: str,
        status: int | None = None,
        body: str = "",
        temporary: bool = False,
    ) -> None:
        """Say what happened; the advice for `kind` is added."""
        super().__init__(f"{text} {ADVICE[kind]}")
        self._text = text
        self.kind = kind
        self.status = status
        self.body = body
        self.temporary = temporary
        self.param = ""
        self.retry_after_s: float | None = None
        self.tries = 1
        self.outcome: Any = None

    def __str__(self) -> str:
        """What happened, how often it was tried, and what to do."""
        tried = f" (It was tried {self.tries} times.)" if self.tries > 1 else ""
        return f"{self._text}{tried} {ADVICE[self.kind]}"


@dataclass(frozen=True, kw_only=True)
class Service:
    """The service that was asked, as errors name it.

    Attributes:
        where: the model and the address.
        key: its key, so that it can be kept out of every text.
    """

    where: str
    key: str = field(repr=False)

    def hide(self, text: str) -> str:
        """`text` without the key, and without anything that looks like one, whole or starred."""
        if len(self.key) >= MIN_KEY_CHARS:
            text = text.replace(self.key, HIDDEN)
            starred = re.escape(self.key[:SHOWN_CHARS]) + r"[\w.-]*\*[\w.*-]*"
            text = re.sub(starred, HIDDEN, text, flags=re.ASCII)
        return re.sub(r"\bsk-[A-Za-z0-9_*.\-]{4,}", HIDDEN, text, flags=re.ASCII)

    def quote(self, text: str) -> str:
        """The beginning of what the service said, on one line, without a key."""
        text = " ".join(self.hide(text).split())
        return text if len(text) <= MAX_QUOTED_CHARS else f"{text[:MAX_QUOTED_CHARS]}…"


def from_status(error: openai.APIStatusError, service: Service) -> ModelError:
    """The error for an answer with a status of 400 and more.

    Args:
        error: what the `openai` client raised.
        service: who was asked.
    """
    status, headers = error.status_code, error.response.headers
    said = service.quote(_sentence(error.body) or error.response.text)
    kind = KINDS.get(status, "bad_request" if status < 500 else "server_error")
    if any(sign in error.response.text for sign in QUOTA_SIGNS):
        kind = "quota"
    wait_s = retry_after_s(headers)
    hints = [hint for sign, hint in HINTS.items() if sign in said]
    if wait_s is not None and kind != "quota":
        hints.append(f"It asks to wait {wait_s:g} seconds.")
    text = " ".join([f"{service.where} refused with status {status}: {said}", *hints])
    failure = ModelError(text, kind=kind, status=status, body=service.quote(error.response.text))
    failure.param = service.hide(str(error.param or ""))
    failure.retry_after_s = wait_s
    may_help = status in TEMPORARY_STATUSES or status >= 500
    failure.temporary = (
        may_help and kind != "quota" and headers.get("x-should-retry", "").lower() != "false"
    )
    return failure


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long the service asks to wait, in seconds; `None` if it says nothing that can be read.

    Read are `retry-after-ms`, and `retry-after` as seconds or as an HTTP date.

    Args:
        headers: the answer's headers.
    """
    given = headers.get("retry-after", "")
    if (ms := _number(headers.get("retry-after-ms", ""))) is not None:
        return ms / 1000
    if (seconds := _number(given)) is not None:
        return seconds
    try:
        return max(round(parsedate_to_datetime(given).timestamp() - time.time()), 0)
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(value, 0.0) if math.isfinite(value) else None


def from_connection(error: Exception, service: Service) -> ModelError:
    """The error for a request that got no whole answer.

    Args:
        error: what the `openai` client or the HTTP client raised.
        service: who was asked.
    """
    cause = error.__cause__ or error
    timed_out = "Timeout" in type(error).__name__ + type(cause).__name__
    reason = service.quote(f"{type(cause).__name__}: {cause}")
    text = f"{service.where} gave no answer ({reason})."
    return ModelError(text, kind="timeout" if timed_out else "connection", temporary=True)


def too_slow(timeout_s: float, service: Service) -> ModelError:
    """The error for an answer that was not whole when its time was over.

    Args:
        timeout_s: the limit, in seconds.
        service: who was asked.
    """
    text = f"{service.where} gave no whole answer in {timeout_s:g} seconds."
    return ModelError(text, kind="timeout", temporary=True)


def bad_response(what: str, service: Service, body: str) -> ModelError:
    """The error for an answer that is no reply.

    Args:
        what: what is wrong with it, as a part of a sentence.
        service: who was asked.
        body: the answer as text.
    """
    quoted = service.quote(body) or "(nothing)"
    text = f"{service.where} answered, but {what}: {quoted}"
    return ModelError(text, kind="bad_response", body=quoted)


def stream_error(what: str, service: Service) -> ModelError:
    """The error for a streamed answer that broke off, or that carried an error.

    Args:
        what: what the service said, or how the stream ended.
        service: who was asked.
    """
    quoted = service.quote(what)
    text = f"{service.where} began to answer, then failed: {quoted}"
    return ModelError(text, kind="stream_error", body=quoted)


def _sentence(body: Any) -> str:
    """The service's own sentence, from the usual places in an error's JSON."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        said = inner.get("message", "") if isinstance(inner, Mapping) else inner
        return str(said or body.get("detail") or "")
    return body if isinstance(body, str) else ""
