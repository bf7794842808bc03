"""The official conformance suite against our server and our client, one scenario at a time.

Of the suite's scenarios these need no tools with names of its own (server), and no sign-in
(client). Started all at once, clients time out on a small machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SUITE = "conformance/dist/index.js"
HANDSHAKE, MODERN = "2025-11-25", "2026-07-28"

SERVER_SCENARIOS = [
    *(
        (HANDSHAKE, name)
        for name in (
            "server-initialize",
            "ping",
            "tools-list",
            "resources-list",
            "prompts-list",
            "server-sse-multiple-streams",
            "server-session-lifecycle",
            "dns-rebinding-protection",
        )
    ),
    *(
        (MODERN, name)
        for name in (
            "tools-list",
            "resources-list",
            "prompts-list",
            "caching",
            "sep-2164-resource-not-found",
            "server-sse-multiple-streams",
            "dns-rebinding-protection",
            "http-header-validation",
            "input-required-result-unsupported-methods",
            "server-stateless",
        )
    ),
]

CLIENT_SCENARIOS = [
    *(
        (HANDSHAKE, name)
        for name in (
            "initialize",
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
            "json-schema-2020-12-preservation",
        )
    ),
    *(
        (MODERN, name)
        for name in (
            "tools_call",
            "request-metadata",
            "sep-2322-client-request-state",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
            "json-schema-2020-12-preservation",
        )
    ),
]

SCENARIO_TIMEOUT_MS = "60000"

NO_CHECK = "no check ran"

Tell = Callable[[str], None]


def figure(ended: Any) -> str:
    """The suite's own count. For a scenario that it leaves out it writes none, and exits with 0."""
    found = re.search(r"Passed: (\d+/\d+, \d+ failed, \d+ warnings)", str(ended))
    return found[1] if found else NO_CHECK


def told(ended: Any) -> str:
    """The count, and whether what failed was expected to."""
    return figure(ended) + (", as expected" if "Expected failures" in ended.out else "")


@pytest.mark.parametrize(("version", "scenario"), SERVER_SCENARIOS)
def test_our_server_keeps_to_the_protocol(
    node: Any, level: str, url: str, tell: Tell, version: str, scenario: str
) -> None:
    words = ("server", "--url", url, "--scenario", scenario, "--spec-version", version)
    known = ("--expected-failures", HERE / "expected-failures.yml")

    ended = node.run(SUITE, *words, *known, "--timeout", SCENARIO_TIMEOUT_MS)

    tell(f"conformance, {level} server, {version}, {scenario}: {told(ended)}")
    assert ended.code == 0, ended
    assert figure(ended) != NO_CHECK, ended


@pytest.mark.parametrize(("version", "scenario"), CLIENT_SCENARIOS)
def test_our_client_keeps_to_the_protocol(
    node: Any, tell: Tell, version: str, scenario: str
) -> None:
    client = f'"{sys.executable}" "{HERE / "conformance_client.py"}"'  # a line for the shell
    words = ("client", "--command", client, "--scenario", scenario, "--spec-version", version)

    ended = node.run(SUITE, *words, "--timeout", SCENARIO_TIMEOUT_MS)

    tell(f"conformance, client, {version}, {scenario}: {told(ended)}")
    assert ended.code == 0, ended
    assert figure(ended) != NO_CHECK, ended
