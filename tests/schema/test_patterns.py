r"""What patterns promise: ECMA-262's meaning, in bounded time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_pkg.schema.patterns import PatternError, PatternTooSlowError, compile_pattern
from course_pkg.schema.patterns.automaton import Automaton
from course_pkg.schema.patterns.parsing import parse
from course_pkg.schema.patterns.rendering import rendered

#: Pieces that mean the same in ECMA-262 and in Python.
PIECES = st.recursive(
    st.sampled_from(["a", "b", "[ab]", "[^a]", "^", "$", r"\b", "-", "(?:)"]),
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("({}|{})".format, inner, inner),
        st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{1,2}", "{2}", "*?"])),
    ),
    max_leaves=8,
)
TEXTS = st.text(alphabet="ab-", max_size=8)


@settings(max_examples=400, deadline=None)
@given(pattern=PIECES, text=TEXTS)
def test_both_engines_agree_with_pythons_own(pattern: str, text: str) -> None:
    own = re.search(pattern.replace("$", r"\Z"), text) is not None
    tree = parse(pattern)

    assert (re.search(rendered(tree), text) is not None) == own
    assert Automaton(tree).is_found_in(text) == own
    assert compile_pattern(pattern).is_found_in(text) == own


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\d{4}$", "1234", True),
        (r"^\d{4}$", "1234\n", False),
        (r"^\d{4}$", "٣٤٥٦", False),
        (r"^\w+$", "é", False),
        (r"^\s$", "\u3000", True),
        (r"^[^\s]$", "\ufeff", False),
        (r"^[\S]$", "\u00a0", False),
        (r"^.$", "\r", False),
        (r"[0-9]{5}", "x12345-y", True),
        (r"^a/b$", "a/b", True),
        (r"^\/$", "/", True),
        (r"^[a-z\-]+$", "a-b", True),
        (r"^[\w-]+$", "a-b", True),
        (r"^[[]$", "[", True),
        (r"^[^]$", "\n", True),
        (r"[]", "", False),
        (r"^a{,3}$", "a{,3}", True),
        (r"^\u0041\x42\cJ$", "AB\n", True),
        (r"^\u{1F600}$", "😀", True),
        (r"^\ud83d\ude00$", "😀", True),
        (r"^(?<year>\d{4})-\k<year>$", "2026-2026", True),
        (r"^(?P<year>\d{4})-(?P=year)$", "2026-2025", False),
        (r"^(a|b)\1$", "aa", True),
        (r"^(?i)straße$", "STRAße", True),
        (r"^(?=.*\d)(?=.*[A-Z]).{8,20}$", "Passw0rds", True),
        (r"^(?!admin$)[a-z]+$", "admin", False),
        (r"(?<=\$)\d+", "$5", True),
        (r"\Aa\Z", "a", True),
        (r"^1[3-9]\d{9}$", "13812345678", True),
        (r"^\b$", "", False),
        (r"^\Ba", "a", False),
    ],
)
def test_a_pattern_means_what_it_means_in_ecmascript(
    pattern: str, text: str, *, found: bool
) -> None:
    assert compile_pattern(pattern).is_found_in(text) == found


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"^\p{L}+$", r"\p"),
        ("(", "not closed"),
        (")", "no opening one"),
        ("a**", "two signs"),
        ("*", "nothing to repeat"),
        ("^*", "nothing to repeat"),
        ("[b-a]", "wrong order"),
        ("a{3,2}", "wrong order"),
        ("[a", "not closed"),
        (r"\q", r"\q"),
        ("(?>a)", "not known"),
        (r"\1", "invalid group"),
        (r"(?<=a+)b", "cannot be used"),
        ("(" * 60 + ")" * 60, "nested too deeply"),
        ("\\", "not known"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(pattern: str, words: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)

    assert words in str(caught.value)


RUNAWAYS = [
    r"^(a+)+$",
    r"^(a*)*$",
    r"^(a|aa)+$",
    r"^(a|a)*$",
    r"^(.*a){12}$",
    r"^([a-z]+\s?)+$",
    r"(x+x+)+y",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"^(\w+\s?)*$",
    r"(a?){30}a{30}",
]


@pytest.mark.parametrize("pattern", RUNAWAYS)
@pytest.mark.parametrize("text", ["a" * 40 + "!", "x" * 5_000, "a" * 100_000, "a b " * 2_000 + "!"])
def test_a_pattern_that_could_run_away_is_done_in_time(pattern: str, text: str) -> None:
    began = time.process_time()

    compile_pattern(pattern).is_found_in(text)

    assert time.process_time() - began < 2


@pytest.mark.parametrize("pattern", RUNAWAYS)
def test_a_pattern_that_could_run_away_is_known(pattern: str) -> None:
    assert compile_pattern(pattern).could_run_away


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[a-z0-9]+(-[a-z0-9]+)*$",
        r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        r"^(\d{1,3}\.){3}\d{1,3}$",
        r"^(a|b|c)+$",
        r"^([A-Z][a-z]*)+$",
        r"^#[0-9a-f]{6}$",
        r"^(?=.*\d).{8,20}$",
        r"^\+?[0-9 ()-]{6,20}$",
    ],
)
def test_an_everyday_pattern_is_not_called_dangerous(pattern: str) -> None:
    assert not compile_pattern(pattern).could_run_away


@pytest.mark.parametrize("pattern", [r"^(a+)+\1$", r"^(?!b)(a+)+$"])
def test_where_no_engine_can_do_it_in_time_the_text_is_too_long(pattern: str) -> None:
    with pytest.raises(PatternTooSlowError, match="too long"):
        compile_pattern(pattern).is_found_in("a" * 40 + "!")


@settings(max_examples=60, deadline=None)
@given(pattern=PIECES, text=st.text(alphabet="ab", min_size=200, max_size=400))
def test_any_pattern_is_done_in_time(pattern: str, text: str) -> None:
    began = time.process_time()

    compile_pattern(pattern).is_found_in(text)

    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("pattern", "is_anchored"),
    [
        ("^a$", True),
        ("^a", False),
        ("a", False),
        ("^(a|b)$", True),
        ("^a$|^b$", True),
        ("^$", True),
    ],
)
def test_a_pattern_for_the_whole_text_is_told_from_a_search(
    pattern: str, *, is_anchored: bool
) -> None:
    assert compile_pattern(pattern).is_anchored == is_anchored
