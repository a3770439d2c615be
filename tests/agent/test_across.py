"""Several workspaces asked as one: what is promised of the one order, and of those that cannot be asked."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from indexing.query.question import Filters
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from tests.agent.conftest import Given, Person
from tests.support.hashing import HashingEmbedder
from workbench.agent.federated_search import FederatedAnswer, FederatedSearch, strengths_of
from workbench.errors import IndexUnavailableError
from workbench.memory.entry import Kind
from workbench.workspace.registry import RegisteredWorkspace
from workbench.workspace.workspace import Workspace

DAY = date(2026, 3, 20)
Make = Callable[..., RegisteredWorkspace]


def today() -> date:
    return DAY


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Make]:
    """``made("a", "memory/notes.md", "line", ...)``: a workspace with one file, indexed."""
    open_: list[Given] = []

    def make(
        name: str, *items: str, path: str = "memory/2026-03-14.md", vectors: bool = False
    ) -> RegisteredWorkspace:
        given = Given(tmp_path / name)
        given.write(path, *items)
        given.index(vectors=vectors)
        open_.append(given)
        return RegisteredWorkspace(name, given.root)

    yield make
    for given in open_:
        given.sandbox.close()


def asked(*places: RegisteredWorkspace, words: bool = True) -> FederatedSearch:
    models = () if words else (HashingEmbedder().choice,)
    return FederatedSearch(places, vectors=not words, today=today, models=models)


def found(places: FederatedSearch, text: str, **more: object) -> FederatedAnswer:
    answer = places.search(Query(text, **more))  # type: ignore[arg-type]
    places.close()
    return answer


def shown(answer: FederatedAnswer) -> list[tuple[str, str]]:
    return [(one.scope.name, one.hit.snippet) for one in answer.hits]


ITEMS = (
    "The staging port is 8443",
    "The port of the broker is 1883",
    "Staging is rebuilt on Friday",
    "Ports are opened by Sarah",
    "Lisbon was sunny",
)


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("text", ["staging port", "who opens ports", "Friday", "nothing of the sort"])
def test_one_workspace_alone_answers_as_it_does_by_itself(made: Make, text: str, words: bool) -> None:
    one = made("one", *ITEMS, vectors=not words)
    answer = found(asked(one, words=words), text)
    place = asked(one)._opener(one.root)
    alone = (
        IndexSearch(place, vectors=False, today=today)
        if words
        else IndexSearch(place, today=today, model=HashingEmbedder().choice)
    )
    own = alone.search(Query(text))
    place.close()
    assert [hit.hit.entry for hit in answer.hits] == [hit.entry for hit in own.hits]
    assert [hit.hit.rank for hit in answer.hits] == [hit.rank for hit in own.hits]
    assert answer.told.mode == own.mode


@pytest.mark.parametrize("words", [True, False])
def test_copies_of_a_workspace_alternate_with_equal_strengths(made: Make, words: bool) -> None:
    places = [made(name, *ITEMS, vectors=not words) for name in ("b", "a", "c")]
    answer = found(asked(*places, words=words), "staging port", k=9)
    assert [one.scope.name for one in answer.hits] == ["a", "b", "c"] * 3
    for first, second, third in zip(*[iter(answer.hits)] * 3, strict=True):
        assert first.strength == second.strength == third.strength
        assert first.hit.entry == second.hit.entry == third.hit.entry


@pytest.mark.parametrize("words", [True, False])
def test_equal_entries_count_the_same_among_whatever_others(made: Make, words: bool) -> None:
    """Rarity in one workspace alone would give them different scores."""
    same = "The staging port is 8443"
    alone = f"{same}\n\n## Others\n"  # a vector has something of the neighbours in its section
    one = made("one", alone, *(f"port number {n} is closed" for n in range(30)), vectors=not words)
    two = made("two", alone, *(f"on day {n} staging slept" for n in range(30)), vectors=not words)
    across = asked(one, two, words=words)
    best = [across._ask(place, Query("staging port", k=1)) for place in (one, two)]
    assert [hit.snippet for each in best for hit in each.answer.hits] == [same, same]
    (first,), (second,) = strengths_of(best)[0]
    assert first == pytest.approx(second, abs=1e-6)
    across.close()


@pytest.mark.parametrize("words", [True, False])
def test_who_knows_nothing_of_it_does_not_stand_before_who_does(made: Make, words: bool) -> None:
    """The best of each has the score 1.0 in its own index: that decides nothing."""
    good = made(
        "z", "The deploy key of the broker is in the vault", "The broker deploy key is old", vectors=not words
    )
    bad = made("a", "The key is under the mat", "Keys are lost now and then", vectors=not words)
    answer = found(asked(bad, good, words=words), "deploy key of the broker", k=4)
    assert [one.scope.name for one in answer.hits][:2] == ["z", "z"]
    assert answer.hits[-1].scope.name == "a"
    assert all(a.strength >= b.strength for a, b in zip(answer.hits, answer.hits[1:], strict=False))


@pytest.mark.parametrize("words", [True, False])
def test_the_hits_of_one_workspace_keep_their_order(made: Make, words: bool) -> None:
    places = [
        made("a", *ITEMS, vectors=not words),
        made("b", "Port wine", "staging staging staging", "the port at Friday", vectors=not words),
        made("c", "A port", vectors=not words),
    ]
    answer = found(asked(*places, words=words), "staging port on Friday", k=20)
    for place in places:
        ranks = [one.hit.rank for one in answer.hits if one.scope.name == place.name]
        assert ranks == sorted(ranks)
        assert ranks
    again = found(asked(*reversed(places), words=words), "staging port on Friday", k=20)
    assert shown(again) == shown(answer)


def test_the_best_few_of_all_are_the_beginning_of_all(made: Make) -> None:
    places = [made("a", *ITEMS), made("b", *reversed(ITEMS)), made("c", "a port in a storm")]
    everything = shown(found(asked(*places), "port staging", k=20))
    for k in (1, 2, 5):
        assert shown(found(asked(*places), "port staging", k=k)) == everything[:k]


def test_conditions_count_in_each(made: Make) -> None:
    log = made("log", "The port is 1")
    note = made("note", "The port is 2", path="memory/notes.md")
    assert shown(found(asked(log, note), "port kind:log")) == [("log", "The port is 1")]
    only_notes = Filters(kinds=frozenset({Kind.NOTE}))
    assert shown(found(asked(log, note), "port", filters=only_notes)) == [("note", "The port is 2")]
    assert shown(found(asked(log, note), "port -kind:log")) == [("note", "The port is 2")]


def test_conditions_without_words_list_the_newest_of_all(made: Make) -> None:
    places = [
        made("a", "of the 14th"),
        made("b", "of the 16th", path="memory/2026-03-16.md"),
        made("c", "of the 15th", path="memory/2026-03-15.md"),
    ]
    assert [name for name, _ in shown(found(asked(*places), "kind:log"))] == ["b", "c", "a"]


def test_a_word_that_is_only_begun_counts_while_it_is_typed(made: Make) -> None:
    good, bad = made("z", "The brokerage house called"), made("a", "The house is blue")
    answer = found(asked(bad, good), "house broke", prefix=True, plain=True)
    assert shown(answer)[0] == ("z", "The brokerage house called")
    assert answer.hits[0].strength > answer.hits[1].strength


@pytest.mark.promise(
    "Several workspaces",
    "a registered folder is gone, cannot be opened, or was written by a newer version",
)
def test_one_that_is_gone_or_not_indexed_is_named_and_stops_nobody(made: Make, tmp_path: Path) -> None:
    here, gone = made("here", "The port is 1"), made("gone", "The port is 2")
    shutil.rmtree(gone.root)
    (tmp_path / "bare").mkdir()
    answer = found(asked(gone, here, RegisteredWorkspace("bare", tmp_path / "bare")), "port")
    assert shown(answer) == [("here", "The port is 1")]
    assert [(one.workspace, one.unavailable) for one in answer.asked] == [
        ("gone", "its folder no longer exists"),
        ("here", None),
        ("bare", "there is no index yet"),
    ]
    assert answer.told.degraded is not None
    assert "gone: its folder no longer exists" in answer.told.degraded
    assert answer.as_json()["state"] == "degraded"
    assert [one.strength for one in answer.hits] == [one.strength for one in found(asked(here), "port").hits]


def test_a_workspace_that_comes_back_is_opened_anew(made: Make) -> None:
    one, two = made("one", "The port is 1"), made("two", "The port is 2")
    across = asked(one, two)
    assert len(across.search(Query("port")).hits) == 2
    hidden = two.root.with_name("hidden")
    two.root.rename(hidden)
    assert len(across.search(Query("port")).hits) == 1
    hidden.rename(two.root)
    assert len(across.search(Query("port")).hits) == 2
    across.close()


def test_where_none_can_be_asked_there_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError, match="gone: its folder no longer exists"):
        asked(RegisteredWorkspace("gone", tmp_path / "gone")).search(Query("port"))


def test_a_workspace_without_vectors_is_compared_by_words_and_that_is_said(made: Make) -> None:
    one, two = made("one", "The staging port is 8443", vectors=True), made("two", "The staging port is 8443")
    answer = found(asked(one, two, words=False), "staging port", k=2)
    assert [one.strength for one in answer.hits] == [pytest.approx(answer.hits[0].strength)] * 2
    assert any("by keyword only: two has no vectors" in note for note in answer.told.notes)


@pytest.mark.promise(
    "Several workspaces",
    "a workspace raises its own ranking in its settings",
    "it does not rank above others because of that",
    by="a `workbench.yaml`",
)
def test_a_workspaces_own_weights_do_not_put_it_first(made: Make, owner: Person) -> None:
    """``workbench.yaml`` comes with the memory."""
    modest = made("modest", "The staging port is 8443")
    loud = made("loud", "The port <!-- pinned -->")
    before = shown(found(asked(loud, modest), "staging port"))
    assert before[0][0] == "modest"
    (loud.root / "workbench.yaml").write_text("search: {preset: goclaw}\n")
    assert shown(found(asked(loud, modest), "staging port")) == before


def test_nothing_is_written_into_a_workspace_that_is_asked(made: Make) -> None:
    one = made("one", *ITEMS)

    def files() -> dict[str, bytes]:
        return {
            str(path.relative_to(one.root)): path.read_bytes()
            for path in sorted(one.root.rglob("*"))
            if path.is_file()
        }

    before = files()
    found(asked(one), "port")
    assert files() == before


def test_a_stream_takes_in_what_changed_once_and_tries_what_failed_once(made: Make) -> None:
    good, bad = made("good", "The door code is 4411", vectors=True), made("bad", "anything")
    tried: list[str] = []

    def opened(root: Path) -> Workspace:
        tried.append(root.name)
        if root == bad.root:
            raise IndexUnavailableError("it cannot be opened")
        return Workspace.open(root)

    looked: list[str] = []
    model = HashingEmbedder().choice
    places = FederatedSearch(
        (good, bad),
        vectors=True,
        opener=opened,
        today=today,
        catch_up=lambda workspace: looked.append(workspace.root.name),
        models=[model],
    )
    first, last = places.stream(Query("door code"))
    places.close()
    assert (first.told.mode, last.told.mode) == ("lexical", "hybrid")
    assert (tried, looked) == (["good", "bad"], ["good"])
    assert [one.unavailable for one in last.asked] == [None, "it cannot be opened"]


def test_conditions_alone_are_answered_once(made: Make) -> None:
    places = asked(made("good", "The door code is 4411", vectors=True), words=False)
    (only,) = places.stream(Query("kind:log"))
    places.close()
    assert only.final
    assert only.hits
