"""The score of a claim: each factor within its bounds, more said and more used never counts for less."""

from __future__ import annotations

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dreaming.nights import Nights
from workbench.dreaming.line_judgement import fact_type
from workbench.dreaming.score import MOST, filled, recurrence, use
from workbench.dreaming.survey import passed_deadline

TODAY = date(2026, 3, 31)
FACT = "The staging port of the gateway is 8443"


def test_the_factors_by_hand() -> None:
    assert recurrence(1, 1) == 1
    assert recurrence(8, 8) == 2
    assert recurrence(1, 3) == pytest.approx(1 + math.log(2) / math.log(8))
    assert use(0) == 1
    assert use(10) == pytest.approx(2)


@pytest.mark.promise("Dreaming and proposals", "a claim is copied to many days, never recalled")
@given(st.integers(0, 500), st.integers(0, 500), st.floats(0, 1e6))
def test_each_factor_stays_within_its_bounds_and_grows(sources: int, days: int, recalled: float) -> None:
    assert 1 <= recurrence(sources, days) <= recurrence(sources + 1, days) <= MOST["recurrence"]
    assert 1 <= use(recalled) <= use(recalled + 1) <= MOST["use"]


@given(st.text(max_size=12), st.floats(-10, 10))
def test_a_bar_is_never_longer_than_itself(name: str, value: float) -> None:
    assert 0 <= filled(name, value) <= 1


def test_the_score_is_the_product_of_its_parts(nights: Nights) -> None:
    nights.log(3, FACT)
    nights.recall(FACT, 2, 1)
    proposal = nights.proposal(FACT)
    assert set(proposal.parts) == set(MOST)
    assert proposal.score == pytest.approx(math.prod(proposal.parts.values()))


def test_what_is_said_on_more_days_or_recalled_more_often_scores_higher(nights: Nights) -> None:
    nights.log(3, FACT)
    once = nights.proposal(FACT).score
    nights.log(2, f"Again: {FACT}")
    nights.log(1, FACT)
    twice = nights.proposal(FACT).score
    nights.recall(FACT, 1, 0)
    assert once < twice < nights.proposal(FACT).score


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Send the offer to Ana by 2026-03-20", date(2026, 3, 20)),
        ("The deadline of the grant is March 12", date(2026, 3, 12)),
        ("Angebot bis 2026-03-12 an Ana", date(2026, 3, 12)),
        ("提案資料の締め切りは3月12日", date(2026, 3, 12)),
        ("报告截止日期 2026年3月5日", date(2026, 3, 5)),
        ("3月5日までに請求書を送る", date(2026, 3, 5)),
        ("[ ] call the harbour office on 2026-03-10", date(2026, 3, 10)),
        ("Answer Tom by tomorrow", date(2026, 3, 24)),
        (
            "Rule: each team must always hand in the server keys before March 12, never later",
            date(2026, 3, 12),
        ),
        ("Every invoice and every marketing plan is due by March 12", date(2026, 3, 12)),
        ("Plan of this week (3/12-3/18)", date(2026, 3, 18)),
    ],
)
def test_a_deadline_that_has_passed_is_known(text: str, last: date) -> None:
    assert passed_deadline(text, date(2026, 3, 10), TODAY) == last


@pytest.mark.parametrize(
    "text",
    [
        "Send the offer to Ana by 2026-04-20",
        "The database moved to Lisbon on 2026-03-10",
        "The lease runs until 2027-02-28, signed on 2026-01-03",
        "Pay the first part by 2026-03-01 and the second by 2026-05-01",
        "Deploys happen on Tuesdays",
        "The report is due by March 12 every year",
        "Chaque année: échéance March 12",
        "Ana's birthday: remind her before March 12",
        "this week the ratio was 3/4-3/6",
        "Next week we ship version 3/2-3/3",
    ],
)
def test_what_is_to_come_or_no_deadline_is_none(text: str) -> None:
    assert passed_deadline(text, date(2026, 3, 10), TODAY) is None


@pytest.mark.promise(
    "Dreaming and proposals",
    "a deadline has passed, however often it was said",
    "it is not proposed",
)
def test_a_passed_deadline_is_never_proposed(nights: Nights) -> None:
    nights.log(20, "The offer for the harbour has to reach Ana by 2026-03-20")
    assert nights.proposed() == []
    assert nights.why("offer for the harbour") == "its date has passed: 2026-03-20"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to use tantivy for search", "decision"),
        ("Sarah prefers async reviews", "preference"),
        ("Ana was born in Lisbon", "identity"),
        ("我们决定使用 PostgreSQL", "decision"),
        (FACT, "fact"),
    ],
)
def test_a_type_is_said_where_the_words_are_certain(text: str, kind: str) -> None:
    assert fact_type(text) == kind
