"""Asking the index, as a person would and as a hostile one."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.query.question import Filters
from indexing.ranking.order import DEFAULT, PRESETS, Weights, changed
from indexing.search.answer import Query, query_from_json
from indexing.search.index_search import IndexSearch
from indexing.search.modes import MODES
from tests.indexing.conftest import Memory
from tests.support.hashing import HashingEmbedder, unavailable
from workbench.errors import IndexUnavailableError, UsageError
from workbench.memory.entry import Kind
from workbench.workspace.workspace import Workspace

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


def test_a_text_that_a_user_has_a_copy_of_answers_once_also_where_a_neighbour_does(memory: Memory) -> None:
    memory.write("memory/2026-03-01.md", "The zebra crossing opens at nine", "Bring a hat")
    memory.write("memory/users/ada/notes.md", "The zebra crossing opens at nine")
    memory.reindex()
    hits = memory.lexical().search(Query("zebra crossing", user="ada")).hits
    assert [(hit.path, hit.snippet, hit.neighbour) for hit in hits] == [
        ("memory/users/ada/notes.md", "The zebra crossing opens at nine", False),
        ("memory/2026-03-01.md", "Bring a hat", True),
    ]


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
    names = ["query", "state", "mode", "took_ms", "generation", "stale", "degraded", "notes", "hits"]
    assert list(answer) == names
    assert (answer["state"], answer["stale"], answer["degraded"]) == ("ok", False, None)
    assert answer["mode"] == "hybrid"
    hit = answer["hits"][0]  # type: ignore[index]
    assert list(hit) == (
        "rank path start_line end_line kind entry heading date snippet score scores".split()  # noqa: SIM905
    )
    assert hit["path"] == "MEMORY.md"
    assert (hit["start_line"], hit["end_line"]) == (4, 4)
    assert hit["entry"].startswith("MEMORY.md#")
    parts = ["lexical", "vector", "share", "date", "recency", "boost", "importance", "pin", "user", "lead_in"]
    assert list(hit["scores"]) == parts


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
    search = IndexSearch(memory.workspace, weights=Weights(diversity=0.5), vectors=False)
    assert "slept" in [hit.snippet for hit in search.search(Query("red fox")).hits][1]


@pytest.mark.promise(
    "The index",
    "files deleted since they were indexed",
    "they are not found; the next best hits take their places, and the answer says `stale`",
)
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
    answer = IndexSearch(filled.workspace, model=broken).search(Query("door code"))
    assert answer.mode == "lexical"
    assert answer.degraded == "the model is broken: keyword search only"
    assert "door code" in answer.hits[0].snippet


def test_the_model_is_opened_only_when_there_are_vectors_to_compare_with(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    memory.reindex(vectors=False)
    opened: list[str] = []

    def open_() -> HashingEmbedder:
        opened.append("model")
        return memory.model

    choice = replace(memory.model.choice, open=open_)
    search = IndexSearch(memory.workspace, model=choice)
    assert "no vectors yet" in str(search.search(Query("door code")).degraded)
    assert search.search(Query(" ")).hits == ()
    other = IndexSearch(memory.workspace, model=replace(choice, identity="hashing@2"))
    memory.reindex()
    assert "another model" in str(other.search(Query("door code")).degraded)
    assert opened == []
    assert search.search(Query("door code")).degraded is None
    assert "closest by meaning" in str(search.search(Query("zzzqqq")).notes)
    assert opened == ["model"]


def test_with_another_model_than_the_index_words_answer_and_say_so(filled: Memory) -> None:
    other = HashingEmbedder("hashing@2")
    answer = IndexSearch(filled.workspace, model=other.choice).search(Query("door code"))
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
        *({"query": "x", "mode": "magic"}, {"query": "x", "mode": []}, {"query": "x", "user": 7}),
        *(
            {"query": "x", "kind": "log"},
            {"query": "x", "kinds": ["log"]},
            {"query": "x", "since": "2026-03"},
        ),
        *({"query": "x", "filters": said} for said in ("kind:log", ["log"], {"colour": "red"})),
        *({"query": "x", "filters": {"kind": said}} for said in (["dragon"], 5, [5], {"log": 1}, "", [""])),
        *(
            {"query": "x", "filters": {"since": said}}
            for said in ("soon", "03/04/2026", 2026, [f"{n}d" for n in range(33)])
        ),
        *({"query": "x", "filters": {"pinned": said}} for said in (1, "perhaps", ["yes", "no"])),
        {"query": "x", "filters": {"path": "x" * 300}},
    ],
)
def test_a_senseless_request_is_refused_with_the_reason(request_: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        query_from_json(request_)


def test_a_request_says_all_that_a_query_can() -> None:
    said: dict[str, object] = {
        "kind": ["log", "note"],
        "since": "2026-01-02",
        "until": "2026-02",
        "type": "Todo",
        "from": ["s,1"],
    }
    said |= {"path": ["memory/"], "trust": "trusted", "user": "", "pinned": False}
    request = {"query": "x", "k": 3, "mode": "vector", "filters": said, "user": "sam", "plain": True}
    query = query_from_json({**request, "prefix": True, "explain": True})
    filters = Filters(
        kinds=frozenset({Kind.LOG, Kind.NOTE}),
        since=date(2026, 1, 2),
        until=date(2026, 2, 28),
        types=frozenset({"todo"}),
        sources=frozenset({"s,1"}),
        paths=frozenset({"memory/"}),
        trusts=frozenset({"owner", "agent"}),
        users=frozenset({""}),
        pinned=False,
    )
    assert query == Query("x", 3, "vector", filters, prefix=True, explain=True, plain=True, user="sam")
    nothing: dict[str, object] = {"kind": [], "since": None, "pinned": None}
    assert query_from_json({"query": "x", "filters": nothing}) == query_from_json({"query": "x"})


def test_what_is_asked_again_is_ranked_by_its_own_weights(filled: Memory) -> None:
    search = filled.hybrid()
    words = search.search(Query("door code launch", weights=PRESETS["keyword"]))
    meaning = search.search(Query("door code launch", weights=PRESETS["semantic"], explain=True))
    assert meaning.hits[0].scores.share == pytest.approx(0.9)
    assert words.hits[0].scores.share == pytest.approx(0.2)
    assert meaning.as_json()["weights"] == PRESETS["semantic"].as_json()
    filled.write("memory/2026-03-16.md", "The door code is 5522")
    filled.reindex()
    assert "5522" in " ".join(hit.snippet for hit in search.search(Query("door code launch")).hits)


def test_the_weights_of_a_request_change_those_of_the_search(filled: Memory) -> None:
    search = IndexSearch(filled.workspace, weights=PRESETS["openclaw"], model=filled.model.choice)
    query = query_from_json({"query": "x", "weights": {"pin": 0.5}}, search.weights)
    assert query.weights == changed(PRESETS["openclaw"], {"pin": 0.5})
    assert query_from_json({"query": "x", "weights": "keyword"}).weights == PRESETS["keyword"]
    with pytest.raises(UsageError):
        query_from_json({"query": "x", "weights": {"magic": 1}})


def test_the_settings_of_the_workspace_choose_the_weights(memory: Memory) -> None:
    (memory.root / "workbench.yaml").write_text("search: {preset: keyword}\n")
    memory.write("MEMORY.md", "The door code is 4411")
    memory.reindex()
    workspace = Workspace.open(memory.root)
    hits = IndexSearch(workspace, model=memory.model.choice).search(Query("door code")).hits
    assert [hit.scores.share for hit in hits] == [pytest.approx(PRESETS["keyword"].share_of(0.0))]


def test_a_search_by_meaning_alone_explains_meaning_alone(filled: Memory) -> None:
    hit = filled.hybrid().search(Query("door code", mode="vector", explain=True)).hits[0]
    assert hit.scores.share == 1.0
    assert hit.score == pytest.approx(hit.scores.vector)


def test_entries_of_a_day_that_is_named_come_first_even_without_its_words(memory: Memory) -> None:
    for day in range(10, 20):
        memory.write(f"memory/2026-03-{day}.md", f"Nothing much, the harbour was calm, {day} boats")
    memory.write("memory/2026-03-14.md", "A heron sat on the gauge")
    memory.reindex()
    for search in (memory.lexical(), memory.hybrid()):
        answer = search.search(Query("what about the harbour on 2026-03-14", explain=True))
        near = {hit.path[-13:-3]: hit.scores.date for hit in answer.hits}
        assert near["2026-03-14"] == pytest.approx(search.weights.date)
        assert 0 < near["2026-03-13"] < near["2026-03-14"]
        assert near["2026-03-19"] == 0
        assert "date" in str(next(h for h in answer.hits if h.scores.date).explanation)
    off = memory.lexical().search(Query("what about the harbour on 2026-03-14", weights=Weights(date=0)))
    assert {hit.scores.date for hit in off.hits} == {0.0}


# -- whose memory it is --------------------------------------------------------------------------


@pytest.fixture
def shared(memory: Memory) -> Memory:
    """Memory of everybody, of Sam and of Kim."""
    memory.write(
        "MEMORY.md", "Coffee is in the kitchen", "The coffee machine needs descaling", "Tea is green"
    )
    memory.write("memory/users/sam/notes.md", "Coffee is in the kitchen", "Coffee without milk please")
    memory.write("memory/users/kim/notes.md", "Coffee with a secret ingredient")
    memory.reindex()
    return memory


def test_nobody_elses_memory_answers_and_ones_own_counts_for_more(shared: Memory) -> None:
    for search in (shared.lexical(), shared.hybrid()):
        answer = search.search(Query("coffee", user="sam"))
        assert not any("users/kim" in hit.path for hit in answer.hits)
        gains = {hit.path: hit.scores.user for hit in answer.hits}
        assert gains["memory/users/sam/notes.md"] == pytest.approx(1.2)
        assert gains["MEMORY.md"] == 1.0
        assert answer.notes == ()


def test_ones_own_copy_answers_in_place_of_everybodys(shared: Memory) -> None:
    hits = shared.hybrid().search(Query("coffee in the kitchen", user="Sam")).hits
    copies = [hit.path for hit in hits if hit.snippet == "Coffee is in the kitchen"]
    assert copies == ["memory/users/sam/notes.md"]
    anybody = shared.hybrid().search(Query("coffee in the kitchen")).hits
    assert sum(hit.snippet == "Coffee is in the kitchen" for hit in anybody) == 2


def test_where_a_user_has_nothing_everybodys_memory_answers_and_says_so(shared: Memory) -> None:
    answer = shared.hybrid().search(Query("green tea", user="lee"))
    assert answer.hits[0].snippet == "Tea is green"
    assert answer.notes == ("no entries of user lee; these belong to no user",)


def test_a_user_cannot_ask_for_somebody_elses_memory(shared: Memory) -> None:
    answer = shared.hybrid().search(Query("coffee user:kim", user="sam"))
    assert answer.hits == ()


def test_what_is_in_quarantine_is_in_no_pool(memory: Memory) -> None:
    memory.write("MEMORY.md", "The door code is 4411")
    memory.write("_system/quarantine/MEMORY.md", "The door code is 6666")
    memory.reindex()
    for search in (memory.lexical(), memory.hybrid()):
        pool = search.search_with_pool(Query("door code 6666"))[1]
        assert {pool.entry(one.key).path for one in pool.candidates} == {"MEMORY.md"}


# -- the truth about the disk --------------------------------------------------------------------


@pytest.mark.promise(
    "The index", "the answer is stale, degraded, empty or failed", "each state has its own name"
)
def test_four_answers_are_four_words(filled: Memory) -> None:
    search = filled.hybrid()
    assert search.search(Query("door code")).state == "ok"
    assert search.search(Query("zzzqqq", mode="lexical")).state == "empty"
    nearest = search.search(Query("zzzqqq"))
    assert (nearest.state, nearest.degraded) == ("ok", None)  # both sides looked: nothing is missing
    assert any("closest by meaning" in note for note in nearest.notes)
    nowhere = search.search(Query("zzzqqq since:2099-01-01"))
    assert (nowhere.state, nowhere.notes) == ("empty", ())
    within = search.search(Query("door kind:episode"))
    assert within.state == "empty" or "with these filters" in " ".join(within.notes)
    assert IndexSearch(filled.workspace, load_on_demand=False).search(Query("door code")).state == "degraded"
    filled.write("MEMORY.md", "a line before", "The door code is 4411")
    stale = search.search(Query("door code"))
    assert (stale.state, stale.hits[0].start_line) == ("stale", 4)
    assert stale.as_json()["state"] == "stale"


@pytest.mark.promise("The index", "files deleted since they were indexed")
def test_files_that_are_gone_do_not_leave_the_answer_short(memory: Memory) -> None:
    for number in range(300):
        memory.write(f"memory/notes/gone-{number:03}.md", f"harbour crane {number}")
    memory.write("memory/notes/here.md", *(f"a note on the harbour of town number {n}" for n in range(5)))
    memory.reindex()
    searches = [memory.lexical(), memory.hybrid()]
    for search in searches:
        assert "crane" in search.search(Query("harbour crane", k=5)).hits[0].snippet
    for number in range(300):
        (memory.root / f"memory/notes/gone-{number:03}.md").unlink()
    for search in searches:
        answer = search.search(Query("harbour crane", k=5))
        assert {hit.path for hit in answer.hits} == {"memory/notes/here.md"}
        assert [hit.rank for hit in answer.hits] == [1, 2, 3, 4, 5]
        assert "changed since indexing" in str(answer.stale)


@pytest.mark.promise(
    "The index", "a line edited since it was indexed", "it is found with its new text or not at all"
)
def test_an_edited_line_answers_with_its_new_text_or_not_at_all(filled: Memory) -> None:
    search = filled.hybrid()
    assert "4411" in search.search(Query("door code")).hits[0].snippet
    filled.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 9999")
    answer = search.search(Query("door code"))
    assert "4411" not in json.dumps(answer.as_json())
    assert any("async reviews" in hit.snippet for hit in answer.hits)
    filled.reindex()
    assert "9999" in search.search(Query("door code")).hits[0].snippet


@pytest.mark.promise("The index", "a file replaced by a folder", "it is not found")
def test_a_file_that_became_a_folder_does_not_answer(filled: Memory) -> None:
    search = filled.hybrid()
    search.search(Query("PostgreSQL"))
    path = filled.root / "memory/projects/atlas.md"
    path.unlink()
    path.mkdir()
    answer = search.search(Query("PostgreSQL"))
    assert "memory/projects/atlas.md" not in {hit.path for hit in answer.hits}
    assert answer.stale


@pytest.mark.promise(
    "The index",
    "the index folder, or a part of it, removed while it is open",
    "searches are answered or fail with a message; the next reindex rebuilds it, and the interface starts "
    "one by itself",
)
@pytest.mark.parametrize("gone", ["", "lexical", "vectors", "manifest.json", "lexical/meta.json"])
def test_an_index_removed_while_it_is_open_answers_on_or_says_that_it_failed(
    filled: Memory, gone: str
) -> None:
    search = filled.hybrid()
    assert search.search(Query("door code")).state == "ok"
    place = filled.generation / gone if gone else filled.index
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink()
    for mode in ("hybrid", "lexical", "vector"):
        said = ""
        try:
            said = search.search(Query("door code", mode=mode)).hits[0].snippet
        except IndexUnavailableError as error:
            said = error.hint
        assert "door code" in said or "reindex" in said
    filled.reindex()
    again = search.search(Query("door code"))
    assert (again.state, "door code" in again.hits[0].snippet) == ("ok", True)


# -- what a question is not ----------------------------------------------------------------------


@pytest.mark.parametrize("text", ['"', "-", "^$.*(){}[]", " ?! "])
def test_signs_alone_find_nothing_and_say_so(filled: Memory, text: str) -> None:
    for mode in MODES.values():
        answer = filled.hybrid().search(Query(text, mode=mode))
        assert (answer.state, answer.notes) == ("empty", ("it has no searchable words",))
    assert filled.hybrid().search(Query(text, prefix=True)).notes == ()


def test_words_that_name_days_by_today_are_days_and_no_words(memory: Memory) -> None:
    memory.write("memory/2026-02-20.md", "Kept the last week of the old plan, and decided nothing")
    memory.write("memory/2026-03-24.md", "The harbour decided on two cranes")
    memory.reindex()
    for search in (
        IndexSearch(memory.workspace, today=lambda: date(2026, 3, 31), vectors=False),
        IndexSearch(memory.workspace, model=memory.model.choice, today=lambda: date(2026, 3, 31)),
    ):
        assert search.search(Query("what was decided last week")).hits[0].path == "memory/2026-03-24.md"
        quoted = search.search(Query('decided "last week"'))
        assert [hit.path for hit in quoted.hits] == ["memory/2026-02-20.md"]
        undated = changed(DEFAULT, {"date": 0})
        assert search.search(Query("decided last week", weights=undated)).hits[0].path.endswith("02-20.md")
        assert "looked for" not in " ".join(search.search(Query("decided 2 weeks ago")).notes)


def test_days_alone_are_words_too(memory: Memory) -> None:
    memory.write("MEMORY.md", "Fed the starter yesterday", "Something else")
    memory.reindex()
    assert "starter" in memory.asked("yesterday").hits[0].snippet


def test_conditions_alone_are_explained_as_what_they_are(filled: Memory) -> None:
    hit = filled.hybrid().search(Query("kind:log", explain=True)).hits[0]
    assert "filters only: newest first" in (hit.explanation or "")
    assert "BM25" not in (hit.explanation or "")
    assert "no vector" not in (hit.explanation or "")


def test_a_word_that_was_looked_for_instead_is_in_the_explanation(filled: Memory) -> None:
    hits = filled.hybrid().search(Query("postgresqk", explain=True)).hits
    assert "PostgreSQL" in hits[0].snippet
    assert "postgresql" in (hits[0].explanation or "")
