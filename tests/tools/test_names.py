"""What `legal_names` promises: every name legal, none twice, and the way back."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from course_pkg.tools import legal_names, real_names


@given(st.lists(st.text(max_size=80) | st.sampled_from(["a.b", "a_b", "a/b", "", "tool", "潮汐"])))
def test_any_names_become_legal_and_lead_back(names: list[str]) -> None:
    legal = legal_names(names)

    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", made) for made in legal.values())
    assert [real_names(legal)[legal[name]] for name in names] == names


@given(st.lists(st.sampled_from(["a.b", "a_b", "a/b", "a b", "", "?", "x" * 70]), unique=True))
def test_the_order_of_the_names_does_not_matter(names: list[str]) -> None:
    assert legal_names(names) == legal_names(sorted(names))


def test_a_legal_name_stays_even_where_another_would_become_it() -> None:
    legal = legal_names(["stock.find", "stock_find"])

    assert legal["stock_find"] == "stock_find"
    assert re.fullmatch(r"stock_find_[0-9a-f]{6}", legal["stock.find"])


def test_a_name_alone_keeps_its_words() -> None:
    assert legal_names(["lab/scope", "Make a Plot"]) == {
        "lab/scope": "lab_scope",
        "Make a Plot": "Make_a_Plot",
    }


def test_a_name_that_is_cut_or_lost_carries_a_hash() -> None:
    legal = legal_names(["x" * 65, "", "潮汐"])

    assert [len(made) for made in legal.values()] == [64, 11, 11]
