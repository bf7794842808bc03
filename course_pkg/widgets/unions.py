"""Hold a value against the branches of a union, and say what anyOf and oneOf make of it.

In: a value and a schema that has branches. Out: a `Comparison`: each branch's fate and both
verdicts, whichever of the two words the schema uses. Also the worked unions of lesson 03, and a
typed text read as JSON. Knows nothing of how it is shown.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from course_pkg.schema import Branch, Choice, branches

Schema: TypeAlias = Mapping[str, Any]

KEYWORDS = ("anyOf", "oneOf")
#: So many sample values are made for a schema that comes without any.
MAX_MADE_SAMPLES = 6

#: Words of other languages, and the JSON for them.
FOREIGN_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}


class NoUnionError(ValueError):
    """A schema has no branches at its root. The text says what to give instead."""


class NotJSONError(ValueError):
    """A typed text is not JSON. The text says where and what to write."""


@dataclass(frozen=True, kw_only=True)
class Union:
    """A schema with branches, and values to try on it.

    Attributes:
        name: a few words to choose it by.
        says: what the branches ask for, in one sentence.
        schema: the schema; its root has `anyOf` or `oneOf`.
        samples: values to try, those that fit and those that do not.
    """

    name: str
    says: str
    schema: Schema
    samples: Sequence[Any]

    @property
    def parts(self) -> Sequence[Any]:
        """The branches."""
        found: Sequence[Any] = next(self.schema[word] for word in KEYWORDS if word in self.schema)
        return found


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What became of one value at one union, by both keywords.

    Attributes:
        where: the place of the value, `amount`; empty for the root.
        branches: each branch with its problems.
        any_of: what `anyOf` says of these branches.
        one_of: what `oneOf` says of them.
        reason: which branch was meant, if none fits and one stands out.
    """

    where: str
    branches: tuple[Branch, ...]
    any_of: bool
    one_of: bool
    reason: str = ""

    @property
    def sentence(self) -> str:
        """Both verdicts and why, in words."""
        count = sum(branch.matched for branch in self.branches)
        if count == 0:
            return "No branch fits, so both fail."
        if count == 1:
            return "Exactly one branch fits, so both pass."
        return (
            f"{count} branches fit. anyOf wants at least one, so it passes. "
            "oneOf wants exactly one, so it fails."
        )


def compare_at_root(value: Any, union: Union) -> Comparison:
    """What `anyOf` and `oneOf` say of a value, each asked with the same branches.

    Args:
        value: a JSON value.
        union: the branches.

    Raises:
        SchemaError: if the schema cannot be used.
        TooDeepError: if the value is nested too deeply.
    """
    any_of, one_of = (branches(value, _said_with(word, union))[0] for word in KEYWORDS)
    return _comparison(any_of, any_of=any_of.valid, one_of=one_of.valid)


def compare_all(value: Any, schema: Schema) -> list[Comparison]:
    """The same for every union that a value meets in any schema, outer ones first.

    Args:
        value: a JSON value.
        schema: a JSON Schema.

    Raises:
        SchemaError: if the schema cannot be used.
        TooDeepError: if the value is nested too deeply.
    """
    return [
        _comparison(choice, any_of=len(choice.matched) > 0, one_of=len(choice.matched) == 1)
        for choice in branches(value, schema)
    ]


def union_of(name: str, schema: Schema) -> Union:
    """A union made of a schema alone: its description, its examples, or values made for it.

    Args:
        name: a few words to choose it by.
        schema: a schema with `anyOf` or `oneOf` at its root.

    Raises:
        NoUnionError: if it has neither.
    """
    if not any(isinstance(schema.get(word), list) for word in KEYWORDS):
        raise NoUnionError(
            f"The schema {name!r} has no anyOf and no oneOf at its root, and its keywords are "
            f"{', '.join(schema) or 'none'}. Give the part of it that has one of the two."
        )
    made = schema.get("examples") or _made_samples(schema)
    return Union(name=name, says=str(schema.get("description", "")), schema=schema, samples=made)


def read_json(text: str) -> Any:
    """The value that a person typed as JSON.

    Args:
        text: what was typed.

    Raises:
        NotJSONError: if it is not JSON, with the place and what to write instead.
    """
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise NotJSONError(_why(text.strip(), error)) from None
    except RecursionError:
        raise NotJSONError("This is nested too deeply to be read.") from None
    except ValueError as error:
        raise NotJSONError(str(error)) from None


def _said_with(keyword: str, union: Union) -> Schema:
    rest = {key: part for key, part in union.schema.items() if key not in KEYWORDS}
    return {**rest, keyword: union.parts}


def _comparison(choice: Choice, *, any_of: bool, one_of: bool) -> Comparison:
    return Comparison(
        where=choice.where,
        branches=choice.branches,
        any_of=any_of,
        one_of=one_of,
        reason=choice.reason,
    )


def _made_samples(schema: Schema) -> list[Any]:
    """Small values, taken from the branches in turns."""
    from course_pkg.schema.apart import samples

    parts = next(schema[word] for word in KEYWORDS if word in schema)
    in_turns = itertools.zip_longest(*(samples(part, schema) for part in parts), fillvalue=None)
    by_text = {json.dumps(value): value for value in itertools.chain.from_iterable(in_turns)}
    return [*itertools.islice(by_text.values(), MAX_MADE_SAMPLES)] or [None]


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"JSON has no {name}. Write a number with digits, or null.")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:40]} is too large for a computer's numbers.")
    return value


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in made if names.count(name) > 1)
        raise ValueError(
            f'The name "{twice[:40]}" stands twice in one object. Keep one of the two.'
        )
    return made


def _why(text: str, error: json.JSONDecodeError) -> str:
    if not text:
        return 'Nothing is typed yet. A text with no characters is written "".'
    if text in FOREIGN_WORDS:
        return f"JSON writes {text} as {FOREIGN_WORDS[text]}."
    if text.isalpha():
        return f'This is not JSON yet. A text stands in double quotes: "{text[:40]}".'
    if "'" in text and '"' not in text:
        return "This is not JSON yet. JSON uses double quotes, never single ones."
    if error.msg == "Extra data":
        return f"One value is complete before character {error.pos + 1}, and more follows it."
    return f"This is not JSON yet: {error.msg} at character {error.pos + 1}."


EMAIL = {
    "type": "object",
    "properties": {"kind": {"const": "email"}, "address": {"type": "string", "format": "email"}},
    "required": ["kind", "address"],
    "additionalProperties": False,
}
PHONE = {
    "type": "object",
    "properties": {
        "kind": {"const": "phone"},
        "number": {"type": "string", "pattern": "^1[3-9][0-9]{9}$"},
    },
    "required": ["kind", "number"],
    "additionalProperties": False,
}
MONEY = {
    "type": "object",
    "properties": {"value": {"type": "number"}, "currency": {"enum": ["CNY", "USD"]}},
    "required": ["value", "currency"],
    "additionalProperties": False,
}

#: The unions of lesson 03.
WORKED = (
    Union(
        name="lengths",
        says="A text of at least 3 characters, or a text of at most 5.",
        schema={
            "anyOf": [{"type": "string", "minLength": 3}, {"type": "string", "maxLength": 5}],
        },
        samples=("ab", "hello", "abcdef"),
    ),
    Union(
        name="patterns",
        says="A text of digits only, or a text of the letters a to z only.",
        schema={
            "anyOf": [
                {"type": "string", "pattern": "^[0-9]+$"},
                {"type": "string", "pattern": "^[a-zA-Z]+$"},
            ],
        },
        samples=("123", "abc", "a1", ""),
    ),
    Union(
        name="integer or number",
        says="A whole number, or any number.",
        schema={"anyOf": [{"type": "integer"}, {"type": "number"}]},
        samples=(3, 3.5, "3"),
    ),
    Union(
        name="payment amount",
        says="A number, or an object with a value and a currency.",
        schema={"anyOf": [{"type": "number"}, MONEY]},
        samples=(
            100,
            {"value": 100, "currency": "CNY"},
            {"value": 100},
            {"value": 100, "currency": "EUR"},
        ),
    ),
    Union(
        name="contact with a tag",
        says="An e-mail address or a phone number; the tag kind says which.",
        schema={"anyOf": [EMAIL, PHONE]},
        samples=(
            {"kind": "email", "address": "ada@example.com"},
            {"kind": "phone", "number": "13812345678"},
            {"kind": "email", "number": "13812345678"},
            {"kind": "fax", "number": "13812345678"},
        ),
    ),
)
