"""Run the failures of the practice model against two loops: a much-copied one, and the course's.

In: a failure's name. Out: a view of both recordings and both endings. It joins the practice model,
the widgets and the loop, which do not know one another. It talks to the practice model only,
whatever the learner's settings say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from course_pkg.executor import FastClock
from course_pkg.lessons.naive import NeverEndsError, naive_loop
from course_pkg.loop import Outcome, run
from course_pkg.model import ModelClient, ModelError, Settings
from course_pkg.model.settings import NO_KEY_NEEDED
from course_pkg.practice import gallery, serve_in_background
from course_pkg.samples import toolbox
from course_pkg.tools import Tool, Toolbox
from course_pkg.widgets import gallery as views
from course_pkg.widgets.visible import cut
from course_pkg.wire import Recorder

if TYPE_CHECKING:
    from course_pkg.practice import Fault
    from course_pkg.widgets.union_forms import View

NAIVE = "A naive loop"
OURS = "The course's loop"

#: What a failure needs → the tool that its question is about.
TOOLS = {"integer": "search_docs", "boolean": "send_message", "array": "send_emails"}

#: How a loop ended is told in so many characters at most.
MAX_ENDING_CHARS = 200

SENT = {"status": "sent"}


def entries() -> tuple[views.Entry, ...]:
    """All failures of the practice model, by group."""
    return tuple(_entry(fault) for fault in _faults().values())


async def compare_failure(name: str) -> View:
    """Both loops meet one failure. A cell that ends in it shows both wires and both endings.

    Args:
        name: the failure's name, out of those that `failure_gallery()` lists.

    Raises:
        KeyError: if there is none of that name, with the names that come near.
    """
    fault = _fault(name)
    return views.side_by_side(_entry(fault), await _both(fault))


async def compare_failures(*names: str) -> View:
    """The same for several failures, as a table of endings.

    Args:
        names: their names, at least one.

    Raises:
        KeyError: if there is none of that name.
    """
    faults = [_fault(name) for name in names]
    return views.endings([(_entry(fault), await _both(fault)) for fault in faults])


def failure_gallery() -> None:
    """Show all failures by group and, in JupyterLab, a form that runs the one you choose."""
    views.gallery(entries(), lambda entry: _both(_fault(entry.name)))


async def _both(fault: Fault) -> Sequence[views.Side]:
    return [await _naive(fault), await _ours(fault)]


async def _naive(fault: Fault) -> views.Side:
    import httpx2

    with Recorder() as recorder:
        async with httpx2.AsyncClient(base_url=serve_in_background()) as http:
            http.headers["authorization"] = f"Bearer {NO_KEY_NEEDED}"
            try:
                said = await naive_loop(
                    fault.question, _tools(fault), http, fault.model, **fault.options
                )
                ending, good = _answer(said)
            except NeverEndsError as error:
                ending, good = str(error), False
            except Exception as error:
                ending, good = f"Ends with {type(error).__name__}: {error}", False
    return _side(NAIVE, ending, recorder, good=good)


async def _ours(fault: Fault) -> views.Side:
    practice = Settings(
        kind="practice", base_url=serve_in_background(), model=fault.model, api_key=NO_KEY_NEEDED
    )
    with Recorder() as recorder:
        async with ModelClient(practice, clock=FastClock()) as client:
            try:
                outcome = await run(fault.question, _tools(fault), client, **fault.options)
                ending, good = _outcome(outcome), True
            except ModelError as error:
                ending, good = f"Says what is wrong ({error.kind}): {error}", True
    return _side(OURS, ending, recorder, good=good)


def _answer(said: Any) -> tuple[str, bool]:
    if isinstance(said, str) and said.strip():
        return f"Gives the user this as an answer: {said}", True
    return f"Gives the user {said!r} as an answer.", False


def _outcome(outcome: Outcome) -> str:
    count = outcome.failed_calls
    failed = f" ({count} failed {'call' if count == 1 else 'calls'} on the way)" if count else ""
    return f"{outcome.reason}{failed}: {outcome.answer or 'no text'}"


def _side(title: str, ending: str, recorder: Recorder, *, good: bool) -> views.Side:
    ending = cut(" ".join(ending.split()), MAX_ENDING_CHARS)
    return views.Side(title=title, ending=ending, good=good, frames=recorder.frames)


def _entry(fault: Fault) -> views.Entry:
    return views.Entry(
        name=fault.name,
        title=fault.title,
        says=fault.says,
        group=fault.group,
        question=fault.question,
    )


@cache
def _faults() -> dict[str, Fault]:
    return {fault.name: fault for fault in gallery()}


def _fault(name: str) -> Fault:
    import difflib

    if name not in _faults():
        near = ", ".join(difflib.get_close_matches(name, _faults(), n=3)) or "none"
        raise KeyError(
            f"There is no failure named {name!r}. Names that come near: {near}. "
            "failure_gallery() lists all."
        )
    return _faults()[name]


def _tools(fault: Fault) -> Toolbox:
    """The tool that the question is about. Nothing is sent in the gallery."""
    return Toolbox(
        _harmless(tool) for tool in toolbox(TOOLS.get(fault.needs, "get_weather")).values()
    )


def _harmless(tool: Tool) -> Tool:
    return replace(tool, run=lambda **_: SENT) if tool.side_effect else tool
