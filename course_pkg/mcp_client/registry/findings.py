"""What a person should know before installing a server from its entry.

In: an `Entry`. Out: `Finding`s: which command would run, which secrets it wants, what is not
pinned, what is not encrypted. A registry lists servers; it does not vouch for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit

from course_pkg.mcp_client.registry.commands import as_typed, command_of
from course_pkg.mcp_client.registry.entry import SCHEMA_VERSION, Entry, Package, Remote, Setting
from course_pkg.schema import Finding, shown
from course_pkg.schema.finding import SEVERITIES
from course_pkg.tools.hidden import hidden_characters, revealed

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SECRET_NAME = re.compile(r"key|token|secret|passw|credential|authorization", re.IGNORECASE)
SHELLS = frozenset({"sh", "bash", "zsh", "fish", "cmd", "cmd.exe", "powershell", "pwsh"})
#: A version that names more than one: a range, a wildcard, or whatever is newest.
NOT_ONE_VERSION = re.compile(r"^(?:latest|next|\*|)$|^[\^~<>=]|[*|,\s]|(?:^|\.)x(?:\.|$)", re.I)
#: Arguments of a container runner that open the container towards this computer.
OPENINGS = re.compile(
    r"^--(?:privileged|pid|ipc|cap-add|device)\b|^--network=host|(?:^|=)(?:/|~|\$HOME)/?:|source=/,|"
    r"docker\.sock"
)

advice = partial(Finding, severity="advice")
warning = partial(Finding, severity="warning")
error = partial(Finding, severity="error")


def entry_findings(entry: Entry) -> tuple[Finding, ...]:
    """What a person should know, the gravest first.

    Args:
        entry: what `read_entry` gave.
    """
    found = [*_of_entry(entry)]
    for number, package in enumerate(entry.packages):
        found += _of_package(package, f"/packages/{number}")
    for number, remote in enumerate(entry.remotes):
        found += _of_remote(remote, f"/remotes/{number}", entry)
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return tuple(found)


def _of_entry(entry: Entry) -> Iterator[Finding]:
    for path, text in (("/title", entry.title), ("/description", entry.description)):
        for part in hidden_characters(text):
            yield error(
                code="hidden_characters",
                path=path,
                text=f"Characters that nobody sees stand here: {shown(revealed(text))}.",
                fix=f"Do not install it ({part.kind}).",
            )
    if not entry.packages and not entry.remotes:
        yield warning(
            code="nothing_to_run",
            path="/",
            text="The entry names no package and no address, so there is nothing to connect to.",
            fix="Look at its repository, or choose another server.",
        )
    if entry.status not in ("", "active"):
        yield error(
            code="not_active",
            path="/",
            text=f"The registry says that it is {shown(entry.status)}.",
            fix="Do not install it. Deleted entries were often harmful.",
        )
    if entry.schema_version != SCHEMA_VERSION:
        yield advice(
            code="other_schema_version",
            path="/$schema",
            text=f"It names {entry.schema_version or 'no version'} of the form; "
            f"{SCHEMA_VERSION} is read here.",
            fix="Compare what is shown with the file itself.",
        )
    for name in entry.unknown:
        yield advice(
            code="unknown_field",
            path=f"/{revealed(name)}",
            text=f"{shown(revealed(name))} is no field of the form. It is kept as it is.",
            fix="Read it. It does nothing here.",
        )


def _of_package(package: Package, path: str) -> Iterator[Finding]:
    command = as_typed(command_of(package))
    what = f"this runs: {command}" if command else "the host downloads and runs it in its own way"
    yield advice(
        code="runs_on_this_computer",
        path=path,
        text=f"On your computer {revealed(what)}. It can do there whatever you can do.",
        fix="Read the command, and who made the package, before you agree.",
    )
    yield from _of_version(package, path)
    yield from _of_runtime(package, path)
    if package.base_url:
        yield warning(
            code="other_package_registry",
            path=f"{path}/registryBaseUrl",
            text=f"The package comes from {shown(revealed(package.base_url))}.",
            fix="See that it is the registry that you expect.",
        )
    for setting in package.variables:
        yield from _of_setting(setting, f"{path}/environmentVariables", "in its environment")
    if package.url:
        yield from _of_address(package.url, f"{path}/transport/url")


def _of_version(package: Package, path: str) -> Iterator[Finding]:
    if package.registry_type == "mcpb":
        if not package.sha256:
            yield error(
                code="hash_missing",
                path=path,
                text="The file has no hash (fileSha256): nobody can tell whether it was exchanged.",
                fix="Do not install it without one.",
            )
        return
    version = package.version
    if package.registry_type == "oci" and not version:
        last = package.identifier.rsplit("/", 1)[-1]
        if "@sha256:" in last:
            return
        version = last.partition(":")[2]
    if NOT_ONE_VERSION.search(version):
        yield error(
            code="version_not_pinned",
            path=f"{path}/version",
            text=f"The version is {shown(version) if version else 'not given'}, so what runs "
            "tomorrow may be another program.",
            fix="Write one exact version into the command, and change it on purpose.",
        )
    elif package.registry_type == "oci":
        yield advice(
            code="tag_can_move",
            path=f"{path}/identifier",
            text=f"The tag {shown(version)} of an image can be moved to another one.",
            fix="Name the image by its digest: image@sha256:…",
        )


def _of_runtime(package: Package, path: str) -> Iterator[Finding]:
    words = command_of(package)
    if words and words[0].rsplit("/", 1)[-1].casefold() in SHELLS:
        yield error(
            code="runs_a_shell",
            path=f"{path}/runtimeHint",
            text=f"It is run by a shell ({shown(words[0])}), which reads its arguments as code.",
            fix="Do not install it like this. A server is a program with arguments.",
        )
    opening = next((word for word in words if OPENINGS.search(word)), None)
    if opening is not None:
        yield error(
            code="open_container",
            path=f"{path}/runtimeArguments",
            text=f"{shown(opening)} opens the container towards your computer.",
            fix="Give it one folder that it needs, read-only where that is enough.",
        )


def _of_setting(setting: Setting, path: str, where: str) -> Iterator[Finding]:
    name = shown(revealed(setting.name))
    if setting.is_secret:
        need = "needs" if setting.is_required else "can use"
        yield advice(
            code="wants_secret",
            path=path,
            text=f"It {need} the secret {name} {where}.",
            fix="Make a key for this server alone, with the fewest rights, and keep it out of "
            "files that you share.",
        )
    elif SECRET_NAME.search(setting.name):
        yield warning(
            code="secret_not_marked",
            path=path,
            text=f"By its name {name} is a secret, and the entry does not mark it as one: a host "
            "may show or store it openly.",
            fix="Treat it as a secret.",
        )


def _of_remote(remote: Remote, path: str, entry: Entry) -> Iterator[Finding]:
    yield from _of_address(remote.url, f"{path}/url")
    if remote.transport == "sse":
        yield advice(
            code="older_transport",
            path=f"{path}/type",
            text="It speaks the older SSE transport, which Streamable HTTP has replaced.",
            fix="Ask whether there is an address for Streamable HTTP.",
        )
    host = _host(remote.url)
    if host and not _is_of(host, entry.name):
        yield advice(
            code="host_of_another_name",
            path=f"{path}/url",
            text=f"The host {shown(host)} does not belong to the name {shown(entry.name)}. "
            "A registry checks who owns the name, not who owns the address.",
            fix="Make sure that the two belong together.",
        )
    for setting in remote.headers:
        yield from _of_setting(setting, f"{path}/headers", f"as a header, sent to {host or '?'}")
    for setting in remote.variables:
        yield from _of_setting(setting, f"{path}/variables", "as a part of its address")


def _of_address(url: str, path: str) -> Iterator[Finding]:
    if url.startswith("{"):
        yield warning(
            code="address_to_be_filled_in",
            path=path,
            text=f"The address begins with a gap: {shown(revealed(url))}. Whoever fills it in "
            "chooses where everything goes.",
            fix="Fill it in by hand, with https://.",
        )
    elif url.casefold().startswith("http://") and _host(url) not in LOOPBACK:
        yield error(
            code="not_encrypted",
            path=path,
            text=f"{shown(revealed(url))} is http without TLS: everybody on the way can read and "
            "change what is sent, keys included.",
            fix="Use an https:// address, or do not connect.",
        )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_of(host: str, name: str) -> bool:
    """Whether a host belongs to the domain that a name begins with, turned round."""
    domain = ".".join(reversed(name.partition("/")[0].casefold().split(".")))
    return host == domain or host.endswith(f".{domain}")
