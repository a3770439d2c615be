"""A score taken apart: each part of what it could be at most."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dreaming.evidence_score import Ground, grounded_score
from workbench.dreaming.score import Signals, scored
from workbench.dreaming.score_breakdown import shares

TODAY = date(2026, 3, 31)


def test_the_weights_of_use_add_up_to_the_most_a_score_can_be() -> None:
    parts = shares(scored(Signals(recalls=40, recalled=40.0, queries=32, days=(TODAY,)), TODAY).parts)
    assert sum(share.weight or 0 for share in parts) == pytest.approx(1.15)
    assert parts[0].name == "relevance"


def test_a_new_memory_is_scored_by_its_ground() -> None:
    ground = Ground(strength=1, lasting=1, importance=1, sources=4, last=TODAY, telling=1)
    parts = shares(grounded_score(ground, TODAY).parts)
    assert sum(share.weight or 0 for share in parts) == pytest.approx(1.0)
    assert all(share.filled == pytest.approx(1.0) for share in parts)


def test_a_part_that_nobody_knows_has_no_weight() -> None:
    (share,) = shares({"luck": 0.4})
    assert share.weight is None
    assert share.filled == 0.4


@given(st.dictionaries(st.text(max_size=12), st.floats(-10, 10), max_size=8))
def test_a_bar_is_never_longer_than_itself(parts: dict[str, float]) -> None:
    assert all(0 <= share.filled <= 1 for share in shares(parts))
