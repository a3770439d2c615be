"""Days, weeks, months and years."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from workbench.health.periods import UNITS, between, counted, newest_of_each, start_of, unit_for

DAYS = st.dates(date(1970, 1, 1), date(9999, 12, 31))


@given(DAYS, st.sampled_from(UNITS))
def test_a_period_begins_on_or_before_each_of_its_days(day: date, unit) -> None:  # type: ignore[no-untyped-def]
    start = start_of(day, unit)
    assert start <= day
    assert start_of(start, unit) == start
    assert between(day, day, unit) == [start]


@given(DAYS, DAYS)
def test_there_are_never_more_periods_than_asked_for_but_of_years(one: date, other: date) -> None:
    first, last = sorted((one, other))
    unit = unit_for(first, last, 60)
    assert unit == "year" or len(between(first, last, unit)) <= 61


def test_the_end_of_time_is_the_end() -> None:
    assert between(date(9999, 12, 30), date(9999, 12, 31), "day")[-1] == date(9999, 12, 31)
    assert between(date(9999, 1, 1), date(9999, 12, 31), "year") == [date(9999, 1, 1)]


def test_the_newest_of_each_period_stands_for_it() -> None:
    dated = [(date(2026, 3, 20), "c"), (date(2026, 3, 17), "b"), (date(2026, 3, 2), "a")]
    assert newest_of_each(dated, "week") == {date(2026, 3, 16): "c", date(2026, 3, 2): "a"}


def test_days_outside_of_the_periods_do_not_count() -> None:
    weeks = between(date(2026, 3, 2), date(2026, 3, 20), "week")
    days = [date(2026, 3, 3), date(2026, 3, 4), date(2026, 3, 20), date(2025, 1, 1)]
    assert counted(days, weeks, "week") == [2, 0, 1]
