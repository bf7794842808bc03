"""The course's pages as documents, with a request about one and a tool that reads them all.

In: the name of a page. Out: its text, or a request to sum it up. Made for a server that offers
more than tools: documents, prompts, structured results, progress.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from course_pkg.tools import ToolError, report_progress, tool

PAGES = Path(__file__).parent / "data" / "pages"


def page_names() -> tuple[str, ...]:
    """The names of all pages, sorted."""
    return tuple(sorted(path.stem for path in PAGES.glob("*.md")))


def page_text(name: str) -> str:
    """The text of a page, in Markdown.

    Args:
        name: one of `page_names()`.

    Raises:
        ToolError: if there is no page of that name.
    """
    if name not in page_names():
        raise ToolError(f"There is no page named {name!r}. Pages: {', '.join(page_names())}.")
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def summarize_page(page: str) -> str:
    """Ask for a summary of one page of the course.

    Args:
        page: The name of the page, for example time-limits.
    """
    return (
        "Sum up this page of a course on tool calling in three sentences, for somebody who has not "
        f"read it. Use only what it says.\n\n{page_text(page)}"
    )


@dataclass(frozen=True, kw_only=True)
class WordCount:
    """How often a word was found.

    Attributes:
        word: the word.
        pages: on how many pages it stands.
        times: how often it stands there, all in all.
    """

    word: str
    pages: int
    times: int


@tool
def count_word(word: str) -> WordCount:
    """Count how often a word stands in the pages of this course.

    It reads every page, and tells its progress. Capital and small letters count as the same.

    Args:
        word: The word to count, in English or Chinese, for example schema.
    """
    wanted, names = word.strip().casefold(), page_names()
    if not wanted:
        raise ToolError("There is no word in the argument. Give one word, for example schema.")
    counts = []
    for number, name in enumerate(names, start=1):
        counts.append(page_text(name).casefold().count(wanted))
        report_progress(number, len(names), name)
    return WordCount(word=word, pages=sum(map(bool, counts)), times=sum(counts))
