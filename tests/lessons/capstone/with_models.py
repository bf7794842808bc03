"""Another right answer: async tools, enums, a pydantic model, a dataclass, the low-level server."""

import asyncio
import uuid
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

from course_pkg import Toolbox, ToolError, tool
from course_pkg.lessons.capstone import PRICES, REPAIRS
from course_pkg.tools import Retry


class Thing(StrEnum):
    bicycle = "bicycle"
    lamp = "lamp"
    radio = "radio"
    toaster = "toaster"


class Day(Enum):
    SAT = "Saturday"
    SUN = "Sunday"


class Repair(BaseModel):
    thing: str
    state: str
    helper: str


@dataclass
class Price:
    euros: float


@tool(retry=Retry())
async def get_repair(
    ticket: Annotated[
        str, Field(pattern=r"^R-\d{3}$", description="Ticket, e.g. R-101: 3 digits.")
    ],
) -> Repair:
    """Look up how far a repair is. Returns thing, state and helper."""
    await asyncio.sleep(0)
    if ticket not in REPAIRS:
        raise ToolError(f"No repair {ticket}. Known tickets: {', '.join(REPAIRS)}.")
    return Repair(**REPAIRS[ticket])


@tool
def estimate_cost(
    thing: Annotated[Thing, Field(description="Which kind of thing it is.")],
    minutes: Annotated[int, Field(ge=1, le=120, description="Minutes of work, 1 to 120.")],
    parts: Annotated[
        float, Field(ge=0, le=200, description="Euros, at most 200; default 0.")
    ] = 0.0,
) -> Price:
    """Calculate the price of a repair from its length and the parts. Returns euros."""
    return Price(euros=-(-minutes // 15) * PRICES[thing.value] + parts)


done = {}


@tool(side_effect=True, idempotency_key="request", timeout_s=5)
async def book_repair(
    name: Annotated[
        str,
        Field(min_length=1, max_length=60, description="Such as Anna. 1 to 60 letters."),
    ],
    thing: Annotated[Thing, Field(description="What they bring.")],
    day: Annotated[Day, Field(description="Saturday or Sunday.")],
    *,
    request: str = "",
) -> dict:
    """Make a booking for a visitor. Gives back the number of the booking."""
    if request in done:
        return {"booking": done[request], "status": "was booked before"}
    done[request] = uuid.uuid4().hex
    return {"booking": done[request], "status": "booked"}


toolbox = Toolbox([get_repair, estimate_cost, book_repair])
if __name__ == "__main__":
    from course_pkg.mcp_server import low_level, run_stdio

    run_stdio(low_level(toolbox, name="cafe"))
