"""JupyterLab in headless Chromium, for tests that look at a notebook as a learner does.

`open_notebook("name.ipynb")` gives an open `Notebook`; `lab` is the server with its root folder.
Where there is no Chromium or no Playwright the tests are skipped and say why; with `CI=true` they
fail instead, so that CI never passes without them.

Playwright's synchronous interface leaves its event loop running in this thread while it is open,
and pytest-asyncio cannot start another then. So the browser lives for a module, not for a session.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Request

START_S = 90.0
RUN_S = 120.0
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NO_NEWS = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
LOOPBACK = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:", "chrome:")

KERNEL_IS_READY = """() => {
  const session = jupyterapp.shell.currentWidget?.sessionContext;
  const kernel = session?.session?.kernel;
  return Boolean(session?.isReady) && kernel?.connectionStatus === 'connected'
    && kernel?.status === 'idle';
}"""
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
NOTHING_RUNS = f"""() => ![...document.querySelectorAll('{PANEL} .jp-InputPrompt')]
  .some((prompt) => prompt.textContent.includes('*'))"""

_numbers = count(1)


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab server."""

    url: str
    root: Path

    def write(self, name: str, cells: Sequence[str]) -> Path:
        """Put a notebook with these code cells into the root folder."""
        notebook = nbformat.v4.new_notebook()
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        notebook.cells = [nbformat.v4.new_code_cell(source) for source in cells]
        path = self.root / name
        nbformat.write(notebook, path)
        return path


@dataclass
class Browsing:
    """What the browser did that a test may ask about."""

    page: Page
    dialogs: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note dialogs, page errors and requests that leave this computer."""
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _dialog(self, dialog: Dialog) -> None:
        if dialog.type != "beforeunload":
            self.dialogs.append(dialog.message)
        dialog.accept()

    def _request(self, request: Request) -> None:
        if not request.url.startswith(LOOPBACK):
            self.foreign.append(request.url)


class Notebook:
    """An open notebook, with its kernel idle."""

    def __init__(self, browsing: Browsing, lab: Lab, name: str) -> None:
        self.browsing = browsing
        self.page = browsing.page
        self.path = lab.root / name
        self._url = f"{lab.url}/lab/workspaces/w{next(_numbers)}/tree/{name}?reset"

    def open(self, *, kernel: bool = True) -> Notebook:
        """Load the page. With `kernel=False` do not wait for one."""
        self.page.goto(self._url)
        self.page.wait_for_selector(f"{PANEL} .jp-Cell", timeout=START_S * 1000)
        if kernel:
            self.wait_ready()
        return self

    def wait_ready(self) -> None:
        """Wait until the kernel is there and idle. The toolbar alone says so too early."""
        self.page.wait_for_function(KERNEL_IS_READY, timeout=START_S * 1000)
        indicator = f"{PANEL} .jp-Notebook-ExecutionIndicator[data-status='idle']"
        self.page.wait_for_selector(indicator, timeout=START_S * 1000)

    def start_all(self) -> None:
        """Begin to run all cells. Does not wait: the command's promise ends with the last cell."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_timeout(100)

    def wait_idle(self) -> None:
        """Wait until no cell runs."""
        self.page.wait_for_function(NOTHING_RUNS, timeout=RUN_S * 1000)

    def run_all(self) -> None:
        """Run all cells, to the end."""
        self.start_all()
        self.wait_idle()

    def command(self, name: str, **arguments: Any) -> None:
        """Start one of JupyterLab's commands."""
        script = "([name, given]) => { jupyterapp.commands.execute(name, given) }"
        self.page.evaluate(script, [name, arguments])

    def set_theme(self, *, dark: bool) -> None:
        """Switch JupyterLab's theme."""
        self.command("apputils:change-theme", theme=f"JupyterLab {'Dark' if dark else 'Light'}")
        light = str(not dark).lower()
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")

    def save(self) -> nbformat.NotebookNode:
        """Save, and read the file."""
        before = self.path.stat().st_mtime_ns
        self.command("docmanager:save")
        wait_until(lambda: self.path.stat().st_mtime_ns != before, "the notebook is saved")
        self.page.wait_for_timeout(300)
        return nbformat.read(self.path, as_version=4)

    def shut_down(self) -> None:
        """End the kernel."""
        script = "() => jupyterapp.shell.currentWidget.sessionContext.shutdown()"
        self.page.evaluate(script)

    def find(self, selector: str) -> Locator:
        """Elements of this notebook."""
        return self.page.locator(f"{PANEL} {selector}")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab server on loopback, with nothing of the user's own."""
    _chromium()
    home = tmp_path_factory.mktemp("lab")
    root = home / "root"
    root.mkdir()
    page_config = home / "config" / "labconfig" / "page_config.json"
    page_config.parent.mkdir(parents=True)
    page_config.write_text(json.dumps(NO_NEWS), encoding="utf-8")
    port = _free_port()
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            _command(port, root, home),
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: _answers(f"{url}/api/status"), "JupyterLab answers")
        yield Lab(url=url, root=root)
    finally:
        server.terminate()
        server.wait(START_S)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser with an empty profile."""
    chromium = _chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=chromium,
            headless=True,
            args=list(FLAGS),
            permissions=["clipboard-read", "clipboard-write"],
            viewport={"width": 1280, "height": 900},
        )
        yield context
        context.close()


@pytest.fixture
def browsing(browser: BrowserContext) -> Iterator[Browsing]:
    """A new page, and what it did. No test may make it ask another computer for anything."""
    watched = Browsing(page=browser.new_page())
    watched.watch()
    yield watched
    watched.page.close()
    assert watched.foreign == []


@pytest.fixture
def page(browsing: Browsing) -> Page:
    """A new page."""
    return browsing.page


@pytest.fixture
def open_notebook(lab: Lab, browsing: Browsing) -> Callable[..., Notebook]:
    """Open a notebook of the root folder by its name, or make one of these cells and open it."""

    def opened(name: str, cells: Sequence[str] = (), *, kernel: bool = True) -> Notebook:
        if cells:
            lab.write(name, cells)
        return Notebook(browsing, lab, name).open(kernel=kernel)

    return opened


def wait_until(happened: Callable[[], bool], what: str, timeout_s: float = START_S) -> None:
    """Wait until `happened()`, or fail and say what did not happen."""
    end = time.monotonic() + timeout_s
    while not happened():
        if time.monotonic() > end:
            pytest.fail(f"Waited {timeout_s:.0f} s in vain until {what}.")
        time.sleep(0.1)


def _chromium() -> str:
    """The path of a Chromium; skip or, in CI, fail where there is none."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        _leave_out("Playwright is not installed: install the extra 'test'.")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        _leave_out(f"No Chromium was found on the PATH (looked for {', '.join(BROWSERS)}).")
    return str(found)


def _leave_out(reason: str) -> None:
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"Browser tests must run in CI. {reason}")
    pytest.skip(f"Browser tests are left out. {reason}")


def _command(port: int, root: Path, home: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={root}",
        "--IdentityProvider.token=",
        "--ServerApp.password=",
        "--ServerApp.disable_check_xsrf=True",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        f"--LabServerApp.workspaces_dir={home / 'workspaces'}",
    ]


def _environment(home: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("COURSE_")}
    return own | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False
