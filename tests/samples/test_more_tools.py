"""The tools with schemas of other kinds: e-mails, users, products, payments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course_pkg import samples
from course_pkg.executor import execute
from course_pkg.samples import (
    create_product,
    create_user,
    make_payment,
    outbox,
    send_emails,
    tag_user,
)
from course_pkg.schema import check
from course_pkg.tools import Tool, ToolCall, ToolError

TOOLS = list(samples.toolbox(*samples.MORE_TOOL_NAMES).values())
EACH = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)

EMAIL = {"kind": "email", "address": "anna@example.com"}
PHONE = {"kind": "phone", "number": "13800138000"}
TWO = ["anna@example.com", "li.hua@example.com"]
USER = "user_3f2a91c0"

GOOD: list[tuple[str, dict[str, Any]]] = [
    ("send_emails", {"recipients": TWO, "subject": "March", "template_id": "invoice"}),
    ("create_user", {"name": "Anna Berg", "contact": EMAIL}),
    ("create_user", {"name": "李小明", "contact": PHONE}),
    ("tag_user", {"user": USER, "tags": ["vip", "beta-tester"]}),
    ("create_product", {"name": "Green tea", "price": 29.9}),
    ("create_product", {"name": "Tea", "price": 9, "discount_percent": 100, "in_stock": False}),
    ("make_payment", {"amount": 100}),
    ("make_payment", {"amount": {"value": 100, "currency": "CNY"}}),
]
BAD: list[tuple[str, dict[str, Any]]] = [
    ("send_emails", {"recipients": [], "subject": "March", "template_id": "invoice"}),
    ("send_emails", {"recipients": ["anna"], "subject": "March", "template_id": "invoice"}),
    ("send_emails", {"recipients": TWO[:1] * 2, "subject": "March", "template_id": "invoice"}),
    ("send_emails", {"recipients": TWO, "subject": "March", "template_id": "other"}),
    ("create_user", {"name": "Al", "contact": EMAIL}),
    ("create_user", {"name": "Anna", "contact": {"kind": "phone", "number": "23800138000"}}),
    ("create_user", {"name": "Anna", "contact": EMAIL | PHONE}),
    ("create_user", {"name": "Anna", "contact": "anna@example.com"}),
    ("tag_user", {"user": "Anna", "tags": ["vip"]}),
    ("tag_user", {"user": USER, "tags": ["VIP"]}),
    ("create_product", {"name": "Tea", "price": 0}),
    ("create_product", {"name": "Tea", "price": 1, "discount_percent": 101}),
    ("make_payment", {"amount": {"value": 100}}),
    ("make_payment", {"amount": 0}),
    ("make_payment", {"amount": True}),
    ("make_payment", {"amount": "a hundred"}),
]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_FOLDER", str(tmp_path))


def called(name: str, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(id="call_1", name=name, arguments=json.dumps(arguments))


@pytest.mark.parametrize(("name", "arguments"), GOOD)
async def test_good_arguments_fit_and_the_tool_runs(name: str, arguments: dict[str, Any]) -> None:
    result = await execute(called(name, arguments), TOOLS)

    assert not result.is_error, result.text


@pytest.mark.parametrize(("name", "arguments"), BAD)
async def test_bad_arguments_are_stopped_by_the_schema(
    name: str, arguments: dict[str, Any]
) -> None:
    result = await execute(called(name, arguments), TOOLS)

    assert result.error_kind == "invalid_arguments"


def test_each_receiver_gets_one_message_with_the_text_of_the_template() -> None:
    receipt = send_emails(recipients=TWO, subject="March", template_id="reminder")

    assert receipt["count"] == 2
    assert [(message["to"], message["subject"]) for message in outbox()] == [
        ("anna@example.com", "March"),
        ("li.hua@example.com", "March"),
    ]


def test_an_address_that_differs_only_in_case_is_no_second_receiver() -> None:
    with pytest.raises(ToolError, match="stands twice"):
        send_emails(recipients=[TWO[0], TWO[0].upper()], subject="March", template_id="reminder")

    assert outbox() == []


def test_a_user_id_depends_on_name_and_contact_alone_and_can_be_tagged() -> None:
    first, again = [create_user(name="Anna", contact=EMAIL) for _ in range(2)]

    assert first == again
    assert tag_user(user=first["id"], tags=["vip", "a"])["tags"] == ["a", "vip"]


def test_a_tag_twice_is_refused_in_a_direct_call_too() -> None:
    with pytest.raises(ToolError, match="stands twice"):
        tag_user(user=USER, tags=["vip", "vip"])


def test_a_product_costs_its_price_less_the_discount() -> None:
    assert create_product(name="Tea", price=29.9, discount_percent=10)["price"] == 26.91


def test_a_plain_number_is_paid_in_yuan_like_an_object_that_says_so() -> None:
    plain = make_payment(100)

    assert plain == make_payment({"value": 100, "currency": "CNY"})
    assert (plain["value"], plain["currency"]) == (100, "CNY")


def test_another_currency_is_another_payment() -> None:
    assert make_payment({"value": 100, "currency": "USD"})["id"] != make_payment(100)["id"]


@pytest.mark.parametrize("amount", [float("inf"), float("nan"), True, "100", -1])
def test_what_is_no_sum_of_money_is_not_paid_in_a_direct_call_either(amount: Any) -> None:
    with pytest.raises(ValueError, match="validation error"):
        make_payment(amount)


@EACH
def test_all_of_them_change_something_and_say_so(tool: Tool) -> None:
    assert tool.side_effect


@EACH
def test_a_description_begins_with_the_verb_of_the_name_and_says_what_comes_back(
    tool: Tool,
) -> None:
    verb = tool.name.split("_")[0]

    assert tool.description.split()[0].lower() == verb
    assert "return" in tool.description.lower()


@EACH
def test_each_parameter_is_described_and_a_default_is_told_in_words(tool: Tool) -> None:
    for part in tool.input_schema["properties"].values():
        assert len(part["description"]) > 20
        assert "default" not in part or "Default" in part["description"]


@EACH
def test_the_schema_is_closed(tool: Tool) -> None:
    assert check({"surprise": 1}, tool.input_schema)[-1].keyword == "additionalProperties"


def test_without_names_the_toolbox_has_none_of_them() -> None:
    assert not set(samples.toolbox()) & set(samples.MORE_TOOL_NAMES)
