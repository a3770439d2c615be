"""The loss gate: numbers and names of an old entry that a new text does not hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dreaming.proposals.information_loss import lost, merged_words, tokens

SOME = "Sarah prefers 8443 the staging-2 port Atlas likes on Friday and v1.2 tea Oslo"
WORDS = st.lists(
    st.sampled_from(SOME.split()),
    min_size=1,
    max_size=12,
).map(" ".join)


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("The port is 8443", "The port is open", ("8443",)),
        ("Sarah prefers tea", "Prefers tea", ("Sarah",)),
        ("Prefers tea", "Likes tea", ()),
        ("The release is on Friday", "The release is near", ("Friday",)),
        ("Use `oslo-3.example.org`", "Use another host", ("oslo-3.example.org",)),
        ("Deploys at 17:00", "Deploys at 17:00 sharp", ()),
        ("uses PostgreSQL 17", "uses postgresql 17", ()),
        ("Sarah's laptop", "the laptop of Sarah", ()),
        ("", "anything", ()),
    ],
)
def test_numbers_and_names_that_are_gone_are_told(old: str, new: str, gone: tuple[str, ...]) -> None:
    assert lost(old, new) == gone


@given(WORDS, WORDS)
def test_a_merge_never_loses_a_number_or_a_name(old: str, new: str) -> None:
    words = merged_words(old, new)
    assert lost(old, words) == ()
    assert lost(new, words) == ()


@given(WORDS)
def test_nothing_is_lost_by_saying_the_same(text: str) -> None:
    assert lost(text, text) == ()
    assert set(tokens(text)) <= set(text.split())


def test_a_proposal_that_says_both_is_taken_as_it_is() -> None:
    old = "Deploys go to oslo-3"
    assert merged_words(old, "Deploys go to oslo-3 at 17:00") == "Deploys go to oslo-3 at 17:00"
    assert merged_words(old, "Two reviews are needed") == "Deploys go to oslo-3. Two reviews are needed"
