"""Tools that can do too much, and parameters that ask for too much.

In: an offer. Out: suspicions about its schema: a free command, statement, path or address; a change
that nobody is asked about; a parameter that carries the conversation away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from course_pkg.schema.places import Steps, all_schemas, pointer
from course_pkg.schema.references import followed
from course_pkg.tools.hidden import revealed, without_hidden
from course_pkg.tools.suspicions.letters import as_latin
from course_pkg.tools.suspicions.orders import CONTEXT
from course_pkg.tools.suspicions.reading import Offer, shown
from course_pkg.tools.suspicions.suspicion import Suspicion

#: What limits a text to values that were thought of before.
LIMITS = frozenset({"const", "enum", "pattern"})
#: Words by which a description says that a path cannot lead anywhere.
BOUND = re.compile(
    r"\b(?:inside|within|relative|below|under|only files|in the \w+ folder|allowed folder)"
    r"|(?:相对路径|文件夹(?:内|中)|目录(?:内|中|下))",
    re.IGNORECASE,
)
#: Verbs that say of a tool that it changes something outside. `add` or `merge` may be arithmetic.
CHANGING = re.compile(
    r"(?:book|buy|cancel|charge|create|delete|deploy|execute|forward|grant|insert|install|invite|"
    r"kill|overwrite|pay|post|publish|purchase|refund|rename|revoke|send|submit|transfer|update|"
    r"upload|wipe|withdraw|write)(?:[A-Z_./ -]|$)"
)
#: Names of parameters, without the signs between words, that carry more than a call needs.
CONTEXT_NAMES = """
sidenote sidenotes notetoself conversation conversationhistory conversationcontext chathistory
chatlog messagehistory systemprompt systemmessage systeminstructions previousmessages priormessages
allmessages chainofthought reasoning innermonologue toolcallhistory previoustoolcalls toollist
toolslist availabletools sessiontoken usercredentials credentials privatekey
"""
COMMAND_NAMES = """
command commands cmd commandline shell shellcommand script bash powershell pythoncode javascript
argv codetorun
"""
SQL_NAMES = "sql sqlquery sqlstatement rawquery dbquery cypher"
PATH_NAMES = """
path filepath file filename fullpath absolutepath directory dir dirpath folderpath sourcepath
targetpath destinationpath outputpath inputpath
"""
ADDRESS_NAMES = "url uri webhook webhookurl callbackurl targeturl"
SMUGGLING = frozenset(CONTEXT_NAMES.split())


@dataclass(frozen=True, kw_only=True)
class Power:
    """A kind of parameter that can do anything if nothing limits it.

    Attributes:
        code: the finding's code.
        names: what such a parameter is called, without the signs between words.
        text: why it matters.
        fix: what to do.
        words_count: whether words in a description count as a limit, since a schema has none.
    """

    code: str
    names: frozenset[str]
    text: str
    fix: str
    words_count: bool = False


POWERS = (
    Power(
        code="free_command",
        names=frozenset(COMMAND_NAMES.split()),
        text="takes any command or code. Whoever words the call runs what they like here.",
        fix="Offer a fixed choice (enum) of what may run, with arguments of their own.",
    ),
    Power(
        code="free_sql",
        names=frozenset(SQL_NAMES.split()),
        text="takes any statement for a database, DELETE and DROP too.",
        fix="Offer one tool for each question, with arguments, or an account that only reads.",
    ),
    Power(
        code="free_path",
        names=frozenset(PATH_NAMES.split()),
        text="takes any path, and nothing says that it stays in one folder.",
        fix="Keep it inside one folder in the tool's code, and say so in the description.",
        words_count=True,
    ),
    Power(
        code="free_address",
        names=frozenset(ADDRESS_NAMES.split()),
        text="takes any address, those inside your own network too.",
        fix="Allow a list of hosts, in the tool's code and as a pattern in the schema.",
    ),
)


def power_suspicions(offer: Offer) -> Iterator[Suspicion]:
    """What the tool could do that it should not.

    Args:
        offer: one tool.
    """
    yield from _of_effects(offer)
    for steps, part in all_schemas(offer.schema):
        if len(steps) > 1 and steps[-2] == "properties" and isinstance(steps[-1], str):
            yield from _of_parameter(offer, steps, followed(part, offer.schema))


def _of_effects(offer: Offer) -> Iterator[Suspicion]:
    if offer.asks_first is False and CHANGING.match(offer.name):
        yield Suspicion(
            code="effect_without_approval",
            server=offer.server,
            tool=revealed(offer.name),
            path="name",
            text="By its name it changes something outside, and it is marked as one that does not: "
            "it would run without anybody being asked.",
            fix="Mark it as a tool with a side effect before you offer it.",
            shown=shown(offer.name),
        )


def _of_parameter(offer: Offer, steps: Steps, part: Any) -> Iterator[Suspicion]:
    name, part = str(steps[-1]), part if isinstance(part, Mapping) else {}
    plain = re.sub(r"[\W_]", "", as_latin(without_hidden(name))).casefold()
    told = part.get("description")
    told = as_latin(without_hidden(told)) if isinstance(told, str) else ""
    if plain in SMUGGLING or re.search(CONTEXT, told, re.IGNORECASE):
        yield _suspicion(
            offer,
            steps,
            "smuggles_context",
            "asks for something that the call does not need: the conversation, instructions or "
            "keys would leave with it.",
            "Take the parameter out before the model sees the tool, or do not use the tool.",
            told or name,
        )
    for power in POWERS:
        if plain in power.names and _is_free(part):
            said = f"{offer.description} {told}" if power.words_count else ""
            if not BOUND.search(said):
                yield _suspicion(offer, steps, power.code, power.text, power.fix, told or name)


def _suspicion(offer: Offer, steps: Steps, code: str, text: str, fix: str, value: str) -> Suspicion:
    return Suspicion(
        code=code,
        server=offer.server,
        tool=revealed(offer.name),
        path=revealed(pointer(steps)),
        text=f"The parameter {shown(str(steps[-1]))} {text}",
        fix=fix,
        shown=shown(value),
    )


def _is_free(part: Mapping[str, Any]) -> bool:
    """Whether a part of a schema takes any text, or a list of any texts."""
    kinds = part.get("type", "string")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if not LIMITS.isdisjoint(part):
        return False
    if "array" in kinds:
        items = part.get("items")
        return _is_free(items if isinstance(items, Mapping) else {})
    choices = part.get("anyOf", part.get("oneOf"))
    if isinstance(choices, list) and "type" not in part:
        return any(isinstance(one, Mapping) and _is_free(one) for one in choices)
    return "string" in kinds
