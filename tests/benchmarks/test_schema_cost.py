"""What `check` costs beside the bare library, and what looking 50 definitions over costs.

Run by hand: `pytest tests/benchmarks/test_schema_cost.py -s`. Both ways are measured in turns, in
CPU time, so that a busy machine slows both alike: the ratio counts, not the times.

The three schemas are those of `facts/performance.md`: a weather tool, an order nested three deep
with unions, and fifty addresses.
"""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from course_pkg.samples import toolbox
from course_pkg.schema import check, lint
from course_pkg.schema.validators import validator

MAX_RATIO = 1.3
ROUNDS = 15
SECONDS_A_ROUND = 0.02

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "description": "The city, for example Paris."},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


ORDER = _closed(
    customer=_closed(
        name={"type": "string"},
        contact={
            "anyOf": [
                _closed(kind={"const": "email"}, address={"type": "string", "format": "email"}),
                _closed(
                    kind={"const": "phone"}, number={"type": "string", "pattern": "^[0-9 +]+$"}
                ),
            ]
        },
    ),
    items={
        "type": "array",
        "minItems": 1,
        "items": _closed(
            code={"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
            price={
                "anyOf": [
                    {"type": "number"},
                    _closed(value={"type": "number"}, currency={"enum": ["CNY", "USD"]}),
                ]
            },
        ),
    },
)
ADDRESSES = _closed(
    addresses={
        "type": "array",
        "maxItems": 50,
        "items": _closed(
            street={"type": "string"},
            city={"type": "string"},
            code={"type": "string", "pattern": "^[0-9]{5}$"},
        ),
    }
)
REFERENCES = {
    "weather": (WEATHER, {"city": "北京", "unit": "celsius"}),
    "order": (
        ORDER,
        {
            "customer": {"name": "Ada", "contact": {"kind": "phone", "number": "+86 1"}},
            "items": [
                {"code": "ABC-1234", "price": 3},
                {"code": "ABC-1235", "price": {"value": 3, "currency": "CNY"}},
            ]
            * 2,
        },
    ),
    "addresses": (
        ADDRESSES,
        {"addresses": [{"street": "s", "city": "c", "code": "12345"}] * 50},
    ),
}


def cpu_of(work: Callable[[], Any], times: int) -> float:
    """Seconds of CPU for one run of the work."""
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_a_valid_instance_costs_little_more_than_the_bare_library(name: str) -> None:
    schema, instance = REFERENCES[name]
    assert check(instance, schema) == []
    from jsonschema import Draft202012Validator, FormatChecker

    bare = Draft202012Validator(schema, format_checker=FormatChecker())
    times = max(1, int(SECONDS_A_ROUND / cpu_of(lambda: list(bare.iter_errors(instance)), 20)))

    pairs = [
        (
            cpu_of(lambda: check(instance, schema), times),
            cpu_of(lambda: list(bare.iter_errors(instance)), times),
        )
        for _ in range(ROUNDS)
    ]
    ratio = median(ours / library for ours, library in pairs)

    best = [min(column) * 1e6 for column in zip(*pairs, strict=True)]
    sys.stdout.write(f"\n{name}: {best[0]:.0f} µs, library {best[1]:.0f} µs, ratio {ratio:.2f}\n")
    assert ratio <= MAX_RATIO


def test_no_schema_is_compiled_twice() -> None:
    first = validator(copy.deepcopy(ORDER))

    assert validator(copy.deepcopy(ORDER)) is first


def test_what_looking_fifty_definitions_over_costs_is_told() -> None:
    definitions = [copy.deepcopy(one) for one in toolbox().definitions() * 10]
    for number, definition in enumerate(definitions):  # none is like another
        definition["function"]["name"] += f"_{number}"
        definition["function"]["parameters"]["$comment"] = str(number)

    seconds = cpu_of(lambda: lint(definitions), 1)

    sys.stdout.write(f"\n50 definitions looked over in {seconds:.2f} s of CPU\n")
    assert len(definitions) == 50
