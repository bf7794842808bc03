"""Two tools about users: create one, tag one. Nothing is kept; the receipts are made up.

In: a name and one way to reach the user; a user's id and tags. Out: receipts that depend on the
arguments alone. Knows nothing of databases.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from course_pkg.samples.receipts import receipt_id
from course_pkg.tools import ToolError, tool

MIN_NAME_CHARS, MAX_NAME_CHARS = 3, 20
MAX_TAGS = 10

#: A mobile number of mainland China. `[0-9]`, since `\\d` is also a digit of other scripts.
MOBILE_PATTERN = r"^1[3-9][0-9]{9}$"
USER_ID_PATTERN = r"^user_[0-9a-f]{8}$"
TAG_PATTERN = r"^[a-z0-9-]{1,20}$"


class ByEmail(BaseModel):
    """Reached by e-mail."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["email"] = Field(description="Always email for this form.")
    address: str = Field(
        description="E-mail address, in the format name@host, for example anna@example.com.",
        json_schema_extra={"format": "email"},
    )


class ByPhone(BaseModel):
    """Reached by mobile phone in mainland China."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["phone"] = Field(description="Always phone for this form.")
    number: str = Field(
        description="Mobile number in mainland China, 11 digits, for example 13800138000.",
        pattern=MOBILE_PATTERN,
    )


Contact: TypeAlias = ByEmail | ByPhone


@tool(side_effect=True)
def create_user(
    name: Annotated[str, Field(min_length=MIN_NAME_CHARS, max_length=MAX_NAME_CHARS)],
    contact: Contact,
) -> dict[str, Any]:
    """Create a user who can be reached in one way, by e-mail or by phone.

    Returns the new user's id, name and contact. The same name and contact give the same id.

    Args:
        name: User name, 3 to 20 characters, for example Anna Berg.
        contact: How to reach the user: an object with kind email and an address, or with kind phone
            and a number.
    """
    facts = {"name": name, "contact": contact.model_dump()}
    return {"status": "created", "id": receipt_id("user", facts), **facts}


@tool(side_effect=True)
def tag_user(
    user: Annotated[str, Field(pattern=USER_ID_PATTERN)],
    tags: Annotated[
        list[Annotated[str, Field(pattern=TAG_PATTERN)]],
        Field(min_length=1, max_length=MAX_TAGS, json_schema_extra={"uniqueItems": True}),
    ],
) -> dict[str, Any]:
    """Tag a user with short labels and return the user's id and the tags, in alphabetical order.

    Tags that the user has already stay. A tag cannot be taken away with this tool.

    Args:
        user: Id of the user, as create_user gives it, for example user_3f2a91c0.
        tags: Labels, 1 to 10, each only once, for example ["vip", "beta-tester"]. Lower-case
            letters, digits and hyphens, at most 20 characters each.
    """
    if len(set(tags)) < len(tags):
        raise ToolError("A tag stands twice in 'tags'. Give each one once.")
    return {"status": "tagged", "id": user, "tags": sorted(tags)}
