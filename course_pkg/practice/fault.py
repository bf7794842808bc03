"""What a fault of the practice model is: a value that says how to spoil a reply.

In: nothing. Out: the classes `Fault` and `Moment`. `faults` holds the rows, `staging` finds the
call that is spoilt, `api` sends. Knows nothing of HTTP servers and of how calls are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

MODEL = "practice"

#: What a failure is about. The last two are no spoilt replies: what a provider does by its own
#: rules, and a model that does not come to an end.
Group: TypeAlias = Literal[
    "arguments",
    "names",
    "ids",
    "finish",
    "content",
    "envelope",
    "stream",
    "text formats",
    "provider",
    "repetition",
]

#: The call that a fault needs before it can spoil it: any call, two calls, or a call with an
#: argument of a type. Empty: whatever the practice model says by itself.
Need: TypeAlias = Literal[
    "", "call", "two_calls", "string", "integer", "boolean", "array", "enum", "optional"
]

#: What to ask so that the call comes up by itself, with the course's sample tools on offer.
QUESTIONS: Mapping[Need, str] = {
    "two_calls": "What's the weather in Paris and in Tokyo?",
    "integer": "Find 2 pages about tool calls in the docs.",
    "boolean": "Send Ada an urgent message that lunch is ready.",
    "array": "Send the welcome email to ada@example.com and bob@example.com.",
    "enum": "What's the weather in Paris in fahrenheit?",
    "optional": "What's the weather in Paris in fahrenheit?",
}
DEFAULT_QUESTION = "What's the weather in Paris?"

#: One event of a stream: a chunk, or text that goes onto the wire as it stands.
Event: TypeAlias = dict[str, Any] | str


@dataclass(frozen=True, kw_only=True)
class Moment:
    """Where in a conversation a request stands; all that a fault may look at.

    Attributes:
        body: the request.
        turn: how often the assistant has spoken since the user spoke last.
        results: how many tool results have come since then.
    """

    body: Mapping[str, Any]
    turn: int
    results: int


#: A good reply, in wire form, to the spoilt one.
Spoil: TypeAlias = Callable[[dict[str, Any], Moment], dict[str, Any]]
#: The events of a good stream to those of a spoilt one.
SpoilStream: TypeAlias = Callable[[Sequence[Event]], list[Event]]
#: Whether a request brings the fault about.
Condition: TypeAlias = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """How a reply is spoilt. What is not set stays as in a good reply.

    Attributes:
        name: what follows `practice:` in the model name.
        title: a few words, for a list to choose from.
        says: what happens, for a learner, in one sentence.
        group: what it is about.
        case: the beginning of the file name in `tests/cases` that shows it, or shows the nearest
            of its kind.
        options: request options without which it does not show, `{"stream": True}` for example.
        needs: the call that it spoils. If the user's words lead to no such call, one is made up.
        when: `first`: until a tool result has come back, then the model corrects itself;
            `always`: in each reply.
        forgets: the model looks at no result, as long as it has tools: it calls again and again.
        spoil: changes the reply before it is sent.
        spoil_stream: changes the events of a streamed reply; a plain reply stays good.
        ignores_stream: a plain reply comes, although a stream was asked for.
        body: sent in place of the reply.
        only_if: which requests get `body`; all, if it is not set.
        tries: how many tries get `body`; all, if it is 0. A try tells its number by the header
            `x-stainless-retry-count`, which the `openai` client sends.
        status: the HTTP status that goes with `body`.
        headers: headers on top of the usual ones, with `body`.
        content_type: the type of `body`.
        wait_s: seconds to wait before the reply.
        kept_share: which share of the reply is sent before the connection closes; 1 is all.
    """

    name: str
    title: str
    says: str
    group: Group
    case: str
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: Need = ""
    when: Literal["first", "always"] = "first"
    forgets: bool = False
    spoil: Spoil | None = None
    spoil_stream: SpoilStream | None = None
    ignores_stream: bool = False
    body: str | bytes | None = None
    only_if: Condition | None = None
    tries: int = 0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    wait_s: float = 0.0
    kept_share: float = 1.0

    @property
    def model(self) -> str:
        """The model name that asks for it."""
        return f"{MODEL}:{self.name}" if self.name else MODEL

    @property
    def question(self) -> str:
        """A question for the course's sample tools that shows it well."""
        return QUESTIONS.get(self.needs, DEFAULT_QUESTION)


def moment_of(body: Mapping[str, Any]) -> Moment:
    """Where the request stands: what came after the user's last words is counted."""
    after = since_user(body["messages"])
    return Moment(
        body=body,
        turn=sum(message["role"] == "assistant" for message in after),
        results=sum(message["role"] == "tool" for message in after),
    )


def since_user(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The messages after the user's last one; all of them if no user spoke."""
    places = [place for place, message in enumerate(messages) if message["role"] == "user"]
    return messages[places[-1] + 1 :] if places else messages


def shows_at(fault: Fault, moment: Moment) -> bool:
    """Whether the fault spoils the reply at this moment."""
    return fault.when == "always" or not moment.results


def replaces_reply(fault: Fault, body: Mapping[str, Any], tries_before: int) -> bool:
    """Whether the fault's own body is sent in place of a reply.

    Args:
        fault: the fault.
        body: the request.
        tries_before: how often the client has tried before.
    """
    if fault.body is None or (fault.only_if is not None and not fault.only_if(body)):
        return False
    return not fault.tries or tries_before < fault.tries
