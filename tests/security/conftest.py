"""A folder with traps around it, programs that tell whether they ran, and a service to attack."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course_pkg.programs import AllowList, Part, PathIn, Program, Word
from course_pkg.sidecar import Sidecar
from course_pkg.tools import Tool

HOSTILE = Path(__file__).parent / "hostile"


def _command(script: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-B", "-X", "utf8", str(HOSTILE / script))


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def programs_in(
    folder: Path, *, timeout_s: float = 8.0, max_output_bytes: int = 64_000
) -> AllowList:
    """Programs whose schemas let everything pass, so that what holds is behind the schema."""

    def witness(name: str, part: Part, kind: dict[str, Any]) -> Program:
        return Program(
            name=name,
            description="Leave a mark.",
            command=_command("leave_mark.py"),
            parts=(part,),
            input_schema=_object(value=kind),
        )

    misbehave = Program(
        name="misbehave",
        description="Do what should not be done.",
        command=_command("misbehave.py"),
        parts=(Word("what"),),
        input_schema=_object(what={"type": "string"}),
        timeout_s=timeout_s,
        max_output_bytes=max_output_bytes,
    )
    listed = (
        witness("mark_file", PathIn("value"), {}),
        witness("mark_folder", PathIn("value", kind="folder"), {}),
        witness("mark_new", PathIn("value", kind="new"), {}),
        witness("mark_word", Word("value"), {}),
        misbehave,
    )
    return AllowList(listed, folder=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with files, and secrets outside that links of every kind lead to."""
    folder = tmp_path / "work folder"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "notes.txt").write_text("notes", encoding="utf-8")
    for name in ("work folder 2", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "secret.txt").write_text("secret", encoding="utf-8")
    return folder


@pytest.fixture
def traps(folder: Path) -> Iterator[Path]:
    """The folder, with links, a pipe and a socket in it. Only where these can be made."""
    if os.name != "posix":
        pytest.skip("Links and pipes in a folder need special rights on this system.")
    outside = folder.parent / "outside"
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "link").symlink_to(outside)
    (folder / "link_inside.txt").symlink_to(folder / "files" / "notes.txt")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "dangling").symlink_to(outside / "new.txt")
    (folder / "device").symlink_to("/dev/zero")
    (folder / "hard.txt").hardlink_to(outside / "secret.txt")
    os.mkfifo(folder / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(folder)  # the name of a socket may have 100 characters at most
    listening.bind("socket")
    os.chdir(here)
    yield folder
    listening.close()


@pytest.fixture
def programs(folder: Path) -> AllowList:
    """Programs that leave `mark.txt` in the folder if they run."""
    return programs_in(folder)


@pytest.fixture
def limited(folder: Path) -> Callable[..., AllowList]:
    """The same programs with other limits."""
    return lambda **limits: programs_in(folder, **limits)


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> AllowList:
    """The same programs in a folder that the examples of one module share."""
    return programs_in(tmp_path_factory.mktemp("play ground"))


@pytest.fixture
def executed() -> list[str]:
    """What the tool of `sidecar` was given, each time it ran."""
    return []


@pytest.fixture
def sidecar(executed: list[str]) -> Iterator[Sidecar]:
    """A service with one tool, which tells that it ran."""

    async def leave_mark(text: str = "") -> str:
        executed.append(text)
        return f"marked {text}"

    tool = Tool(
        name="leave_mark",
        description="Leave a mark.",
        input_schema=_object(text={"type": "string"}),
        run=leave_mark,
    )
    with Sidecar([tool]) as running:
        yield running
