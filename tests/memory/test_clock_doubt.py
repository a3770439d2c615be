"""A clock is believed as long as nothing that happened speaks against it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.clock_doubt import LONGEST_SILENCE, TOLERANCE, doubt

pytestmark = [
    pytest.mark.promise("From sessions to long-term memory", "the clock says 1970 or 2100, or went back"),
]

NOW = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)
moments = st.datetimes(timezones=st.just(UTC))


def ago(**past: float) -> datetime:
    return NOW - timedelta(**past)


@pytest.mark.parametrize("year", [1970, 2025])
def test_a_clock_behind_what_happened_fell_back(year: int) -> None:
    assert "went back" in (doubt(NOW.replace(year=year), [ago(days=3), NOW]) or "")


@pytest.mark.parametrize("year", [2027, 2038, 2100, 9999])
def test_a_clock_far_ahead_of_what_happened_may_have_jumped(year: int) -> None:
    jumped = NOW.replace(year=year)
    assert "may be wrong" in (doubt(jumped, [ago(days=3), NOW]) or "")
    written_since = [ago(days=3), NOW, jumped, jumped - timedelta(hours=5)]
    assert "may be wrong" in (doubt(jumped, written_since) or "")


@pytest.mark.parametrize(
    "happened",
    [
        [],
        [NOW],
        [NOW + TOLERANCE],
        [ago(hours=1), ago(hours=2)],
        [ago(days=400), ago(days=2), NOW],
        [NOW - LONGEST_SILENCE],
    ],
)
def test_a_memory_in_use_and_a_new_one_believe_the_clock(happened: list[datetime]) -> None:
    assert doubt(NOW, happened) is None


@given(moments, st.lists(moments, max_size=6))
def test_any_moments_are_judged_in_any_order(now: datetime, happened: list[datetime]) -> None:
    assert doubt(now, happened) == doubt(now, reversed(happened))
