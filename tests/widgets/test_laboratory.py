"""The union laboratory: its verdicts, its words, and what a notebook keeps of it."""

from __future__ import annotations

import asyncio
import json
import re
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from nbclient import NotebookClient

from course_pkg.widgets import laboratory, show_branches
from course_pkg.widgets.laboratory import OWN_VALUE, Form
from course_pkg.widgets.union_forms import report, tables, trouble
from course_pkg.widgets.unions import (
    WORKED,
    NotJSONError,
    NoUnionError,
    Union,
    compare_all,
    compare_at_root,
    read_json,
    union_of,
)
from course_pkg.widgets.visible import UNSEEN

BY_NAME = {union.name: union for union in WORKED}
SAMPLES = [(union, value) for union in WORKED for value in union.samples]
NAMES = [f"{union.name}-{json.dumps(value)}" for union, value in SAMPLES]
HOSTILE = (
    "<script>window.hacked=1</script>",
    "</code></div><img src=x onerror=window.hacked=1>",
    "</style><style>*{display:none}",
    "' onmouseover='window.hacked=1",
    "\u202egnp.exe\u2066\u200b\ud800",
)
TAGS = {"div", "style", "p", "b", "i", "ol", "ul", "li", "code", "span", "em", "br"} | {
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary")
}
ATTRIBUTES = {"class", "role", "scope"}

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


class Page(HTMLParser):
    """What a browser would find: tags and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def jsonschema_says(keyword: str, union: Union, value: Any) -> bool:
    schema = {keyword: union.parts}
    return Draft202012Validator(schema, format_checker=FormatChecker(["email"])).is_valid(value)


def verdicts(name: str, value: Any) -> tuple[bool, bool]:
    comparison = compare_at_root(value, BY_NAME[name])
    return comparison.any_of, comparison.one_of


@pytest.mark.parametrize(("union", "value"), SAMPLES, ids=NAMES)
def test_both_verdicts_are_those_of_jsonschema(union: Union, value: Any) -> None:
    comparison = compare_at_root(value, union)

    assert comparison.any_of == jsonschema_says("anyOf", union, value)
    assert comparison.one_of == jsonschema_says("oneOf", union, value)


@given(value=json_values)
def test_both_verdicts_are_those_of_jsonschema_for_any_value(value: Any) -> None:
    for union in WORKED[:4]:
        comparison = compare_at_root(value, union)

        assert comparison.any_of == jsonschema_says("anyOf", union, value)
        assert comparison.one_of == jsonschema_says("oneOf", union, value)


def test_a_schema_with_one_of_is_judged_both_ways_too() -> None:
    union = union_of("mine", {"oneOf": [{"minLength": 3}, {"maxLength": 5}]})

    comparison = compare_at_root("hello", union)

    assert (comparison.any_of, comparison.one_of) == (True, False)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("lengths", "ab", (True, True)),
        ("lengths", "hello", (True, False)),
        ("lengths", "abcdef", (True, True)),
        ("patterns", "123", (True, True)),
        ("patterns", "", (False, False)),
        ("integer or number", 3, (True, False)),
        ("integer or number", 3.5, (True, True)),
        ("payment amount", {"value": 100}, (False, False)),
    ],
)
def test_the_worked_pairs_say_what_the_lesson_says(
    name: str, value: Any, expected: tuple[bool, bool]
) -> None:
    assert verdicts(name, value) == expected


def test_every_worked_union_has_a_sample_that_fits_and_all_kinds_of_verdict_occur() -> None:
    found = {
        (comparison.any_of, comparison.one_of)
        for union, value in SAMPLES
        for comparison in [compare_at_root(value, union)]
    }

    assert found == {(True, True), (True, False), (False, False)}


def test_a_payment_without_currency_gives_a_reason_for_each_branch() -> None:
    shown = show_branches({"value": 100}, BY_NAME["payment amount"].schema).text

    assert 'expected a number, found {"value": 100}' in shown
    assert 'expected the required "currency"' in shown


def test_a_tag_says_which_branch_was_meant() -> None:
    value = {"kind": "email", "number": "13812345678"}

    assert "kind selects the email branch" in str(
        show_branches(value, BY_NAME["contact with a tag"].schema)
    )


def test_the_place_of_a_union_inside_a_value_is_named() -> None:
    schema = {"properties": {"amount": BY_NAME["payment amount"].schema}}

    assert "at amount\n" in show_branches({"amount": 5}, schema).text


def test_a_schema_without_a_union_says_that_there_is_none() -> None:
    assert "met no anyOf and no oneOf" in str(show_branches(1, {"type": "integer"}))


def test_html_and_text_of_a_report_hold_the_same_reasons() -> None:
    value = {"value": 100}
    view = report(value, compare_all(value, BY_NAME["payment amount"].schema))

    for words in ('Add "currency".', "Give a number, not an object.", "so both fail"):
        assert words in view.html
        assert words in view.text


def test_the_tables_show_every_sample_with_both_verdicts() -> None:
    view = tables(WORKED)

    assert view.html.count('<th scope="row">') == len(SAMPLES)
    assert len(re.findall(r"anyOf (?:passes|fails), oneOf (?:passes|fails)", view.text)) == len(
        SAMPLES
    )


def test_tables_and_reports_are_the_same_each_time() -> None:
    value = {"value": 100}

    assert tables(WORKED) == tables(WORKED)
    assert show_branches(value, WORKED[3].schema) == show_branches(value, WORKED[3].schema)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert_wherever_it_stands(text: str) -> None:
    schema = {
        "description": text,
        "anyOf": [{"const": text}, {"title": text, "required": [text]}],
        "examples": [text, {text: text}],
    }
    views = [tables([union_of(text, schema)], folded=True), show_branches({text: text}, schema)]

    html = "".join(view.html for view in views) + trouble(text)
    page = Page(html)
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert not UNSEEN.search(html + "".join(view.text for view in views))


@given(text=st.text(max_size=60))
def test_typing_anything_gives_a_report_or_a_kind_sentence(text: str) -> None:
    html = Form(WORKED).answer(text)

    assert Page(html).tags <= TAGS


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("hello", 'A text stands in double quotes: "hello".'),
        ("", "Nothing is typed yet."),
        ("True", "JSON writes True as true."),
        ("{'value': 100}", "JSON uses double quotes"),
        ("NaN", "JSON has no NaN."),
        ('{"value": 100', "character"),
        ("1 2", "more follows it"),
        ("1e999", "too large"),
        ("9" * 5_000, "limit"),
        ('{"a": 1, "a": 2}', 'The name "a" stands twice'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_text_that_is_not_json_is_told_what_to_write(typed: str, sentence: str) -> None:
    with pytest.raises(NotJSONError) as refused:
        read_json(typed)

    assert sentence in str(refused.value)


def test_the_form_begins_with_the_first_sample_judged() -> None:
    form = Form(WORKED)

    assert form.value.value == form.sample.value == '"ab"'
    assert "Exactly one branch fits" in form.result.value


def test_a_value_of_ones_own_is_judged_and_the_menu_says_so() -> None:
    form = Form(WORKED)

    form.value.value = '"four"'

    assert form.sample.value == OWN_VALUE
    assert "2 branches fit" in form.result.value


def test_a_chosen_sample_is_put_into_the_box_and_judged() -> None:
    form = Form(WORKED)

    form.sample.value = '"hello"'

    assert form.value.value == '"hello"'
    assert "2 branches fit" in form.result.value


def test_bad_json_stays_in_the_box_beside_a_kind_sentence() -> None:
    form = Form(WORKED)

    form.value.value = "hello"

    assert form.value.value == "hello"
    assert "double quotes" in form.result.value


def test_choosing_another_schema_brings_its_rules_and_its_samples() -> None:
    form = Form(WORKED)
    form.value.value = "half typed"

    form.schema.value = "payment amount"

    assert form.value.value == form.sample.value == "100"
    assert "Exactly one branch fits" in form.result.value
    assert "currency" in form.rules.value


def test_every_input_has_a_label_for_screen_readers() -> None:
    form = Form(WORKED)

    labels = [part.description for part in (form.schema, form.sample, form.value, form.check)]
    assert labels == ["Schema", "Sample", "Value", "Check"]
    assert form.value.continuous_update is False


def test_a_schema_without_samples_gets_some() -> None:
    union = union_of("mine", {"anyOf": [{"type": "integer"}, {"type": "null"}]})

    assert None in union.samples
    assert len(union.samples) > 1


def test_a_schema_without_branches_is_refused_with_what_to_give() -> None:
    with pytest.raises(NoUnionError, match="'mine' has no anyOf and no oneOf at its root"):
        laboratory({"mine": {"type": "string"}})


def outputs(mode: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.setenv("COURSE_WIDGETS", mode)
    source = "from course_pkg.widgets import laboratory\nlaboratory()"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    client = NotebookClient(notebook, timeout=60, kernel_name="python3", store_widget_state=False)
    with asyncio.Runner() as runner:
        runner.run(client.async_execute())
    return list(notebook.cells[0].outputs)


def test_in_static_mode_a_notebook_keeps_one_table_and_no_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (output,) = outputs("static", monkeypatch)

    assert set(output.data) == {"text/html", "text/plain"}
    assert "<script" not in output.data["text/html"]
    assert "<details" not in output.data["text/html"]


def test_in_live_mode_the_tables_are_an_output_of_their_own_before_the_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, form = outputs("live", monkeypatch)

    assert set(table.data) == {"text/html", "text/plain"}
    assert "application/vnd.jupyter.widget-view+json" in form.data


def test_outside_a_notebook_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COURSE_WIDGETS", "live")

    laboratory()

    assert capsys.readouterr().out == ""
