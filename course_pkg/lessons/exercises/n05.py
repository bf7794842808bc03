"""The exercises of notebook 05: three broken conversations. Find the step that broke, and mend it.

Each conversation asks for the weather in two cities. Each answer is `(step, messages)`: the number
of the step that broke, and the conversation as it should be. The check sends it to the practice
model, as the learner would.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from course_pkg.conversation import Message, problems
from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.lessons.practice_client import practice_client

QUESTION = "What is the weather in Paris and in Tokyo?"
CITIES = {"call_paris": "Paris", "call_tokyo": "Tokyo"}
WEATHER = {
    "Paris": {"city": "Paris", "temperature": 12, "unit": "celsius", "condition": "cloudy"},
    "Tokyo": {"city": "Tokyo", "temperature": 18, "unit": "celsius", "condition": "sunny"},
}

SHAPE = "The answer is a pair: the number of a step, and a list of messages."
KEPT = "The user's message and the model's calls are still there, unchanged."
ACCEPTED = "The service accepts the conversation."
TRUE_RESULTS = "Each result belongs to its call: it is about the city that the call names."
STEP = "The step is the one that broke."

SHAPE_HINT = "End the cell with: answer = (step, messages)"
KEPT_HINT = "Mend what went wrong after the model's message. What others said stays as it was."
TRUE_HINT = "Read the arguments of each call, then the result with the same id. Do they agree?"


def whole() -> list[Message]:
    """The conversation as it should be, up to the results."""
    return [
        {"role": "user", "content": QUESTION},
        _calls(),
        *(_result(call_id, city) for call_id, city in CITIES.items()),
    ]


def without_a_result() -> list[Message]:
    """One of two results was never sent back."""
    return whole()[:-1]


def without_the_calls() -> list[Message]:
    """The model's own message was not kept."""
    return [message for message in whole() if message["role"] != "assistant"]


def run_with_other_arguments() -> list[Message]:
    """The second tool run used the arguments of the first."""
    messages = whole()
    messages[3]["content"] = messages[2]["content"]
    return messages


def _calls() -> Message:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": "get_weather", "arguments": json.dumps({"city": city})},
            }
            for call_id, city in CITIES.items()
        ],
    }


def _result(call_id: str, city: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": json.dumps(WEATHER[city])}


def _is_pair(answer: Any) -> bool:
    return (
        isinstance(answer, tuple)
        and len(answer) == len(("step", "messages"))
        and type(answer[0]) is int
        and isinstance(answer[1], list)
    )


def _keeps(answer: Any) -> bool:
    kept = [message for message in answer[1] if _role(message) in {"user", "assistant"}]
    return kept == [message for message in whole() if message["role"] != "tool"]


def _has_true_results(answer: Any) -> bool:
    results = [message for message in answer[1] if _role(message) == "tool"]
    return all(
        CITIES.get(message.get("tool_call_id"), "?") in str(message.get("content"))
        for message in results
    )


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None


async def _is_accepted(answer: Any) -> bool:
    from course_pkg.model import ModelError

    if problems(answer[1]):
        return False
    async with practice_client() as client:
        try:
            await client.ask(answer[1])
        except ModelError:
            return False
    return True


def _rules(step: int, *, step_hint: str, accepted_hint: str) -> Sequence[Rule]:
    return (
        Rule(name=SHAPE, test=_is_pair, hint=SHAPE_HINT),
        Rule(name=STEP, test=lambda answer: answer[0] == step, hint=step_hint),
        Rule(name=KEPT, test=_keeps, hint=KEPT_HINT),
        Rule(name=ACCEPTED, test=_is_accepted, hint=accepted_hint),
        Rule(name=TRUE_RESULTS, test=_has_true_results, hint=TRUE_HINT),
    )


def _starter(number: str) -> str:
    return f'messages = exercise("{number}").material()\nstep = None\nanswer = None'


def _exercise(
    number: str,
    material: Callable[[], list[Message]],
    rules: Sequence[Rule],
    hints: Sequence[str],
    source: str,
    wrong: Sequence[WrongAnswer],
) -> Exercise:
    return Exercise(
        number=number,
        goal="Find the step that broke, and mend the conversation: answer = (step, messages).",
        starter=_starter(number),
        rules=rules,
        hints=hints,
        source=source,
        wrong=wrong,
        make_material=material,
    )


_BEGIN = 'from course_pkg import exercise\nmessages = exercise("{}").material()\n'

_RUN_FOR_TOKYO = (
    "from course_pkg.samples import get_weather\n"
    "import json\n"
    'content = json.dumps(await get_weather(city="Tokyo"))\n'
)

EXERCISES = (
    _exercise(
        "05.1",
        without_a_result,
        _rules(
            5,
            step_hint="The calls are there, and they were run. What did not come back?",
            accepted_hint="Count the calls in the model's message, then the tool messages.",
        ),
        (
            "Send the messages to the model and read the refusal. It names an id.",
            "There are two calls and one result.",
            "Append a tool message with tool_call_id 'call_tokyo' and the weather in Tokyo.",
        ),
        _BEGIN.format("05.1")
        + _RUN_FOR_TOKYO
        + 'messages.append({"role": "tool", "tool_call_id": "call_tokyo", "content": content})\n'
        "answer = (5, messages)",
        (
            WrongAnswer(source=_BEGIN.format("05.1") + "answer = (5, messages)", fails=ACCEPTED),
            WrongAnswer(source=_BEGIN.format("05.1") + "answer = (3, messages)", fails=STEP),
            WrongAnswer(source="answer = 5", fails=SHAPE),
            WrongAnswer(
                source=_BEGIN.format("05.1")
                + 'messages[1]["tool_calls"].pop()\nanswer = (5, messages)',
                fails=KEPT,
            ),
            WrongAnswer(
                source=_BEGIN.format("05.1")
                + 'messages.append({**messages[-1], "tool_call_id": "call_tokyo"})\n'
                "answer = (5, messages)",
                fails=TRUE_RESULTS,
            ),
        ),
    ),
    _exercise(
        "05.2",
        without_the_calls,
        _rules(
            3,
            step_hint="There are results, but results of what? Which message is missing?",
            accepted_hint="A tool message must follow the assistant message that asked for it.",
        ),
        (
            "Read the roles of the messages in order. Which role should stand between them?",
            "The model decided to make two calls. Its message was never appended.",
            "Insert one assistant message with both calls; take the ids from the tool messages.",
        ),
        _BEGIN.format("05.2") + 'mended = exercise("05.1").material()\n'
        "messages.insert(1, mended[1])\n"
        "answer = (3, messages)",
        (
            WrongAnswer(source=_BEGIN.format("05.2") + "answer = (5, messages)", fails=STEP),
            WrongAnswer(source=_BEGIN.format("05.2") + "answer = (3, messages)", fails=KEPT),
            WrongAnswer(
                source=_BEGIN.format("05.2") + "answer = (3, messages[:1])",
                fails=KEPT,
            ),
            WrongAnswer(
                source=_BEGIN.format("05.2") + 'mended = exercise("05.1").material()\n'
                "messages.append(mended[1])\nanswer = (3, messages)",
                fails=ACCEPTED,
            ),
        ),
    ),
    _exercise(
        "05.3",
        run_with_other_arguments,
        _rules(
            4,
            step_hint="The calls are right, and every call has an answer. Are the answers true?",
            accepted_hint="This one was accepted from the beginning. Change only what is untrue.",
        ),
        (
            "The service accepts this conversation: it cannot know what is true. Read the results.",
            "Both results are about the same city.",
            "Run the tool again for Tokyo, and put that text into the last message.",
        ),
        _BEGIN.format("05.3") + _RUN_FOR_TOKYO + 'messages[-1]["content"] = content\n'
        "answer = (4, messages)",
        (
            WrongAnswer(source=_BEGIN.format("05.3") + "answer = (5, messages)", fails=STEP),
            WrongAnswer(
                source=_BEGIN.format("05.3") + "answer = (4, messages)", fails=TRUE_RESULTS
            ),
            WrongAnswer(
                source=_BEGIN.format("05.3") + "messages.pop()\nanswer = (4, messages)",
                fails=ACCEPTED,
            ),
        ),
    ),
)
