"""Which texts are alike, and what sets like ones apart."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.claims import (
    bag_of_words,
    distinction,
    jaccard,
    near_pairs,
    one_holds_the_other,
    same_order,
    same_telling_words,
)

WORDS = [f"word{n}" for n in range(400)]


def test_nearly_all_near_duplicates_are_found_among_thousands() -> None:
    chance = random.Random(3)
    texts = [" ".join(chance.sample(WORDS, 20)) for _ in range(2_000)]
    twins = [f"{text} more" for text in texts[:200]]
    bags = [bag_of_words(text) for text in (*texts, *twins)]
    pairs = near_pairs(bags)
    found = sum((number, 2_000 + number) in pairs for number in range(200))
    assert found >= 190
    assert len(pairs) < 3 * len(bags)  # not all pairs


@given(st.lists(st.text(max_size=30), max_size=12))
def test_any_texts_have_pairs_in_order(texts: list[str]) -> None:
    bags = [bag_of_words(text) for text in texts]
    pairs = near_pairs(bags)
    assert pairs == sorted(set(pairs))
    assert all(0 <= one < other < len(texts) for one, other in pairs)
    alike = {(one, other) for one, other in pairs if jaccard(bags[one], bags[other]) >= 0.7}
    assert alike <= set(near_pairs(bags, 0.7)) <= set(pairs)


@given(st.text(max_size=60) | st.text(st.characters(codec="ascii"), max_size=60))
def test_words_are_those_of_the_regular_expression_whatever_the_script(text: str) -> None:
    assert bag_of_words(text) == set(re.findall(r"\w+", text.casefold()))


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_is_symmetric_and_within_bounds(one: str, other: str) -> None:
    left, right = bag_of_words(one), bag_of_words(other)
    assert 0 <= jaccard(left, right) == jaccard(right, left) <= 1
    assert jaccard(left, left) == 1
    assert one_holds_the_other(one, other) == one_holds_the_other(other, one)
    assert same_order(one, other) == same_order(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("port 8443", "port 8444"),
        ("uses Redis", "no longer uses Redis"),
        ("She works with Miguel", "She works with Priya"),
        ("It is enabled", "It is disabled"),
        ("I don’t like it", "I like it"),
        ("毎朝走る", "毎朝走らない"),
    ],
)
def test_a_number_a_name_or_a_negation_sets_apart(one: str, other: str) -> None:
    assert not distinction(one).agrees(distinction(other))
    assert not distinction(other).agrees(distinction(one))


def test_case_and_order_set_nothing_apart() -> None:
    assert distinction("Port 8443 of the gateway").agrees(distinction("the gateway's port: 8443"))
    assert distinction("My wife Sarah is in Berlin").agrees(distinction("Sarah, my wife, is in Berlin"))
    assert distinction("It happens on Tuesdays").agrees(distinction("It happens on a Tuesday"))


def test_what_is_compared_must_stand_in_the_same_order() -> None:
    assert not same_order("prefers tabs over spaces", "prefers spaces over tabs")
    assert same_order("prefers tabs over spaces", "he prefers tabs over spaces")
    assert same_order("async reviews are preferred", "preferred are async reviews")
    assert not same_order("prefers tea to coffee", "prefers coffee to tea")
    assert same_order("We decided to use redis for sessions", "For sessions we decided to use redis")


def test_the_same_telling_words_in_whatever_order_and_form() -> None:
    one = "We decided to use PostgreSQL 17 for the billing service."
    assert same_telling_words(one, "We have decided that the billing service uses PostgreSQL 17.")
    assert not same_telling_words(one, "We decided to use PostgreSQL 17 for the billing service in Oslo.")
    assert not same_telling_words("", "")


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        ("We use redis for sessions", "We use kafka for sessions", False),
        ("Deploys happen on Tuesdays", "Every deployment happens on a Tuesday", True),
        ("Prefers async reviews over meetings", "User prefers asynchronous reviews over meetings", True),
        ("Likes tea", "Likes tea with milk", True),
        ("Likes tea with milk", "Likes tea with honey", False),
        ("The cat sleeps", "The car sleeps", False),
    ],
)
def test_other_words_are_other_claims_and_other_forms_are_not(one: str, other: str, *, holds: bool) -> None:
    assert one_holds_the_other(one, other) is holds
