"""`python -m course_pkg …`, run as a learner runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai import OpenAI

ROOT = Path(__file__).parent.parent.parent
WAIT_S = 60


def ended(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "course_pkg", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )


def test_doctor_prints_a_table_and_exits_0() -> None:
    run = ended("doctor")

    assert (run.returncode, run.stdout.splitlines()[-1]) == (
        0,
        "Everything that the course needs is here.",
    )


def test_doctor_exits_1_with_a_port_taken_and_says_so() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen(1)
        run = ended("doctor", "--port", str(holder.getsockname()[1]))

    assert run.returncode == 1
    assert "is taken" in run.stdout


def test_doctor_exits_1_with_wrong_settings_and_names_the_variable() -> None:
    run = ended("doctor", COURSE_MODEL="remote", OPENAI_API_KEY="")

    assert run.returncode == 1
    assert "COURSE_MODEL_NAME" in run.stdout or "OPENAI_API_KEY" in run.stdout


def test_progress_lists_the_exercises(tmp_path: Path) -> None:
    kept = {"05.1": {"passed": True, "tries": 2}}
    (tmp_path / "progress.json").write_text(json.dumps(kept), encoding="utf-8")

    run = ended("progress", COURSE_FOLDER=str(tmp_path))

    assert "05.1  passed" in run.stdout
    assert run.stdout.splitlines()[-1].startswith("1 of ")


def test_solutions_shows_the_ones_that_were_named() -> None:
    run = ended("solutions", "06")

    assert "Exercise 06.1" in run.stdout
    assert "Exercise 05.1" not in run.stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [(["solutions", "99"], 1), (["refresh", "99"], 1), (["dance"], 2), ([], 2)],
)
def test_wrong_words_are_answered_with_a_sentence_and_no_traceback(
    words: list[str], code: int
) -> None:
    run = ended(*words)

    assert run.returncode == code
    assert run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("port", ["x", "-1", "65536", "1.5", "٣"])
def test_a_word_that_is_no_port_is_named(port: str) -> None:
    run = ended("serve-practice", f"--port={port}")

    assert run.returncode == 2
    assert "is no port" in run.stderr


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@pytest.fixture
def served() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "course_pkg", "serve-practice", "--port", str(free_port())],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    yield next(word for word in line.split() if word.startswith("http"))
    process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
    process.communicate(timeout=WAIT_S)


def test_serve_practice_answers_an_openai_client_in_another_process(served: str) -> None:
    with OpenAI(base_url=served, api_key="any-word") as client:
        reply = client.chat.completions.create(
            model="practice", messages=[{"role": "user", "content": "Hello"}]
        )

    assert reply.choices[0].message.content


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_serve_practice_answers_curl(served: str) -> None:
    body = '{"model": "practice", "messages": [{"role": "user", "content": "你好"}]}'
    command = ["curl", "-s", f"{served}/chat/completions", "-H", "Authorization: Bearer any-word"]
    command += ["-H", "Content-Type: application/json", "-d", body]

    run = subprocess.run(command, capture_output=True, check=True, timeout=WAIT_S)

    assert json.loads(run.stdout)["choices"][0]["message"]["content"]


@pytest.mark.skipif(os.name != "posix", reason="only POSIX can send Ctrl+C to one process")
def test_serve_practice_ends_with_ctrl_c_and_exit_code_0() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "course_pkg", "serve-practice"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()

    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_S)

    assert (process.returncode, errors) == (0, b"")


def test_serve_practice_on_a_taken_port_says_so() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen(1)
        port = str(holder.getsockname()[1])
        run = ended("serve-practice", "--port", port)

    assert run.returncode == 1
    assert port in run.stderr
    assert "Traceback" not in run.stderr


def test_refresh_check_finds_the_committed_outputs_as_they_would_be_written() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "course_pkg", "refresh", "--check", "00"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.skipif(shutil.which("python3.10") is None, reason="there is no old Python here")
def test_an_old_python_is_told_in_one_sentence() -> None:
    version = subprocess.run(["python3.10", "-V"], capture_output=True, check=False)
    if version.returncode:
        pytest.skip("python3.10 is only a name here")

    run = subprocess.run(
        ["python3.10", "-m", "course_pkg", "doctor"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )

    assert run.returncode == 1
    assert run.stderr.startswith("This course needs Python 3.11 or newer")


def test_a_missing_package_is_told_by_doctor_with_exit_code_1(tmp_path: Path) -> None:
    # A Python of its own with none of the course's packages: what a learner has who forgot to
    # install them.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    folder = "Scripts" if os.name == "nt" else "bin"

    run = subprocess.run(
        [tmp_path / folder / "python", "-m", "course_pkg", "doctor"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )

    assert run.returncode == 1
    assert "is missing" in run.stdout or "not installed" in run.stdout
    assert "pip install -c constraints.txt -e ." in run.stdout
    assert "Traceback" not in run.stderr
