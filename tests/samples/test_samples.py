"""The package `samples` as a whole: what it exports, and how its definitions read."""

from __future__ import annotations

import fnmatch
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from course_pkg import samples
from course_pkg.tools import Tool

ROOT = Path(__file__).parents[2]
DATA = Path(samples.__file__).parent / "data"
TOOLS = list(samples.toolbox().values())


def test_a_toolbox_holds_all_five_tools_in_a_fixed_order() -> None:
    assert tuple(samples.toolbox()) == samples.TOOL_NAMES


def test_a_toolbox_can_be_made_of_named_tools() -> None:
    box = samples.toolbox("calculate", "get_weather")

    assert list(box) == ["calculate", "get_weather"]


def test_an_unknown_name_is_answered_with_the_names_to_choose_from() -> None:
    with pytest.raises(ValueError, match=r"'get_wether'.*get_weather, search_docs"):
        samples.toolbox("get_wether")


def test_importing_the_package_loads_none_of_its_tools() -> None:
    program = (
        "import sys, course_pkg.samples\n"
        "print([name for name in sys.modules if name.startswith('course_pkg.samples.')\n"
        "       or name in ('pydantic', 'simpleeval', 'sqlite3', 'docstring_parser')])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)

    assert ran.stdout.strip() == "[]", ran.stderr


def test_making_all_tools_loads_no_library_that_only_running_them_needs() -> None:
    program = (
        "import sys; from course_pkg.samples import toolbox; toolbox()\n"
        "print([name for name in ('simpleeval', 'sqlite3', 'httpx2') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)

    assert ran.stdout.strip() == "[]", ran.stderr


def test_each_public_name_can_be_had_and_is_listed() -> None:
    assert all(hasattr(samples, name) for name in samples.__all__)
    assert dir(samples) == samples.__all__


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'get_wether'"):
        _ = samples.get_wether


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_description_begins_with_the_verb_of_the_name_and_says_what_comes_back(
    tool: Tool,
) -> None:
    verb = tool.name.split("_")[0]

    assert tool.description.split()[0].lower() == verb
    assert any(word in tool.description for word in ("Returns", "return"))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_parameter_is_described_and_the_open_ones_by_an_example(tool: Tool) -> None:
    properties = tool.input_schema["properties"]
    open_ones = [part for part in properties.values() if part["type"] == "string"]

    assert all(len(part["description"]) > 20 for part in properties.values())
    assert all("for example" in part["description"] or "enum" in part for part in open_ones)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_default_is_told_in_words_too(tool: Tool) -> None:
    with_default = [part for part in tool.input_schema["properties"].values() if "default" in part]

    assert all(
        f"Default {part['default']}".lower() in part["description"].lower() for part in with_default
    )


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_only_the_tool_that_sends_has_a_side_effect(tool: Tool) -> None:
    assert tool.side_effect == (tool.name == "send_message")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schema_is_closed_and_requires_what_has_no_default(tool: Tool) -> None:
    schema = tool.input_schema
    bare = [name for name, part in schema["properties"].items() if "default" not in part]

    assert schema["additionalProperties"] is False
    assert schema["required"] == bare


def test_each_data_file_is_shipped_with_the_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    globs = settings["tool"]["setuptools"]["package-data"]["course_pkg"]
    endings = [glob.removeprefix("**/") for glob in globs]
    files = [path for path in DATA.rglob("*") if path.is_file()]

    left_out = [p.name for p in files if not any(fnmatch.fnmatch(p.name, end) for end in endings)]

    assert files
    assert left_out == []
