"""One order out of two sets of scores."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.document import Facets, user_code
from indexing.query.dates import Period
from indexing.query.question import WordForm
from indexing.ranking.order import (
    DEFAULT,
    FUSIONS,
    PRESETS,
    Candidate,
    Ranked,
    Weights,
    changed,
    diversified,
    explain,
    nearness,
    parts_of,
    pool_size,
    rank,
    rounded,
    weights_from_json,
    weights_from_words,
    weights_of,
)
from workbench.config.settings import Settings
from workbench.errors import UsageError
from workbench.memory.claims import bag_of_words, jaccard
from workbench.memory.entry import Kind

TODAY = date(2026, 3, 31)
SAM = user_code("sam")

marks = st.builds(
    lambda importance, pinned, user: Facets(importance=importance, pinned=pinned, user=user).marks,
    st.one_of(st.none(), st.integers(0, 100)),
    st.booleans(),
    st.sampled_from(["", "sam", "kim"]),
)
candidates = st.lists(
    st.builds(
        Candidate,
        key=st.integers(0, 10**6),
        kind=st.sampled_from(list(Kind)),
        day=st.sampled_from([0, TODAY.toordinal(), TODAY.toordinal() - 5, TODAY.toordinal() - 400]),
        bm25=st.floats(0, 100),
        cosine=st.one_of(st.none(), st.floats(-1, 1)),
        marks=marks,
    ),
    unique_by=lambda candidate: candidate.key,
)
shares = st.floats(0, 1)
weights_ = st.builds(
    Weights,
    vector=st.floats(0.01, 1),
    lexical=shares,
    recency=shares,
    half_life=st.floats(0.5, 400),
    importance=shares,
    pin=shares,
    user=shares,
    date=shares,
    fusion=st.sampled_from(FUSIONS),
    boosts=st.dictionaries(st.sampled_from(list(Kind)), st.floats(0, 3)),
)
PERIODS = (Period(TODAY - timedelta(6), TODAY - timedelta(5)),)


def one(key: int, bm25: float, cosine: float | None, *, day: int = 0, kind: Kind = Kind.NOTE) -> Candidate:
    return Candidate(key, kind, day, bm25, cosine)


def order(ranked: list[Ranked]) -> list[int]:
    return [r.candidate.key for r in ranked]


@given(candidates, weights_)
def test_the_parts_that_are_shown_make_exactly_the_score(pool: list[Candidate], weights: Weights) -> None:
    for ranked in rank(pool, weights, TODAY, periods=PERIODS, user=SAM):
        shown = rounded(ranked.scores)
        likeness = shown["share"] * shown["vector"] + (1 - shown["share"]) * shown["lexical"]
        factors = (shown[name] for name in ("recency", "boost", "importance", "pin", "user"))
        assert (likeness + shown["date"]) * math.prod(factors) == pytest.approx(ranked.score, abs=2e-3)
        parts = parts_of(ranked, weights, [], PERIODS)
        added = sum(part.contribution for part in parts if part.how == "plus")
        times = math.prod(part.contribution for part in parts if part.how == "times")
        assert added * times == pytest.approx(ranked.score, abs=1e-9)
        assert all(part.name in explain(parts) for part in parts)


@given(candidates, st.floats(0, 1), st.floats(0, 1))
def test_every_candidate_is_ranked_once_with_a_score_between_0_and_1(
    pool: list[Candidate], share: float, recency: float
) -> None:
    ranked = rank(pool, Weights(1 - share, share, recency=recency), TODAY)
    assert sorted(order(ranked)) == sorted(c.key for c in pool)
    assert all(-1e-9 <= r.score <= 1 + 1e-9 for r in ranked)


@given(candidates, weights_, st.randoms())
def test_the_order_does_not_depend_on_the_order_of_the_pool(
    pool: list[Candidate], weights: Weights, chance: random.Random
) -> None:
    mixed = list(pool)
    chance.shuffle(mixed)
    ranked = rank(pool, weights, TODAY, periods=PERIODS, user=SAM)
    assert order(rank(mixed, weights, TODAY, periods=PERIODS, user=SAM)) == order(ranked)


@given(candidates, st.sampled_from(FUSIONS))
def test_more_words_never_rank_lower(pool: list[Candidate], fusion: str) -> None:
    plain = [one(c.key, c.bm25, 0.5) for c in pool]
    ranked = rank(plain, changed(DEFAULT, {"fusion": fusion}), TODAY)
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
    assert found.score == pytest.approx(0.3 * 0.9 + 0.7 * (0.9 * 0.5))


def test_the_cosine_counts_as_it_is() -> None:
    pool = [one(1, 10.0, 0.5), one(2, 5.0, 0.27), one(3, 0.0, -0.3)]
    scores = {r.candidate.key: r.score for r in rank(pool, DEFAULT, TODAY)}
    assert scores == pytest.approx({1: 0.3 + 0.7 * 0.5, 2: 0.15 + 0.7 * 0.27, 3: 0.0})


@given(candidates, weights_)
def test_who_has_the_one_word_comes_before_who_has_not(pool: list[Candidate], weights: Weights) -> None:
    mixed = [replace(each, word=WordForm(each.key % 3)) for each in pool]
    forms = [ranked.candidate.word for ranked in rank(mixed, weights, TODAY)]
    assert forms == sorted(forms, reverse=True)


def test_the_newer_of_equals_comes_first() -> None:
    assert order(rank([one(1, 1.0, 0.5, day=5), one(2, 1.0, 0.5, day=9)], DEFAULT, TODAY)) == [2, 1]


def test_reciprocal_ranks_forget_how_strong_a_match_was() -> None:
    pool = [one(1, 100.0, 0.10), one(2, 1.0, 0.50), one(3, 0.5, 0.49)]
    assert order(rank(pool, Weights(0.5, 0.5), TODAY))[0] == 1
    fused = rank(pool, Weights(0.5, 0.5, fusion="rrf"), TODAY)
    assert order(fused) == [2, 1, 3]
    assert fused[0].score == pytest.approx((61 / 62 + 61 / 61) / 2)
    assert fused[1].score == pytest.approx((61 / 61 + 61 / 63) / 2)


def test_a_log_loses_half_of_its_decaying_share_in_a_half_life() -> None:
    old = TODAY.toordinal() - 30
    pinned = Candidate(3, Kind.LOG, old, 1.0, None, Facets(pinned=True).marks)
    pool = [one(1, 1.0, None, day=old, kind=Kind.LOG), one(2, 1.0, None, day=old, kind=Kind.MEMORY), pinned]
    ranked = {r.candidate.key: r for r in rank(pool, Weights(recency=1.0), TODAY)}
    assert ranked[1].scores.recency == pytest.approx(0.5)
    assert [ranked[key].score for key in (1, 2, 3)] == pytest.approx([0.5, 1.0, 1.0])
    half = rank(pool, Weights(recency=0.5), TODAY)
    assert next(r for r in half if r.candidate.key == 1).score == pytest.approx(0.75)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.LOG])
def test_only_logs_grow_old(kind: Kind) -> None:
    assert rank([one(1, 1.0, None, day=9, kind=kind)], Weights(recency=1.0), TODAY)[0].score == 1.0


def test_what_lies_in_the_future_is_not_worth_more() -> None:
    later = TODAY.toordinal() + 30
    assert rank([one(1, 1.0, None, day=later, kind=Kind.LOG)], Weights(recency=1.0), TODAY)[0].score == 1.0


def test_importance_moves_what_says_so_and_leaves_the_rest() -> None:
    pool = [Candidate(n, Kind.MEMORY, 0, 1.0, None, Facets(importance=n).marks) for n in (0, 50, 100)]
    pool.append(one(7, 1.0, None))
    ranked = {r.candidate.key: r.score for r in rank(pool, Weights(importance=0.4), TODAY)}
    assert ranked == pytest.approx({0: 0.8, 50: 1.0, 100: 1.2, 7: 1.0})


def test_pinned_entries_and_ones_own_gain_what_the_weights_say() -> None:
    pool = [
        one(1, 1.0, None),
        Candidate(2, Kind.LOG, 0, 1.0, None, Facets(pinned=True).marks),
        Candidate(3, Kind.LOG, 0, 1.0, None, Facets(user="sam").marks),
        Candidate(4, Kind.LOG, 0, 1.0, None, Facets(user="kim").marks),
    ]
    ranked = {r.candidate.key: r.score for r in rank(pool, Weights(pin=0.5, user=0.2), TODAY, user=SAM)}
    assert ranked == pytest.approx({1: 1.0, 2: 1.5, 3: 1.2, 4: 1.0})
    nobody = {r.score for r in rank(pool, Weights(user=0.2), TODAY)}
    assert nobody == {1.0}


def test_the_days_that_a_question_names_gain_and_near_misses_less() -> None:
    day = TODAY.toordinal()
    pool = [one(n, 1.0, None, day=day - n) for n in (0, 1, 3, 4, 9)] + [one(99, 1.0, None)]
    found = rank(pool, Weights(date=0.4), TODAY, periods=(Period(TODAY, TODAY),))
    gained = {r.candidate.key: r.scores.date for r in found}
    assert gained == pytest.approx({0: 0.4, 1: 0.3, 3: 0.1, 4: 0.0, 9: 0.0, 99: 0.0})
    assert order(found)[:3] == [0, 1, 3]


@given(st.integers(-60, 60), st.integers(0, 60))
def test_nearness_falls_with_every_day_outside_of_a_period(away: int, length: int) -> None:
    period = Period(TODAY, TODAY + timedelta(length))
    day = TODAY.toordinal() + away
    assert (nearness(day, period) == 1.0) == (0 <= away <= length)
    step = -1 if away < 0 else 1
    assert nearness(day + step, period) <= nearness(day, period) or 0 <= away <= length


def test_a_kind_can_be_made_to_count_less() -> None:
    pool = [one(1, 1.0, None, kind=Kind.DREAM), one(2, 0.9, None)]
    assert order(rank(pool, DEFAULT, TODAY)) == [1, 2]
    assert order(rank(pool, changed(DEFAULT, {"dream": 0.5}), TODAY)) == [2, 1]


def test_diversity_puts_a_near_duplicate_behind_something_else() -> None:
    sets = [bag_of_words(text) for text in ("the door code is 4411", "The door code is 4411!", "a heron sat")]
    assert [place for place, _ in diversified([1.0, 0.99, 0.6], sets, 3, 0.7)] == [0, 2, 1]
    assert [place for place, _ in diversified([1.0, 0.99, 0.6], sets, 3, 1.0)] == [0, 1, 2]
    assert [alike for _, alike in diversified([1.0, 0.99, 0.6], sets, 3, 0.7)] == [0.0, 0.0, 1.0]


@given(st.lists(st.tuples(st.floats(0, 1), st.text("abc ", max_size=8)), max_size=12), st.floats(0, 1))
def test_diversity_takes_every_place_once(rows: list[tuple[float, str]], balance: float) -> None:
    chosen = diversified([score for score, _ in rows], [bag_of_words(text) for _, text in rows], 20, balance)
    assert sorted(place for place, _ in chosen) == list(range(len(rows)))


@given(st.text(), st.text())
def test_likeness_is_that_of_sets_of_words(a: str, b: str) -> None:
    one, other = bag_of_words(a), bag_of_words(b)
    assert 0 <= jaccard(one, other) == jaccard(other, one) <= 1
    assert jaccard(one, one) == 1.0


def test_an_explanation_names_every_part_and_what_it_rests_on() -> None:
    period = Period(date(2026, 3, 14), date(2026, 3, 14), "on 14 March")
    weights = Weights(recency=0.2, pin=0.1, importance=0.4, user=0.2, date=0.3, boosts={Kind.LOG: 0.9})
    facets = Facets(importance=80, pinned=False, user="sam").marks
    entry = Candidate(1, Kind.LOG, period.first.toordinal(), 5.0, 0.5, facets)
    best = rank([entry], weights, TODAY, periods=(period,), user=SAM)[0]
    parts = parts_of(best, weights, ["door", "code"], (period,), alike=0.86)
    said = explain(parts)
    for part in ("keyword 1.000 x 0.30 (BM25 5.00: door, code)", "cosine 0.500", "recency", "boost", "user"):
        assert part in said
    assert "date 1.000 x 0.30 (14 March 2026 (from “on 14 March”))" in said
    assert "importance 0.80: times 1.120" in said
    assert "like an earlier hit, 86% of the words" in said


def test_the_pool_is_larger_than_what_is_asked_for() -> None:
    assert pool_size(10) == 100
    assert pool_size(80) == 320


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_named_and_written_and_read_again(name: str) -> None:
    weights = weights_from_json(name, DEFAULT)
    assert weights == PRESETS[name]
    assert weights_from_json(weights.as_json(), DEFAULT) == weights
    assert weights_of(Settings(search_preset=name)) == weights


def test_the_presets_are_those_of_the_systems_that_people_come_from() -> None:
    openclaw, goclaw = PRESETS["openclaw"], PRESETS["goclaw"]
    assert [openclaw.share_of(0.0), goclaw.share_of(0.0), goclaw.user] == pytest.approx([0.7, 0.7, 0.2])
    assert (openclaw.recency, openclaw.half_life, openclaw.diversity) == (0.0, 30.0, 1.0)
    on = changed(openclaw, {"recency": "on", "diversity": "on"})
    assert (on.recency, on.diversity) == (1.0, 0.7)
    assert changed(on, {"recency": "off", "diversity": "off"}) == openclaw


@pytest.mark.parametrize("name", ["openclaw", "goclaw"])
def test_the_presets_of_other_systems_add_the_cosine_as_it_is(name: str) -> None:
    """0.7 of the cosine as it is, floored at 0, and 0.3 of the words by the best of the pool."""
    mine = Candidate(4, Kind.NOTE, 0, 8.0, 0.5, Facets(user="sam").marks)
    pool = [one(1, 10.0, 0.1), one(2, 0.0, 0.27), one(3, 5.0, -0.4), mine, one(5, 2.0, None)]
    found = {r.candidate.key: r.score for r in rank(pool, PRESETS[name], TODAY, user=SAM)}
    boost = 1.0 + PRESETS[name].user
    assert boost == pytest.approx(1.2)
    assert found == pytest.approx({1: 0.37, 2: 0.189, 3: 0.15, 4: (0.7 * 0.5 + 0.3 * 0.8) * boost, 5: 0.06})
    alone = rank([one(1, 0.0, 0.27), one(2, 0.0, 0.1)], PRESETS[name], TODAY)
    assert [r.score for r in alone] == pytest.approx([0.189, 0.07])


def test_weights_are_changed_by_name_over_those_that_are_there() -> None:
    said = weights_from_json({"preset": "openclaw", "recency": 0.5, "half-life": "7", "log": 0.9}, DEFAULT)
    assert (said.vector, said.recency, said.half_life, said.boosts) == (0.7, 0.5, 7.0, {Kind.LOG: 0.9})
    assert weights_from_json({"pin": 1}, said).recency == 0.5
    assert weights_from_words(["recency=0.5", "fusion=rrf"], DEFAULT) == Weights(recency=0.5, fusion="rrf")


@pytest.mark.promise(
    "The index", "invalid weights in a request, a batch or an option", "refused, naming the weight"
)
@pytest.mark.parametrize(
    "said",
    [
        *("magic", 5, ["recency"], {"magic": 1}, {"recency": 2}, {"recency": -1}, {"recency": "much"}),
        *({"recency": True, "half_life": 0}, {"half_life": "on"}, {"fusion": "rank"}, {"preset": "magic"}),
        *({"vector": 0, "lexical": 0}, {"pin": float("nan")}, {"pin": float("inf")}, {"dream": -1}),
        *({"dream": "1e9"}, {"recency": ""}, {"recency": None}, {"date": [1]}),
    ],
)
def test_senseless_weights_are_refused_with_the_reason(said: object) -> None:
    with pytest.raises(UsageError) as caught:
        weights_from_json(said, DEFAULT)
    assert caught.value.hint
