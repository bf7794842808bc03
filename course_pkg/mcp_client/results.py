"""Make of a server's answer to `tools/call` what a model can read.

In: the result as it came, or the JSON-RPC error. Out: a `CallOutcome`. What a tool got wrong is a
value here, as it is on the wire; a server that fails is an exception, and made elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from course_pkg.executor import result_text
from course_pkg.mcp_client.blocks import is_said, said
from course_pkg.mcp_client.saving import shown
from course_pkg.schema import SchemaError, check, explain

ErrorKind: TypeAlias = Literal["", "error_result", "protocol_error", "unfit_result"]

#: What an error result says that says nothing.
SILENT_ERROR = "The tool {name!r} reported an error and did not say which."


@dataclass(frozen=True, kw_only=True)
class CallOutcome:
    """What came of one call of a remote tool.

    Attributes:
        text: what a model reads: the texts, and the other blocks named. Never empty; cut in the
            middle like any long result.
        blocks: the content blocks as they crossed.
        structured: the structured content; `None` without any.
        is_error: whether the tool did not do what was asked.
        kind: which kind of error: `error_result` (the tool says so: `isError`), `protocol_error`
            (the server says so: a JSON-RPC error), `unfit_result` (the result does not fit the
            tool's own output schema); empty without one.
        code: the code of a protocol error, such as -32602; else 0.
    """

    text: str
    blocks: tuple[Any, ...] = field(default=(), repr=False)
    structured: Any = None
    is_error: bool = False
    kind: ErrorKind = ""
    code: int = 0


def outcome_of(name: str, result: Mapping[str, Any], output_schema: Any = None) -> CallOutcome:
    """What a result comes to.

    Args:
        name: the tool's name, for a sentence about it.
        result: the result as it came; its parts may be of any type.
        output_schema: what the tool promises about its structured content, if it does.
    """
    blocks, structured = _blocks(result.get("content")), result.get("structuredContent")
    failed = result.get("isError") is True
    text = _text(blocks, structured)
    if failed and not text.strip():
        text = SILENT_ERROR.format(name=name)
    outcome = CallOutcome(
        text=result_text(text or None),
        blocks=blocks,
        structured=structured,
        is_error=failed,
        kind="error_result" if failed else "",
    )
    misfit = "" if failed else _misfit(result, output_schema)
    return _unfit(outcome, name, misfit) if misfit else outcome


def refused(name: str, error: Any) -> CallOutcome:
    """What a JSON-RPC error comes to.

    Args:
        name: the tool's name.
        error: the SDK's `MCPError`, with a code, a message and maybe data.
    """
    data = "" if error.error.data in (None, "") else f" Data: {shown(error.error.data)}."
    said_by = str(error.error.message).strip() or "no reason given"
    text = f"The server refused the call of {name!r} with error {error.error.code}: {said_by}"
    text = f"{text}{'' if text[-1] in '.!?。' else '.'}{data}"
    return CallOutcome(
        text=result_text(text), is_error=True, kind="protocol_error", code=error.error.code
    )


def _blocks(content: Any) -> tuple[Any, ...]:
    if content is None:
        return ()
    # A server that sends one block in place of a list means one block.
    return tuple(content) if isinstance(content, list) else (content,)


def _text(blocks: tuple[Any, ...], structured: Any) -> str:
    parts = [_said(block) for block in blocks]
    texts = [part for part, block in zip(parts, blocks, strict=True) if _is_text(block)]
    if structured is not None and not is_said(structured, texts):
        parts.append(result_text(structured, max_chars=_NO_LIMIT))
    return "\n".join(part for part in parts if part)


#: The whole text is cut once, at the end.
_NO_LIMIT = 2**62


def _said(block: Any) -> str:
    return block if isinstance(block, str) else said(block)


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or (isinstance(block, Mapping) and block.get("type") == "text")


def _misfit(result: Mapping[str, Any], schema: Any) -> str:
    if schema is None:
        return ""
    if "structuredContent" not in result:
        return "There is no structured content."
    try:
        problems = check(result["structuredContent"], schema)
        return explain(problems) if problems else ""
    except (SchemaError, RecursionError):
        return ""  # it was told when the tool was listed


def _unfit(outcome: CallOutcome, name: str, misfit: str) -> CallOutcome:
    text = (
        f"The result of {name!r} does not fit the output schema that its server gives for it: "
        f"{misfit}\nWhat came:\n{outcome.text}"
    )
    return replace(outcome, text=result_text(text), is_error=True, kind="unfit_result")
