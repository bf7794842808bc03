"""The sample solution of the capstone: three tools of a repair café, and the server that has them.

In: what a visitor asks, as arguments of a tool call. Out: a repair's state, a price, a booking.
Bookings are kept in memory, and nothing leaves this program. Run as a program, it is an MCP server:
`python -m course_pkg.lessons.capstone.solution`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from course_pkg.lessons.capstone.cafe import (
    MAX_MINUTES,
    MAX_NAME_CHARS,
    MAX_PARTS_EUROS,
    PRICES,
    REPAIRS,
)
from course_pkg.tools import Toolbox, ToolError, tool

Thing: TypeAlias = Literal["bicycle", "lamp", "radio", "toaster"]
Day: TypeAlias = Literal["Saturday", "Sunday"]

#: What was booked, by the key of the call that booked it.
bookings: dict[str, dict[str, Any]] = {}


@tool
def get_repair(ticket: Annotated[str, Field(pattern=r"^R-[0-9]{3}$")]) -> dict[str, str]:
    """Get the state of one repair by its ticket. Returns the thing, its state and the helper.

    Args:
        ticket: Number on the ticket: R, a dash and three digits, for example R-101.
    """
    if ticket not in REPAIRS:
        raise ToolError(f"There is no repair {ticket}. Ask the visitor to read the ticket again.")
    return {"ticket": ticket, **REPAIRS[ticket]}


@tool
def estimate_cost(
    thing: Thing,
    minutes: Annotated[int, Field(ge=1, le=MAX_MINUTES)],
    parts: Annotated[float, Field(ge=0, le=MAX_PARTS_EUROS)] = 0,
) -> dict[str, float]:
    """Estimate what a repair will cost. Returns the price in euros, spare parts included.

    Each started quarter of an hour counts as a whole one.

    Args:
        thing: What is to be repaired: a bicycle, a lamp, a radio or a toaster.
        minutes: How long the repair takes, a whole number of minutes from 1 to 120, for example 30.
        parts: Price of the spare parts in euros, from 0 to 200. Default 0, no parts.
    """
    return {"euros": round(math.ceil(minutes / 15) * PRICES[thing] + parts, 2)}


@tool(side_effect=True, idempotency_key="key")
def book_repair(
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)],
    thing: Thing,
    day: Day,
    key: str,
) -> dict[str, Any]:
    """Book a repair for a visitor on a day of the next weekend. Returns the booking's number.

    Args:
        name: Name of the visitor, 1 to 60 characters, for example Mei.
        thing: What is to be repaired: a bicycle, a lamp, a radio or a toaster.
        day: The day, Saturday or Sunday. The café is closed on all other days.
        key: Tells a repeat from a new booking. The executor gives it; the model does not see it.
    """
    if key not in bookings:
        number = f"B-{len(bookings) + 1}"
        bookings[key] = {"booking": number, "name": name, "thing": thing, "day": day}
    return bookings[key]


toolbox = Toolbox([get_repair, estimate_cost, book_repair])

if __name__ == "__main__":
    from course_pkg.mcp_server import high_level, run_stdio

    run_stdio(high_level(toolbox, name="repair-cafe"))
