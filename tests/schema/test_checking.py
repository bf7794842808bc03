"""What `check` promises where JSON and Python differ, and where a schema is odd."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from course_pkg.schema import SchemaError, TooDeepError, branches, check, check_schema, explain
from course_pkg.schema.formats import EXAMPLES, FORMATS, has_format


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("schema", [{}, {"type": "number"}, {"minimum": 0}, {"multipleOf": 0.5}])
def test_what_json_does_not_have_is_no_number(value: float, schema: Any) -> None:
    (problem,) = check([value], {"items": schema})

    assert (problem.where, problem.keyword) == ("[0]", "json")


@pytest.mark.parametrize("value", [{1, 2}, b"x", object, (1,)])
def test_what_is_no_json_value_is_told(value: Any) -> None:
    (problem,) = check({"a": value}, {})

    assert (problem.where, problem.expected) == ("a", "a value that JSON has")


@pytest.mark.parametrize(
    ("instance", "schema", "valid"),
    [
        (1.0, {"type": "integer"}, True),
        (1.5, {"type": "integer"}, False),
        (True, {"type": "integer"}, False),
        (True, {"type": "number"}, False),
        (1, {"type": "boolean"}, False),
        (True, {"enum": [1]}, False),
        (1.0, {"const": 1}, True),
        ([True], {"const": [1]}, False),
        ({"a": 0}, {"const": {"a": False}}, False),
        ([1, True], {"uniqueItems": True}, True),
        ([1, 1.0], {"uniqueItems": True}, False),
        (10**400, {"type": "integer"}, True),
        (10**400, {"maximum": 10**400 - 1}, False),
        (2**53 + 1, {"const": 2**53}, False),
        (2.9, {"multipleOf": 0.1}, True),
        (0.3, {"multipleOf": 0.1}, True),
        (0.35, {"multipleOf": 0.1}, False),
        (19.99, {"multipleOf": 0.01}, True),
        (1e300, {"multipleOf": 1e-9}, True),
        (10**400, {"multipleOf": 0.5}, True),
        (7, {"multipleOf": 2}, False),
        ("😀", {"maxLength": 1}, True),
        ("\ud800", {"type": "string"}, True),
        (None, {"type": "object"}, False),
        ({}, {"properties": {"a": False}}, True),
        ({"a": 1}, {"properties": {"a": False}}, False),
    ],
)
def test_a_verdict_is_jsons_and_not_pythons(instance: Any, schema: Any, *, valid: bool) -> None:
    assert (check(instance, schema) == []) == valid


def test_half_a_character_can_be_told_and_sent() -> None:
    text = explain(check({"\ud800": "\udc00"}, {"additionalProperties": {"type": "integer"}}))

    assert text.encode("utf-8").startswith(b'["\\ud800"]: expected a whole number')


@pytest.mark.parametrize(
    ("key", "where"),
    [
        ("a", "a"),
        ("城市", "城市"),
        ("a b", '["a b"]'),
        ("a.b", '["a.b"]'),
        ("", '[""]'),
        ("$x", "$x"),
    ],
)
def test_a_path_can_be_read(key: str, where: str) -> None:
    (problem,) = check({key: 1}, {"additionalProperties": {"type": "string"}})

    assert problem.where == where


def test_a_false_schema_refuses_at_the_place_itself() -> None:
    (problem,) = check({"a": {"b": 1}}, {"properties": {"a": {"properties": {"b": False}}}})

    assert (problem.where, problem.keyword, problem.advice) == ("a.b", "false", "Leave it out.")


@pytest.mark.parametrize("depth", [65, 900, 5_000])
@pytest.mark.parametrize("look", [check, branches])
def test_a_value_that_is_nested_too_deeply_is_an_error_of_its_own(depth: int, look: Any) -> None:
    value: Any = []
    for _ in range(depth):
        value = [value]

    with pytest.raises(TooDeepError, match="64"):
        look(value, {"items": {"$ref": "#"}})


def test_sixty_four_levels_are_checked() -> None:
    value: Any = 1
    for _ in range(64):
        value = [value]

    assert check(value, {"anyOf": [{"type": "integer"}, {"items": {"$ref": "#"}}]}) == []


@pytest.mark.parametrize(
    ("schema", "kind", "path"),
    [
        ({"type": "text"}, "invalid_schema", "/type"),
        ({"items": [{"type": "string"}]}, "invalid_schema", "/items"),
        ({"minimum": float("nan")}, "invalid_schema", "/minimum"),
        ([], "invalid_schema", "/"),
        ("string", "invalid_schema", "/"),
        ({"properties": {"a": {"pattern": "("}}}, "bad_pattern", "/properties/a/pattern"),
        ({"patternProperties": {"[": {}}}, "bad_pattern", "/patternProperties/["),
        ({"items": {"$ref": "https://example.invalid/x"}}, "unresolvable_ref", "/items"),
        ({"items": {"$ref": "#/$defs/None"}}, "unresolvable_ref", "/items"),
        ({"items": {"$ref": "file:///etc/passwd"}}, "unresolvable_ref", "/items"),
        ({"$ref": "#"}, "endless_ref", "/"),
        ({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"not": {"$ref": "#"}}}},
         "endless_ref", "/"),
        ({"$id": "https://a.example/x", "properties": {"a": {
            "$id": "y", "$schema": "http://json-schema.org/draft-07/schema#"}}},
         "mixed_dialects", "/properties/a"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_used_is_refused_with_kind_and_place(
    schema: Any, kind: str, path: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        check_schema(schema)

    assert (caught.value.kind, caught.value.path) == (kind, path)


def test_a_schema_that_is_nested_too_deeply_is_refused() -> None:
    schema: Any = {}
    for _ in range(500):
        schema = {"items": schema}

    with pytest.raises(SchemaError) as caught:
        check_schema(schema)

    assert caught.value.kind == "too_deep"


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}]},
        {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1,
         "exclusiveMinimum": True, "items": [{"type": "integer"}]},
        {"$id": "https://a.example/root", "$defs": {"B": {"$id": "b", "type": "integer"}},
         "prefixItems": [{"$ref": "https://a.example/b"}]},
        {"$defs": {"B": {"$anchor": "b", "type": "integer"}}, "prefixItems": [{"$ref": "#b"}]},
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
         "prefixItems": [{"$ref": "#/$defs/a~1b"}], "$defs": {"a/b": {"type": "integer"}}},
    ],
)  # fmt: skip
def test_older_dialects_and_all_ways_to_refer_are_understood(schema: Any) -> None:
    assert check([1], schema) == []
    assert [problem.where for problem in check(["a"], schema)] == ["[0]"]


def test_names_by_pattern_are_no_additional_names() -> None:
    schema = {"patternProperties": {r"^\d+$": {}}, "additionalProperties": False}

    (problem,) = check({"12": 1, "٣": 1}, schema)

    assert problem.advice == 'Leave out "٣".'


def test_a_text_that_is_too_long_for_its_pattern_is_a_problem() -> None:
    (problem,) = check("a" * 50 + "!", {"pattern": r"^(a+)+\1$"})

    assert problem.expected == "a text that is not too long for its pattern"


def test_a_name_that_is_too_long_for_its_pattern_is_a_problem() -> None:
    schema = {"patternProperties": {r"^(a+)+\1$": {}}, "additionalProperties": False}

    assert [problem.keyword for problem in check({"a" * 50 + "!": 1}, schema)] == [
        "patternProperties"
    ]


# --- formats --------------------------------------------------------------------------------------


def test_formats_can_be_left_unchecked_as_json_schema_has_it() -> None:
    schema = {"type": "string", "format": "email"}

    assert check("no mail", schema) != []
    assert check("no mail", schema, formats=False) == []


def test_an_unknown_format_is_not_checked_and_neither_is_what_is_no_text() -> None:
    assert check("x", {"format": "colour"}) == []
    assert check(3, {"format": "date"}) == []


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_each_format_takes_its_example_and_no_empty_text(name: str) -> None:
    assert has_format(EXAMPLES[name], name)
    assert has_format("", name) == (name == "regex")


@pytest.mark.parametrize(
    ("name", "text", "has"),
    [
        ("date", "2024-02-29", True), ("date", "2023-02-29", False), ("date", "20240229", False),
        ("date", "٢٠٢٤-01-01", False), ("date", "2024-1-1", False),
        ("time", "23:59:60Z", True), ("time", "22:59:60Z", False), ("time", "08:30:00", False),
        ("time", "01:29:60+01:30", True), ("time", "24:00:00Z", False),
        ("date-time", "1963-06-19t08:30:06.28z", True),
        ("date-time", "1963-06-19 08:30:06Z", False), ("date-time", "1963-06-19", False),
        ("duration", "P4DT12H30M5S", True), ("duration", "P2W", True), ("duration", "PT", False),
        ("duration", "P1Y2W", False), ("duration", "PT1D", False), ("duration", "P1Y3D", False),
        ("email", '"joe bloggs"@example.com', True), ("email", "joe@[127.0.0.1]", True),
        ("email", ".a@example.com", False), ("email", "a..b@example.com", False),
        ("email", "a@b@c", False), ("email", "a@-b.com", False),
        ("hostname", "xn--4gbwdl.xn--wgbh1c", True), ("hostname", "a_b", False),
        ("hostname", "a" * 64, False), ("hostname", "-a", False),
        ("ipv4", "01.1.1.1", False), ("ipv4", "256.1.1.1", False), ("ipv4", "1.1.1", False),
        ("ipv6", "fe80::a%eth1", False), ("ipv6", "::ffff:1.2.3.4", True),
        ("ipv6", "12345::", False),
        ("uri", "urn:isbn:1", True), ("uri", "//a.example", False), ("uri", "http://a b", False),
        ("uri", "http://[::1]:80/", True), ("uri", "http://[x]/", False), ("uri", "/a", False),
        ("uuid", "123E4567-E89B-12D3-A456-426614174000", True), ("uuid", "123e4567", False),
        ("regex", "(", False), ("regex", "^a$", True),
        ("email", "a@" + "b" * 20_000, False),
    ],
)  # fmt: skip
def test_a_format_is_that_of_its_document(name: str, text: str, *, has: bool) -> None:
    assert has_format(text, name) == has


def test_formats_are_checked_alike_when_nothing_else_is_installed(tmp_path: Any) -> None:
    names = ["rfc3339_validator", "fqdn", "rfc3987", "isoduration", "rfc3986_validator", "idna"]
    for name in names:
        (tmp_path / f"{name}.py").write_text("raise ImportError", encoding="utf-8")
    code = (
        "from course_pkg.schema import check\n"
        "from course_pkg.schema.formats import EXAMPLES\n"
        "print([name for name, text in EXAMPLES.items()"
        " if check(text, {'format': name}) or not check('(', {'format': name})])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )

    assert done.stdout.strip() == "[]", done.stderr
