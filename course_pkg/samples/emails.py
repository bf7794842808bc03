"""The e-mail tool: a list of receivers and a template. It writes to the outbox; no mail leaves.

In: addresses, a subject and a template's name. Out: a receipt, with a message id a receiver.
Knows nothing of mail servers.
"""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import Field

from course_pkg.samples.messages import outbox_of
from course_pkg.tools import ToolError, tool

MAX_RECIPIENTS = 50
MAX_SUBJECT_CHARS = 120

TemplateId: TypeAlias = Literal["welcome", "reminder", "invoice"]

#: What each template says.
TEMPLATES: dict[str, str] = {
    "welcome": "Welcome. Your account is ready.",
    "reminder": "This is a reminder of what we agreed on.",
    "invoice": "Your invoice is ready. Please pay it within 14 days.",
}
assert set(TEMPLATES) == set(get_args(TemplateId))

Address: TypeAlias = Annotated[str, Field(json_schema_extra={"format": "email"})]


@tool(side_effect=True)
def send_emails(
    recipients: Annotated[
        list[Address],
        Field(min_length=1, max_length=MAX_RECIPIENTS, json_schema_extra={"uniqueItems": True}),
    ],
    subject: Annotated[str, Field(min_length=1, max_length=MAX_SUBJECT_CHARS)],
    template_id: TemplateId,
) -> dict[str, Any]:
    """Send one e-mail, made from a template, to each of several addresses.

    Returns the number of e-mails and their ids. The text is that of the template and cannot be
    changed. They go to the outbox of this course and cannot be called back.

    Args:
        recipients: E-mail addresses, 1 to 50, each only once, for example
            ["anna@example.com", "li.hua@example.com"].
        subject: Subject line, 1 to 120 characters, for example Your invoice for March.
        template_id: Which text to send: welcome for new users, reminder before a date, invoice for
            a bill.
    """
    if len({address.casefold() for address in recipients}) < len(recipients):
        raise ToolError("An address stands twice in 'recipients'. Give each one once.")
    box = outbox_of(os.environ)
    ids = [
        box.append(
            {"to": address, "content": TEMPLATES[template_id], "urgent": False, "subject": subject}
        )
        for address in recipients
    ]
    return {"status": "sent", "count": len(ids), "template_id": template_id, "ids": ids}
