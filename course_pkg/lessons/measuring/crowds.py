"""The five tools among others: how the number of tools changes what a model does.

In: how many tools, and how well they are worded. Out: definitions for one request, and scores over
all requests. The others are plausible tools of other programs; none of them is ever the right one.
Knows nothing of charts.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from course_pkg.lessons.measuring.prompts import Prompt, data_text, prompts
from course_pkg.lessons.measuring.scoring import Asks, Score, mark
from course_pkg.lessons.measuring.wordings import VAGUE_DESCRIPTION, Definition, define
from course_pkg.samples import toolbox

Crowd: TypeAlias = Literal["good", "rough"]

#: How many tools are on offer in the curve from few to many.
SIZES = (1, 5, 10, 20, 30, 40, 50)


@functools.cache
def everything(wording: Crowd) -> tuple[Definition, ...]:
    """All 50 definitions, the five of the course first.

    Args:
        wording: `good`; or `rough`: of the name only the verb is left (`get_data`, `get_data_2`),
            and the description is one sentence that fits everything.
    """
    good = [*toolbox().definitions(), *map(_definition, json.loads(data_text("others.json")))]
    return tuple(good if wording == "good" else _rough(good))


def _definition(row: Any) -> Definition:
    return define(row["name"], row["description"], **row["parameters"])


def _rough(definitions: Sequence[Definition]) -> list[Definition]:
    rough, taken = [], set[str]()
    for definition in copy.deepcopy(definitions):
        function = definition["function"]
        name = base = f"{function['name'].split('_')[0]}_data"
        number = 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name)
        rough.append(definition | {"function": _named(function, name)})
    return rough


def _named(function: Definition, name: str) -> Definition:
    return function | {"name": name, "description": VAGUE_DESCRIPTION}


def crowd(size: int, prompt: Prompt, wording: Crowd = "good") -> list[Definition]:
    """The tools on offer for one request: the right one, then more up to `size`.

    Of one tool, it is the right one alone; from five on, all five of the course come first.

    Args:
        size: how many tools, 1 to 50.
        prompt: the request.
        wording: `good` or `rough`.

    Raises:
        ValueError: if there are not so many tools.
    """
    every = everything(wording)
    if not 1 <= size <= len(every):
        raise ValueError(f"There are 1 to {len(every)} tools to offer, not {size}.")
    right = list(toolbox()).index(prompt.tool)
    others = [place for place in range(len(every)) if place != right]
    return [every[place] for place in sorted([right, *others[: size - 1]])]


def crowd_meanings(wording: Crowd) -> dict[str, str]:
    """From the name of each definition to the name of the function that it means."""
    pairs = zip(everything(wording), everything("good"), strict=True)
    return {shown["function"]["name"]: good["function"]["name"] for shown, good in pairs}


async def measure_crowds(
    client: Asks,
    wording: Crowd = "good",
    *,
    sizes: Sequence[int] = SIZES,
    advance: Callable[[], None] | None = None,
    **options: Any,
) -> tuple[Score, ...]:
    """Send the 30 requests once for each number of tools.

    Args:
        client: which model to ask.
        wording: `good` or `rough`.
        sizes: how many tools are on offer.
        advance: called after each request, by a progress bar for example.
        options: more fields of each request.

    Returns:
        One score for each size, named by it.

    Raises:
        ModelError: if the service fails.
    """
    means, scores = crowd_meanings(wording), []
    for size in sizes:
        marks = []
        for prompt in prompts():
            offered = crowd(size, prompt, wording)
            marks.append(await mark(client, prompt, offered, means, **options))
            if advance is not None:
                advance()
        name = f"{size} {'tool' if size == 1 else 'tools'}, {wording} wording"
        scores.append(Score(name=name, marks=tuple(marks)))
    return tuple(scores)
