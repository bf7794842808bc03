"""Find tools and definitions where a person keeps them, and look them over.

In: the name of a JSON file, or `module:name` of a toolbox. Out: findings. The module is imported,
so its code runs: name only what you trust.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_pkg.schema import Finding, lint
from course_pkg.schema.linting.definitions import read_definitions
from course_pkg.tools.comparing import compare
from course_pkg.tools.tool import Tool
from course_pkg.tools.toolbox import Toolbox, as_toolbox
from course_pkg.tools.values import ToolDefinitionError

#: Larger files are no list of tools.
MAX_FILE_BYTES = 20_000_000


class SourceError(ValueError):
    """Nothing can be looked over there. The text says why and what to write instead."""


@dataclass(frozen=True, kw_only=True)
class LintReport:
    """What came of looking tools over.

    Attributes:
        names: the tools, in order.
        findings: what should be mended, tool by tool.
    """

    names: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        """Whether one of the findings is an error."""
        return any(finding.severity == "error" for finding in self.findings)


def lint_source(source: str) -> LintReport:
    """Look over the tools that a name leads to.

    Args:
        source: a JSON file (a `tools` array, a definition, a result of `tools/list`), or
            `module:name` where the name is a toolbox, a list of tools or definitions, a tool, or a
            function without parameters that gives one of them.

    Raises:
        SourceError: if there is nothing, or no definition in it.
    """
    found = _from_file(Path(source)) if _is_a_file(source) else _from_module(source)
    try:
        definitions = read_definitions(found)
        findings = lint(found)
    except ValueError as error:
        raise SourceError(f"{source}: {error}") from None
    if isinstance(found, Toolbox):
        findings += tuple(part for item in found.values() for part in _of_function(item))
    return LintReport(names=tuple(item.name for item in definitions), findings=findings)


def _is_a_file(source: str) -> bool:
    return source.endswith(".json") or Path(source).is_file() or ":" not in source


def _from_file(path: Path) -> Any:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SourceError(f"{path} is too large: more than {MAX_FILE_BYTES} bytes.")
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {error.strerror}. Name a JSON file, or module:name of a "
            "toolbox, such as course_pkg.samples:toolbox."
        ) from None
    except RecursionError:
        raise SourceError(f"{path} is nested too deeply.") from None
    except ValueError as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{path} is no JSON file: {error}.") from None


def _from_module(source: str) -> Any:
    module_name, _, name = source.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = importlib.import_module(module_name)
        for part in name.split("."):
            found = getattr(found, part)
        found = found() if _gives_tools(found) else found
    except Exception as error:  # the module is somebody's own, and may fail in any way
        raise SourceError(
            f"{source} cannot be used: {type(error).__name__}: {error}. Write module:name, such as "
            "course_pkg.samples:toolbox."
        ) from None
    return _as_definitions(found, source)


def _gives_tools(found: Any) -> bool:
    if isinstance(found, Tool) or not (inspect.isfunction(found) or inspect.ismethod(found)):
        return False
    empty = inspect.Parameter.empty
    return all(
        parameter.default is not empty or parameter.kind is inspect.Parameter.VAR_POSITIONAL
        for parameter in inspect.signature(found).parameters.values()
    )


def _as_definitions(found: Any, source: str) -> Any:
    if isinstance(found, Toolbox) or _are_definitions(found):
        return found
    try:
        return as_toolbox([found] if isinstance(found, Tool) or callable(found) else found)
    except (ToolDefinitionError, TypeError, AttributeError) as error:
        raise SourceError(f"{source} is no toolbox: {error}") from None


def _are_definitions(found: Any) -> bool:
    first = found[0] if isinstance(found, list | tuple) and found else found
    return isinstance(first, Mapping)


def _of_function(item: Tool) -> tuple[Finding, ...]:
    try:
        return compare(item, item.definition())
    except ToolDefinitionError:  # made by hand, around a function that takes anything
        return ()
