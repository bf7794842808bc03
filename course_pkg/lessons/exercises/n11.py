"""The exercises of notebook 11: two servers with one name, a result in text, and whom to ask.

The check of 11.1 opens real servers, as subprocesses, and watches the answer use them. Those of
11.2 and 11.3 call plain functions with what servers send.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer

# --- 11.1 -----------------------------------------------------------------------------------------

Ask: TypeAlias = Callable[[Mapping[str, Sequence[str]], str], Awaitable[Mapping[str, str]]]

IS_ASYNC = "The answer is an async function of targets and a query."
BOTH = "The outcome has one text for each server, and each is what that server's search found."
LEGAL = "Each text stands under the name that the model is offered, and a model's API takes it."
CLOSED = "When the answer is there, no connection is open."
ONE_DOWN = "A server that does not start costs its own tools only."

#: What a model's API takes as the name of a tool.
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

#: What only one of the two servers says about "Dune".
SIGNS = ('"year": 1965', '"price": 9.5')

#: What the client calls the task that keeps a connection open.
OWNER = "owner of an MCP connection"


def _program(name: str) -> list[str]:
    return [sys.executable, "-m", f"course_pkg.lessons.servers.{name}"]


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What an answer gave for two servers, and how many connections it left open."""

    texts: Any
    left_open: int


#: Servers take a second to start, so each answer is watched once for three rules.
_watched: WeakKeyDictionary[Any, _Seen] = WeakKeyDictionary()


async def _seen(answer: Ask) -> _Seen:
    if answer not in _watched:
        texts = await answer({"library": _program("library"), "shop": _program("shop")}, "Dune")
        _watched[answer] = _Seen(texts=texts, left_open=_open_connections())
    return _watched[answer]


def _open_connections() -> int:
    return sum(task.get_name() == OWNER and not task.done() for task in asyncio.all_tasks())


def _is_async(answer: Any) -> bool:
    if not inspect.iscoroutinefunction(answer):
        return False
    try:
        inspect.signature(answer).bind({}, "Dune")
    except TypeError:
        return False
    return True


async def _both(answer: Ask) -> bool:
    return _found((await _seen(answer)).texts) == sorted(SIGNS)


def _found(texts: Any) -> list[str]:
    """The signs that the texts hold, sorted; a text without exactly one counts as nothing."""
    if not isinstance(texts, Mapping):
        return []
    held = [[sign for sign in SIGNS if sign in str(text)] for text in texts.values()]
    return sorted("".join(signs) if len(signs) == 1 else "" for signs in held)


async def _legal(answer: Ask) -> bool:
    names = [str(name) for name in (await _seen(answer)).texts]
    return all(NAME.fullmatch(name) and name.endswith("search") for name in names)


async def _closed(answer: Ask) -> bool:
    return (await _seen(answer)).left_open == 0


async def _one_down(answer: Ask) -> bool:
    targets = {"museum": _program("museum"), "the.shop": _program("shop")}
    texts = await answer(targets, "Dune")
    return _found(texts) == [SIGNS[1]] and all(NAME.fullmatch(str(name)) for name in texts)


_FIRST_WINS = """\
from course_pkg import connect

async def answer(targets, query):
    tools = {}
    for name, target in targets.items():
        connection = await connect(target, name=name)
        for tool in connection.tools:
            tools.setdefault(tool.name, tool)
    return {"search": await tools["search"](query=query)}"""

_ALL_CALLABLE = """\
from course_pkg import Connections

async def answer(targets, query):
    async with Connections(targets) as servers:
        tools = servers.toolbox()
        names = [name for name in tools if name.endswith("search")]
        return {name: await tools[name](query=query) for name in names}"""

_BY_HAND = """\
from course_pkg import connect

async def answer(targets, query):
    texts = {}
    for name, target in targets.items():
        async with await connect(target, name=name) as connection:
            outcome = await connection.call("search", {"query": query})
        texts[f"{name}__search"] = outcome.text
    return texts"""

_CONNECT = Exercise(
    number="11.1",
    goal="Connect two servers that both have `search`, and make both callable.",
    starter=_FIRST_WINS,
    rules=(
        Rule(
            name=IS_ASYNC,
            test=_is_async,
            hint="Keep the line: async def answer(targets, query)",
        ),
        Rule(
            name=BOTH,
            test=_both,
            hint="The outcome is a dict with a text for the library and one for the shop. "
            "Which line throws the second search away?",
        ),
        Rule(
            name=LEGAL,
            test=_legal,
            hint="Letters, digits, _ and - are legal, and at most 64 of them. Keep the names of "
            "the toolbox.",
        ),
        Rule(
            name=CLOSED,
            test=_closed,
            hint="Each server is a program that runs until you close it. Connections works with "
            "async with.",
        ),
        Rule(
            name=ONE_DOWN,
            test=_one_down,
            hint="connect raises when a server does not start. Connections goes on without it.",
        ),
    ),
    hints=(
        "Connections(targets) opens many servers, and its toolbox gives each tool its own name.",
        "async with Connections(targets) as servers: opens them, and closes them at the end.",
        "Inside it: tools = servers.toolbox(), and await tools[name](query=query) for each name "
        "that ends in search.",
    ),
    source=_ALL_CALLABLE,
    wrong=(
        WrongAnswer(source="answer = {}", fails=IS_ASYNC),
        WrongAnswer(source="def answer(targets, query):\n    return {}", fails=IS_ASYNC),
        WrongAnswer(source=_FIRST_WINS, fails=BOTH),
        WrongAnswer(
            source=_FIRST_WINS.replace(
                "tools.setdefault(tool.name, tool)", "tools[tool.name] = tool"
            ),
            fails=BOTH,
        ),
        WrongAnswer(source=_BY_HAND.replace("__search", ".search"), fails=LEGAL),
        WrongAnswer(
            source=_ALL_CALLABLE.replace(
                "async with Connections(targets) as servers:",
                "servers = await Connections(targets).open()\n    if servers:",
            ),
            fails=CLOSED,
        ),
        WrongAnswer(source=_BY_HAND, fails=ONE_DOWN),
    ),
)

# --- 11.2 -----------------------------------------------------------------------------------------

Say: TypeAlias = Callable[[Mapping[str, Any]], str]

IS_TEXT = "The answer is a function of a result, and gives a text."
ALL_TEXTS = "All texts of a result are in the outcome, in their order."
NAMED = "A picture or a sound is named with its media type, and its data stays out."
RESOURCES = "A link is named with its URI, and an embedded text is read."
STRUCTURED = "Structured content that stands alone becomes JSON, and Chinese stays readable."
UNKNOWN = "A block of an unknown type is named, and nothing is raised."
SPEAKS = "The outcome is never empty, and an error without words says that it is an error."

#: The base64 of a picture: many characters that mean nothing to a reader.
DATA = "iVBORw0KGgo" * 400


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _result(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"content": list(blocks), "isError": False, **more}


PICTURE = {"type": "image", "mimeType": "image/png", "data": DATA}
SOUND = {"type": "audio", "mimeType": "audio/wav", "data": DATA}
LINK = {"type": "resource_link", "name": "chapter", "uri": "library://chapters/Dune"}
EMBEDDED = {
    "type": "resource",
    "resource": {"uri": "library://rules", "mimeType": "text/plain", "text": "Two weeks."},
}
PACKED = {
    "type": "resource",
    "resource": {"uri": "library://map", "mimeType": "application/pdf", "blob": DATA},
}


def _material() -> list[dict[str, Any]]:
    """Results as servers send them."""
    return [
        _result(_text("Dune."), PICTURE, LINK, _text("On loan.")),
        _result(EMBEDDED),
        _result(structuredContent={"title": "红楼梦", "copies": 3}),
        _result(_text("There is no such book."), isError=True),
        _result({"type": "hologram", "data": "…"}),
        _result(),
    ]


def _is_text(answer: Any) -> bool:
    return isinstance(answer(_result(_text("Dune."))), str)


def _all_texts(answer: Say) -> bool:
    many = [["Dune."], ["Dune.", "On loan."], ["b", "a", "b"], ["红楼梦", "", "It is here."]]
    said = [answer(_result(*[_text(text) for text in texts])) for texts in many]
    mixed = answer(_result(_text("Dune."), PICTURE, LINK, _text("On loan.")))
    return all(map(_in_order, [*said, mixed], [*many, ["Dune.", "On loan."]]))


def _in_order(said: str, texts: Sequence[str]) -> bool:
    pattern = ".*".join(re.escape(text) for text in texts)
    return re.search(pattern, said, re.DOTALL) is not None


def _named(answer: Say) -> bool:
    blocks = {"image/png": PICTURE, "audio/wav": SOUND}
    said = {
        kind: [answer(_result(block)), answer(_result(_text("Dune."), block))]
        for kind, block in blocks.items()
    }
    return all(
        kind in text and DATA[:40] not in text for kind, texts in said.items() for text in texts
    )


def _resources(answer: Say) -> bool:
    linked, embedded, packed = (answer(_result(block)) for block in (LINK, EMBEDDED, PACKED))
    return (
        "library://chapters/Dune" in linked
        and "Two weeks." in embedded
        and "library://map" in packed
        and DATA[:40] not in packed
    )


def _structured(answer: Say) -> bool:
    values: list[Any] = [{"title": "红楼梦", "copies": 3}, {"found": []}, {"free": 0}]
    said = [answer(_result(structuredContent=value)) for value in values]
    readable = "红楼梦" in said[0]
    return readable and all(map(_holds_json, said, values))


def _holds_json(text: str, value: Any) -> bool:
    try:
        return bool(json.loads(text[text.index("{") : text.rindex("}") + 1]) == value)
    except ValueError:
        return False


def _unknown(answer: Say) -> bool:
    said = answer(_result(_text("Look:"), {"type": "hologram", "data": "…"}, _text("End.")))
    return "hologram" in said and _in_order(said, ["Look:", "End."])


def _speaks(answer: Say) -> bool:
    empty = answer(_result())
    silent = answer(_result(isError=True))
    told = answer(_result(_text("There is no such book."), isError=True))
    return (
        bool(empty.strip())
        and "error" in silent.casefold()
        and "There is no such book." in told
        and "error" not in empty.casefold()
    )


_FIRST_BLOCK = """\
def answer(result):
    return result["content"][0]["text"]"""

_ALL_BLOCKS = """\
import json

def say(block):
    kind = block["type"]
    if kind == "text":
        return block["text"]
    if kind in ("image", "audio"):
        return f"[{kind}, {block['mimeType']}, not shown]"
    if kind == "resource_link":
        return f"[link to {block['uri']}]"
    if kind == "resource":
        inner = block["resource"]
        return inner.get("text", f"[resource {inner['uri']}, not shown]")
    return f"[a block of the type {kind}, not shown]"

def answer(result):
    parts = [say(block) for block in result["content"]]
    if not parts and "structuredContent" in result:
        parts = [json.dumps(result["structuredContent"], ensure_ascii=False)]
    if not parts:
        parts = ["An error without words." if result["isError"] else "Done, without a result."]
    return "\\n".join(parts)"""

_SAY = Exercise(
    number="11.2",
    goal="Turn a result with several blocks into the text that the model reads.",
    starter=_FIRST_BLOCK,
    make_material=_material,
    rules=(
        Rule(name=IS_TEXT, test=_is_text, hint="Define answer(result), and return a text."),
        Rule(
            name=ALL_TEXTS,
            test=_all_texts,
            hint="Go through the whole content. The last block may hold what matters.",
        ),
        Rule(
            name=NAMED,
            test=_named,
            hint="A sentence with the media type is enough: [image, image/png, not shown].",
        ),
        Rule(
            name=RESOURCES,
            test=_resources,
            hint="A resource_link has a uri. A resource has an inner object, with text or blob.",
        ),
        Rule(
            name=STRUCTURED,
            test=_structured,
            hint="Look at structuredContent when there is no block. json.dumps escapes Chinese "
            "unless it is told not to.",
        ),
        Rule(
            name=UNKNOWN,
            test=_unknown,
            hint="The protocol grows. What does your function say for the type 'hologram'?",
        ),
        Rule(
            name=SPEAKS,
            test=_speaks,
            hint="What does your function give when content is empty, and isError is true or not?",
        ),
    ),
    hints=(
        'Make one text for each block, by block["type"], and join them with line breaks.',
        "The types are text, image, audio, resource_link and resource. Any other gets its name.",
        'No blocks: json.dumps(result["structuredContent"], ensure_ascii=False) if it is there; '
        "else a sentence that depends on isError.",
    ),
    source=_ALL_BLOCKS,
    wrong=(
        WrongAnswer(source="answer = 5", fails=IS_TEXT),
        WrongAnswer(source="def answer(result):\n    return result", fails=IS_TEXT),
        WrongAnswer(source=_FIRST_BLOCK, fails=ALL_TEXTS),
        WrongAnswer(
            source=_ALL_BLOCKS.replace('"\\n".join(parts)', '"\\n".join(reversed(parts))'),
            fails=ALL_TEXTS,
        ),
        WrongAnswer(
            source="import json\n\ndef answer(result):\n    return '\\n'.join("
            "block.get('text', json.dumps(block)) for block in result['content'])",
            fails=NAMED,
        ),
        WrongAnswer(
            source=_ALL_BLOCKS.replace(
                'inner.get("text", f"[resource {inner[\'uri\']}, not shown]")',
                "f\"[resource {inner['uri']}, not shown]\"",
            ),
            fails=RESOURCES,
        ),
        WrongAnswer(source=_ALL_BLOCKS.replace(", ensure_ascii=False", ""), fails=STRUCTURED),
        WrongAnswer(
            source=_ALL_BLOCKS.replace(
                '    return f"[a block of the type {kind}, not shown]"', ""
            ).replace("parts = [say(block) for", "parts = [say(block) or '' for"),
            fails=UNKNOWN,
        ),
        WrongAnswer(
            source=_ALL_BLOCKS.replace('"An error without words." if result["isError"] else ', ""),
            fails=SPEAKS,
        ),
    ),
)

# --- 11.3 -----------------------------------------------------------------------------------------

Judge: TypeAlias = Callable[[str, Any, set[str]], bool]

IS_JUDGE = "The answer is a function of a server, hints and trusted, and gives True or False."
FREE = "A tool of a trusted server whose hint says read-only runs without a question."
NO_HINT = "A tool without the hint may change something, so somebody is asked."
STRANGER = "A server that is not trusted is not believed, whatever it says."
EXACT = "Only the value true is a hint; a text or a number is not."

#: Hints without a true readOnlyHint.
CHANGING: tuple[Any, ...] = (
    None,
    {},
    {"readOnlyHint": False},
    {"destructiveHint": False},
    {"title": "Search"},
)
TRUSTED = {"library", "handbook"}
READ_ONLY = {"readOnlyHint": True}

_BELIEVES = """\
def answer(server, hints, trusted):
    return not hints["readOnlyHint"]"""

_JUDGED = """\
def answer(server, hints, trusted):
    read_only = isinstance(hints, dict) and hints.get("readOnlyHint") is True
    return server not in trusted or not read_only"""


def _judged(answer: Judge, server: str, hints: Any) -> Any:
    return answer(server, hints, set(TRUSTED))


def _is_judge(answer: Any) -> bool:
    return all(isinstance(_judged(answer, name, READ_ONLY), bool) for name in ("library", "shop"))


def _free(answer: Judge) -> bool:
    more = {"readOnlyHint": True, "title": "Search"}
    return not any(
        _judged(answer, name, hints) for name, hints in product(TRUSTED, (READ_ONLY, more))
    )


def _no_hint(answer: Judge) -> bool:
    return all(_judged(answer, name, hints) for name, hints in product(TRUSTED, CHANGING))


def _stranger(answer: Judge) -> bool:
    hints = (READ_ONLY, *CHANGING)
    return all(_judged(answer, name, one) for name, one in product(("shop", "librar\u0443"), hints))


def _exact(answer: Judge) -> bool:
    return all(_judged(answer, "library", {"readOnlyHint": said}) for said in ("false", "true", 1))


_APPROVAL = Exercise(
    number="11.3",
    goal="Decide whether a person is asked before a remote tool runs.",
    starter=_BELIEVES,
    rules=(
        Rule(name=IS_JUDGE, test=_is_judge, hint="Return True to ask, and False to run at once."),
        Rule(name=FREE, test=_free, hint="Being asked about each search makes people click yes."),
        Rule(
            name=NO_HINT,
            test=_no_hint,
            hint="Hints are optional: hints may be None, and readOnlyHint may be missing.",
        ),
        Rule(
            name=STRANGER,
            test=_stranger,
            hint="Who wrote the hint? Look whether the server is in trusted first.",
        ),
        Rule(
            name=EXACT,
            test=_exact,
            hint='The text "false" counts as true in an if. Compare with: is True',
        ),
    ),
    hints=(
        "Two things must both hold before a tool runs without a question.",
        "The server is in trusted, and hints is a dict whose readOnlyHint is True.",
        'read_only = isinstance(hints, dict) and hints.get("readOnlyHint") is True',
    ),
    source=_JUDGED,
    wrong=(
        WrongAnswer(source="answer = True", fails=IS_JUDGE),
        WrongAnswer(source="def answer(server, hints, trusted):\n    return True", fails=FREE),
        WrongAnswer(source=_BELIEVES, fails=NO_HINT),
        WrongAnswer(source=_JUDGED.replace("server not in trusted or ", ""), fails=STRANGER),
        WrongAnswer(source=_JUDGED.replace(" is True", ""), fails=EXACT),
    ),
)

EXERCISES = (_CONNECT, _SAY, _APPROVAL)
