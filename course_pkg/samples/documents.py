"""The search tool: full-text search over the course's own pages, with SQLite's FTS5.

In: a query in English or Chinese, and how many results to give. Out: titles, page names and
excerpts, best first. The index is built in memory at first use. Knows nothing of notebooks.
"""

from __future__ import annotations

import atexit
import functools
import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from course_pkg.tools import ToolError, tool

MAX_RESULTS = 10
#: Longer queries are cut: what decides stands at the beginning.
MAX_QUERY_CHARS = 500
MAX_QUERY_TERMS = 40
#: Words shorter than this must match whole; "a" would begin half of all words.
MIN_PREFIX_CHARS = 3
EXCERPT_WORDS = 32

_DATA = Path(__file__).parent / "data"
PAGES = _DATA / "pages"

#: A hit in the title counts ten times a hit in the text, one in the keywords five times.
_WEIGHTS = "0.0, 10.0, 5.0, 1.0"

#: Words that say nothing about the subject of a question.
STOP_WORDS = frozenset((_DATA / "stop_words.txt").read_text(encoding="utf-8").split())
_CHINESE_STOP = re.compile(r"什么|怎么|怎样|如何|为什么|哪些|是否|请问|一下|[的了吗呢吧和与是]")

# Han characters: SQLite would take an unbroken run of them for one word.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TERM = re.compile(rf"[{_HAN}]+|(?:(?![{_HAN}])\w)+")


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page of the course.

    Attributes:
        name: the file's name without its ending.
        title: its heading.
        keywords: words to find it by, Chinese ones among them.
        text: what it says.
    """

    name: str
    title: str
    keywords: str
    text: str


def page_of(name: str, source: str) -> Page:
    """Read a page: a heading `# …`, a line `Keywords: …`, then the text."""
    heading, _, rest = source.strip().partition("\n")
    keywords, _, text = rest.strip().partition("\n")
    return Page(
        name=name,
        title=heading.removeprefix("#").strip(),
        keywords=keywords.removeprefix("Keywords:").strip(),
        text=" ".join(text.split()),
    )


def pages_in(folder: Path) -> list[Page]:
    """All pages of a folder, by name."""
    paths = sorted(folder.glob("*.md"))
    return [page_of(path.stem, path.read_text(encoding="utf-8")) for path in paths]


class PageIndex:
    """Pages that can be searched, from several threads too."""

    def __init__(self, pages: Iterable[Page]) -> None:
        """Index the pages in memory.

        Raises:
            ToolError: if this Python's SQLite was built without FTS5.
        """
        # Here and not above: toolboxes are made far more often than searched.
        import sqlite3

        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            self._database.execute(
                "CREATE VIRTUAL TABLE pages USING fts5("
                "name UNINDEXED, title, keywords, text, tokenize = 'porter unicode61')"
            )
        except sqlite3.OperationalError as error:
            self._database.close()
            raise ToolError(
                "This Python's SQLite has no full-text search (FTS5), so pages cannot be searched. "
                "Answer without them, or use a Python from python.org or conda."
            ) from error
        self._database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", map(_row, pages))

    def search(self, query: str, num_results: int) -> list[dict[str, str]]:
        """The best pages for a query: dicts with `title`, `page` and `excerpt`. Never raises.

        Args:
            query: any text; no character in it is an operator.
            num_results: how many at most.
        """
        match = match_text(query)
        if not match:
            return []
        with self._lock:
            rows = self._database.execute(
                f"SELECT title, name, snippet(pages, 3, '', '', '…', {EXCERPT_WORDS}) FROM pages "
                f"WHERE pages MATCH ? ORDER BY bm25(pages, {_WEIGHTS}), name LIMIT ?",
                (match, num_results),
            ).fetchall()
        return [
            {"title": _closed(title), "page": name, "excerpt": _closed(excerpt)}
            for title, name, excerpt in rows
        ]

    def close(self) -> None:
        """Let go of the memory."""
        self._database.close()


def _row(page: Page) -> tuple[str, ...]:
    return (page.name, *map(_spaced, (page.title, page.keywords, page.text)))


def _spaced(text: str) -> str:
    """Each Han character as a word of its own, so that any run of them can be found."""
    return re.sub(rf"([{_HAN}])", r" \1 ", text)


def _closed(text: str) -> str:
    return re.sub(rf"(?<=[{_HAN}]) +(?=[{_HAN}])", "", " ".join(text.split()))


def match_text(query: str) -> str:
    """A query in FTS5's language: quoted terms, any of which may match; empty if none is left.

    A quoted term cannot be an operator. Western words match by their beginning, Chinese by pairs.
    """
    text = query[:MAX_QUERY_CHARS].casefold()
    terms = dict.fromkeys(_terms(_CHINESE_STOP.sub(" ", text)))
    return " OR ".join(list(terms)[:MAX_QUERY_TERMS])


def _terms(text: str) -> Iterator[str]:
    found = _TERM.findall(text)
    telling = [term for term in found if term not in STOP_WORDS]
    for term in telling:
        if re.match(rf"[{_HAN}]", term):
            yield from _pairs(term)
        elif term.strip("_"):
            yield f'"{term}"*' if len(term) >= MIN_PREFIX_CHARS else f'"{term}"'


def _pairs(run: str) -> Iterator[str]:
    """Neighbouring characters: most Chinese words have two."""
    for start in range(max(1, len(run) - 1)):
        yield f'"{" ".join(run[start : start + 2])}"'


_building = threading.Lock()


def _index() -> PageIndex:
    with _building:
        return _built()


@functools.cache
def _built() -> PageIndex:
    index = PageIndex(pages_in(PAGES))
    atexit.register(index.close)
    return index


@tool
def search_docs(
    query: str,
    num_results: Annotated[int, Field(ge=1, le=MAX_RESULTS)] = 3,
) -> dict[str, Any]:
    """Search the pages of this course and return the best matches.

    Each result has the title of the page, its name and a short excerpt. Use it for questions about
    tool calling: schemas, descriptions, the loop, streaming, errors, security, MCP. It searches no
    other documents and not the web. Without a match the list is empty.

    Args:
        query: Words to look for, in English or Chinese, for example parallel tool calls
            or 流式输出.
        num_results: How many results to return at most, from 1 to 10. Default 3, enough for most
            questions.
    """
    results = _index().search(query, num_results)
    if results:
        return {"results": results}
    return {
        "results": [],
        "note": f"No page of the course matches {query[:60]!r}. Try fewer or other words.",
    }
