"""The exercises of notebook 08: count calls, send a result as text, and read a fourth format.

The second is sent to the practice model over its real server. The third is a parser: the checks
give it texts, and run what it finds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.lessons.practice_client import practice_client
from course_pkg.text_calls import call_in_words, parse_text, tools_prompt
from course_pkg.tools import ToolCall

#: a model's text → the calls in it
Parser: TypeAlias = Callable[[str], Sequence[Any]]

# --- 08.1 -----------------------------------------------------------------------------------------

COUNTS = "The answer is a list with one whole number for each text."
PLAIN = "Calls on lines of their own count, with words around them or without."
THINKING = "A call in the thinking does not count."
SHOWN = "A call that is only shown, in a fence or in a sentence, does not count."
BROKEN = "A call that breaks off counts: it gets an error as its result."


def _call(expression: str) -> str:
    arguments = json.dumps({"expression": expression})
    return call_in_words(ToolCall(id="", name="calculate", arguments=arguments))


def _texts() -> list[str]:
    """Six replies of a model in Hermes format."""
    return [
        f"A call looks like this:\n```\n{_call('1 + 1')}\n```",
        f"Let me see.\n{_call('12 * 7')}",
        f"<think>\nPerhaps {_call('12 * 7')}?\n</think>\nThe answer is 84.",
        f"{_call('12 * 7')}\n{_call('12 * 8')}",
        '<tool_call>\n{"name": "calculate", "arguments": {"expression": "12 *',
        'I can write <tool_call>{"name": "calculate", "arguments": {}}</tool_call> for that.',
    ]


def _right_at(*places: int) -> Callable[[Any], bool]:
    def test(answer: Any) -> bool:
        texts = _texts()
        return all(answer[place] == len(parse_text(texts[place]).calls) for place in places)

    return test


def _is_counts(answer: Any) -> bool:
    return (
        isinstance(answer, list)
        and len(answer) == len(_texts())
        and all(isinstance(count, int) for count in answer)
    )


_COUNT = Exercise(
    number="08.1",
    goal="Say for each text how many calls a parser must find in it.",
    starter='texts = exercise("08.1").material()\nanswer = None',
    rules=(
        Rule(name=COUNTS, test=_is_counts, hint="Six texts, six numbers, in the same order."),
        Rule(name=PLAIN, test=_right_at(1, 3), hint="Count the opening tags in texts 2 and 4."),
        Rule(name=THINKING, test=_right_at(2), hint="What is taken away before anything is read?"),
        Rule(name=SHOWN, test=_right_at(0, 5), hint="Does text 1 ask for something, or teach?"),
        Rule(name=BROKEN, test=_right_at(4), hint="What would the model learn from silence?"),
    ),
    hints=(
        "Print the texts one by one, and ask of each tag: is it meant, or is it shown?",
        "Take thinking, fences and calls in the middle of a sentence away. Count what is left.",
        "Text 5 begins as a call and breaks off. The model must hear of it, so it counts.",
    ),
    source="answer = [0, 1, 0, 2, 1, 0]",
    wrong=(
        WrongAnswer(source="answer = [0, 1, 0]", fails=COUNTS),
        WrongAnswer(source="answer = [0, 0, 0, 2, 1, 0]", fails=PLAIN),
        WrongAnswer(source="answer = [0, 1, 0, 1, 1, 0]", fails=PLAIN),
        WrongAnswer(source="answer = [0, 1, 1, 2, 1, 0]", fails=THINKING),
        WrongAnswer(source="answer = [1, 1, 0, 2, 1, 0]", fails=SHOWN),
        WrongAnswer(source="answer = [0, 1, 0, 2, 1, 1]", fails=SHOWN),
        WrongAnswer(source="answer = [0, 1, 0, 2, 0, 0]", fails=BROKEN),
    ),
    make_material=_texts,
)

# --- 08.2 -----------------------------------------------------------------------------------------

#: What the made-up weather service says: words that the model can only have from the result.
SANDSTORM = "31 degrees, sandstorm"

IS_LIST = "The answer is a list of messages, each with a role and a text as content."
TEXT_ONLY = "No message has the role tool or the field tool_calls: this model knows neither."
DESCRIBED = "The first message is the system prompt: the model forgets its tools otherwise."
AS_IT_CAME = "The model's text goes back as it came, as an assistant message."
FROM_RESULT = "The model answers from the result."


def _parts() -> dict[str, str]:
    """What the list is to be made of, each a text."""
    from course_pkg.samples import toolbox

    call = ToolCall(id="", name="get_weather", arguments='{"city": "Paris"}')
    return {
        "prompt": tools_prompt(toolbox("get_weather")),
        "question": "What is the weather in Paris?",
        "said": call_in_words(call),
        "result": SANDSTORM,
    }


def _is_list(answer: Any) -> bool:
    return isinstance(answer, list) and all(
        isinstance(message, Mapping)
        and isinstance(message.get("role"), str)
        and isinstance(message.get("content"), str)
        for message in answer
    )


def _text_only(answer: Any) -> bool:
    return all(message["role"] != "tool" and "tool_calls" not in message for message in answer)


def _described(answer: Any) -> bool:
    first = answer[0]
    return first["role"] == "system" and _parts()["prompt"] in first["content"]


def _as_it_came(answer: Any) -> bool:
    return {"role": "assistant", "content": _parts()["said"]} in answer


async def _from_result(answer: Any) -> bool:
    async with practice_client() as client:
        reply = await client.ask(answer)
    return "sandstorm" in (reply.text or "") and "<tool_call>" not in (reply.text or "")


_MESSAGES = """\
parts = exercise("08.2").material()
answer = [
    {"role": "system", "content": parts["prompt"]},
    {"role": "user", "content": parts["question"]},
    {"role": "assistant", "content": parts["said"]},
    {"role": "user", "content": f"<tool_response>\\n{parts['result']}\\n</tool_response>"},
]"""
_RESULT = "f\"<tool_response>\\n{parts['result']}\\n</tool_response>\""

_SEND = Exercise(
    number="08.2",
    goal="Build the second request's messages for a model that knows only text.",
    starter='parts = exercise("08.2").material()\nanswer = None',
    rules=(
        Rule(name=IS_LIST, test=_is_list, hint="It is the list `messages`, as on page 05."),
        Rule(name=TEXT_ONLY, test=_text_only, hint="Who can speak instead of the role tool?"),
        Rule(name=DESCRIBED, test=_described, hint="Each request carries everything. Also this."),
        Rule(name=AS_IT_CAME, test=_as_it_came, hint='Use parts["said"], tags included.'),
        Rule(
            name=FROM_RESULT,
            test=_from_result,
            hint="Look at the last request in the view above. Between which tags is the result?",
        ),
    ),
    hints=(
        "Four messages. Open the last request of the run above and read its messages in order.",
        "The roles are system, user, assistant, user.",
        'The last content is parts["result"] between <tool_response> and </tool_response>.',
    ),
    source=_MESSAGES,
    wrong=(
        WrongAnswer(source='answer = "the messages"', fails=IS_LIST),
        WrongAnswer(
            source=_MESSAGES.replace(
                '{"role": "user", "content": f"<', '{"role": "tool", "content": f"<'
            ),
            fails=TEXT_ONLY,
        ),
        WrongAnswer(
            source=_MESSAGES.replace('parts["prompt"]', '"Be brief."'),
            fails=DESCRIBED,
        ),
        WrongAnswer(
            source=_MESSAGES.replace('parts["said"]', '"I called get_weather."'), fails=AS_IT_CAME
        ),
        WrongAnswer(source=_MESSAGES.replace(_RESULT, 'parts["result"]'), fails=FROM_RESULT),
        WrongAnswer(
            source="\n".join(_MESSAGES.splitlines()[:-2]) + "\n]",
            fails=FROM_RESULT,
        ),
    ),
    make_material=_parts,
)

# --- 08.3 -----------------------------------------------------------------------------------------

MARK = "[TOOL_CALLS]"
ONE = '[TOOL_CALLS] [{"name": "calculate", "arguments": {"expression": "12 * 7"}}]'
TWO = (
    '[TOOL_CALLS] [{"name": "calculate", "arguments": {"expression": "1 + 1"}}, '
    '{"name": "calculate", "arguments": {"expression": "2 + 2"}}]'
)
BRACKETS = '[TOOL_CALLS] [{"name": "calculate", "arguments": {"expression": "round(2.5) ]"}}]'
CUT = '[TOOL_CALLS] [{"name": "calculate", "arguments": {"expression": "12 *'

IS_PARSER = "The answer is a function that gives a list of ToolCall for a text."
NONE_IN_WORDS = "A text without the mark holds no call."
READS_ONE = "One call is read, with its name, and runs."
READS_TWO = "Two calls in one list are both read, in order, with ids that differ."
AS_TEXT = "Arguments are a JSON text, as everywhere else, with other scripts left readable."
NOT_QUOTED = "A mark in the middle of a sentence is talk about a call."
NOT_LOST = "A call that breaks off is not lost: it comes back as one call that cannot be parsed."


def _is_parser(answer: Any) -> bool:
    return callable(answer) and isinstance(answer("Hello."), list)


def _none_in_words(answer: Parser) -> bool:
    texts = ("Hello.", "", '[{"name": "calculate", "arguments": {}}]')
    return all(len(answer(text)) == 0 for text in texts)


async def _reads_one(answer: Parser) -> bool:
    from course_pkg.executor import execute_all
    from course_pkg.samples import toolbox

    calls = answer(ONE)
    results = await execute_all(calls, toolbox("calculate"))
    return [(call.name, result.text) for call, result in zip(calls, results, strict=True)] == [
        ("calculate", "84")
    ]


def _reads_two(answer: Parser) -> bool:
    calls = answer(TWO)
    found = [json.loads(call.arguments)["expression"] for call in calls]
    return found == ["1 + 1", "2 + 2"] and len({call.id for call in calls}) == len(found)


def _as_text(answer: Parser) -> bool:
    written = '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "北京"}}]'
    return "北京" in answer(written)[0].arguments and len(answer(BRACKETS)) == 1


def _not_quoted(answer: Parser) -> bool:
    return len(answer(f"Such a model begins its calls with {ONE} and stops.")) == 0


def _not_lost(answer: Parser) -> bool:
    calls = answer(CUT)
    return len(calls) == 1 and not _is_json(calls[0].arguments)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


_PARSER = """\
import json

from course_pkg import ToolCall

def answer(text):
    if not text.startswith("[TOOL_CALLS]"):
        return []
    written = text.removeprefix("[TOOL_CALLS]")
    try:
        found = json.loads(written)
    except json.JSONDecodeError:
        return [ToolCall(id="call_1", name="unreadable_call", arguments=written)]
    return [
        ToolCall(
            id=f"call_{number}",
            name=call["name"],
            arguments=json.dumps(call["arguments"], ensure_ascii=False),
        )
        for number, call in enumerate(found, 1)
    ]
"""

_READ = Exercise(
    number="08.3",
    goal="Write a parser for a fourth format: [TOOL_CALLS] and then a JSON list of calls.",
    starter="def answer(text):\n    return []",
    rules=(
        Rule(name=IS_PARSER, test=_is_parser, hint="Define answer(text), and return a list."),
        Rule(name=NONE_IN_WORDS, test=_none_in_words, hint="Return an empty list then."),
        Rule(
            name=READS_ONE,
            test=_reads_one,
            hint="What follows the mark is JSON: json.loads gives a list. Make a ToolCall of each.",
        ),
        Rule(
            name=READS_TWO,
            test=_reads_two,
            hint="Go through the whole list, and give each call an id of its own.",
        ),
        Rule(
            name=AS_TEXT,
            test=_as_text,
            hint="json.dumps makes a text again. Which option leaves 北京 as it is?",
        ),
        Rule(
            name=NOT_QUOTED,
            test=_not_quoted,
            hint="Where must the mark stand, so that it is meant?",
        ),
        Rule(
            name=NOT_LOST,
            test=_not_lost,
            hint="Catch the JSON error, and return one call with the text as its arguments.",
        ),
    ),
    hints=(
        "First decide whether the text begins with the mark. Only then read the rest.",
        "json.loads on the rest gives a list of objects with name and arguments.",
        "ToolCall(id=..., name=..., arguments=...) wants JSON text: json.dumps(..., "
        "ensure_ascii=False). If json.loads fails, give one call whose arguments are the raw text.",
    ),
    source=_PARSER,
    wrong=(
        WrongAnswer(source="answer = []", fails=IS_PARSER),
        WrongAnswer(
            source=_PARSER.replace('if not text.startswith("[TOOL_CALLS]")', "if not text"),
            fails=NONE_IN_WORDS,
        ),
        WrongAnswer(source="def answer(text):\n    return []", fails=READS_ONE),
        WrongAnswer(
            source=_PARSER.replace("enumerate(found, 1)", "[(1, found[0])]"), fails=READS_TWO
        ),
        WrongAnswer(source=_PARSER.replace("call_{number}", "call"), fails=READS_TWO),
        WrongAnswer(source=_PARSER.replace(", ensure_ascii=False", ""), fails=AS_TEXT),
        WrongAnswer(
            source=_PARSER.replace(
                'not text.startswith("[TOOL_CALLS]")', '"[TOOL_CALLS]" not in text'
            ),
            fails=NOT_QUOTED,
        ),
        WrongAnswer(
            source=_PARSER.replace(
                '[ToolCall(id="call_1", name="unreadable_call", arguments=written)]', "[]"
            ),
            fails=NOT_LOST,
        ),
    ),
)

EXERCISES = (_COUNT, _SEND, _READ)
