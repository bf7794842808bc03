"""Stand between a client and a server on stdio, and keep every byte of both directions.

python tee.py FOLDER COMMAND ...     writes FOLDER/sent and FOLDER/received
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO


def pump(source: BinaryIO, target: BinaryIO, kept: Path) -> None:
    with kept.open("wb", buffering=0) as file:
        while data := source.read1(65_536):  # type: ignore[attr-defined]
            file.write(data)
            target.write(data)
            target.flush()
    target.close()


def main() -> None:
    folder, *command = sys.argv[1:]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        sending = threading.Thread(
            target=pump, args=(sys.stdin.buffer, server.stdin, Path(folder, "sent")), daemon=True
        )
        sending.start()
        pump(server.stdout, sys.stdout.buffer, Path(folder, "received"))


if __name__ == "__main__":
    main()
