"""The formulas against values worked out by hand, and their laws."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dreaming.evidence_score import Ground, grounded_score, grounding
from workbench.dreaming.information_density import telling
from workbench.dreaming.score import (
    PhaseHits,
    Signals,
    boost,
    conceptual,
    consolidation,
    diversity,
    frequency,
    recency,
    relevance,
    scored,
)

TODAY = date(2026, 3, 31)


def ago(days: int) -> date:
    return TODAY - timedelta(days=days)


@st.composite
def signals(draw: st.DrawFn) -> Signals:
    days = draw(st.sets(st.integers(0, 90), max_size=20))
    recalls = draw(st.integers(len(days), 200)) if days else 0
    queries = draw(st.integers(1, recalls)) if recalls else 0

    def hits() -> PhaseHits:
        count = draw(st.integers(0, 30))
        return PhaseHits(count=count, last=ago(draw(st.integers(0, 30))) if count else None)

    return Signals(
        recalls=recalls,
        recalled=recalls * draw(st.floats(0, 1)),
        queries=queries,
        days=tuple(sorted(map(ago, days))),
        daily=draw(st.integers(0, 31)),
        grounded=draw(st.integers(0, 40)),
        tags=draw(st.integers(0, 8)),
        light=hits(),
        rem=hits(),
    )


def test_frequency_is_full_with_ten_signals() -> None:
    assert frequency(0) == 0
    assert frequency(3) == pytest.approx(0.57813, abs=1e-5)  # ln 4 / ln 11
    assert frequency(10) == pytest.approx(1)
    assert frequency(500) == 1


def test_relevance_is_the_mean_over_all_signals() -> None:
    assert relevance(2.4, 4) == pytest.approx(0.6)
    assert relevance(0.8, 0) == pytest.approx(0.8)
    assert relevance(9, 3) == 1


def test_diversity_is_full_with_five_contexts() -> None:
    assert [diversity(n) for n in (0, 3, 5, 32)] == pytest.approx([0, 0.6, 1, 1])


def test_context_counts_at_most_32_questions_and_16_days() -> None:
    days = tuple(ago(n) for n in range(30, 0, -1))
    assert Signals(queries=100, days=days).context == 32
    assert Signals(queries=2, days=days).context == 16
    assert Signals(queries=7, days=days[:3]).context == 7


def test_recency_halves_in_fourteen_days() -> None:
    assert recency((ago(90), ago(0)), TODAY) == 1
    assert recency((ago(14),), TODAY) == pytest.approx(0.5)
    assert recency((ago(28),), TODAY) == pytest.approx(0.25)
    assert recency((ago(7),), TODAY) == pytest.approx(math.exp(-math.log(2) / 14 * 7))
    assert recency((), TODAY) == 0


def test_consolidation_wants_days_that_are_apart() -> None:
    assert consolidation((), 0) == 0
    assert consolidation((ago(3),), 0) == 0.2
    # two days, a week apart: 0.55 * ln 2/ln 5 + 0.45 * 7/7
    assert consolidation((ago(7), ago(0)), 0) == pytest.approx(0.55 * 0.430677 + 0.45, abs=1e-5)
    # five days within four: 0.55 * 1 + 0.45 * 4/7
    assert consolidation(tuple(ago(n) for n in (4, 3, 2, 1, 0)), 0) == pytest.approx(0.55 + 0.45 * 4 / 7)
    assert consolidation((), 2) == pytest.approx(2 / 3)
    assert consolidation((ago(3),), 3) == 1


def test_concepts_are_full_with_six() -> None:
    assert [conceptual(n) for n in (0, 3, 6, 8)] == pytest.approx([0, 0.5, 1, 1])


def test_the_boost_fades_with_each_phase_by_itself() -> None:
    light, rem = PhaseHits(count=6, last=ago(14)), PhaseHits(count=2, last=ago(0))
    expected = 0.06 * 1 * 0.5 + 0.09 * (math.log(3) / math.log(7))
    assert boost(light, rem, TODAY) == pytest.approx(expected)
    assert boost(PhaseHits(), PhaseHits(), TODAY) == 0


def test_a_whole_score_by_hand() -> None:
    known = Signals(
        recalls=4,
        recalled=3.2,
        queries=3,
        days=(ago(9), ago(2)),
        daily=1,
        grounded=1,
        tags=3,
        light=PhaseHits(),
    )
    parts = {
        "frequency": 0.24 * math.log(7) / math.log(11),  # 4 + 1 + 1 signals
        "relevance": 0.30 * 3.2 / 6,
        "diversity": 0.15 * 3 / 5,
        "recency": 0.15 * 2 ** (-2 / 14),
        "consolidation": 0.10 * (0.55 * math.log(2) / math.log(5) + 0.45),
        "conceptual": 0.06 * 0.5,
        "boost": 0.0,
    }
    score = scored(known, TODAY)
    assert score.parts == pytest.approx(parts)
    assert score.total == pytest.approx(0.6793, abs=1e-4)


@given(signals())
def test_a_score_is_the_sum_of_its_parts_and_within_its_bounds(known: Signals) -> None:
    score = scored(known, TODAY)
    assert sum(score.parts.values()) == score.total
    assert 0 <= score.total <= 1.15 + 1e-9
    assert all(part >= 0 for part in score.parts.values())


@given(signals(), st.integers(0, 10))
def test_one_more_good_recall_never_lowers_a_score(known: Signals, days_ago: int) -> None:
    from dataclasses import replace

    more = replace(
        known,
        recalls=known.recalls + 1,
        recalled=known.recalled + 1,
        queries=known.queries + 1,
        days=tuple(sorted({*known.days, ago(days_ago)})),
    )
    assert scored(more, TODAY).total >= scored(known, TODAY).total - 1e-9


@given(signals(), st.sampled_from(["tags", "queries"]), st.integers(1, 5))
def test_more_concepts_or_questions_never_lower_a_score(known: Signals, what: str, more: int) -> None:
    from dataclasses import replace

    changed = replace(known, **{what: getattr(known, what) + more})
    assert scored(changed, TODAY).total >= scored(known, TODAY).total


@given(signals(), st.integers(1, 60))
def test_a_score_only_fades_with_time(known: Signals, days: int) -> None:
    later = TODAY + timedelta(days=days)
    assert scored(known, later).total <= scored(known, TODAY).total + 1e-9


def test_grounding_by_hand() -> None:
    assert grounding(0) == 0
    assert grounding(1) == pytest.approx(0.8)
    assert grounding(2) == pytest.approx(0.9)  # 0.8 + 0.2 * ln 2/ln 4
    assert grounding(4) == pytest.approx(1)
    assert grounding(9) == 1
    ground = Ground(strength=0.9, lasting=0.6, importance=0.7, sources=2, last=ago(14), telling=0.4)
    parts = {
        "strength": 0.135,
        "lasting": 0.16,  # 0.20 * (1 - 0.4 / 2)
        "importance": 0.035,
        "grounding": 0.18,
        "recency": 0.025,
        "telling": 0.14,
    }
    assert grounded_score(ground, TODAY).parts == pytest.approx(parts)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(0, 20), st.integers(0, 60))
def test_a_grounded_score_is_the_sum_of_its_parts(
    strength: float, lasting: float, told: float, sources: int, days: int
) -> None:
    ground = Ground(
        strength=strength, lasting=lasting, importance=0.5, sources=sources, last=ago(days), telling=told
    )
    score = grounded_score(ground, TODAY)
    assert sum(score.parts.values()) == score.total
    assert 0 <= score.total <= 1 + 1e-9
    more = replace(ground, sources=sources + 1)
    assert grounded_score(more, TODAY).total >= score.total


def test_a_text_tells_the_more_the_more_it_names_and_the_shorter_it_is() -> None:
    # (2 concepts + 2 * (1 name + 1 figure)) * 100 / (34 + 140) / 5
    assert telling("Since 2019 I work for Tidewright.", 2) == pytest.approx(6 * 100 / (33 + 140) / 5)
    assert telling("", 0) == 0
    assert telling("x " * 5 + "A1 " * 60, 8) == 1
    assert telling("Moments like these matter to all of us", 3) < telling("Moments matter", 3)


@pytest.mark.parametrize(
    ("lasting", "told", "reaches"),
    [(0.8, 0.3, True), (0.9, 0.0, True), (0.3, 0.3, True), (0.2, 0.1, False), (0.5, 0.0, False)],
)
def test_what_is_said_once_passes_where_it_lasts_or_tells_something(
    lasting: float, told: float, *, reaches: bool
) -> None:
    ground = Ground(strength=0.45, lasting=lasting, importance=0.6, sources=1, last=TODAY, telling=told)
    assert (grounded_score(ground, TODAY).total >= 0.45) is reaches
