"""Read what servers offer, and every text in it that a model may be shown.

In: tools or definitions, in the form of any interface. Out: `Offer`s. Not only descriptions can
carry orders: names of parameters, defaults, choices and titles are sent to the model as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from course_pkg.schema.linting.definitions import read_definition
from course_pkg.schema.places import pointer
from course_pkg.tools.hidden import revealed
from course_pkg.tools.tool import Tool
from course_pkg.tools.toolbox import Toolbox

#: A value is shown in so many characters at most.
MAX_SHOWN_CHARS = 160

#: No honest definition is nested deeper.
MAX_DEPTH = 100

#: Which keys of a definition hold the input schema.
SCHEMA_KEYS = frozenset({"inputSchema", "input_schema", "parameters"})

#: The place of a text, and the text.
Text: TypeAlias = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One tool that one server offers.

    Attributes:
        server: the server's name, with hidden characters written out; empty if none was given.
        name: the tool's name.
        description: what it is said to do.
        schema: its input schema; an empty object if there is none.
        raw: the definition as it came.
        asks_first: whether a person is asked before it runs; `None` if nothing says so.
    """

    server: str
    name: str
    description: str
    schema: Mapping[str, Any] = field(repr=False)
    raw: Any = field(repr=False)
    asks_first: bool | None = None


def read_offers(source: Any, server: str) -> list[Offer]:
    """Every tool that a source offers.

    Args:
        source: a tool, a toolbox, a definition, a list of them, or a result of `tools/list`.
        server: the server's name.

    Raises:
        ValueError: if something in it is no definition.
    """
    return [_offer(item, server) for item in _items(source)]


def shown(text: str, at: int = 0) -> str:
    """A value to show: around the place in question, on one line, with what hides written out.

    Args:
        text: the value.
        at: where to look.
    """
    start = max(0, at - MAX_SHOWN_CHARS // 4)
    part = revealed(text[start : start + MAX_SHOWN_CHARS])
    more = "…" if start + MAX_SHOWN_CHARS < len(text) else ""
    return f"{'…' if start else ''}{' '.join(part.split())}{more}"


def is_too_deep(value: Any) -> bool:
    """Whether a JSON value is nested deeper than `MAX_DEPTH`.

    Args:
        value: the value.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        parts = [list(one.values()) if isinstance(one, Mapping) else one for one in level]
        level = [inner for part in parts if isinstance(part, list) for inner in part]
    return bool(level)


def _items(source: Any) -> list[Any]:
    if isinstance(source, Toolbox):
        return list(source.values())
    if isinstance(source, Mapping):
        for key in ("tools", "functions"):
            if isinstance(source.get(key), list):
                return list(source[key])
        if isinstance(source.get("result"), Mapping):
            return _items(source["result"])
    listed = getattr(source, "tools", None)  # the SDK's result of tools/list
    if isinstance(listed, list):
        return listed
    return list(source) if isinstance(source, list | tuple) else [source]


def _offer(item: Any, server: str) -> Offer:
    raw = _as_json(item)
    read = read_definition(raw)
    return Offer(
        server=revealed(server),
        name=read.name,
        description=read.description,
        schema=read.schema if isinstance(read.schema, Mapping) else {},
        raw=raw.get("function", raw) if isinstance(raw, Mapping) else raw,
        asks_first=_asks_first(item, raw),
    )


def _as_json(item: Any) -> Any:
    if isinstance(item, Tool):
        return item.definition()
    dump = getattr(item, "model_dump", None)  # a tool of the MCP SDK
    return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else item


def _asks_first(item: Any, raw: Any) -> bool | None:
    if isinstance(item, Tool):
        return item.side_effect
    hints = raw.get("annotations") if isinstance(raw, Mapping) else None
    if not isinstance(hints, Mapping) or "readOnlyHint" not in hints:
        return None
    return hints["readOnlyHint"] is not True


def texts_of(offer: Offer) -> Iterator[Text]:
    """Each text of a definition with its place, the names of its parts included.

    Places deeper than `MAX_DEPTH` are told only so far.

    Args:
        offer: one tool.
    """
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), offer.raw)]
    while waiting:
        steps, value = waiting.pop()
        steps = steps[:MAX_DEPTH]
        if isinstance(value, str):
            yield _place(steps), value
        elif isinstance(value, Mapping):
            yield from ((_place((*steps, key)), key) for key in value if isinstance(key, str))
            inner = [((*steps, str(key)), part) for key, part in value.items()]
            waiting += reversed(inner)
        elif isinstance(value, list | tuple):
            waiting += reversed([((*steps, at), part) for at, part in enumerate(value)])


def _place(steps: tuple[str | int, ...]) -> str:
    if steps and steps[0] in SCHEMA_KEYS:
        return revealed(pointer(steps[1:]))
    return revealed(pointer(steps)[1:])
