"""Which command an entry's package would run. Nothing is run here.

In: a `Package`. Out: the command as a list of words, with the gaps that a person would fill.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from course_pkg.mcp_client.registry.entry import Package, Setting

#: Which program runs a package of which kind, and the words that follow it.
RUNTIMES = {
    "npm": ("npx", "-y"),
    "pypi": ("uvx",),
    "oci": ("docker", "run", "-i", "--rm"),
    "nuget": ("dnx", "--yes"),
}

#: A word, or the value of one, that a person is to fill in.
GAP = re.compile(r"(?:--[\w-]+=)?<[\w-]+>")


def command_of(package: Package) -> tuple[str, ...]:
    """The words of the command, in order. A gap is written `<name>`.

    A bundle (`mcpb`) or a package of an unknown kind is run by the host in its own way: then the
    command is empty, unless the entry names a program.

    Args:
        package: one way to run a server.
    """
    usual = RUNTIMES.get(package.registry_type, ())
    start = (package.runtime, *usual[1:]) if package.runtime else usual
    if not start:
        return ()
    return (
        *start,
        *(word for one in package.runtime_arguments for word in _words(one)),
        _reference(package),
        *(word for one in package.arguments for word in _words(one)),
    )


def as_typed(command: tuple[str, ...]) -> str:
    """The command as a person would type it in a POSIX shell; gaps stay as they are.

    Args:
        command: its words.
    """
    return " ".join(word if GAP.fullmatch(word) else shlex.quote(word) for word in command)


def _reference(package: Package) -> str:
    if package.registry_type == "oci":
        last = package.identifier.rsplit("/", 1)[-1]
        needs_tag = package.version and ":" not in last and "@" not in last
        return f"{package.identifier}:{package.version}" if needs_tag else package.identifier
    return f"{package.identifier}@{package.version}" if package.version else package.identifier


def _words(setting: Setting) -> Iterator[str]:
    gap = f"<{setting.hint or setting.name.lstrip('-') or 'value'}>"
    value = setting.value or (gap if setting.is_required or not setting.name else "")
    if setting.kind != "named":
        yield value or gap
    elif value and setting.name.startswith("--"):
        yield f"{setting.name}={value}"
    else:
        yield setting.name
        if value:
            yield value
