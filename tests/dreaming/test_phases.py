"""Light and REM: which days they see, and what they leave."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dreaming.nights import NOW, TODAY, Nights, ago
from workbench.dreaming import dream
from workbench.dreaming.phases import light_hits, pattern_strength, rem_hits
from workbench.dreaming.score import PhaseHits
from workbench.errors import UsageError

FACT = "The staging port of the gateway is 8443"


def test_light_meets_a_claim_on_its_day_and_on_the_next() -> None:
    assert light_hits({ago(5)}, TODAY, 30) == PhaseHits(count=2, last=ago(4))
    assert light_hits({ago(5), ago(4)}, TODAY, 30) == PhaseHits(count=3, last=ago(3))
    assert light_hits({TODAY}, TODAY, 30) == PhaseHits(count=1, last=TODAY)
    assert light_hits(set(), TODAY, 30) == PhaseHits()


def test_three_days_of_a_week_are_a_pattern() -> None:
    assert pattern_strength({ago(0), ago(3)}, TODAY) == 0.5
    assert pattern_strength({ago(0), ago(3), ago(6)}, TODAY) == 0.75
    assert pattern_strength({ago(0), ago(3), ago(7)}, TODAY) == 0.5
    assert pattern_strength({ago(n) for n in range(7)}, TODAY) == 1


def test_rem_counts_the_nights_on_which_there_was_a_pattern() -> None:
    assert rem_hits({ago(9), ago(8)}, TODAY, 30) == PhaseHits()
    # three days in a row: a pattern from the third on, as long as all are within a week
    assert rem_hits({ago(9), ago(8), ago(7)}, TODAY, 30) == PhaseHits(count=5, last=ago(3))


@given(st.sets(st.integers(-3, 60), max_size=20), st.integers(1, 60))
def test_no_phase_ran_in_the_future_or_before_the_window(days: set[int], window: int) -> None:
    active: set[date] = set(map(ago, days))
    for hits in (light_hits(active, TODAY, window), rem_hits(active, TODAY, window)):
        assert 0 <= hits.count <= window + 1
        assert (hits.last is None) == (hits.count == 0)
        assert hits.last is None or TODAY - timedelta(days=window) <= hits.last <= TODAY


def test_light_tells_of_the_last_two_days_and_proposes_nothing(nights: Nights) -> None:
    nights.log(1, FACT, "We decided to use tantivy for search")
    nights.log(3, "Deploys happen on Tuesdays")
    result = dream(nights.workspace, now=NOW, phase="light")
    assert {seen.text for seen in result.seen} == {FACT, "We decided to use tantivy for search"}
    assert result.proposals == ()
    assert result.as_json()["phase"] == "light"


def test_rem_tells_of_patterns_and_proposes_nothing(nights: Nights) -> None:
    for day in (0, 2, 4):
        nights.log(day, FACT)
    nights.log(1, "Deploys happen on Tuesdays")
    result = dream(nights.workspace, now=NOW, phase="rem")
    assert [(seen.text, seen.section, seen.strength) for seen in result.seen] == [
        (FACT, "Recurring Patterns", 0.75)
    ]
    assert result.proposals == ()


def test_only_deep_proposes(nights: Nights) -> None:
    nights.log(9, FACT)
    nights.recall(FACT, 8, 6, 4, 2, 1, 0)
    counts = [
        len(dream(nights.workspace, now=NOW, phase=phase).proposals) for phase in ("light", "rem", "deep")
    ]
    assert counts == [0, 0, 1]


def test_an_unknown_phase_is_refused_with_those_that_there_are(nights: Nights) -> None:
    with pytest.raises(UsageError, match="no phase core"):
        dream(nights.workspace, now=NOW, phase="core")  # type: ignore[arg-type]
