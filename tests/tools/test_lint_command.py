"""What `python -m course_pkg lint` promises: findings, an exit code, and a kind sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course_pkg.__main__ import main
from course_pkg.tools.sources import SourceError, lint_source

STRICT = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather. Returns a sentence.",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "The city, like Paris."}},
            "required": ["city"],
        },
    },
}


@pytest.fixture
def saved(tmp_path: Path) -> Any:
    def save(value: Any, name: str = "tools.json") -> str:
        path = tmp_path / name
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return save


def test_a_toolbox_without_errors_ends_with_nought(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["lint", "course_pkg.samples:toolbox"])

    assert code == 0
    assert "Findings: 0 error, 0 warning" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrap",
    [
        lambda item: [item],
        lambda item: item,
        lambda item: {"model": "m", "tools": [item]},
    ],
)
def test_an_error_ends_with_one_and_is_told_with_place_and_fix(
    wrap: Any, saved: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["lint", saved(wrap(STRICT))])

    out = capsys.readouterr().out
    assert code == 1
    assert "error    get_weather  /  additionalProperties_not_false\n" in out
    assert 'Add "additionalProperties": false' in out


def test_a_result_of_tools_list_is_looked_over(saved: Any) -> None:
    item = {"name": "a.b", "inputSchema": {"type": "object"}}

    report = lint_source(saved({"jsonrpc": "2.0", "id": 1, "result": {"tools": [item]}}))

    assert report.names == ("a.b",)
    assert "name_needs_mapping" in [finding.code for finding in report.findings]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("no/such/file.json", "cannot be read"),
        ("42", "cannot be read"),
        ("no_such_module:toolbox", "ModuleNotFoundError"),
        ("course_pkg.samples:nothing", "no attribute 'nothing'"),
        ("os.path:sep", "no toolbox"),
        ("json:__all__", "no toolbox"),
        (":", "cannot be used"),
    ],
)
def test_what_cannot_be_looked_over_ends_with_two_and_a_kind_sentence(
    source: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["lint", source])

    assert code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON file"),
        ("[]", "no tool definition"),
        ("[1]", "is an object"),
        ("{}", "without a name"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_holds_no_definition_is_told(text: str, words: str, saved: Any) -> None:
    with pytest.raises(SourceError, match=words):
        lint_source(saved(text))


def test_a_byte_order_mark_does_no_harm(saved: Any) -> None:
    assert lint_source(saved("\ufeff" + json.dumps(STRICT))).has_errors


OWN_MODULE = """
from course_pkg import Tool, Toolbox
def get_it(a: int) -> int: return a
SCHEMA = {'type': 'object', 'properties': {'b': {'type': 'integer'}}}
made = Toolbox([Tool(name='get_it', description='Get it.', input_schema=SCHEMA, run=get_it)])
listed = [{'name': 'get_it', 'parameters': SCHEMA}]
functions = [get_it]
"""
LOOK = """
import json
from course_pkg.tools.sources import lint_source
names = ('made', 'listed', 'functions', 'get_it')
print(json.dumps({name: [item.code for item in lint_source(f'own:{name}').findings]
                  for name in names}))
"""


def test_a_module_in_the_present_folder_gives_tools_definitions_and_functions(
    tmp_path: Path,
) -> None:
    (tmp_path / "own.py").write_text(OWN_MODULE, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", LOOK], capture_output=True, text=True, check=True, cwd=tmp_path
    )

    found = json.loads(done.stdout)
    assert {"parameter_missing", "parameter_unknown"} <= set(found["made"])
    assert "description_missing" in found["listed"]
    assert found["functions"] == found["get_it"]
