"""The five rules about descriptions, for the tool and for each parameter.

1. Begin with a verb: it says what happens.
2. Be specific: what comes back, and of what.
3. Give an example value: a model copies its form.
4. State limits and format: a model cannot guess them.
5. State the default and what it means: a model that knows it leaves the argument out.

Rules about English words are not put to descriptions in another script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from course_pkg.schema.finding import Finding
from course_pkg.schema.linting.definitions import Definition
from course_pkg.schema.linting.verbs import is_a_verb
from course_pkg.schema.places import Steps, all_schemas, pointer
from course_pkg.schema.problem import shown
from course_pkg.schema.references import followed

#: Shorter descriptions say too little.
MIN_TOOL_WORDS = 4
MIN_PARAMETER_CHARS = 8

RESULT_WORDS = re.compile(
    r"\b(returns?|gives?( back)?|answers?|results?|says?|tells?|reports?|lists?|outputs?|"
    r"yields?|as (json|text|an?)|whether|id of|number of)\b",
    re.IGNORECASE,
)
EXAMPLE_WORDS = re.compile(
    r"for example|e\.g\.|for instance|such as|\blike\b|['\"`“«]|:\s*\S", re.I
)
LIMIT_WORDS = re.compile(
    r"\d|at least|at most|between|greater|less|positive|format|must|only|letters|digits|ISO|RFC",
    re.IGNORECASE,
)
LIMITS = frozenset(
    {
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "pattern",
    }
)
#: A text that must have one of these shapes needs no example.
SHAPED = frozenset({"const", "enum", "examples", "format"})

Rule: TypeAlias = Callable[[Mapping[str, Any], str], Iterator[tuple[str, str, str, str]]]


def description_findings(definition: Definition) -> Iterator[Finding]:
    """What the descriptions of a tool and its parameters lack.

    Args:
        definition: a definition.
    """
    for code, text, fix, severity in _of_tool(definition):
        yield Finding(code=code, path="description", text=text, fix=fix, severity=severity)
    if not isinstance(definition.schema, Mapping):
        return
    for steps, part in all_schemas(definition.schema):
        if len(steps) < 2 or steps[-2] != "properties":
            continue
        yield from _of_parameter(steps, followed(part, definition.schema))


def _of_tool(definition: Definition) -> Iterator[tuple[str, str, str, str]]:
    text = definition.description.strip()
    if not text:
        yield (
            "description_missing",
            "The tool is not described, so a model has only its name to go by.",
            "Say what it does and what comes back: 'Get the weather in a city today. Returns the "
            "temperature and a word for the sky.'",
            "warning",
        )
        return
    if not _is_latin(text):
        return
    first = re.split(r"[^A-Za-z]+", text.lstrip("\"'`*# "))[0]
    if first and not is_a_verb(first):
        yield (
            "description_no_verb",
            f"The description begins with {shown(first)}. A verb says at once what happens.",
            "Begin with a verb: 'Get ...', 'Search ...', 'Send ...'.",
            "warning",
        )
    if len(text.split()) < MIN_TOOL_WORDS or _repeats(definition.name, text):
        yield (
            "description_vague",
            "The description says hardly more than the name.",
            "Say of what, from where, and what comes back: 'Search the manual. Returns the titles "
            "and the first lines of the best pages.'",
            "warning",
        )
    elif RESULT_WORDS.search(text) is None:
        yield (
            "description_no_result",
            "The description does not say what comes back, so a model cannot plan with it.",
            "Add a sentence: 'Returns ...'.",
            "advice",
        )


def _is_latin(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return sum(map(str.isascii, letters)) * 2 > len(letters)


def _repeats(name: str, text: str) -> bool:
    words = {word for word in re.split(r"[^a-z]+", text.lower()) if word}
    own = set(re.split(r"[^a-z]+", name.lower()))
    return words <= own | {"a", "an", "the", "tool", "function", "this", "is", "it", "for"}


def _of_parameter(steps: Steps, part: Any) -> Iterator[Finding]:
    part = part if isinstance(part, Mapping) else {}
    text = part.get("description")
    if not isinstance(text, str) or not text.strip():
        yield Finding(
            code="parameter_undescribed",
            path=pointer(steps),
            text=f"{shown(steps[-1])} is not described, so a model guesses from its name.",
            fix="Say what it is, in which form, and give an example.",
        )
        return
    if not _is_latin(text):
        return
    for rule in RULES:
        for code, words, fix, severity in rule(part, text.strip()):
            yield Finding(
                code=code,
                path=pointer(steps),
                text=f"{shown(steps[-1])} {words}",
                fix=fix,
                severity=severity,
            )


def _short(part: Mapping[str, Any], text: str) -> Iterator[tuple[str, str, str, str]]:
    if len(text) < MIN_PARAMETER_CHARS:
        yield (
            "parameter_vague",
            f"is described as {shown(text)}, which says hardly more than a name.",
            "Say what it is, in which form, and give an example.",
            "advice",
        )


def _no_example(part: Mapping[str, Any], text: str) -> Iterator[tuple[str, str, str, str]]:
    if part.get("type") != "string" or not SHAPED.isdisjoint(part):
        return
    if EXAMPLE_WORDS.search(text) is None:
        yield (
            "description_no_example",
            "may be any text, and no example shows which one is meant.",
            "Add an example: 'The city, for example Paris.'",
            "advice",
        )


def _no_limits(part: Mapping[str, Any], text: str) -> Iterator[tuple[str, str, str, str]]:
    limits = [word for word in part if word in LIMITS and part[word] not in (0, 1)]
    if limits and LIMIT_WORDS.search(text) is None:
        yield (
            "description_no_limits",
            f"is limited by {' and '.join(limits)}, and the description does not say so.",
            "State it: 'A day as YYYY-MM-DD.', 'From 1 to 7.'",
            "advice",
        )


def _no_default(part: Mapping[str, Any], text: str) -> Iterator[tuple[str, str, str, str]]:
    if part.get("default") is not None and "default" not in text.lower():
        yield (
            "description_no_default",
            f"has the default {shown(part['default'])}, and the description does not say so.",
            f"State it and what it means: 'Default {shown(part['default'])}.'",
            "advice",
        )


RULES: tuple[Rule, ...] = (_short, _no_example, _no_limits, _no_default)
