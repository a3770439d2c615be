"""Days as people say them. Today is Friday, 20 March 2026."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.query.dates import named_days, period, periods_in, readings
from indexing.words import date_words

TODAY = date(2026, 3, 20)


def days(first: str, last: str = "") -> tuple[date, date]:
    return date.fromisoformat(first), date.fromisoformat(last or first)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-14", days("2026-03-14")),
        ("2026-3-4", days("2026-03-04")),
        ("2026-03", days("2026-03-01", "2026-03-31")),
        ("2026", days("2026-01-01", "2026-12-31")),
        ("14-march-2026", days("2026-03-14")),
        ("14.3.2026", days("2026-03-14")),
        ("14 März 2026", days("2026-03-14")),
        ("14 mars 2026", days("2026-03-14")),
        ("14 de marzo de 2026", days("2026-03-14")),
        ("2026年3月14日", days("2026-03-14")),
        ("2026년 3월 14일", days("2026-03-14")),
        ("March", days("2026-03-01", "2026-03-31")),
        ("may", days("2025-05-01", "2025-05-31")),
        ("mar-2026", days("2026-03-01", "2026-03-31")),
        ("4 march", days("2026-03-04")),
        ("29 february", days("2024-02-29")),
        ("today", days("2026-03-20")),
        ("yesterday", days("2026-03-19")),
        ("day-before-yesterday", days("2026-03-18")),
        ("tomorrow", days("2026-03-21")),
        ("the day after tomorrow", days("2026-03-22")),
        ("2 months from now", days("2026-05-20")),
        ("monday", days("2026-03-16")),
        ("fri", days("2026-03-20")),
        ("last friday", days("2026-03-13")),
        ("next monday", days("2026-03-23")),
        ("this-week", days("2026-03-16", "2026-03-22")),
        ("last-week", days("2026-03-09", "2026-03-15")),
        ("last weekend", days("2026-03-14", "2026-03-15")),
        ("last month", days("2026-02-01", "2026-02-28")),
        ("last quarter", days("2025-10-01", "2025-12-31")),
        ("last year", days("2025-01-01", "2025-12-31")),
        ("last 7 days", days("2026-03-13", "2026-03-20")),
        ("7d", days("2026-03-13")),
        ("2w", days("2026-03-06")),
        ("3m", days("2025-12-20")),
        ("1y", days("2025-03-20")),
        ("3 days ago", days("2026-03-17")),
        ("q1-2026", days("2026-01-01", "2026-03-31")),
        ("2025 Q3", days("2025-07-01", "2025-09-30")),
        ("2026-W11", days("2026-03-09", "2026-03-15")),
        ("03/04/2026", days("2026-03-04", "2026-04-03")),
        ("13/04/2026", days("2026-04-13")),
    ],
)
def test_a_value_names_days(text: str, expected: tuple[date, date]) -> None:
    found = period(text, TODAY)
    assert found is not None
    assert (found.first, found.last, found.words) == (*expected, text)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13", "2026-02-31", "99999999-99-99", "31 april", "9999y", "2026-W60", "x" * 99, "1,2"],
)
def test_what_names_no_day_is_none(text: str) -> None:
    assert period(text, TODAY) is None


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("what did we do last week?", "last week", days("2026-03-09", "2026-03-15")),
        ("who moved in May 2023", "May 2023", days("2023-05-01", "2023-05-31")),
        ("what happened on 14 March", "14 March", days("2026-03-14")),
        ("on March 14th, 2026 at noon", "March 14th, 2026", days("2026-03-14")),
        ("3 days ago it broke", "3 days ago", days("2026-03-17")),
        ("a couple of days ago", "a couple of days ago", days("2026-03-18")),
        ("what is due the day after tomorrow?", "the day after tomorrow", days("2026-03-22")),
        ("two weeks from now we move", "two weeks from now", days("2026-04-03")),
        ("log of 2026-03-14.", "2026-03-14", days("2026-03-14")),
        ("at 2026-03-14T10:00:00Z", "2026-03-14", days("2026-03-14")),
        ("between March and May 2026", "between March and May 2026", days("2026-03-01", "2026-05-31")),
        ("between 3 March and 9 March", "between 3 March and 9 March", days("2026-03-03", "2026-03-09")),
        ("from 2026-03-01 to 2026-03-09", "from 2026-03-01 to 2026-03-09", days("2026-03-01", "2026-03-09")),
        ("since Monday", "since Monday", days("2026-03-16", "2026-03-20")),
        ("after 14 March", "after 14 March", days("2026-03-15", "2026-03-20")),
        ("before June 2025", "before June 2025", days("1970-01-01", "2025-05-31")),
        ("what broke this morning", "this morning", days("2026-03-20")),
        ("last night", "last night", days("2026-03-19")),
        ("on Monday the team met", "Monday", days("2026-03-16")),
        ("who called Monday?", "Monday", days("2026-03-16")),
        ("in the past two weeks", "past two weeks", days("2026-03-06", "2026-03-20")),
        ("goals of Q3 2025", "Q3 2025", days("2025-07-01", "2025-09-30")),
        ("where in 2023", "2023", days("2023-01-01", "2023-12-31")),
        ("2026年3月14日のログ", "2026年3月14日", days("2026-03-14")),
        ("am 14.03.2026 in Berlin", "14.03.2026", days("2026-03-14")),
    ],
)
def test_a_question_speaks_of_days(text: str, words: str, expected: tuple[date, date]) -> None:
    (found,) = periods_in(text, TODAY)
    assert (found.first, found.last, found.words) == (*expected, words)


@pytest.mark.parametrize(
    "text",
    [
        *("may I ask", "you may march on", "room 14 may be full", "the sun sat down", "release 1.2.3"),
        *("version 2026.1.2", "10.0.0.1", "ip 192.168.1.2024", "a-2026-03-14-b", "31 April"),
        *("call 4411", "the Monday meeting", "4 of 5", "a march of progress", "page 2026", ""),
    ],
)
def test_words_and_numbers_are_no_days(text: str) -> None:
    assert periods_in(text, TODAY) == ()


def test_a_date_that_can_be_read_in_two_ways_is_both() -> None:
    found = periods_in("on 03/04/2026", TODAY)
    assert {one.first for one in found} == {date(2026, 4, 3), date(2026, 3, 4)}
    assert len(readings("03/04/2026", TODAY)) == 2


def test_several_days_are_in_the_order_of_the_question() -> None:
    found = periods_in("yesterday and on 14 March", TODAY)
    assert [one.words for one in found] == ["yesterday", "14 March"]


def test_a_day_without_a_year_is_the_latest_that_was() -> None:
    assert periods_in("on 25 December", TODAY)[0].first == date(2025, 12, 25)
    assert periods_in("in April", TODAY)[0].first == date(2025, 4, 1)


@pytest.mark.parametrize(
    "text", ["2026-03-14", "14.3.2026", "14 March 2026", "March 14, 2026", "2026/03/14", "2026年3月14日"]
)
def test_a_whole_date_is_a_day_whenever_it_is_read(text: str) -> None:
    assert named_days(f"see {text}") == (date(2026, 3, 14),)


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_day_is_found_in_its_usual_forms(day: date) -> None:
    for text in (day.isoformat(), date_words(day), f"{day.day}.{day.month}.{day.year}"):
        found = period(text, TODAY)
        assert found is not None
        assert (found.first, found.last) == (day, day)
        assert [one.first for one in periods_in(f"on {text} too", TODAY)] == [day]


@given(st.text(), st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_any_text_on_any_day_is_no_error(text: str, today: date) -> None:
    for one in (*periods_in(text, today), *readings(text, today)):
        assert one.words in (text, "") or one.words in text
    named_days(text)


@given(
    st.sampled_from(["last", "this", "next"]),
    st.sampled_from(["week", "month", "quarter", "year"]),
    st.dates(date(1950, 1, 1), date(2050, 1, 1)),
)
def test_periods_follow_each_other_without_a_gap(which: str, unit: str, today: date) -> None:
    found = period(f"{which} {unit}", today)
    after = period(f"this {unit}", found.last + timedelta(1)) if found else None
    assert found is not None
    assert after is not None
    assert after.first == found.last + timedelta(1)
    assert (found.first <= today <= found.last) == (which == "this")
