"""The more of a question is said exactly, the less meaning counts."""

from __future__ import annotations

from datetime import date

import pytest

from indexing.ranking.order import DEFAULT, PRESETS, Candidate, Weights, changed, explain, parts_of, rank
from indexing.search.answer import Query
from tests.indexing.conftest import Memory
from workbench.memory.entry import Kind

TODAY = date(2026, 3, 31)
NAME = "ERR_CONNECTION_REFUSED"


def exact(memory: Memory, text: str, *, prefix: bool = False) -> float:
    return memory.hybrid().search_with_pool(Query(text, prefix=prefix))[1].question.exact


@pytest.mark.parametrize(
    ("text", "share"),
    [
        (NAME, 1.0),
        (f"{NAME} snake_case", 1.0),
        (f"why the {NAME} in the ingest worker", 1 / 3),
        ("https://example.org/docs/retry?x=1", 1.0),
        ('"door code"', 1.0),
        ('"door code" april', 2 / 3),
        ('what about the "door code" in april?', 1 / 2),
        ("ERR_NOBODY_HAS_THIS", 0.0),
        ('"nobody said this"', 0.0),
        ("the door code", 0.0),
        ("Sarah's self-care, and/or the U.S. launch", 0.0),
        ("what of 2026-03-14 at 10:30 or the 14th", 0.0),
        ("登录模块", 0.0),
        ("", 0.0),
    ],
)
def test_identifiers_that_some_entry_has_and_quotes_are_said_exactly(
    filled: Memory, text: str, share: float
) -> None:
    assert exact(filled, text) == pytest.approx(share)


def test_the_beginning_of_a_hash_is_said_exactly_where_one_begins_so(memory: Memory) -> None:
    memory.write("MEMORY.md", "Rolled back to 3f2a9c8d11e0")
    memory.reindex()
    assert exact(memory, "3f2a9c8") == 1.0
    assert exact(memory, "3f2a9c9") == 0.0


def test_meaning_gives_way_by_the_share_and_never_without_words_to_give_way_to() -> None:
    assert [round(DEFAULT.share_of(share), 4) for share in (0.0, 0.5, 1.0)] == [0.7, 0.5506, 0.1045]
    assert Weights(1.0, 0.0).share_of(1.0) == 1.0
    assert changed(DEFAULT, {"exact": "off"}).share_of(1.0) == DEFAULT.share_of(0.0)
    assert PRESETS["openclaw"].share_of(1.0) == PRESETS["openclaw"].share_of(0.0)


def test_the_entry_that_has_the_name_comes_before_the_nearest_by_meaning() -> None:
    pool = [Candidate(1, Kind.NOTE, 0, 9.0, 0.4), Candidate(2, Kind.NOTE, 0, 8.0, 0.7)]
    assert [one.candidate.key for one in rank(pool, DEFAULT, TODAY)] == [2, 1]
    assert [one.candidate.key for one in rank(pool, DEFAULT, TODAY, exact=1.0)] == [1, 2]


def test_without_its_words_the_nearer_still_comes_first() -> None:
    pool = [Candidate(1, Kind.NOTE, 9, 0.0, 0.2), Candidate(2, Kind.NOTE, 0, 0.0, 0.7)]
    named = Candidate(3, Kind.NOTE, 0, 5.0, 0.1)
    assert [one.candidate.key for one in rank([*pool, named], DEFAULT, TODAY, exact=1.0)] == [3, 2, 1]


def test_the_parts_say_why_meaning_counts_less_and_still_make_the_score(filled: Memory) -> None:
    hit = filled.hybrid().search(Query(f"worker {NAME}", explain=True)).hits[0]
    words, meaning = hit.parts[:2]
    assert meaning.weight == pytest.approx(DEFAULT.share_of(0.5))
    assert "50% of the query is exact" in meaning.words
    assert words.contribution + meaning.contribution == pytest.approx(hit.score)
    plain = filled.hybrid().search(Query("ingest worker", explain=True)).hits[0]
    assert "exact" not in (plain.explanation or "")
    (ranked,) = rank([Candidate(1, Kind.NOTE, 0, 9.0, 0.4)], DEFAULT, TODAY, exact=0.25)
    assert "25% of the query" in explain(parts_of(ranked, DEFAULT, [], exact=0.25))


def test_an_entry_that_only_asks_or_announces_stands_below_one_that_says(memory: Memory) -> None:
    memory.write("memory/2026-03-01.md", "Which port does the staging server use?", heading="Monday")
    memory.write("memory/2026-03-02.md", "The staging server uses port 8443 since then", heading="Tuesday")
    memory.write("memory/2026-03-03.md", "**Staging:**", heading="Wednesday")
    (memory.root / "memory/2026-03-04.md").write_text("# Thursday\n\n## Links\n\n## Staging\n")
    memory.reindex()
    hits = memory.hybrid().search(Query("port of the staging server", explain=True)).hits
    assert "8443" in hits[0].snippet
    assert [hit.scores.lead_in for hit in hits] == [1.0, 0.9, 0.9, 0.9, 0.9]
    assert "lead-in 1.00: times 0.900 (only asks or announces)" in (hits[1].explanation or "")


def test_by_meaning_alone_a_name_counts_like_any_word(filled: Memory) -> None:
    hit = filled.hybrid().search(Query(NAME, mode="vector")).hits[0]
    assert hit.scores.share == 1.0
