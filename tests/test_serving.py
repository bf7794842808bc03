"""A service in a thread: it takes a port, answers, and leaves nothing behind."""

from __future__ import annotations

import contextvars
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from starlette.responses import PlainTextResponse

from course_pkg.serving import PortError, ThreadedService, bind
from course_pkg.serving.listening import Listener

HIDDEN = contextvars.ContextVar("HIDDEN", default="nothing")


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/fail":
        raise ValueError("no")
    await PlainTextResponse(HIDDEN.get())(scope, receive, send)


@pytest.fixture
def service() -> Iterator[ThreadedService]:
    made = ThreadedService(lambda listening: Listener(listening, application), name="of a test")
    yield made
    made.stop()


def answer(service: ThreadedService, path: str = "/") -> httpx2.Response:
    return httpx2.get(f"http://127.0.0.1:{service.port}{path}", trust_env=False)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "of a test"]


def test_it_answers_from_the_moment_that_start_comes_back(service: ThreadedService) -> None:
    service.start()

    assert answer(service).status_code == 200


def test_it_starts_in_an_empty_context(service: ThreadedService) -> None:
    token = HIDDEN.set("the notebook's own")
    service.start()
    HIDDEN.reset(token)

    assert answer(service).text == "nothing"


def test_stopping_leaves_no_thread_and_a_port_that_can_be_taken_again(
    service: ThreadedService,
) -> None:
    service.start()
    port = service.port
    service.stop()

    assert (threads(), service.port) == ([], 0)
    service.start(port)
    assert answer(service).status_code == 200


def test_stopping_closes_a_connection_that_a_client_keeps_open(service: ThreadedService) -> None:
    service.start()
    with socket.create_connection(("127.0.0.1", service.port), timeout=5) as client:
        client.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        client.recv(1)
        service.stop()
        while client.recv(65_536):
            """What was on its way is read to its end."""

    assert threads() == []


def test_a_failing_application_is_answered_with_500_and_prints_nothing(
    service: ThreadedService, capfd: pytest.CaptureFixture[str]
) -> None:
    service.start()

    assert answer(service, "/fail").status_code == 500
    assert capfd.readouterr() == ("", "")


def test_a_listener_that_cannot_be_made_is_an_error_of_start_and_leaves_nothing() -> None:
    def broken(listening: socket.socket) -> Listener:
        raise ImportError("uvicorn is missing")

    service = ThreadedService(broken, name="of a test")
    with pytest.raises(RuntimeError, match="uvicorn is missing"):
        service.start()

    assert (threads(), service.port) == ([], 0)


def test_a_port_that_is_taken_is_named(service: ThreadedService) -> None:
    service.start()

    with pytest.raises(PortError, match=f"Port {service.port} on 127.0.0.1 is taken"):
        bind(service.port)


@pytest.mark.parametrize("port", [-1, 70_000])
def test_a_number_that_is_no_port_is_said_to_be_none(port: int) -> None:
    with pytest.raises(PortError, match=r"cannot be used: [^.]*[^.]\. Use 0"):
        bind(port)


def test_only_this_computer_is_listened_to() -> None:
    with bind(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
