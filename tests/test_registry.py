"""Entries of a registry: read, checked, shown, looked over; and the live registry, played here."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from course_pkg.mcp_client.registry import (
    OFFICIAL_REGISTRY,
    SCHEMA_VERSION,
    Entry,
    RegistryError,
    as_typed,
    ask_registry,
    card,
    command_of,
    entry_findings,
    read_entry,
)
from course_pkg.mcp_client.registry.asking import MAX_ANSWER_BYTES, OFFICIAL_META
from course_pkg.mcp_client.registry.entry import server_schema
from course_pkg.samples.registry import ENTRY_NAMES, sample_entry
from course_pkg.schema import check_schema
from course_pkg.tools.hidden import hidden_characters

LIVE = {"COURSE_LIVE": "1"}
SCHEMA = f"https://static.modelcontextprotocol.io/schemas/{SCHEMA_VERSION}/server.schema.json"


def entry(**changes: Any) -> dict[str, Any]:
    plain = {"$schema": SCHEMA, "name": "org.example/tides", "description": "Tides."}
    return {**plain, "version": "1.0.0", "packages": [package()], **changes}


def package(**changes: Any) -> dict[str, Any]:
    plain = {"registryType": "npm", "identifier": "@example/tides", "version": "1.0.0"}
    return {**plain, "transport": {"type": "stdio"}, **changes}


def remote(**changes: Any) -> dict[str, Any]:
    return {"type": "streamable-http", "url": "https://mcp.example.org/mcp", **changes}


def codes(raw: dict[str, Any]) -> set[str]:
    return {finding.code for finding in entry_findings(read_entry(raw))}


# --- reading --------------------------------------------------------------------------------------


def test_the_bundled_schema_is_a_schema() -> None:
    assert check_schema(server_schema()) is None


@pytest.mark.parametrize("name", ENTRY_NAMES)
def test_every_sample_entry_is_read_in_the_version_that_it_names(name: str) -> None:
    read = read_entry(sample_entry(name))

    assert read.schema_version == SCHEMA_VERSION
    assert read.packages
    assert read.remotes


def test_an_entry_is_read_whole() -> None:
    read = read_entry(sample_entry())

    (pypi,), (there,) = read.packages, read.remotes
    assert (read.name, read.title, read.version) == (
        "org.example/tide-tables",
        "Tide tables",
        "2.1.0",
    )
    assert [(one.name, one.is_secret) for one in pypi.variables] == [
        ("TIDES_API_KEY", True),
        ("TIDES_UNIT", False),
    ]
    assert (there.transport, there.url) == ("streamable-http", "https://mcp.tides.example.org/mcp")
    assert there.headers[0].is_required


def test_fields_that_we_do_not_know_are_kept() -> None:
    read = read_entry(entry(mascot={"kind": "heron"}, packages=[package(colour="blue")]))

    assert read.unknown == {"mascot": {"kind": "heron"}}
    assert read.raw["packages"][0]["colour"] == "blue"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"name": "tides"}, "name: expected text that matches"),
        ({"name": "a/b/c"}, "name: expected text that matches"),
        ({"description": "x" * 101}, "description: "),
        ({"version": 1}, "version: "),
        ({"packages": {}}, "packages: "),
        ({"packages": [{"identifier": "x"}]}, '"registryType"'),
        ({"packages": [package(transport={"type": "pigeon"})]}, "packages[0].transport.type"),
        ({"packages": [package(fileSha256="abc")]}, "packages[0].fileSha256"),
        ({"packages": [package(environmentVariables=[{}])]}, "environmentVariables[0]"),
        ({"packages": [package(packageArguments=[{"type": "odd"}])]}, "packageArguments[0].type"),
        ({"remotes": [remote(url="ftp://x")]}, "remotes[0].url"),
        ({"remotes": [remote(type="stdio")]}, "remotes[0].type"),
        ({"remotes": [{"type": "sse"}]}, '"url"'),
    ],
)
def test_an_entry_that_does_not_fit_is_refused_by_place(
    changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(RegistryError) as refused:
        read_entry(entry(**changes))

    assert refused.value.kind == "not_an_entry"
    assert named in str(refused.value)


@pytest.mark.parametrize("text", ["", "not json", b"\xff", "[" * 100_000])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(RegistryError, match="This is no JSON") as refused:
        read_entry(text)

    assert refused.value.kind == "not_json"


@pytest.mark.parametrize("text", ["[]", "5", "null", "{}"])
def test_json_that_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(RegistryError, match=r"This is no server\.json entry"):
        read_entry(text)


def test_a_refusal_hides_nothing() -> None:
    with pytest.raises(RegistryError) as refused:
        read_entry(entry(name="tides\u202e\u200b"))

    assert hidden_characters(str(refused.value)) == ()


def test_a_sample_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(ValueError, match="Choose from: tide_tables, careless_notes"):
        sample_entry("tides")


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, "npx -y @example/tides@1.0.0"),
        ({"registryType": "pypi", "identifier": "tides"}, "uvx tides@1.0.0"),
        ({"registryType": "nuget", "identifier": "Tides"}, "dnx --yes Tides@1.0.0"),
        (
            {"registryType": "oci", "identifier": "img.example.org/t"},
            "docker run -i --rm img.example.org/t:1.0.0",
        ),
        (
            {"registryType": "oci", "identifier": "img.example.org:80/t:2"},
            "docker run -i --rm img.example.org:80/t:2",
        ),
        ({"registryType": "mcpb", "identifier": "https://x.example.org/t.mcpb"}, ""),
        ({"runtimeHint": "bunx"}, "bunx -y @example/tides@1.0.0"),
        (
            {"packageArguments": [{"type": "positional", "valueHint": "folder"}]},
            "npx -y @example/tides@1.0.0 <folder>",
        ),
        (
            {"packageArguments": [{"type": "positional", "value": "; rm -rf ~"}]},
            "npx -y @example/tides@1.0.0 '; rm -rf ~'",
        ),
        (
            {"packageArguments": [{"type": "named", "name": "--port", "default": "80"}]},
            "npx -y @example/tides@1.0.0 --port=80",
        ),
        (
            {"packageArguments": [{"type": "named", "name": "--key", "isRequired": True}]},
            "npx -y @example/tides@1.0.0 --key=<key>",
        ),
        (
            {"packageArguments": [{"type": "named", "name": "--quiet"}]},
            "npx -y @example/tides@1.0.0 --quiet",
        ),
        (
            {"runtimeArguments": [{"type": "named", "name": "-p", "value": "x"}]},
            "npx -y -p x @example/tides@1.0.0",
        ),
    ],
)
def test_the_command_that_would_run_is_written_out(changes: dict[str, Any], command: str) -> None:
    (read,) = read_entry(entry(packages=[package(**changes)])).packages

    assert as_typed(command_of(read)) == command


# --- findings -------------------------------------------------------------------------------------


def test_an_entry_made_with_care_has_only_advice() -> None:
    findings = entry_findings(read_entry(sample_entry("tide_tables")))

    assert {finding.severity for finding in findings} == {"advice"}


def test_a_careless_entry_has_a_finding_for_each_of_its_faults() -> None:
    assert codes(json.loads(sample_entry("careless_notes"))) == {
        *("version_not_pinned", "open_container", "not_encrypted", "secret_not_marked"),
        *("unknown_field", "runs_on_this_computer", "older_transport", "host_of_another_name"),
    }


DIGEST = "@sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"version": "latest"}, "version_not_pinned"),
        ({"version": "^1.2.0"}, "version_not_pinned"),
        ({"version": ">=1.0"}, "version_not_pinned"),
        ({"version": "1.x"}, "version_not_pinned"),
        ({"version": "1.*"}, "version_not_pinned"),
        ({"version": "1 || 2"}, "version_not_pinned"),
        ({"registryType": "oci", "identifier": "t", "version": "1.0.0"}, "tag_can_move"),
        ({"registryType": "mcpb", "identifier": "https://x.example.org/t"}, "hash_missing"),
        ({"runtimeHint": "bash"}, "runs_a_shell"),
        ({"runtimeHint": "/bin/sh"}, "runs_a_shell"),
        ({"runtimeHint": "powershell"}, "runs_a_shell"),
        ({"runtimeArguments": [{"type": "positional", "value": "--privileged"}]}, "open_container"),
        (
            {"runtimeArguments": [{"type": "named", "name": "-v", "value": "/:/x"}]},
            "open_container",
        ),
        ({"registryBaseUrl": "https://packages.example.net"}, "other_package_registry"),
        ({"environmentVariables": [{"name": "KEY", "isSecret": True}]}, "wants_secret"),
        ({"environmentVariables": [{"name": "DB_PASSWORD"}]}, "secret_not_marked"),
        ({"transport": {"type": "sse", "url": "http://x.example.org"}}, "not_encrypted"),
    ],
)
def test_a_risky_package_is_found(changes: dict[str, Any], code: str) -> None:
    assert code in codes(entry(packages=[package(**changes)]))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"url": "http://mcp.example.org/mcp"}, "not_encrypted"),
        ({"url": "HTTPS://evil.example.net/mcp"}, "host_of_another_name"),
        ({"url": "https://notexample.org/mcp"}, "host_of_another_name"),
        ({"url": "{address}/mcp"}, "address_to_be_filled_in"),
        ({"type": "sse"}, "older_transport"),
        ({"headers": [{"name": "X-Key", "isSecret": True}]}, "wants_secret"),
        ({"headers": [{"name": "Authorization"}]}, "secret_not_marked"),
    ],
)
def test_a_risky_address_is_found(changes: dict[str, Any], code: str) -> None:
    url = changes.get("url", "https://mcp.example.org/mcp")
    if url.startswith("HTTPS"):
        url = url.replace("HTTPS", "https")

    assert code in codes(entry(remotes=[remote(**{**changes, "url": url})]))


@pytest.mark.parametrize(
    "changes",
    [
        {"packages": [package(transport={"type": "sse", "url": "http://127.0.0.1:80/x"})]},
        {"packages": [package(registryType="oci", identifier=f"t{DIGEST}", version="1")]},
        {"packages": [], "remotes": [remote()]},
        {"packages": [], "remotes": [remote(url="https://example.org/mcp")]},
    ],
)
def test_what_is_in_order_gives_no_warning(changes: dict[str, Any]) -> None:
    findings = entry_findings(read_entry(entry(**changes)))

    assert {finding.severity for finding in findings} <= {"advice"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"packages": []}, "nothing_to_run"),
        ({"$schema": SCHEMA.replace(SCHEMA_VERSION, "2025-07-09")}, "other_schema_version"),
        ({"description": "Tides.\u200b"}, "hidden_characters"),
        ({"mascot": 1}, "unknown_field"),
    ],
)
def test_what_is_odd_about_a_whole_entry_is_found(changes: dict[str, Any], code: str) -> None:
    assert code in codes(entry(**changes))


def test_a_deleted_entry_is_found() -> None:
    (first, *_) = entry_findings(read_entry(entry(), status="deleted"))

    assert (first.code, first.severity) == ("not_active", "error")


# --- the card -------------------------------------------------------------------------------------


def test_the_card_shows_command_secrets_and_findings() -> None:
    shown = card(read_entry(sample_entry()))

    assert "uvx harbour-club-tide-tables@2.1.0 --harbour=north-pier" in shown
    assert "variable TIDES_API_KEY (secret, can be left out)" in shown
    assert "advice: wants_secret at /remotes/0/headers" in shown


def test_nothing_hides_on_a_card() -> None:
    shown = card(read_entry(entry(title="Tides\u202e", description="Ti\u200bdes.")))

    assert hidden_characters(shown) == ()
    assert "Ti⟨U+200B⟩des." in shown


# --- the live registry, played by a server on this machine ----------------------------------------


def answered(*servers: Any, **metadata: Any) -> dict[str, Any]:
    meta = {OFFICIAL_META: {"status": "active", "isLatest": True}}
    items = [{"server": server, "_meta": meta} for server in servers]
    return {"servers": items, "metadata": {"count": len(items), **metadata}}


@pytest.fixture
def ask(service: Any) -> Callable[..., Any]:
    """Ask a registry that gives these answers: `await ask(answer)`."""

    async def asked(*answers: Any, **settings: Any) -> Any:
        asked.served = service(*answers)  # type: ignore[attr-defined]
        address = f"http://127.0.0.1:{asked.served.port}"  # type: ignore[attr-defined]
        given = {"environment": LIVE, "address": address} | settings
        return await ask_registry("tides", **given)

    return asked


async def test_entries_come_back_in_order(ask: Any, write: Any) -> None:
    listing = await ask(write.json(answered(entry(), entry(name="org.example/more"))))

    assert [one.name for one in listing.entries] == ["org.example/tides", "org.example/more"]
    assert [one.status for one in listing.entries] == ["active", "active"]
    assert not listing.has_more


async def test_words_limit_and_the_latest_version_are_asked_for(ask: Any, write: Any) -> None:
    await ask(write.json(answered()), limit=3)

    address = urlsplit(ask.served.requests[0].path)
    assert address.path == "/v0.1/servers"
    assert parse_qs(address.query) == {"search": ["tides"], "limit": ["3"], "version": ["latest"]}


async def test_an_entry_that_cannot_be_read_leaves_the_others(ask: Any, write: Any) -> None:
    answer = answered(entry(), {"name": "org.example/broken"}, "no server", nextCursor="x")

    listing: Any = await ask(write.json(answer))

    assert [one.name for one in listing.entries] == ["org.example/tides"]
    assert [text.split(":")[0] for text in listing.unreadable] == [
        "org.example/broken",
        "(without a name)",
    ]
    assert listing.has_more


async def test_an_answer_without_what_registries_add_is_read(ask: Any, write: Any) -> None:
    listing = await ask(write.json({"servers": [{"server": entry()}]}))

    assert [one.status for one in listing.entries] == [""]


@pytest.mark.parametrize("value", ["", "0", "no", "off"])
async def test_without_the_switch_nothing_is_asked(ask: Any, write: Any, value: str) -> None:
    with pytest.raises(RegistryError, match="Set COURSE_LIVE=1 and run this again") as refused:
        await ask(write.json(answered()), environment={"COURSE_LIVE": value})

    assert refused.value.kind == "not_live"
    assert ask.served.requests == []


BODIES = [
    ([], "odd_body"),
    ({}, "odd_body"),
    ({"servers": {}}, "odd_body"),
    ({"servers": None}, "odd_body"),
    ("hello", "odd_body"),
    (None, "odd_body"),
]


@pytest.mark.parametrize(("body", "kind"), BODIES)
async def test_an_answer_in_another_form_is_told(
    ask: Any, write: Any, body: Any, kind: str
) -> None:
    with pytest.raises(RegistryError, match=r"without a list of servers: .*Try again") as odd:
        await ask(write.json(body))

    assert odd.value.kind == kind


async def test_a_page_instead_of_json_is_told(ask: Any, write: Any) -> None:
    with pytest.raises(RegistryError, match=r"what is no JSON: '<html>") as odd:
        await ask(write.page("<html>Sign in to this network</html>"))

    assert odd.value.kind == "not_json"


@pytest.mark.parametrize("status", [301, 404, 429, 500])
async def test_a_refusal_is_told_with_its_status(ask: Any, write: Any, status: int) -> None:
    with pytest.raises(RegistryError, match=rf"status {status}: .*Try again later") as refused:
        await ask(write.json({"error": "no"}, status=status))

    assert refused.value.kind == "refused"


async def test_a_registry_that_does_not_answer_in_time_is_told(ask: Any, write: Any) -> None:
    with pytest.raises(RegistryError, match=r"within 0\.3 seconds") as late:
        await ask(write.json(answered(), wait_s=1.5), timeout_s=0.3)

    assert late.value.kind == "timeout"


async def test_an_answer_that_breaks_off_is_told(ask: Any, write: Any) -> None:
    with pytest.raises(RegistryError, match="could not be reached") as broken:
        await ask(write.json(answered(entry()), dropped=True))

    assert broken.value.kind == "offline"


async def test_an_answer_without_end_is_cut_off(ask: Any, write: Any) -> None:
    with pytest.raises(RegistryError, match="longer than") as long:
        await ask(write.json("x" * (MAX_ANSWER_BYTES + 1)))

    assert long.value.kind == "too_large"


async def test_without_a_network_the_bundled_entry_is_named() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    with pytest.raises(RegistryError, match=r"Is there a network\? .*sample_entry") as offline:
        await ask_registry("tides", address=f"http://127.0.0.1:{port}", environment=LIVE)

    assert offline.value.kind == "offline"


@pytest.mark.parametrize("limit", [0, -1, 21])
async def test_a_limit_out_of_bounds_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="Ask for 1 to 20 entries"):
        await ask_registry("tides", limit=limit, environment=LIVE)


def test_the_official_registry_is_named_in_one_place_and_encrypted() -> None:
    assert OFFICIAL_REGISTRY == "https://registry.modelcontextprotocol.io"
    assert isinstance(read_entry(entry()), Entry)
