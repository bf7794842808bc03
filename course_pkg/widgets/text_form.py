"""Write a recording as plain text: for code hosts, screen readers, terminals and tests.

In: rows. Out: one text, bounded, the same for the same conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from course_pkg.widgets.phrases import count
from course_pkg.widgets.pretty import Line
from course_pkg.widgets.reading import Row
from course_pkg.widgets.visible import cut, visible
from course_pkg.wire import STEPS

#: Of one frame, so many lines are shown, each with so many characters.
MAX_LINES = 80
MAX_CHARS = 400
#: Of one recording, so many frames are shown.
MAX_FRAMES = 60

SIGNS = {"": "  ", "added": "+ ", "old": "  ", "decoded": "  "}
NOTHING = "Nothing crossed a wire here: no model was asked and no tool was run."


def text_form(rows: Sequence[Row], reached: frozenset[int], title: str = "") -> str:
    """The recording as text.

    Args:
        rows: the rows, in order.
        reached: the numbers of the steps that were reached.
        title: a heading.
    """
    blocks = [_header(rows, reached, title)]
    blocks += ["\n".join(_block(row)) for row in rows[:MAX_FRAMES]]
    more = len(rows) - MAX_FRAMES
    blocks += [f"And {count(more, 'frame')} more."] if more > 0 else []
    return visible("\n\n".join(blocks))


def size_text(size: int) -> str:
    """A size in bytes: `3,120 B`."""
    return f"{size:,} B"


def token_text(tokens: tuple[int, int] | None) -> str:
    """Tokens read and written: `812 + 25 tokens`; empty if not known."""
    return f"{tokens[0]:,} + {tokens[1]:,} tokens" if tokens else ""


def _header(rows: Sequence[Row], reached: frozenset[int], title: str) -> str:
    steps = " ".join(
        f"[{step.number} {step.name}]" if step.number in reached else f"{step.number} {step.name}"
        for step in STEPS
    )
    head = f"{title or 'Inspector'}: {count(len(rows), 'frame')}"
    return f"{head}\nSteps, reached ones in brackets: {steps}" + ("" if rows else f"\n{NOTHING}")


def _block(row: Row) -> Iterator[str]:
    frame = row.frame
    steps = "+".join(f"{step.number} {step.name}" for step in row.steps)
    arrow = "→ sent" if frame.direction == "sent" else "← received"
    facts = [steps, frame.wire, arrow, row.summary, size_text(len(frame.body))]
    yield f"#{frame.number}  " + " | ".join([*facts, *filter(None, [token_text(row.tokens)])])
    yield from (f"    {sentence}" for sentence in row.notes)
    yield from (f"    ! {line}" for problem in row.problems for line in problem.splitlines())
    yield from _payload(row.lines or _raw(row))


def _payload(lines: Iterable[Line | str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == MAX_LINES:
            yield "    …"
            return
        yield cut(f"    {_line(line)}", MAX_CHARS).rstrip()


def _line(line: Line | str) -> str:
    if isinstance(line, str):
        return line
    start, end = ("".join(part.text for part in parts) for parts in (line.parts, line.tail))
    fold = f"… cut here, {line.size:,} characters in all" if line.rest else ""
    return f"{SIGNS[line.state]}{'  ' * line.depth}{start}{fold}{end}"


def _raw(row: Row) -> list[str]:
    return row.frame.text[: MAX_LINES * MAX_CHARS].splitlines()
