"""Find lines that hold a word: `find_lines.py [--most=N] [--output=FILE] -- WORD FILE`.

The program of exercise 12.1. `--output` writes what was found into a file, over what was there.
Each start leaves a line in `starts.txt`: so the exercise can tell whether anything was executed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

STARTS = Path("starts.txt")


def main() -> None:
    """Read one file, and print or write the lines that hold the word."""
    with STARTS.open("a", encoding="utf-8") as starts:
        starts.write("started\n")
    parser = argparse.ArgumentParser(description="Find the lines of a file that hold a word.")
    parser.add_argument("--most", type=int, default=50)
    parser.add_argument("--output", type=Path)
    parser.add_argument("word")
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    lines = enumerate(given.file.read_text(encoding="utf-8").splitlines(), start=1)
    found = [f"{number}: {line}\n" for number, line in lines if given.word in line]
    text = "".join(found[: given.most])
    if given.output is None:
        sys.stdout.write(text)
    else:
        given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
