"""Ways out that were tried, and that nothing came of any.

Each program here leaves `mark.txt` when it runs, and each tool a note in `executed`: so "nothing
was executed" is something that can be seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from course_pkg.executor import execute
from course_pkg.programs import AllowList, RefusedError, confined, tools_of
from course_pkg.samples.programs import sample_programs
from course_pkg.sidecar import Sidecar
from course_pkg.tools import ToolCall

# --- paths ----------------------------------------------------------------------------------------

#: A path, and a word of the reason that must be given.
PATHS: Sequence[tuple[str, str]] = (
    ("../outside/secret.txt", ".."),
    ("files/../../outside/secret.txt", ".."),
    ("files/..", ".."),
    ("..", ".."),
    ("..\\outside\\secret.txt", ".."),
    (".. /outside/secret.txt", ".."),
    ("... /x", ".."),
    ("files/. ./x", ".."),
    ("../work folder 2/secret.txt", ".."),
    ("/etc/passwd", "relative"),
    ("//server/share/secret.txt", "relative"),
    ("\\\\server\\share\\secret.txt", "relative"),
    ("\\\\.\\PhysicalDrive0", "relative"),
    ("~/.ssh/id_rsa", "relative"),
    ("~root/x", "relative"),
    ("C:\\Windows\\win.ini", "relative"),
    ("c:notes.txt", "relative"),
    ("file:///etc/passwd", "relative"),
    ("files/notes.txt::$DATA", "relative"),
    ("files/notes.txt:hidden", "relative"),
    ("/dev/zero", "relative"),
    ("/proc/self/environ", "relative"),
    ("-rf", "relative"),
    ("--help", "relative"),
    (" -x", "relative"),
    ("-", "relative"),
    ("CON", "device"),
    ("files/nul", "device"),
    ("aux.txt", "device"),
    ("COM1.log", "device"),
    ("lpt¹", "device"),
    ("conout$", "device"),
    ("files/prn .txt", "device"),
    ("files/notes.txt\0.png", "control"),
    ("files/notes.txt\n", "control"),
    ("files/\x1b[2Jnotes.txt", "control"),
    ("files/\ud83d", "half of a character"),
    ("", "empty"),
    ("   ", "empty"),
    ("a" * 201, "longer"),
    ("a/" * 150, "longer"),
    ("%2e%2e/outside/secret.txt", "There is no"),
    ("．．/outside/secret.txt", "There is no"),
    ("files/*", "There is no"),
    ("files/notes.txt/x", "There is no"),
    ("files/notes.txt; touch mark.txt", "There is no"),
    ("$(touch mark.txt)", "There is no"),
    ("`touch mark.txt`", "There is no"),
    ("files", "not a regular file"),
    (".", "not a regular file"),
)


@pytest.mark.parametrize(("path", "reason"), PATHS, ids=lambda value: ascii(value)[:40])
async def test_a_path_that_leads_elsewhere_is_refused_and_nothing_runs(
    programs: AllowList, path: str, reason: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        await programs.run("mark_file", {"value": path})

    assert reason in str(refused.value)
    assert not (programs.folder / "mark.txt").exists()


TRAPS: Sequence[tuple[str, str]] = (
    ("link.txt", "goes through a link"),
    ("link/secret.txt", "goes through a link"),
    ("link_inside.txt", "goes through a link"),
    ("circle", "goes through a link"),
    ("dangling", "goes through a link"),
    ("device", "goes through a link"),
    ("hard.txt", "second name"),
    ("pipe", "not a regular file"),
    ("socket", "not a regular file"),
)


@pytest.mark.parametrize(("path", "reason"), TRAPS, ids=lambda value: value)
async def test_what_lies_in_the_folder_and_leads_out_of_it_is_refused(
    programs: AllowList, traps: Path, path: str, reason: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        await programs.run("mark_file", {"value": path})

    assert reason in str(refused.value)
    assert not (traps / "mark.txt").exists()


@pytest.mark.parametrize("path", ["link", "files/notes.txt", "pipe", "..", "missing"])
async def test_a_folder_must_be_a_real_folder(programs: AllowList, traps: Path, path: str) -> None:
    with pytest.raises(RefusedError):
        await programs.run("mark_folder", {"value": path})

    assert not (traps / "mark.txt").exists()


@pytest.mark.parametrize("path", ["dangling", "link/new.txt", "pipe", "../new.txt", "missing/new"])
async def test_a_new_file_is_not_written_through_a_link_or_outside(
    programs: AllowList, traps: Path, path: str
) -> None:
    with pytest.raises(RefusedError):
        await programs.run("mark_new", {"value": path})

    assert not (traps / "mark.txt").exists()


async def test_a_good_path_does_leave_the_mark(programs: AllowList) -> None:
    outcome = await programs.run("mark_file", {"value": "files\\./notes.txt"})

    assert (programs.folder / "mark.txt").exists()
    assert json.loads(outcome.output) == ["--", "files/notes.txt"]


async def test_a_file_whose_name_looks_like_an_option_is_given_as_a_path(
    programs: AllowList,
) -> None:
    (programs.folder / "-rf").write_text("x", encoding="utf-8")

    outcome = await programs.run("mark_file", {"value": "./-rf"})

    assert json.loads(outcome.output) == ["--", "./-rf"]


#: What paths are made of, so that examples come near to leaving.
PIECES = ("..", ".", "/", "\\", "files", "notes.txt", "~", "C:", "link", " ", "-", "\0", "con", "é")


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
@hypothesis_settings(max_examples=300)
def test_whatever_is_written_no_path_leaves_the_folder(playground: AllowList, path: str) -> None:
    root = playground.folder.resolve()
    (root / "files").mkdir(exist_ok=True)
    try:
        plain = confined(root, path, kind="new")
    except RefusedError:
        return

    assert (root / plain).resolve().is_relative_to(root)
    assert plain[0] not in "-@~/"


# --- words ----------------------------------------------------------------------------------------

FLAGS: Sequence[tuple[Any, str]] = (
    ("-x", "option"),
    ("--output=/etc/passwd", "option"),
    ("-", "option"),
    ("--", "option"),
    ("-rf /", "option"),
    ("  -x", "option"),
    ("\n--help", "option"),
    (-5, "option"),
    ("/S", "path"),
    ("/etc/passwd", "path"),
    ("@/etc/passwd", "file of arguments"),
    (["fine", "-x"], "option"),
    ("a\0b", "NUL"),
    ("half \ud83d", "half of a character"),
    ("x" * 4_001, "longer"),
    (["x" * 3_000] * 8, "longer"),
)


@pytest.mark.parametrize(("value", "reason"), FLAGS, ids=lambda value: ascii(value)[:30])
async def test_a_word_that_a_program_could_take_for_more_is_refused(
    programs: AllowList, value: Any, reason: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        await programs.run("mark_word", {"value": value})

    assert reason in str(refused.value)
    assert not (programs.folder / "mark.txt").exists()


SHELL_TEXTS = (
    "; touch pwned",
    "&& touch pwned",
    "| touch pwned",
    "|| touch pwned",
    "& touch pwned &",
    "$(touch pwned)",
    "`touch pwned`",
    "> pwned",
    ">> pwned 2>&1",
    "< /etc/passwd",
    "$HOME ${PATH} %PATH% !PATH!",
    "'; touch pwned; '",
    '"; touch pwned; "',
    'a" & touch pwned & "',
    "a\\",
    'a\\"b',
    "^& touch pwned",
    "{a,b} * ? [a-z]",
    "line\ntouch pwned\n",
    "\r\ntouch pwned",
    "!!",
    "# nothing",
    "\t",
    "",
    "会议记录",
    "\u202etxt.exe",
)


@pytest.mark.parametrize("text", SHELL_TEXTS, ids=ascii)
async def test_what_a_shell_would_act_on_arrives_as_one_plain_word(
    programs: AllowList, text: str
) -> None:
    outcome = await programs.run("mark_word", {"value": text})

    assert json.loads(outcome.output) == ["--", text]
    assert sorted(path.name for path in programs.folder.iterdir()) == ["files", "mark.txt"]


@given(st.text(max_size=60))
@hypothesis_settings(max_examples=60)
def test_any_text_arrives_as_it_is_or_is_refused(playground: AllowList, text: str) -> None:
    mark = playground.folder / "mark.txt"
    mark.unlink(missing_ok=True)
    try:
        outcome = asyncio.run(playground.run("mark_word", {"value": text}))
    except RefusedError:
        assert not mark.exists()
    else:
        assert json.loads(outcome.output) == ["--", text]


#: A call as a model could write it, of a tool that is on offer or not.
CALLS: Sequence[tuple[str, Any]] = (
    ("count_words", {"file": "../secret.txt"}),
    ("count_words", {"file": "--help"}),
    ("count_words", {"file": ["files/notes.txt", "/etc/passwd"]}),
    ("count_words", {"file": {"path": "files/notes.txt"}}),
    ("count_words", {"file": None}),
    ("count_words", {}),
    ("count_words", {"file": "files/notes.txt", "shell": True}),
    ("count_words", {"file": "files/notes.txt", "env": {"LD_PRELOAD": "x.so"}}),
    ("compute_checksum", {"file": "files/notes.txt", "algorithm": "sha256 --help"}),
    ("show_calendar", {"month": "2026-05; id"}),
    ("show_calendar", {"month": "2026-05\n"}),
    ("save_backup", {"folder": "/"}),
    ("save_backup", {"folder": ".."}),
    ("open_calculator", {"dry_run": "--dry-run; id"}),
    ("bash", {"-c": "id"}),
    ("count_words; id", {"file": "files/notes.txt"}),
    ("../../bin/sh", {}),
    ("", {}),
)


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda value: ascii(value)[:40])
async def test_the_sample_programs_refuse_a_hostile_call(
    tmp_path: Path, name: str, arguments: Any
) -> None:
    programs = sample_programs(tmp_path / "work")
    before = _everything_in(tmp_path)
    call = ToolCall(id="c1", name=name, arguments=json.dumps(arguments))

    result = await execute(call, tools_of(programs))

    assert result.error_kind in {"invalid_arguments", "unknown_tool", "tool_error"}
    assert _everything_in(tmp_path) == before


def _everything_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.mark.parametrize("name", ["rm", "bash", "", "mark_word ", "MARK_WORD", "x" * 10_000])
async def test_a_program_that_is_not_listed_is_not_started(programs: AllowList, name: str) -> None:
    with pytest.raises(RefusedError, match="is not on the list, so nothing was started"):
        await programs.run(name, {"value": "x"})

    assert not (programs.folder / "mark.txt").exists()


async def test_arguments_that_are_nested_without_end_are_refused(programs: AllowList) -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]

    with pytest.raises(RefusedError, match="nested too deeply"):
        await programs.run("mark_word", {"value": deep})

    assert not (programs.folder / "mark.txt").exists()


# --- programs that misbehave ----------------------------------------------------------------------

FLOODS = ("flood", "flood_errors", "trickle_and_flood", "let_a_child_flood")


@pytest.mark.parametrize("what", FLOODS)
async def test_a_program_that_prints_without_end_is_ended_at_the_limit(
    limited: Callable[..., AllowList], what: str
) -> None:
    outcome = await limited(max_output_bytes=5_000).run("misbehave", {"what": what})

    assert outcome.is_cut
    assert len(outcome.output) <= 5_000
    assert len(outcome.error_text) <= 5_000


HANGING = (
    "sleep",
    "ignore_signals_and_sleep",
    "leave_many_children_and_wait",
    "close_the_pipes_and_sleep",
)


@pytest.mark.parametrize("what", HANGING)
async def test_a_program_that_hangs_is_ended_in_time_with_all_its_children(
    limited: Callable[..., AllowList], what: str
) -> None:
    programs = limited(timeout_s=1.0)
    begun = time.monotonic()

    outcome = await programs.run("misbehave", {"what": what})

    assert outcome.ending == "too_slow"
    assert time.monotonic() - begun < 6
    assert await _is_dead(programs.folder)


LEAVING = (
    "leave_a_child",
    "leave_a_child_with_other_variables",
    "leave_a_flooding_child",
    "leave_a_grandchild",
    pytest.param(
        "leave_a_child_in_a_session_of_its_own",
        marks=pytest.mark.skipif(
            sys.platform not in ("linux", "win32"),
            reason="This system does not show such children.",
        ),
    ),
)


@pytest.mark.parametrize("what", LEAVING)
async def test_children_that_are_left_behind_hold_nobody_up_and_are_ended(
    programs: AllowList, what: str
) -> None:
    begun = time.monotonic()

    outcome = await programs.run("misbehave", {"what": what})

    assert outcome.succeeded
    assert time.monotonic() - begun < 6
    assert await _is_dead(programs.folder)


async def test_a_program_that_asks_for_input_gets_the_end_of_it(programs: AllowList) -> None:
    outcome = await programs.run("misbehave", {"what": "wait_for_input"})

    assert outcome.output == "got ''\n"


def test_a_program_does_not_read_what_is_meant_for_us(folder: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from course_pkg.programs import Program, run_program\n"
        "program = Program(name='read_it', description='', command=(sys.executable, '-I', '-c',"
        " 'import sys; print([sys.stdin.read()])'))\n"
        "print(asyncio.run(run_program(program, {}, folder=Path.cwd())).output, input())"
    )

    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        input="a password\n",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )

    assert ended.stdout.split("\n") == ["['']", " a password", ""]


async def _is_dead(folder: Path) -> bool:
    """Whether no process writes on: none that was started is alive."""
    heart = folder / "heart.txt"
    size = heart.stat().st_size if heart.exists() else 0
    await asyncio.sleep(0.3)
    return not heart.exists() or heart.stat().st_size == size


# --- the sidecar ----------------------------------------------------------------------------------

GOOD_BODY = b'{"name": "leave_mark", "arguments": {"text": "x"}}'
OWN = "own"  # stands for what is right at that place


@dataclass(frozen=True, kw_only=True)
class Attack:
    """A request that is right but for what is named. `TOKEN` in a header is the right one."""

    status: int
    code: str
    method: str = "POST"
    path: str = "/execute"
    host: str | None = OWN
    token: str | None = OWN
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str | None = "application/json"
    body: bytes = GOOD_BODY


def _who(**changes: Any) -> Attack:
    return Attack(status=401, code="wrong_token", **changes)


def _host(host: str | None) -> Attack:
    return Attack(status=421, code="foreign_host", host=host)


def _origin(origin: str) -> Attack:
    return Attack(status=403, code="foreign_origin", headers=(("Origin", origin),))


def _kind(content_type: str | None, *headers: tuple[str, str]) -> Attack:
    return Attack(status=415, code="wrong_content_type", content_type=content_type, headers=headers)


def _body(body: bytes) -> Attack:
    return Attack(status=400, code="malformed_body", body=body)


def _method(method: str, path: str = "/execute", *headers: tuple[str, str]) -> Attack:
    return Attack(status=405, code="wrong_method", method=method, path=path, headers=headers)


def _path(path: str) -> Attack:
    return Attack(status=404, code="no_such_path", path=path)


DEEP = b'{"name": "leave_mark", "arguments": {"text": ' + b"[" * 40 + b"]" * 40 + b"}}"

ATTACKS: dict[str, Attack] = {
    "no token": _who(token=None),
    "empty token": _who(token="Bearer "),
    "wrong token": _who(token="Bearer wrong"),
    "other scheme": _who(token="Basic YWRtaW46YWRtaW4="),
    "no scheme": _who(token="wrong"),
    "right token in another scheme": _who(token="Basic TOKEN"),
    "right token alone": _who(token="TOKEN"),
    "right token and more": _who(token="Bearer TOKEN, Bearer TOKEN"),
    "right token, cut": _who(token="Bearer TOKE"),
    "right token in another header": _who(token=None, headers=(("X-Token", "TOKEN"),)),
    "token of another script": _who(token="Bearer \xe9\xe9"),
    "very long token": _who(token="Bearer " + "x" * 10_000),
    "token in the query": _who(token=None, path="/execute?token=x"),
    "token in a cookie": _who(token=None, headers=(("Cookie", "token=x"),)),
    "token given twice": _who(headers=(("Authorization", "Bearer wrong"),)),
    "unknown path without a token": _who(token=None, path="/admin"),
    "foreign host": _host("evil.example"),
    "foreign host with our port": _host("evil.example:80"),
    "rebound host": _host("127.0.0.1.evil.example"),
    "host without a port": _host("127.0.0.1"),
    "other port": _host("127.0.0.1:1"),
    "host with a user": _host("evil@127.0.0.1"),
    "any address": _host("0.0.0.0"),
    "empty host": _host(""),
    "foreign origin": _origin("https://evil.example"),
    "null origin": _origin("null"),
    "origin of another port": _origin("http://127.0.0.1:8888"),
    "origin of an extension": _origin("chrome-extension://abc"),
    "origin with our name in front": _origin("http://127.0.0.1.evil.example"),
    "empty origin": _origin(""),
    "preflight of a page": Attack(
        status=403,
        code="foreign_origin",
        method="OPTIONS",
        token=None,
        headers=(
            ("Origin", "https://evil.example"),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Private-Network", "true"),
        ),
    ),
    "no content type": _kind(None),
    "plain text": _kind("text/plain"),
    "a form": _kind("application/x-www-form-urlencoded"),
    "a multipart form": _kind("multipart/form-data; boundary=x"),
    "json in another encoding": _kind("application/json; charset=utf-16"),
    "json in the end only": _kind("text/plain; application/json"),
    "a packed body": _kind("application/json", ("Content-Encoding", "gzip")),
    "too large": Attack(status=413, code="body_too_large", body=b" " * 1_000_001),
    "no body": _body(b""),
    "no json": _body(b"name=leave_mark"),
    "cut off": _body(GOOD_BODY[:-1]),
    "two values": _body(GOOD_BODY * 2),
    "a list": _body(b"[" + GOOD_BODY + b"]"),
    "a text": _body(b'"leave_mark"'),
    "null": _body(b"null"),
    "NaN": _body(b'{"name": "leave_mark", "arguments": {"text": NaN}}'),
    "the same name twice": _body(b'{"name": "other", "name": "leave_mark", "arguments": {}}'),
    "the same argument twice": _body(
        b'{"name": "leave_mark", "arguments": {"text": "a", "text": "b"}}'
    ),
    "deep": _body(DEEP),
    "deeper than Python goes": _body(b"[" * 200_000),
    "not UTF-8": _body(b'{"name": "leave_mark", "arguments": {"text": "\xff"}}'),
    "UTF-16": _body(GOOD_BODY.decode().encode("utf-16")),
    "a byte order mark": _body(b"\xef\xbb\xbf" + GOOD_BODY),
    "half a character": _body(b'{"name": "leave_mark", "arguments": {"text": "\\ud83d"}}'),
    "a number without end": _body(
        b'{"name": "leave_mark", "arguments": {"text": ' + b"9" * 5_000 + b"}}"
    ),
    "name of the wrong type": _body(b'{"name": ["leave_mark"], "arguments": {}}'),
    "no name": _body(b'{"arguments": {}}'),
    "no arguments": _body(b'{"name": "leave_mark"}'),
    "arguments as a text": _body(b'{"name": "leave_mark", "arguments": "{}"}'),
    "tool_name": _body(b'{"tool_name": "leave_mark", "arguments": {}}'),
    "more than is known": _body(b'{"name": "leave_mark", "arguments": {}, "shell": true}'),
    "GET with a body": _method("GET"),
    "PUT": _method("PUT"),
    "DELETE": _method("DELETE"),
    "PATCH": _method("PATCH"),
    "TRACE": _method("TRACE"),
    "OPTIONS": _method("OPTIONS"),
    "lower case": _method("post"),
    "an own method": _method("EXECUTE"),
    "method override": _method("GET", "/execute", ("X-HTTP-Method-Override", "POST")),
    "POST to the list": _method("POST", "/tools"),
    "slash at the end": _path("/execute/"),
    "two slashes": _path("//execute"),
    "other case": _path("/EXECUTE"),
    "dots": _path("/tools/../execute"),
    "encoded slash": _path("/x%2f..%2fexecute"),
    "with a tool's name": _path("/execute/leave_mark"),
    "the root": _path("/"),
    "the documentation": _path("/docs"),
}


def _filled(text: str, token: str) -> str:
    """The text with the right token for TOKEN, and all but its last character for TOKE."""
    return text.replace("TOKEN", token).replace("TOKE", token[:-1])


def _send(sidecar: Sidecar, attack: Attack) -> tuple[int, dict[str, str], bytes]:
    port = int(sidecar.url.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(attack.method, attack.path, skip_host=True, skip_accept_encoding=True)
    if attack.host is not None:
        connection.putheader("Host", f"127.0.0.1:{port}" if attack.host == OWN else attack.host)
    if attack.token is not None:
        given = "Bearer TOKEN" if attack.token == OWN else attack.token
        connection.putheader("Authorization", _filled(given, sidecar.token))
    if attack.content_type is not None:
        connection.putheader("Content-Type", attack.content_type)
    for name, value in attack.headers:
        connection.putheader(name, _filled(value, sidecar.token))
    connection.putheader("Content-Length", str(len(attack.body)))
    connection.endheaders(attack.body)
    answer = connection.getresponse()
    headers = {name.lower(): value for name, value in answer.getheaders()}
    body = answer.read()
    connection.close()
    return answer.status, headers, body


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_the_sidecar_refuses_in_json_and_executes_nothing(
    sidecar: Sidecar, executed: list[str], attack: Attack
) -> None:
    status, headers, body = _send(sidecar, attack)

    error = json.loads(body)["error"]
    assert (status, error["code"]) == (attack.status, attack.code), error
    assert headers["content-type"] == "application/json"
    assert executed == []


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_no_refusal_shows_the_token_or_the_insides(sidecar: Sidecar, attack: Attack) -> None:
    _, headers, body = _send(sidecar, attack)

    shown = f"{headers} {body!r}"
    assert sidecar.token not in shown
    assert not any(word in shown for word in ("Traceback", "<html", ".py", "uvicorn", "starlette"))


def test_the_right_request_does_execute(sidecar: Sidecar, executed: list[str]) -> None:
    status, _, body = _send(sidecar, Attack(status=200, code=""))

    assert (status, json.loads(body)["text"]) == (200, "marked x")
    assert executed == ["x"]


#: What is sent as it stands; `HOST` and `TOKEN` are filled in.
RAW: dict[str, tuple[bytes, int]] = {
    "no HTTP": (b"hello\r\n\r\n", 400),
    "a TLS greeting": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "no host in HTTP/1.1": (b"POST /execute HTTP/1.1\r\n\r\n", 400),
    "no host in HTTP/1.0": (b"POST /execute HTTP/1.0\r\n\r\n", 421),
    "two hosts": (b"POST /execute HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", 400),
    "a header that goes on": (
        b"POST /execute HTTP/1.1\r\nHost: HOST\r\nX: a\r\n\x00b: c\r\n\r\n",
        400,
    ),
    "two lengths": (
        b"POST /execute HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\n{",
        400,
    ),
    "length and chunks": (
        b"POST /execute HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    "a negative length": (
        b"POST /execute HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n",
        400,
    ),
    "an announced gigabyte": (
        b"POST /execute HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n"
        b"Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{",
        413,
    ),
    "a header without end": (b"GET /tools HTTP/1.1\r\nHost: HOST\r\nX: " + b"x" * 200_000, 400),
    "an address of another server": (
        b"GET http://evil.example/tools HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        421,
    ),
    "CONNECT": (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", 421),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 421),
}


@pytest.mark.parametrize(("raw", "status"), RAW.values(), ids=RAW)
def test_what_is_hardly_http_is_refused_in_json_too(
    sidecar: Sidecar, executed: list[str], raw: bytes, status: int
) -> None:
    host = sidecar.url.removeprefix("http://")
    filled = raw.replace(b"HOST", host.encode()).replace(b"TOKEN", sidecar.token.encode())

    head, _, body = _exchange(host, filled).partition(b"\r\n\r\n")

    assert head.split()[1] == str(status).encode()
    # What follows in the same bytes may be refused too, in an answer of its own.
    assert "error" in json.JSONDecoder().raw_decode(body.decode())[0]
    assert executed == []


def _exchange(host: str, raw: bytes) -> bytes:
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=10) as connection:
        connection.sendall(raw)
        received = b""
        while not _is_whole(received):
            part = connection.recv(65_536)
            if not part:
                break
            received += part
    return received


def _is_whole(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(found) and len(body) >= int(lengths[0].split(b":")[1]) if lengths else False


def test_a_body_in_chunks_cannot_pass_the_limit(sidecar: Sidecar, executed: list[str]) -> None:
    port = int(sidecar.url.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {
        "Authorization": f"Bearer {sidecar.token}",
        "Content-Type": "application/json",
    }
    pieces = (b" " * 100_000 for _ in range(20))
    connection.request("POST", "/execute", pieces, headers, encode_chunked=True)
    answer = connection.getresponse()
    code = json.loads(answer.read())["error"]["code"]
    connection.close()

    assert (answer.status, code) == (413, "body_too_large")
    assert executed == []


def test_the_token_differs_from_start_to_start_and_cannot_be_guessed() -> None:
    tokens = set()
    for _ in range(3):
        with Sidecar([]) as sidecar:
            tokens.add(sidecar.token)

    assert len(tokens) == 3
    assert min(map(len, tokens)) >= 43  # 32 bytes of chance


def test_the_service_listens_on_loopback_only(sidecar: Sidecar) -> None:
    port = int(sidecar.url.rpartition(":")[2])

    for address in _other_addresses():
        with pytest.raises(OSError), socket.create_connection((address, port), timeout=1):  # noqa: PT011
            pass
    assert sidecar.url.startswith("http://127.0.0.1:")


def _other_addresses() -> set[str]:
    found: set[str] = set()
    with contextlib.suppress(OSError):  # a computer may not know its own name
        listed = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        found = {str(address[0]) for *_, address in listed}
    return {address for address in found if not address.startswith("127.")}
