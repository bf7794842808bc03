"""The exercises of notebook 12: list a program, mend a request to a sidecar, and guard one.

The check of 12.1 runs the listed program for real, in a folder with a secret beside it; the program
notes each start. The check of 12.2 sends the request to a real sidecar. That of 12.3 calls a plain
function with the headers of many requests.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer

# --- 12.1 -----------------------------------------------------------------------------------------

Arguments: TypeAlias = Mapping[str, Any]

IS_PROGRAM = "The answer is a Program of the given command that takes word, file and most, no more."
GOOD = "Calls with safe arguments run, and print the lines that were found."
IN_FOLDER = "A path that leads out of the working folder is refused, and nothing is started."
ONLY_WORDS = "A word that is not 1 to 40 of a-z, A-Z and 0-9 is refused, and nothing is started."
NUMBERS = "A most that is not a whole number from 1 to 50 is refused, and nothing is started."
COMPLETE = "A call without word or without file is refused, and nothing is started."

SCRIPT = Path(__file__).parent.parent / "scripts" / "find_lines.py"
STARTS = "starts.txt"
NOTES = "files/notes.txt"
TAKEN = {"word", "file", "most"}

#: Safe arguments, and what the program prints for them.
SAFE: tuple[tuple[Arguments, str], ...] = (
    ({"word": "train", "file": NOTES}, "3: - The train leaves at 09:24 from platform 6.\n"),
    ({"word": "0", "file": "files/sales.csv", "most": 1}, "2: January,120,85,240\n"),
    ({"word": "2026", "file": "files/会议记录.txt", "most": 50}, "3: 日期：2026年3月2日\n"),
    ({"word": "e" * 40, "file": "files/reports/march.txt"}, ""),
)
WAYS_OUT = (
    "../secret.txt",
    "files/../../secret.txt",
    "..\\secret.txt",
    "/etc/hosts.txt",
    "~/notes.txt",
    "C:/secret.txt",
    "--output=notes.txt",
)
NO_WORDS: tuple[Any, ...] = (
    "; rm -rf files",
    "train; rm -rf files",
    "$(cat secret)",
    "`id`",
    "train && echo x",
    "train\n",
    "two words",
    "--output=files/notes.txt",
    "@secret",
    "",
    "e" * 41,
    7,
    None,
    ["train"],
)
NO_NUMBERS: tuple[Any, ...] = (0, 51, -1, 2.5, "5", True, None, [1], "1 --output=files/notes.txt")


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """What came of one call: what was printed if it ran, and whether anything was started."""

    printed: str | None
    started: bool


async def _tried(program: Any, arguments: Arguments) -> _Tried:
    from course_pkg.programs import AllowList, RefusedError
    from course_pkg.samples.programs import working_folder

    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "secret.txt").write_text("train, a secret\n", encoding="utf-8")
        folder = working_folder(Path(name) / "work")
        try:
            outcome = await AllowList([program], folder=folder).run(program.name, arguments)
            printed: str | None = outcome.output
        except RefusedError:
            printed = None
        return _Tried(printed=printed, started=(folder / STARTS).exists())


async def _all_refused(program: Any, calls: Sequence[Arguments]) -> bool:
    tried = [await _tried(program, arguments) for arguments in calls]
    return not any(one.started or one.printed is not None for one in tried)


def _command() -> tuple[str, ...]:
    from course_pkg.samples.programs import python_command

    return python_command(SCRIPT)


def _is_program(answer: Any) -> bool:
    from course_pkg.programs import Program

    return (
        isinstance(answer, Program)
        and answer.command == _command()
        and set(answer.input_schema["properties"]) == TAKEN
    )


async def _good(answer: Any) -> bool:
    return [(await _tried(answer, arguments)).printed for arguments, _ in SAFE] == [
        printed for _, printed in SAFE
    ]


async def _in_folder(answer: Any) -> bool:
    return await _all_refused(answer, [{"word": "train", "file": path} for path in WAYS_OUT])


async def _only_words(answer: Any) -> bool:
    return await _all_refused(answer, [{"word": word, "file": NOTES} for word in NO_WORDS])


async def _numbers(answer: Any) -> bool:
    given = {"word": "train", "file": NOTES}
    return await _all_refused(answer, [{**given, "most": most} for most in NO_NUMBERS])


async def _complete(answer: Any) -> bool:
    calls: list[Arguments] = [{}, {"word": "train"}, {"file": NOTES}, {"most": 5}]
    return await _all_refused(answer, calls)


_OPEN_DOOR = """\
from course_pkg.programs import Option, Program, Word

answer = Program(
    name="find_lines",
    description="Find the lines of a text file that hold a word.",
    command=exercise("12.1").material(),
    parts=(Option("--most", Word("most")), Word("word"), Word("file")),
    input_schema={
        "type": "object",
        "properties": {"word": {}, "file": {}, "most": {}},
        "additionalProperties": False,
    },
)"""

_LISTED = """\
from course_pkg.programs import Option, PathIn, Program, Word, path_schema

answer = Program(
    name="find_lines",
    description="Find the lines of a text file that hold a word.",
    command=exercise("12.1").material(),
    parts=(Option("--most", Word("most")), Word("word"), PathIn("file")),
    input_schema={
        "type": "object",
        "properties": {
            "word": {"type": "string", "pattern": "^[A-Za-z0-9]{1,40}$"},
            "file": path_schema("A text file of the working folder."),
            "most": {"type": "integer", "minimum": 1, "maximum": 50},
        },
        "required": ["word", "file"],
        "additionalProperties": False,
    },
    side_effect=False,
)"""

_WITH_OUTPUT = _LISTED.replace(
    'parts=(Option("--most"', 'parts=(Option("--output", Word("output")), Option("--most"'
).replace(
    '            "most": {', '            "output": {"type": "string"},\n            "most": {'
)

_LIST = Exercise(
    number="12.1",
    goal="Add a program to the allow-list, with a schema that admits only safe arguments.",
    starter=_OPEN_DOOR,
    make_material=_command,
    rules=(
        Rule(
            name=IS_PROGRAM,
            test=_is_program,
            hint='Keep command=exercise("12.1").material(). What a model may not give has no '
            "property and no part.",
        ),
        Rule(
            name=GOOD,
            test=_good,
            hint="Every text file of the folder may be read, in subfolders too, and most may be "
            "left out.",
        ),
        Rule(
            name=IN_FOLDER,
            test=_in_folder,
            hint="A Word is any text. Which kind of part is a path inside the working folder?",
        ),
        Rule(
            name=ONLY_WORDS,
            test=_only_words,
            hint="Say the type, and a pattern. A pattern is searched anywhere in the text, unless "
            "it begins with ^ and ends with $.",
        ),
        Rule(name=NUMBERS, test=_numbers, hint="Page 02: integer, minimum, maximum."),
        Rule(
            name=COMPLETE,
            test=_complete,
            hint="properties says what may be given. Which keyword says what must be given?",
        ),
    ),
    hints=(
        "Go through the three arguments one by one: what is the narrowest form that still works?",
        'PathIn("file") takes the place of Word("file"), and path_schema("...") is its schema.',
        "word needs a type and a pattern from ^ to $, most a type and two limits, and both word "
        "and file are required.",
    ),
    source=_LISTED,
    wrong=(
        WrongAnswer(source='answer = "find_lines --most=5 -- train"', fails=IS_PROGRAM),
        WrongAnswer(source=_WITH_OUTPUT, fails=IS_PROGRAM),
        WrongAnswer(
            source=_LISTED.replace(
                'path_schema("A text file of the working folder.")',
                '{"type": "string", "enum": ["files/notes.txt"]}',
            ),
            fails=GOOD,
        ),
        WrongAnswer(
            source=_LISTED.replace('["word", "file"]', '["word", "file", "most"]'), fails=GOOD
        ),
        WrongAnswer(source=_OPEN_DOOR, fails=IN_FOLDER),
        WrongAnswer(
            source=_LISTED.replace(
                'path_schema("A text file of the working folder.")',
                '{"type": "string", "pattern": "^[^~/]"}',
            ).replace("PathIn(", "Word("),
            fails=IN_FOLDER,
        ),
        WrongAnswer(
            source=_LISTED.replace(', "pattern": "^[A-Za-z0-9]{1,40}$"', ""), fails=ONLY_WORDS
        ),
        WrongAnswer(
            source=_LISTED.replace("^[A-Za-z0-9]{1,40}$", "[A-Za-z0-9]+"), fails=ONLY_WORDS
        ),
        WrongAnswer(source=_LISTED.replace("{1,40}$", "+$"), fails=ONLY_WORDS),
        WrongAnswer(source=_LISTED.replace(', "minimum": 1, "maximum": 50', ""), fails=NUMBERS),
        WrongAnswer(
            source=_LISTED.replace('        "required": ["word", "file"],\n', ""), fails=COMPLETE
        ),
    ),
)

# --- 12.2 -----------------------------------------------------------------------------------------

IS_REQUEST = "The answer is a function of a token, and gives a dict of method, path, headers, body."
FROM_PROGRAM = "The request does not come from a web page, and names the service's own host."
WITH_TOKEN = "The request shows the token that this service made."
RIGHT_PLACE = "The request goes to the place where tools are executed."
SAYS_JSON = "The request says that its body is JSON."
RIGHT_FORM = "The body has the form that the service reads: a name, and arguments as an object."
RAN = "The tool count_words runs on files/notes.txt."

#: What the tool of the check says when it ran with the right argument.
COUNTED = "files/notes.txt: 39 words"
WAIT_S = 10.0

_BROKEN_REQUEST = """\
def answer(token):
    return {
        "method": "GET",
        "path": "/tools/execute",
        "headers": {"Origin": "https://games.example"},
        "body": {"tool": "count_words", "arguments": '{"file": "files/notes.txt"}'},
    }"""

_MENDED_REQUEST = """\
def answer(token):
    return {
        "method": "POST",
        "path": "/execute",
        "headers": {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
        },
        "body": {"name": "count_words", "arguments": {"file": "files/notes.txt"}},
    }"""


@dataclass(frozen=True, kw_only=True)
class _Answered:
    """How a sidecar answered: the HTTP status, and the text of the tool if one ran well."""

    status: int
    text: str = ""


def _answered(answer: Any) -> _Answered:
    """Send the request that the answer makes to a sidecar that has a token of its own."""
    import json

    import httpx2

    from course_pkg.sidecar import Sidecar
    from course_pkg.tools import tool

    @tool
    def count_words(file: str) -> str:
        """Count the words of a file, for example files/notes.txt."""
        return f"{file}: 39 words"

    with Sidecar([count_words]) as sidecar:
        made = answer(sidecar.token)
        told = httpx2.request(
            made["method"],
            f"{sidecar.url}{made['path']}",
            headers=made["headers"],
            content=json.dumps(made["body"]).encode(),
            timeout=WAIT_S,
            trust_env=False,
        )
    said = told.json()
    is_good = told.status_code == 200 and said.get("is_error") is False
    return _Answered(status=told.status_code, text=said["text"] if is_good else "")


def _is_request(answer: Any) -> bool:
    if not callable(answer):
        return False
    made = answer("made-up-token")
    return isinstance(made, dict) and set(made) == {"method", "path", "headers", "body"}


def _not_refused(*statuses: int) -> Callable[[Any], bool]:
    def test(answer: Any) -> bool:
        return _answered(answer).status not in statuses

    return test


def _ran(answer: Any) -> bool:
    return _answered(answer).text == COUNTED


_REQUEST = Exercise(
    number="12.2",
    goal="Mend a request until the sidecar runs the tool.",
    starter=_BROKEN_REQUEST,
    rules=(
        Rule(name=IS_REQUEST, test=_is_request, hint="Keep the line: def answer(token)"),
        Rule(
            name=FROM_PROGRAM,
            test=_not_refused(403, 421),
            hint="The service answers 403 or 421. Which header does only a browser send?",
        ),
        Rule(
            name=WITH_TOKEN,
            test=_not_refused(401),
            hint="The service answers 401. Which header carries the token, and which word stands "
            "before it?",
        ),
        Rule(
            name=RIGHT_PLACE,
            test=_not_refused(404, 405),
            hint="The service answers 404 or 405. It has two places only; look at the frames of "
            "this page.",
        ),
        Rule(
            name=SAYS_JSON,
            test=_not_refused(415),
            hint="The service answers 415. A header names the type of the body.",
        ),
        Rule(
            name=RIGHT_FORM,
            test=_not_refused(400),
            hint="The service answers 400. Compare the body with the POST of this page: the names, "
            "and whether arguments is a text or an object.",
        ),
        Rule(
            name=RAN,
            test=_ran,
            hint="The request was let in, and no tool ran well. Look at the path, at the tool's "
            "name, and at the file.",
        ),
    ),
    hints=(
        "The frames above show a request that works. Hold yours against it, line by line.",
        "One header must go, and two must come: Authorization and Content-Type.",
        'The body is {"name": ..., "arguments": {...}}, sent with POST to /execute.',
    ),
    source=_MENDED_REQUEST,
    wrong=(
        WrongAnswer(source="answer = {}", fails=IS_REQUEST),
        WrongAnswer(source=_BROKEN_REQUEST, fails=FROM_PROGRAM),
        WrongAnswer(
            source=_MENDED_REQUEST.replace(
                '"Content-Type"', '"Host": "games.example",\n            "Content-Type"'
            ),
            fails=FROM_PROGRAM,
        ),
        WrongAnswer(source=_MENDED_REQUEST.replace("Bearer ", ""), fails=WITH_TOKEN),
        WrongAnswer(source=_MENDED_REQUEST.replace("{token}", "made-up-token"), fails=WITH_TOKEN),
        WrongAnswer(source=_MENDED_REQUEST.replace('"POST"', '"GET"'), fails=RIGHT_PLACE),
        WrongAnswer(
            source=_MENDED_REQUEST.replace('            "Content-Type": "application/json",\n', ""),
            fails=SAYS_JSON,
        ),
        WrongAnswer(source=_MENDED_REQUEST.replace('{"name":', '{"tool":'), fails=RIGHT_FORM),
        WrongAnswer(
            source=_MENDED_REQUEST.replace(
                '{"file": "files/notes.txt"}', '\'{"file": "files/notes.txt"}\''
            ),
            fails=RIGHT_FORM,
        ),
        WrongAnswer(
            source=_MENDED_REQUEST.replace('"POST"', '"GET"').replace("/execute", "/tools"),
            fails=RAN,
        ),
        WrongAnswer(source=_MENDED_REQUEST.replace('{"file":', '{"path":'), fails=RAN),
    ),
)

# --- 12.3 -----------------------------------------------------------------------------------------

Headers: TypeAlias = dict[str, str]

IS_GUARD = "The answer is a function of headers, a port and a token, and gives a status."
LETS_IN = "A program that names the service's own host and shows the token gets 200."
TOKEN = "A token that is missing or not exactly the right one gives 401."
ORIGIN = "A request from a web page gives 403, even with the right token."
HOST = "A request for another host gives 421, even with the right token."

PORT = 8765
#: Made up, and in two pieces, so that no search for keys finds it.
SECRET = "made-up" + "-token-of-an-exercise"
OWN: Headers = {"host": f"127.0.0.1:{PORT}", "authorization": f"Bearer {SECRET}"}

LET_IN: tuple[Headers, ...] = (
    OWN,
    {**OWN, "host": f"localhost:{PORT}"},
    {**OWN, "content-type": "application/json", "user-agent": "a program"},
)
WRONG_TOKENS = (
    *("", "Bearer", "Bearer ", SECRET, "Bearer guess", f"Bearer {SECRET[:-1]}"),
    *(f"Bearer {SECRET}x", f"Bearer x{SECRET}", f"Bearer {SECRET.upper()}"),
)
PAGES = ("https://games.example", "null", "http://127.0.0.1.games.example", "")
FOREIGN_HOSTS = (
    *("games.example", f"games.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""),
    *(f"127.0.0.1.games.example:{PORT}", f"127.0.0.1:{PORT}.games.example"),
    f"games.example/127.0.0.1:{PORT}",
)

_TOKEN_ONLY = """\
def answer(headers, port, token):
    if token in headers["authorization"]:
        return 200
    return 401"""

_GUARD = """\
import hmac

def answer(headers, port, token):
    if headers.get("host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
        return 421
    if "origin" in headers:
        return 403
    shown = headers.get("authorization", "")
    right = hmac.compare_digest(shown.encode(), f"Bearer {token}".encode())
    return 200 if right else 401"""


def _statuses(answer: Any, requests: Sequence[Headers]) -> set[Any]:
    return {answer(dict(headers), PORT, SECRET) for headers in requests}


def _without(name: str) -> Headers:
    return {key: value for key, value in OWN.items() if key != name}


def _is_guard(answer: Any) -> bool:
    return callable(answer) and all(type(status) is int for status in _statuses(answer, [OWN]))


def _lets_in(answer: Any) -> bool:
    return _statuses(answer, LET_IN) == {200}


def _token(answer: Any) -> bool:
    wrong = [{**OWN, "authorization": shown} for shown in WRONG_TOKENS]
    return _statuses(answer, [*wrong, _without("authorization")]) == {401}


def _origin(answer: Any) -> bool:
    return _statuses(answer, [{**OWN, "origin": page} for page in PAGES]) == {403}


def _host(answer: Any) -> bool:
    foreign = [{**OWN, "host": host} for host in FOREIGN_HOSTS]
    return _statuses(answer, [*foreign, _without("host")]) == {421}


_DOOR = Exercise(
    number="12.3",
    goal="Decide who may ask a sidecar, from the headers of a request.",
    starter=_TOKEN_ONLY,
    rules=(
        Rule(
            name=IS_GUARD,
            test=_is_guard,
            hint="Keep the line: def answer(headers, port, token), and return a number.",
        ),
        Rule(
            name=LETS_IN,
            test=_lets_in,
            hint="The service has two names here: 127.0.0.1 and localhost, each with the port.",
        ),
        Rule(
            name=TOKEN,
            test=_token,
            hint="A longer text can hold the token too, and the header can be missing. Compare the "
            "whole value.",
        ),
        Rule(
            name=ORIGIN,
            test=_origin,
            hint="A program sends no Origin header. Look whether it is there, before the token.",
        ),
        Rule(
            name=HOST,
            test=_host,
            hint="127.0.0.1.games.example belongs to somebody else. Compare the whole value, with "
            "the port.",
        ),
    ),
    hints=(
        "Three headers decide: host, origin, authorization. Names are in lower case.",
        'headers.get("host") must equal one of two texts, and "origin" must not be there.',
        'The last is headers.get("authorization", "") == f"Bearer {token}".',
    ),
    source=_GUARD,
    wrong=(
        WrongAnswer(source="answer = 401", fails=IS_GUARD),
        WrongAnswer(
            source=_GUARD.replace(', f"localhost:{port}"', ","),
            fails=LETS_IN,
        ),
        WrongAnswer(source=_TOKEN_ONLY, fails=TOKEN),
        WrongAnswer(
            source='def answer(headers, port, token):\n    shown = headers.get("authorization")\n'
            '    return 200 if shown == f"Bearer {token}" else 401',
            fails=ORIGIN,
        ),
        WrongAnswer(
            source=_GUARD.replace('if "origin" in headers:', 'if headers.get("origin"):'),
            fails=ORIGIN,
        ),
        WrongAnswer(
            source=_GUARD.replace(
                'if headers.get("host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):',
                'if not headers.get("host", "").startswith(("127.0.0.1", "localhost")):',
            ),
            fails=HOST,
        ),
    ),
)

EXERCISES = (_LIST, _REQUEST, _DOOR)
