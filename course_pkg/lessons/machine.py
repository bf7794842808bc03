"""Look at the machine, and say in plain words what is right and what to do about the rest.

In: this Python, its packages, the loopback interface, the settings. Out: `Finding`s, and a table.
Nothing is changed, and nothing leaves the machine.
"""

from __future__ import annotations

import importlib.metadata
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

PACKAGE = "tool-calling-course"
OLDEST_PYTHON = (3, 11)
LOOPBACK = "127.0.0.1"

#: Optional things: the module, and what it is for.
OPTIONAL = (
    ("playwright", "browser tests, for those who change the course"),
    ("nbval", "checks of the notebooks, for those who change the course"),
)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What was found about one thing.

    Attributes:
        what: the thing.
        good: whether it is as the course needs it.
        detail: what is there, or what is wrong and what to do.
        needed: whether the course needs it at all.
    """

    what: str
    good: bool
    detail: str
    needed: bool = True


@dataclass(frozen=True, kw_only=True)
class Examination:
    """All findings. A cell that ends in one shows them as a table."""

    findings: tuple[Finding, ...]

    @property
    def good(self) -> bool:
        """Whether everything that the course needs is there."""
        return all(finding.good for finding in self.findings if finding.needed)

    def table(self, *, details: bool = True) -> str:
        """The findings as lines of text.

        Args:
            details: with what is there, and with optional things. Without, only what any machine
                that can run the course has in common: so the saved output never changes.
        """
        shown = [item for item in self.findings if details or item.needed]
        width = max(len(item.what) for item in shown)
        lines = [f"{item.what:<{width}}  {_verdict(item, details=details)}" for item in shown]
        return "\n".join([*lines, "", self._summary()])

    def __repr__(self) -> str:
        """The table as a notebook shows it."""
        return self.table(details=False)

    def _summary(self) -> str:
        if self.good:
            return "Everything that the course needs is here."
        missing = [finding.what for finding in self.findings if finding.needed and not finding.good]
        return f"Please mend this first: {', '.join(missing)}."


def doctor(*, port: int = 0) -> Examination:
    """Look at everything that the course needs.

    Args:
        port: a port of this computer that you want to use; 0 asks for any free one.
    """
    checks: Sequence[Callable[[], Finding]] = (
        lambda: python_finding(sys.version_info[:3]),
        packages_finding,
        kernel_finding,
        lambda: port_finding(port),
        model_finding,
        folder_finding,
    )
    found = [check() for check in checks]
    found += [optional_finding(module, purpose) for module, purpose in OPTIONAL]
    return Examination(findings=tuple(found))


def python_finding(version: tuple[int, ...]) -> Finding:
    """Whether a version of Python is new enough.

    Args:
        version: for example `(3, 11, 7)`.
    """
    text = ".".join(str(part) for part in version)
    if version[:2] >= OLDEST_PYTHON:
        return Finding(what="Python", good=True, detail=text)
    oldest = ".".join(str(part) for part in OLDEST_PYTHON)
    detail = f"{text} is too old. Install Python {oldest} or newer, and make .venv anew with it."
    return Finding(what="Python", good=False, detail=detail)


def packages_finding(requirements: Sequence[str] | None = None) -> Finding:
    """Whether each package that the course needs is installed, in a version that it was made for.

    Args:
        requirements: such as `openai>=3.57,<4`; the course's own if left out.
    """
    try:
        wanted = importlib.metadata.requires(PACKAGE) if requirements is None else requirements
    except importlib.metadata.PackageNotFoundError:
        detail = f"The course is not installed here. {_install_advice()}"
        return Finding(what="Packages", good=False, detail=detail)
    try:
        trouble = [text for text in (_trouble_with(item) for item in wanted or ()) if text]
    except ImportError as error:  # what reads requirements is itself one
        trouble = [f"{error.name} is missing"]
    if trouble:
        detail = f"{'; '.join(trouble)}. {_install_advice()}"
        return Finding(what="Packages", good=False, detail=detail)
    return Finding(what="Packages", good=True, detail="all there")


def _trouble_with(requirement: str) -> str:
    from packaging.requirements import Requirement

    wanted = Requirement(requirement)
    if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
        return ""
    try:
        version = importlib.metadata.version(wanted.name)
    except importlib.metadata.PackageNotFoundError:
        return f"{wanted.name} is missing"
    if not wanted.specifier.contains(version, prereleases=True):
        return f"{wanted.name} is {version}, but {wanted.specifier} is needed"
    return ""


def _install_advice() -> str:
    return "Run this in the course's folder: pip install -c constraints.txt -e ."


def kernel_finding() -> Finding:
    """Whether Jupyter has a Python kernel to run notebooks with."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager

        names = KernelSpecManager().find_kernel_specs()
    except ImportError:
        names = {}
    if "python3" in names:
        return Finding(what="Notebook kernel", good=True, detail="python3")
    detail = f"Jupyter finds no kernel named python3. {_install_advice()}"
    return Finding(what="Notebook kernel", good=False, detail=detail)


def port_finding(port: int = 0) -> Finding:
    """Whether a server can listen on this computer's own address.

    Args:
        port: the port; 0 for any free one.
    """
    what = f"Port {port}" if port else "Ports"
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((LOOPBACK, port))
            probe.listen(1)
    except (OSError, OverflowError) as error:
        detail = f"{_reason(error, port)} Choose another port, or end the program that has it."
        return Finding(what=what, good=False, detail=detail)
    return Finding(what=what, good=True, detail=f"{LOOPBACK} can be listened on")


def _reason(error: Exception, port: int) -> str:
    if isinstance(error, PermissionError):
        return f"Port {port} of {LOOPBACK} needs an administrator."
    if isinstance(error, OverflowError):
        return f"{port} is no port: ports go from 0 to 65535."
    return (
        f"Port {port} of {LOOPBACK} is taken." if port else f"{LOOPBACK} cannot be used: {error}."
    )


def model_finding() -> Finding:
    """Whether the settings for the model are right, and the practice model answers if it is meant.

    A remote model is not asked: that could cost money.
    """
    try:
        from course_pkg.model import settings

        chosen = settings()
        if chosen.kind == "practice":
            return _practice_finding(chosen.base_url)
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        return Finding(what="Model", good=False, detail=str(error))
    detail = f"{chosen.kind}: {chosen.model}, key {chosen.key_state} (not asked now)"
    return Finding(what="Model", good=True, detail=detail)


def _practice_finding(base_url: str) -> Finding:
    import httpx2

    from course_pkg.model.settings import NO_KEY_NEEDED

    try:
        answer = httpx2.get(
            f"{base_url}/models",
            headers={"Authorization": f"Bearer {NO_KEY_NEEDED}"},
            timeout=5.0,
            trust_env=False,
        )
    except httpx2.HTTPError as error:
        detail = f"The practice model does not answer on this computer: {error}"
        return Finding(what="Model", good=False, detail=detail)
    good = answer.is_success
    detail = (
        "the practice model answers" if good else f"it answers with status {answer.status_code}"
    )
    return Finding(what="Model", good=good, detail=detail)


def folder_finding() -> Finding:
    """Whether progress can be kept."""
    from course_pkg.lessons.progress_file import folder

    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        probe = place / ".probe"
        probe.write_text("", encoding="utf-8")
        probe.unlink()
    except OSError as error:
        detail = f"Progress cannot be kept in {place}: {error.strerror}. Set COURSE_FOLDER."
        return Finding(what="Progress", good=False, detail=detail)
    return Finding(what="Progress", good=True, detail=f"kept in {place}")


def optional_finding(module: str, purpose: str) -> Finding:
    """Whether an optional package is there.

    Args:
        module: its name.
        purpose: what it is for.
    """
    try:
        version = importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        return Finding(what=module, good=False, needed=False, detail=f"not here; for {purpose}")
    return Finding(what=module, good=True, needed=False, detail=f"{version}; for {purpose}")


def _verdict(finding: Finding, *, details: bool) -> str:
    if finding.good:
        return f"good  {finding.detail}" if details else "good"
    word = "MEND" if finding.needed else "-   "
    return f"{word}  {finding.detail}"
