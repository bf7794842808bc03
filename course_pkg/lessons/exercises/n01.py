"""The exercises of notebook 01: write a definition, repair one, and write the function for one.

The checks look at what a definition does: which arguments its schema lets through and which not.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from course_pkg.lessons.checks import Exercise, Rule, WrongAnswer
from course_pkg.schema import check, check_schema
from course_pkg.tools import compare, tool

#: A definition has a good name if it is in lower snake case and has a verb and a noun at least.
HOUSE_NAME = re.compile(r"[a-z]+(_[a-z0-9]+)+")
LEGAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
MIN_WORDS = 6
MIN_PARAMETER_WORDS = 3


def _function(answer: Any) -> Mapping[str, Any]:
    """What stands under `function`; empty if the answer is no definition."""
    inner = answer.get("function") if isinstance(answer, dict) else None
    return inner if isinstance(inner, dict) and answer.get("type") == "function" else {}


def _schema(answer: Any) -> dict[str, Any]:
    schema = _function(answer).get("parameters")
    return schema if isinstance(schema, dict) else {}


def _properties(answer: Any) -> dict[str, Any]:
    found = _schema(answer).get("properties")
    return found if isinstance(found, dict) else {}


def _words(text: Any) -> int:
    return len(text.split()) if isinstance(text, str) else 0


def _is_definition(answer: Any) -> bool:
    wanted = {"name": str, "description": str, "parameters": dict}
    found = _function(answer)
    return all(isinstance(found.get(key), kind) for key, kind in wanted.items())


def _has_house_name(answer: Any) -> bool:
    name = _function(answer).get("name", "")
    return bool(LEGAL_NAME.fullmatch(name) and HOUSE_NAME.fullmatch(name))


def _is_schema(answer: Any) -> bool:
    check_schema(_schema(answer))
    return _schema(answer).get("type") == "object"


def _is_described(answer: Any) -> bool:
    parts = _properties(answer).values()
    return _words(_function(answer).get("description")) >= MIN_WORDS and all(
        isinstance(part, dict) and _words(part.get("description")) >= MIN_PARAMETER_WORDS
        for part in parts
    )


def _takes(answer: Any, instances: Sequence[Any]) -> bool:
    return all(not check(instance, _schema(answer)) for instance in instances)


def _refuses(answer: Any, instances: Sequence[Any]) -> bool:
    return all(check(instance, _schema(answer)) for instance in instances)


# --- 01.1: a definition from a brief --------------------------------------------------------------

IS_DEFINITION = "The answer is a definition with name, description and parameters."
HOUSE_NAMED = "The name is in lower snake case, and begins with a verb: two words at least."
IS_SCHEMA = "The parameters are a valid JSON Schema whose root is an object."
DESCRIBED = "The tool and each parameter are described, the tool in six words at least."
GOOD_PASS = "Arguments that fit the brief pass."
BAD_FAIL = "Arguments that do not fit the brief are stopped."

FITTING = (
    {"amount": 50, "source": "USD", "target": "EUR"},
    {"amount": 0.5, "source": "CNY"},
)
UNFITTING = (
    {"source": "USD"},
    {"amount": 50},
    {"amount": "50", "source": "USD"},
    {"amount": 50, "source": "dollars"},
    {"amount": 50, "source": "USD", "target": "XXX"},
    {"amount": 50, "source": "USD", "to": "EUR"},
)

_CURRENCY = '{"type": "string", "enum": ["CNY", "USD", "EUR"], "description": "%s"}'
_DEFINITION = (
    """\
answer = {
    "type": "function",
    "function": {
        "name": "convert_currency",
        "description": "Convert an amount of money from one currency to another. "
        "Returns the new amount.",
        "parameters": {
            "type": "object",
            "properties": {
                "amount": {"type": "number", "description": "How much, for example 50."},
                "source": """
    + _CURRENCY % "Currency of the amount, for example USD."
    + """,
                "target": """
    + _CURRENCY % "Currency of the result. Default CNY."
    + """,
            },
            "required": ["amount", "source"],
            "additionalProperties": False,
        },
    },
}"""
)

_WRITE = Exercise(
    number="01.1",
    goal=(
        "Write the definition of a tool that converts money. Parameters: amount, a number; source "
        "and target, each one of CNY, USD, EUR. target may be left out, then CNY is meant."
    ),
    starter='answer = {"type": "function", "function": {}}',
    rules=(
        Rule(
            name=IS_DEFINITION,
            test=_is_definition,
            hint="Under 'function' stand three keys. Look at the definition of get_weather.",
        ),
        Rule(
            name=HOUSE_NAMED,
            test=_has_house_name,
            hint="Say what the tool does, then with what, like get_weather.",
        ),
        Rule(
            name=IS_SCHEMA,
            test=_is_schema,
            hint="check_schema(...) says where a schema is wrong. Is the root's type 'object'?",
        ),
        Rule(
            name=DESCRIBED,
            test=_is_described,
            hint="Say what comes back, too. A parameter's description has three words at least.",
        ),
        Rule(
            name=GOOD_PASS,
            test=lambda answer: _takes(answer, FITTING),
            hint='Try check({"amount": 0.5, "source": "CNY"}, your_schema) and read the problems.',
        ),
        Rule(
            name=BAD_FAIL,
            test=lambda answer: _refuses(answer, UNFITTING),
            hint="Which keyword lists the allowed values? Which names must be there? Which may be?",
        ),
    ),
    hints=(
        "Copy get_weather.definition(), and change it piece by piece.",
        "Three currencies are an 'enum'. What must be there is listed in 'required'.",
        "amount has the type 'number', and 'additionalProperties' is False.",
    ),
    source=_DEFINITION,
    wrong=(
        WrongAnswer(source='answer = {"name": "convert_currency"}', fails=IS_DEFINITION),
        WrongAnswer(
            source=_DEFINITION.replace("convert_currency", "currencyConverter"), fails=HOUSE_NAMED
        ),
        WrongAnswer(source=_DEFINITION.replace('"number"', '"float"'), fails=IS_SCHEMA),
        WrongAnswer(source=_DEFINITION.replace("How much, for example 50.", ""), fails=DESCRIBED),
        WrongAnswer(
            source=_DEFINITION.replace('"source"],', '"source", "target"],'), fails=GOOD_PASS
        ),
        WrongAnswer(source=_DEFINITION.replace('"number"', '"integer"'), fails=GOOD_PASS),
        WrongAnswer(
            source=_DEFINITION.replace('            "additionalProperties": False,\n', ""),
            fails=BAD_FAIL,
        ),
        WrongAnswer(
            source=_DEFINITION.replace('"enum": ["CNY", "USD", "EUR"], ', ""), fails=BAD_FAIL
        ),
    ),
)


# --- 01.2: five defects ---------------------------------------------------------------------------

NAME_LEGAL = "The name is one that a service accepts, and it begins with a verb."
SAYS_WHAT = "The description says what the tool does, in six words at least."
TYPES_KNOWN = "Each type is one that JSON Schema has."
REQUIRED_LISTED = "What must be there is listed in 'required': city, and nothing else."
CLOSED = "Arguments that nobody knows are stopped."
STILL_THERE = "The parameters are still city, a text, and days, a whole number."


def broken_definition() -> dict[str, Any]:
    """A definition with five defects: name, description, a type, required, open to any key."""
    return {
        "type": "function",
        "function": {
            "name": "weather forecast",
            "description": "Data.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {
                        "type": "string",
                        "description": "City to look up, for example Oslo.",
                    },
                    "days": {"type": "int", "description": "How many days, from 1 to 7."},
                },
                "required": ["town"],
            },
        },
    }


def _types_known(answer: Any) -> bool:
    known = {"string", "number", "integer", "boolean", "array", "object", "null"}
    parts = _properties(answer).values()
    return all(isinstance(part, dict) and part.get("type") in known for part in parts)


def _same_parameters(answer: Any) -> bool:
    return {name: part.get("type") for name, part in _properties(answer).items()} == {
        "city": "string",
        "days": "integer",
    }


def _requires_city(answer: Any) -> bool:
    check_schema(_schema(answer))
    return _schema(answer).get("required") == ["city"]


_BEGIN = 'from course_pkg import exercise\nanswer = exercise("01.2").material()\n'
_MEND = (
    _BEGIN
    + """\
function = answer["function"]
function["name"] = "get_forecast"
function["description"] = "Get the forecast for a city. Returns one line for each day."
schema = function["parameters"]
schema["properties"]["days"]["type"] = "integer"
schema["required"] = ["city"]
schema["additionalProperties"] = False
"""
)

_REPAIR = Exercise(
    number="01.2",
    goal="The definition has five defects. Repair them all, and keep the two parameters.",
    starter='answer = exercise("01.2").material()',
    rules=(
        Rule(
            name=IS_DEFINITION,
            test=_is_definition,
            hint="Change values inside the material. Its outer form was right.",
        ),
        Rule(
            name=NAME_LEGAL,
            test=_has_house_name,
            hint="Which characters may a name have? And what does the tool do?",
        ),
        Rule(
            name=SAYS_WHAT,
            test=lambda answer: _words(_function(answer).get("description")) >= MIN_WORDS,
            hint="Read the description as somebody who has never seen the tool.",
        ),
        Rule(
            name=TYPES_KNOWN,
            test=_types_known,
            hint="JSON Schema has six types and null. Python's names for them are others.",
        ),
        Rule(
            name=STILL_THERE,
            test=_same_parameters,
            hint="Do not rename or drop a parameter: the function behind it stays as it is.",
        ),
        Rule(
            name=REQUIRED_LISTED,
            test=_requires_city,
            hint="Compare the names in 'required' with those in 'properties'.",
        ),
        Rule(
            name=CLOSED,
            test=lambda answer: _refuses(answer, [{"city": "Oslo", "day": 3}]),
            hint="A model that writes 'day' in place of 'days' must hear of it.",
        ),
    ),
    hints=(
        "Run lint(answer). It finds most of them.",
        "One defect in each: name, description, a type, required, and one key that is missing.",
        "The missing key is 'additionalProperties'.",
    ),
    source=_MEND,
    wrong=(
        WrongAnswer(source=_MEND.replace("get_forecast", "weather_forecast!"), fails=NAME_LEGAL),
        WrongAnswer(source=_BEGIN, fails=NAME_LEGAL),
        WrongAnswer(
            source=_MEND.replace("Get the forecast for a city. Returns one line for each day.", "")
            + "function['description'] = 'Weather data.'",
            fails=SAYS_WHAT,
        ),
        WrongAnswer(source=_MEND.replace('"integer"', '"int"'), fails=TYPES_KNOWN),
        WrongAnswer(source=_MEND.replace('"integer"', '"number"'), fails=STILL_THERE),
        WrongAnswer(source=_MEND.replace('= ["city"]', "= []"), fails=REQUIRED_LISTED),
        WrongAnswer(
            source=_MEND.replace('schema["additionalProperties"] = False\n', ""), fails=CLOSED
        ),
    ),
    make_material=broken_definition,
)


# --- 01.3: the function for a definition ----------------------------------------------------------

IS_FUNCTION = "The answer is a plain function that can be made into a tool."
AGREES = "Signature and definition agree: names, types, what must be there, defaults."
RUNS = "The function takes what the definition promises, and gives a text."


def table_definition() -> dict[str, Any]:
    """The definition for which a function is to be written."""
    return {
        "type": "function",
        "function": {
            "name": "book_table",
            "description": "Book a table in a restaurant and return a sentence that confirms it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "restaurant": {
                        "type": "string",
                        "description": "Name of the restaurant, for example Blue Door.",
                    },
                    "guests": {"type": "integer", "description": "How many guests, 1 to 12."},
                    "outside": {
                        "type": "boolean",
                        "default": False,
                        "description": "Whether to sit outside. Default false, inside.",
                    },
                },
                "required": ["restaurant", "guests"],
                "additionalProperties": False,
            },
        },
    }


def _is_toolable(answer: Any) -> bool:
    return inspect.isfunction(answer) and bool(tool(answer))


def _agrees(answer: Any) -> bool:
    return not compare(tool(name="book_table")(answer), table_definition())


def _runs(answer: Any) -> bool:
    said = [
        answer(restaurant="Blue Door", guests=4),
        answer(restaurant="Blue Door", guests=2, outside=True),
    ]
    return all(isinstance(text, str) and "Blue Door" in text for text in said)


_TABLE = """\
def answer(restaurant: str, guests: int, outside: bool = False) -> str:
    place = "outside" if outside else "inside"
    return f"A table for {guests} at {restaurant}, {place}."
"""

_AGREE = Exercise(
    number="01.3",
    goal=(
        "Write the function for a given definition: same parameters, types and defaults. It "
        "returns a sentence with the restaurant's name in it."
    ),
    starter='definition = exercise("01.3").material()\n\ndef answer(restaurant, guests):\n    ...',
    rules=(
        Rule(
            name=IS_FUNCTION,
            test=_is_toolable,
            hint="Define a function with def. List each parameter; no *args and no **kwargs.",
        ),
        Rule(
            name=AGREES,
            test=_agrees,
            hint="Run compare(answer, definition) and read the findings.",
        ),
        Rule(name=RUNS, test=_runs, hint="Return an f-string that names the restaurant."),
    ),
    hints=(
        "Look at definition['function']['parameters']. Each property becomes a parameter.",
        "string is str, integer is int, boolean is bool. Write them as annotations.",
        "outside is not in 'required', so it needs the default that the definition names.",
    ),
    source=_TABLE,
    wrong=(
        WrongAnswer(source="answer = 5", fails=IS_FUNCTION),
        WrongAnswer(source='def answer(**kwargs):\n    return "Blue Door"', fails=IS_FUNCTION),
        WrongAnswer(source=_TABLE.replace("guests: int", "guests: str"), fails=AGREES),
        WrongAnswer(source=_TABLE.replace(" = False", ""), fails=AGREES),
        WrongAnswer(source=_TABLE.replace("guests", "people"), fails=AGREES),
        WrongAnswer(source=_TABLE.replace("return ", ""), fails=RUNS),
    ),
    make_material=table_definition,
)

EXERCISES = (_WRITE, _REPAIR, _AGREE)
