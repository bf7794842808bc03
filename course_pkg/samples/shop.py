"""Two tools of a shop: create a product, make a payment. Nothing is kept and no money moves.

In: a product's facts; an amount, as a plain number or with its currency. Out: receipts that depend
on the arguments alone. Knows nothing of banks.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from course_pkg.samples.receipts import receipt_id
from course_pkg.tools import tool

MAX_PRODUCT_CHARS = 80
MAX_DISCOUNT_PERCENT = 100

Currency: TypeAlias = Literal["CNY", "USD"]
DEFAULT_CURRENCY: Currency = "CNY"

#: A sum of money: more than nothing. Strict, so that "100" and true are no numbers.
Value: TypeAlias = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]


class Money(BaseModel):
    """A sum with its currency."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Value = Field(description="The sum, more than 0, for example 99.5.")
    currency: Currency = Field(description="CNY for yuan, USD for US dollars.")


@tool(side_effect=True)
def create_product(
    name: Annotated[str, Field(min_length=1, max_length=MAX_PRODUCT_CHARS)],
    price: Value,
    currency: Currency = DEFAULT_CURRENCY,
    discount_percent: Annotated[int, Field(ge=0, le=MAX_DISCOUNT_PERCENT)] = 0,
    *,
    in_stock: bool = True,
) -> dict[str, Any]:
    """Create a product in the shop and return its id and its price after the discount.

    Args:
        name: Name of the product, 1 to 80 characters, for example Green tea 250 g.
        price: Price before any discount, more than 0, for example 29.9.
        currency: Currency of the price, CNY or USD. Default CNY, yuan.
        discount_percent: Discount in percent, a whole number from 0 to 100. Default 0, no discount.
        in_stock: Whether it can be bought at once. Default true, it can.
    """
    facts = {
        "name": name,
        "price": price,
        "currency": currency,
        "discount_percent": discount_percent,
        "in_stock": in_stock,
    }
    reduced = round(price * (100 - discount_percent) / 100, 2)
    return {
        "status": "created",
        "id": receipt_id("product", facts),
        "name": name,
        "price": reduced,
        "currency": currency,
        "in_stock": in_stock,
    }


@tool(side_effect=True)
def make_payment(amount: Value | Money) -> dict[str, Any]:
    """Make a payment and return its id, the value and the currency. It cannot be called back.

    No money moves: the payment is made up, and the same amount always has the same id.

    Args:
        amount: How much to pay: a number more than 0, for example 100, which counts as yuan (CNY);
            or an object with value and currency, for example {"value": 100, "currency": "USD"}.
    """
    money = amount if isinstance(amount, Money) else Money(value=amount, currency=DEFAULT_CURRENCY)
    facts = money.model_dump()
    return {"status": "paid", "id": receipt_id("payment", facts), **facts}
