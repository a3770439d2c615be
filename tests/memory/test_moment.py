"""Days that may have a time: kept as written, in order with each other and with plain days."""

from __future__ import annotations

import copy
import itertools
import pickle
from datetime import date, timedelta

import pytest

from workbench.memory.moment import Moment, clock_of, ordinal, parse_moment

DAY = date(2026, 4, 1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("2026-04-01T14:30", "2026-04-01T14:30"),
        ("2026-04-01 14:30+02:00", "2026-04-01T14:30+02:00"),
        ("2026-04-01T14:30:05Z", "2026-04-01T14:30:05Z"),
        ("2026-04-01 14:30:05.25 -0930", "2026-04-01T14:30:05.25-0930"),
    ],
)
def test_a_moment_is_kept_as_it_was_written(text: str, kept: str) -> None:
    found = parse_moment(text)
    assert isinstance(found, Moment)
    assert found.isoformat() == kept
    assert str(found) == f"{found}" == kept.replace("T", " ")
    assert parse_moment(str(found)) == found == parse_moment(found.isoformat())
    assert copy.deepcopy(found) == found == pickle.loads(pickle.dumps(found))
    assert found != DAY
    assert found - DAY == timedelta(0)  # type: ignore[operator]


def test_what_is_no_moment_is_a_day_or_nothing() -> None:
    assert parse_moment("2026-04-01") == DAY
    assert parse_moment("2026-04-01T25:00") is None
    assert parse_moment("2026-04-31T10:00") is None
    assert parse_moment("soon") is parse_moment("") is parse_moment(None) is None
    assert (clock_of(DAY), clock_of(None)) == ("", "")


def test_moments_stand_in_order_among_each_other_and_among_days() -> None:
    said = (
        "2026-03-31T23:59", "2026-04-01", "2026-04-01T09:00+02:00", "2026-04-01T08:00Z", "2026-04-01T08:30",
        "2026-04-01T23:00-11:00", "2026-04-02",
    )  # fmt: skip
    days = [day for text in said if (day := parse_moment(text))]
    backwards = days[::-1]
    backwards.sort(key=ordinal)
    assert backwards == days
    for one, other in itertools.pairwise(days):
        assert one <= other
        assert not one > other
        assert not other < one
    assert days[2] < days[3]
    assert DAY <= days[5] <= DAY  # a moment lies within its day: it is found where the day is asked for
    assert days[5] < date(2026, 4, 2)
