"""Write a recording as HTML that needs no script.

In: rows. Out: markup, bounded, the same for the same conversation. Each row is a `<details>`, so it
opens and closes without a script, and reads well when a host strips the style too. Text from a
payload comes in only through `markup()`, as the inside of an element: it never becomes an
attribute, a style or a script. The live widget shows the same markup, row by row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby

from course_pkg.widgets.phrases import count
from course_pkg.widgets.pretty import KEEP_CHARS, Line, Part
from course_pkg.widgets.reading import Row
from course_pkg.widgets.text_form import NOTHING, size_text, token_text
from course_pkg.widgets.visible import markup
from course_pkg.wire import STEPS

#: Of one payload's raw form, so many characters are kept.
RAW_CHARS = 20_000
#: The bodies of a recording's rows have so many characters at most, in all.
MAX_BODY_CHARS = 500_000
#: A longer line gets a hanging indent where it wraps.
WRAP_CHARS = 72
#: So many colours tell ids apart; then they begin again.
ID_COLOURS = 8

#: What is kept of the headers: those that teach, and that are the same in each run.
SAVED_HEADERS = (
    "accept",
    "authorization",
    "content-type",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "retry-after",
    "x-api-key",
)

SAFE_LABEL = re.compile(r"(GET|POST) [\w/.-]+", re.ASCII)
SAFE_WORD = re.compile(r"[a-z]+")


def html_form(
    rows: Sequence[Row], reached: frozenset[int], title: str = "", *, script: bool = False
) -> str:
    """The recording as one self-contained piece of HTML.

    Args:
        rows: the rows, in order.
        reached: the numbers of the steps that were reached.
        title: a heading.
        script: whether to add the script that brings filters and copying.
    """
    items = "".join(_items(rows))
    end = f"<script>{inlined_script()}</script>" if script else ""
    return f"{shell(header(len(rows), reached, title), items)[:-6]}{end}</div>"


def shell(head: str, items: str = "") -> str:
    """The frame round header and rows, with the style.

    Args:
        head: from `header`.
        items: rows, joined.
    """
    return (
        f'<div class="tci"><style>{style()}</style><div class="hd">{head}</div>'
        f'<ol class="rows">{items}</ol></div>'
    )


def header(frames: int, reached: frozenset[int], title: str = "") -> str:
    """Title and the six steps, with those reached marked.

    Args:
        frames: how many there are.
        reached: the numbers of the steps that were reached.
        title: a heading.
    """
    steps = "".join(
        f'<li class="on"><b>{step.name}</b><span class="v"> (reached)</span></li>'
        if step.number in reached
        else f"<li>{step.name}</li>"
        for step in STEPS
    )
    nothing = "" if frames else f'<p class="no">{NOTHING}</p>'
    name = f"<b>{markup(title or 'Inspector')}</b> <span>{count(frames, 'frame')}</span>"
    return f'<div class="ti">{name}</div><ol class="st">{steps}</ol>{nothing}'


def _items(rows: Iterable[Row]) -> Iterator[str]:
    room = MAX_BODY_CHARS
    for row in rows:
        start, end = item_parts(row)
        content = body(row)
        room -= len(content)
        yield f"{start}{content if room >= 0 else _left_out(row)}{end}"


def _left_out(row: Row) -> str:
    place = row.frame.number - 1
    return (
        '<div class="b"><p class="cut">Left out here, to keep the page small. '
        f"<code>show(frames[{place}:{place + 1}])</code> shows it.</p></div>"
    )


def item_parts(row: Row, *, time: str = "") -> tuple[str, str]:
    """What stands before and after a row's body.

    Args:
        row: the row.
        time: when it crossed. Not for what is saved: it differs from run to run.
    """
    frame = row.frame
    label = f' data-l="{frame.label}"' if SAFE_LABEL.fullmatch(frame.label) else ""
    wire = frame.wire if SAFE_WORD.fullmatch(frame.wire) else "other"
    sent = frame.direction == "sent"
    steps = "".join(f"<b>{step.number}<i> {step.name} </i></b>" for step in row.steps)
    bad = f'<span class="w">{count(len(row.problems), "problem")}</span> ' if row.problems else ""
    cells = (
        f'<span class="s">{steps}</span> <span class="wi">#{frame.number} {wire}</span> '
        f'<span class="di">{"→ sent" if sent else "← received"}</span> '
        f'<span class="m{" er" if row.failed else ""}">{bad}'
        f"<bdi>{markup(row.summary)}</bdi></span> "
        f'<span class="z">{size_text(len(frame.body))}</span> '
        f'<span class="z k">{token_text(row.tokens)}</span>'
    )
    cells += f' <span class="z t">{time}</span>' if time else ""
    data = f'data-w="{wire}" data-d="{"sent" if sent else "received"}"{label}'
    return f"<li {data}><details><summary>{cells}</summary>", "</details></li>"


def body(row: Row, *, saved: bool = True) -> str:
    """What is seen when a row is open.

    Args:
        row: the row.
        saved: whether this will be saved: then only headers that are the same in each run.
    """
    return f'<div class="b">{"".join(_sections(row, saved=saved))}</div>'


@cache
def style() -> str:
    """The style sheet, without comments and needless space."""
    text = re.sub(r"/\*.*?\*/", "", _static("inspector.css"), flags=re.DOTALL)
    return re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", text)).replace(";}", "}").strip()


@cache
def inlined_script() -> str:
    """The script, for a page of its own: what the widget needs is left out."""
    upgrade, _widget = _static("inspector.js").split("// --- widget ---")
    lines = (line.strip() for line in upgrade.splitlines())
    short = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f"(()=>{{{short}\nupgrade(document.currentScript.parentElement)}})()"


def module_script() -> str:
    """The script as a module, for the widget."""
    return _static("inspector.js")


def _static(name: str) -> str:
    return files("course_pkg.widgets").joinpath("static", name).read_text(encoding="utf-8")


def _sections(row: Row, *, saved: bool) -> Iterator[str]:
    frame = row.frame
    if row.notes:
        yield f'<p class="c">{_sentences(row.notes)}</p>'
    if row.problems:
        yield f'<ul class="p">{"".join(f"<li>{markup(text)}</li>" for text in row.problems)}</ul>'
    if frame.error:
        lead = "" if frame.wire == "mcp" else "No answer came: "
        yield f'<p class="p">{lead}{markup(frame.error)}</p>'
    if row.lines:
        yield f"<pre>{_lines(row.lines)}</pre>"
    if frame.body:
        yield _raw(row)
    if headers := [pair for pair in frame.headers if not saved or pair[0] in SAVED_HEADERS]:
        label = f"Headers (frames[{frame.number - 1}].headers has all)" if saved else "Headers"
        yield _fold(label, f"<pre>{_headers(headers)}</pre>")


def _sentences(sentences: Iterable[str]) -> str:
    return " ".join(markup(sentence) for sentence in sentences)


def _fold(label: str, content: str, kind: str = "") -> str:
    return f'<details class="x{kind}"><summary>{label}</summary>{content}</details>'


def _raw(row: Row) -> str:
    text = row.frame.text
    label = f"{count(row.events, 'event')}, as they came" if row.events else "Raw, as it crossed"
    more = len(text) - RAW_CHARS
    note = (
        f'<p class="cut">Cut here: {more:,} more characters. In Python, '
        f"<code>frames[{row.frame.number - 1}].text</code> has all of it.</p>"
        if more > 0
        else ""
    )
    content = f'<pre class="raw">{_after_pre(markup(text[:RAW_CHARS]))}</pre>{note}'
    details = _fold(label, content)
    return details if row.lines else details.replace("<details", "<details open", 1)


def _after_pre(text: str) -> str:
    # HTML drops a line feed directly after <pre>.
    return f"\n{text}" if text.startswith("\n") else text


def _headers(headers: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"<b>{markup(name)}</b>: {markup(value)}" for name, value in headers)


TAGS = {"added": ("<mark>", "</mark>"), "old": ('<span class="o">', "</span>")}
TAGS["decoded"] = ('<span class="d">', "</span>")


def _lines(lines: Iterable[Line]) -> str:
    blocks = []
    for state, group in groupby(lines, key=lambda line: line.state):
        start, end = TAGS.get(state, ("", ""))
        blocks.append(f"{start}{''.join(_line(line) for line in group)}{end}")
    return "".join(blocks)


def _line(line: Line) -> str:
    text = "  " * line.depth + _parts(line.parts)
    if line.rest:
        # A fold inside <pre> may hold only phrasing, as <details> is not; browsers take it well.
        whole = line.size <= KEEP_CHARS
        label = f"show {'all' if whole else f'{KEEP_CHARS:,} of'} {line.size:,} characters"
        text += _fold(label, markup(line.rest), " mo") + _parts(line.tail)
    if line.rest or sum(len(part.text) for part in line.parts) + 2 * line.depth > WRAP_CHARS:
        return f'<span class="n" style="--d:{line.depth}">{text}\n</span>'
    return f"{text}\n"


def _parts(parts: Iterable[Part]) -> str:
    return "".join(_part(part) for part in parts)


def _part(part: Part) -> str:
    text = markup(part.text)
    if part.kind == "key":
        return f"<b>{text}</b>"
    if part.kind == "value":
        return f"<samp>{text}</samp>"
    if part.kind == "note":
        return f"<i>{text}</i>"
    if part.kind == "id":
        return f'<span class="k{part.number % ID_COLOURS}">{text}</span>'
    return text
