"""Compute the checksum of a file: `compute_checksum.py [--algorithm=NAME] -- FILE`."""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

ALGORITHMS = ("sha256", "sha512", "blake2b")


def main() -> None:
    """Read one file and print one line."""
    parser = argparse.ArgumentParser(description="Compute the checksum of a file.")
    parser.add_argument("--algorithm", choices=ALGORITHMS, default=ALGORITHMS[0])
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    with given.file.open("rb") as opened:
        digest = hashlib.file_digest(opened, given.algorithm).hexdigest()
    sys.stdout.write(f"{given.algorithm} {digest} {given.file.as_posix()}\n")


if __name__ == "__main__":
    main()
