"""Something about a tool's definition that should be mended."""

from __future__ import annotations

from dataclasses import dataclass

#: An error is refused by services, or can never work. A warning makes calls worse. Advice is taste.
SEVERITIES = ("error", "warning", "advice")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something about a tool's definition that should be mended.

    Attributes:
        code: which rule, in one word: `additionalProperties_not_false`.
        path: where: a JSON Pointer into the input schema (`/properties/city`, the root is `/`), or
            `name` or `description`.
        text: what is wrong and why it matters, in one or two sentences.
        fix: what to write instead.
        severity: `error`, `warning` or `advice`.
        tool: the tool's name.
    """

    code: str
    path: str
    text: str
    fix: str
    severity: str = "warning"
    tool: str = ""
