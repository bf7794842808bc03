"""The scanner for keys: it finds what was planted, shows none of it, and the course is clean."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from course_pkg.lessons.key_kinds import keys_in
from course_pkg.lessons.key_scan import MAX_FILE_BYTES, scan, scan_file

ROOT = Path(__file__).parents[2]
WAIT_S = 120

#: Made up, and in two pieces each, so that no search for keys finds them here.
RANDOM = "q7Tz" + "1mWc9RvK3xLd8YpH2sNb6GfJ4aUe5oQi0"
KEYS = {
    "key of OpenAI or a service like it": "sk" + f"-proj-{RANDOM}",
    "key of Anthropic": "sk" + f"-ant-api03-{RANDOM}",
    "token of GitHub": "gh" + f"p_{RANDOM}",
    "token of GitLab": "gl" + f"pat-{RANDOM}",
    "key of AWS": "AK" + "IAQ7TZ1MWC9RVK3XLD",
    "key of Google": "AI" + f"za{RANDOM}{RANDOM}"[:37],
    "token of Google": "ya" + f"29.{RANDOM}",
    "token of Hugging Face": "h" + f"f_{RANDOM}",
    "token of Slack": "xo" + f"xb-7391{RANDOM}",
    "key of Stripe": "sk" + f"_live_{RANDOM}",
    "token of npm": "np" + f"m_{RANDOM}"[:38],
    "key of SendGrid": "S" + f"G.{RANDOM[:22]}.{RANDOM}",
    "JSON Web Token": "ey" + f"J{RANDOM}.ey" + f"J{RANDOM}.{RANDOM}",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "password in an address": "https://mei:" + "w0rds-of-mei@db.club.org/x",
    "value of a name that means a key": 'api_key = "' + f'{RANDOM}"',
    "credential in a header": "Authorization: Bearer " + RANDOM,
}

#: What looks a little like a key and is none.
HARMLESS = [
    'api_key = "sk' + '-your-key-here-0000000000000000"',
    'api_key = "YOUR_API_KEY_GOES_HERE_1234"',
    "OPENAI_API_KEY=$" + "{OPENAI_API_KEY}",
    'api_key=os.environ["OPENAI_API_KEY_OF_COURSE_1"]',
    "token = settings.access_token_from_file_2",
    'headers = {"authorization": "Bearer (hidden)"}',
    '"tool_call_id": "call_8f3a2b1c9d4e5f60718293a4b5c6d7e8"',
    "sha256: 9d9631373a25832198f84f8597aca9f6657d66d71c2733b7368a13ac4e3a9594",
    'max_tokens = "4096", "total_tokens": 15',
    'password: "correct horse battery staple"',
    "risk-free-and-task-oriented-words-with-hyphens-2026",
    "https://mei:" + "secret-words@models.example/v1",
    'token = "abcdefghij1234567890"',
    "The secret of the token is that the key unlocks the password.",
    "-----BEGIN CERTIFICATE-----",
]


@pytest.mark.parametrize(("kind", "key"), KEYS.items())
def test_each_kind_of_key_is_found_and_not_shown(kind: str, key: str) -> None:
    (found,) = keys_in(f"first line\nvalue {key} end")

    assert (found.kind, found.line) == (kind, 2)
    assert not any(key[at : at + 6] in found.shown for at in range(len(key) - 6))


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_key_is_let_pass(text: str) -> None:
    assert list(keys_in(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        f'"token": "{RANDOM}"',
        f"'access-key': '{RANDOM}'",
        f'settings["API_KEY"] = "{RANDOM}"',
        f'{{\\"api_key\\": \\"{RANDOM}\\"}}',
        f"export MY_SERVICE_TOKEN={RANDOM}",
        f"$env:API_KEY = '{RANDOM}'",
        f'clientSecret: "{RANDOM}"',
    ],
)
def test_a_random_value_of_a_name_that_means_a_key_is_found(text: str) -> None:
    (found,) = keys_in(text)

    assert found.kind == "value of a name that means a key"
    assert found.shown == f"q7T… ({len(RANDOM)} characters)"


# --- notebooks ------------------------------------------------------------------------------------


def notebook(**places: Any) -> Any:
    """A notebook with text in the places named."""
    made = nbformat.v4.new_notebook()
    made.metadata = places.get("metadata", {})
    stream = nbformat.v4.new_output("stream", text=places.get("printed", "1\n"))
    data = {"text/plain": places.get("shown", "2"), "image/png": places.get("picture", "iVBOR")}
    result = nbformat.v4.new_output("display_data", data=data)
    code = nbformat.v4.new_code_cell(places.get("source", "1 + 1"), outputs=[stream, result])
    code.metadata = places.get("cell_metadata", {})
    made.cells = [nbformat.v4.new_markdown_cell("# Title\n\nWords."), code]
    return made


KEY = KEYS["token of GitHub"]
PLANTED = [
    ({"source": f"import x\nx.key('{KEY}')"}, "cell 2, line 2"),
    ({"printed": f"a\nb\nthe key is {KEY}\n"}, "cell 2, output 1, line 3"),
    ({"shown": f"Settings(key='{KEY}')"}, "cell 2, output 2, line 1"),
    ({"cell_metadata": {"papermill": {"given": [{"key": KEY}]}}}, "cell 2, metadata, line 1"),
    ({"metadata": {"widgets": {"state": {"value": KEY}}}}, "the notebook, line 1"),
]


@pytest.mark.parametrize(("places", "expected"), PLANTED)
def test_a_key_in_a_notebook_is_found_with_its_place(
    tmp_path: Path, places: Any, expected: str
) -> None:
    path = tmp_path / "my notes.ipynb"
    nbformat.write(notebook(**places), path)

    (leak,) = scan_file(path)

    assert leak.place == expected
    assert KEY[3:10] not in str(leak)


def test_a_token_in_metadata_is_known_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    nbformat.write(notebook(metadata={"colab": {"access_token": RANDOM}}), path)

    (leak,) = scan_file(path)

    assert leak.kind == "value of a name that means a key"


def test_a_picture_is_not_read_and_an_honest_notebook_is_clean(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    nbformat.write(notebook(picture=KEY), path)

    assert scan_file(path) == ()


def test_a_broken_notebook_is_looked_through_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text('{"cells": [\n"' + KEY, encoding="utf-8")

    (leak,) = scan_file(path)

    assert leak.place == "line 2"


# --- files and folders ----------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_of_windows_are_read_too(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "settings.env"
    path.write_text(f"# 密钥\r\nTOKEN={KEY}\r\n", encoding=encoding)

    (leak,) = scan_file(path)

    assert leak.place == "line 2"


def test_folders_are_looked_through_without_what_tools_keep_there(tmp_path: Path) -> None:
    for name in ("deep/er", ".git", ".venv/lib", ".ipynb_checkpoints"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.txt").write_text(KEY, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0" + KEY.encode())

    found = [leak.path.relative_to(tmp_path).as_posix() for leak in scan([tmp_path])]

    assert found == [".ipynb_checkpoints/a.txt", "deep/er/a.txt"]


def test_a_file_that_is_too_large_is_named_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    (leak,) = scan_file(path)

    assert leak.kind == "too large to be read"


def test_a_long_line_without_end_is_read_in_good_time(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("secret_token_" * 100_000 + "a:" * 100_000 + "A" * 500_000, encoding="utf-8")

    assert scan_file(path) == ()


def test_a_path_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file or folder .*nowhere"):
        scan([tmp_path / "nowhere"])


# --- the command ----------------------------------------------------------------------------------


def ended(*words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "course_pkg", "scan", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )


def test_the_course_itself_is_clean() -> None:
    run = ended()

    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("Nothing here looks like a key.")


def test_planted_notebooks_are_found_with_exit_code_1_and_no_key_is_printed(tmp_path: Path) -> None:
    for number, (places, _) in enumerate(PLANTED):
        nbformat.write(notebook(**places), tmp_path / f"planted {number}.ipynb")

    run = ended(".", folder=tmp_path)

    assert run.returncode == 1
    assert run.stdout.count("planted ") == len(PLANTED)
    assert "What looks like a key: 5." in run.stdout
    assert KEY[3:10] not in run.stdout + run.stderr


def test_a_wrong_path_is_told_in_a_sentence() -> None:
    run = ended("nowhere.ipynb")

    assert run.returncode == 1
    assert run.stderr == "There is no file or folder nowhere.ipynb. Check the spelling.\n"


def test_the_planted_notebooks_are_notebooks() -> None:
    assert all(nbformat.validate(notebook(**places)) is None for places, _ in PLANTED)
    assert json.loads(nbformat.writes(notebook()))["cells"]
