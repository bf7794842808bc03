"""The exercises of notebook 07: mend a fragile executor, choose what to retry, shorten a result.

The answers are plain functions. The checks call them with the faults that the page shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer

Tools: TypeAlias = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call as the exercise gives it: a name, and the arguments as the model's own text."""

    name: str
    arguments: str


# --- 07.1 -----------------------------------------------------------------------------------------

TAKES_TWO = "The answer is a function of a call and of tools by name."
GOOD_CALL = "A call that works gives the tool's value as text."
PARSE_ERROR = "Arguments that are no JSON object give a text that says so, and nothing is raised."
UNKNOWN = "An unknown tool gives a text with the names that are on offer."
TOOL_RAISES = "A tool that raises gives a text with the words of its error."
READABLE = "A Chinese value is not escaped, and a dict is JSON text."
NEVER_EMPTY = "A tool that returns nothing gives a text that is not empty, and not the word None."


def _weather(city: str) -> Any:
    known = {"Paris": "17 degrees", "北京": {"天气": "晴"}, "Nowhere": None, "Oslo": ""}
    if city not in known:
        raise ValueError(f"There is no city {city!r}. Choose Paris.")
    return known[city]


TOOLS: Tools = {"get_weather": _weather, "add": lambda a, b: a + b}


def _text_of(answer: Any, name: str, arguments: str) -> str:
    text = answer(Call(name=name, arguments=arguments), TOOLS)
    return text if isinstance(text, str) else ""


def _takes_two(answer: Any) -> bool:
    import inspect

    if not callable(answer) or inspect.iscoroutinefunction(answer):
        return False
    try:
        inspect.signature(answer).bind("call", "tools")
    except (TypeError, ValueError):
        return False
    return True


def _good_call(answer: Any) -> bool:
    weather = _text_of(answer, "get_weather", '{"city": "Paris"}')
    return weather == "17 degrees" and _text_of(answer, "add", '{"a": 1, "b": 2}') == "3"


def _parse_error(answer: Any) -> bool:
    texts = [
        _text_of(answer, "get_weather", told)
        for told in ('{"city": ', "", "Paris", "[1, 2]", "null", "7")
    ]
    return all("JSON" in text for text in texts)


def _unknown(answer: Any) -> bool:
    text = _text_of(answer, "get_wether", '{"city": "Paris"}')
    return "get_weather" in text and "add" in text


def _tool_raises(answer: Any) -> bool:
    text = _text_of(answer, "get_weather", '{"city": "Atlantis"}')
    return "Choose Paris" in text and bool(_text_of(answer, "add", '{"a": 1}'))


def _readable(answer: Any) -> bool:
    text = _text_of(answer, "get_weather", '{"city": "北京"}')
    return "天气" in text and '"' in text


def _never_empty(answer: Any) -> bool:
    texts = [
        _text_of(answer, "get_weather", f'{{"city": "{city}"}}') for city in ("Nowhere", "Oslo")
    ]
    return all(text.strip() not in {"", "None", "null", '""'} for text in texts)


_FRAGILE = """import json

def answer(call, tools):
    tool = tools[call.name]
    arguments = json.loads(call.arguments)
    return str(tool(**arguments))"""

_MENDED = """import json

def answer(call, tools):
    if call.name not in tools:
        return f"There is no tool {call.name!r}. There are: {', '.join(tools)}."
    try:
        arguments = json.loads(call.arguments)
    except ValueError as error:
        return f"The arguments are no JSON: {error}. Send a JSON object."
    if not isinstance(arguments, dict):
        return "The arguments are no JSON object. Send a JSON object."
    try:
        value = tools[call.name](**arguments)
    except Exception as error:
        return f"{call.name} failed: {error}"
    if value is None or value == "":
        return "Done. The tool returned nothing."
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)"""

# --- 07.2 -----------------------------------------------------------------------------------------

TEMPORARY = ("rate limited", "connection lost", "service busy")
LASTING = ("wrong arguments", "no such city", "account is used up", "wrong key")

IS_JUDGE = "The answer is a function of an error, side_effect and has_key, and gives True or False."
RETRIES = "A temporary error of a tool without side effects is worth another try."
GIVES_UP = "An error that stays the same is never tried again."
NO_DOUBLE = "After a side effect nothing is tried again without an idempotency key."
WITH_KEY = "With an idempotency key, a temporary error is worth another try."

_JUDGE = f"def answer(error, side_effect, has_key):\n    temporary = {TEMPORARY}\n"
_JUDGED = f"{_JUDGE}    return error in temporary and (has_key or not side_effect)"


def _judged(
    answer: Any, errors: Sequence[str], *, side_effect: bool = False, has_key: bool = False
) -> list[Any]:
    return [answer(error, side_effect, has_key) for error in errors]


def _is_judge(answer: Any) -> bool:
    return all(isinstance(verdict, bool) for verdict in _judged(answer, TEMPORARY + LASTING))


def _retries(answer: Any) -> bool:
    return all(_judged(answer, TEMPORARY))


def _gives_up(answer: Any) -> bool:
    both = (True, False)
    return not any(
        any(_judged(answer, LASTING, side_effect=side_effect, has_key=has_key))
        for side_effect, has_key in product(both, both)
    )


def _no_double(answer: Any) -> bool:
    return not any(_judged(answer, TEMPORARY, side_effect=True))


def _with_key(answer: Any) -> bool:
    return all(_judged(answer, TEMPORARY, side_effect=True, has_key=True))


# --- 07.3 -----------------------------------------------------------------------------------------

IS_SHORTENER = "The answer is a function of a text and a limit, and gives a text."
SHORT_STAYS = "A text within the limit stays as it is."
WITHIN = "The outcome is never longer than the limit."
BOTH_ENDS = "Of a long text the head and the tail are kept."
SAYS_SO = "The outcome says how many characters the whole text had."

#: Limits in the check, in characters.
LIMITS = (120, 200, 1_000)
#: So much of either end must be there, in characters.
END_CHARS = 20

LONG = "".join(f"line {number}\n" for number in range(1, 2_001))

_SHORTENED = """def answer(text, limit):
    if len(text) <= limit:
        return text
    note = f"[... cut, {len(text)} characters in all ...]"
    half = (limit - len(note)) // 2
    return text[:half] + note + text[len(text) - half:]"""


def _is_shortener(answer: Any) -> bool:
    return isinstance(answer("abc", LIMITS[0]), str)


def _short_stays(answer: Any) -> bool:
    return all(answer(text, LIMITS[0]) == text for text in ("abc", "", "x" * LIMITS[0]))


def _within(answer: Any) -> bool:
    return all(len(answer(LONG, limit)) <= limit for limit in LIMITS)


def _both_ends(answer: Any) -> bool:
    cut = [answer(LONG, limit) for limit in LIMITS]
    return all(
        text.startswith(LONG[:END_CHARS]) and text.endswith(LONG[-END_CHARS:]) for text in cut
    )


def _says_so(answer: Any) -> bool:
    count = len(LONG)
    return all(
        str(count) in answer(LONG, limit) or f"{count:,}" in answer(LONG, limit) for limit in LIMITS
    )


EXERCISES = (
    Exercise(
        number="07.1",
        goal="Make the fragile executor pass every fault. Whatever happens, it returns a text.",
        starter=_FRAGILE,
        rules=(
            Rule(name=TAKES_TWO, test=_takes_two, hint="Keep the line: def answer(call, tools)"),
            Rule(
                name=GOOD_CALL,
                test=_good_call,
                hint="Run the tool with the parsed arguments. A text is returned as it is.",
            ),
            Rule(
                name=PARSE_ERROR,
                test=_parse_error,
                hint="json.loads raises ValueError, and it also accepts a list, null or a number. "
                "Let your text name JSON.",
            ),
            Rule(
                name=UNKNOWN,
                test=_unknown,
                hint="Look the name up before you use it. A model that reads the names can choose.",
            ),
            Rule(
                name=TOOL_RAISES,
                test=_tool_raises,
                hint="The tool's own error tells the model what to do. Is it in your text?",
            ),
            Rule(
                name=READABLE,
                test=_readable,
                hint="json.dumps escapes Chinese unless it is told not to.",
            ),
            Rule(
                name=NEVER_EMPTY,
                test=_never_empty,
                hint="What does your function give for None, and for an empty text?",
            ),
        ),
        hints=(
            "There are three places that can raise: the look-up, json.loads, and the tool.",
            "Return a sentence at each of them: what is wrong, and what to do next.",
            "At the end: None and '' become a sentence, a text stays, the rest is "
            "json.dumps(value, ensure_ascii=False).",
        ),
        source=_MENDED,
        wrong=(
            WrongAnswer(source="answer = 5", fails=TAKES_TWO),
            WrongAnswer(source=_FRAGILE, fails=PARSE_ERROR),
            WrongAnswer(
                source=_MENDED.replace("if not isinstance(arguments, dict)", "if False"),
                fails=PARSE_ERROR,
            ),
            WrongAnswer(
                source=_MENDED.replace(" There are: {', '.join(tools)}.", ""), fails=UNKNOWN
            ),
            WrongAnswer(source=_MENDED.replace("failed: {error}", "failed."), fails=TOOL_RAISES),
            WrongAnswer(source=_MENDED.replace(", ensure_ascii=False", ""), fails=READABLE),
            WrongAnswer(source=_MENDED.replace(' or value == ""', ""), fails=NEVER_EMPTY),
        ),
    ),
    Exercise(
        number="07.2",
        goal="Say which failures deserve another try.",
        starter="def answer(error, side_effect, has_key):\n    return True",
        rules=(
            Rule(
                name=IS_JUDGE,
                test=_is_judge,
                hint="Define a function of three parameters, and return True or False.",
            ),
            Rule(name=RETRIES, test=_retries, hint="Which of the errors may be gone in a second?"),
            Rule(
                name=GIVES_UP,
                test=_gives_up,
                hint="Which of the errors will be the same in a second? The error is a text.",
            ),
            Rule(
                name=NO_DOUBLE,
                test=_no_double,
                hint="The connection was lost. Was the mail sent before, or not?",
            ),
            Rule(
                name=WITH_KEY,
                test=_with_key,
                hint="With a key the receiver notices the second try. What can go wrong then?",
            ),
        ),
        hints=(
            f"The errors are: {', '.join((*TEMPORARY, *LASTING))}.",
            f"Three of them may pass: {', '.join(TEMPORARY)}.",
            "Return whether the error may pass, and there is a key or no side effect.",
        ),
        source=_JUDGED,
        wrong=(
            WrongAnswer(source="answer = True", fails=IS_JUDGE),
            WrongAnswer(source=f"{_JUDGE}    return True", fails=GIVES_UP),
            WrongAnswer(source=f"{_JUDGE}    return False", fails=RETRIES),
            WrongAnswer(source=f"{_JUDGE}    return error in temporary", fails=NO_DOUBLE),
            WrongAnswer(
                source=f"{_JUDGE}    return error in temporary and not side_effect", fails=WITH_KEY
            ),
        ),
    ),
    Exercise(
        number="07.3",
        goal="Shorten a result that is too long for the model, and say so in it.",
        starter="def answer(text, limit):\n    return text[:limit]",
        rules=(
            Rule(
                name=IS_SHORTENER,
                test=_is_shortener,
                hint="Define a function of two parameters that returns a text.",
            ),
            Rule(
                name=SHORT_STAYS,
                test=_short_stays,
                hint="Look at the length first. Exactly the limit is still short enough.",
            ),
            Rule(
                name=WITHIN,
                test=_within,
                hint="Your sentence counts too: take its length off before you cut.",
            ),
            Rule(
                name=BOTH_ENDS,
                test=_both_ends,
                hint="The end of a log or a table often holds what matters.",
            ),
            Rule(
                name=SAYS_SO,
                test=_says_so,
                hint="Without a number the model cannot know how much it did not see.",
            ),
        ),
        hints=(
            "Make the sentence first. It holds len(text).",
            "What is left of the limit after the sentence is shared by head and tail.",
            "half = (limit - len(note)) // 2; the tail is text[len(text) - half:].",
        ),
        source=_SHORTENED,
        wrong=(
            WrongAnswer(source='answer = "…"', fails=IS_SHORTENER),
            WrongAnswer(source="def answer(text, limit):\n    return text[:50]", fails=SHORT_STAYS),
            WrongAnswer(
                source="def answer(text, limit):\n    return text[:limit]", fails=BOTH_ENDS
            ),
            WrongAnswer(
                source=_SHORTENED.replace("(limit - len(note)) // 2", "limit // 2"), fails=WITHIN
            ),
            WrongAnswer(
                source=_SHORTENED.replace(", {len(text)} characters in all", ""), fails=SAYS_SO
            ),
        ),
    ),
)
