"""Our client against the two servers that the protocol's makers publish: everything, filesystem.

Both are asked for the newest protocol (`auto`), which they do not know, and in the old way. A
connection is opened in one task and closed in another here, as by two cells of a notebook.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from course_pkg.mcp_client import connect
from course_pkg.tools import ToolError
from course_pkg.wire import Recorder

VERSION = "2025-11-25"  # the newest that these two speak
CHICAGO = {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82}

# Of the base64 text of the everything server's picture: how a PNG begins.
PNG = "iVBORw0KGgo"

Tell = Callable[[str], None]


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """How the connection is opened."""
    return str(request.param)


@pytest.fixture
async def everything(node: Any, era: Any) -> AsyncIterator[Any]:
    """A connection to the server that shows each feature of the protocol."""
    opened = await connect(node.command("server-everything/dist/index.js", "stdio"), era=era)
    yield opened
    await opened.close()


@pytest.fixture
async def files(node: Any, era: Any, tmp_path: Path) -> AsyncIterator[Any]:
    """A connection to the file server, which may see `tmp_path/allowed` and nothing else."""
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    opened = await connect(node.command("server-filesystem/dist/index.js", allowed), era=era)
    yield opened
    await opened.close()


async def test_the_everything_server_answers_our_calls(
    everything: Any, era: str, tell: Tell
) -> None:
    with Recorder() as recorder:
        outcomes = {
            "text": await everything.call("echo", {"message": "中文 🙂"}),
            "numbers": await everything.call("get-sum", {"a": 2, "b": 3}),
            "structured": await everything.call("get-structured-content", {"location": "Chicago"}),
            "wrong": await everything.call("get-sum", {"a": "two"}),
            "unknown": await everything.call("subtract", {"a": 2, "b": 3}),
        }

    version, tools, frames = everything.protocol_version, everything.tools, recorder.frames
    tell(
        f"our client, everything, {era}: {version}, {len(tools)} tools, "
        f"{len(outcomes)} calls, {len(frames)} frames"
    )
    assert (version, len(frames)) == (VERSION, 2 * len(outcomes))
    assert outcomes["text"].text == "Echo: 中文 🙂"
    assert outcomes["numbers"].text == "The sum of 2 and 3 is 5."
    assert outcomes["structured"].structured == CHICAGO
    assert [name for name, outcome in outcomes.items() if outcome.is_error] == ["wrong", "unknown"]


async def test_a_picture_of_the_everything_server_is_named_and_not_written_out(
    everything: Any,
) -> None:
    outcome = await everything.call("get-tiny-image", {})

    assert "image/png" in outcome.text
    assert PNG not in outcome.text


async def test_a_tool_of_the_everything_server_is_a_tool_like_any_other(everything: Any) -> None:
    tools = {tool.name: tool for tool in everything.tools}

    assert await tools["echo"].run(message="中文") == "Echo: 中文"
    with pytest.raises(ToolError, match="expected number"):
        await tools["get-sum"].run(a="two")


async def test_the_file_server_writes_and_reads_chinese_text_for_us(
    files: Any, era: str, tell: Tell, tmp_path: Path
) -> None:
    path = tmp_path / "allowed" / "会议.txt"

    written = await files.call("write_file", {"path": str(path), "content": "会议 🙂\n"})
    read = await files.call("read_text_file", {"path": str(path)})

    tell(f"our client, filesystem, {era}: {files.protocol_version}, {len(files.tools)} tools")
    assert (files.protocol_version, written.is_error) == (VERSION, False)
    assert path.read_text(encoding="utf-8") == "会议 🙂\n"
    assert read.text == "会议 🙂\n"


async def test_what_the_file_server_refuses_arrives_as_an_error_result(
    files: Any, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("nobody's business", encoding="utf-8")
    around = tmp_path / "allowed" / ".." / outside.name

    outcomes = [await files.call("read_text_file", {"path": str(way)}) for way in (outside, around)]

    assert [outcome.is_error for outcome in outcomes] == [True, True]
    assert all("Access denied" in outcome.text for outcome in outcomes)
