"""A fleet without Ray and without a network: what is written, found, mended, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import lancedb
import numpy as np
import pytest

from indexing.document import entry_key, unpacked
from indexing.many_workspaces import table
from indexing.many_workspaces.search import FleetSearch
from indexing.many_workspaces.table import Location, SharedTable, place_of, storage
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.generations import Generations
from indexing.sync.run import reindex as reindex_one
from indexing.sync.sources import MARKDOWN_LIMIT
from indexing.vectors import open_table, vectors_in
from tests.fleet.models import hashing
from tests.fleet.workspaces import contents, make_fleet, write
from tests.support.hashing import HashingEmbedder
from workbench.errors import IndexUnavailableError, UsageError
from workbench.fleet.run import FleetReport, FleetRun, Plan, StorageFailedError, check, standings
from workbench.fleet.worker import Agent, Brought, InProcessPool, Recipe, Task, TaskResult, read
from workbench.workspace.workspace import Workspace

NO_WAIT = Plan(batch=4, wait=lambda _: None)


class Fleet:
    """Some workspaces, and the place of their table."""

    def __init__(self, root: Path, count: int) -> None:
        self.root = root / "agents"
        self.agents = make_fleet(self.root, count)
        self.place: Location = place_of(str(root / "table"))

    def run(self, recipe: Recipe | None = None, plan: Plan = NO_WAIT) -> FleetReport:
        recipe = recipe or hashing()
        return FleetRun(self.agents, self.place, recipe, plan).run(InProcessPool(recipe))

    @property
    def table(self) -> SharedTable:
        return SharedTable.open(self.place)

    def faults(self) -> list[tuple[str, str, str]]:
        return [(one.fault, one.workspace, one.path) for one in check(self.table, self.agents)]

    def search(self, words: str, *names: str, mode: str = "hybrid", k: int = 5) -> list[tuple[str, str]]:
        found = FleetSearch(self.table, HashingEmbedder()).search(Query(words, k, mode), names)  # type: ignore[arg-type]
        return [(hit.workspace, hit.snippet) for hit in found.hits]


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path, 6)


def rows(place: Location) -> list[dict[str, object]]:
    """All rows of a table in one order, vectors as bytes."""
    table = lancedb.connect(place.uri).open_table("entries")
    found = table.search().limit(100_000).to_list()
    for row in found:
        row["vector"] = None if row["vector"] is None else np.asarray(row["vector"], np.float32).tobytes()
    return sorted(found, key=lambda row: str(row["id"]))


def test_a_second_run_writes_nothing(fleet: Fleet) -> None:
    first = fleet.run()
    assert (first.written, first.unchanged, first.failed) == (6, 0, [])
    assert first.embedded == first.entries == first.rows > 50
    second = fleet.run()
    assert (second.written, second.unchanged, second.entries, second.batches) == (0, 6, 0, 0)
    assert fleet.faults() == []


def test_only_what_changed_is_written_and_embedded(fleet: Fleet) -> None:
    before = fleet.run().rows
    folder = Path(fleet.agents[2].path)
    write(folder, "MEMORY.md", "# Memory\n\n- The quokka likes figs\n")
    (folder / "memory/2026-03-14.md").unlink()
    states = {one.name: (one.state, one.behind) for one in standings(fleet.table, fleet.agents)}
    assert states.pop("agent-00002") == ("behind", 2)
    assert set(states.values()) == {("fresh", 0)}
    assert {fault for fault, _, _ in fleet.faults()} == {"stale", "surplus"}
    report = fleet.run()
    assert (report.written, report.changed_files, report.removed_files, report.embedded) == (1, 1, 1, 1)
    assert report.rows == before - 2 - 6 + 1
    assert fleet.search("quokka")[0] == ("agent-00002", "The quokka likes figs")
    assert fleet.faults() == []


def test_it_has_the_entries_and_the_vectors_of_each_own_index(fleet: Fleet, tmp_path: Path) -> None:
    fleet.run()
    written = rows(fleet.place)
    for agent in fleet.agents:
        place = Workspace.open(agent.path)
        reindex_one(place, model=HashingEmbedder().choice)
        generation = Generations(place.root / ".workbench").current()
        assert generation is not None
        own = open_table(generation.vectors).to_arrow()
        vectors = dict(zip(own["key"].to_pylist(), vectors_in(own), strict=True))
        here = [row for row in written if row["workspace"] == agent.name]
        assert len(here) == len(vectors)
        for row in here:
            entry, _ = unpacked(row["body"])  # type: ignore[arg-type]
            vector = vectors[entry_key(entry.address)]
            mine = np.frombuffer(row["vector"], np.float32)  # type: ignore[call-overload]
            assert np.allclose(vector, mine, atol=1e-6)


def test_workspaces_are_only_read(fleet: Fleet) -> None:
    before = contents(fleet.root)
    fleet.run()
    list(standings(fleet.table, fleet.agents))
    fleet.faults()
    assert contents(fleet.root) == before


def test_quarantine_and_what_is_excluded_are_no_memory_here_either(fleet: Fleet) -> None:
    folder = Path(fleet.agents[0].path)
    write(folder, "workbench.yaml", "exclude: ['memory/private/*']\n")
    write(folder, "memory/private/diary.md", "# Diary\n\n- The axolotl is private\n")
    write(folder, "quarantine/bad.md", "# Bad\n\n- The axolotl is suspicious\n")
    write(folder, "memory/public.md", "# Public\n\n- The axolotl is public\n")
    fleet.run()
    assert [said for _, said in fleet.search("axolotl", mode="lexical")] == ["The axolotl is public"]


@pytest.mark.promise(
    "The index of a fleet",
    "a workspace is gone, or its settings are invalid",
    "tried again, reported, exit code 4; all others are indexed",
)
def test_a_broken_workspace_is_tried_again_and_told_of(fleet: Fleet) -> None:
    fleet.agents.append(Agent("gone", str(fleet.root / "nowhere")))
    write(fleet.root / "odd", "workbench.yaml", "exlude: [private]\n")
    fleet.agents.append(Agent("odd", str(fleet.root / "odd")))
    report = fleet.run()
    assert {(one.name, one.attempts) for one in report.failed} == {("gone", 3), ("odd", 3)}
    assert (report.written, report.retried) == (6, 4)
    states = {one.name: one.state for one in standings(fleet.table, fleet.agents)}
    assert (states["gone"], states["odd"], states["agent-00000"]) == ("unreadable", "unreadable", "fresh")


def test_a_file_that_cannot_be_read_hides_no_other_of_its_workspace(fleet: Fleet) -> None:
    fleet.run()
    folder = Path(fleet.agents[2].path)
    write(folder, "memory/2026-03-14.md", "# 2026-03-14\n\n- The quokka likes figs\n")
    with (folder / "MEMORY.md").open("r+b") as file:
        file.truncate(MARKDOWN_LIMIT + 1)  # a hole in the file: it takes no room
    assert sorted(fleet.faults()) == [
        ("stale", "agent-00002", "memory/2026-03-14.md"),
        ("unreadable", "agent-00002", "MEMORY.md"),
    ]


class Losing(InProcessPool):
    """Loses every task in which one workspace is, as if its worker had died of it."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        for task, done in super().map(tasks):
            dies = any(agent.name == "agent-00004" for agent in task.agents)
            yield task, "it died" if dies else done


@pytest.mark.promise(
    "The index of a fleet",
    "a workspace kills every worker that reads it",
    "it is tried alone, and reported; the others are indexed",
)
def test_what_kills_its_workers_ends_up_alone_and_is_told_of(fleet: Fleet) -> None:
    report = FleetRun(fleet.agents, fleet.place, hashing(), replace(NO_WAIT, batch=6)).run(Losing(hashing()))
    assert [(one.name, one.attempts) for one in report.failed] == [("agent-00004", 3)]
    assert "its worker was lost: it died" in report.failed[0].error
    assert (report.written, report.lost) == (5, 3)  # once with the five others, and twice alone
    assert fleet.faults() == [("missing", "agent-00004", path) for path in _files(fleet.agents[4])]


def _files(agent: Agent) -> list[str]:
    return [file.path for file in Workspace.open(agent.path).scan()]


@pytest.mark.promise(
    "The index of a fleet",
    "all files of a workspace vanished, as with an unmounted folder",
    "its rows are kept and it is reported, until `--full`",
)
def test_a_folder_that_lost_everything_keeps_its_rows_until_it_is_believed(fleet: Fleet) -> None:
    rows_before = fleet.run().rows
    for path in Path(fleet.agents[0].path).rglob("*.md"):
        path.unlink()
    report = fleet.run()
    assert [one.name for one in report.failed] == ["agent-00000"]
    assert report.rows == rows_before
    assert fleet.run(plan=replace(NO_WAIT, full=True)).rows < rows_before


class Elsewhere(InProcessPool):
    """A worker on another node: while it is at work there are no workspaces."""

    def __init__(self, recipe: Recipe, workspaces: Path) -> None:
        super().__init__(recipe)
        self._workspaces, self._hidden = workspaces, workspaces.with_name("hidden")

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        for task in tasks:
            self._workspaces.rename(self._hidden)
            try:
                (brought,) = super().map([task])
            finally:
                self._hidden.rename(self._workspaces)
            yield brought


@pytest.mark.promise(
    "The index of a fleet",
    "workers run on nodes without the workspaces",
    "only the process that runs the command reads and writes; the table equals that of a single process",
)
def test_workers_need_none_of_the_files(fleet: Fleet, tmp_path: Path) -> None:
    fleet.run()
    place = place_of(str(tmp_path / "elsewhere"))
    report = FleetRun(fleet.agents, place, hashing(), NO_WAIT).run(Elsewhere(hashing(), fleet.root))
    assert (report.written, report.failed) == (6, [])
    assert rows(place) == rows(fleet.place)


class Interrupted(InProcessPool):
    """Ends the run after ``tasks`` tasks, as Ctrl-C does."""

    def __init__(self, recipe: Recipe, tasks: int) -> None:
        super().__init__(recipe)
        self._left = tasks

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        yield from islice(super().map(tasks), self._left)
        raise KeyboardInterrupt


@pytest.mark.promise(
    "The index of a fleet",
    "a run is interrupted",
    "the next run skips what is done, by the digests of the files",
)
def test_what_was_interrupted_goes_on_where_it_was(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, 10)
    with pytest.raises(KeyboardInterrupt):
        FleetRun(fleet.agents, fleet.place, hashing(), NO_WAIT).run(Interrupted(hashing(), 2))
    assert set(fleet.table.workspaces()) == {f"agent-{n:05d}" for n in range(8)}
    report = fleet.run()
    assert (report.written, report.unchanged) == (2, 8)
    whole = Fleet(tmp_path / "other", 0)
    whole.agents = fleet.agents
    whole.run()
    assert rows(fleet.place) == rows(whole.place)


def test_a_batch_that_is_written_twice_makes_no_doubles(fleet: Fleet) -> None:
    fleet.run()
    once = rows(fleet.place)
    recipe = hashing()
    with InProcessPool(recipe) as pool:
        # As if nothing were known: the first answer was lost.
        ((task, done),) = pool.map([read(tuple(fleet.agents), {})])
    assert isinstance(done, TaskResult)
    fleet.table.write(done.rows, task.files())
    assert rows(fleet.place) == once


@pytest.mark.promise(
    "The index of a fleet",
    "two runs at once duplicated some rows",
    "`fleet check` lists them, the next run removes them",
)
def test_doubled_rows_are_found_and_mended(fleet: Fleet) -> None:
    fleet.run()
    once = rows(fleet.place)
    entries = lancedb.connect(fleet.place.uri).open_table("entries")
    entries.add(
        entries.search().where("workspace = 'agent-00003' AND path = 'MEMORY.md'").limit(9).to_arrow()
    )
    assert fleet.faults() == [("doubled", "agent-00003", "MEMORY.md")]
    assert fleet.run().changed_files == 1
    assert rows(fleet.place) == once


@pytest.mark.parametrize("damage", [{"body": "X'00'"}, {"day": "NULL"}, {"path": "NULL"}])
def test_a_damaged_row_is_said_and_built_anew(fleet: Fleet, damage: dict[str, str]) -> None:
    fleet.run()
    once = rows(fleet.place)
    entries = lancedb.connect(fleet.place.uri).open_table("entries")
    entries.update(where="workspace = 'agent-00003'", values_sql=damage)
    asked = fleet.faults if "path" in damage else lambda: fleet.search("door code of agent 3")
    with pytest.raises(IndexUnavailableError, match="a row of the index of the fleet is damaged"):
        asked()
    fleet.run(plan=replace(NO_WAIT, full=True))
    assert rows(fleet.place) == once


def test_what_is_not_listed_is_told_of_and_pruned(fleet: Fleet) -> None:
    fleet.run()
    fleet.agents.pop()
    assert fleet.run().removed == 0
    assert fleet.faults() == [("unlisted", "agent-00005", "")]
    report = fleet.run(plan=replace(NO_WAIT, prune=True))
    assert (report.removed, fleet.faults()) == (1, [])


def test_another_model_needs_full(fleet: Fleet) -> None:
    fleet.run()
    with pytest.raises(UsageError, match="hashing@1"):
        fleet.run(Recipe())
    report = fleet.run(Recipe(), replace(NO_WAIT, full=True))
    assert (report.embedded, report.written) == (0, 6)
    assert fleet.search("door code of agent 3", mode="lexical", k=1)[0][0] == "agent-00003"


def test_names_with_quotes_are_names(fleet: Fleet) -> None:
    name = "o'neil'; DROP -- \"x\""
    fleet.agents[0] = Agent(name, fleet.agents[0].path)
    fleet.run()
    assert fleet.faults() == []
    assert {where for where, _ in fleet.search("door code", name)} == {name}


def test_conditions_hold_before_the_best_are_chosen(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, 40)
    fleet.run()
    assert len(fleet.search("door code", k=10)) == 10
    for mode in ("hybrid", "lexical", "vector"):
        assert {where for where, _ in fleet.search("door code", "agent-00037", mode=mode)} == {"agent-00037"}
    found = fleet.search("door code kind:log", k=10)
    assert found
    assert not any("door code" in said for _, said in found)
    assert fleet.search('"agent 17 is 4017"', k=3) == [("agent-00017", "The door code of agent 17 is 4017")]
    assert fleet.search("ERR_23", mode="lexical", k=1)[0][0] == "agent-00023"
    assert "登录" in fleet.search("登录模块", mode="lexical", k=1)[0][1]


@pytest.mark.parametrize(
    "asked",
    ['"door code" agent', "code -doors", 'agent -"deploy key"', "path:memory/*.md code", "from:s1 code"],
)
def test_conditions_mean_what_they_mean_in_one_workspace(fleet: Fleet, asked: str) -> None:
    fleet.run()
    agent = fleet.agents[3]
    place = Workspace.open(agent.path)
    reindex_one(place, vectors=False)
    query = Query(asked, 50, "lexical")
    own = {hit.entry for hit in IndexSearch(place, vectors=False).search(query).hits}
    assert {hit.entry for hit in FleetSearch(fleet.table).search(query, [agent.name]).hits} == own


def test_hits_tell_both_sides_as_one_workspaces_do(fleet: Fleet) -> None:
    fleet.run()
    answer = FleetSearch(fleet.table, HashingEmbedder()).search(Query("door code of agent 4"))
    best = answer.hits[0]
    assert (best.workspace, best.entry.partition("#")[0]) == ("agent-00004", "MEMORY.md")
    assert best.scores.lexical > 0.9
    assert 0 < best.scores.vector <= 1
    assert best.score == pytest.approx(best.scores.total)
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)
    words = FleetSearch(fleet.table, None, "no model is installed").search(Query("door code"))
    assert words.degraded == "no model is installed: keyword search only"
    assert words.hits


@pytest.mark.promise(
    "The index of a fleet",
    "the storage fails for a while, or for good",
    "tried again; otherwise the run ends with its report and exit code 1, and what was written stays",
)
def test_a_storage_that_fails_for_a_while_is_tried_again(fleet: Fleet) -> None:
    Path(fleet.place.uri).write_text("in the way")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            Path(fleet.place.uri).unlink()

    report = fleet.run(plan=replace(NO_WAIT, wait=wait))
    assert (report.written, report.storage_retries) == (6, 2)
    assert waits[0] < waits[1]


@pytest.mark.promise("The index of a fleet", "the storage fails for a while, or for good")
def test_a_storage_that_fails_for_good_ends_the_run_with_its_report(fleet: Fleet) -> None:
    Path(fleet.place.uri).write_text("in the way")
    with pytest.raises(StorageFailedError) as failed:
        fleet.run()
    assert failed.value.report.stopped == failed.value.message
    assert (failed.value.report.written, failed.value.exit_code) == (0, 1)


def test_no_secret_of_a_storage_is_in_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter22hunter22")
    with pytest.raises(IndexUnavailableError) as failed, storage("it cannot be read"):
        raise RuntimeError("refused: hunter22hunter22 is wrong")
    assert "hunter22" not in failed.value.message
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


def test_beyond_what_is_compared_one_by_one_an_index_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = Fleet(tmp_path, 40)
    fleet.run()
    exact = fleet.search("door code of agent 31", mode="vector", k=1)
    monkeypatch.setattr(table, "EXACT_ROWS", 100)
    fleet.run()
    entries = lancedb.connect(fleet.place.uri).open_table("entries")
    assert "vector" in {index.columns[0] for index in entries.list_indices()}
    assert fleet.search("door code of agent 31", mode="vector", k=1) == exact
    found = fleet.search("door code", "agent-00037", mode="vector", k=3)
    assert [where for where, _ in found] == ["agent-00037"] * 3
