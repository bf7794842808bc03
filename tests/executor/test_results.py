"""Texts of values that JSON does not have, and cuts in long ones."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import json
import pathlib
import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from course_pkg.executor import result_text
from course_pkg.executor.plain import plain


class Size(enum.Enum):
    SMALL = "small"


class Level(enum.IntEnum):
    LOW = 1


class Tide(NamedTuple):
    port: str
    high: datetime.time


@dataclass
class Port:
    name: str
    depth: decimal.Decimal


class Forecast(BaseModel):
    day: datetime.date
    rain: float


class Temperature(float):
    """A number with a text of its own, as other libraries have."""


class Array:
    """What arrays of other libraries look like from here."""

    def tolist(self) -> list[float]:
        return [1.5, float("nan")]


@pytest.mark.parametrize(
    ("value", "made"),
    [
        (datetime.datetime(2026, 1, 31, 9, 5, tzinfo=datetime.UTC), "2026-01-31T09:05:00+00:00"),
        (datetime.time(9, 5), "09:05:00"),
        (datetime.timedelta(minutes=5), "0:05:00"),
        (decimal.Decimal("12.50"), "12.50"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (pathlib.PurePosixPath("a/b"), "a/b"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (Temperature("nan"), "NaN"),
        ("青岛".encode(), "青岛"),
        (b"\x89PNG", "(4 bytes, in base64: iVBORw==)"),
        (memoryview(b"text"), "text"),
        (Size.SMALL, "small"),
        (Level.LOW, 1),
        (KeyError("harbour"), "KeyError: 'harbour'"),
        ({3, 1, 2}, [1, 2, 3]),
        ({"b", 1}, [1, "b"]),
        (frozenset(), []),
        (Tide("青岛", datetime.time(9)), {"port": "青岛", "high": "09:00:00"}),
        (Port("Brest", decimal.Decimal("1.20")), {"name": "Brest", "depth": "1.20"}),
        (Forecast(day=datetime.date(2026, 1, 31), rain=0.5), {"day": "2026-01-31", "rain": 0.5}),
        (collections.deque([1, {2}]), [1, [2]]),
        (range(3), [0, 1, 2]),
        (collections.ChainMap({"a": {1}}), {"a": [1]}),
        (Array(), [1.5, "NaN"]),
        ({datetime.date(2026, 1, 31): {1}}, {"2026-01-31": [1]}),
        ({(1, 2): 3, None: 4, True: 5, Size.SMALL: 6},
         {"(1, 2)": 3, "null": 4, "true": 5, "small": 6}),
        ({1: "one", "1": "text", (2,): 0}, {"1": "one", "1 (str)": "text", "(2,)": 0}),
        ({"when": [datetime.date(2026, 1, 31), None]}, {"when": ["2026-01-31", None]}),
    ],
)  # fmt: skip
def test_a_value_that_json_lacks_becomes_one_that_it_has(value: Any, made: Any) -> None:
    assert plain(value) == made
    assert json.loads(result_text([value])) == [made]


def test_arrays_and_numbers_of_numpy_become_lists_and_numbers() -> None:
    numpy = pytest.importorskip("numpy")

    value = {"rows": numpy.array([[1, 2], [3, 4]]), "mean": numpy.float32(0.5)}

    assert result_text(value) == '{"rows": [[1, 2], [3, 4]], "mean": 0.5}'


def test_chinese_is_not_escaped_wherever_it_stands() -> None:
    value = {"港口": {"青岛"}, "时间": datetime.date(2026, 1, 31)}

    assert result_text(value) == '{"港口": ["青岛"], "时间": "2026-01-31"}'


def test_a_value_inside_itself_and_one_without_end_become_some_text() -> None:
    circle: dict[str, Any] = {"day": datetime.date(2026, 1, 31)}
    circle["again"] = circle
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]

    assert "2026-01-31" in result_text(circle)
    assert "nested too deeply" in result_text(deep)


def test_the_same_value_twice_side_by_side_is_told_twice() -> None:
    port = Port("Brest", decimal.Decimal(1))

    assert json.loads(result_text([port, port])) == [{"name": "Brest", "depth": "1"}] * 2


def test_a_number_that_python_will_not_write_becomes_some_text() -> None:
    assert "ValueError" in result_text(10**5_000)


def test_a_cut_tells_how_much_is_missing() -> None:
    text = "あ" * 9_000 + "い" * 1_000

    short = result_text(text, max_chars=1_000)

    kept = short.count("あ") + short.count("い")
    assert len(short) <= 1_000
    assert f"{10_000 - kept:,} characters are omitted here, of 10,000 characters in all" in short


@pytest.mark.parametrize(
    "cluster",
    [
        "👩\u200d🔬",  # joined
        "e\u0301",  # an accent of its own
        "👍🏽",  # a skin tone
        "🇫🇷",  # a flag
        "\r\n",
        "❤\ufe0f",
    ],
)
@pytest.mark.parametrize("limit", range(400, 406))
def test_a_cut_takes_no_character_apart(cluster: str, limit: int) -> None:
    text = ("x" + cluster) * 500

    head, _, tail = result_text(text, max_chars=limit).partition("\n[…")

    assert head.replace("x" + cluster, "") in ("", "x")
    assert tail.partition("…]\n")[2].replace("x" + cluster, "") in ("", cluster)


@given(
    st.text(st.sampled_from("a\u0301\u200d👩🔬🇫🏽\r\n"), min_size=1, max_size=400),
    st.integers(1, 300),
)
def test_a_cut_is_never_empty_nor_too_long(text: str, limit: int) -> None:
    short = result_text(text, max_chars=limit)

    assert 0 < len(short) <= max(limit, len("The tool returned an empty text."))


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
    | st.binary() | st.decimals() | st.dates() | st.datetimes() | st.timedeltas() | st.uuids()
    | st.complex_numbers() | st.sampled_from([Size.SMALL, Level.LOW, object, object()]),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(
        st.none() | st.booleans() | st.integers() | st.text() | st.dates(), inner
    ),
    max_leaves=10,
)  # fmt: skip


@given(ANY)
def test_any_value_becomes_json_that_can_be_sent(value: Any) -> None:
    text = result_text([value], max_chars=1_000_000)

    assert isinstance(json.loads(text), list)
    assert text.encode("utf-8")
