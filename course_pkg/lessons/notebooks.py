"""Run the notebooks, and write their outputs and metadata in the one form that is committed.

In: notebook files. Out: the same files with the outputs of a clean run: static views, the practice
model, nothing that changes between runs or machines. The notebooks are the only source; this never
touches what people write in them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: How long one cell may run, in seconds.
CELL_TIMEOUT_S = 120

#: The settings of a clean run. An empty text takes a variable away.
CLEAN_SETTINGS: Mapping[str, str] = {
    "COURSE_WIDGETS": "static",
    "COURSE_MODEL": "practice",
    "COURSE_MODEL_NAME": "",
    "COURSE_LIVE": "",
    "OPENAI_API_KEY": "",
    "OPENAI_BASE_URL": "",
}

METADATA: Mapping[str, Any] = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def find(names: Sequence[str] = (), *, root: Path | None = None) -> list[Path]:
    """The course's notebooks, in order.

    Args:
        names: beginnings of file names, such as `05`; all notebooks if there are none.
        root: the folder that holds `notebooks`; the present one if left out.

    Raises:
        FileNotFoundError: if there is no such notebook.
    """
    folder = (root or Path.cwd()) / "notebooks"
    every = sorted(folder.glob("*.ipynb"))
    found = [path for path in every if not names or path.name.startswith(tuple(names))]
    if not found:
        wanted = " or ".join(names) or "any"
        raise FileNotFoundError(
            f"There is no notebook {wanted} in {folder}. Run this in the course's own folder."
        )
    return found


def refresh(path: Path) -> str:
    """The text of a notebook file after a clean run, ready to be written.

    Args:
        path: the notebook. It is not changed.

    Raises:
        nbclient.exceptions.CellExecutionError: if a cell fails that is not marked as one that may.
    """
    from nbclient import NotebookClient
    from nbformat.v4 import reads_json, writes_json

    notebook: NotebookNode = reads_json(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder, clean_settings(Path(folder)):
        NotebookClient(
            notebook,
            timeout=CELL_TIMEOUT_S,
            kernel_name="python3",
            store_widget_state=False,
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()
    return str(writes_json(normalised(notebook))).rstrip("\n") + "\n"


def normalised(notebook: NotebookNode) -> NotebookNode:
    """The notebook without anything that a run or an editor leaves in it. It is changed in place.

    Args:
        notebook: a notebook in format 4.
    """
    notebook.metadata = dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = {"tags": tags} if tags else {}
        if cell.cell_type == "code":
            cell.outputs = _with_whole_streams(cell.outputs)
    return notebook


def _with_whole_streams(outputs: Sequence[Any]) -> list[Any]:
    """Printed text in one piece: where it was split depends on the moment."""
    whole: list[Any] = []
    for output in outputs:
        last = whole[-1] if whole else {}
        if output.get("name") and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            whole.append(output)
    return whole


@contextmanager
def clean_settings(folder: Path) -> Iterator[None]:
    """Set the environment as for a clean run, for kernels that start inside.

    Args:
        folder: where progress and messages are to be kept.
    """
    wanted = {**CLEAN_SETTINGS, "COURSE_FOLDER": str(folder)}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
