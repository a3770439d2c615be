"""A run over a fleet, which brings the table up to date, and how each workspace stands against the table."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeVar

from indexing.many_workspaces.rows import difference, row_id
from indexing.many_workspaces.table import KnownFile, Location, SharedTable, TableFingerprint
from indexing.storage import write_json
from indexing.sync.generations import words_fingerprint
from workbench.errors import IndexUnavailableError, WorkbenchError, disk_errors, reason_of
from workbench.fleet.worker import Agent, InProcessPool, Recipe, Task, TaskResult, read
from workbench.frozen import frozen, frozen_kw_only
from workbench.plural import plural

OnProgress = Callable[[str, int, int], None]
"""Told what is counted, how many of them are done, and of how many."""


@frozen
class Failure:
    """A workspace that failed as often as it may."""

    name: str
    path: str
    error: str
    attempts: int


@dataclass(slots=True)
class FleetReport:
    """``written`` workspaces had changes, ``unchanged`` ones none. All seconds are of the clock, but
    ``embedding``, which are those of all workers together.

    ``lost`` counts tasks that were given up, as each worker that had them died; ``deaths`` says of each which
    and why. ``storage_retries`` counts writes and reads that were tried again.
    """

    uri: str
    model: str
    total: int
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    files: int = 0
    changed_files: int = 0
    removed_files: int = 0
    entries: int = 0
    embedded: int = 0
    lacking: int = 0
    batches: int = 0
    retried: int = 0
    lost: int = 0
    storage_retries: int = 0
    rows: int = 0
    version: int = 0
    seconds: float = 0.0
    starting: float = 0.0
    reading: float = 0.0
    embedding: float = 0.0
    comparing: float = 0.0
    writing: float = 0.0
    settling: float = 0.0
    stopped: str = ""
    deaths: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The report for programs."""
        return {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in (asdict(self) | {"stopped": self.stopped or None}).items()
        }

    def save(self, file: str) -> None:
        """The report as a JSON file. Raises ReadOnlyError and WriteFailedError."""
        with disk_errors():
            write_json(Path(os.path.abspath(os.path.expanduser(file))), self.as_json())


_T = TypeVar("_T")
BATCH = 50
RETRIES = 2
_SETTLE_EVERY = 64
"""Batches after which the table is put in order: until then what was written is looked through as it is."""
_MOST_REASONS = 3
_FIRST_WAIT = 0.5


@frozen_kw_only
class Plan:
    """How a run goes: workspaces a ``batch``, ``retries`` of what fails; ``prune`` what is not listed.

    ``wait`` sleeps between attempts at the storage.
    """

    batch: int = BATCH
    retries: int = RETRIES
    prune: bool = False
    full: bool = False
    wait: Callable[[float], None] = time.sleep


class StorageFailedError(IndexUnavailableError):
    """The storage failed for good; ``report`` says what was done before."""

    def __init__(self, error: IndexUnavailableError, report: FleetReport) -> None:
        super().__init__(error.message, hint=error.hint)
        self.report = report


class FleetRun:
    """Makes the table at ``place`` say what the files of all ``agents`` say.

    This process reads, compares and writes, and workers embed, a batch at a time. Whatever ends a run, the
    batches that were written stay, and the next run finds by the digests of files what is left to do. Ray
    gives the task of a worker that died to another one. A workspace that failed is tried again by itself, so
    that one which kills its workers costs no other. The report has figures, and each workspace that failed
    with the reason.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        place: Location,
        recipe: Recipe,
        plan: Plan,
        progress: OnProgress = lambda *_: None,
    ) -> None:
        self._agents = {agent.name: agent for agent in agents}
        self._place, self._recipe, self._plan, self._progress = place, recipe, plan, progress
        self._report = FleetReport(place.uri, recipe.identity, len(agents))
        self._books: list[dict[str, str]] = []
        self._doubled: set[str] = set()
        self._ended = 0
        self._empty = False
        self._table: SharedTable

    def run(self, pool: InProcessPool) -> FleetReport:
        """Carry the run out; return what was done.

        Raises StorageFailedError where the storage fails for good; UsageError where the table is another
        model's; WorkbenchError where the workers do not start.
        """
        report, started = self._report, time.perf_counter()
        card = TableFingerprint(words_fingerprint(), self._recipe.identity, self._recipe.dimension)
        try:
            with pool:  # first: no process may be forked any more once the storage's client is at work
                report.starting = time.perf_counter() - started
                self._table = self._patient(lambda: SharedTable.make(self._place, card, full=self._plan.full))
                self._empty = self._patient(self._table.count) == 0
                self._go_rounds(pool)
            if self._plan.prune:
                gone = [name for name in self._patient(self._table.workspaces) if name not in self._agents]
                self._patient(lambda: self._table.remove(gone))
                report.removed = len(gone)
            self._settle()
            report.rows, report.version = self._table.count(), self._table.versions()
        except IndexUnavailableError as error:
            report.stopped = error.message
            raise StorageFailedError(error, report) from error
        finally:
            report.seconds = time.perf_counter() - started
        return report

    def _go_rounds(self, pool: InProcessPool) -> None:
        """All workspaces in batches; then those that failed one by one, as often as they may."""
        agents, size = list(self._agents.values()), self._plan.batch
        for attempt in range(1, self._plan.retries + 2):
            batches = (tuple(agents[at : at + size]) for at in range(0, len(agents), size))
            failed: dict[str, str] = {}
            for task, brought in pool.map(self._read(batch, attempt) for batch in batches):
                if isinstance(brought, TaskResult):
                    failed |= self._take(task, brought)
                else:
                    failed |= self._lost(task, brought)
                self._progress("workspaces", self._ended, len(self._agents))
            if attempt > self._plan.retries:
                for name, why in failed.items():
                    self._report.failed.append(Failure(name, self._agents[name].path, why, attempt))
                    self._end(name, "failed", why)
            else:
                self._report.retried += len(failed)
            agents, size = [self._agents[name] for name in failed], 1

    def _read(self, agents: tuple[Agent, ...], attempt: int) -> Task:
        """The task with what changed in workspaces since the table has them."""
        if self._empty and attempt == 1:
            return read(agents, {}, full=self._plan.full)
        begun = time.perf_counter()
        known = self._patient(lambda: self._table.known([agent.name for agent in agents]))
        self._report.comparing += time.perf_counter() - begun
        digests = {name: {path: file.digest for path, file in files.items()} for name, files in known.items()}
        for name, files in known.items():
            if any(file.doubled for file in files.values()):
                self._doubled.add(name)
        return read(agents, digests, full=self._plan.full)

    def _take(self, task: Task, done: TaskResult) -> dict[str, str]:
        """Write what a worker brought, and count; the workspaces that failed, with why."""
        report = self._report
        begun = time.perf_counter()
        files = task.files(without=done.failed)
        if files:
            doubled = any(name in self._doubled for name, _ in files)
            self._patient(lambda: self._table.write(done.rows, files, doubled=doubled))
            report.batches += 1
            if report.batches % _SETTLE_EVERY == 0:
                self._settle()
        report.writing += time.perf_counter() - begun
        report.reading += task.reading
        report.embedding += done.embedding
        report.embedded += done.embedded
        report.lacking += done.lacking
        failed = {**task.errors, **done.failed}
        for name, changes in task.found.items():
            if name in failed:
                continue
            report.changed_files += len(changes.changed)
            report.removed_files += len(changes.removed)
            report.entries += sum(len(file.entries) for file in changes.changed)
            if changes.failed:
                failed[name] = _unread(changes.failed)
                continue
            report.files += changes.seen
            report.written += bool(changes.behind)
            report.unchanged += not changes.behind
            self._end(name, "done")
        return failed

    def _lost(self, task: Task, why: str) -> dict[str, str]:
        """Note that a worker died at a task; its workspaces, all of which failed."""
        self._report.lost += 1
        first, last = task.agents[0].name, task.agents[-1].name
        self._report.deaths.append(f"at {first}{f' to {last}' if last != first else ''}: {why}")
        return {agent.name: f"its worker was lost: {why}" for agent in task.agents}

    def _end(self, name: str, state: str, error: str = "") -> None:
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        self._books.append({**asdict(self._agents[name]), "state": state, "error": error, "at": at})
        self._ended += 1

    def _settle(self) -> None:
        begun = time.perf_counter()
        books, self._books = self._books, []
        self._patient(lambda: self._table.note(books))
        self._patient(self._table.settle)
        self._report.settling += time.perf_counter() - begun

    def _patient(self, act: Callable[[], _T]) -> _T:
        """``act``, tried again after a while where the storage fails; each is safe to be done twice."""
        wait = _FIRST_WAIT
        for _ in range(self._plan.retries):
            try:
                return act()
            except IndexUnavailableError:
                self._report.storage_retries += 1
                self._plan.wait(wait)
                wait *= 4
        return act()


def _unread(failed: Mapping[str, str]) -> str:
    """Which files of a workspace cannot be read, and why."""
    reasons = [f"{path}: {why}" for path, why in failed.items()]
    more = len(reasons) - _MOST_REASONS
    return "; ".join(reasons[:_MOST_REASONS]) + (f" (and {more} more)" if more > 0 else "")


# -- how a fleet stands ------------------------------------------------------------------------------

State = Literal["fresh", "behind", "missing", "failed", "unreadable"]
Fault = Literal["missing", "stale", "surplus", "doubled", "unlisted", "unreadable"]
_AT_ONCE = 200


@frozen_kw_only
class SyncStatus:
    """One workspace: ``behind`` counts files that the table says something else of.

    ``missing``: nothing of it is in the table. ``failed``: the last run could not take it, for ``error``.
    ``unreadable``: it cannot be read now.
    """

    name: str
    path: str
    state: State
    entries: int = 0
    files: int = 0
    behind: int = 0
    lacking: int = 0
    error: str = ""
    at: str = ""


@frozen
class TableFinding:
    """What is wrong: ``missing`` and ``stale`` files, ``surplus`` ones that are gone, ``doubled`` rows,

    workspaces that are ``unlisted``, and what is ``unreadable``. ``path`` is empty for a whole workspace.
    """

    fault: Fault
    workspace: str
    path: str = ""
    detail: str = ""


def standings(
    table: SharedTable, agents: Sequence[Agent], progress: OnProgress = lambda *_: None
) -> Iterator[SyncStatus]:
    """How each workspace stands against the table, by content. Raises IndexUnavailableError."""
    books = table.books()
    for agent, known in _each(table, agents, progress):
        said = books.get(agent.name, {})
        status = SyncStatus(
            name=agent.name,
            path=agent.path,
            state="unreadable",
            entries=sum(file.ids.total() for file in known.values()),
            at=said.get("at", ""),
        )
        try:
            changes = difference(agent.path, {path: file.digest for path, file in known.items()})
        except (WorkbenchError, OSError) as error:
            yield replace(status, error=reason_of(error))
            continue
        state: State = "fresh" if not changes.behind else "behind" if known else "missing"
        yield replace(
            status,
            state="failed" if changes.failed or said.get("state") == "failed" else state,
            files=changes.seen,
            behind=changes.behind,
            lacking=sum(file.lacking for file in known.values()) if table.card.dimension else 0,
            error=said.get("error", "") or "; ".join(list(changes.failed)[:3]),
        )


def check(
    table: SharedTable, agents: Sequence[Agent], progress: OnProgress = lambda *_: None
) -> Iterator[TableFinding]:
    """What of the table is not what the files say, by the ids of all rows. Raises IndexUnavailableError."""
    listed = {agent.name for agent in agents}
    for name, count in sorted(table.workspaces().items()):
        if name not in listed:
            yield TableFinding("unlisted", name, detail=f"{count} rows of a workspace not listed")
    for agent, known in _each(table, agents, progress):
        yield from _checked(agent, known)


def _checked(agent: Agent, known: dict[str, KnownFile]) -> Iterator[TableFinding]:
    name = agent.name
    try:
        found = difference(agent.path, dict.fromkeys(known, ""), believe=True)
    except (WorkbenchError, OSError) as error:
        yield TableFinding("unreadable", name, detail=reason_of(error))
        return
    for path, why in found.failed.items():
        yield TableFinding("unreadable", name, path, why)
    for file in found.changed:
        has = known.get(file.path, KnownFile())
        wanted = {row_id(name, entry.address) for entry in file.entries}
        if wanted and not has.ids:
            yield TableFinding("missing", name, file.path, plural(len(wanted), "entry"))
        elif wanted != has.ids.keys() or (wanted and has.digests != {file.digest}):
            differing = len(wanted ^ has.ids.keys())
            yield TableFinding("stale", name, file.path, f"{differing} entries differ")
        if has.doubled:
            yield TableFinding("doubled", name, file.path, f"{has.doubled} rows")
    for path in sorted(found.removed):
        yield TableFinding("surplus", name, path, "the file no longer exists, but its rows do")


def _each(
    table: SharedTable, agents: Sequence[Agent], progress: OnProgress
) -> Iterator[tuple[Agent, dict[str, KnownFile]]]:
    for start in range(0, len(agents), _AT_ONCE):
        some = agents[start : start + _AT_ONCE]
        known = table.known([agent.name for agent in some])
        for number, agent in enumerate(some, start + 1):
            yield agent, known[agent.name]
            progress("workspaces", number, len(agents))
