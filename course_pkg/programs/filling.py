"""Put checked arguments into a program's argv list.

In: a `Program` and arguments as a model wrote them. Out: the list of texts that the operating
system is given, or a `RefusedError`. Nothing is started here, and no text is ever joined to a
command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from course_pkg.programs.errors import ProgramDefinitionError, RefusedError
from course_pkg.programs.parts import Option, Part, PathIn, Switch, Word
from course_pkg.programs.paths import confined, shown
from course_pkg.programs.program import Program
from course_pkg.schema import TooDeepError, check, explain

#: Windows takes 32,767 characters for a whole command.
MAX_WORD_CHARS = 4_000
MAX_ARGV_CHARS = 20_000

#: Beginnings of a word that programs may take for more than a word, and what they take it for.
TAKEN_FOR = {"-": "an option", "/": "an option or a path", "@": "a file of arguments"}


def argv_of(program: Program, arguments: Mapping[str, Any], *, folder: Path) -> list[str]:
    """The argv list for one run.

    Args:
        program: what to run.
        arguments: what the model gave.
        folder: the working folder; no path leaves it.

    Raises:
        RefusedError: if an argument does not fit the schema, could be taken for an option, or is a
            path that leads out.
    """
    if not folder.is_dir():
        raise RefusedError(f"{program.name} was not started: its working folder is not there.")
    _refuse_what_does_not_fit(program, arguments)
    try:
        argv = [*program.command, *_flags(program, arguments, folder)]
        free = [item for part in program.parts for item in _free(part, arguments, folder)]
    except RefusedError as error:
        raise RefusedError(f"{program.name} was not started: {error}") from None
    if free and program.double_dash:
        argv.append("--")
    argv += free
    if sum(map(len, argv)) > MAX_ARGV_CHARS:
        raise RefusedError(
            f"{program.name} was not started: its arguments are longer than {MAX_ARGV_CHARS:,} "
            "characters together. Send less."
        )
    return argv


def _refuse_what_does_not_fit(program: Program, arguments: Mapping[str, Any]) -> None:
    try:
        problems = check(dict(arguments), program.input_schema)
        reasons = explain(problems) if problems else ""
    except TooDeepError:
        reasons = "They are nested too deeply. Send a flatter value."
    if reasons:
        raise RefusedError(f"{program.name} was not started. Its arguments do not fit:\n{reasons}")


def _flags(program: Program, arguments: Mapping[str, Any], folder: Path) -> Iterator[str]:
    for part in program.parts:
        if isinstance(part, Switch) and arguments.get(part.argument) is True:
            yield part.flag
        elif isinstance(part, Option):
            for value in _values(part.value, arguments, folder, in_option=True):
                yield f"{part.flag}={value}"


def _free(part: Part, arguments: Mapping[str, Any], folder: Path) -> Iterator[str]:
    if isinstance(part, Word | PathIn):
        yield from _values(part, arguments, folder)


def _values(
    part: Word | PathIn, arguments: Mapping[str, Any], folder: Path, *, in_option: bool = False
) -> Iterator[str]:
    value = arguments.get(part.argument)
    for item in value if isinstance(value, list) else [] if value is None else [value]:
        if isinstance(part, PathIn):
            yield confined(folder, _text(item), kind=part.kind)
        elif in_option and not isinstance(item, str):
            yield _text(item)  # a negative number is no option here: it follows an equals sign
        else:
            yield _word(_text(item))


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ProgramDefinitionError(
            f"A {type(value).__name__} cannot be a word of a command. Let the schema take texts, "
            "numbers or lists of them; a boolean goes into a Switch."
        )
    return str(value)


def _word(text: str) -> str:
    if taken_for := TAKEN_FOR.get(text.lstrip()[:1]):
        raise RefusedError(
            f"{shown(text)} begins with {text.lstrip()[0]!r}, so a program could take it for "
            f"{taken_for}. Begin it with another character."
        )
    if len(text) > MAX_WORD_CHARS:
        raise RefusedError(f"{shown(text)} is longer than {MAX_WORD_CHARS:,} characters.")
    if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise RefusedError(f"{shown(text)} holds a NUL or half of a character.")
    return text
