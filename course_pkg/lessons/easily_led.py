"""A model that is easily led: a stand-in that takes a stranger's words for the user's.

In: messages and tool definitions, as for any `ModelClient`. Out: a `Reply` of the practice model,
which was told more than the user said: whatever stands between `<IMPORTANT>` and `</IMPORTANT>` in
a definition or in a result. The practice model by itself obeys nobody but the user, so without this
an attack could not be watched. Real models follow such words sometimes; this one always does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from course_pkg.conversation import Message, user
from course_pkg.model import ModelClient, Reply, Settings, settings
from course_pkg.model.client import Offer, ToolChoice
from course_pkg.tools import Toolbox
from course_pkg.tools.hidden import without_hidden

ORDER = re.compile(r"<IMPORTANT>(.*?)</IMPORTANT>", re.DOTALL | re.IGNORECASE)

#: What `course_pkg.tools.untrusted.fenced` makes: the same mark at both ends.
FENCE = re.compile(r"^=== begin (\S+) ===$.*?^=== end \1 ===$", re.DOTALL | re.MULTILINE)


class EasilyLed(ModelClient):
    """A client for a model that follows orders which the user did not give."""

    def __init__(
        self, chosen: Settings | None = None, *, minds_fences: bool = False, **more: Any
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            chosen: which model to ask; the practice model if left out, whatever the environment
                says.
            minds_fences: whether it takes no orders from a result that is fenced.
            more: more settings of a `ModelClient`.
        """
        # An empty environment names the practice model.
        super().__init__(settings({}) if chosen is None else chosen, **more)
        self.minds_fences = minds_fences

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Offer = (),
        *,
        tool_choice: ToolChoice | None = None,
        stream: bool = False,
        **options: Any,
    ) -> Reply:
        """Send the conversation with the orders in it, as if the user had given them.

        Args:
            messages: the conversation. It is not changed.
            tools: what the model may call.
            tool_choice: as for any client.
            stream: let the answer come in pieces. The reply is the same.
            options: more fields of the request.

        Raises:
            ModelError: if the service fails, refuses, or answers with something that is no reply.
        """
        offered = tools if isinstance(tools, Toolbox) else list(tools)
        definitions = self.request((), offered).get("tools", [])
        led = as_understood(messages, definitions, minds_fences=self.minds_fences)
        return await super().ask(led, offered, tool_choice=tool_choice, stream=stream, **options)


def as_understood(
    messages: Sequence[Mapping[str, Any]],
    definitions: Sequence[Mapping[str, Any]],
    *,
    minds_fences: bool = False,
) -> list[Message]:
    """A conversation as such a model takes it: orders of strangers stand in user messages.

    Args:
        messages: the conversation. It is not changed.
        definitions: the tools on offer.
        minds_fences: whether what is fenced holds no orders.
    """
    said = [order for definition in definitions for order in _orders(definition)]
    led = _with_words(messages, said)
    understood: list[Message] = []
    for role, group in groupby(led, key=lambda message: message["role"]):
        group_of_role = list(group)
        understood += group_of_role
        if role == "tool":
            results = [str(message["content"]) for message in group_of_role]
            read = [FENCE.sub("", text) if minds_fences else text for text in results]
            understood += [user(order) for order in _orders(read)]
    return understood


def _with_words(messages: Sequence[Mapping[str, Any]], words: Sequence[str]) -> list[Message]:
    """The messages, with words added to the user's last one."""
    copied = [dict(message) for message in messages]
    last = next((one for one in reversed(copied) if one["role"] == "user"), None)
    if words and last is not None and isinstance(last["content"], str):
        last["content"] = "\n".join([last["content"], *words])
    return copied


def _orders(value: Any) -> Iterator[str]:
    """The orders in all texts of a JSON value, hidden characters read like others."""
    if isinstance(value, str):
        yield from (order.strip() for order in ORDER.findall(without_hidden(value)))
    elif isinstance(value, Mapping):
        yield from (order for part in value.values() for order in _orders(part))
    elif isinstance(value, list | tuple):
        yield from (order for part in value for order in _orders(part))
