"""Another right answer: described in Chinese, with a list for a toolbox."""

import math
from typing import Annotated, Literal

from pydantic import Field

from course_pkg import ToolError, tool
from course_pkg.lessons.capstone import PRICES, REPAIRS

T = Literal["bicycle", "lamp", "radio", "toaster"]


@tool
def get_repair(ticket: Annotated[str, Field(pattern="^R-[0-9]{3}$")]):
    """查询一件维修物品的状态，返回物品、状态和负责人。

    Args:
        ticket: 维修单号，例如 R-101。
    """
    if ticket not in REPAIRS:
        raise ToolError(f"没有维修单 {ticket}。请让访客再看一遍单号。")
    return REPAIRS[ticket]


@tool
def estimate_cost(
    thing: T,
    minutes: Annotated[int, Field(ge=1, le=120)],
    parts: Annotated[float, Field(ge=0, le=200)] = 0,
):
    """估算维修费用，返回欧元金额。

    Args:
        thing: 要修的物品。
        minutes: 需要的分钟数，1 到 120，例如 30。
        parts: 零件价格，0 到 200 欧元，默认 0。
    """
    return {"euros": math.ceil(minutes / 15) * PRICES[thing] + parts}


kept = {}


@tool(side_effect=True, idempotency_key="key")
def book_repair(
    name: Annotated[str, Field(min_length=1, max_length=60)],
    thing: T,
    day: Literal["Saturday", "Sunday"],
    key: str,
):
    """为访客预约一次维修，返回预约号。

    Args:
        name: 访客姓名，例如 李伟。
        thing: 要修的物品。
        day: 星期六或星期日。
    """
    return kept.setdefault(key, {"booking": len(kept) + 1})


toolbox = [get_repair, estimate_cost, book_repair]
if __name__ == "__main__":
    from course_pkg.mcp_server import high_level, run_stdio

    run_stdio(high_level(toolbox))
