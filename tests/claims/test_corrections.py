"""The table of widely copied mistakes: each row leads to a page and a heading that are there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TABLE = (ROOT / "docs" / "corrections.md").read_text(encoding="utf-8")
ROWS = [line for line in TABLE.splitlines() if line.startswith("| ") and "](../" in line]
LINK = re.compile(r"\]\(\.\./notebooks/([^)#]+)#?([^)]*)\)")


def headings(name: str) -> set[str]:
    cells = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))["cells"]
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return {line.lstrip("# ").replace(" ", "-") for line in prose.splitlines() if line[:1] == "#"}


def test_the_table_names_at_least_twenty_mistakes() -> None:
    assert len(ROWS) >= 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:50])
def test_each_row_has_the_right_form_and_leads_to_a_heading(row: str) -> None:
    _, mistake, right, shown, _ = row.split(" | ") if row.count(" | ") == 4 else row.split("|")
    link = LINK.search(shown)

    assert mistake.strip()
    assert right.strip()
    assert link is not None
    assert link[2] in headings(link[1])
