"""What `branches` and `explain` say about unions: which branch was meant, and why no other."""

from __future__ import annotations

from typing import Any

import pytest

from course_pkg.schema import branches, check, explain

PAYMENT = {
    "anyOf": [
        {"type": "number"},
        {
            "type": "object",
            "properties": {"value": {"type": "number"}, "currency": {"enum": ["CNY", "USD"]}},
            "required": ["value", "currency"],
            "additionalProperties": False,
        },
    ]
}
LENGTHS = [{"type": "string", "minLength": 3}, {"type": "string", "maxLength": 5}]
PATTERNS = [
    {"type": "string", "pattern": "^[0-9]+$"},
    {"type": "string", "pattern": "^[a-zA-Z]+$"},
]


def one(instance: Any, schema: Any) -> Any:
    (choice,) = branches(instance, schema)
    return choice


@pytest.mark.parametrize(
    ("value", "matched"), [("ab", [2]), ("abcdef", [1]), ("hello", [1, 2]), ("abc", [1, 2])]
)
def test_lengths_overlap_and_one_of_minds(value: str, matched: list[int]) -> None:
    found = [one(value, {keyword: LENGTHS}) for keyword in ("anyOf", "oneOf")]

    assert [[branch.number for branch in choice.matched] for choice in found] == [matched] * 2
    assert [choice.valid for choice in found] == [True, len(matched) == 1]


@pytest.mark.parametrize(
    ("value", "count"), [("123", 1), ("abc", 1), ("a1", 0), ("", 0), ("1\n", 0)]
)
def test_patterns_that_never_overlap_make_both_keywords_agree(value: str, count: int) -> None:
    found = [one(value, {keyword: PATTERNS}) for keyword in ("anyOf", "oneOf")]

    assert [len(choice.matched) for choice in found] == [count] * 2
    assert [choice.valid for choice in found] == [count == 1] * 2


def test_a_payment_without_currency_fails_both_branches_with_a_reason_each() -> None:
    choice = one({"value": 100}, PAYMENT)

    assert [branch.problems[0].keyword for branch in choice.branches] == ["type", "required"]
    assert [branch.label for branch in choice.branches] == ["number", "object with value, currency"]
    assert (choice.blamed, choice.reason) == (2, "Only branch 2 takes the type object")


def test_a_person_is_told_every_branch_and_a_model_the_one_that_was_meant() -> None:
    problems = check({"value": 100}, PAYMENT)

    assert "Give a number, not an object" in explain(problems, every_branch=True)
    assert "Give a number" not in explain(problems)
    assert 'Add "currency".' in explain(problems)


# --- whom to blame --------------------------------------------------------------------------------


def shape(tag: str, *names: str, key: str = "kind", **tag_schema: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            key: tag_schema or {"const": tag},
            **{name: {"type": "number"} for name in names},
        },
        "required": [key, *names],
        "additionalProperties": False,
    }


CIRCLE, RECTANGLE = shape("circle", "r"), shape("rect", "w", "h")
NESTED = [
    {
        "type": "object",
        "properties": {"meta": {"properties": {"v": {"const": version}}}, name: {"type": "string"}},
        "required": [name],
    }
    for version, name in ((1, "old"), (2, "new"))
]
WITH_REFERENCES = {
    "oneOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Rectangle"}],
    "$defs": {"Circle": CIRCLE, "Rectangle": RECTANGLE},
}
IN_PARTS = {
    "anyOf": [{"allOf": [{"$ref": "#/$defs/C"}, {"minProperties": 9}]}, RECTANGLE],
    "$defs": {"C": CIRCLE},
}
BY_ENUM = {"anyOf": [shape("", "r", enum=["circle"]), shape("", "w", enum=["rect"])]}
BY_ENUMS = {
    "anyOf": [shape("", "r", enum=["circle", "disc"]), shape("", "w", enum=["rect", "box"])]
}
BY_PLACE = {
    "anyOf": [
        {"type": "array", "prefixItems": [{"const": "a"}, {"type": "number"}], "minItems": 2},
        {"type": "array", "prefixItems": [{"const": "b"}, {"type": "string"}], "minItems": 2},
    ]
}
BY_NAME = {
    "anyOf": [
        {"properties": {"email": {"type": "string"}}, "required": ["email"]},
        {"properties": {"phone": {"type": "string"}}, "required": ["phone"]},
    ]
}
NAMED_TAG = {
    "discriminator": {"propertyName": "sort"},
    "oneOf": [
        {"properties": {"sort": {"const": 1}, "kind": {"const": "b"}}, "required": ["x"]},
        {"properties": {"sort": {"const": 2}, "kind": {"const": "a"}}, "required": ["x"]},
    ],
}
OPTIONAL = {"anyOf": [CIRCLE, RECTANGLE, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "instance", "blamed", "reason"),
    [
        ({"oneOf": [CIRCLE, RECTANGLE]}, {"kind": "rect", "w": 1}, 2, "kind selects the rect"),
        ({"oneOf": [CIRCLE, RECTANGLE]}, {"kind": "rect", "r": 1}, 2, "kind selects the rect"),
        (WITH_REFERENCES, {"kind": "circle"}, 1, "kind selects the circle branch"),
        (IN_PARTS, {"kind": "circle", "r": 1}, 1, "kind selects the circle branch"),
        (BY_ENUM, {"kind": "rect"}, 2, "kind selects the rect branch"),
        (BY_ENUMS, {"kind": "disc"}, 1, "kind selects the disc branch"),
        ({"anyOf": NESTED}, {"meta": {"v": 2}, "old": "x"}, 2, "meta.v selects the 2 branch"),
        (BY_PLACE, ["b", 1], 2, "[0] selects the b branch"),
        (BY_NAME, {"phone": 1}, 2, "phone selects the branch with phone"),
        (NAMED_TAG, {"sort": 1, "kind": "a"}, 1, "sort selects the 1 branch"),
        (OPTIONAL, {"kind": "circle"}, 1, "kind selects the circle branch"),
        ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, [1], 2,
         "Only branch 2 takes the type array"),
        ({"anyOf": [{"minLength": 9, "pattern": "^b"}, {"minLength": 2}]}, "a", 2,
         "Branch 2 has the fewest problems"),
    ],
)  # fmt: skip
def test_the_branch_that_was_meant_is_blamed(
    schema: Any, instance: Any, blamed: int, reason: str
) -> None:
    (problem,) = check(instance, schema)

    assert problem.choice is not None
    assert (problem.choice.blamed, problem.choice.reason[: len(reason)]) == (blamed, reason)


@pytest.mark.parametrize(
    ("schema", "instance", "reason"),
    [
        ({"oneOf": [CIRCLE, RECTANGLE]}, {"kind": "disc"}, 'kind must be one of "circle", "rect"'),
        ({"oneOf": [CIRCLE, RECTANGLE]}, {"r": 1}, 'kind must be one of "circle", "rect"'),
        (OPTIONAL, {"kind": "disc"}, 'kind must be one of "circle", "rect"'),
        ({"anyOf": [{"const": "on"}, {"const": "off"}]}, "of", 'value must be one of "on", "off"'),
        (BY_NAME, {}, ""),
        (BY_NAME, {"email": 1, "phone": 1}, ""),
        (PAYMENT, "100", ""),
    ],
)
def test_no_branch_is_blamed_where_none_stands_out(schema: Any, instance: Any, reason: str) -> None:
    (problem,) = check(instance, schema)

    assert problem.choice is not None
    assert problem.choice.blamed is None
    assert problem.choice.reason.removeprefix("the ") == reason


def test_true_does_not_choose_the_branch_of_one() -> None:
    schema = {"anyOf": [shape("", "a", const=1), shape("", "b", const=True)]}

    (problem,) = check({"kind": True}, schema)

    assert problem.choice is not None
    assert problem.choice.blamed == 2


# --- places ---------------------------------------------------------------------------------------


def test_nested_unions_are_met_inside_lists_objects_and_branches() -> None:
    schema = {
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": {"anyOf": [{"type": "string"}, PAYMENT]}},
            "rest": {"$ref": "#/$defs/Pay"},
        },
        "patternProperties": {"^x": PAYMENT},
        "additionalProperties": PAYMENT,
        "$defs": {"Pay": PAYMENT},
    }
    instance = {"steps": ["a", 3], "rest": {"value": 1}, "x1": 1, "other": "?"}

    found = [(choice.where, choice.valid) for choice in branches(instance, schema)]

    assert found == [
        ("steps[0]", True),
        ("steps[1]", True),
        ("steps[1]", True),
        ("rest", False),
        ("x1", True),
        ("other", False),
    ]


def test_unions_under_all_of_conditions_and_dependent_schemas_are_met() -> None:
    union = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    schema = {
        "allOf": [union],
        "if": {"required": ["a"]},
        "then": union,
        "else": {},
        "dependentSchemas": {"a": union, "b": union},
    }

    assert len(branches({"a": 1}, schema)) == 3


def test_places_of_a_list_have_their_own_schemas() -> None:
    schema = {"prefixItems": [True, PAYMENT], "items": {"oneOf": LENGTHS}}

    assert [choice.where for choice in branches(["x", 1, "abc"], schema)] == ["[1]", "[2]"]


def test_problems_inside_a_branch_have_their_full_path() -> None:
    schema = {"properties": {"place": {"anyOf": [CIRCLE, RECTANGLE]}}}

    (problem,) = check({"place": {"kind": "circle", "r": "1"}}, schema)

    assert "place.r: expected a number" in explain([problem])


def test_a_union_inside_a_blamed_branch_is_explained_too() -> None:
    schema = {"anyOf": [{"type": "null"}, {"type": "array", "items": PAYMENT}]}

    text = explain(check([{"value": 1}], schema))

    assert '[0]: expected the required "currency"' in text


def test_a_schema_that_holds_itself_is_walked_to_the_end_of_the_instance() -> None:
    schema = {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#"}}]}

    assert [choice.where for choice in branches([[None]], schema)] == ["", "[0]", "[0][0]"]


# --- words ----------------------------------------------------------------------------------------


def test_too_many_matches_are_counted_and_named() -> None:
    text = explain(check(3, {"oneOf": [{"type": "number"}, {"type": "integer"}]}))

    assert "matches 2 branches of oneOf, it must match exactly one: 1 (number), 2 (integer)" in text


def test_branches_that_only_need_other_names_are_listed_briefly() -> None:
    text = explain(check({}, BY_NAME))

    assert text.splitlines()[1:] == [
        '  1 (with email): expected the required "email". Add "email".',
        '  2 (with phone): expected the required "phone". Add "phone".',
    ]


def test_twenty_branches_are_cut_short() -> None:
    schema = {"anyOf": [{"type": "string", "minLength": n} for n in range(20, 40)]}

    text = explain(check("x", schema))

    assert "And 12 more branches." in text
    assert len(text) < 1_500


def test_a_long_explanation_ends_with_a_count() -> None:
    schema = {"properties": {name: {"enum": ["x" * 50] * 12} for name in "abcdefgh"}}

    text = explain(check(dict.fromkeys("abcdefgh", "?"), schema))

    assert len(text) < 2_500
    assert text.splitlines()[-1].endswith("more.")


@pytest.mark.parametrize(
    ("branch", "label"),
    [
        ({"title": "A circle", "type": "object"}, "A circle"),
        (CIRCLE, 'kind "circle"'),
        ({"const": 5}, "5"),
        ({"$ref": "#/$defs/Place"}, "Place"),
        ({"type": ["string", "null"], "maxLength": 3}, "string or null maxLength 3"),
        ({"enum": ["a", "b"]}, 'one of "a", "b"'),
        (True, "anything"),
        (False, "nothing"),
        ({"required": ["x" * 100]}, f"with {'x' * 55}…"),
    ],
)
def test_a_branch_has_a_short_label(branch: Any, label: str) -> None:
    schema = {"anyOf": [branch, {}], "$defs": {"Place": {"type": "object"}}}

    assert one("?", schema).branches[0].label == label
