"""Services on loopback that tests talk to.

`service` answers what a test has written down and keeps what it was sent. `tee` stands between a
client and a server and keeps every byte, in both directions.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from course_pkg.model import Settings

# The same examples in each run, however slow the machine. To look for new ones:
# pytest --hypothesis-profile=search
hypothesis.settings.register_profile("course", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=3000)
hypothesis.settings.load_profile("course")

CASES = Path(__file__).parent / "cases"
KEY = "sk" + "-test-NOT-A-REAL-KEY-1234"  # in two pieces, so that no search for keys finds it


# --- a scripted service ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the service says to one request.

    `pieces` are sent one by one, `gap_s` seconds apart. `dropped` closes the connection before the
    promised end.
    """

    pieces: tuple[bytes, ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    wait_s: float = 0.0
    gap_s: float = 0.0
    dropped: bool = False


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Service:
    """Answers in the order of the script; the last answer repeats."""

    script: Sequence[Answer | Callable[[Received], Answer]]
    port: int = 0
    requests: list[Received] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def settings(self) -> Settings:
        return Settings(kind="remote", base_url=self.base_url, model="teaching", api_key=KEY)

    def next(self, received: Received) -> Answer:
        with self.lock:
            self.requests.append(received)
            answer = self.script[min(len(self.requests), len(self.script)) - 1]
        return answer(received) if callable(answer) else answer


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.answer(service.next(Received(path=self.path, headers=headers, body=body)))

        do_GET = do_POST  # noqa: N815 - the name is the library's

        def answer(self, answer: Answer) -> None:
            self.close_connection = True
            time.sleep(answer.wait_s)
            if answer.dropped and not answer.pieces:
                return
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            length = sum(map(len, answer.pieces)) + 100 * answer.dropped
            self.send_header("content-length", str(length))
            self.send_header("connection", "close")
            self.end_headers()
            for piece in answer.pieces:
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(answer.gap_s)

        def log_message(self, *_values: Any) -> None:
            """Say nothing."""

    return Handler


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is part of some tests."""


@pytest.fixture
def service() -> Iterator[Callable[..., Service]]:
    """Start a service: `service(answer, answer, ...)`."""
    servers: list[_Quiet] = []

    def start(*script: Answer | Callable[[Received], Answer]) -> Service:
        made = Service(script)
        server = _Quiet(("127.0.0.1", 0), _handler(made))
        made.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return made

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


class Write:
    """Ways to write an answer down."""

    Answer = Answer

    @staticmethod
    def json(value: Any, **settings: Any) -> Answer:
        return Answer(pieces=(json.dumps(value, ensure_ascii=False).encode(),), **settings)

    @staticmethod
    def page(text: str, *, status: int = 200) -> Answer:
        headers = (("content-type", "text/html"),)
        return Answer(pieces=(text.encode(),), status=status, headers=headers)

    @staticmethod
    def events(*events: Any, done: bool = True, **settings: Any) -> Answer:
        lines = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode() for event in events]
        headers = (("content-type", "text/event-stream"),)
        return Answer(
            pieces=(*lines, *([b"data: [DONE]\n\n"] if done else [])), headers=headers, **settings
        )

    @staticmethod
    def completion(message: Any, *, finish_reason: Any = "stop", **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage} | more

    @classmethod
    def text(cls, text: str | None, **more: Any) -> Answer:
        return cls.json(cls.completion({"role": "assistant", "content": text}, **more))

    @classmethod
    def calls(cls, *calls: tuple[str, str, str], **more: Any) -> Answer:
        """Calls as `(id, name, arguments)`."""
        listed = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls
        ]
        message = {"role": "assistant", "content": None, "tool_calls": listed}
        return cls.json(cls.completion(message, **({"finish_reason": "tool_calls"} | more)))

    @classmethod
    def mcp(cls, results: dict[str, Any]) -> Callable[[Received], Answer]:
        """An MCP server over HTTP, with a result for each tool. It sends event streams."""

        def answer(received: Received) -> Answer:
            asked = received.json if received.body else {}
            if "id" not in asked:
                return Answer(status=202)
            told: dict[str, Any] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            if asked["method"] == "initialize":
                info = {"name": "s", "version": "1"}
                told |= {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}
            elif asked["method"] == "tools/list":
                listed = [{"name": name, "inputSchema": {"type": "object"}} for name in results]
                told["tools"] = listed
            elif asked["method"] == "tools/call":
                told |= results[asked["params"]["name"]]
            else:
                error = {"code": -32601, "message": "Method not found"}
                return cls.json({"jsonrpc": "2.0", "id": asked["id"], "error": error})
            return cls.events({"jsonrpc": "2.0", "id": asked["id"], "result": told}, done=False)

        return answer

    @classmethod
    def mcp_sessions(cls, statuses: list[int], *, opens: int = 99) -> Callable[[Received], Answer]:
        """An MCP server of 2025-11-25 over HTTP, with the tool `t1`. It begins so many sessions.

        Each call is answered with the next of the statuses; the last one repeats.
        """
        counts = Counter[str]()
        inner = cls.mcp({"t1": {"content": [{"type": "text", "text": "ok"}]}})

        def answer(received: Received) -> Answer:
            method = received.json.get("method") if received.body else ""
            counts[method] += 1
            if method == "initialize" and counts[method] > opens:
                return cls.page("gone", status=404)
            if method == "initialize":
                session = ("mcp-session-id", f"s{counts[method]}")
                made = inner(received)
                return replace(made, headers=(*made.headers, session))
            status = statuses[min(counts[method], len(statuses)) - 1]
            if method == "tools/call" and status != 200:
                return cls.page("no", status=status)
            return inner(received)

        return answer


@pytest.fixture
def write() -> type[Write]:
    """Ways to write an answer down: `write.text("Hello")`, `write.calls(("c1", "add", "{}"))`."""
    return Write


@pytest.fixture
def key() -> str:
    """The key that the settings of a scripted service hold."""
    return KEY


@pytest.fixture
def case() -> Callable[[str], dict[str, Any]]:
    """Read one case: `case("e-08-ensure-ascii")`."""

    def read(name: str) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
        return value

    return read


# --- a proxy that keeps the bytes -----------------------------------------------------------------


class Tee:
    """A proxy that keeps both directions of each connection, as bytes."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._sent: list[bytearray] = []
        self._received: list[bytearray] = []
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(0.05)
        self._sockets: list[socket.socket] = []
        self._run(self._accept)

    @property
    def port(self) -> int:
        port: int = self._listening.getsockname()[1]
        return port

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[bytes]:
        """The body of each request, in order."""
        return self._bodies(self._sent)

    @property
    def answers(self) -> list[bytes]:
        """The body of each answer, in order; chunks joined."""
        return self._bodies(self._received)

    @property
    def received(self) -> bytes:
        """All that has come from the server so far, heads and bodies."""
        return b"".join(map(bytes, self._received))

    def _bodies(self, streams: Sequence[bytearray]) -> list[bytes]:
        # A client may be content before the last bytes of a chunked answer have come.
        end = time.monotonic() + 5
        while True:
            try:
                return [body for stream in streams for body in _bodies(bytes(stream))]
            except ValueError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def close(self) -> None:
        self._over.set()
        for one in self._sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)
        for one in [self._listening, *self._sockets]:
            one.close()

    def _run(self, target: Callable[..., None], *values: Any) -> None:
        self._threads.append(threading.Thread(target=target, args=values, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                client, _ = self._listening.accept()
            except TimeoutError:
                continue
            client.settimeout(None)
            server = socket.create_connection(("127.0.0.1", self._target_port))
            self._sockets += [client, server]
            self._sent.append(bytearray())
            self._received.append(bytearray())
            self._run(_pump, client, server, self._sent[-1])
            self._run(_pump, server, client, self._received[-1])


def _pump(source: socket.socket, target: socket.socket, kept: bytearray) -> None:
    with contextlib.suppress(OSError):  # the other side has gone
        while data := source.recv(65536):
            kept.extend(data)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def _bodies(stream: bytes) -> Iterator[bytes]:
    while stream:
        head, _, stream = stream.partition(b"\r\n\r\n")
        fields = head.decode("latin-1").lower().split("\r\n")[1:]
        headers = dict(line.split(": ", 1) for line in fields)
        if headers.get("transfer-encoding") == "chunked":
            body, stream = _unchunked(stream)
        else:
            length = int(headers.get("content-length", 0))
            body, stream = stream[:length], stream[length:]
        yield body


def _unchunked(stream: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        size, _, stream = stream.partition(b"\r\n")
        length = int(size, 16)
        body, stream = body + stream[:length], stream[length + 2 :]
        if not length:
            return body, stream


@pytest.fixture
def tee() -> Iterator[Callable[[int], Tee]]:
    """Stand before a server: `tee(port)` gives a proxy that leads there."""
    made: list[Tee] = []

    def start(port: int) -> Tee:
        made.append(Tee(port))
        return made[-1]

    yield start
    for one in made:
        one.close()


# --- MCP servers ----------------------------------------------------------------------------------

MCP_SERVERS = Path(__file__).parent / "mcp_servers"


@pytest.fixture
def scripted() -> Callable[..., list[str]]:
    """The command of an MCP server that does what a script says: `scripted(tools=["t1"])`."""

    def command(**script: Any) -> list[str]:
        return [sys.executable, str(MCP_SERVERS / "scripted.py"), json.dumps(script)]

    return command


@pytest.fixture
def teed(tmp_path: Path) -> Callable[[list[str]], list[str]]:
    """Another command's command, with every byte kept in `tmp_path`: `sent`, `received`."""

    def command(server: list[str]) -> list[str]:
        return [sys.executable, str(MCP_SERVERS / "tee.py"), str(tmp_path), *server]

    return command
