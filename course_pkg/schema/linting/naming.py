"""Rules about the name of a tool.

Services take letters, digits, `_` and `-`, up to 64; MCP also `.` and `/`, up to 128. The house
rule is stricter: lower case, words joined by `_`, a verb first. A model guesses from the name alone
more often than one thinks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from course_pkg.schema.finding import Finding
from course_pkg.schema.linting.definitions import Definition
from course_pkg.schema.linting.verbs import is_a_verb
from course_pkg.schema.problem import shown

CHAT_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MCP_NAME = re.compile(r"[a-zA-Z0-9_./-]{1,128}")
HOUSE_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def name_findings(definition: Definition) -> Iterator[Finding]:
    """What is wrong with a name.

    Args:
        definition: a definition.
    """
    name = definition.name
    if not name:
        yield _finding("name_missing", "The tool has no name.", "Name it: get_weather.", "error")
        return
    legal = MCP_NAME if definition.form == "mcp" else CHAT_NAME
    if legal.fullmatch(name) is None:
        yield _finding(
            "name_illegal",
            f"{shown(name)} is refused: a name has 1 to {128 if legal is MCP_NAME else 64} letters "
            f"(a to z), digits, '_' and '-'{', dots and slashes' if legal is MCP_NAME else ''}.",
            f"Name it {suggested(name)}.",
            "error",
        )
    elif CHAT_NAME.fullmatch(name) is None:
        yield _finding(
            "name_needs_mapping",
            f"{shown(name)} is legal for MCP, and chat interfaces refuse it.",
            "Map it when the tool crosses over: tools.legal_names does it.",
        )
    elif HOUSE_NAME.fullmatch(name) is None:
        yield _finding(
            "name_not_snake_case",
            f"{shown(name)} is not written in lower case with words joined by '_'. One style for "
            "all names keeps a model from writing them in another.",
            f"Name it {suggested(name)}.",
            "advice",
        )
    # A server may put its own name before a dot or a slash.
    last = re.split(r"[./]", name)[-1]
    first = re.split(r"[^a-zA-Z]+", _snake(last))[0]
    if first and not is_a_verb(first):
        yield _finding(
            "name_no_verb",
            f"{shown(name)} does not begin with a verb, so it does not say what the tool does.",
            f"Begin with a verb: get_{suggested(last)}.",
        )


def suggested(name: str) -> str:
    """A name in the house style that is near to another.

    Args:
        name: any name.
    """
    plain = re.sub(r"[^a-z0-9]+", "_", _snake(name)).strip("_")[:64]
    return plain if plain and not plain[0].isdigit() else f"get_{plain}".rstrip("_")


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _finding(code: str, text: str, fix: str, severity: str = "warning") -> Finding:
    return Finding(code=code, path="name", text=text, fix=fix, severity=severity)
