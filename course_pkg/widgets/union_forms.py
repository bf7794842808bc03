"""Write comparisons of unions as HTML and as plain text.

In: `Comparison`s and `Union`s. Out: self-contained markup without a script, and its twin in words.
Every text comes in through `markup`, as the inside of an element. The same input gives the same
bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from course_pkg.schema import Branch, Problem
from course_pkg.widgets.unions import Comparison, Union, compare_at_root
from course_pkg.widgets.visible import cut, markup, visible

#: Longer values are cut where they are shown.
MAX_VALUE_CHARS = 300

NO_UNION = "The value met no anyOf and no oneOf in this schema."


@dataclass(frozen=True, kw_only=True)
class View:
    """Something to look at and its twin in words. A cell that ends in one shows it.

    Attributes:
        html: self-contained markup, without a script.
        text: the same as plain text.
    """

    html: str = field(repr=False)
    text: str = field(repr=False)

    def __repr__(self) -> str:
        """The plain text."""
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.bundle()

    def bundle(self) -> dict[str, str]:
        """Both by media type."""
        return {"text/html": self.html, "text/plain": self.text}


def report(value: Any, comparisons: Sequence[Comparison]) -> View:
    """One value, branch by branch, with both verdicts.

    Args:
        value: the value.
        comparisons: what became of it, one for each union that it met.
    """
    written = as_json(value)
    if not comparisons:
        return View(
            html=_box(f"<p><code>{markup(written)}</code></p><p>{NO_UNION}</p>"),
            text=f"{visible(written)}\n{NO_UNION}",
        )
    html = "".join(_section(comparison) for comparison in comparisons)
    lines = [visible(written)]
    for comparison in comparisons:
        lines += _lines(comparison)
    return View(html=_box(f"<p><code>{markup(written)}</code></p>{html}"), text="\n".join(lines))


def trouble(text: str) -> str:
    """A kind sentence about a text that could not be read, as HTML.

    Args:
        text: the sentence.
    """
    return _box(f'<p class="n" role="status">{markup(text)} Your text is still there.</p>')


def tables(unions: Sequence[Union], *, folded: bool = False) -> View:
    """Every union with all its samples: branch by branch, and both verdicts.

    Args:
        unions: what to show.
        folded: whether the HTML is closed until it is opened.
    """
    html = "".join(map(_table, unions))
    if folded:
        html = (
            "<details><summary>All samples of all schemas, as tables</summary>"
            f"{html}</details><p class='h'>Below are the boxes to type in. If they are gone, run "
            "this cell again.</p>"
        )
    return View(html=_box(html), text="\n\n".join(map(_text_table, unions)))


def branch_list(union: Union) -> str:
    """What a union says, and its branches as JSON, as HTML.

    Args:
        union: the union.
    """
    return _box(_head(union))


def as_json(value: Any) -> str:
    """A value as JSON, cut to `MAX_VALUE_CHARS`.

    Args:
        value: a JSON value.
    """
    return cut(json.dumps(value, ensure_ascii=False, default=repr), MAX_VALUE_CHARS)


# --- one value ------------------------------------------------------------------------------------


def _section(comparison: Comparison) -> str:
    where = f"<p>at <code>{markup(comparison.where)}</code></p>" if comparison.where else ""
    items = "".join(map(_item, comparison.branches))
    reason = f'<p class="h">{markup(comparison.reason)}.</p>' if comparison.reason else ""
    return (
        f'<div role="status">{where}<ol>{items}</ol>{reason}<p class="v">'
        f"{_verdict('anyOf', passes=comparison.any_of)} "
        f"{_verdict('oneOf', passes=comparison.one_of)}</p><p>{comparison.sentence}</p></div>"
    )


def _item(branch: Branch) -> str:
    state = _state(branch)
    reasons = "".join(f"<li>{markup(line)}</li>" for line in _reasons(branch))
    inner = f"<ul>{reasons}</ul>" if reasons else ""
    return f"<li><b>{markup(branch.label)}</b> {state}{inner}</li>"


def _state(branch: Branch) -> str:
    return '<i class="y">✓ fits</i>' if branch.matched else '<i class="x">✗ does not fit</i>'


def _verdict(keyword: str, *, passes: bool) -> str:
    kind, word = ("y", "✓ passes") if passes else ("x", "✗ fails")
    return f'<span class="w"><code>{keyword}</code> <i class="{kind}">{word}</i></span>'


def _reasons(branch: Branch) -> Iterator[str]:
    for problem in branch.problems:
        yield _reason(problem)


def _reason(problem: Problem) -> str:
    where = f"{problem.where}: " if problem.where else ""
    return f"{where}expected {problem.expected}, found {problem.found}. {problem.advice}"


def _lines(comparison: Comparison) -> Iterator[str]:
    if comparison.where:
        yield f"at {visible(comparison.where)}"
    for branch in comparison.branches:
        yield f"  branch {branch.number} ({visible(branch.label)}): " + (
            "fits" if branch.matched else "does not fit"
        )
        yield from (f"    {visible(line)}" for line in _reasons(branch))
    if comparison.reason:
        yield f"  {visible(comparison.reason)}."
    yield (
        f"  anyOf {_word(passes=comparison.any_of)}, oneOf {_word(passes=comparison.one_of)}. "
        + (comparison.sentence)
    )


def _word(*, passes: bool) -> str:
    return "passes" if passes else "fails"


# --- all samples ----------------------------------------------------------------------------------


def _head(union: Union) -> str:
    parts = "".join(f"<li><code>{markup(as_json(part))}</code></li>" for part in union.parts)
    says = f"<p>{markup(union.says)}</p>" if union.says else ""
    return f"<p><b>{markup(union.name)}</b></p>{says}<ol>{parts}</ol>"


def _table(union: Union) -> str:
    numbers = range(1, len(union.parts) + 1)
    heads = [*(f"branch {number}" for number in numbers), "anyOf", "oneOf"]
    top = "".join(f'<th scope="col">{head}</th>' for head in ("value", *heads))
    rows = "".join(_row(value, compare_at_root(value, union)) for value in union.samples)
    return (
        f'<div class="u">{_head(union)}<table><thead><tr>{top}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(value: Any, comparison: Comparison) -> str:
    fates = "".join(f"<td>{_fate(branch)}</td>" for branch in comparison.branches)
    verdicts = "".join(
        f'<td class="w"><i class="{"y" if passes else "x"}">{"✓" if passes else "✗"} '
        f"{_word(passes=passes)}</i></td>"
        for passes in (comparison.any_of, comparison.one_of)
    )
    return f'<tr><th scope="row"><code>{markup(as_json(value))}</code></th>{fates}{verdicts}</tr>'


def _fate(branch: Branch) -> str:
    if branch.matched:
        return '<i class="y">✓ fits</i>'
    return '<i class="x">✗</i> ' + "<br>".join(map(markup, _short(branch)))


def _short(branch: Branch) -> Iterator[str]:
    for problem in branch.problems:
        yield f"{f'{problem.where}: ' if problem.where else ''}expected {problem.expected}"


def _fate_in_words(branch: Branch) -> str:
    return "fits" if branch.matched else f"does not fit, {'; '.join(_short(branch))}"


def _text_table(union: Union) -> str:
    lines = [f"{union.name}: {union.says}".removesuffix(": ")]
    lines += [f"  branch {at}: {as_json(part)}" for at, part in enumerate(union.parts, start=1)]
    for value in union.samples:
        comparison = compare_at_root(value, union)
        lines.append(
            f"  {as_json(value)}: anyOf {_word(passes=comparison.any_of)}, "
            f"oneOf {_word(passes=comparison.one_of)}"
        )
        lines += [
            f"    branch {branch.number}: {_fate_in_words(branch)}"
            for branch in comparison.branches
        ]
    return visible("\n".join(lines))


# --- the frame ------------------------------------------------------------------------------------


def _box(inner: str) -> str:
    return f'<div class="tcu"><style>{style()}</style>{inner}</div>'


@cache
def style() -> str:
    """The style sheet, without comments and needless space."""
    path = files("course_pkg.widgets").joinpath("static", "laboratory.css")
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", text)).replace(";}", "}").strip()
