"""How a claim stands to what long-term memory says: known, more, newer, or nothing to do with it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dreaming.nights import TODAY
from workbench.dreaming.novelty import LongTermIndex, contradicts
from workbench.memory.claims import claim_key
from workbench.memory.entry import Kind, RelPath
from workbench.memory.markdown import parse_document


def long_term(*entries: str) -> LongTermIndex:
    text = "# Memory\n\n" + "".join(f"- {entry}\n" for entry in entries)
    return LongTermIndex(parse_document(RelPath("MEMORY.md"), text.encode(), Kind.MEMORY))


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The staging port is 8444", "The staging port is 8443"),
        ("The staging port is now 8444", "The staging port is 8443"),
        ("The favourite editor of Sarah is Emacs", "The favourite editor of Sarah is Vim"),
        ("We no longer use Redis for sessions", "We use Redis for sessions"),
        ("Sarah does not like meetings", "Sarah likes meetings"),
        ("Deploys take 9 minutes with cache", "Deploys take 14 minutes with cache"),
    ],
)
def test_another_value_in_the_same_slot_contradicts(newer: str, older: str) -> None:
    assert contradicts(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The staging port is 8443", "The staging port is 8443"),
        ("The port of service9 is 9009", "The port of service8 is 8008"),
        ("The production port is 8444", "The staging port is 8443"),
        ("The editor of Sarah is Vim", "The editor of Miguel is Emacs"),
        ("The favourite editor of Sarah is Vim with plugins", "The favourite editor of Sarah is Vim"),
        ("We use Redis for sessions and queues", "We use Redis for sessions"),
        ("8443", "8444"),
        ("It is red", "It is blue"),
    ],
)
def test_what_fills_another_slot_or_says_more_does_not(newer: str, older: str) -> None:
    assert not contradicts(newer, older)


@given(st.text(max_size=60))
def test_nothing_contradicts_itself(text: str) -> None:
    assert not contradicts(text, text)


def test_the_same_words_are_known_whatever_marks_are_around_them() -> None:
    memory = long_term("**Sarah** prefers async reviews. She likes tea.")
    assert memory.says([claim_key("Sarah prefers async reviews")])
    assert memory.says([claim_key("she likes tea")])
    assert memory.says([claim_key("She likes coffee")]) is None


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Sarah prefers async reviews", "known"),
        ("Prefers async reviews over meetings", "known"),
        ("Sarah prefers async reviews over meetings, in writing and before noon", "merge"),
        ("Miguel never writes async reviews", None),
        ("Sarah does not prefer async reviews over meetings", "supersede"),
        ("The weather in Lisbon is fine", None),
    ],
)
def test_a_claim_is_held_against_the_entry_that_is_nearest(text: str, relation: str | None) -> None:
    memory = long_term("The staging port is 8443", "Sarah prefers async reviews over meetings", "Likes tea")
    standing = memory.standing(text, TODAY)
    assert (standing.relation if standing else None) == relation
    if standing:
        assert standing.entry.text.startswith("Sarah")


def test_only_what_is_not_older_supersedes() -> None:
    memory = long_term("The staging port is 8443 <!-- wb: id=m1 at=2026-03-20 -->")
    newer = "The staging port is 8444"
    standing = memory.standing(newer, date(2026, 3, 20))
    assert standing is not None
    assert standing.relation == "supersede"
    assert memory.standing(newer, date(2026, 3, 19)) is None


def test_a_short_entry_is_not_taken_for_the_beginning_of_everything() -> None:
    assert long_term("Tea").standing("Tea is served at four in the Lisbon office", TODAY) is None
