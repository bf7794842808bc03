"""Find the calls in what a model wrote, and tell them from talk about calls.

In: a reply as text, and the tools on offer. Out: a `ParsedText`. Goes through the text once, from
place to place where something begins: code, thinking, or a call. What a reader took is passed over,
so that nothing inside a call's arguments can begin anything.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from course_pkg.text_calls import bare_json, hermes, qwen3_coder, use_mcp_tool
from course_pkg.text_calls.parsed import (
    FORMATS,
    Definitions,
    Draft,
    Format,
    ParsedText,
    Piece,
    TextCall,
    schemas_by_name,
)

Schemas: TypeAlias = Mapping[str, Mapping[str, Any]]
Read: TypeAlias = Callable[[str, re.Match[str], Schemas], Piece | None]

READERS: Mapping[str, tuple[re.Pattern[str], Read]] = {
    "hermes": (hermes.OPENING, hermes.read),
    "qwen3_coder": (qwen3_coder.OPENING, qwen3_coder.read),
    "use_mcp_tool": (use_mcp_tool.OPENING, use_mcp_tool.read),
}

#: Where something begins that is looked at: a run of backticks or tildes, or a tag.
PLACE = re.compile(r"(?P<ticks>`+|~{3,})|<(?:think(?:ing)?|tool_call|function=|use_mcp_tool)")
THINKING = re.compile(r"<(think|thinking)>")

#: The end of thinking whose beginning stood in the prompt. A model writes it at the start or at the
#: end of a line, or before a call; inside a JSON text it cannot stand so.
END_OF_THINKING = re.compile(
    r"^[ \t]*</think(?:ing)?>"
    r"|</think(?:ing)?>(?=[ \t]*(?:\n|\Z)|<(?:tool_call>|function=|use_mcp_tool>))",
    re.MULTILINE,
)

#: Code of one or two backticks ends after at most so many characters, or is no code.
MAX_INLINE_CHARS = 2_000

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』"}


def parse_text(
    text: str,
    tools: Definitions = (),
    *,
    formats: Sequence[Format] = FORMATS,
    seed: str = "",
) -> ParsedText:
    """The words and the calls in what a model wrote.

    Nothing is raised, whatever the text. A call that cannot be read, or was cut off, is among the
    calls, with a `problem` or with arguments that no one can parse: it gets an error as its result.

    Args:
        text: the model's reply.
        tools: the tools on offer: a toolbox, or definitions in Chat Completions form. Their schemas
            say what a value means where the format does not.
        formats: what to look for.
        seed: goes into the ids of the calls. The same text with the same seed gets the same ids.
    """
    scan = _Scan(text, schemas_by_name(tools), formats)
    scan.run()
    words = "".join(scan.words).strip()
    drafts = scan.drafts
    if "bare_json" in formats and not drafts:
        bare = bare_json.read(words, scan.schemas)
        drafts, words = ([bare], "") if bare else ([], words)
    calls = tuple(_call(draft, f"{seed}/{number}/{text}") for number, draft in enumerate(drafts))
    return ParsedText(text=words, calls=calls, thinking="\n".join(scan.thinking).strip())


def _call(draft: Draft, seed: str) -> TextCall:
    # A hash, so that the same text always gets the same ids.
    digest = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()
    return TextCall(
        id=f"call_{digest[:24]}",
        name=draft.name,
        arguments=draft.arguments,
        problem=draft.problem,
        notes=draft.notes,
        server=draft.server,
    )


class _Scan:
    """One way through a text."""

    def __init__(self, text: str, schemas: Schemas, formats: Sequence[Format]) -> None:
        self.text = text
        self.schemas = schemas
        self.readers = [READERS[name] for name in formats if name in READERS]
        self.words: list[str] = []
        self.thinking: list[str] = []
        self.drafts: list[Draft] = []
        self._kept = 0  # so far the text has been put away, as words or otherwise

    def run(self) -> None:
        """Go through the text to its end."""
        at = self._after_open_thinking()
        while found := PLACE.search(self.text, at):
            if found["ticks"]:
                at = _after_code(self.text, found)
            elif thought := THINKING.match(self.text, found.start()):
                at = self._after_thinking(thought)
            else:
                at = self._after_call(found)
        self.words.append(self.text[self._kept :])

    def _after_open_thinking(self) -> int:
        """Past the thinking at the start whose opening tag stood in the prompt."""
        end = END_OF_THINKING.search(self.text)
        if end is None or THINKING.search(self.text, 0, end.start()):
            return 0
        self.thinking.append(self.text[: end.start()].strip())
        self._kept = end.end()
        return end.end()

    def _after_thinking(self, opened: re.Match[str]) -> int:
        if self._before(opened.start()).strip():
            return opened.end()  # in the middle of a line: talk about thinking
        tag = f"</{opened[1]}>"
        end = self.text.find(tag, opened.end())
        self._put_away(opened.start(), len(self.text) if end < 0 else end + len(tag))
        self.thinking.append(self.text[opened.end() : None if end < 0 else end].strip())
        return self._kept

    def _after_call(self, found: re.Match[str]) -> int:
        for opening, read in self.readers:
            opened = opening.match(self.text, found.start())
            piece = read(self.text, opened, self.schemas) if opened else None
            if piece is None or opened is None:
                continue
            if self._is_talk(opened.start(), piece.end):
                # What is only shown is passed over; what could not be read shows nothing.
                broken = any(draft.problem for draft in piece.drafts)
                return opened.end() if broken else piece.end
            self._put_away(opened.start(), piece.end)
            self.drafts += piece.drafts
            return piece.end
        return found.end()

    def _put_away(self, start: int, end: int) -> None:
        self.words.append(self.text[self._kept : start])
        self._kept = end

    def _before(self, at: int) -> str:
        """What stands before a place on its line and is neither call nor thinking."""
        return self.text[max(self._kept, self.text.rfind("\n", 0, at) + 1) : at]

    def _is_talk(self, start: int, end: int) -> bool:
        """Whether a call is only shown: in quotes, in a quoted line, or amid words."""
        before = self._before(start).strip()
        line_end = self.text.find("\n", end)
        after = self.text[end : line_end if line_end >= 0 else len(self.text)].strip()
        if not before or before.startswith(">"):
            return bool(before)
        in_quotes = before[-1] in QUOTES and after.startswith(QUOTES[before[-1]])
        return in_quotes or bool(after and not PLACE.match(after))


def _after_code(text: str, opened: re.Match[str]) -> int:
    """Where code ends: after the fence or the backticks that close it."""
    ticks = opened["ticks"]
    begins_line = not text[text.rfind("\n", 0, opened.start()) + 1 : opened.start()].strip()
    if len(ticks) >= 3 and begins_line:
        close = re.compile(rf"^[ \t]*{ticks}{ticks[0]}*[ \t]*$", re.MULTILINE)
        end = close.search(text, opened.end())
        return end.end() if end else len(text)
    if ticks[0] == "~":
        return opened.end()
    limit = len(text) if len(ticks) >= 3 else opened.end() + MAX_INLINE_CHARS
    inline = re.compile(rf"(?<!`){ticks}(?!`)").search(text, opened.end(), limit)
    return inline.end() if inline else opened.end()
