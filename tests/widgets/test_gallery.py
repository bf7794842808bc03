"""The failure gallery: what it says of both loops, and what a notebook keeps of it."""

from __future__ import annotations

import pytest

from course_pkg.lessons import gallery as joined
from course_pkg.lessons.naive import SAFETY_STOP
from course_pkg.practice import gallery as practice_gallery
from course_pkg.widgets.gallery import Entry, Form, Side, catalogue, endings, side_by_side
from course_pkg.widgets.visible import UNSEEN
from course_pkg.wire import Frame

HOSTILE = "</code></div><script>window.hacked=1</script><img src=x onerror=alert(1)>\u202e\ud800"
#: Failures that take a while are left out.
QUICK = [fault.name for fault in practice_gallery() if not fault.wait_s]
#: Of those, every fourth: `tests/practice/test_gallery.py` has them all.
SOME = QUICK[::4]

BODY = b'{"model": "practice", "messages": []}'
FRAME = Frame(
    number=1, wire="model", direction="sent", label="POST /v1/chat/completions", body=BODY
)


def entry(text: str = "A comma too many", name: str = "trailing_comma") -> Entry:
    return Entry(name=name, title=text, says=text, group="arguments", question=text)


def sides(text: str = "Ends with KeyError: 'choices'") -> list[Side]:
    return [
        Side(title="A naive loop", ending=text, good=False, frames=[FRAME]),
        Side(title="The course's loop", ending="answered: 17 degrees", good=True, frames=[FRAME]),
    ]


async def compared(chosen: Entry) -> list[Side]:
    if chosen.name == "broken":
        raise RuntimeError(HOSTILE)
    return sides()


def test_both_endings_and_both_wires_are_shown() -> None:
    view = side_by_side(entry(), sides())

    assert view.html.count('<div class="tci">') == 2
    assert view.text.count("POST") + view.text.count("sent") >= 2
    assert "KeyError" in view.text
    assert "answered: 17 degrees" in view.text


def test_a_recordings_style_comes_once() -> None:
    assert side_by_side(entry(), sides()).html.count("<style>") == 2


@pytest.mark.parametrize(
    "view",
    [
        side_by_side(entry(HOSTILE), sides(HOSTILE)),
        endings([(entry(HOSTILE), sides(HOSTILE))]),
        catalogue([entry(HOSTILE, HOSTILE)]),
    ],
)
def test_hostile_text_is_inert(view) -> None:
    assert "<script" not in view.html
    assert "<img" not in view.html
    assert not UNSEEN.search(view.html + view.text)


def test_the_table_has_a_row_for_each_failure_with_both_endings() -> None:
    text = endings([(entry(), sides()), (entry("Empty ids"), sides("None"))]).text

    assert text.splitlines()[3:] == [
        "Empty ids (trailing_comma)",
        "  ✗ A naive loop: None",
        "  ✓ The course's loop: answered: 17 degrees",
    ]


def test_the_catalogue_has_every_failure() -> None:
    text = catalogue(joined.entries()).text

    assert [name for name in QUICK if name not in text] == []


async def test_the_form_shows_what_came_of_the_chosen_failure() -> None:
    form = Form([entry(), entry("Empty ids", "ids_empty")], compared)

    await form.show(entry())

    assert "answered: 17 degrees" in form.result.value
    assert form.run.disabled is False


async def test_a_failure_that_cannot_be_run_is_told_in_a_sentence() -> None:
    form = Form([entry(name="broken")], compared)

    await form.show(entry(name="broken"))

    assert "It could not be run: RuntimeError" in form.result.value
    assert "<script" not in form.result.value


def test_another_group_brings_its_own_failures() -> None:
    form = Form(joined.entries(), compared)

    form.group.value = "ids"

    assert "ids_empty" in [name for _, name in form.failure.options]
    assert form.failure.value in [name for _, name in form.failure.options]


async def test_our_loop_meets_failures_with_an_answer_or_a_sentence() -> None:
    view = await joined.compare_failures(*SOME)

    ours = [line.strip() for line in view.text.splitlines() if "The course's loop: " in line]
    assert len(ours) == len(SOME)
    assert [line for line in ours if not line.startswith("✓")] == []


async def test_the_naive_loop_falls_over_many_of_them() -> None:
    view = await joined.compare_failures("name_empty", "quota", "same_call_forever")

    naive = [line.strip() for line in view.text.splitlines() if "A naive loop: " in line]
    assert [line[0] for line in naive] == ["✗", "✗", "✗"]
    assert f"after {SAFETY_STOP} requests" in naive[2]


async def test_an_unknown_failure_is_told_with_those_that_come_near() -> None:
    with pytest.raises(KeyError, match="trailing_comma"):
        await joined.compare_failure("trailing_coma")


async def test_nothing_is_sent_in_the_gallery() -> None:
    from course_pkg.samples import outbox

    before = outbox()
    await joined.compare_failures("list_as_text", "boolean_as_text")

    assert outbox() == before


async def test_the_same_comparison_gives_the_same_bytes() -> None:
    first, second = [await joined.compare_failure("ids_duplicate") for _ in range(2)]

    assert (first.html, first.text) == (second.html, second.text)
