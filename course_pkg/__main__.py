"""The course's commands: `python -m course_pkg <command>`.

In: words on the command line. Out: text on the terminal, and an exit code: 0 when all is well, 1
when something is to be mended, 2 when the words were wrong.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LOWEST_PORT, HIGHEST_PORT = 0, 65_535


def main(words: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        words: the command and its options; the command line's own if left out.

    Returns:
        The exit code.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A Windows terminal or a pipe may have another encoding, and pages hold Chinese.
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    options = _parser().parse_args(words)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except KeyboardInterrupt:
        return 0
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        print(error.args[0] if isinstance(error, KeyError) else error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m course_pkg", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    doctor = commands.add_parser("doctor", help="look at this machine")
    doctor.add_argument("--port", type=_port, default=0, help="also look at this port")
    doctor.set_defaults(command=_doctor)

    progress = commands.add_parser("progress", help="show which exercises are solved")
    progress.set_defaults(command=_progress)

    solutions = commands.add_parser("solutions", help="show the solutions of exercises")
    solutions.add_argument("numbers", nargs="*", help="such as 05 or 05.1; all if left out")
    solutions.set_defaults(command=_solutions)

    serve = commands.add_parser("serve-practice", help="run the practice model for other programs")
    serve.add_argument("--port", type=_port, default=0, help="0 takes any free port")
    serve.set_defaults(command=_serve_practice)

    offer = commands.add_parser("mcp-server", help="offer the sample tools over MCP")
    offer.add_argument("--http", action="store_true", help="serve over HTTP instead of stdio")
    offer.add_argument("--port", type=_port, default=0, help="with --http; 0 takes any free port")
    offer.add_argument("--low-level", action="store_true", help="use the SDK's low-level Server")
    offer.set_defaults(command=_mcp_server)

    _add_commands_for_files(commands)
    return parser


def _add_commands_for_files(commands: Any) -> None:
    lint = commands.add_parser("lint", help="look tool definitions over")
    lint.add_argument(
        "source", help="a JSON file, or module:toolbox such as course_pkg.samples:toolbox"
    )
    lint.set_defaults(command=_lint)

    scan = commands.add_parser("scan", help="look for keys that were left in files")
    scan.add_argument("paths", nargs="*", default=["."], help="files and folders; here if left out")
    scan.set_defaults(command=_scan)

    review = commands.add_parser("review", help="review files of the capstone")
    review.add_argument("files", nargs="+", help="such as repair_cafe.py")
    review.set_defaults(command=_review)

    refresh = commands.add_parser("refresh", help="run notebooks and write their outputs")
    refresh.add_argument("names", nargs="*", help="such as 05; all if left out")
    refresh.add_argument("--check", action="store_true", help="compare only, write nothing")
    refresh.set_defaults(command=_refresh)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no port: write a whole number from {LOWEST_PORT} to {HIGHEST_PORT}"
        )
    return int(text)


def _doctor(options: argparse.Namespace) -> int:
    from course_pkg.lessons import doctor

    examination = doctor(port=options.port)
    print(examination.table())
    return 0 if examination.good else 1


def _progress(options: argparse.Namespace) -> int:
    from course_pkg.lessons import all_exercises, progress

    kept = progress()
    for number, item in all_exercises().items():
        entry = kept.get(number, {})
        state = "passed" if entry.get("passed") else "tried " if entry.get("tries") else "      "
        print(f"{number}  {state}  {item.goal}")
    passed = sum(bool(entry.get("passed")) for entry in kept.values())
    print(f"\n{passed} of {len(all_exercises())} passed.")
    return 0


def _solutions(options: argparse.Namespace) -> int:
    from course_pkg.lessons import all_exercises

    wanted = tuple(options.numbers)
    chosen = [
        item for item in all_exercises().values() if not wanted or _names(wanted, item.number)
    ]
    if not chosen:
        raise KeyError(f"No exercise begins with {' or '.join(wanted)}.")
    for item in chosen:
        print(f"{item!r}\n\n{item.source}\n")
    return 0


def _names(wanted: tuple[str, ...], number: str) -> bool:
    return number.startswith(wanted)


def _serve_practice(options: argparse.Namespace) -> int:
    from course_pkg.practice import PracticeServer

    with PracticeServer(port=options.port) as server:
        print(
            f"The practice model answers at {server.base_url} until you press Ctrl+C.", flush=True
        )
        while True:
            time.sleep(3600)


def _mcp_server(options: argparse.Namespace) -> int:
    if options.port and not options.http:
        print("--port goes with --http: stdio has no port.", file=sys.stderr)
        return 2
    from course_pkg.mcp_server import HttpService, high_level, low_level, run_stdio

    make = low_level if options.low_level else high_level
    server = make(**_sample_offer())
    # Everything for people goes to stderr: on stdio, stdout carries the protocol.
    if not options.http:
        print("The MCP server answers on stdin and stdout until stdin ends.", file=sys.stderr)
        run_stdio(server)
        return 0
    with HttpService(server, port=options.port) as service:
        print(f"The MCP server answers at {service.url} until you press Ctrl+C.", file=sys.stderr)
        while True:
            time.sleep(3600)


def _sample_offer() -> dict[str, Any]:
    """What the course's own server offers: `mcp_server` and `samples` do not know each other."""
    from course_pkg.mcp_server import Documents
    from course_pkg.samples import handbook, toolbox
    from course_pkg.tools import Toolbox

    return {
        "tools": Toolbox([*toolbox().values(), handbook.count_word]),
        "name": "course",
        "instructions": "Sample tools of a course on tool calling: weather, pages, arithmetic.",
        "documents": Documents(
            uri="course://documents/{name}",
            names=handbook.page_names(),
            read=handbook.page_text,
            description="A page of the course on tool calling.",
        ),
        "prompts": [handbook.summarize_page],
    }


def _lint(options: argparse.Namespace) -> int:
    from course_pkg.tools.sources import SourceError, lint_source

    try:
        report = lint_source(options.source)
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    for finding in report.findings:
        print(f"{finding.severity:8} {finding.tool}  {finding.path}  {finding.code}")
        print(f"         {finding.text}\n         {finding.fix}")
    counts = [
        f"{sum(finding.severity == severity for finding in report.findings)} {severity}"
        for severity in ("error", "warning", "advice")
    ]
    print(f"Tools: {len(report.names)}. Findings: {', '.join(counts)}.")
    return 1 if report.has_errors else 0


def _scan(options: argparse.Namespace) -> int:
    from course_pkg.lessons.key_scan import scan

    leaks = scan(options.paths)
    for leak in leaks:
        print(leak)
    if leaks:
        print(
            f"\nWhat looks like a key: {len(leaks)}. Take each out, and make a new key where the "
            "file was shared: a key that was seen once is known."
        )
        return 1
    print("Nothing here looks like a key. That is no proof: the scanner finds what it knows.")
    return 0


def _review(options: argparse.Namespace) -> int:
    from course_pkg.lessons.capstone import review

    passed = 0
    for name in options.files:
        report = review(Path(name))
        passed += report.passed
        print(f"{report}\n", flush=True)
    print(f"Files that passed: {passed} of {len(options.files)}.")
    return 0 if passed == len(options.files) else 1


def _refresh(options: argparse.Namespace) -> int:
    from nbclient.exceptions import CellExecutionError

    from course_pkg.lessons.notebooks import find, refresh

    changed = 0
    for path in find(options.names):
        try:
            fresh = refresh(path)
        except CellExecutionError as error:
            print(f"{path.name}: a cell failed, and nothing was written.\n{error}", file=sys.stderr)
            return 1
        same = fresh == path.read_text(encoding="utf-8")
        changed += not same
        print(f"{path.name}: {'as before' if same else 'changed'}")
        if not same and not options.check:
            path.write_text(fresh, encoding="utf-8", newline="\n")
    return 1 if changed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
