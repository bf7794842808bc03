"""Read entries of a registry of MCP servers, and say what a person should know before installing.

In: a `server.json`, or words to look for. Out: an `Entry`, its findings, and a card that a person
reads. Registries help people to find servers; a model discovers nothing there, and none of this is
ever a tool.

`entry.py` reads and checks (schema version 2025-12-11), `commands.py` writes the command that would
run, `findings.py` looks it over, `asking.py` asks the official registry when `COURSE_LIVE` is on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from course_pkg.mcp_client.registry.asking import (
    ASK_TIMEOUT_S,
    OFFICIAL_REGISTRY,
    Listing,
    ask_registry,
)
from course_pkg.mcp_client.registry.commands import as_typed, command_of
from course_pkg.mcp_client.registry.entry import (
    SCHEMA_VERSION,
    Entry,
    Package,
    RegistryError,
    Remote,
    Setting,
    read_entry,
)
from course_pkg.mcp_client.registry.findings import entry_findings
from course_pkg.tools.hidden import revealed

__all__ = [
    "ASK_TIMEOUT_S",
    "OFFICIAL_REGISTRY",
    "SCHEMA_VERSION",
    "Entry",
    "Listing",
    "Package",
    "RegistryError",
    "Remote",
    "Setting",
    "as_typed",
    "ask_registry",
    "card",
    "command_of",
    "entry_findings",
    "read_entry",
]


def card(entry: Entry) -> str:
    """An entry for a person: what it is, how it would run, what it wants, and the findings.

    Args:
        entry: what `read_entry` gave.

    Returns:
        Plain text, with characters that hide written out.
    """
    return revealed("\n".join(_lines(entry)))


def _lines(entry: Entry) -> Iterator[str]:
    title = f"{entry.title} ({entry.name})" if entry.title else entry.name
    yield f"{title}, version {entry.version}"
    yield f"  {entry.description}"
    yield f"  source: {entry.repository or 'not named'}"
    for package in entry.packages:
        command = as_typed(command_of(package))
        kind = f"{package.registry_type}, {package.transport}"
        yield f"  runs here ({kind}): {command or 'by the host, in its own way'}"
        yield from _settings("variable", package.variables)
    for remote in entry.remotes:
        yield f"  runs there ({remote.transport}): {remote.url}"
        yield from _settings("header", remote.headers)
        yield from _settings("part of the address", remote.variables)
    for finding in entry_findings(entry):
        yield f"  {finding.severity}: {finding.code} at {finding.path}"
        yield f"    {finding.text} {finding.fix}"


def _settings(what: str, settings: Sequence[Setting]) -> Iterator[str]:
    for one in settings:
        marks = [word for word, holds in _marks(one) if holds]
        yield f"    {what} {one.name} ({', '.join(marks)})"


def _marks(setting: Setting) -> tuple[tuple[str, bool], ...]:
    return (
        ("secret", setting.is_secret),
        ("needed" if setting.is_required else "can be left out", True),
    )
