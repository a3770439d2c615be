"""What is one claim, what is two, and who says it."""

from __future__ import annotations

import pytest

from tests.dreaming.nights import TODAY, Nights
from workbench.dreaming.candidates import candidates
from workbench.dreaming.clusters import folded, same_words, sources_of
from workbench.dreaming.result import SkippedClaims

LONG = "We decided to use tantivy for the word index of the search service because it needs no server at all"


def clusters(nights: Nights, *texts: str) -> list[set[str]]:
    """Which of ``texts`` are folded; each is said on a day of its own."""
    for day, text in enumerate(texts):
        nights.log(day, text)
    found = candidates(nights.workspace, TODAY, SkippedClaims())
    return [{mention.text for mention in cluster.mentions} for cluster in folded(same_words(found.mentions))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging port is 8443", "the staging port is 8443."),
        ("The staging port is 8443", "**The staging port** is 8443"),
        (LONG, LONG.replace("of the search", "of search")),
        (LONG, f"{LONG}, really"),
    ],
)
def test_the_same_in_nearly_the_same_words_is_one_claim(nights: Nights, one: str, other: str) -> None:
    assert clusters(nights, one, other) == [{one, other}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging port is 8443", "The staging port is 8444"),
        ("The project uses Redis for sessions", "The project no longer uses Redis for sessions"),
        (LONG, LONG.replace("decided to", "decided not to")),
        (LONG, LONG.replace("tantivy", "Lucene")),
        (LONG, LONG.replace("because", "in 2027 because")),
        ("I always prefer tabs over spaces in code", "I always prefer spaces over tabs in code"),
        (f"{LONG} says Sarah Chen", f"{LONG} says Miguel Chen"),
    ],
)
def test_what_differs_in_a_number_a_name_or_a_negation_is_never_one(
    nights: Nights, one: str, other: str
) -> None:
    assert sorted(map(sorted, clusters(nights, one, other))) == sorted([[one], [other]])


def test_likeness_does_not_spread_along_a_chain(nights: Nights) -> None:
    """What is like something that is like the claim need not be like the claim."""
    words = [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "omicron",
    ]
    texts = [
        f"I always like {' '.join(words[at:])} {' '.join(words[:at][::-1])}x{'y' * at}" for at in range(4)
    ]
    for group in clusters(nights, *texts):
        assert len(group) == 1


def test_a_thousand_lines_of_a_template_stay_a_thousand_claims(nights: Nights) -> None:
    worker = "The worker number {} of the ingest service listens on port {}"
    lines = [worker.format(number, 8000 + number) for number in range(1000)]
    nights.log(1, *lines)
    assert nights.dream().considered == 1000


def _sources(nights: Nights) -> frozenset[str]:
    return sources_of(candidates(nights.workspace, TODAY, SkippedClaims()).mentions)


def test_sessions_are_sources_of_their_own_and_days_where_nobody_names_one(nights: Nights) -> None:
    nights.log(5, LONG, session="s1")
    nights.log(5, f"{LONG}, really", session="s2")
    nights.log(4, f"Really, {LONG}")
    nights.log(3, f"{LONG}, truly", slug="standup")
    nights.episode(2, "e1", f"{LONG}, still")
    assert len(_sources(nights)) == 5


def test_copies_of_one_text_are_one_source(nights: Nights) -> None:
    for day in range(5):
        nights.log(day, LONG, session=f"s{day}")
    assert len(_sources(nights)) == 1


def test_the_log_of_a_session_is_no_second_source_beside_its_episode(nights: Nights) -> None:
    fact = "The staging port is 8443"
    nights.episode(2, "e1", fact)
    nights.log(2, fact)
    assert _sources(nights) == {"session-e1"}
