"""What a spoken sentence is worth for its room: a law of a pure function."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.dreaming.density import density


@given(st.text(), st.text())
def test_it_is_a_share_that_no_further_word_raises(text: str, more: str) -> None:
    assert 0.0 < density(text + more) <= density(text) <= 1.0


def test_what_is_short_is_worth_the_same_however_short() -> None:
    assert density("We moved to Porto") == density("We moved to Porto in May, for good.") == 1.0


def test_filler_makes_a_sentence_worth_less() -> None:
    short = "The workshop in the old harbour costs 640 euros a month"
    assert density(short) > density(f"{short}, and, well, you know how it is, so be it, oh well")
