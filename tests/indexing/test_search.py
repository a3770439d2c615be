"""Asking the index, as a person would and as a hostile one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.answer import Query, query_from_json
from indexing.filters import Filters
from indexing.hybrid import HybridSearch
from indexing.ranking import Weights
from indexing.search import LexicalSearch
from tests.indexing.conftest import Memory
from tests.support.hashing import HashingEmbedder, unavailable
from workbench.errors import IndexUnavailableError, UsageError
from workbench.memory.entry import Kind

GARBAGE = ['"', "(", "foo:", "AND", "-x", "it's", "[]", "a AND", "\0", "\ud800", "* ? ~ ^", "\n"]
GARBAGE.append("x" * 5000)


def first(memory: Memory, text: str, **asked: object) -> str:
    hits = memory.lexical().search(Query(text, **asked)).hits  # type: ignore[arg-type]
    return hits[0].snippet if hits else ""


@pytest.mark.parametrize("text", GARBAGE)
def test_no_text_is_an_error(filled: Memory, text: str) -> None:
    for search in (filled.lexical(), filled.hybrid()):
        for prefix in (False, True):
            search.search(Query(text, prefix=prefix))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(), prefix=st.booleans())
def test_random_text_is_no_error(filled: Memory, text: str, prefix: bool) -> None:
    filled.lexical().search(Query(text, prefix=prefix))


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_REFUSED"),
        ("https://example.org/docs/retry?x=1", "back-off"),
        ("example.org", "back-off"),
        ("snake_case", "snake_case"),
        ("登录模块", "登录模块"),
        ("登录", "登录模块"),
        ("when was the launch moved", "launch"),
        ("restarting workers", "Restarted"),
        ("postgresql", "PostgreSQL"),
        ("4411", "door code"),
    ],
)
def test_what_stands_there_is_found(filled: Memory, asked: str, word: str) -> None:
    assert word in first(filled, asked)


def test_the_last_word_is_a_beginning_while_typing(filled: Memory) -> None:
    assert "PostgreSQL" in first(filled, "postg", prefix=True)
    assert first(filled, "postg") == ""
    assert "launch" in first(filled, "sarah moved the lau", prefix=True)


def test_one_wrong_letter_is_forgiven_where_nothing_else_is_found(filled: Memory) -> None:
    assert "PostgreSQL" in first(filled, "postgresqk")


def test_a_date_in_words_finds_the_log_of_that_day(filled: Memory) -> None:
    hits = filled.lexical().search(Query("14 March 2026")).hits
    assert {hit.path for hit in hits[:3]} == {"memory/2026-03-14.md"}


def test_neighbours_lend_their_words(filled: Memory) -> None:
    hits = filled.lexical().search(Query("launch ingest worker")).hits
    assert "back-off" in [hit.snippet for hit in hits][2]


def test_kinds_and_days_are_filters(filled: Memory) -> None:
    for search in (filled.lexical(), filled.hybrid()):
        of_kind = search.search(
            Query("the code on meetings deploys launch", filters=Filters(kinds=frozenset({Kind.MEMORY})))
        )
        assert {hit.kind for hit in of_kind.hits} == {Kind.MEMORY}
        day = date(2026, 3, 15)
        of_day = search.search(Query("launch names worker", filters=Filters(since=day, until=day)))
        assert {hit.date for hit in of_day.hits} == {day}
        assert not search.search(Query("launch", filters=Filters(since=date(2027, 1, 1)))).hits


def test_an_answer_is_the_json_of_the_command_line(filled: Memory) -> None:
    answer = filled.hybrid().search(Query("door code", k=1)).as_json()
    assert list(answer) == ["query", "mode", "took_ms", "generation", "stale", "degraded", "notes", "hits"]
    assert (answer["stale"], answer["degraded"], answer["mode"]) == (False, None, "hybrid")
    hit = answer["hits"][0]  # type: ignore[index]
    assert list(hit) == (
        "rank path start_line end_line kind entry heading date snippet score scores".split()  # noqa: SIM905
    )
    assert hit["path"] == "MEMORY.md"
    assert (hit["start_line"], hit["end_line"]) == (4, 4)
    assert hit["entry"].startswith("MEMORY.md#")
    assert list(hit["scores"]) == ["lexical", "vector", "recency", "boost"]


def test_meaning_alone_and_words_alone_can_be_asked_for(filled: Memory) -> None:
    vector = filled.hybrid().search(Query("door code", mode="vector"))
    assert vector.mode == "vector"
    assert "door code" in vector.hits[0].snippet
    lexical = filled.hybrid().search(Query("door code", mode="lexical"))
    assert (lexical.mode, lexical.degraded) == ("lexical", None)


def test_each_hit_explains_itself_when_asked(filled: Memory) -> None:
    hit = filled.hybrid().search(Query("door code", k=1, explain=True)).hits[0]
    assert hit.explanation is not None
    assert "door, code" in hit.explanation
    assert "cosine" in hit.explanation
    assert "explanation" in hit.as_json()


def test_a_snippet_of_a_long_entry_shows_the_words_asked_for(memory: Memory) -> None:
    memory.write("MEMORY.md", "alpha " * 150 + "the needle stands here " + "omega " * 60)
    memory.reindex(vectors=False)
    snippets = [hit.snippet for hit in memory.lexical().search(Query("needle")).hits]
    assert all(len(text) <= 700 for text in snippets)
    assert "needle" in snippets[0]


def test_near_duplicates_make_room_when_diversity_is_asked_for(memory: Memory) -> None:
    memory.write("MEMORY.md", *(f"the red fox jumped over fence {n}" for n in range(5)), "a fox slept")
    memory.reindex(vectors=False)
    search = LexicalSearch(memory.workspace, weights=Weights(diversity=0.5))
    assert "slept" in [hit.snippet for hit in search.search(Query("red fox")).hits][1]


def test_a_deleted_file_never_answers(filled: Memory) -> None:
    search = filled.hybrid()
    assert search.search(Query("PostgreSQL")).hits[0].path == "memory/projects/atlas.md"
    (filled.root / "memory/projects/atlas.md").unlink()
    for mode in ("hybrid", "lexical", "vector"):
        answer = search.search(Query("PostgreSQL", mode=mode))
        assert "memory/projects/atlas.md" not in {hit.path for hit in answer.hits}
        assert answer.stale


def test_an_entry_that_moved_is_found_where_it_stands_now(filled: Memory) -> None:
    path = filled.root / "MEMORY.md"
    path.write_text("new first line\n\n" + path.read_text())
    answer = filled.lexical().search(Query("door code"))
    assert answer.hits[0].start_line == 6
    assert answer.stale is not None


def test_an_entry_that_was_edited_away_does_not_answer(filled: Memory) -> None:
    filled.write("MEMORY.md", "Prefers async reviews over meetings", "The door code has changed")
    answer = filled.lexical().search(Query("4411"))
    assert "4411" not in " ".join(hit.snippet for hit in answer.hits)
    assert answer.stale is not None


def test_a_file_that_was_only_touched_is_not_stale(filled: Memory) -> None:
    path = filled.root / "MEMORY.md"
    path.write_bytes(path.read_bytes())
    assert filled.lexical().search(Query("door code")).stale is None


def test_without_an_index_the_way_to_one_is_told(memory: Memory) -> None:
    with pytest.raises(IndexUnavailableError) as caught:
        memory.lexical().search(Query("anything"))
    assert "reindex" in caught.value.hint


def test_without_a_model_words_answer_and_say_so(filled: Memory) -> None:
    broken = replace(filled.model.choice, open=unavailable().open)
    answer = HybridSearch(filled.workspace, model=broken).search(Query("door code"))
    assert answer.mode == "lexical"
    assert answer.degraded == "the model is broken: words only"
    assert "door code" in answer.hits[0].snippet


def test_the_model_is_opened_only_when_there_are_vectors_to_compare_with(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    memory.reindex(vectors=False)
    opened: list[str] = []

    def open_() -> HashingEmbedder:
        opened.append("model")
        return memory.model

    choice = replace(memory.model.choice, open=open_)
    search = HybridSearch(memory.workspace, model=choice)
    assert "no vectors yet" in str(search.search(Query("door code")).degraded)
    assert search.search(Query(" ")).hits == ()
    other = HybridSearch(memory.workspace, model=replace(choice, identity="hashing@2"))
    memory.reindex()
    assert "another model" in str(other.search(Query("door code")).degraded)
    assert opened == []
    assert search.search(Query("door code")).degraded is None
    assert "nearest by meaning" in str(search.search(Query("zzzqqq")).degraded)
    assert opened == ["model"]


def test_with_another_model_than_the_index_words_answer_and_say_so(filled: Memory) -> None:
    other = HashingEmbedder("hashing@2")
    answer = HybridSearch(filled.workspace, model=other.choice).search(Query("door code"))
    assert "another model" in str(answer.degraded)
    assert answer.hits


def test_entries_whose_vectors_are_still_missing_are_found_by_words(filled: Memory) -> None:
    filled.write("memory/2026-03-16.md", "Ordered a zeppelin")
    filled.reindex(vectors=False)
    answer = filled.hybrid().search(Query("zeppelin"))
    assert "zeppelin" in answer.hits[0].snippet
    assert answer.degraded == "1 entry has no vector yet"


def test_a_search_sees_what_another_reindex_wrote(filled: Memory) -> None:
    search = filled.hybrid()
    search.search(Query("door"))
    filled.write("memory/2026-03-17.md", "Bought a xylophone")
    filled.reindex()
    assert "xylophone" in search.search(Query("xylophone")).hits[0].snippet
    filled.reindex(full=True)
    assert "xylophone" in search.search(Query("xylophone")).hits[0].snippet


def test_a_question_is_embedded_once(filled: Memory) -> None:
    search = filled.hybrid()
    search.search(Query("door code"))
    search.search(Query("door code"))
    assert filled.model.texts.count("door code") == 1


@pytest.mark.parametrize(
    "request_",
    [
        *({}, {"query": 3}, {"query": "x", "k": 0}, {"query": "x", "k": "5"}),
        *({"query": "x", "mode": "magic"}, {"query": "x", "kinds": ["dragon"]}),
        *({"query": "x", "since": "soon"}, {"query": "x", "kinds": 5}),
    ],
)
def test_a_senseless_request_is_refused_with_the_reason(request_: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        query_from_json(request_)


def test_a_request_says_all_that_a_query_can() -> None:
    request = {"query": "x", "k": 3, "mode": "vector", "kinds": ["log"], "since": "2026-01-02"}
    query = query_from_json({**request, "prefix": True})
    filters = Filters(kinds=frozenset({Kind.LOG}), since=date(2026, 1, 2))
    assert query == Query("x", 3, "vector", filters, prefix=True)
