"""The shape of the notebooks: what DESIGN says about every page, held by tests."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path
from typing import Any

import pytest

from course_pkg.lessons import all_exercises
from course_pkg.lessons.notebooks import METADATA

ROOT = Path(__file__).parent.parent
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NOTEBOOKS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in PATHS}
EACH = pytest.mark.parametrize("name", NOTEBOOKS)

MAX_NOTEBOOK_BYTES = 600_000


def cells(name: str, kind: str = "") -> list[dict[str, Any]]:
    return [cell for cell in NOTEBOOKS[name]["cells"] if kind in ("", cell["cell_type"])]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def prose(name: str) -> str:
    text = "\n".join(source(cell) for cell in cells(name, "markdown"))
    return re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)


def code_lines(cell: dict[str, Any]) -> int:
    return len([line for line in source(cell).splitlines() if line.strip()])


def runs_of_code(name: str) -> list[int]:
    kinds = "".join("c" if cell["cell_type"] == "code" else " " for cell in cells(name))
    return [len(run) for run in kinds.split()]


@EACH
def test_a_page_has_25_to_45_cells(name: str) -> None:
    assert 25 <= len(cells(name)) <= 45


@EACH
def test_a_page_has_at_least_as_much_prose_as_code(name: str) -> None:
    words_of_code = sum(len(source(cell).split()) for cell in cells(name, "code"))

    assert len(prose(name).split()) >= words_of_code


@EACH
def test_code_cells_are_short(name: str) -> None:
    lines = [code_lines(cell) for cell in cells(name, "code")]

    assert max(lines) <= 15
    assert 1 <= statistics.median(lines) <= 6


@EACH
def test_at_most_two_code_cells_follow_one_another(name: str) -> None:
    assert max(runs_of_code(name)) <= 2


@EACH
def test_80_to_130_words_stand_before_the_first_code(name: str) -> None:
    kinds = [cell["cell_type"] for cell in cells(name)]
    before = cells(name)[: kinds.index("code")]

    assert 80 <= sum(len(source(cell).split()) for cell in before) <= 130


@EACH
def test_the_first_cell_tells_the_aim_the_minutes_and_what_is_needed(name: str) -> None:
    first = source(cells(name)[0])

    assert re.search(r"At the end of this page you", first)
    assert re.search(r"\*\d+ minutes\. You need", first)


@EACH
def test_the_last_cell_sums_up(name: str) -> None:
    assert "## What you learnt" in source(cells(name)[-1])


@EACH
def test_links_lead_to_files_that_exist(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", "\n".join(source(cell) for cell in cells(name, "markdown")))

    assert [link for link in links if not (ROOT / "notebooks" / link).exists()] == []


@EACH
def test_prose_has_no_exclamation_marks_and_no_long_sentences(name: str) -> None:
    text = re.sub(r"^\|.*$", "", prose(name), flags=re.MULTILINE)
    sentences = re.split(r"[.:;?]\**\s|\n", text)

    assert "!" not in text
    assert [sentence for sentence in sentences if len(sentence.split()) > 32] == []


@EACH
def test_no_cell_uses_what_a_notebook_must_not(name: str) -> None:
    code = "\n".join(source(cell) for cell in cells(name, "code"))

    assert not re.search(r"asyncio\.run\(|nest_asyncio|\beval\(|Markdown\(|HTML\(", code)


@EACH
def test_a_page_keeps_no_widget_state_and_no_traces_of_a_machine(name: str) -> None:
    text = (ROOT / "notebooks" / name).read_text(encoding="utf-8")

    assert NOTEBOOKS[name]["metadata"] == METADATA
    assert not re.search(
        r"127\.0\.0\.1:\d|0x[0-9a-f]{8}|ipykernel_|/home/|/root/|widget-view", text
    )


@EACH
def test_outputs_are_those_of_a_clean_run(name: str) -> None:
    outputs = [output for cell in cells(name, "code") for output in cell["outputs"]]

    assert [output for output in outputs if output["output_type"] == "error"] == []
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    assert [cell["execution_count"] for cell in cells(name, "code")] == list(
        range(1, len(cells(name, "code")) + 1)
    )


@EACH
def test_a_page_with_its_outputs_is_small(name: str) -> None:
    assert (ROOT / "notebooks" / name).stat().st_size < MAX_NOTEBOOK_BYTES


@EACH
def test_cell_ids_are_unique(name: str) -> None:
    ids = [cell["id"] for cell in cells(name)]

    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("item", all_exercises().values(), ids=lambda item: item.number)
def test_each_exercise_stands_in_its_page_with_its_starter_and_its_check(item: Any) -> None:
    name = next(name for name in NOTEBOOKS if name.startswith(item.number[:2]))
    code = "\n".join(source(cell) for cell in cells(name, "code"))

    assert item.starter in code
    assert f'exercise("{item.number}").check(answer)' in code


@EACH
def test_code_lines_fit_a_laptop_screen(name: str) -> None:
    lines = [line for cell in cells(name, "code") for line in source(cell).splitlines()]

    assert [line for line in lines if len(line) > 88] == []
