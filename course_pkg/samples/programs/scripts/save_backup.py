"""Pack a folder into `backups/NAME.zip` in the present folder: `save_backup.py -- FOLDER`.

Links are left out, and so is everything that is no regular file. The archive is written beside its
place and then moved there, so that a failure leaves the older one as it was.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

BACKUPS = Path("backups")
MAX_FILES = 1_000
MAX_BYTES = 50_000_000

#: Archives know no time before 1980, and the same files should give the same archive.
TIME = (1980, 1, 1, 0, 0, 0)


def main() -> None:
    """Pack one folder and print one line."""
    parser = argparse.ArgumentParser(description="Pack a folder into a zip archive.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    if BACKUPS.is_symlink():
        sys.exit("backups is a link. Nothing was written.")
    files = sorted(files_in(folder))
    if len(files) > MAX_FILES or sum(file.stat().st_size for file in files) > MAX_BYTES:
        sys.exit(f"{folder.as_posix()} holds more than {MAX_FILES} files or {MAX_BYTES:,} bytes.")
    target = BACKUPS / f"{'-'.join(folder.parts) or 'everything'}.zip"
    pack(files, folder, target)
    count = f"{len(files)} file{'' if len(files) == 1 else 's'}"
    sys.stdout.write(f"Packed {count} into {target.as_posix()}.\n")


def files_in(folder: Path) -> Iterator[Path]:
    """The regular files of a folder, those of its subfolders too; no links, no backups."""
    for entry in folder.iterdir():
        if entry.is_symlink() or entry == BACKUPS:
            continue
        if entry.is_dir():
            yield from files_in(entry)
        elif entry.is_file():
            yield entry


def pack(files: list[Path], folder: Path, target: Path) -> None:
    """Write an archive, all of it or none.

    Args:
        files: what goes in.
        folder: names in the archive begin below it.
        target: the archive's place.
    """
    BACKUPS.mkdir(exist_ok=True)
    unfinished = target.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with zipfile.ZipFile(unfinished, "x", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    unfinished.replace(target)


if __name__ == "__main__":
    main()
