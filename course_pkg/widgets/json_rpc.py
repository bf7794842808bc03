"""Say what an MCP message is: of which era, what it asks or answers, and which kind of error it is.

In: a frame of wire `mcp` and its decoded payload. Out: words. It never raises, whatever the payload
is. Source of the forms: JSON-RPC 2.0 and the MCP specifications 2025-11-25 and 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from course_pkg.widgets.phrases import call_text
from course_pkg.widgets.pretty import brief, quoted
from course_pkg.widgets.visible import cut
from course_pkg.wire import Frame

Kind: TypeAlias = Literal["request", "notification", "result", "tool error", "protocol error", ""]

#: Of a name, a version or a cursor, so many characters are shown.
WORD_CHARS = 40
#: Of a result's text, so many characters are shown.
TEXT_CHARS = 120
#: Of the tools of a list, so many are named.
MAX_NAMED = 6

#: Since 2026-07-28 each request carries its version under this key of `params._meta`.
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
VERSION_HEADER = "mcp-protocol-version"

#: What the codes of protocol errors mean.
CODES = {
    -32700: "the text was no JSON",
    -32600: "this was no valid request",
    -32601: "there is no such method",
    -32602: "the parameters were wrong",
    -32603: "something went wrong inside the server",
    -32000: "the connection was closed",
    -32001: "no answer came in time",
    -32020: "the headers do not say what the body says",
    -32021: "the client lacks what the server needs of it",
    -32022: "the server does not speak this version of the protocol",
}

#: What is said of a request without a version of its own, where the handshake was not recorded.
OLDER_ERA = "handshake era"

TOOL_ERROR = (
    "The tool failed. That is a result with isError: true, so the model can read it and mend its "
    "call."
)
PROTOCOL_ERROR = "This is a protocol error: {}. No tool ran. It is for the client, not the model."
BY_ITSELF = "Era {}: the request says its version itself, in _meta. There was no handshake."
BY_HANDSHAKE = "Era {}: the version was agreed on by a handshake (initialize), for all requests."


def kind_of(payload: Any) -> Kind:
    """Which kind of message a payload is; empty if it is none.

    Args:
        payload: the frame's JSON.
    """
    if not isinstance(payload, dict):
        return ""
    if isinstance(payload.get("method"), str):
        return "request" if "id" in payload else "notification"
    if "error" in payload:
        return "protocol error"
    result = payload.get("result")
    if isinstance(result, dict) and result.get("isError") is True:
        return "tool error"
    return "result" if "result" in payload else ""


def stated_version(frame: Frame, payload: Any) -> str:
    """The protocol's version that a message names itself; empty if it names none.

    Args:
        frame: the frame: over HTTP a header says it.
        payload: its JSON.
    """
    params = _mapping(payload, "params")
    said = (
        _mapping(params, "_meta").get(VERSION_KEY)
        or params.get("protocolVersion")
        or frame.header(VERSION_HEADER)
        or _mapping(payload, "result").get("protocolVersion")
    )
    return cut(said, WORD_CHARS) if isinstance(said, str) else ""


def is_modern(payload: Any) -> bool:
    """Whether a request says its version itself, as those since 2026-07-28 do."""
    return VERSION_KEY in _mapping(_mapping(payload, "params"), "_meta")


def notes(frame: Frame, payload: Any, era: str) -> tuple[str, ...]:
    """What to know about a message, in sentences.

    Args:
        frame: the frame.
        payload: its JSON.
        era: the version that holds for it, as far as it is known.
    """
    kind = kind_of(payload)
    if kind == "tool error":
        return (TOOL_ERROR,)
    if kind == "protocol error":
        return (PROTOCOL_ERROR.format(_meaning(payload["error"])),)
    if kind == "request" and era not in ("", OLDER_ERA):
        return ((BY_ITSELF if is_modern(payload) else BY_HANDSHAKE).format(era),)
    return ()


def summary(frame: Frame, payload: Any, era: str = "") -> str:
    """One line: `2026-07-28 · tools/call add(a=2)`, `answers #3 · result · "5"`.

    Args:
        frame: the frame.
        payload: its JSON; `None` if it has none.
        era: the version that holds for it, as far as it is known.
    """
    kind = kind_of(payload)
    answered = "" if frame.request is None else f"answers #{frame.request.number}"
    parts = {
        "request": lambda: [era, _asked(payload)],
        "notification": lambda: [era, "notification", _asked(payload)],
        "result": lambda: [answered, "result", _result(payload["result"])],
        "tool error": lambda: [answered, "tool error (isError)", _result(payload["result"])],
        "protocol error": lambda: [answered, "protocol error", _error(payload["error"])],
        "": lambda: [frame.label, _other(frame, payload)],
    }[kind]()
    return " · ".join(part for part in parts if part)


def _asked(payload: Mapping[str, Any]) -> str:

    params = _mapping(payload, "params")
    call = call_text(params["name"], params.get("arguments", {})) if "name" in params else ""
    told = call or next((str(params[key]) for key in ("uri", "cursor") if params.get(key)), "")
    return cut(f"{payload['method']} {told}".strip(), TEXT_CHARS)


def _result(result: Any) -> str:
    if not isinstance(result, dict):
        return brief(result, TEXT_CHARS)
    if isinstance(result.get("tools"), list):
        return _tools(result)
    if isinstance(result.get("content"), list):
        return _content(result)
    about = _mapping(result, "serverInfo") or _mapping(
        _mapping(result, "_meta"), "io.modelcontextprotocol/serverInfo"
    )
    versions = result.get("supportedVersions") or result.get("protocolVersion")
    if about and versions:
        return f"{about.get('name')} speaks {brief(versions, WORD_CHARS)}"
    return brief(result, TEXT_CHARS)


def _tools(result: Mapping[str, Any]) -> str:
    names = [str(tool.get("name")) for tool in result["tools"] if isinstance(tool, dict)]
    named = ", ".join(cut(name, WORD_CHARS) for name in names[:MAX_NAMED])
    more = ", …" if len(names) > MAX_NAMED else ""
    page = ", and there is a next page" if result.get("nextCursor") else ""
    count = f"{len(names)} tool{'' if len(names) == 1 else 's'}"
    return f"{count}{': ' if names else ''}{named}{more}{page}"


def _content(result: Mapping[str, Any]) -> str:
    blocks = [block for block in result["content"] if isinstance(block, dict)]
    shown = [
        quoted(str(block.get("text"))[:TEXT_CHARS])
        if block.get("type") == "text"
        else f"[{block.get('type')}]"
        for block in blocks
    ]
    structured = result.get("structuredContent")
    shown += [] if shown or structured is None else [brief(structured, TEXT_CHARS)]
    return " + ".join(shown) or "no content"


def _error(error: Any) -> str:
    said, code = _mapping(error).get("message"), _mapping(error).get("code")
    text = cut(said, TEXT_CHARS) if isinstance(said, str) else brief(error, TEXT_CHARS)
    return f"{code} · {text}"


def _meaning(error: Any) -> str:
    code = _mapping(error).get("code")
    said = CODES.get(code) if isinstance(code, int) else None
    return f"{said} (code {code})" if said else f"code {brief(code, WORD_CHARS)}"


def _other(frame: Frame, payload: Any) -> str:
    if frame.error:
        text = frame.text[:TEXT_CHARS]
        return f"{frame.error} {quoted(text)}" if text else frame.error
    return brief(payload, TEXT_CHARS) if payload is not None else "no JSON"


def _mapping(value: Any, key: str | None = None) -> Mapping[str, Any]:
    found = value.get(key) if key is not None and isinstance(value, Mapping) else value
    return found if isinstance(found, Mapping) else {}
