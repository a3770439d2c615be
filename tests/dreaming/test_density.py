"""What a spoken sentence tells for the room it takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.dreaming.density import density


@given(st.text(max_size=300))
def test_it_is_a_share(text: str) -> None:
    assert 0.0 <= density(text) <= 1.0


def test_names_figures_and_things_tell_more_than_filler() -> None:
    filler = "Oh yes, that is so nice to hear, and I am glad for you"
    assert density("We meet Priya Nair in Porto on 3 May") > density("We meet her there on that day") > 0
    assert density("The workshop costs 640 euros a month") > density(filler)


def test_of_two_sentences_that_tell_the_same_the_shorter_goes_first() -> None:
    short = "Priya Nair moved to Porto"
    assert density(short) > density(f"{short}, and, well, you know how it is, so be it, oh well")
