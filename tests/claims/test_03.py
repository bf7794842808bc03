"""Each factual sentence of notebook 03, proved."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from pydantic import BaseModel, Field, TypeAdapter

from course_pkg import ModelClient, ModelError, exercise, run, tool, toolbox
from course_pkg.conversation import start
from course_pkg.schema import (
    NotStrictableError,
    branches,
    check,
    convert,
    explain,
    to_strict,
)
from course_pkg.widgets import laboratory, show_branches
from course_pkg.widgets.unions import MONEY, WORKED

AMOUNT = {"anyOf": [{"type": "number"}, MONEY]}
LENGTHS = [{"type": "string", "minLength": 3}, {"type": "string", "maxLength": 5}]
PATTERNS = [
    {"type": "string", "pattern": "^[0-9]+$"},
    {"type": "string", "pattern": "^[a-zA-Z]+$"},
]
NUMBERS = [{"type": "integer"}, {"type": "number"}]
CONTACT: Any = next(union.schema for union in WORKED if union.name == "contact with a tag")
BROKEN = {"kind": "phone", "number": 13812345678}


class Email(BaseModel):
    kind: Literal["email"]


class Phone(BaseModel):
    kind: Literal["phone"]


def verdicts(value: Any, parts: list[Any]) -> tuple[bool, bool]:
    """What anyOf says, and what oneOf says."""
    return not check(value, {"anyOf": parts}), not check(value, {"oneOf": parts})


def by_jsonschema(value: Any, parts: list[Any]) -> tuple[bool, bool]:
    said = [Draft202012Validator({word: parts}).is_valid(value) for word in ("anyOf", "oneOf")]
    return said[0], said[1]


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    async with ModelClient(max_retries=0) as made:
        yield made


# --- branches -------------------------------------------------------------------------------------


def test_a_list_of_types_lets_in_any_object() -> None:
    assert check({"colour": "red"}, {"type": ["number", "object"]}) == []


@pytest.mark.parametrize("value", [100, {"value": 100, "currency": "CNY"}])
def test_a_number_and_a_whole_object_fit_the_amount(value: Any) -> None:
    assert check(value, AMOUNT) == []


def test_a_value_without_currency_fails_each_branch_for_a_reason_of_its_own() -> None:
    (choice,) = branches({"value": 100}, AMOUNT)

    assert [branch.problems[0].keyword for branch in choice.branches] == ["type", "required"]
    assert 'Add "currency".' in show_branches({"value": 100}, AMOUNT).text


@pytest.mark.parametrize(
    ("text", "expected"), [("ab", (True, True)), ("abcdef", (True, True)), ("hello", (True, False))]
)
def test_the_lengths_overlap_on_hello_and_only_there_the_verdicts_differ(
    text: str, expected: tuple[bool, bool]
) -> None:
    assert verdicts(text, LENGTHS) == by_jsonschema(text, LENGTHS) == expected


def test_ab_fits_the_second_branch_only_and_abcdef_the_first_only() -> None:
    fitting = [
        [branch.number for branch in branches(text, {"oneOf": LENGTHS})[0].matched]
        for text in ("ab", "abcdef", "hello")
    ]

    assert fitting == [[2], [1], [1, 2]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("123", (True, True)), ("abc", (True, True)), ("a1", (False, False)), ("", (False, False))],
)
def test_the_patterns_never_overlap_so_the_verdicts_agree(
    text: str, expected: tuple[bool, bool]
) -> None:
    assert verdicts(text, PATTERNS) == by_jsonschema(text, PATTERNS) == expected


@given(text=st.text(alphabet="ab12Z ", max_size=6))
def test_on_every_text_anyof_and_oneof_agree_about_the_patterns(text: str) -> None:
    any_of, one_of = verdicts(text, PATTERNS)

    assert any_of == one_of


@given(text=st.text(max_size=12))
def test_no_text_fails_anyof_of_the_lengths(text: str) -> None:
    assert verdicts(text, LENGTHS)[0]


def test_something_else_than_a_text_fails_anyof_of_the_lengths() -> None:
    assert not verdicts(5, LENGTHS)[0]


def test_the_verdicts_of_the_lengths_are_wrong_under_the_patterns() -> None:
    assert verdicts("hello", LENGTHS) != verdicts("hello", PATTERNS)


@given(number=st.integers())
def test_every_whole_number_fails_one_of_integer_and_number(number: int) -> None:
    assert verdicts(number, NUMBERS) == (True, False)


@pytest.mark.parametrize("value", [3, 3.5, -4])
def test_number_alone_takes_all_of_them(value: float) -> None:
    assert check(value, {"type": "number"}) == []


def test_the_laboratory_holds_the_schemas_of_the_page() -> None:
    parts = {union.name: union.parts for union in WORKED}

    assert parts["lengths"] == LENGTHS
    assert parts["patterns"] == PATTERNS
    assert parts["integer or number"] == NUMBERS
    assert parts["payment amount"] == AMOUNT["anyOf"]


def test_the_laboratory_takes_schemas_of_ones_own() -> None:
    laboratory({"mine": {"oneOf": LENGTHS}})


# --- better errors --------------------------------------------------------------------------------


def test_the_librarys_best_match_asks_for_email_although_the_tag_is_phone() -> None:
    error = best_match(Draft202012Validator(CONTACT).iter_errors(BROKEN))

    assert error is not None
    assert error.message == "'email' was expected"


def test_the_courses_error_follows_the_tag_and_tells_that_branch_only() -> None:
    told = explain(check(BROKEN, CONTACT))

    assert "kind selects the phone branch" in told
    assert "number: expected text" in told
    assert "address" not in told


def test_with_an_unknown_tag_no_branch_is_blamed_and_the_tags_are_listed() -> None:
    fax = {"kind": "fax", "number": "13812345678"}

    assert branches(fax, CONTACT)[0].blamed is None
    assert 'kind must be one of "email", "phone"' in explain(check(fax, CONTACT))


def test_where_two_branches_fit_the_error_says_so_with_their_numbers() -> None:
    told = explain(check("hello", {"oneOf": LENGTHS}))

    assert "It matches 2 branches of oneOf, it must match exactly one: 1 (" in told


# --- designing it away ----------------------------------------------------------------------------


@pytest.mark.parametrize("value", [BROKEN, {"kind": "fax"}, {"kind": "phone"}, 5])
def test_tagged_branches_cannot_overlap_so_both_verdicts_agree(value: Any) -> None:
    any_of, one_of = verdicts(value, CONTACT["anyOf"])

    assert any_of == one_of
    assert (
        "anyOf"
        in to_strict({"type": "object", "properties": {"a": {"oneOf": CONTACT["anyOf"]}}})[
            "properties"
        ]["a"]
    )


async def test_the_user_said_dollars_and_yuan_were_paid_with_arguments_that_fit(
    client: ModelClient,
) -> None:
    outcome = await run("Make a payment of 100 USD.", toolbox("make_payment"), client)

    (call,) = outcome.turns[0].reply.calls
    (result,) = outcome.turns[0].results
    assert json.loads(call.arguments) == {"amount": 100}
    assert json.loads(result.text)["currency"] == "CNY"


@tool(side_effect=True)
def pay(value: float, currency: Literal["CNY", "USD"]) -> str:
    """Make a payment. Returns a receipt.

    Args:
        value: How much to pay, for example 99.5.
        currency: CNY for yuan, USD for US dollars.
    """
    return f"paid {value:g} {currency}"


async def test_with_two_parameters_dollars_are_paid(client: ModelClient) -> None:
    outcome = await run("Make a payment of 100 USD.", [pay], client)

    assert outcome.turns[0].results[0].text == "paid 100 USD"


def test_with_two_parameters_a_payment_without_currency_does_not_fit() -> None:
    assert check({"value": 100}, pay.input_schema)


@tool
def create_user_by_phone(name: str, number: str) -> str:
    """Create a user who is reached by phone. Returns the user's id.

    Args:
        name: User name, for example Anna Berg.
        number: Mobile number, 11 digits, for example 13800138000.
    """
    return "user_2"


async def test_the_flat_tool_is_filled_at_once_and_the_union_is_not(client: ModelClient) -> None:
    question = "Create a user Anna who is reached by phone, number 13800138000."
    union = await run(question, toolbox("create_user"), client)
    flat = await run(question, [create_user_by_phone], client)

    assert union.turns[0].reply.calls == ()
    assert json.loads(flat.turns[0].reply.calls[0].arguments) == {
        "name": "Anna",
        "number": "13800138000",
    }


# --- when oneOf is refused ------------------------------------------------------------------------


def arguments_with(part: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"amount": part},
        "required": ["amount"],
        "additionalProperties": False,
    }


async def ask_strictly(client: ModelClient, schema: dict[str, Any]) -> None:
    function = {"name": "make_payment", "strict": True, "parameters": schema}
    await client.ask(start("Pay."), [{"type": "function", "function": function}])


async def test_strict_mode_refuses_oneof_with_400(client: ModelClient) -> None:
    with pytest.raises(ModelError, match="must not use 'oneOf'") as refused:
        await ask_strictly(client, arguments_with({"oneOf": AMOUNT["anyOf"]}))

    assert refused.value.status == 400


async def test_to_strict_sends_anyof_instead_and_that_is_accepted(client: ModelClient) -> None:
    strict = to_strict(arguments_with({"oneOf": AMOUNT["anyOf"]}))

    await ask_strictly(client, strict)

    assert list(strict["properties"]["amount"]) == ["anyOf"]


def test_to_strict_refuses_where_branches_may_overlap() -> None:
    with pytest.raises(NotStrictableError, match="may overlap"):
        to_strict({"type": "object", "properties": {"text": {"oneOf": LENGTHS}}})


def test_a_union_at_the_root_becomes_one_object_that_lets_in_more() -> None:
    either = [
        {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}
        for key in ("name", "number")
    ]
    schema = {"type": "object", "anyOf": either}

    flat = convert(schema, "no-root-combinator").schema

    assert set(flat["properties"]) == {"name", "number"}
    assert (bool(check({}, schema)), bool(check({}, flat))) == (True, False)


async def test_a_union_at_the_root_is_refused_in_strict_mode(client: ModelClient) -> None:
    closed = arguments_with({"type": "string"})

    with pytest.raises(ModelError, match="anyOf"):
        await ask_strictly(client, closed | {"anyOf": [closed, closed]})


# --- what Pydantic writes -------------------------------------------------------------------------


@pytest.mark.parametrize("annotation", [Optional[str], int | str, Email | Phone])  # noqa: UP045
def test_optional_and_the_bar_become_anyof(annotation: Any) -> None:
    schema = TypeAdapter(annotation).json_schema()

    assert "anyOf" in schema
    assert "oneOf" not in schema


def test_a_discriminator_makes_oneof_with_references() -> None:
    schema = TypeAdapter(Annotated[Email | Phone, Field(discriminator="kind")]).json_schema()

    assert schema["discriminator"]["propertyName"] == "kind"
    assert schema["oneOf"][0] == {"$ref": "#/$defs/Email"}
    assert "anyOf" not in schema


@tool
def note(text: Optional[str], place: Optional[str] = None) -> str:  # noqa: UP045
    """Keep a note, and return it."""
    return f"{text} {place}"


def test_optional_allows_null_and_only_a_default_lets_an_argument_be_left_out() -> None:
    schema = note.input_schema

    assert schema["required"] == ["text"]
    assert check({"text": None}, schema) == []
    assert check({}, schema)


# --- the exercises --------------------------------------------------------------------------------


def test_there_are_twelve_values_to_predict() -> None:
    assert len(exercise("03.1").material()) == 12


def test_the_schema_of_an_age_loses_exactly_one_legal_value() -> None:
    schema = exercise("03.2").material()

    assert [age for age in [*range(121), "unknown"] if check(age, schema)] == [18]
