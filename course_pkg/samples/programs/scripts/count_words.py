"""Count lines, words and characters: `count_words.py -- FILE`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

#: A larger file is no text for a lesson.
MAX_FILE_BYTES = 10_000_000


def main() -> None:
    """Read one file and print one line."""
    parser = argparse.ArgumentParser(description="Count the lines, words and characters of a file.")
    parser.add_argument("file", type=Path)
    file: Path = parser.parse_args().file
    if file.stat().st_size > MAX_FILE_BYTES:
        sys.exit(f"{file.as_posix()} is larger than {MAX_FILE_BYTES:,} bytes.")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        sys.exit(f"{file.as_posix()} is not a text file in UTF-8.")
    counts = f"{len(text.splitlines())} lines, {len(text.split())} words, {len(text)} characters"
    sys.stdout.write(f"{file.as_posix()}: {counts}\n")


if __name__ == "__main__":
    main()
