"""A report: what was looked at, what was found, and what to do next.

In: checks with their findings, in sections. Out: plain text that a person can read or print, and
the same as HTML without a script. Every text comes in through `markup`, as the inside of an
element: a report is about code that somebody else has written. Knows nothing of what is reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from course_pkg.widgets.phrases import count
from course_pkg.widgets.union_forms import View, style
from course_pkg.widgets.visible import cut, markup, visible

State: TypeAlias = Literal["passed", "failed", "not looked at"]

SIGNS = {"passed": "✓", "failed": "✗", "not looked at": "–"}
KINDS = {"passed": "y", "failed": "x", "not looked at": "h"}

#: More findings of one kind are counted, not told.
MAX_TOLD = 5
#: One text of a finding is cut to so many characters.
MAX_TEXT_CHARS = 600


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing to mend.

    Attributes:
        code: which rule, in one word: `booked_twice`.
        where: the place, for a person: `book_repair · /properties/day`.
        what: what was seen.
        why: why it matters; may be empty.
        fix: what to do next.
    """

    code: str
    where: str
    what: str
    fix: str
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Attributes:
        title: a sentence that is true if the check passes.
        findings: what is to be mended; none if it passes.
        skipped: why it was not looked at; empty if it was.
    """

    title: str
    findings: tuple[Finding, ...] = ()
    skipped: str = ""

    @property
    def state(self) -> State:
        """`passed`, `failed`, or `not looked at`."""
        if self.findings:
            return "failed"
        return "not looked at" if self.skipped else "passed"


@dataclass(frozen=True, kw_only=True)
class Section:
    """Checks that belong together.

    Attributes:
        title: what they are about.
        checks: the checks, in order.
    """

    title: str
    checks: tuple[Check, ...]

    def number(self, state: State) -> int:
        """How many checks came to this."""
        return sum(check.state == state for check in self.checks)


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a review came to. A cell that ends in one shows it.

    Attributes:
        title: what was reviewed.
        sections: what was looked at.
    """

    title: str
    sections: tuple[Section, ...]

    @property
    def passed(self) -> bool:
        """Whether every check was looked at and passed."""
        return all(section.number("passed") == len(section.checks) for section in self.sections)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is to be mended, in order."""
        return tuple(
            finding
            for section in self.sections
            for check in section.checks
            for finding in check.findings
        )

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the findings, each once, in order."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings))

    @property
    def text(self) -> str:
        """The whole report as plain text."""
        return visible("\n".join(_lines(self)))

    @property
    def html(self) -> str:
        """The whole report as HTML, without a script."""
        return _html(self)

    def number(self, state: State) -> int:
        """How many checks came to this."""
        return sum(section.number(state) for section in self.sections)

    def only(self, *titles: str) -> Report:
        """The same report with some of its sections.

        Args:
            titles: their titles.
        """
        kept = tuple(section for section in self.sections if section.title in titles)
        return Report(title=self.title, sections=kept)

    def __str__(self) -> str:
        """The whole report as plain text."""
        return self.text

    def __repr__(self) -> str:
        """The whole report as plain text."""
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return View(html=self.html, text=self.text).bundle()


def verdict(report: Report) -> str:
    """The report in a sentence.

    Args:
        report: the report.
    """
    whole = sum(len(section.checks) for section in report.sections)
    said = f"{report.number('passed')} of {count(whole, 'check')} passed"
    skipped = report.number("not looked at")
    return f"{said}, {skipped} not looked at." if skipped else f"{said}."


# --- text -----------------------------------------------------------------------------------------


def _lines(report: Report) -> Iterator[str]:
    yield f"{'PASSED' if report.passed else 'NOT YET'}: {report.title}"
    yield verdict(report)
    for section in report.sections:
        yield ""
        yield f"{section.title} ({section.number('passed')} of {len(section.checks)})"
        for check in section.checks:
            yield from _check_lines(check)


def _check_lines(check: Check) -> Iterator[str]:
    skipped = f" (not looked at: {_short(check.skipped)})" if check.state == "not looked at" else ""
    yield f"  {SIGNS[check.state]} {_short(check.title)}{skipped}"
    for alike in _alike(check):
        yield f"      [{_short(alike[0].code)}]"
        yield from (f"      {_short(f'{one.where}: {one.what}')}" for one in alike[:MAX_TOLD])
        if len(alike) > MAX_TOLD:
            yield f"      {_rest(alike)}"
        if alike[0].why:
            yield f"      Why: {_short(alike[0].why)}"
        yield f"      Next: {_short(alike[0].fix)}"


def _alike(check: Check) -> list[list[Finding]]:
    """The findings of a check, those together that are mended in the same way."""
    kinds: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in check.findings:
        kinds.setdefault((finding.code, finding.why, finding.fix), []).append(finding)
    return list(kinds.values())


def _rest(alike: Sequence[Finding]) -> str:
    return f"And {len(alike) - MAX_TOLD} more of this kind."


def _short(text: str) -> str:
    """A text on one line, of bounded length."""
    return cut(" ".join(text.split()), MAX_TEXT_CHARS)


# --- HTML -----------------------------------------------------------------------------------------


def _html(report: Report) -> str:
    word, kind = ("Passed", "y") if report.passed else ("Not yet", "x")
    head = (
        f'<p class="t"><i class="{kind}">{word}</i> <b>{markup(_short(report.title))}</b> '
        f'<span class="h">{verdict(report)}</span></p>'
    )
    sections = "".join(map(_section, report.sections))
    return f'<div class="tcu tcr"><style>{style()}{_style()}</style>{head}{sections}</div>'


def _section(section: Section) -> str:
    passed = section.number("passed")
    is_open = "" if passed == len(section.checks) else " open"
    kind = "x" if section.number("failed") else "h" if is_open else "y"
    checks = "".join(map(_item, section.checks))
    return (
        f"<details{is_open}><summary><b>{markup(section.title)}</b> "
        f'<i class="{kind}">{passed} of {len(section.checks)}</i></summary><ul>{checks}</ul>'
        "</details>"
    )


def _item(check: Check) -> str:
    state = check.state
    sign = f'<i class="{KINDS[state]}">{SIGNS[state]}<span class="o"> {state}</span></i>'
    skipped = ""
    if state == "not looked at":
        skipped = f' <span class="h">(not looked at: {markup(_short(check.skipped))})</span>'
    findings = "".join(map(_findings, _alike(check)))
    return f"<li>{sign} {markup(_short(check.title))}{skipped}{findings}</li>"


def _findings(alike: Sequence[Finding]) -> str:
    first = alike[0]
    seen = "".join(
        f"<dd><b>{markup(_short(one.where))}</b> {markup(_short(one.what))}</dd>"
        for one in alike[:MAX_TOLD]
    )
    rest = f'<dd class="h">{_rest(alike)}</dd>' if len(alike) > MAX_TOLD else ""
    why = f"<dt>Why</dt><dd>{markup(_short(first.why))}</dd>" if first.why else ""
    return (
        f'<div class="f"><code>{markup(_short(first.code))}</code><dl><dt>Seen</dt>{seen}{rest}'
        f"{why}<dt>Next</dt><dd>{markup(_short(first.fix))}</dd></dl></div>"
    )


@cache
def _style() -> str:
    path = files("course_pkg.widgets").joinpath("static", "report.css")
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", text)).replace(";}", "}").strip()
