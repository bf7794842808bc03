"""Turn a request into tasks: which tools, in which order, with which arguments.

In: the text of a request and the offers. Out: `Task`s. A task can wait for the result of an earlier
one ("read notes.txt and send it to Ada"). Knows nothing of messages and of what was done already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from course_pkg.practice.filling import Source, fill, values_for
from course_pkg.practice.finding import HIDDEN, find_paths, find_quoted
from course_pkg.practice.found import Found
from course_pkg.practice.matching import Matcher
from course_pkg.practice.messages import MessageFinder, Utterance
from course_pkg.practice.numerals import find_expressions
from course_pkg.practice.offers import Offer, Parameter, type_of
from course_pkg.practice.words import concepts

#: More calls than this from one request are not plausible.
MAX_CALLS_PER_TASK = 12


@dataclass(frozen=True, kw_only=True)
class Task:
    """One tool to call, once or (for two cities, say) several times.

    Attributes:
        offer: the tool.
        calls: the arguments of each call.
        missing: required parameters for which the text gives nothing.
        needs_result: whether it must wait for the results of the tasks before it.
        text: the part of the request that it comes from, message bodies hidden.
    """

    offer: Offer
    calls: Sequence[Mapping[str, Any]]
    missing: Sequence[Parameter] = ()
    needs_result: bool = False
    text: str = ""


_BREAK = re.compile(
    r"[.!?](?=\s)|[;；。！？\n]|\s*,\s*(?:and\s+)?(?:then|also|after that|afterwards|plus|"
    r"finally)\b|\s+and\s+(?:then|also)\b|\b(?:then|also|after that|afterwards|"
    r"plus)\s(?!\d)"
    r"|\s+(?:and|&)\s+|,\s+|，|、|然后|接着|并且|另外|顺便|还有|之后|同时|以及|"
    r"再(?=[帮查算读看发给告搜念打把用])|最后|并(?=[帮查算读看发给告搜念打把])",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?:(?:to |about |of |with )?(?:it|that|this|them|these|those|(?:the|its|that|this|"
    r"your)\s+(?:\w+\s+)?(?:results?|answers?|contents?|output|outcome|total|sum|number|"
    r"value|summary|info|information|text|notes?|findings?|forecast|temperature|weather|"
    r"file|document|page|reply|response|translation|figure|one)(?:\s+(?:of it|to (?:him|"
    r"her|them)))?|what (?:it|you|they) .*|what (?:the )?(?:\w+ )?(?:is|was|says?|were)|"
    r"the (?:first|last) one)"
    r"|(?:一下)?(?:把)?(?:它|它们|这个|那个|这些|该|上面的|刚才的|得到的|最后的|"
    r"查到的|读到的|算出来的|算出的|计算)?(?:的)?(?:结果|内容|答案|文件内容|天气|天气情况|"
    r"数字|总数|信息|全文|情况|文本|查询结果|计算结果|搜索结果|译文|翻译)|它|这个|一下|他|她)",
    re.IGNORECASE,
)
_WAITING_WORDS = re.compile(
    r"\b(?:it|that|them|this|the (?:\w+ )?(?:results?|answer|contents?|output|"
    r"total|sum|number|first one))\b|结果|它|这个|再|内容|答案|得数",
    re.IGNORECASE,
)
_TASK_START = re.compile(
    r"(?:please |pls |can you |could you |i (?:also )?(?:need|"
    r"want) (?:you )?to )?(?:what|how|who|where|when|which|is|will|does)\b|"
    r"(?:请|帮我|麻烦|再|也|顺便|另外|把|给|看看|查|搜|算|读|计算|打开|告诉|通知|发|问)",
    re.IGNORECASE,
)
_NOUN_PHRASE = re.compile(
    r"(?:the|what|how|whether|if|today's|tomorrow's)\b(?!.*\b(?:is|are|was|will be) (?!\d)\w+$)",
    re.IGNORECASE,
)
_INDIRECT = re.compile(
    r"(?:whether|if|what|how)\b|(?:需不需要|要不要|是不是|会不会)", re.IGNORECASE
)
_CHINESE_NOUN = re.compile(
    r".*(?:天气|气温|结果|内容|答案|是多少|等于几|得多少|等于多少|怎么样|如何|得几)$"
)
_NOT = re.compile(
    r"\b(?:but|and) not\s+(?=in\b|for\b|at\b|the\b)[^,.;!?]*|"
    r"\b(?:don'?t|do not|never|no need to|without|rather than|instead of)\s+(?!(?:forget|"
    r"hesitate|worry|mind|know|understand|remember|have|see|think|care|"
    r"get)\b)[^,.;!?]*?(?=$|[,;!?]|\.\s|\.$|\bbut\b|\bjust\b)"
    r"|(?<![要用需])(?:不要|别|不用|无需|不需要|先别|不必)(?!忘|客气|的)[^，。；！？]*",
    re.IGNORECASE,
)


class Planner:
    """Plans requests for one set of tools."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        """Get the tools ready for matching."""
        self.offers = offers
        self.matcher = Matcher(offers)

    def plan(self, text: str) -> list[Task]:
        """The tasks in a request, in the order of the text; none if no tool fits."""
        utterances = self._utterances(text)
        inner = [(item, self._inner(item)) for item in utterances]
        shown = _hide(text, [item.body for item in utterances if item.body])
        shown = _NOT.sub(lambda match: _keep_hidden(match.group()), shown)
        tasks: list[Task] = []
        for start, end, offer in self._groups(shown, utterances):
            here = [item for item in utterances if start <= item.start < end]
            for item in here:
                tasks += next((found for other, found in inner if other is item), [])
            tasks.append(self._task(offer, shown[start:end], here, start, after=bool(tasks)))
        return _merged(tasks)

    def plan_for(self, offer: Offer, text: str) -> Task:
        """The task of one tool, for the whole text: what a forced choice asks for."""
        utterances = self._utterances(text)
        shown = _hide(text, [item.body for item in utterances if item.body])
        return self._task(offer, shown, utterances, 0, after=False)

    def found_for(self, offer: Offer, text: str) -> dict[str, list[Found]]:
        """What a text says for the parameters of one tool, all values."""
        utterances = self._utterances(text)
        shown = _hide(text, [item.body for item in utterances if item.body])
        return fill(Source(text=shown, utterances=utterances, offer=offer))

    def arguments_for(self, offer: Offer, text: str) -> dict[str, Any]:
        """What a text says for the parameters of one tool, one value each."""
        return {name: values[0].value for name, values in self.found_for(offer, text).items()}

    def _utterances(self, text: str) -> list[Utterance]:
        if not any(offer.with_role("message") for offer in self.offers):
            return []
        return MessageFinder(starts_task=self._starts_task).find(text)

    def _starts_task(self, rest: str) -> bool:
        match = self.matcher.best(_first_clause(rest))
        if match is None:
            return False
        if _TASK_START.match(rest.strip()):
            return True
        first = re.match(r"\s*(?:please |pls |also |then )*([A-Za-z]+)", rest)
        return first is not None and bool(concepts(first.group(1)) & match.offer.weights.keys())

    def _inner(self, utterance: Utterance) -> list[Task]:
        """A task inside a message: "tell Ada the weather in Paris" needs the weather first."""
        body = utterance.body
        if body is None or body.strength > 1 or utterance.is_marked:
            return []
        if not (_NOUN_PHRASE.match(body.value) or _CHINESE_NOUN.match(body.value)):
            return []
        match = self.matcher.best(body.value)
        if match is None or match.offer.with_role("message"):
            return []
        task = self._task(match.offer, body.value, [], 0, after=False)
        return [task] if task.calls else []

    # --- groups -----------------------------------------------------------------------------------

    def _groups(
        self, text: str, utterances: Sequence[Utterance]
    ) -> Iterator[tuple[int, int, Offer]]:
        """Stretches of the text, each with its tool."""
        groups: list[tuple[int, int, Offer]] = []
        begin = 0
        for start, end in _atoms(text, utterances):
            tells = any(start <= item.start < end for item in utterances)
            match = self.matcher.best(text[start:end], tells=tells)
            if match is not None and self._is_new(groups, match.offer, text[start:end]):
                groups.append((start if groups else begin, end, match.offer))
            elif groups:
                groups[-1] = (groups[-1][0], end, groups[-1][2])
        tells = bool(utterances)
        if not groups and (match := self.matcher.best(text, tells=tells)) is not None:
            groups.append((0, len(text), match.offer))
        yield from groups

    def _is_new(self, groups: Sequence[tuple[int, int, Offer]], offer: Offer, text: str) -> bool:
        if not groups or groups[-1][2] is not offer:
            return True
        if not any(offer.weights.get(concept, 0) >= 2 for concept in concepts(text)):
            return False
        if offer.with_role("expression") and _WAITING_WORDS.search(text):
            return True
        found = fill(Source(text=text, utterances=(), offer=offer))
        needed = [item for item in offer.parameters if item.is_required]
        return all(
            item.role == "message" or (item.name in found and found[item.name][0].strength >= 0.6)
            for item in needed
        )

    # --- tasks ------------------------------------------------------------------------------------

    def _task(
        self, offer: Offer, text: str, utterances: Sequence[Utterance], start: int, *, after: bool
    ) -> Task:
        here = [_moved(item, -start) for item in utterances]
        waits = [item for item in here if self._waits(item, after=after)]
        kept = [replace(item, body=None) if item in waits else item for item in here]
        found = fill(Source(text=text, utterances=kept, offer=offer))
        missing = [item for item in offer.parameters if item.is_required and item.name not in found]
        needs_result = bool(waits) or (
            after and bool(missing) and bool(_WAITING_WORDS.search(text) or _only_message(missing))
        )
        calls = list(spread(offer, found))
        return Task(
            offer=offer,
            calls=calls if needs_result or not missing else (),
            missing=missing,
            needs_result=needs_result,
            text=text,
        )

    def _waits(self, utterance: Utterance, *, after: bool) -> bool:
        body = utterance.body
        if body is None or body.strength > 1:
            return False
        if after and not utterance.is_marked and _INDIRECT.match(body.value):
            return True
        return bool(_REFERENCE.fullmatch(body.value)) or bool(self._inner(utterance))


def _only_message(missing: Sequence[Parameter]) -> bool:
    return all(item.role == "message" for item in missing)


def _first_clause(text: str) -> str:
    return re.split(r"[.!?]\s|[，。！？;；]|,\s| and ", text, maxsplit=1)[0]


def _hide(text: str, spans: Sequence[Found]) -> str:
    for span in spans:
        text = text[: span.start] + HIDDEN * (span.end - span.start) + text[span.end :]
    return text


def _keep_hidden(text: str) -> str:
    return "".join(char if char == HIDDEN else " " for char in text)


def _moved(utterance: Utterance, by: int) -> Utterance:
    def move(item: Found) -> Found:
        return replace(item, start=item.start + by, end=item.end + by)

    return replace(
        utterance,
        people=tuple(move(person) for person in utterance.people),
        body=move(utterance.body) if utterance.body else None,
    )


def _atoms(text: str, utterances: Sequence[Utterance]) -> Iterator[tuple[int, int]]:
    """The smallest pieces that could be tasks; nothing is cut inside quotes, sums and messages."""
    whole = [(item.start, item.end) for item in utterances]
    for found in (find_quoted(text), find_expressions(text), find_paths(text)):
        whole += [(item.start, item.end) for item in found]
    start = 0
    for match in _BREAK.finditer(text):
        if any(begin < match.end() and match.start() < end for begin, end in whole):
            continue
        if text[start : match.start()].strip():
            yield start, match.start()
        start = match.end() if match.group().strip() not in {"and", "再"} else match.start()
    if text[start:].strip():
        yield start, len(text)


def spread(offer: Offer, found: Mapping[str, Sequence[Found]]) -> Iterator[dict[str, Any]]:
    """One call for each value of the parameter that has several: two cities are two calls.

    Values of other parameters go along by position if there are as many, else by nearness.
    """
    many = [
        parameter.name
        for parameter in offer.parameters
        if parameter.name in found
        and len(_different(found[parameter.name])) > 1
        and min(item.strength for item in found[parameter.name]) >= 0.6
        and _may_repeat(parameter)
    ]
    if not many:
        yield {name: values[0].value for name, values in found.items()}
        return
    key = max(many, key=lambda name: len(_different(found[name])))
    leaders = _different(found[key])[:MAX_CALLS_PER_TASK]
    for position, leader in enumerate(leaders):
        yield {
            name: leader.value if name == key else _partner(values, leader, position, len(leaders))
            for name, values in found.items()
        }


def _may_repeat(parameter: Parameter) -> bool:
    if type_of(parameter.schema) in {"array", "object", "boolean"}:
        return False
    return parameter.role in {"place", "person", "path", "expression", "url", "ticker", "date"} or (
        parameter.role in {"identifier", "name", "email", "query", ""} and parameter.is_required
    )


def _different(values: Sequence[Found]) -> list[Found]:
    seen: dict[str, Found] = {}
    for item in values:
        seen.setdefault(str(item.value).lower(), item)
    return list(seen.values())


def _partner(values: Sequence[Found], leader: Found, position: int, count: int) -> Any:
    if len(values) == count:
        return values[position].value
    after = [item for item in values if item.start >= leader.end]
    nearest = min(after or values, key=lambda item: abs(item.start - leader.end))
    return nearest.value


def _merged(tasks: Sequence[Task]) -> list[Task]:
    """Without tasks that say nothing new: a tool whose arguments were already given."""
    kept: list[Task] = []
    for task in tasks:
        same = [other for other in kept if other.offer is task.offer]
        if same and not task.needs_result and not task.calls:
            continue
        if any(list(other.calls) == list(task.calls) and task.calls for other in same):
            continue
        kept = [
            other
            for other in kept
            if not (other.offer is task.offer and not other.calls and not other.needs_result)
        ]
        kept.append(task)
    return kept


def complete(task: Task, result: str, utterance_text: str) -> list[dict[str, Any]]:
    """The calls of a task that waited, now that the result is there.

    The result is data: it is put into an argument, or searched for a value of the right form, and
    never read as a request.

    Args:
        task: the task, with `needs_result`.
        result: the text of the results that it waited for.
        utterance_text: the result in words, for a message.
    """
    filled = {
        parameter.name: value
        for parameter in task.missing
        if (value := _from_result(parameter, task, result, utterance_text)) is not None
    }
    if len(filled) < len(task.missing):
        return []
    order = [parameter.name for parameter in task.offer.parameters]
    return [
        {name: both[name] for name in order if name in both}
        for call in task.calls or ({},)
        for both in [{**call, **filled}]
    ]


def _from_result(parameter: Parameter, task: Task, result: str, words: str) -> Any:
    if parameter.role == "expression":
        return _continued(task.text, result)
    if parameter.role in {"message", "query", ""} and type_of(parameter.schema) == "string":
        return words
    source = Source(text=result[:2000], utterances=(), offer=task.offer)
    values = values_for(parameter, source)
    return values[0].value if values else None


def _continued(text: str, result: str) -> str | None:
    """Put the result in: "multiply it by 2" with the result 21 gives "21 * 2"."""
    numbers = re.findall(r"-?\d+(?:\.\d+)?", result.replace(",", ""))
    if not numbers:
        return None
    number = numbers[-1]
    joined, count = re.subn(
        r"\b(?:the (?:\w+ )?(?:result|answer|total|sum|number|output|"
        r"temperature)|it|that|this)\b|(?:把|用|将)?(?:这个|上面的|得到的)?(?:结果|得数|它|答案)",
        f" {number} ",
        text,
        count=1,
        flags=re.IGNORECASE,
    )
    if not count:
        joined = re.sub(r"^.*?再|^", f" {number} ", text, count=1)
    found = find_expressions(joined)
    return str(found[0].value) if found else None
