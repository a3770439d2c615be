"""What was given is recorded, and never in the way of the answer."""

from __future__ import annotations

import pytest
from hypothesis import given as forall
from hypothesis import strategies as st

from tests.agent.conftest import NOW, Given
from workbench.agent.usage import MOST, query_key, record_recalls
from workbench.agent.usage import GivenEntry as One
from workbench.memory.claims import claim_key


def record(given: Given, entries: list[One], query: str = "Which PORT?") -> str | None:
    return record_recalls(
        given.workspace, entries, query=query, by="memory_search", now=NOW, user="sam", session="s7"
    )


def test_each_entry_has_a_line_that_does_not_hold_the_question(given: Given) -> None:
    assert record(given, [One("memory/a.md#abc", "The port is 8443", 0.71239)]) is None
    assert given.records("recalls") == [
        {
            "at": "2026-03-20T12:00:00+00:00",
            "query": query_key("which port?"),
            "entry": "memory/a.md#abc",
            "claim": claim_key("The port is 8443"),
            "score": 0.7124,
            "by": "memory_search",
            "user": "sam",
            "session": "s7",
        }
    ]
    page = (given.workspace.root / ".workbench/ledger/pending.jsonl").read_bytes()
    assert b"8443" not in page
    assert b"PORT" not in page


def test_an_answer_is_bounded_and_its_scores_lie_between_0_and_1(given: Given) -> None:
    record(given, [One(f"memory/a.md#{n}", f"{n}", n - 5.0) for n in range(MOST + 30)])
    records = given.records("recalls")
    assert len(records) == MOST
    assert {0.0, 1.0} == {one["score"] for one in records}


def test_nothing_given_is_nothing_recorded(given: Given) -> None:
    assert record(given, []) is None
    assert given.records("recalls") == []


@pytest.mark.promise("Agents", "the ledger cannot be written", "the answer is given, with a note")
def test_a_ledger_that_cannot_be_written_is_a_note(given: Given) -> None:
    given.sandbox.write(".workbench/ledger", "a file in the place of the folder")
    note = record(given, [One("memory/a.md#abc", "x", 0.5)])
    assert note is not None
    assert note.startswith("this recall was not recorded: ")


@forall(st.text(max_size=60))
def test_a_question_is_the_same_in_any_case_and_spacing(query: str) -> None:
    assert query_key(query) == query_key("  " + " ".join(query.split()) + "\n")
    assert len(query_key(query)) == 16
    if query.upper().casefold() == query.casefold():
        assert query_key(query.upper()) == query_key(query)
