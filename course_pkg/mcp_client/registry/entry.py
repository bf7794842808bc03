"""Read a `server.json`: how a server describes itself to a registry.

In: JSON, as text or read. Out: an `Entry`, or an error that names what does not fit. Fields that we
do not know stay in `unknown`. Knows nothing of networks, and runs nothing.

Source of the format: the schema `server.schema.json`, version 2025-12-11, of the official MCP
registry. `server_schema.json` beside this module says, in our words, the parts that we read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from course_pkg.tools.hidden import revealed

#: The version of the format that we read, as its `$schema` names it.
SCHEMA_VERSION = "2025-12-11"
VERSION_IN_ADDRESS = re.compile(r"/schemas/([\w.-]+)/server\.schema\.json$")


class RegistryError(Exception):
    """An entry or a registry cannot be used. The text says what is wrong and what to do.

    Attributes:
        kind: in one code word: `not_json`, `not_an_entry`, `offline`, `timeout` and so on.
    """

    def __init__(self, text: str, *, kind: str) -> None:
        """Make the error.

        Args:
            text: what happened, and what to do next.
            kind: in one code word.
        """
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Something that a server wants to be told: a variable, a header, an argument.

    Attributes:
        name: what it is called.
        description: what it is for.
        is_secret: whether the entry marks it as a secret.
        is_required: whether the server does not work without.
        value: what the entry sets or proposes; empty if it does not.
        kind: `named` or `positional`, for arguments.
        hint: what a positional argument is called.
    """

    name: str
    description: str = ""
    is_secret: bool = False
    is_required: bool = False
    value: str = ""
    kind: str = ""
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class Package:
    """One way to run the server on your own computer.

    Attributes:
        registry_type: where the package comes from: `npm`, `pypi`, `oci` and so on.
        identifier: its name there, or an address.
        version: its version; empty if none is given.
        transport: `stdio`, `streamable-http` or `sse`.
        url: where it listens, if not on stdio.
        runtime: the program that runs it, as the entry proposes; else empty.
        base_url: which registry of packages, if not the usual one.
        sha256: the hash of its file, if given.
        runtime_arguments: for that program.
        arguments: for the server.
        variables: environment variables.
    """

    registry_type: str
    identifier: str
    version: str = ""
    transport: str = "stdio"
    url: str = ""
    runtime: str = ""
    base_url: str = ""
    sha256: str = ""
    runtime_arguments: tuple[Setting, ...] = ()
    arguments: tuple[Setting, ...] = ()
    variables: tuple[Setting, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Remote:
    """One place where the server runs already.

    Attributes:
        transport: `streamable-http` or `sse`.
        url: its address; words in braces are to be filled in.
        headers: what it wants to be sent with each request.
        variables: what fills the braces.
    """

    transport: str
    url: str
    headers: tuple[Setting, ...] = ()
    variables: tuple[Setting, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One server, as it describes itself.

    Attributes:
        name: its name, such as `org.example/tide-tables`.
        description: what it does.
        version: its version.
        title: its name for people; empty if there is none.
        schema_version: the version of the format that it names; empty if none.
        repository: where its source is; empty if it does not say.
        packages: ways to run it here.
        remotes: places where it runs.
        status: what the registry says of it: `active`, `deprecated`, `deleted`; empty if nothing.
        unknown: fields that we do not know, as they were.
        raw: all of it, as it was.
    """

    name: str
    description: str
    version: str
    title: str = ""
    schema_version: str = ""
    repository: str = ""
    packages: tuple[Package, ...] = ()
    remotes: tuple[Remote, ...] = ()
    status: str = ""
    unknown: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def read_entry(source: str | bytes | Mapping[str, Any], *, status: str = "") -> Entry:
    """Read and check an entry.

    Args:
        source: a `server.json`, as text or read.
        status: what the registry says of it.

    Raises:
        RegistryError: if it is no JSON (`not_json`), or not an entry (`not_an_entry`).
    """
    from course_pkg.schema import check, explain

    raw = source if isinstance(source, Mapping) else _parsed(source)
    schema = server_schema()
    problems = check(raw, schema)
    if problems:
        raise RegistryError(
            f"This is no server.json entry as version {SCHEMA_VERSION} has it:\n"
            f"{revealed(explain(problems))}",
            kind="not_an_entry",
        )
    known = schema["properties"]
    named = VERSION_IN_ADDRESS.search(raw.get("$schema", ""))
    return Entry(
        name=raw["name"],
        description=raw["description"],
        version=raw["version"],
        title=raw.get("title", ""),
        schema_version=named[1] if named else "",
        repository=raw.get("repository", {}).get("url", ""),
        packages=tuple(map(_package, raw.get("packages", []))),
        remotes=tuple(map(_remote, raw.get("remotes", []))),
        status=status,
        unknown={key: value for key, value in raw.items() if key not in known},
        raw=raw,
    )


@cache
def server_schema() -> Mapping[str, Any]:
    """The schema of the parts that we read. More fields are allowed everywhere."""
    path = files(__package__).joinpath("server_schema.json")
    schema: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def _parsed(source: str | bytes) -> Any:
    try:
        return json.loads(source)
    except (ValueError, RecursionError) as error:
        text = f"This is no JSON ({error}). A server.json is one JSON object."
        raise RegistryError(text, kind="not_json") from error


def _package(raw: Mapping[str, Any]) -> Package:
    return Package(
        registry_type=raw["registryType"],
        identifier=raw["identifier"],
        version=raw.get("version", ""),
        transport=raw["transport"]["type"],
        url=raw["transport"].get("url", ""),
        runtime=raw.get("runtimeHint", ""),
        base_url=raw.get("registryBaseUrl", ""),
        sha256=raw.get("fileSha256", ""),
        runtime_arguments=tuple(map(_setting, raw.get("runtimeArguments", []))),
        arguments=tuple(map(_setting, raw.get("packageArguments", []))),
        variables=tuple(map(_setting, raw.get("environmentVariables", []))),
    )


def _remote(raw: Mapping[str, Any]) -> Remote:
    variables = raw.get("variables", {})
    return Remote(
        transport=raw["type"],
        url=raw["url"],
        headers=tuple(map(_setting, raw.get("headers", []))),
        variables=tuple(_setting({"name": name, **one}) for name, one in variables.items()),
    )


def _setting(raw: Mapping[str, Any]) -> Setting:
    return Setting(
        name=raw.get("name", ""),
        description=raw.get("description", ""),
        is_secret=raw.get("isSecret", False),
        is_required=raw.get("isRequired", False),
        value=raw.get("value", raw.get("default", "")),
        kind=raw.get("type", ""),
        hint=raw.get("valueHint", ""),
    )
