"""Say in words what a schema's keyword asks for, and what to do about it.

In: a keyword with its value, and the value that broke it. Out: two short texts, "expected" and
"advice". Adding a keyword is adding a row to `WORDS`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from course_pkg.schema.formats import EXAMPLES
from course_pkg.schema.problem import json_type, shown
from course_pkg.schema.validators import additional_names

#: keyword's value, the instance, the schema around the keyword → what follows "expected".
Words: TypeAlias = Callable[[Any, Any, Mapping[str, Any]], tuple[str, str]]

TYPE_NAMES = {
    "string": "text (string)",
    "integer": "a whole number (integer)",
    "number": "a number",
    "boolean": "true or false (boolean)",
    "array": "a list (array)",
    "object": "an object",
    "null": "null",
}

MAX_CHOICES_SHOWN = 12


def words_for(
    keyword: str, value: Any, instance: Any, schema: Mapping[str, Any]
) -> tuple[str, str]:
    """What the keyword asks for and what to do, as two texts.

    Args:
        keyword: the schema's keyword that is broken.
        value: the keyword's value in the schema.
        instance: the value that broke it.
        schema: the schema in which the keyword stands.
    """
    words = WORDS.get(keyword)
    if words is None:
        return f"{keyword}: {shown(value)}", f"Change the value so that {keyword} holds."
    return words(value, instance, schema)


def _type(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    kinds = value if isinstance(value, list) else [value]
    expected = " or ".join(TYPE_NAMES.get(kind, str(kind)) for kind in kinds)
    if isinstance(instance, str) and not {"string"} & set(kinds):
        return expected, "Give the value itself, not a text that holds it."
    return expected, f"Give {expected}, not {TYPE_NAMES.get(json_type(instance), 'that')}."


def _required(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    missing = [name for name in value if name not in instance]
    names = ", ".join(shown(name) for name in missing)
    return f"the required {names}", f"Add {names}."


def _additional(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    known = list(schema.get("properties", {}))
    extra = additional_names(instance, schema)
    allowed = ", ".join(shown(name) for name in known) or "nothing"
    advice = [f"Leave out {', '.join(shown(name) for name in extra)}."]
    for name in extra:
        close = difflib.get_close_matches(str(name), known, n=1)
        advice += [f"Did you mean {shown(close[0])}?"] if close else []
    return f"only {allowed}", " ".join(advice)


def _unevaluated(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    return "no more than the schema names", "Leave out what no part of the schema names."


def _dependent(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    missing = [
        (given, name)
        for given, names in value.items()
        if given in instance
        for name in names
        if name not in instance
    ]
    pairs = ", ".join(f"{shown(name)} beside {shown(given)}" for given, name in missing)
    return pairs, f"Add {', '.join(shown(name) for _, name in missing)}."


def _rest_of_items(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    most = len(schema.get("prefixItems", []))
    return f"a list of at most {most} items", "Leave items out."


def _format(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    example = EXAMPLES.get(str(value))
    such_as = f", such as {example}" if example else ""
    return f"text in the format {shown(value)}{such_as}", "Write it in that format."


def _enum(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    choices = ", ".join(shown(choice) for choice in value[:MAX_CHOICES_SHOWN])
    more = ", …" if len(value) > MAX_CHOICES_SHOWN else ""
    texts = [choice for choice in value if isinstance(choice, str)]
    close = difflib.get_close_matches(instance, texts, n=1) if isinstance(instance, str) else []
    advice = f"Did you mean {shown(close[0])}?" if close else "Take one of them, as it is written."
    return f"one of {choices}{more}", advice


def _const(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    return shown(value), f"Give exactly {shown(value)}."


def _limit(phrase: str, advice: str) -> Words:
    def words(value: Any, instance: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
        return _in_number(phrase.format(shown(value))), advice.format(shown(value))

    return words


def _in_number(text: str) -> str:
    """`at least 1 items` as people say it: `at least 1 item`."""
    for many, one in (("items", "item"), ("characters", "character"), ("properties", "property")):
        text = text.replace(f" 1 {many}", f" 1 {one}")
    return text


WORDS: Mapping[str, Words] = {
    "type": _type,
    "required": _required,
    "additionalProperties": _additional,
    "unevaluatedProperties": _unevaluated,
    "unevaluatedItems": _unevaluated,
    "dependentRequired": _dependent,
    "items": _rest_of_items,
    "contains": _limit("a list that contains an item which fits {}", "Add such an item."),
    "minContains": _limit("at least {} items that fit contains", "Add such items."),
    "maxContains": _limit("at most {} items that fit contains", "Leave such items out."),
    "false": lambda value, instance, schema: ("nothing here", "Leave it out."),
    "enum": _enum,
    "const": _const,
    "minimum": _limit("a number of at least {}", "Give {} or more."),
    "maximum": _limit("a number of at most {}", "Give {} or less."),
    "exclusiveMinimum": _limit("a number greater than {}", "Give more than {}."),
    "exclusiveMaximum": _limit("a number less than {}", "Give less than {}."),
    "multipleOf": _limit("a multiple of {}", "Give a multiple of {}."),
    "minLength": _limit("text of at least {} characters", "Make it longer."),
    "maxLength": _limit("text of at most {} characters", "Make it shorter."),
    "pattern": _limit("text that matches the pattern {}", "Write it in that form."),
    "format": _format,
    "minItems": _limit("a list with at least {} items", "Add items."),
    "maxItems": _limit("a list with at most {} items", "Leave items out."),
    "uniqueItems": _limit("a list without repeated items", "Leave out what is there twice."),
    "minProperties": _limit("an object with at least {} properties", "Add properties."),
    "maxProperties": _limit("an object with at most {} properties", "Leave properties out."),
    "anyOf": _limit("a value that fits at least one branch of anyOf", "Fit one of the branches."),
    "oneOf": _limit("a value that fits exactly one branch of oneOf", "Fit one branch only."),
    "not": _limit("a value that does not fit {}", "Give another value."),
}
