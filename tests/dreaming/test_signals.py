"""What the book of recalls says, and what it does not get said."""

from __future__ import annotations

import pytest

from tests.dreaming.nights import NOW, Nights, ago
from workbench.dreaming.score import RecallHistory

FACT = "The staging port of the gateway is 8443"


def test_a_recall_is_known_by_its_entry_and_else_by_its_claim(nights: Nights) -> None:
    nights.record(
        {
            "at": f"{ago(3)}T08:00:00+00:00",
            "query": "a",
            "entry": "memory/x.md#abc123~2",
            "claim": "",
            "score": 0.5,
        },
        {
            "at": f"{ago(2)}T08:00:00+00:00",
            "query": "b",
            "entry": "gone.md#000000",
            "claim": "k1",
            "score": 0.25,
        },
        {
            "at": f"{ago(1)}T08:00:00+00:00",
            "query": "c",
            "entry": "gone.md#000000",
            "claim": "k9",
            "score": 1,
        },
    )
    book = RecallHistory(nights.workspace, NOW)
    found, gone = book.of({"k1": "first"}, {"abc123": ["first", "second"]})
    first, second = found["first"], found["second"]
    assert (first.count, first.score, sorted(first.queries), sorted(first.days)) == (
        2,
        0.75,
        ["a", "b"],
        [ago(3), ago(2)],
    )
    assert (second.count, second.score) == (1, 0.5)
    assert (gone, book.bad, book.ahead) == (1, 0, 0)


@pytest.mark.parametrize(
    ("score", "counted"),
    [(2, 1.0), (-1, 0.0), (True, 0.0), ("0.9", 0.0), (None, 0.0), (float("nan"), 0.0), (0.4, 0.4)],
)
def test_a_score_is_between_nothing_and_one_whatever_is_written(
    nights: Nights, score: object, counted: float
) -> None:
    nights.record({"at": f"{ago(3)}T08:00:00Z", "query": "a", "entry": "x#abc123", "score": score})
    found, _ = RecallHistory(nights.workspace, NOW).of({}, {"abc123": ["k"]})
    assert (found["k"].count, found["k"].score) == (1, counted)


@pytest.mark.parametrize(
    "wrong", [{"session": None}, {"session": 5}, {"claim": None}, {"claim": ["k"]}, {"by": None}]
)
def test_a_field_of_another_kind_costs_a_recall_only_that_field(
    nights: Nights, wrong: dict[str, object]
) -> None:
    nights.record({"at": f"{ago(3)}T08:00:00Z", "query": "a", "entry": "x#abc123", "score": 0.5, **wrong})
    book = RecallHistory(nights.workspace, NOW)
    found, _ = book.of({}, {"abc123": ["k"]})
    assert (found["k"].count, found["k"].score, book.bad) == (1, 0.5, 0)


def test_records_that_are_none_are_counted_and_told(nights: Nights) -> None:
    nights.record(
        {"at": "yesterday", "query": "a", "entry": "x#abc123"}, {"query": "a"}, {"at": 3}, ["no", "record"]
    )
    nights.record({"at": f"{ago(-2)}T08:00:00Z", "query": "a", "entry": "x#abc123", "score": 1})
    book = RecallHistory(nights.workspace, NOW)
    assert (book.bad, book.ahead) == (4, 1)
    assert book.of({}, {"abc123": ["k"]}) == ({}, 0)
    notes = nights.dream().notes
    assert "no records in the book of recalls: 4 lines" in notes
    assert "dated after now and not counted: 1 recall" in notes


def test_recalls_of_all_months_count(nights: Nights) -> None:
    nights.log(20, FACT)
    nights.recall(FACT, 3)
    old = nights.root / "_system/ledger/recalls-2025-12.jsonl"
    old.write_text(
        (nights.root / "_system/ledger/recalls-2026-03.jsonl").read_text().replace("2026-03", "2025-12")
    )
    assert nights.explained(FACT).facts["recall_days"] == 2


def test_an_entry_is_known_again_in_another_file(nights: Nights) -> None:
    nights.log(9, FACT)
    nights.recall(FACT, 8, 5, 2)
    assert nights.explained(FACT).facts["recalls"] == 3
    (nights.root / f"memory/{ago(9)}.md").rename(nights.root / f"memory/{ago(9)}-moved.md")
    assert nights.explained(FACT).facts["recalls"] == 3
