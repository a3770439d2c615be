"""A fleet for real: workers on Ray, the table on an S3 server, and everything that can go wrong at once.

One run is shared by the tests of this module: 200 workspaces, one broken, workers that are killed at their
start, at their work and at its end, and a storage whose connections are cut in the middle.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import lancedb
import numpy as np
import psutil
import pytest

from indexing.many_workspaces.search import FleetSearch
from indexing.many_workspaces.table import Location, SharedTable, place_of
from indexing.search.answer import Query, SearchAnswer
from tests.fleet.models import LAST_WORDS, hashing, mortal
from tests.fleet.storage import CREDENTIALS, Bucket, bucket
from tests.fleet.workspaces import make_fleet, write
from tests.support.hashing import HashingEmbedder
from workbench.fleet.run import FleetReport, FleetRun, Plan, check
from workbench.fleet.worker import QUIET, Agent, Brought, InProcessPool, RayPool, Recipe, Task

COUNT = 200
QUERIES = ("door code of agent 31", "who owns the deploy key", "ERR_12", "broker kind:log", "登录模块")


class Watched(RayPool):
    """A pool whose processes are looked at while they work."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe, workers=2)
        self.addresses: set[str] = set()
        self.quiet: list[bool] = []
        self.folders: list[str] = []
        self.commands: list[str] = []

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        for brought in super().map(tasks):
            if not self.commands:
                self._look()
            yield brought

    def _look(self) -> None:
        self.folders.append(self._folder)
        for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
            try:
                connections = process.net_connections(kind="inet")
                self.commands.append(" ".join(process.cmdline()))
                if process.name() == "raylet":  # all workers are its children, and have what it has
                    surroundings = process.environ()
                    self.quiet.append(all(surroundings.get(name) == value for name, value in QUIET.items()))
            except psutil.Error:
                continue
            for connection in connections:
                for address in filter(None, (connection.laddr, connection.raddr)):
                    self.addresses.add(address.ip)


@dataclass(frozen=True, slots=True)
class Ran:
    """What the shared run left, and the table that one process made of the same workspaces."""

    agents: list[Agent]
    report: FleetReport
    pool: Watched
    place: Location
    alone: Location
    bucket: Bucket


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    root = tmp_path_factory.mktemp("fleet")
    agents = make_fleet(root / "agents", COUNT)
    write(Path(agents[17].path), "memory/2026-03-15.md", f"# 2026-03-15\n\n- {LAST_WORDS}\n")
    listed = [*agents[:40], Agent("broken", str(root / "nowhere")), *agents[40:]]
    alone = place_of(str(root / "alone"))
    FleetRun(agents, alone, hashing(), Plan()).run(InProcessPool(hashing()))
    with bucket() as storage:
        place = storage.place("index")
        storage.proxy.cut(rb"PUT .*/data/", after=1)
        storage.proxy.cut(rb"PUT .*/entries.lance/_versions/", after=1)
        storage.proxy.cut(rb"PUT .*/entries.lance/_versions/", after=3, late=True)
        (root / "died").mkdir()
        recipe = mortal(root / "died")
        pool = Watched(recipe)
        report = FleetRun(listed, place, recipe, Plan(batch=16)).run(pool)
        assert {marker.name for marker in (root / "died").iterdir()} == {"start", "work", "end"}
        yield Ran(agents, report, pool, place, alone, storage)


def rows(place: Location) -> list[dict[str, object]]:
    """All rows of a table in one order, vectors as bytes."""
    base = lancedb.connect(place.uri, storage_options=dict(place.options) if place.remote else None)
    table = base.open_table("entries")
    found = table.search().limit(table.count_rows()).to_list()
    for row in found:
        row["vector"] = np.asarray(row["vector"], np.float32).tobytes()
    return sorted(found, key=lambda row: str(row["id"]))


def test_only_what_cannot_be_done_failed(ran: Ran) -> None:
    assert [(one.name, one.attempts) for one in ran.report.failed] == [("broken", 3)]
    assert "is not a folder" in ran.report.failed[0].error
    assert ran.report.written == COUNT


@pytest.mark.promise(
    "The index of a fleet",
    "a worker is killed when it starts, while it works, or before its result has arrived",
    "Ray gives its task to another worker; the table equals that of a single process",
)
def test_killed_workers_and_cut_connections_were_in_the_way(ran: Ran) -> None:
    assert (ran.report.lost, ran.report.deaths) == (0, [])  # Ray gave the tasks to other workers
    assert ran.bucket.proxy.cuts == 3  # rows, the commit of some, and the answer to a commit that was made


@pytest.mark.promise(
    "The index of a fleet",
    "connections to the storage are cut, before a commit, and after it so that the answer is lost",
    "the table equals that of a single process, row by row; no row is duplicated",
)
def test_the_table_is_that_of_one_process_row_by_row(ran: Ran) -> None:
    assert rows(ran.place) == rows(ran.alone)
    table = SharedTable.open(ran.place)
    assert list(check(table, ran.agents)) == []


def test_the_hits_are_those_of_one_process(ran: Ran) -> None:
    tables = [FleetSearch(SharedTable.open(place), HashingEmbedder()) for place in (ran.place, ran.alone)]
    for words in QUERIES:
        for names in ((), ("agent-00031", "agent-00012")):
            remote, local = (_told(one.search(Query(words), names)) for one in tables)
            assert remote
            assert remote == local


def _told(answer: SearchAnswer) -> list[tuple[object, ...]]:
    return [
        (hit.workspace, hit.entry, hit.start_line, hit.snippet, round(hit.score, 4)) for hit in answer.hits
    ]


def test_a_second_run_finds_nothing_to_do(ran: Ran) -> None:
    report = FleetRun(ran.agents, ran.place, hashing(), Plan()).run(InProcessPool(hashing()))
    assert (report.unchanged, report.written, report.batches, report.failed) == (COUNT, 0, 0, [])


def test_ray_listens_on_loopback_alone_and_tells_nobody(ran: Ran) -> None:
    assert ran.pool.addresses
    assert {address.removeprefix("::ffff:") for address in ran.pool.addresses} <= {"127.0.0.1", "::1"}
    assert ran.pool.quiet
    assert all(ran.pool.quiet)
    from ray._common.usage.usage_lib import usage_stats_enabled

    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert not usage_stats_enabled()


def test_nothing_of_ray_is_left_behind(ran: Ran) -> None:
    assert ran.pool.folders
    assert not any(Path(folder).exists() for folder in ran.pool.folders)
    assert not [one for one in psutil.Process().children(recursive=True) if "ray" in one.name()]


def test_no_secret_is_told(ran: Ran) -> None:
    said = str(ran.report.as_json()) + " ".join(ran.pool.commands) + repr(ran.place)
    assert not any(secret in said for secret in CREDENTIALS.values())
