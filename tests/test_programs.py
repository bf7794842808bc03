"""Programs of an allow-list: what they are given, what comes back, and how they end.

What must not work is in `security/test_escapes.py`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_pkg import Recorder, Toolbox, run
from course_pkg.executor import execute
from course_pkg.programs import (
    MAX_RUNNING,
    AllowList,
    Option,
    PathIn,
    Program,
    ProgramDefinitionError,
    ProgramError,
    ProgramOutcome,
    RefusedError,
    Switch,
    Word,
    argv_of,
    path_schema,
    run_program,
    run_program_tool,
    tools_of,
)
from course_pkg.programs.environment import small_environment
from course_pkg.samples.programs import sample_programs
from course_pkg.schema import lint
from course_pkg.tools import ToolCall

KEY_NAME = "COURSE_TEST_API_KEY"


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


@pytest.fixture
def python(tmp_path: Path) -> Callable[..., Program]:
    """Make a program of a few lines of Python: `python("print(1)", parts=..., ...)`."""

    def make(code: str, **settings: Any) -> Program:
        script = tmp_path / "the script.py"
        script.write_text(code, encoding="utf-8")
        command = (sys.executable, "-I", "-B", "-X", "utf8", str(script))
        named = {"name": "try_it", "description": "Try it.", "command": command}
        return Program(**{**named, **settings})

    return make


@pytest.fixture
def samples(tmp_path: Path) -> AllowList:
    """The programs of the lessons, in a folder with a space in its name."""
    return sample_programs(tmp_path / "work folder")


# --- what comes back ------------------------------------------------------------------------------


async def test_an_outcome_holds_status_and_both_streams(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")

    outcome = await run_program(program, {}, folder=tmp_path)

    assert outcome == ProgramOutcome(
        program="try_it", ending="exited", exit_status=3, output="out\n", error_text="err\n"
    )
    assert not outcome.succeeded


async def test_text_comes_as_utf_8_with_lines_that_end_alike(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python("import os; os.write(1, '会议 ☂\\r\\nend\\n'.encode() + b'\\xff')")

    outcome = await run_program(program, {}, folder=tmp_path)

    assert outcome.output == "会议 ☂\nend\n\N{REPLACEMENT CHARACTER}"


async def test_a_cut_goes_through_no_character(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python("print('会' * 100_000)", max_output_bytes=1_000)

    outcome = await run_program(program, {}, folder=tmp_path)

    assert outcome.is_cut
    assert outcome.output == "会" * 333


async def test_as_much_as_may_be_printed_comes_whole(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python("import os; os.write(1, b'x' * 600_000)", max_output_bytes=600_000)

    outcome = await run_program(program, {}, folder=tmp_path)

    assert (outcome.succeeded, len(outcome.output)) == (True, 600_000)


async def test_what_was_printed_before_the_time_limit_is_kept(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python("import time; print('begun', flush=True); time.sleep(60)", timeout_s=3.0)

    outcome = await run_program(program, {}, folder=tmp_path)

    assert (outcome.ending, outcome.exit_status, outcome.output) == ("too_slow", None, "begun\n")


async def test_a_program_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    program = Program(
        name="open_it", description="Open it.", command=(str(tmp_path / "nothing here"),)
    )

    with pytest.raises(ProgramError, match="open_it could not be started"):
        await run_program(program, {}, folder=tmp_path)


async def test_a_folder_that_is_not_there_is_an_error_before_anything_starts(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    with pytest.raises(RefusedError, match="its working folder is not there"):
        await run_program(python("print(1)"), {}, folder=tmp_path / "nowhere")


# --- what a program is given ----------------------------------------------------------------------


async def test_a_program_works_in_its_folder_and_sees_few_variables(
    python: Callable[..., Program], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_NAME, "secret")
    program = python("import json, os; print(json.dumps([os.getcwd(), *os.environ]))")
    folder = tmp_path / "work folder"
    folder.mkdir()

    place, *names = json.loads((await run_program(program, {}, folder=folder)).output)

    assert Path(place) == folder.resolve()
    allowed = {"PATH", "PYTHONUTF8", "LANG", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP"}
    system = {
        "SYSTEMROOT",
        "WINDIR",
        "SYSTEMDRIVE",
        "COURSE_PROGRAM_RUN",
        "__CF_USER_TEXT_ENCODING",
    }
    assert {name.upper() for name in names} <= allowed | system


def test_a_variable_that_holds_a_key_is_not_handed_on_even_if_named(tmp_path: Path) -> None:
    mine = {KEY_NAME: "secret", "DISPLAY": ":0", "EDITOR": "vi"}

    made = small_environment(mine, folder=tmp_path, also=(KEY_NAME, "DISPLAY", "GITHUB_TOKEN"))

    assert made["DISPLAY"] == ":0"
    assert not {KEY_NAME, "EDITOR", "GITHUB_TOKEN"} & set(made)


def test_arguments_become_items_of_a_list_flags_first(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    (tmp_path / "in.txt").touch()
    program = python(
        "",
        parts=(
            Option("--size", Word("size")),
            Option("--out", PathIn("out", kind="new")),
            Switch("--quiet", "quiet"),
            Switch("--loud", "loud"),
            PathIn("file"),
            Word("words"),
        ),
        input_schema=_object(
            size={"type": "integer"}, out={}, quiet={}, loud={}, file={}, words={"type": "array"}
        ),
    )
    arguments = {
        "words": ["a b", "c"],
        "size": -5,
        "out": "new.txt",
        "quiet": True,
        "loud": False,
        "file": "./in.txt",
    }

    argv = argv_of(program, arguments, folder=tmp_path)

    assert argv[len(program.command) :] == [
        *("--size=-5", "--out=new.txt", "--quiet"),
        *("--", "in.txt", "a b", "c"),
    ]


def test_arguments_that_are_left_out_leave_nothing_behind(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python(
        "",
        parts=(Option("--size", Word("size")), Word("word")),
        input_schema=_object(size={}, word={}),
    )

    assert argv_of(program, {}, folder=tmp_path) == list(program.command)


def test_a_program_that_knows_no_double_dash_gets_none(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python("", parts=(Word("word"),), input_schema=_object(word={}), double_dash=False)

    assert argv_of(program, {"word": "x"}, folder=tmp_path)[-2:] == [program.command[-1], "x"]


def test_arguments_are_checked_against_the_schema_with_the_reason(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    schema = _object(size={"type": "integer", "maximum": 9})
    program = python("", parts=(Word("size"),), input_schema=schema)

    with pytest.raises(
        RefusedError, match=r"try_it was not started\. Its arguments do not fit:\nsiz"
    ):
        argv_of(program, {"size": 10}, folder=tmp_path)


def test_the_schema_of_a_path_takes_ordinary_paths_and_says_its_limits(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    (tmp_path / "会议 记录.txt").touch()
    schema = _object(file=path_schema("A file."))
    program = python("", parts=(PathIn("file"),), input_schema=schema)

    assert argv_of(program, {"file": "会议 记录.txt"}, folder=tmp_path)[-1] == "会议 记录.txt"
    assert "at most 200" in schema["properties"]["file"]["description"]


# --- definitions that are not safe ----------------------------------------------------------------

HERE = sys.executable
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": "rm -rf"}, "its name needs letters"),
    ({"name": ""}, "its name needs letters"),
    ({"command": ()}, "its command must be a tuple of texts"),
    ({"command": ("git", "status")}, r"shutil\.which\('git'\)"),
    ({"command": ("./run",)}, "is not a whole path"),
    ({"command": (f"{HERE}.bat",)}, "would be run by a shell"),
    ({"command": (f"{HERE}.CMD",)}, "would be run by a shell"),
    ({"input_schema": {"type": "string"}}, 'must have "type": "object"'),
    ({"input_schema": {"type": "object", "properties": {}}}, "takes any argument"),
    ({"input_schema": _object(word={})}, r"Add Word\('word'\)"),
    ({"parts": (Word("word"),)}, "has no property 'word'"),
    (
        {
            "parts": (Word("word"), Switch("--x", "flag")),
            "input_schema": _object(word={}, flag={}),
        },
        "must come before",
    ),
]


@pytest.mark.parametrize(("settings", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_a_program_that_could_not_be_run_safely_cannot_be_listed(
    settings: dict[str, Any], reason: str
) -> None:
    right = {"name": "try_it", "description": "Try it.", "command": (HERE,)}

    with pytest.raises(ProgramDefinitionError, match=reason):
        Program(**{**right, **settings})


def test_a_boolean_cannot_be_a_word(python: Callable[..., Program], tmp_path: Path) -> None:
    program = python("", parts=(Word("word"),), input_schema=_object(word={}))

    with pytest.raises(ProgramDefinitionError, match="goes into a Switch"):
        argv_of(program, {"word": True}, folder=tmp_path)


def test_two_programs_of_one_name_cannot_be_listed(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    with pytest.raises(ProgramDefinitionError, match="Two programs are named 'try_it'"):
        AllowList([python(""), python("")], folder=tmp_path)


def test_a_list_shows_its_names_and_not_where_it_works(samples: AllowList) -> None:
    assert repr(samples).startswith("AllowList(count_words, compute_checksum, ")
    assert str(samples.folder) not in repr(samples)


# --- how it ends ----------------------------------------------------------------------------------


async def test_a_run_that_is_cancelled_ends_its_program(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    beat = "import time\nwhile True: open('heart', 'a').write('.'); time.sleep(0.01)"
    running = asyncio.create_task(run_program(python(beat), {}, folder=tmp_path))
    heart = tmp_path / "heart"
    await _appears(heart)

    running.cancel()
    await asyncio.wait([running])

    size = heart.stat().st_size
    await asyncio.sleep(0.3)
    assert running.cancelled()
    assert heart.stat().st_size == size


async def test_what_a_window_opener_starts_may_go_on(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    child = "import time; time.sleep(0.5); open('later', 'w').close()"
    code = (
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}], stdin=subprocess.DEVNULL, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)"
    )

    outcome = await run_program(python(code, keeps_running=True), {}, folder=tmp_path)
    was_there = (tmp_path / "later").exists()

    await _appears(tmp_path / "later")
    assert (outcome.succeeded, was_there) == (True, False)
    assert (tmp_path / "later").exists()


async def _appears(file: Path) -> None:
    for _ in range(1_000):
        await asyncio.sleep(0.01)
        if await asyncio.to_thread(file.exists):
            return


async def test_others_run_on_while_a_program_is_waited_for(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    program = python("import time; time.sleep(0.3)")
    running = asyncio.create_task(run_program(program, {}, folder=tmp_path))
    rounds = 0
    while not running.done():
        await asyncio.sleep(0.01)
        rounds += 1

    assert rounds > 5
    assert not [thread for thread in threading.enumerate() if "program" in thread.name]


async def test_more_than_a_few_at_once_are_refused_and_the_places_come_back(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    programs = AllowList([python("import time; time.sleep(0.5)")], folder=tmp_path)
    runs = [programs.run("try_it", {}) for _ in range(MAX_RUNNING + 1)]

    outcomes = await asyncio.gather(*runs, return_exceptions=True)

    refused = [outcome for outcome in outcomes if isinstance(outcome, RefusedError)]
    assert len(refused) == 1
    assert "running already" in str(refused[0])
    assert (await programs.run("try_it", {})).succeeded


# --- programs as tools ----------------------------------------------------------------------------


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="c1", name=name, arguments=json.dumps(arguments))


async def test_each_program_is_a_tool_of_its_own(samples: AllowList) -> None:
    tools = tools_of(samples)

    result = await execute(_call("count_words", file="files/notes.txt"), tools)

    assert [tool.name for tool in tools] == list(samples)
    assert result.text == "files/notes.txt: 6 lines, 39 words, 213 characters\n"


def test_a_tool_waits_longer_than_its_program_and_knows_its_side_effect(
    samples: AllowList,
) -> None:
    tools = Toolbox(tools_of(samples))

    assert (tools["save_backup"].side_effect, tools["count_words"].side_effect) == (True, False)
    assert all((tool.timeout_s or 0) > samples[tool.name].timeout_s for tool in tools.values())


async def test_one_tool_runs_every_program_of_the_list(samples: AllowList) -> None:
    tool = run_program_tool(samples)

    result = await execute(
        _call("run_program", program="save_backup", arguments={"folder": "files"}), [tool]
    )

    assert result.text == "Packed 8 files into backups/files.zip.\n"
    assert tool.side_effect


def test_an_empty_list_makes_no_tool(tmp_path: Path) -> None:
    with pytest.raises(ProgramDefinitionError, match="The list is empty"):
        run_program_tool(AllowList([], folder=tmp_path))


async def test_the_arguments_of_another_program_are_refused_by_name(samples: AllowList) -> None:
    call = _call("run_program", program="count_words", arguments={"month": "2026-05"})

    result = await execute(call, [run_program_tool(samples)])

    assert result.is_error
    assert result.text.startswith("count_words was not started. Its arguments do not fit:")


async def test_a_program_that_is_not_on_the_list_is_answered_with_the_list(
    samples: AllowList,
) -> None:
    result = await execute(
        _call("run_program", program="rm", arguments={}), [run_program_tool(samples)]
    )

    assert result.error_kind == "invalid_arguments"
    assert '"count_words", "compute_checksum"' in result.text


async def test_the_list_names_what_was_perhaps_meant(samples: AllowList) -> None:
    with pytest.raises(RefusedError, match="Did you mean 'count_words'"):
        await samples.run("count_word", {})


FAILURES: list[tuple[str, dict[str, Any], str]] = [
    ("import sys; sys.exit('no such word')", {}, "exit status 1, which means a failure. What it"),
    ("import sys; sys.exit(2)", {}, "exit status 2, which means a failure. It printed nothing."),
    ("print('x' * 2_000)", {"max_output_bytes": 100}, "printed more than 100 bytes"),
    ("import time; time.sleep(9)", {"timeout_s": 0.2}, "was not done after 0.2 seconds"),
]


@pytest.mark.parametrize(("code", "settings", "text"), FAILURES, ids=[row[2] for row in FAILURES])
async def test_a_failed_program_is_an_error_result_with_what_to_do(
    python: Callable[..., Program], tmp_path: Path, code: str, settings: dict[str, Any], text: str
) -> None:
    programs = AllowList([python(code, **settings)], folder=tmp_path)

    result = await execute(_call("try_it"), tools_of(programs))

    assert result.error_kind == "tool_error"
    assert text in result.text


async def test_a_silent_program_says_that_it_is_done(
    python: Callable[..., Program], tmp_path: Path
) -> None:
    programs = AllowList([python("")], folder=tmp_path)

    result = await execute(_call("try_it"), tools_of(programs))

    assert result.text == "try_it is done. It printed nothing."


QUESTIONS = [
    ("Count the words of files/notes.txt", "39 words"),
    ("Show the calendar of 2026-05", "May 2026"),
    ("Save a backup of the folder files", "backups/files.zip"),
]


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
async def test_the_loop_runs_programs_as_any_tool(
    samples: AllowList, question: str, answer: str
) -> None:
    outcome = await run(question, tools_of(samples))

    assert answer in outcome.answer


async def test_the_practice_model_fills_the_one_tool_too(samples: AllowList) -> None:
    question = "Run the program count_words on files/notes.txt"

    outcome = await run(question, [run_program_tool(samples)])

    assert "39 words" in outcome.answer


async def test_a_run_leaves_two_frames_on_the_local_wire(samples: AllowList) -> None:
    with Recorder() as recorder:
        await execute(_call("show_calendar", month="2026-05"), tools_of(samples))

    assert [(frame.wire, frame.direction) for frame in recorder.frames] == [
        ("local", "sent"),
        ("local", "received"),
    ]


def test_the_definitions_have_no_weak_spot_that_the_linter_knows(samples: AllowList) -> None:
    definitions = [tool.definition() for tool in (*tools_of(samples), run_program_tool(samples))]

    assert [finding for finding in lint(definitions) if finding.severity != "advice"] == []


# --- the sample programs --------------------------------------------------------------------------


async def test_the_sample_programs_work_in_the_folder_of_the_course_if_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path / "mine"))

    outcome = await sample_programs().run("count_words", {"file": "files/reports/march.txt"})

    assert outcome.succeeded
    assert (tmp_path / "mine" / "programs" / "files" / "notes.txt").is_file()


async def test_the_backup_holds_the_files_and_is_the_same_each_time(samples: AllowList) -> None:
    archive = samples.folder / "backups" / "files.zip"
    await samples.run("save_backup", {"folder": "files"})
    first = archive.read_bytes()

    await samples.run("save_backup", {"folder": "files"})

    with zipfile.ZipFile(archive) as opened:
        assert "reports/march.txt" in opened.namelist()
    assert archive.read_bytes() == first


@pytest.mark.skipif(os.name != "posix", reason="Links need special rights on this system.")
async def test_the_backup_leaves_links_out(samples: AllowList, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (samples.folder / "files" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (samples.folder / "files" / "up").symlink_to(tmp_path)

    outcome = await samples.run("save_backup", {"folder": "files"})

    assert outcome.output == "Packed 8 files into backups/files.zip.\n"


async def test_no_file_of_the_folder_can_stand_in_for_a_module(samples: AllowList) -> None:
    for name in ("argparse", "calendar", "sitecustomize"):
        (samples.folder / f"{name}.py").write_text("raise SystemExit('caught')", encoding="utf-8")

    outcome = await samples.run("show_calendar", {"month": "2026-05"})

    assert outcome.output.startswith("      May 2026\n")


async def test_a_checksum_is_that_of_the_file(samples: AllowList) -> None:
    (samples.folder / "empty.txt").touch()

    outcome = await samples.run("compute_checksum", {"file": "empty.txt"})

    assert outcome.output.startswith("sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca49")


async def test_a_file_that_is_no_text_is_told_without_a_traceback(samples: AllowList) -> None:
    (samples.folder / "picture.png").write_bytes(b"\x89PNG\xff")

    outcome = await samples.run("count_words", {"file": "picture.png"})

    assert (outcome.exit_status, outcome.output) == (1, "")
    assert outcome.error_text == "picture.png is not a text file in UTF-8.\n"


async def test_the_calculator_only_says_what_it_would_start_when_asked_to(
    samples: AllowList,
) -> None:
    outcome = await samples.run("open_calculator", {"dry_run": True})

    assert outcome.output.startswith("Nothing was started: a dry run was asked for.")


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems have a screen.")
async def test_without_a_screen_the_calculator_says_so(
    samples: AllowList, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    outcome = await samples.run("open_calculator", {})

    assert outcome.output.startswith("Nothing was started: there is no screen.")
