"""Who asks for one word, alone or in quotes, gets the entries that have it, then whatever is near."""

from __future__ import annotations

from datetime import date

import pytest

from indexing.ranking.order import PRESETS, changed
from indexing.search.answer import Hit, Query
from indexing.search.index_search import IndexSearch
from indexing.search.modes import Mode
from tests.indexing.conftest import Memory

RARE = "quokka"


@pytest.fixture
def garden(memory: Memory) -> Memory:
    """Forty lines about gardens, one of them with a rare word, and its neighbours."""
    lines = [f"the gardener watered bed {n} and talked of rain" for n in range(40)]
    lines[20] = "a quokka sat by the pond"
    lines[30] = "harbours are deep"
    lines[10] = "the harbour opens"
    memory.write("memory/2026-03-14.md", *lines)
    memory.write("MEMORY.md", "Gardens need rain", "The pond is by the gate", heading="Garden")
    memory.reindex()
    return memory


def hits(memory: Memory, text: str, preset: str = "default", **said: object) -> tuple[Hit, ...]:
    weights = changed(PRESETS[preset], said)
    return memory.hybrid().search(Query(text, 12, weights=weights, explain=True)).hits


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("asked", [RARE, f'"{RARE}"', "Quokka?", "quokkas"])
def test_a_word_that_stands_in_one_entry_finds_it_first(garden: Memory, preset: str, asked: str) -> None:
    assert RARE in hits(garden, asked, preset)[0].snippet


@pytest.mark.parametrize("preset", PRESETS)
def test_the_form_that_was_asked_for_comes_before_others(garden: Memory, preset: str) -> None:
    for asked in ("harbour", "harbours"):
        first, second, *others = (hit.snippet.split() for hit in hits(garden, asked, preset))
        assert asked in first
        assert {"harbour", "harbours"} & set(second)
        assert not any({"harbour", "harbours"} & set(one) for one in others)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("khiển", "khiến"),
        ("khiến", "khiển"),
        ("Größe", "Grosse"),
        ("año", "ano"),
        ("всё", "все"),
        ("đo", "do"),
    ],
)
def test_a_word_with_its_accents_comes_before_one_that_differs_in_them(
    memory: Memory, preset: str, asked: str, other: str
) -> None:
    memory.write("memory/2026-03-14.md", f"{asked} with some more words", other, f"{asked} in others", other)
    memory.reindex()
    found = hits(memory, asked, preset)
    assert [asked.lower() in hit.snippet.lower().split() for hit in found] == [True, True, False, False]
    assert "the exact word with its accents" in (found[0].explanation or "")


def test_near_duplicates_that_make_room_do_not_put_the_word_down(garden: Memory) -> None:
    garden.write("MEMORY.md", "A quokka sat by the pond", "A quokka sat by the pond again")
    garden.reindex()
    found = [RARE in hit.snippet.lower() for hit in hits(garden, RARE, diversity=0.3)]
    assert (sum(found), found) == (3, sorted(found, reverse=True))


def test_a_hit_says_why_it_is_first_and_that_it_only_stands_beside_a_match(garden: Memory) -> None:
    first, *others = hits(garden, RARE)
    assert "exact word: above entries without it" in (first.explanation or "")
    assert not first.neighbour
    beside = [hit for hit in others if hit.neighbour]
    assert {hit.start_line for hit in beside} == {first.start_line + n for n in (-2, -1, 1, 2)}
    assert all(hit.as_json()["neighbour"] is True for hit in beside)
    assert all("neighbour of a match" in (hit.explanation or "") for hit in beside)


def test_while_somebody_is_typing_words_that_begin_so_come_first(garden: Memory) -> None:
    found = garden.hybrid().search(Query("quok", 5, prefix=True)).hits
    assert RARE in found[0].snippet


def test_what_is_asked_for_by_meaning_alone_is_ranked_by_meaning_alone(garden: Memory) -> None:
    found = garden.hybrid().search(Query(RARE, 12, "vector")).hits
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


@pytest.fixture
def dated(memory: Memory) -> Memory:
    """Two entries of 13 July, and one of March for each way to name that day."""
    memory.write("memory/2026-07-13.md", "The dentist called about the bill", "Bought two lamps")
    memory.write(
        "memory/2026-03-02.md",
        "The deadline was moved to 2026-07-13 by Ann",
        "He wrote yesterday that the boat leaks",
        "The ferry sails in July only",
        "In march he will march",
    )
    memory.write("memory/2026-03-03.md", *(f"heron {number}" for number in range(20)))
    memory.reindex()
    return memory


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
@pytest.mark.parametrize(
    ("asked", "saying"),
    [("2026-07-13", "deadline"), ("yesterday", "boat"), ("Yesterday?", "boat"), ("july", "ferry")],
)
def test_entries_of_a_day_that_is_asked_for_come_before_those_that_say_it(
    dated: Memory, mode: Mode, asked: str, saying: str
) -> None:
    search = IndexSearch(dated.workspace, model=dated.model.choice, today=lambda: date(2026, 7, 14))
    found = search.search(Query(asked, 12, mode, explain=True)).hits
    assert {hit.path for hit in found[:2]} == {"memory/2026-07-13.md"}
    assert "of the day in the query" in (found[0].explanation or "")
    assert saying in found[2].snippet


@pytest.mark.parametrize("asked", ["march", '"July"'])
def test_what_is_more_likely_a_word_or_is_quoted_is_no_day(dated: Memory, asked: str) -> None:
    search = IndexSearch(dated.workspace, model=dated.model.choice, today=lambda: date(2026, 7, 14))
    assert asked.strip('"') in search.search(Query(asked, 12)).hits[0].snippet
