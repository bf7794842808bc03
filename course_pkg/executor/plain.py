"""Put what JSON has in the place of what it has not.

In: any Python value. Out: dicts, lists, texts, numbers, true, false and null. Nothing is raised: a
value's own methods may fail, and then a few words stand in its place.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import enum
import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

#: What is nested deeper is told in words.
MAX_DEPTH = 50

TOO_DEEP = "(nested too deeply)"
ITSELF = "(the value that this is in)"
INFINITE = {math.inf: "Infinity", -math.inf: "-Infinity"}


def plain(value: Any) -> Any:
    """The value as JSON can carry it.

    Dates and times become ISO 8601 texts, decimals texts with all their digits, bytes their text or
    base64, NaN a text; sets are sorted lists, and objects with fields (dataclasses, pydantic
    models, named tuples) JSON objects. Exceptions become their type and message. What is left
    becomes `str(value)`.

    Args:
        value: any Python value. It is not changed.
    """
    return _plain(value, ())


def in_words(value: Any) -> str:
    """`str(value)`, or a note about it where that fails.

    Args:
        value: any value, an exception too.
    """
    try:
        return str(value)
    except Exception as error:
        return f"(a {type(value).__name__} whose text cannot be had: {type(error).__name__})"


def _plain(value: Any, around: tuple[int, ...]) -> Any:
    if value is None or type(value) in (str, bool):
        return value
    if any(known == id(value) for known in around):
        return ITSELF
    if len(around) > MAX_DEPTH:
        return TOO_DEEP
    try:
        return _number(value) if isinstance(value, int | float) else _other(value, around)
    except Exception:  # a value's own methods may raise anything
        return in_words(value)


def _number(value: int | float) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, int):
        str(value)  # Python refuses to write an integer of more than 4,300 digits
        return int(value)
    return float(value) if math.isfinite(value) else INFINITE.get(float(value), "NaN")


def _other(value: Any, around: tuple[int, ...]) -> Any:
    for kinds, make in SIMPLE:
        if isinstance(value, kinds):
            return make(value)
    within = (*around, id(value))
    fields = _fields(value)
    if fields is not None:
        return _object(fields, within)
    if isinstance(value, Set):
        # Sorted, so that the same set always reads the same.
        with contextlib.suppress(Exception):
            return [_plain(item, within) for item in sorted(value)]
        return [_plain(item, within) for item in sorted(value, key=in_words)]
    if isinstance(value, Sequence):
        return [_plain(item, within) for item in value]
    return _unwrapped(value, within)


def _fields(value: Any) -> Mapping[Any, Any] | None:
    """The fields of what has fields."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return dict(value._asdict())
    return None


def _object(fields: Mapping[Any, Any], within: tuple[int, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, item in fields.items():
        name = _name(key)
        # 1 and "1" are two keys in Python and would be one in JSON.
        made[name if name not in made else f"{name} ({type(key).__name__})"] = _plain(item, within)
    return made


def _name(key: Any) -> str:
    made = _plain(key, ())
    if made is None or isinstance(made, bool):
        return {None: "null", True: "true", False: "false"}[made]
    return in_words(key) if isinstance(made, list | dict) else str(made)


def _unwrapped(value: Any, within: tuple[int, ...]) -> Any:
    """What another library says a value is in plain Python: pydantic and numpy have a method."""
    kind = type(value)
    for method in ("model_dump", "tolist"):
        if callable(getattr(kind, method, None)):
            return _plain(getattr(value, method)(), within)
    return in_words(value)


def _bytes(value: bytes | bytearray | memoryview) -> str:
    raw = bytes(value)
    try:
        text = raw.decode("utf-8")
        if all(letter.isprintable() or letter in "\n\r\t" for letter in text):
            return text
    except UnicodeDecodeError:
        pass
    return f"({len(raw):,} bytes, in base64: {base64.b64encode(raw).decode()})"


def _exception(error: BaseException) -> str:
    return f"{type(error).__name__}: {in_words(error)}".rstrip(": ")


#: Kinds of values that hold no others, and what to make of them; the first that fits.
SIMPLE: Sequence[tuple[tuple[type, ...], Callable[[Any], Any]]] = (
    ((enum.Enum,), lambda value: _plain(value.value, (id(value),))),
    ((str,), str),
    ((datetime.date, datetime.time), lambda value: value.isoformat()),
    ((bytes, bytearray, memoryview), _bytes),
    ((BaseException,), _exception),
)
