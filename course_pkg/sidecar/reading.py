"""Read the body of a request strictly: one JSON object of the right form, or a `Refusal`.

In: headers and bytes. Out: the name of a tool and its arguments. Stricter than Python's own reader:
UTF-8 only, no NaN, no name twice in an object (two readers could take two different values), a
limit on nesting. Nothing is mended here: who cannot write JSON is no client of this service.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from course_pkg.schema import check, explain
from course_pkg.sidecar.refusal import Refusal

MAX_BODY_BYTES = 1_000_000

#: How deep a body may be nested.
MAX_DEPTH = 32

JSON_TYPE = "application/json"

#: The whole form of a request.
REQUEST_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 128},
        "arguments": {"type": "object"},
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}

FORM = 'Send {"name": "the tool", "arguments": {}}.'


@dataclass(frozen=True, kw_only=True)
class ExecuteRequest:
    """What a client asks for.

    Attributes:
        name: the tool's name.
        arguments: what it is to be given.
    """

    name: str
    arguments: dict[str, Any]


def wrong_type(content_type: str, content_encoding: str) -> Refusal | None:
    """Why a body is not even read: it does not say that it is plain JSON.

    A page cannot send this type to another site without asking first, which is one more reason to
    insist on it.

    Args:
        content_type: the header, or an empty text.
        content_encoding: the header, or an empty text.
    """
    kind, _, setting = content_type.partition(";")
    is_json = kind.strip().lower() == JSON_TYPE
    is_utf_8 = setting.strip().lower().replace('"', "") in {"", "charset=utf-8"}
    if is_json and is_utf_8 and content_encoding.strip().lower() in {"", "identity"}:
        return None
    return Refusal(
        status=415,
        code="wrong_content_type",
        message=f"The body must be plain JSON. Send the header 'Content-Type: {JSON_TYPE}'.",
    )


def too_large() -> Refusal:
    """The refusal of a body that is over the limit."""
    return Refusal(
        status=413,
        code="body_too_large",
        message=f"The body is larger than {MAX_BODY_BYTES:,} bytes. Send less.",
    )


def read_request(body: bytes) -> ExecuteRequest | Refusal:
    """What a body asks for, or why it cannot be told.

    Args:
        body: the bytes as they came.
    """
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # half a character cannot be sent
    except RecursionError:
        return _malformed(f"The body is nested more than {MAX_DEPTH} levels deep.")
    except UnicodeError:
        return _malformed("The body is not valid UTF-8.")
    except ValueError as error:
        return _malformed(f"The body is not valid JSON: {str(error)[:200]}.")
    if not _is_shallow(value):
        return _malformed(f"The body is nested more than {MAX_DEPTH} levels deep.")
    if problems := check(value, REQUEST_SCHEMA):
        return _malformed(f"The body does not have the right form. {explain(problems)}\n{FORM}")
    return ExecuteRequest(name=value["name"], arguments=value["arguments"])


def _malformed(message: str) -> Refusal:
    return Refusal(status=400, code="malformed_body", message=message)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("an object has the same name twice")
    return value


def _is_shallow(value: Any) -> bool:
    """Whether nothing is nested too deeply, found out level by level."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [part for item in level for part in _parts(item)]
        if not level:
            return True
    return False


def _parts(item: Any) -> Iterable[Any]:
    if isinstance(item, dict):
        return item.values()
    return item if isinstance(item, list) else ()
