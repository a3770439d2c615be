"""One order out of two sets of scores."""

from __future__ import annotations

import math
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.ranking import DEFAULT, PRESETS, Candidate, Weights, diversify, explain, pool_size, rank
from workbench.memory.entry import Kind

TODAY = date(2026, 3, 31)

candidates = st.lists(
    st.builds(
        Candidate,
        key=st.integers(0, 10**6),
        kind=st.sampled_from(list(Kind)),
        day=st.sampled_from([0, TODAY.toordinal(), TODAY.toordinal() - 400]),
        bm25=st.floats(0, 100),
        cosine=st.one_of(st.none(), st.floats(-1, 1)),
    ),
    unique_by=lambda candidate: candidate.key,
)


def one(key: int, bm25: float, cosine: float | None, *, day: int = 0, kind: Kind = Kind.NOTE) -> Candidate:
    return Candidate(key, kind, day, bm25, cosine)


@given(candidates, st.floats(0, 1), st.floats(0, 1))
def test_every_candidate_is_ranked_once_with_a_score_between_0_and_1(
    pool: list[Candidate], share: float, recency: float
) -> None:
    ranked = rank(pool, Weights(share, 1 - share, recency=recency), TODAY)
    assert sorted(r.candidate.key for r in ranked) == sorted(c.key for c in pool)
    assert all(-1e-9 <= r.score <= 1 + 1e-9 for r in ranked)


@given(candidates, st.randoms())
def test_the_order_does_not_depend_on_the_order_of_the_pool(pool: list[Candidate], random: object) -> None:
    mixed = list(pool)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    keys = [r.candidate.key for r in rank(pool, DEFAULT, TODAY)]
    assert [r.candidate.key for r in rank(mixed, DEFAULT, TODAY)] == keys


@given(candidates)
def test_more_words_never_rank_lower(pool: list[Candidate]) -> None:
    plain = [one(c.key, c.bm25, 0.5) for c in pool]
    ranked = rank(plain, DEFAULT, TODAY)
    scores = [r.candidate.bm25 for r in ranked]
    best = max(scores, default=0)
    assert all(a >= b - best * 1e-5 for a, b in pairwise(scores))


def test_one_side_alone_counts_fully() -> None:
    assert rank([one(1, 3.0, None)], DEFAULT, TODAY)[0].score == pytest.approx(1.0)
    assert rank([one(1, 0.0, 0.4)], DEFAULT, TODAY)[0].score == pytest.approx(0.4)


def test_the_nearest_of_a_bad_lot_does_not_look_like_a_find() -> None:
    ranked = rank([one(1, 0.0, 0.12), one(2, 0.0, 0.11)], DEFAULT, TODAY)
    assert [r.score for r in ranked] == pytest.approx([0.12, 0.11])


def test_an_entry_without_a_vector_is_worth_its_words() -> None:
    ranked = rank([one(1, 10.0, 0.1), one(2, 9.0, None), one(3, 1.0, 0.5)], DEFAULT, TODAY)
    found = next(r for r in ranked if r.candidate.key == 2)
    assert found.score == pytest.approx(0.9)


def test_the_newer_of_equals_comes_first() -> None:
    ranked = rank([one(1, 1.0, 0.5, day=5), one(2, 1.0, 0.5, day=9)], DEFAULT, TODAY)
    assert [r.candidate.key for r in ranked] == [2, 1]


def test_a_log_loses_half_of_its_decaying_share_in_a_half_life() -> None:
    old = TODAY.toordinal() - 30
    pool = [
        one(1, 1.0, None, day=old, kind=Kind.LOG),
        one(2, 1.0, None, day=old, kind=Kind.MEMORY),
    ]
    ranked = {r.candidate.key: r for r in rank(pool, Weights(recency=1.0), TODAY)}
    assert ranked[1].score == pytest.approx(0.5)
    assert ranked[1].scores.recency == pytest.approx(math.exp(-math.log(2)))
    assert ranked[2].score == pytest.approx(1.0)


def test_a_preset_boosts_the_files_about_the_person() -> None:
    pool = [one(1, 1.0, None, kind=Kind.BOOTSTRAP), one(2, 1.1, None)]
    assert rank(pool, PRESETS["goclaw"], TODAY)[0].candidate.key == 1
    assert rank(pool, DEFAULT, TODAY)[0].candidate.key == 2


def test_diversity_puts_a_near_duplicate_behind_something_else() -> None:
    ranked = rank([one(1, 10.0, None), one(2, 9.9, None), one(3, 9.0, None)], DEFAULT, TODAY)
    twins = {frozenset({1, 2})}
    chosen = diversify(ranked, 3, 0.7, lambda a, b: float(frozenset({a, b}) in twins))
    assert [r.candidate.key for r in chosen] == [1, 3, 2]


def test_an_explanation_names_every_part() -> None:
    best = rank([one(1, 5.0, 0.5, day=1, kind=Kind.LOG)], Weights(recency=0.2), TODAY)[0]
    said = explain(best, Weights(recency=0.2), ["door", "code"])
    for part in ("words", "BM25 5.00", "door, code", "cosine 0.500", "recency"):
        assert part in said


def test_the_pool_is_larger_than_what_is_asked_for() -> None:
    assert pool_size(10) == 100
    assert pool_size(80) == 320
