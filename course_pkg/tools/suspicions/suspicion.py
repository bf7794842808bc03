"""Something about a tool's definition that a person should look at before approving it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """Something about a tool's definition that a person should look at before approving it.

    Attributes:
        code: which rule, in one word: `hidden_order`.
        server: the server that offers the tool; empty if none was named.
        tool: the tool's name, with hidden characters written out.
        path: where: `name`, `description`, or a JSON Pointer into the input schema, such as
            `/properties/city/description`; other parts of the definition by their own name, such
            as `annotations/title`.
        text: what it is and why it matters, in one or two sentences.
        fix: what to do about it.
        shown: the value in question, cut, with hidden characters written out.
        severity: `error` (do not approve it like this) or `warning` (look, then decide).
    """

    code: str
    server: str
    tool: str
    path: str
    text: str
    fix: str
    shown: str
    severity: str = "warning"

    @property
    def where(self) -> str:
        """Server, tool and place on one line: `notes · add_note · description`."""
        return " · ".join(part for part in (self.server, self.tool, self.path) if part)

    def __str__(self) -> str:
        """Everything on three lines."""
        return f"{self.where}: {self.code}\n  {self.text} {self.fix}\n  found: {self.shown}"
