"""The exercises of notebook 06: write the loop's body, and make an unfair scenario end.

The answers are functions. The checks let them talk to the practice model over its real server, and
look at the conversation and at what crossed the wire.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from course_pkg.conversation import Message, problems, start
from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.lessons.practice_client import practice_client

if TYPE_CHECKING:
    from course_pkg.wire import Frame

#: client, messages, toolbox → the model's last words
Body: TypeAlias = Callable[[Any, list[Message], Any], Awaitable[Any]]

PLAIN = "What is 12 * 7?"
TWO_CITIES = "What is the weather in Paris and in Tokyo?"
WRONG_CITY = "What is the weather in Atlantis?"

#: More requests than this in a check means that a loop does not end.
MANY_REQUESTS = 12

IS_FUNCTION = "The answer is an async function of client, messages and tools."
ANSWERS = "A question that needs one call gets its answer, and the function returns that text."
KEEPS = "Afterwards the conversation is whole: each call has its result, directly after it."
PARALLEL = "Two calls in one message are both run, and both results go back together."
LIVES = "A call that fails does not end the loop: its error goes back as a result."
ENDS = "The loop ends when the model calls again and again."

FORCED_FIRST = "The first turn is forced to call a tool."
FREE_AFTER = "After a few turns the model is free to answer, so the run ends."
IS_CHOICE = "The answer is a function that gives a tool_choice for a turn's number."


def _tools() -> Any:
    from course_pkg.samples import toolbox

    return toolbox("get_weather", "calculate")


def _is_async_function(answer: Any) -> bool:
    import inspect

    return inspect.iscoroutinefunction(answer)


async def _let_it_run(body: Body, question: str) -> tuple[Any, list[Message], Sequence[Frame]]:
    """The body's answer, the conversation and the frames, for one question."""
    from course_pkg.wire import Recorder

    messages = start(question)
    async with practice_client() as client:
        with Recorder() as recorder:
            said = await body(client, messages, _tools())
    return said, messages, recorder.frames


async def _answers(body: Body) -> bool:
    said, _, _ = await _let_it_run(body, PLAIN)
    return isinstance(said, str) and "84" in said


async def _keeps(body: Body) -> bool:
    _, messages, _ = await _let_it_run(body, PLAIN)
    roles = [message.get("role") for message in messages]
    return not problems(messages) and roles[:3] == ["user", "assistant", "tool"]


async def _runs_both(body: Body) -> bool:
    said, messages, _ = await _let_it_run(body, TWO_CITIES)
    results = [message for message in messages if message.get("role") == "tool"]
    return not problems(messages) and len(results) == len(("Paris", "Tokyo")) and bool(said)


async def _lives(body: Body) -> bool:
    said, messages, _ = await _let_it_run(body, WRONG_CITY)
    return isinstance(said, str) and not problems(messages)


async def _ends(body: Body) -> bool:
    stubborn = _Stubborn()
    await body(stubborn, start("Again, and again."), _tools())
    return stubborn.requests <= MANY_REQUESTS


class _Stubborn:
    """A client whose model never answers: it makes the same call, whatever it is told."""

    def __init__(self) -> None:
        self.requests = 0

    async def ask(self, messages: Sequence[Message], tools: Any = (), **options: Any) -> Any:
        from course_pkg.model import reply_from
        from course_pkg.model.errors import Service

        self.requests += 1
        if self.requests > MANY_REQUESTS:
            raise RuntimeError(f"This loop has sent {self.requests} requests and does not end.")
        call = {
            "id": f"call_{self.requests}",
            "type": "function",
            "function": {"name": "calculate", "arguments": json.dumps({"expression": "1 + 1"})},
        }
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        answer = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
        return reply_from(answer, Service(where="A stubborn model", key=""))


def _is_choice(answer: Any) -> bool:
    return callable(answer) and isinstance(answer(1), str | dict | None)


def _forces_first(answer: Any) -> bool:
    return answer(1) == "required" or isinstance(answer(1), dict)


async def _run_ends(answer: Any) -> bool:
    """Ask as a loop would, with the learner's choice at each turn."""
    from course_pkg.conversation import append_reply, append_results
    from course_pkg.executor import execute_all

    messages, tools = start(PLAIN), _tools()
    async with practice_client() as client:
        for number in range(1, MANY_REQUESTS):
            reply = await client.ask(messages, tools, tool_choice=answer(number))
            append_reply(messages, reply)
            if not reply.calls:
                return True
            append_results(messages, await execute_all(reply.calls, tools))
    return False


_HEAD = (
    "from course_pkg.conversation import append_reply, append_results\n"
    "from course_pkg.executor import execute_all\n"
    "\n"
    "async def answer(client, messages, tools):\n"
)

_SOLUTION = (
    _HEAD
    + """\
    for turn in range(10):
        reply = await client.ask(messages, tools)
        append_reply(messages, reply)
        if not reply.calls:
            return reply.text
        append_results(messages, await execute_all(reply.calls, tools))
    return None
"""
)

EXERCISES = (
    Exercise(
        number="06.1",
        goal="Write the body of a loop: ask, keep the reply, run its calls, send the results.",
        starter=_HEAD + "    ...",
        rules=(
            Rule(
                name=IS_FUNCTION,
                test=_is_async_function,
                hint="Keep the first line of the starter as it is.",
            ),
            Rule(
                name=ANSWERS,
                test=_answers,
                hint="Return the text of the first reply that makes no calls. Where is the return?",
            ),
            Rule(
                name=KEEPS,
                test=_keeps,
                hint="Append the reply first, whole and once, then one result for each call.",
            ),
            Rule(
                name=PARALLEL,
                test=_runs_both,
                hint="reply.calls may hold several calls. Is each one run and answered?",
            ),
            Rule(
                name=LIVES,
                test=_lives,
                hint="execute and execute_all never raise for a failed call. Send what they give.",
            ),
            Rule(
                name=ENDS,
                test=_ends,
                hint="Count the turns, and stop at a limit of at most ten.",
            ),
        ),
        hints=(
            "Four lines do it: ask, append the reply, stop if there are no calls, append results.",
            "The return of the answer stands under: if not reply.calls",
            "Put the four lines under: for turn in range(10)",
        ),
        source=_SOLUTION,
        wrong=(
            WrongAnswer(source="answer = 5", fails=IS_FUNCTION),
            WrongAnswer(
                source=_HEAD + "    return (await client.ask(messages, tools)).text", fails=ANSWERS
            ),
            WrongAnswer(
                source=_SOLUTION.replace("        append_reply(messages, reply)\n", ""),
                fails=ANSWERS,
            ),
            WrongAnswer(
                source=_SOLUTION.replace("reply.calls, tools)", "reply.calls[:1], tools)"),
                fails=PARALLEL,
            ),
            WrongAnswer(source=_SOLUTION.replace("range(10)", "range(10 ** 6)"), fails=ENDS),
            WrongAnswer(
                source=_SOLUTION.replace(
                    "        append_reply", "        kept = list(messages)\n        append_reply"
                ).replace(
                    "            return reply.text",
                    "            messages[:] = kept[:1] + kept[2:]\n            return reply.text",
                ),
                fails=KEEPS,
            ),
        ),
    ),
    Exercise(
        number="06.2",
        goal="A run must begin with a tool call, and must end. Give the tool_choice of each turn.",
        starter='def answer(turn_number):\n    return "required"',
        rules=(
            Rule(
                name=IS_CHOICE,
                test=_is_choice,
                hint="Define a function with one parameter that returns a text.",
            ),
            Rule(
                name=FORCED_FIRST,
                test=_forces_first,
                hint="For turn 1 the choice is the word that demands a call.",
            ),
            Rule(
                name=FREE_AFTER,
                test=_run_ends,
                hint="A model that is forced to call can never answer. When may it be free?",
            ),
        ),
        hints=(
            "With the starter the model must call a tool at every turn. Look at turn 2.",
            "Which word lets the model choose between a call and an answer?",
            "Return 'required' for turn 1, and 'auto' for the others.",
        ),
        source='def answer(turn_number):\n    return "required" if turn_number == 1 else "auto"',
        wrong=(
            WrongAnswer(source='answer = "auto"', fails=IS_CHOICE),
            WrongAnswer(source='def answer(turn_number):\n    return "auto"', fails=FORCED_FIRST),
            WrongAnswer(source='def answer(turn_number):\n    return "required"', fails=FREE_AFTER),
            WrongAnswer(source='def answer(turn_number):\n    return "any"', fails=FORCED_FIRST),
        ),
    ),
)
