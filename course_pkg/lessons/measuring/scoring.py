"""Run the same requests over a toolbox with any model, and count what came out right.

In: a client and definitions. Out: a frozen `Score` with one `Mark` a request. Three things are
counted, each a part of the one before: the right tool, arguments that fit the function's schema,
arguments that say what the request says. Sizes are those of the recorded bytes. No tool is run.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from course_pkg.conversation import start
from course_pkg.lessons.measuring.chance import mcnemar
from course_pkg.lessons.measuring.prompts import Prompt, are_right, are_valid, prompts
from course_pkg.lessons.measuring.wordings import as_meant, meanings
from course_pkg.model import Reply
from course_pkg.samples import toolbox
from course_pkg.tools import Tool, Toolbox, as_tool
from course_pkg.wire import Recorder

#: A difference is called shown when chance alone would make one so large more rarely than this.
SHOWN_BELOW = 0.05
#: Smaller chances are told as "less than that".
SMALLEST_TOLD = 0.0001


class Asks(Protocol):
    """Whatever can be asked: a `ModelClient`, say."""

    async def ask(self, messages: Any, tools: Any = (), **options: Any) -> Reply:
        """Send a conversation and tools, and give the reply."""
        ...


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What came of one request.

    Attributes:
        prompt: the request.
        called: the names that the model called, as it wrote them.
        arguments: the arguments of the first call under the function's own names.
        right_tool: whether the right tool was called, once, and no other.
        valid: whether the arguments fit the function's schema too.
        right: whether they say what the request says too.
        request_bytes: how many bytes the request had; 0 where nothing crossed a wire.
        prompt_tokens: how many tokens it had, as the service counted.
    """

    prompt: Prompt
    called: tuple[str, ...]
    arguments: Mapping[str, Any] | None = field(default=None)
    right_tool: bool = False
    valid: bool = False
    right: bool = False
    request_bytes: int = 0
    prompt_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class Score:
    """What came of all requests with one toolbox.

    Attributes:
        name: what to call the toolbox.
        marks: one for each request, in order.
    """

    name: str
    marks: tuple[Mark, ...] = field(repr=False)

    @property
    def of(self) -> int:
        """How many requests there were."""
        return len(self.marks)

    @property
    def right_tool(self) -> int:
        """How many requests reached the right tool."""
        return sum(mark.right_tool for mark in self.marks)

    @property
    def valid(self) -> int:
        """How many of those had arguments that fit the function's schema."""
        return sum(mark.valid for mark in self.marks)

    @property
    def right(self) -> int:
        """How many of those had arguments that say what the request says."""
        return sum(mark.right for mark in self.marks)

    @property
    def request_bytes(self) -> int:
        """Bytes of a request, on average, rounded."""
        return round(statistics.fmean(mark.request_bytes for mark in self.marks))

    @property
    def prompt_tokens(self) -> int:
        """Tokens of a request, on average, rounded, as the service counted them."""
        return round(statistics.fmean(mark.prompt_tokens for mark in self.marks))

    def __repr__(self) -> str:
        """The counts in one line."""
        return (
            f"{self.name}: right tool {self.right_tool}, valid arguments {self.valid}, right "
            f"arguments {self.right}, of {self.of}; {self.request_bytes:,} bytes and "
            f"{self.prompt_tokens:,} tokens a request"
        )


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two scores over the same requests, request by request.

    Attributes:
        first: the name of the first toolbox.
        second: the name of the second.
        lost: requests that only the first got right.
        gained: requests that only the second got right.
        chance: how likely so large a difference is if there is none (exact McNemar test).
    """

    first: str
    second: str
    lost: int
    gained: int
    chance: float

    @property
    def is_shown(self) -> bool:
        """Whether chance alone would rarely make so large a difference."""
        return self.chance < SHOWN_BELOW

    def __repr__(self) -> str:
        """The difference in one sentence."""
        verdict = "a difference is shown" if self.is_shown else "no difference is shown"
        chance = f"p = {self.chance:.4f}" if self.chance >= SMALLEST_TOLD else "p < 0.0001"
        return (
            f"From {self.first!r} to {self.second!r}: {self.lost} lost, {self.gained} gained, "
            f"{chance}; {verdict}"
        )


async def measure(
    client: Asks,
    tools: Toolbox | Sequence[Tool | Mapping[str, Any]],
    *,
    name: str = "toolbox",
    requests: Sequence[Prompt] | None = None,
    advance: Callable[[], None] | None = None,
    **options: Any,
) -> Score:
    """Send every request once, each in a conversation of its own, and score the first reply.

    Args:
        client: which model to ask.
        tools: definitions or tools that mean the five functions, in their order. More may follow;
            those are never right.
        name: what to call the toolbox in tables and charts.
        requests: other requests than the 30.
        advance: called after each request, by a progress bar for example.
        options: more fields of each request, for example `temperature=0`.

    Raises:
        ModelError: if the service fails or refuses the definitions.
    """
    definitions = as_definitions(tools)
    marks = []
    for prompt in prompts() if requests is None else requests:
        marks.append(await mark(client, prompt, definitions, meanings(definitions), **options))
        if advance is not None:
            advance()
    return Score(name=name, marks=tuple(marks))


async def mark(
    client: Asks,
    prompt: Prompt,
    definitions: Sequence[Mapping[str, Any]],
    means: Mapping[str, str],
    **options: Any,
) -> Mark:
    """Send one request and mark the reply.

    Args:
        client: which model to ask.
        prompt: the request.
        definitions: the tools on offer.
        means: from the names of definitions to the functions that they mean.
        options: more fields of the request.
    """
    with Recorder() as recorder:
        reply = await client.ask(start(prompt.text), definitions, **options)
    sent = [len(frame.body) for frame in recorder.frames if frame.direction == "sent"]
    judged = judge(reply, prompt, definitions, means)
    return replace(judged, request_bytes=sum(sent[-1:]), prompt_tokens=reply.usage.prompt_tokens)


def judge(
    reply: Reply,
    prompt: Prompt,
    definitions: Iterable[Mapping[str, Any]],
    means: Mapping[str, str],
) -> Mark:
    """The mark of a reply, sizes left at 0.

    Args:
        reply: what the model said.
        prompt: the request.
        definitions: the tools on offer.
        means: from the names of definitions to the functions that they mean.
    """
    called = tuple(call.name for call in reply.calls)
    if len(called) != 1 or means.get(called[0]) != prompt.tool:
        return Mark(prompt=prompt, called=called)
    given = _object(reply.calls[0].arguments)
    if given is None:
        return Mark(prompt=prompt, called=called, right_tool=True)
    functions = toolbox()
    shown = _schema_of(called[0], definitions)
    arguments = as_meant(given, shown, functions, prompt.tool)
    tool = functions[prompt.tool]
    valid = are_valid(arguments, tool)
    return Mark(
        prompt=prompt,
        called=called,
        arguments=arguments,
        right_tool=True,
        valid=valid,
        right=valid and are_right(arguments, prompt, tool),
    )


def difference(first: Score, second: Score) -> Difference:
    """Compare two scores request by request: which right answers were lost, which gained.

    Raises:
        ValueError: if the two were not measured with the same requests.
    """
    if [mark.prompt for mark in first.marks] != [mark.prompt for mark in second.marks]:
        raise ValueError("The two scores are of different requests. Measure both with the same.")
    pairs = [(one.right, two.right) for one, two in zip(first.marks, second.marks, strict=True)]
    lost, gained = pairs.count((True, False)), pairs.count((False, True))
    return Difference(
        first=first.name,
        second=second.name,
        lost=lost,
        gained=gained,
        chance=mcnemar(lost, gained),
    )


def as_definitions(
    tools: Toolbox | Sequence[Tool | Mapping[str, Any]],
) -> list[Mapping[str, Any]]:
    """The `tools` array of a request, from tools, from definitions, or from both."""
    listed = tools.values() if isinstance(tools, Toolbox) else tools
    return [item if isinstance(item, Mapping) else as_tool(item).definition() for item in listed]


def _schema_of(name: str, definitions: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    found = (item["function"] for item in definitions if item["function"]["name"] == name)
    schema: Mapping[str, Any] = next(found).get("parameters") or {}
    return schema


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
