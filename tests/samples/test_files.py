"""The file tool: it reads what is in its folder, and nothing else whatever is asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.samples import read_file
from course_pkg.samples.files import MAX_FILE_BYTES, SAMPLE_FILES, ReadableFolder, why_refused
from course_pkg.tools import ToolError

SECRET = "the secret outside"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ReadableFolder:
    """A folder with some files; a secret lies beside it, and links lead out where links exist."""
    top = tmp_path_factory.mktemp("top")
    inside = top / "inside"
    (inside / "deep" / "er").mkdir(parents=True)
    (inside / "empty").mkdir()
    (inside / "notes.txt").write_text("in the folder", encoding="utf-8")
    (inside / "deep" / "er" / "会议.txt").write_text("深", encoding="utf-8")
    (inside / "lines.txt").write_bytes(b"one\r\ntwo\r\n")
    (inside / "blank.txt").write_bytes(b"")
    (inside / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    (inside / "full.txt").write_bytes(b"x" * 1000)
    (inside / "large.txt").write_bytes(b"x" * 1001)
    (top / "secret.txt").write_text(SECRET, encoding="utf-8")
    (top / "inside2").mkdir()
    (top / "inside2" / "secret.txt").write_text(SECRET, encoding="utf-8")
    _link_out(inside, top)
    return ReadableFolder(root=inside, max_bytes=1000)


def _link_out(inside: Path, top: Path) -> None:
    try:
        (inside / "link.txt").symlink_to(top / "secret.txt")
    except (OSError, NotImplementedError):
        return  # Windows allows links to some users only
    (inside / "linked").symlink_to(top, target_is_directory=True)
    (inside / "dangling.txt").symlink_to(top / "nothing.txt")
    (inside / "circle.txt").symlink_to(inside / "circle.txt")
    (inside / "good_link.txt").symlink_to(inside / "notes.txt")
    if hasattr(os, "mkfifo"):
        os.mkfifo(inside / "pipe.txt")


@pytest.mark.parametrize(
    ("path", "beginning"),
    [
        ("notes.txt", "Notes for the trip"),
        ("shopping_list.txt", "Shopping list"),
        ("meeting_notes.md", "# Planning meeting"),
        ("sales.csv", "month,books,notebooks,pens\nJanuary,120,"),
        ("contacts.json", "{"),
        ("会议记录.txt", "会议记录\n"),
        ("readme.md", "# Sample files"),
        ("reports/march.txt", "Report for March 2026"),
        ("reports\\march.txt", "Report for March 2026"),
        ("./reports//./march.txt", "Report for March 2026"),
        (" notes.txt ", "Notes for the trip"),
    ],
)
def test_a_sample_file_is_read(path: str, beginning: str) -> None:
    assert read_file(path).startswith(beginning)


def test_every_sample_file_can_be_read_and_is_named_in_the_readme() -> None:
    files = ReadableFolder(root=SAMPLE_FILES).files()
    readme = read_file("readme.md")

    assert all(read_file(name) for name in files)
    assert [name for name in files if f"`{name}`" not in readme] == ["readme.md"]


def test_lines_end_alike_on_every_system(folder: ReadableFolder) -> None:
    assert folder.read("lines.txt") == "one\ntwo\n"


def test_an_empty_file_is_empty_text(folder: ReadableFolder) -> None:
    assert folder.read("blank.txt") == ""


def test_a_file_in_a_subfolder_is_read(folder: ReadableFolder) -> None:
    assert folder.read("deep/er/会议.txt") == "深"


# Refused for how they are written: the same on Windows, macOS and Linux.
MISWRITTEN = [
    ("../secret.txt", ".."),
    ("..\\secret.txt", ".."),
    ("deep/../../secret.txt", ".."),
    ("deep\\..\\..\\secret.txt", ".."),
    ("deep/../notes.txt", ".."),
    ("..", ".."),
    (". . /secret.txt", ""),
    (".. /secret.txt", ".."),
    ("/etc/passwd", "no relative path"),
    ("//server/share/secret.txt", "no relative path"),
    ("\\\\server\\share\\secret.txt", "no relative path"),
    ("\\\\?\\C:\\secret.txt", "no relative path"),
    ("\\secret.txt", "no relative path"),
    (" /etc/passwd", "no relative path"),
    ("~/secret.txt", "no relative path"),
    ("~root", "no relative path"),
    ("C:\\secret.txt", "no relative path"),
    ("C:secret.txt", "no relative path"),
    ("c:/secret.txt", "no relative path"),
    ("notes.txt::$DATA", "no relative path"),
    ("notes.txt:stream", "no relative path"),
    ("file:///etc/passwd", "no relative path"),
    ("notes.txt\0", "control character"),
    ("notes.txt\0.png", "control character"),
    ("notes\n.txt", "control character"),
    ("CON", "name of a device"),
    ("nul", "name of a device"),
    ("NUL.txt", "name of a device"),
    ("deep/aux.txt", "name of a device"),
    ("com1", "name of a device"),
    ("LPT9.log", "name of a device"),
    ("COM²", "name of a device"),
    ("nul .txt", "name of a device"),
    ("a" * 201, "longer than 200 characters"),
]


@pytest.mark.parametrize(("path", "reason"), MISWRITTEN, ids=lambda text: ascii(text[:30]))
def test_a_path_that_is_no_plain_relative_path_is_refused(
    folder: ReadableFolder, path: str, reason: str
) -> None:
    with pytest.raises(ToolError) as caught:
        folder.read(path)

    assert reason in str(caught.value)
    assert "notes.txt" in str(caught.value).split("Files there: ")[1]


@pytest.mark.parametrize("path", ["notes.txt", "console.txt", "nullable.md", "deep/..notes", "a~b"])
def test_an_innocent_path_is_not_refused_for_how_it_is_written(path: str) -> None:
    assert why_refused(path) == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing.txt", "There is no file 'missing.txt'"),
        ("Notes.txt", "Did you mean 'notes.txt'?"),
        ("note.txt", "Did you mean 'notes.txt'?"),
        ("notes.txt.", "Did you mean 'notes.txt'?"),
        ("notes.txt/x", "There is no file"),
        ("deep", "'deep' is a folder"),
        ("deep/er/", "'deep/er' is a folder"),
        (".", "'.' is a folder"),
        ("empty", "There is no file"),
        ("picture.png", "not a text file"),
        ("nul.bin", "name of a device"),
        ("large.txt", "larger than 1,000 bytes"),
        ("link.txt", "There is no file"),
        ("linked/secret.txt", "There is no file"),
        ("linked/inside/notes.txt", "There is no file"),
        ("dangling.txt", "There is no file"),
        ("circle.txt", "There is no file"),
        ("pipe.txt", "There is no file"),
        ("inside2/secret.txt", "There is no file"),
        ("\ud800.txt", "There is no file"),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_what_is_no_readable_file_is_refused_with_the_files_there(
    folder: ReadableFolder, path: str, reason: str
) -> None:
    with pytest.raises(ToolError) as caught:
        folder.read(path)

    assert reason in str(caught.value)
    assert "Files there: " in str(caught.value)


def test_a_file_of_just_the_size_allowed_is_read(folder: ReadableFolder) -> None:
    assert len(folder.read("full.txt")) == 1000


def test_text_with_a_nul_in_it_counts_as_binary(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_bytes(b"text\0text")

    with pytest.raises(ToolError, match=r"'data\.txt' is not a text file in UTF-8"):
        ReadableFolder(root=tmp_path).read("data.txt")


def test_a_link_that_stays_inside_is_read(folder: ReadableFolder) -> None:
    if not (folder.root / "good_link.txt").is_symlink():
        pytest.skip("this user may not make links here")

    assert folder.read("good_link.txt") == "in the folder"


def test_no_more_than_twenty_files_are_listed(tmp_path: Path) -> None:
    for number in range(23):
        (tmp_path / f"{number:02}.txt").touch()

    with pytest.raises(ToolError, match=r"00\.txt, .*19\.txt and 3 more\.$"):
        ReadableFolder(root=tmp_path).read("x.md")


def test_an_error_shows_no_path_of_this_machine(folder: ReadableFolder) -> None:
    with pytest.raises(ToolError) as caught:
        folder.read("missing.txt")

    assert folder.root.parent.name not in str(caught.value)


PIECES = ["..", ".", "/", "\\", "//", "~", ":", "C:", "\0", " ", "%2e%2e", "inside", "inside2"]
PIECES += ["notes.txt", "secret.txt", "link.txt", "linked", "deep", "NUL", "．．", "pipe.txt"]


@given(pieces=st.lists(st.sampled_from(PIECES) | st.text(max_size=3), min_size=1, max_size=9))
def test_nothing_outside_is_ever_read(folder: ReadableFolder, pieces: list[str]) -> None:
    try:
        text = folder.read("".join(pieces))
    except ToolError:
        return

    assert text in {"in the folder", ""}


def test_the_description_tells_the_limit_that_the_code_has() -> None:
    assert f"at most {MAX_FILE_BYTES:,} bytes" in read_file.description
