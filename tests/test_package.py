"""What the package promises as a whole: light to import, documented, layered, without traces."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import course_pkg

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "course_pkg").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: What waits until somebody uses it.
DEAR = [
    "anywidget",
    "docstring_parser",
    "httpx2",
    "ipywidgets",
    "IPython",
    "jsonschema",
    "mcp",
    "openai",
    "pydantic",
    "simpleeval",
    "starlette",
    "uvicorn",
]


def in_a_fresh_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return f"{done.stdout}{done.stderr}".strip()


# --- imports --------------------------------------------------------------------------------------


def test_importing_the_package_loads_no_dear_library() -> None:
    code = f"import sys, course_pkg; print(sorted(set({DEAR!r}) & set(sys.modules)))"

    assert in_a_fresh_process(code) == "[]"


@pytest.mark.parametrize(
    ("use", "unused"),
    [
        ("from course_pkg import Recorder, ToolCall", ["openai", "pydantic", "jsonschema"]),
        ("from course_pkg import tool; tool(lambda a: a)", ["openai", "jsonschema", "httpx2"]),
        ("from course_pkg import ModelClient, run", ["openai", "jsonschema", "uvicorn"]),
        ("from course_pkg.practice import PracticeServer", ["starlette", "uvicorn", "openai"]),
        ("from course_pkg import toolbox; toolbox()", ["openai", "jsonschema", "uvicorn"]),
    ],
)
def test_each_library_waits_until_it_is_used(use: str, unused: list[str]) -> None:
    code = f"import sys; {use}; print(sorted(set({unused!r}) & set(sys.modules)))"

    assert in_a_fresh_process(code) == "[]"


def test_the_package_runs_nothing_when_it_is_imported() -> None:
    code = "import threading, course_pkg; print(threading.active_count())"

    assert in_a_fresh_process(code) == "1"


def test_modules_import_only_from_below() -> None:
    code = "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])"

    assert "0 broken" in in_a_fresh_process(code)


# --- names ----------------------------------------------------------------------------------------


def test_the_public_names_are_sorted_as_ruff_sorts_them() -> None:
    def order(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    assert course_pkg.__all__ == sorted(course_pkg.__all__, key=order)


@pytest.mark.parametrize("name", course_pkg.__all__)
def test_each_public_name_leads_to_something_documented(name: str) -> None:
    value = getattr(course_pkg, name)

    assert value.__doc__
    assert name in dir(course_pkg)


def test_the_names_for_type_checkers_are_the_names_at_run_time() -> None:
    tree = ast.parse(Path(course_pkg.__file__).read_text(encoding="utf-8"))
    (guarded,) = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]

    named = [alias.name for node in ast.walk(guarded) for alias in getattr(node, "names", [])]

    assert sorted(named) == sorted(course_pkg.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'course_pkg' has no attribute 'toolbelt'"):
        course_pkg.toolbelt  # noqa: B018


# --- words ----------------------------------------------------------------------------------------


def undocumented(source: Path) -> list[str]:
    """The public classes, functions and methods of a file that have no docstring."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    found = [] if ast.get_docstring(tree) else [f"{source.name}: the module"]
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, parent = waiting.pop()
        for node in ast.iter_child_nodes(parent):
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("_") or _is_overload(node):
                continue
            if not ast.get_docstring(node):
                found.append(f"{source.name}: {prefix}{node.name}")
            if isinstance(node, ast.ClassDef):
                waiting.append((f"{prefix}{node.name}.", node))
    return found


def _is_overload(node: Any) -> bool:
    return any(getattr(decorator, "id", "") == "overload" for decorator in node.decorator_list)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_whatever_is_public_has_a_docstring(source: Path) -> None:
    assert undocumented(source) == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"utils", "helpers", "core", "common", "base", "manager", "misc"}

    assert [path for path in SOURCES if path.stem in empty] == []


# --- what it is made of ---------------------------------------------------------------------------


def parted(requirement: str) -> tuple[str, frozenset[str]]:
    """A requirement as its name and its bounds: `ruff >=1,<2` is `("ruff", {">=1", "<2"})`."""
    name, bounds = re.fullmatch(r"\s*([\w.-]+)\s*(.*?)\s*", requirement).groups()  # type: ignore[union-attr]
    return name.lower(), frozenset(bound.strip() for bound in bounds.split(",") if bound.strip())


ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


def of_the_environment() -> list[str]:
    conda = [item for item in ENVIRONMENT["dependencies"] if isinstance(item, str)]
    pip = next(item["pip"] for item in ENVIRONMENT["dependencies"] if isinstance(item, dict))
    return [*conda, *pip]


def test_environment_and_project_ask_for_the_same() -> None:
    installed = {"pip", "-e ."}
    asked = {parted(item) for item in of_the_environment() if item not in installed}

    needed = {
        parted(item)
        for item in [
            *PROJECT["dependencies"],
            *PROJECT["optional-dependencies"]["test"],
            f"python {PROJECT['requires-python']}",
        ]
    }

    assert asked == needed


def test_the_environment_installs_the_project_itself_under_its_name() -> None:
    assert ENVIRONMENT["name"] == PROJECT["name"]
    assert "-e ." in of_the_environment()


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_each_dependency_is_used_somewhere(requirement: str) -> None:
    name = parted(requirement)[0].replace("-", "_")
    # JupyterLab and its kernel are started, not imported; anywidget's widgets are ipywidgets.
    run_by_hand = {"jupyterlab", "ipykernel", "ipywidgets"}

    used = any(
        re.search(rf"^\s*(?:import|from) {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        for path in SOURCES
    )

    assert used or name in run_by_hand


def test_constraints_name_no_address_and_pin_every_dependency() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [line.lower().replace("_", "-") for line in text.splitlines() if "==" in line]
    pinned = {line.split("==")[0].strip() for line in lines}
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]

    assert "://" not in text
    assert {parted(item)[0] for item in needed} <= pinned


# --- traces ---------------------------------------------------------------------------------------

#: Written in two parts, so that this file is not found itself.
TRACES = {
    "a folder of one machine": (
        r"(?<![\w.~])/" + r"(?:home|root|Users|work|opt)/\w|[A-Z]:\\" + r"Users"
    ),
    "a package registry": (
        r"pypi\." + r"org|python" + r"hosted\.org|npmjs\." + r"(?:org|com)|index-" + r"url"
    ),
    "a key": (
        r"\bsk-" + r"[A-Za-z0-9]{20,}|\bgh[pousr]_" + r"\w{20,}|\bAKIA" + r"[0-9A-Z]{12,}"
        r"|-----BEGIN " + r"[A-Z ]*PRIVATE KEY"
    ),
}


def tracked() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout, or git is not installed")
    listed = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.decode("utf-8").split("\0") if name]


@pytest.mark.parametrize("what", TRACES)
def test_no_file_holds_a_trace(what: str) -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}: {match.group()}"
        for path in tracked()
        if path.is_file()
        and (match := re.search(TRACES[what], path.read_bytes().decode("utf-8", "replace")))
    ]

    assert found == []
