"""The rules of the message list that goes to a model with every request.

In: a list of plain message dicts, as they cross the wire. Out: the same list with more in it, or
what is wrong with it. Knows nothing of models, tools or wires: a reply and a result are whatever
has the fields used here.

`messages.py` makes and appends messages, `rules.py` finds what a service would refuse, `repair.py`
makes a list right again and shortens it.
"""

from course_pkg.conversation.messages import (
    Message,
    append_reply,
    append_results,
    start,
    system,
    user,
)
from course_pkg.conversation.repair import estimated_tokens, heal, trim
from course_pkg.conversation.rules import ConversationProblem, problems

__all__ = [
    "ConversationProblem",
    "Message",
    "append_reply",
    "append_results",
    "estimated_tokens",
    "heal",
    "problems",
    "start",
    "system",
    "trim",
    "user",
]
