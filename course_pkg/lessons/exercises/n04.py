"""The exercises of notebook 04: mend words, raise a score, and read figures.

The checks measure: they offer the learner's definitions to the practice model, over its real
server, and count. Only words may be changed: the functions behind the definitions stay as they are.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.lessons.practice_client import practice_client
from course_pkg.schema import lint

IS_LIST = "The answer is a list of definitions, as many as the material had, in the same order."
ONLY_WORDS = "Only names of tools and descriptions are changed."


def _is_list_like(answer: Any, material: Sequence[Any]) -> bool:
    return (
        isinstance(answer, list)
        and len(answer) == len(material)
        and all(
            isinstance(item, dict) and isinstance(item.get("function"), dict) for item in answer
        )
    )


def _without_words(schema: Any) -> Any:
    """The schema without its descriptions."""
    bare = copy.deepcopy(schema)
    for part in bare.get("properties", {}).values():
        part.pop("description", None)
    return bare


def _only_words(answer: Sequence[Any], material: Sequence[Any]) -> bool:
    return [_without_words(item["function"]["parameters"]) for item in answer] == [
        _without_words(item["function"]["parameters"]) for item in material
    ]


def _shape_rules(material: Callable[[], list[Any]]) -> tuple[Rule, Rule]:
    return (
        Rule(
            name=IS_LIST,
            test=lambda answer: _is_list_like(answer, material()),
            hint="Begin with the material, and change texts inside it.",
        ),
        Rule(
            name=ONLY_WORDS,
            test=lambda answer: _only_words(answer, material()),
            hint="The functions stay as they are, so parameters, types and limits must stay too.",
        ),
    )


# --- 04.1: two tools that look alike --------------------------------------------------------------

REACHES_PAGES = "Questions about the course reach the first tool, with what to look for."
REACHES_PEOPLE = "Questions about a person's number reach the second tool, with the name."


def look_alikes() -> list[dict[str, Any]]:
    """Two definitions that nobody can tell apart: one searches pages, one an address book."""
    return [_look_alike("find_info"), _look_alike("get_info")]


def _look_alike(name: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"value": {"type": "string", "description": "The value."}},
        "required": ["value"],
        "additionalProperties": False,
    }
    function = {"name": name, "description": "Find information.", "parameters": schema}
    return {"type": "function", "function": function}


PAGES = (
    ("Search the course pages for oneOf.", "oneOf"),
    ("What does the course say about retries?", "retries"),
    ("在课程里查一下流式输出。", "流式"),
)
PEOPLE = (
    ("What is Anna's phone number?", "Anna"),
    ("Find the phone number of Ben.", "Ben"),
)


async def _reaches(answer: Any, place: int, questions: Sequence[tuple[str, str]]) -> bool:
    from course_pkg.conversation import start

    name = answer[place]["function"]["name"]
    async with practice_client() as client:
        for question, part in questions:
            reply = await client.ask(start(question), answer)
            if [call.name for call in reply.calls] != [name]:
                return False
            if part not in str(json.loads(reply.calls[0].arguments).get("value")):
                return False
    return True


_TELL_APART = """\
from course_pkg import exercise
answer = exercise("04.1").material()
pages, people = answer[0]["function"], answer[1]["function"]
pages["name"] = "search_pages"
pages["description"] = "Search the pages of this course. Returns titles and short excerpts."
pages["parameters"]["properties"]["value"]["description"] = "Words to search for."
people["name"] = "find_phone_number"
people["description"] = "Find the phone number of a person in the address book."
people["parameters"]["properties"]["value"]["description"] = "Name of the person."
"""

_APART = Exercise(
    number="04.1",
    goal=(
        "Two tools look alike. The first searches the pages of this course. The second finds a "
        "person's phone number in an address book. Give them words that tell them apart."
    ),
    starter='answer = exercise("04.1").material()',
    rules=(
        *_shape_rules(look_alikes),
        Rule(
            name=REACHES_PAGES,
            test=lambda answer: _reaches(answer, 0, PAGES),
            hint="Does the first definition say that it searches, and where? And the parameter?",
        ),
        Rule(
            name=REACHES_PEOPLE,
            test=lambda answer: _reaches(answer, 1, PEOPLE),
            hint="Does the second definition name a person and a number? And its parameter?",
        ),
    ),
    hints=(
        "Begin each name with a verb, and go on with the thing: search_pages.",
        "Say in the description where the tool looks, and what comes back.",
        "The parameter is called value in both. Only its description can say which value is meant.",
    ),
    source=_TELL_APART,
    wrong=(
        WrongAnswer(source="answer = ['search_pages', 'find_phone_number']", fails=IS_LIST),
        WrongAnswer(
            source=_TELL_APART + 'people["parameters"]["properties"] = {"name": {}}',
            fails=ONLY_WORDS,
        ),
        WrongAnswer(
            source='from course_pkg import exercise\nanswer = exercise("04.1").material()',
            fails=REACHES_PAGES,
        ),
        WrongAnswer(
            source=_TELL_APART.replace("search_pages", "x")
            .replace("find_phone_number", "search_pages")
            .replace('"x"', '"find_phone_number"')
            .replace("Search the pages of this course.", "Find the phone number of a person.")
            .replace('person in the address book."', 'page of this course, searched for."'),
            fails=REACHES_PAGES,
        ),
        WrongAnswer(
            source=_TELL_APART.replace("find_phone_number", "get_info").replace(
                "Find the phone number of a person in the address book.", "Get information."
            ),
            fails=REACHES_PEOPLE,
        ),
    ),
    make_material=look_alikes,
)


# --- 04.2: five rules for one definition ----------------------------------------------------------

VERB = "Rule 1: the name and the description begin with a verb."
SPECIFIC = "Rule 2: the description says what comes back."
EXAMPLE = "Rule 3: the currency has an example value."
LIMITS = "Rule 4: limits and format are stated for each parameter that has them."
DEFAULT = "Rule 5: the default and its meaning are stated."

#: The codes of `lint` that break each rule.
CODES = {
    VERB: ("name_no_verb", "description_no_verb"),
    SPECIFIC: ("description_missing", "description_vague", "description_no_result"),
    EXAMPLE: ("parameter_undescribed", "parameter_vague", "description_no_example"),
    LIMITS: ("description_no_limits",),
    DEFAULT: ("description_no_default",),
}


def rate_definition() -> list[dict[str, Any]]:
    """One definition that breaks all five rules."""
    schema = {
        "type": "object",
        "properties": {
            "currency": {
                "type": "string",
                "pattern": "^[A-Z]{3}$",
                "description": "Currency that is meant.",
            },
            "date": {"type": "string", "format": "date", "description": "The day in question."},
            "places": {
                "type": "integer",
                "minimum": 0,
                "maximum": 8,
                "default": 4,
                "description": "Places after the point.",
            },
        },
        "required": ["currency", "date"],
        "additionalProperties": False,
    }
    function = {"name": "rate_data", "description": "Exchange rates.", "parameters": schema}
    return [{"type": "function", "function": function}]


def _keeps(rule: str) -> Rule:
    return Rule(
        name=rule,
        test=lambda answer: not {finding.code for finding in lint(answer)} & set(CODES[rule]),
        hint=_HINTS[rule],
    )


_HINTS = {
    VERB: "The function fetches one number from a bank's list. Which verb says that?",
    SPECIFIC: "Add a sentence that begins with Returns. Which unit has the number?",
    EXAMPLE: "Three letters can be written in many ways. Show one.",
    LIMITS: "Which form does a date have? How many letters, how many places are allowed?",
    DEFAULT: "What happens when places is left out?",
}

_RATE = """\
from course_pkg import exercise
answer = exercise("04.2").material()
function = answer[0]["function"]
function["name"] = "get_rate"
function["description"] = (
    "Get the exchange rate of one currency on one day. Returns how many yuan one unit cost."
)
parts = function["parameters"]["properties"]
parts["currency"]["description"] = "Code of the currency, 3 capital letters, for example USD."
parts["date"]["description"] = "Day in the form YYYY-MM-DD, earliest 2020-01-01."
parts["places"]["description"] = "Places after the point, 0 to 8. Default 4, enough for prices."
"""

_RULES = Exercise(
    number="04.2",
    goal=(
        "One definition breaks all five rules. It gives the price of one unit of a currency in "
        "yuan on one day, from 2020-01-01 on. Write its words anew."
    ),
    starter='answer = exercise("04.2").material()',
    rules=(*_shape_rules(rate_definition), *(_keeps(rule) for rule in CODES)),
    hints=(
        "Run lint(answer[0]) and mend one finding after the other.",
        "Name: get_rate. The description has two sentences, and the second begins with Returns.",
        "Each parameter: what it is, its form or limits, an example or the default.",
    ),
    source=_RATE,
    wrong=(
        WrongAnswer(source=_RATE.replace("get_rate", "exchange_rate"), fails=VERB),
        WrongAnswer(
            source=_RATE.replace(" Returns how many yuan one unit cost.", ""), fails=SPECIFIC
        ),
        WrongAnswer(source=_RATE.replace(", for example USD", ""), fails=EXAMPLE),
        WrongAnswer(
            source=_RATE.replace(" in the form YYYY-MM-DD, earliest 2020-01-01", " of the rate"),
            fails=LIMITS,
        ),
        WrongAnswer(source=_RATE.replace(" Default 4, enough for prices.", ""), fails=DEFAULT),
        WrongAnswer(source=_RATE + 'parts["date"].pop("format")', fails=ONLY_WORDS),
    ),
    make_material=rate_definition,
)


# --- 04.3: raise a score --------------------------------------------------------------------------

#: What the toolbox must reach: right arguments, of the 30 requests and of ten others.
TARGET = 27
UNSEEN_TARGET = 9
MAX_DESCRIPTION_CHARS = 300

SHORT = f"No description is longer than {MAX_DESCRIPTION_CHARS} characters."
REACHED = f"The toolbox reaches right arguments for at least {TARGET} of the 30 requests."
GENERAL = f"It reaches at least {UNSEEN_TARGET} of ten other requests that you have not seen."


def poor_toolbox() -> list[dict[str, Any]]:
    """The five tools with vague names and descriptions."""
    from course_pkg.lessons.measuring import worded

    return worded(names="vague", descriptions="vague")


def _is_short(answer: Any) -> bool:
    texts = [
        part.get("description", "")
        for item in answer
        for part in (
            item["function"],
            *item["function"]["parameters"]["properties"].values(),
        )
    ]
    return all(len(text) <= MAX_DESCRIPTION_CHARS for text in texts)


async def _reaches_target(answer: Any) -> bool:
    from course_pkg.lessons.measuring import measure

    async with practice_client() as client:
        return (await measure(client, answer)).right >= TARGET


async def _is_general(answer: Any) -> bool:
    from course_pkg.lessons.measuring import measure
    from course_pkg.lessons.measuring.prompts import read_prompts

    async with practice_client() as client:
        score = await measure(client, answer, requests=read_prompts("unseen.json"))
    return score.right >= UNSEEN_TARGET


_RAISE_BEGIN = """\
from course_pkg import exercise
answer = exercise("04.3").material()
"""
_RAISE = (
    _RAISE_BEGIN
    + """\
words = [
    ("get_weather", "Get today's weather in a city. Returns temperature, rain and humidity."),
    ("search_docs", "Search the pages of this course. Returns titles and excerpts."),
    ("calculate", "Calculate an arithmetic expression. Returns a number."),
    ("read_file", "Read a text file. Returns its content."),
    ("send_message", "Send a message to a person. Returns its id."),
]
for definition, (name, description) in zip(answer, words):
    definition["function"]["name"] = name
    definition["function"]["description"] = description
"""
)

_RAISE_SCORE = Exercise(
    number="04.3",
    goal=(
        f"Raise the poor toolbox to right arguments for {TARGET} of 30 requests. The five "
        "functions, in order: weather, pages of the course, arithmetic, files, messages."
    ),
    starter='answer = exercise("04.3").material()',
    rules=(
        *_shape_rules(poor_toolbox),
        Rule(
            name=SHORT,
            test=_is_short,
            hint="Each request carries all of it again. Say it in two or three sentences.",
        ),
        Rule(
            name=REACHED,
            test=_reaches_target,
            hint="score = await measure(client, answer). Which marks are not right?",
        ),
        Rule(
            name=GENERAL,
            test=_is_general,
            hint="Describe what the tool does, not the requests that you have seen.",
        ),
    ),
    hints=(
        "The parameters are good already. Which two things are vague?",
        "[mark.prompt.text for mark in score.marks if not mark.right] shows what is still missed.",
        "Give each tool a verb and a noun as its name, and one sentence that says what comes back.",
    ),
    source=_RAISE,
    wrong=(
        WrongAnswer(source=_RAISE_BEGIN, fails=REACHED),
        WrongAnswer(source=_RAISE_BEGIN + "answer = answer[:4]", fails=IS_LIST),
        WrongAnswer(
            source=_RAISE + 'answer[0]["function"]["parameters"].pop("required")', fails=ONLY_WORDS
        ),
        WrongAnswer(
            source=_RAISE + 'answer[0]["function"]["description"] += " Weather." * 40', fails=SHORT
        ),
        WrongAnswer(
            source=_RAISE.replace("zip(answer, words)", "zip(answer, words[1:] + words[:1])"),
            fails=REACHED,
        ),
        # Words of the requests that can be seen, in place of what the tool does.
        WrongAnswer(
            source=_RAISE.replace("search_docs", "tool_b").replace(
                "Search the pages of this course. Returns titles and excerpts.",
                "Parallel tool calls, strict mode, retries, oneOf, 流式输出, 超时.",
            ),
            fails=GENERAL,
        ),
    ),
    make_material=poor_toolbox,
)


# --- 04.4: read figures ---------------------------------------------------------------------------

FOUR_WORDS = "The answer is a list of four words out of 'first', 'second', 'not shown'."
NONE_TOO_SOON = "Where chance may well have made the difference, the word is 'not shown'."
NONE_MISSED = "Where a difference is shown, the word names the better toolbox."

#: Four comparisons of two toolboxes over the same 30 requests.
COMPARISONS = (
    {"first": 20, "second": 24, "lost": 2, "gained": 6},
    {"first": 12, "second": 24, "lost": 0, "gained": 12},
    {"first": 27, "second": 19, "lost": 9, "gained": 1},
    {"first": 24, "second": 24, "lost": 5, "gained": 5},
)
VERDICTS = ("not shown", "second", "first", "not shown")


def comparisons() -> list[dict[str, int]]:
    """How many requests each toolbox got right, and how many only one of them did."""
    return [dict(row) for row in COMPARISONS]


def _are_words(answer: Any) -> bool:
    return (
        isinstance(answer, list)
        and len(answer) == len(VERDICTS)
        and all(word in set(VERDICTS) for word in answer)
    )


def _agree(answer: Sequence[str], *, shown: bool) -> bool:
    pairs = zip(answer, VERDICTS, strict=True)
    return all(said == right for said, right in pairs if (right != "not shown") == shown)


_READ = Exercise(
    number="04.4",
    goal=(
        "Four times two toolboxes were measured with the same 30 requests. Say for each time "
        "which one is better: 'first', 'second' or 'not shown', with 0.05 as the limit."
    ),
    starter='comparisons = exercise("04.4").material()\nanswer = []',
    rules=(
        Rule(
            name=FOUR_WORDS,
            test=_are_words,
            hint="One word for each comparison, in order.",
        ),
        Rule(
            name=NONE_TOO_SOON,
            test=lambda answer: _agree(answer, shown=False),
            hint="Four more right answers look like much. How often would chance do that?",
        ),
        Rule(
            name=NONE_MISSED,
            test=lambda answer: _agree(answer, shown=True),
            hint="Lost means that only the first toolbox was right there. Who has more of those?",
        ),
    ),
    hints=(
        "Only requests that the two toolboxes answer differently say anything.",
        "mcnemar(lost, gained) gives the chance. Compare it with 0.05.",
        "With more gained than lost, the second toolbox is better, if a difference is shown.",
    ),
    source=(
        "from course_pkg import exercise\n"
        "from course_pkg.lessons.measuring import mcnemar\n"
        "answer = []\n"
        'for row in exercise("04.4").material():\n'
        '    better = "second" if row["gained"] > row["lost"] else "first"\n'
        '    chance = mcnemar(row["lost"], row["gained"])\n'
        '    answer.append(better if chance < 0.05 else "not shown")'
    ),
    wrong=(
        WrongAnswer(source='answer = "second"', fails=FOUR_WORDS),
        WrongAnswer(source='answer = ["second", "second"]', fails=FOUR_WORDS),
        WrongAnswer(
            source='answer = ["second", "second", "first", "not shown"]', fails=NONE_TOO_SOON
        ),
        WrongAnswer(source='answer = ["not shown"] * 4', fails=NONE_MISSED),
        WrongAnswer(
            source='answer = ["not shown", "first", "second", "not shown"]', fails=NONE_MISSED
        ),
    ),
    make_material=comparisons,
)

EXERCISES = (_APART, _RULES, _RAISE_SCORE, _READ)
