"""Claims in other words, by vectors that the index has; none is computed."""

from __future__ import annotations

import pytest

from indexing.sync.run import reindex
from tests.dreaming.nights import Nights
from tests.support.hashing import HashingEmbedder
from workbench.dreaming.clusters import alike_in_meaning

ONE = "Sarah prefers async reviews over meetings"
OTHER = "Sarah prefers asynchronous reviews over meetings"


class Understanding(HashingEmbedder):
    """Knows that some words mean the same."""

    def embed(self, texts):  # type: ignore[no-untyped-def]
        self.texts += texts
        alike = [
            text.replace("asynchronous", "async").replace("Kafka", "redis").replace("redis", "x")
            for text in texts
        ]
        return super().embed(alike)


def test_without_an_index_nothing_is_folded_and_it_is_said(nights: Nights) -> None:
    nights.log(1, ONE)
    nights.log(0, OTHER)
    result = nights.dream()
    assert result.considered == 2
    assert "the index has no vectors: paraphrases were not merged" in result.notes


def test_what_is_near_in_meaning_is_one_claim(nights: Nights) -> None:
    nights.log(1, ONE)
    nights.log(0, OTHER)
    model = Understanding()
    reindex(nights.workspace, model=model.choice)
    asked = len(model.texts)
    result = nights.dream()
    assert result.considered == 1
    assert [len(one.sources) for one in result.proposals] == [2]
    assert len(model.texts) == asked  # no vector was computed for it


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We decided to use redis for the sessions", "We decided to use Kafka for the sessions"),
        ("We decided to use redis for the sessions", "We decided not to use redis for the sessions"),
        ("The port of the staging gateway is 8443", "The port of the staging gateway is 8444"),
    ],
)
def test_no_vector_makes_one_of_two_values(nights: Nights, one: str, other: str) -> None:
    nights.log(1, one)
    nights.log(0, other)
    reindex(nights.workspace, model=Understanding().choice)
    assert nights.dream().considered == 2


def test_a_claim_without_a_vector_is_told_of(nights: Nights) -> None:
    nights.log(1, ONE)
    reindex(nights.workspace, model=Understanding().choice)
    nights.log(0, "The staging port of the gateway is 8443")
    assert "1 of 2 claims have no vector, and were compared by keyword only" in nights.dream().notes


def test_the_lines_of_episodes_are_known_by_what_they_say_beside_their_turns(nights: Nights) -> None:
    nights.episode(1, "e1", ONE)
    nights.episode(0, "e2", OTHER)
    reindex(nights.workspace, model=Understanding().choice)
    assert nights.dream().considered == 1


def test_one_text_has_no_pair(nights: Nights) -> None:
    assert alike_in_meaning(nights.workspace, {"a": ONE}) == ((), "")


@pytest.mark.model
@pytest.mark.usefixtures("real_model")
@pytest.mark.parametrize(
    ("one", "other", "claims"),
    [
        (ONE, OTHER, 1),
        ("Deploys happen on Tuesdays", "Every deployment happens on a Tuesday", 1),
        ("My wife Sarah works at Acme in Berlin", "Sarah, my wife, works for Acme in Berlin", 1),
        ("The staging port is 8443", "The staging port is 8444", 2),
        ("We always deploy on Tuesdays", "We never deploy on Tuesdays", 2),
        ("I prefer tabs over spaces in Python", "I prefer spaces over tabs in Python", 2),
        ("Sarah moved to Lisbon in 2024", "Miguel moved to Lisbon in 2024", 2),
    ],
)
def test_with_the_real_model_other_words_are_folded_and_other_facts_are_not(
    nights: Nights, one: str, other: str, claims: int
) -> None:
    nights.log(1, one)
    nights.log(0, other)
    assert reindex(nights.workspace).vectors is None
    assert nights.dream().considered == claims
