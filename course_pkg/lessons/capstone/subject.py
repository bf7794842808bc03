"""What is under review: a toolbox, and the file that it comes from, if there is one.

In: anything that a learner hands in. Out: a `Subject`, or a `NotLoadedError` with the finding to
tell. Knows nothing of the checks.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import sys
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from course_pkg.tools import Tool, Toolbox, as_toolbox
from course_pkg.widgets.report import Finding

if TYPE_CHECKING:
    from course_pkg.mcp_client import Connection

#: What a file under review is called as a module.
MODULE_NAME = "toolbox_under_review"

#: The name that holds the tools in a file.
VARIABLE = "toolbox"

#: More tools are not read: a list may have no end.
MAX_TOOLS = 200

#: More characters of source are not read.
MAX_SOURCE_CHARS = 200_000


class NotLoadedError(Exception):
    """There is nothing to review. It carries the finding to tell.

    Attributes:
        finding: what is wrong, and what to do.
    """

    def __init__(self, finding: Finding) -> None:
        """Hold the finding."""
        self.finding = finding
        super().__init__(finding.what)


class NotLookedAtError(Exception):
    """A check cannot be made, because of something that another check tells. Its text says what."""


@dataclass(kw_only=True)
class Subject:
    """What is under review, and what the checks have learnt so far.

    Attributes:
        tools: the learner's tools.
        path: the file that they come from; `None` for tools of a notebook.
        hanging: tools that did not come to an end once. They are not run again.
        connection: the open link to the learner's server; `None` until it is opened.
    """

    tools: Toolbox
    path: Path | None = None
    hanging: set[str] = field(default_factory=set)
    connection: Connection | None = None

    def tool(self, name: str) -> Tool:
        """A tool of the brief, if it can be run.

        Args:
            name: its name.

        Raises:
            NotLookedAtError: if it is missing, or has hung before.
        """
        if name not in self.tools:
            raise NotLookedAtError(f"there is no tool {name}")
        if name in self.hanging:
            raise NotLookedAtError(f"{name} does not come to an end")
        return self.tools[name]

    def source(self) -> str:
        """The learner's code, as far as it can be found."""
        if self.path is not None:
            return self.path.read_text(encoding="utf-8", errors="replace")[:MAX_SOURCE_CHARS]
        return "\n".join(filter(None, map(_source_of, self.tools.values())))


def load(answer: Any) -> Subject:
    """Make a subject of what a learner hands in.

    Args:
        answer: a file's path, a toolbox, or a list of tools and functions.

    Raises:
        NotLoadedError: if it is none of these, or the file cannot be run.
    """
    if isinstance(answer, Path):
        module = _module(answer)
        if not hasattr(module, VARIABLE):
            raise NotLoadedError(_no_toolbox(answer, module))
        return Subject(tools=_toolbox(getattr(module, VARIABLE)), path=answer)
    return Subject(tools=_toolbox(answer))


def _toolbox(answer: Any) -> Toolbox:
    if isinstance(answer, Toolbox):
        return answer
    if isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Iterable):
        raise NotLoadedError(_no_tools(answer))
    try:
        items = list(itertools.islice(answer, MAX_TOOLS))
    except Exception as error:
        raise NotLoadedError(_not_made(error)) from error
    if not all(callable(item) for item in items):
        raise NotLoadedError(_no_tools(answer))
    try:
        return as_toolbox(items)
    except Exception as error:
        raise NotLoadedError(_not_made(error)) from error


def _not_made(error: Exception) -> Finding:
    return Finding(
        code="tools_cannot_be_made",
        where="your toolbox",
        what=f"{type(error).__name__}: {error}",
        fix="Mend what the sentence names. Each tool has a name of its own.",
    )


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
    if not is_file(path) or spec is None or spec.loader is None:
        raise NotLoadedError(no_file(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE_NAME] = module  # annotations written as text are looked up there
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise NotLoadedError(_not_run(path, error)) from error
    return module


def is_file(path: Path) -> bool:
    """Whether there is a file. Any text may be asked for."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def no_file(path: Path) -> Finding:
    """What to tell where there is none.

    Args:
        path: where it should be.
    """
    return Finding(
        code="file_missing",
        where=path.name or str(path),
        what="There is no Python file of this name.",
        fix="Check the spelling, and the folder. The name ends in .py.",
    )


def _not_run(path: Path, error: BaseException) -> Finding:
    if isinstance(error, SyntaxError):
        place = f", line {error.lineno}" if error.lineno else ""
        return Finding(
            code="syntax_error",
            where=f"{path.name}{place}",
            what=f"Python cannot read the file: {error.msg}.",
            fix="Look at that line and the one before it. A bracket or a colon is missing often.",
        )
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path
    ]
    place = f", line {frames[-1].lineno}: {frames[-1].line}" if frames else ""
    return Finding(
        code="import_fails",
        where=f"{path.name}{place}",
        what=f"Running the file raised {type(error).__name__}: {error}".rstrip(": ") + ".",
        why="A server and a review import the file. It must only define things then.",
        fix="Run the file yourself, and mend the first error. Keep what starts something below "
        'the line if __name__ == "__main__".',
    )


def _no_toolbox(path: Path, module: ModuleType) -> Finding:
    others = [name for name, value in vars(module).items() if isinstance(value, Toolbox)]
    seen = f" There is one named {others[0]}." if others else ""
    return Finding(
        code="no_toolbox",
        where=path.name,
        what=f"The file has no variable named {VARIABLE}.{seen}",
        why="A review, and whoever imports the file, looks for it by that name.",
        fix=f"Write at the end: {VARIABLE} = Toolbox([get_repair, estimate_cost, book_repair])",
    )


def _no_tools(answer: Any) -> Finding:
    kind = type(answer).__name__
    return Finding(
        code="not_a_toolbox",
        where="your answer",
        what=f"A toolbox, or a list of tools, is expected. This is of the type {kind}.",
        fix="Hand in Toolbox([get_repair, estimate_cost, book_repair]), or the path of a file.",
    )


def _source_of(tool: Tool) -> str:
    try:
        return inspect.getsource(inspect.unwrap(tool.run))
    except (OSError, TypeError):
        return ""
