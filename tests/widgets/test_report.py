"""Reports: counts, text, HTML, and what becomes of hostile words."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from course_pkg.widgets.report import MAX_TEXT_CHARS, MAX_TOLD, Check, Finding, Report, Section
from course_pkg.widgets.visible import UNSEEN

HOSTILE = (
    "<script>window.hacked=1</script>",
    "</code></dd></dl></div><img src=x onerror=window.hacked=1>",
    "</style><style>*{display:none}",
    "' onmouseover='window.hacked=1",
    "\u202egnp.exe\u2066\u200b\ud800",
)
TAGS = {"div", "style", "p", "b", "i", "em", "ul", "li", "dl", "dt", "dd", "code", "span"}
TAGS |= {"details", "summary"}


def finding(**changes: str) -> Finding:
    told = {
        "code": "no_key",
        "where": "book",
        "what": "No key.",
        "why": "Twice.",
        "fix": "Add one.",
    }
    return Finding(**{**told, **changes})


def report(*checks: Check) -> Report:
    return Report(title="mine.py", sections=(Section(title="Security", checks=checks),))


PASSED = Check(title="It is quiet.")
FAILED = Check(title="It books once.", findings=(finding(),))
SKIPPED = Check(title="It lists all.", skipped="nobody could connect")


class Tags(HTMLParser):
    """The tags and attributes of markup, and its text outside the style."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words = ""
        self.open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open = tag

    def handle_data(self, data: str) -> None:
        if self.open != "style":
            self.words += data
        self.open = ""


def parsed(html: str) -> Tags:
    made = Tags()
    made.feed(html)
    return made


@pytest.mark.parametrize(
    ("checks", "passes"),
    [((PASSED,), True), ((PASSED, FAILED), False), ((PASSED, SKIPPED), False), ((), True)],
)
def test_a_report_passes_if_every_check_was_looked_at_and_passed(
    checks: tuple[Check, ...], passes: bool
) -> None:
    assert report(*checks).passed is passes


def test_the_text_says_what_where_why_and_what_to_do_next() -> None:
    assert report(PASSED, FAILED, SKIPPED).text == (
        "NOT YET: mine.py\n"
        "1 of 3 checks passed, 1 not looked at.\n"
        "\n"
        "Security (1 of 3)\n"
        "  ✓ It is quiet.\n"
        "  ✗ It books once.\n"
        "      [no_key]\n"
        "      book: No key.\n"
        "      Why: Twice.\n"
        "      Next: Add one.\n"
        "  – It lists all. (not looked at: nobody could connect)"
    )


def test_both_forms_say_the_same() -> None:
    made = report(PASSED, FAILED, SKIPPED)
    words = parsed(made.html).words

    assert [
        told
        for told in ("It is quiet.", "It books once.", "no_key", "No key.", "Twice.", "Add one.")
        if told not in words or told not in made.text
    ] == []


def test_a_sign_is_also_said_in_words() -> None:
    assert [word in parsed(report(PASSED, FAILED).html).words for word in ("passed", "failed")] == [
        True,
        True,
    ]


def test_findings_that_are_mended_alike_stand_together_and_many_are_counted() -> None:
    many = tuple(finding(where=f"tool {number}") for number in range(MAX_TOLD + 3))

    text = report(Check(title="All.", findings=(*many, finding(fix="Other.")))).text

    assert (text.count("Next: Add one."), text.count("And 3 more of this kind.")) == (1, 1)


def test_a_section_that_passes_is_closed_and_another_is_open() -> None:
    assert "<details>" in report(PASSED).html
    assert "<details open>" in report(PASSED, FAILED).html


def test_only_keeps_the_named_sections() -> None:
    whole = Report(
        title="mine.py",
        sections=(Section(title="A", checks=(FAILED,)), Section(title="B", checks=(PASSED,))),
    )

    assert (whole.only("B").passed, whole.only("A").codes) == (True, ("no_key",))


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_words_are_shown_and_do_nothing(hostile: str) -> None:
    check = Check(
        title=hostile,
        findings=(finding(code=hostile, where=hostile, what=hostile, why=hostile, fix=hostile),),
    )
    made = Report(
        title=hostile,
        sections=(Section(title=hostile, checks=(check, Check(title="x", skipped=hostile))),),
    )

    tags = parsed(made.html)
    assert (tags.tags - TAGS, tags.attributes - {"class", "open"}) == (set(), set())
    assert UNSEEN.search(made.html + made.text) is None


def test_a_very_long_word_is_cut() -> None:
    text = report(Check(title="Short.", findings=(finding(what="x" * 50_000),))).text

    assert MAX_TEXT_CHARS < len(text) < MAX_TEXT_CHARS + 400


def test_a_cell_that_ends_in_a_report_shows_both_forms_and_no_script() -> None:
    made = report(PASSED, FAILED)
    bundle: dict[str, Any] = made._repr_mimebundle_()

    assert bundle == {"text/html": made.html, "text/plain": made.text}
    assert "<script" not in json.dumps(bundle)
