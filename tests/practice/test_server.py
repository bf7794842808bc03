"""Starting and stopping: a free port, one server a process, nothing left behind."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from course_pkg.practice import (
    PracticeServer,
    PracticeServerError,
    serve_in_background,
    stop_background_server,
)


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_stopped_server_leaves_no_thread_and_no_port() -> None:
    before = names()
    with PracticeServer() as server, httpx2.Client() as client:
        port = server.port
        client.get(f"{server.base_url}/models", headers={"authorization": "Bearer any"})

    assert names() == before
    assert not is_open(port)


def test_a_server_can_be_stopped_while_a_reply_is_on_its_way() -> None:
    server = PracticeServer().start()
    body = {"model": "practice:slow", "messages": [{"role": "user", "content": "Hello"}]}
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(
            httpx2.post,
            f"{server.base_url}/chat/completions",
            json=body,
            headers={"authorization": "Bearer any"},
        )
        threading.Event().wait(0.2)
        server.stop()

    assert isinstance(reply.exception(), httpx2.RemoteProtocolError | httpx2.ReadError)


def test_start_and_stop_may_be_said_twice() -> None:
    server = PracticeServer()

    ports = {server.start().port, server.start().port}
    server.stop()
    server.stop()

    assert len(ports) == 1
    assert server.port == 0


def test_a_server_can_start_again() -> None:
    server = PracticeServer()
    for _ in range(2):
        with server:
            assert is_open(server.port)


def test_a_taken_port_is_named_with_what_to_do() -> None:
    with (
        PracticeServer() as server,
        pytest.raises(PracticeServerError, match=rf"Port {server.port} .* taken.*port 0"),
    ):
        PracticeServer(port=server.port).start()


def test_a_port_that_does_not_exist_is_refused() -> None:
    with pytest.raises(PracticeServerError, match="70000"):
        PracticeServer(port=70000).start()


def test_the_base_url_of_a_server_that_does_not_run_is_an_error() -> None:
    with pytest.raises(PracticeServerError, match="start"):
        _ = PracticeServer().base_url


def test_one_process_has_one_server_in_the_background() -> None:
    with ThreadPoolExecutor(8) as pool:
        urls = set(pool.map(lambda _: serve_in_background(), range(16)))
    stop_background_server()

    assert len(urls) == 1
    assert urls.pop().endswith("/v1")


def test_after_a_stop_the_next_call_starts_another() -> None:
    serve_in_background()
    stop_background_server()

    url = serve_in_background()

    assert httpx2.get(f"{url}/models", headers={"authorization": "Bearer any"}).status_code == 200
    stop_background_server()


def test_nothing_is_logged_and_no_logger_is_changed(caplog: pytest.LogCaptureFixture) -> None:
    root = logging.getLogger()
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error", "uvicorn.access")]
    before = [(item.level, item.propagate, list(item.handlers)) for item in [root, *loggers]]
    with caplog.at_level(logging.DEBUG), PracticeServer() as server, httpx2.Client() as client:
        client.get(server.base_url)
        own = [record for record in caplog.records if "uvicorn" in record.name]
        during = [(item.level, item.propagate, list(item.handlers)) for item in loggers]

    assert own == []
    assert during == before[1:]


PROGRAM = """
import sys, threading
from course_pkg.practice import serve_in_background
assert not {"starlette", "uvicorn", "openai", "jsonschema"} & set(sys.modules), "import is dear"
print(serve_in_background())
print([thread.daemon for thread in threading.enumerate() if thread.name == "practice-model"])
"""


def test_the_import_is_light_and_the_server_ends_with_the_program() -> None:
    command = [sys.executable, "-W", "error", "-c", PROGRAM]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    url, daemon = done.stdout.split("\n")[:2]
    assert (done.returncode, done.stderr, daemon) == (0, "", "[True]")
    assert not is_open(int(url.rsplit(":", 1)[1].split("/")[0]))


FORKED = """
import os
from course_pkg.practice import serve_in_background
parent = serve_in_background()
child = os.fork()
if child == 0:
    own = serve_in_background()
    os._exit(0 if own != parent else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system cannot fork")
def test_a_forked_process_gets_its_own_server() -> None:
    # Python 3.12 warns of forking with threads, which is what is tried here.
    command = [sys.executable, "-c", FORKED]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.stdout.strip() == "0", done.stderr
