"""Open the calculator of this computer: `open_calculator.py [--dry-run]`.

Without a screen, or if asked to, it only says what it would have started.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys

#: The system → commands that open its calculator; the first whose program is there is taken.
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "darwin": (("open", "-a", "Calculator"),),
    "win32": (("calc.exe",),),
    "linux": (("gnome-calculator",), ("kcalc",), ("mate-calc",), ("galculator",), ("xcalc",)),
}


def main() -> None:
    """Open it, or say what would be opened."""
    parser = argparse.ArgumentParser(description="Open the calculator of this computer.")
    parser.add_argument("--dry-run", action="store_true")
    dry_run: bool = parser.parse_args().dry_run
    command, program = found_command()
    shown = " ".join(command)
    if dry_run or not has_screen():
        why = "a dry run was asked for" if dry_run else "there is no screen"
        sys.stdout.write(f"Nothing was started: {why}. It would have been: {shown}\n")
        return
    if program is None:
        sys.exit(f"This computer has none of the calculators that are known here: {shown}, say.")
    start([program, *command[1:]])
    sys.stdout.write(f"Started: {shown}\n")


def found_command() -> tuple[tuple[str, ...], str | None]:
    """The command for this system and the whole path of its program, if that is there."""
    commands = COMMANDS.get(sys.platform, COMMANDS["linux"])
    there = ((command, shutil.which(command[0])) for command in commands)
    return next(((command, path) for command, path in there if path), (commands[0], None))


def has_screen() -> bool:
    """Whether somebody could see a window."""
    if sys.platform in ("win32", "darwin"):
        return "SSH_CONNECTION" not in os.environ
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def start(argv: list[str]) -> None:
    """Start a program that goes on by itself, without a share in our streams.

    Args:
        argv: the program by its whole path, and its arguments.
    """
    subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name == "posix",
    )


if __name__ == "__main__":
    main()
