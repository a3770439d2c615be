"""Runs of the index after changes of its files, noticed by a file watcher, by a clock, or by polling.

The watcher is only a hint, so the clock compares all files from time to time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from indexing.sync.freshness import freshness
from indexing.sync.report import Agree, SyncProgress, SyncReport
from indexing.sync.sources import IndexSources
from workbench.config.settings import Settings
from workbench.errors import BusyError, WorkbenchError
from workbench.frozen import frozen
from workbench.workspace.late_writes import CARRY_SECONDS, LateLines
from workbench.workspace.layout import SETTINGS_FILE
from workbench.workspace.workspace import Workspace

DEBOUNCE_SECONDS = 1.5
"""Quiet time after a change before something is done about it."""
LONGEST_SECONDS = 10.0
"""For how long a series of changes without a break is waited for."""
RECONCILE_SECONDS = 30.0
"""How often everything is looked at, hints or none."""
POLL_SECONDS = 3.0
_STEP_MS = 50
_GROUP_MS = 200
_TICK_MS = 250

Occasion = Literal["start", "change", "clock"]
Watch = Callable[..., Iterable[set[tuple[Any, str]]]]


@dataclass(slots=True)
class Pause:
    """Waits until changes have stopped for a while, and not for ever. Times are seconds of any one clock."""

    quiet: float = DEBOUNCE_SECONDS
    longest: float = LONGEST_SECONDS
    _first: float | None = field(default=None, init=False)
    _last: float = field(default=0.0, init=False)

    def hint(self, now: float) -> None:
        """Something changed."""
        self._first = now if self._first is None else self._first
        self._last = now

    def over(self, now: float) -> bool:
        """Whether it is time to act; then it begins anew."""
        if self._first is None or (now - self._last < self.quiet and now - self._first < self.longest):
            return False
        self._first = None
        return True


def occasions(
    hints: Iterable[frozenset[str]],
    pause: Pause,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Occasion]:
    """When to bring the index up to date: with the first hint, after changes, now and then."""
    last: float | None = None
    for changed in hints:
        now = clock()
        if last is None:  # only now: every later change is reported
            last = now
            yield "start"
            continue
        if changed:
            pause.hint(now)
        if pause.over(now):
            last = now
            yield "change"
        elif now - last >= RECONCILE_SECONDS:
            last = now
            yield "clock"


def hints(
    sources_now: Callable[[], IndexSources],
    stop: threading.Event,
    say: Callable[[str], object],
    *,
    watch: Watch | None = None,
) -> Iterator[frozenset[str]]:
    """Paths that may have changed, as the index calls them; an empty set while nothing did.

    A set comes several times a second, or every POLL_SECONDS where files are polled. Only folders that can
    hold indexed files are watched, each by itself, so that a tree of code beside the memory costs no watches.
    ``say`` is told why files are polled, when the system cannot watch them. Ends soon after ``stop`` is set.
    """
    try:
        yield from _watched(sources_now, stop, watch)
    except (OSError, RuntimeError, ImportError) as error:  # watches are used up, or there is no such system
        say(f"files are looked at every {POLL_SECONDS:g} s, as they cannot be watched: {error}")
        yield from _polled(sources_now, stop)


def _watched(
    sources_now: Callable[[], IndexSources], stop: threading.Event, watch: Watch | None
) -> Iterator[frozenset[str]]:
    if watch is None:
        import watchfiles  # noqa: PLC0415 - the interface paints before

        watch = watchfiles.watch
    missed: frozenset[str] = frozenset()
    while not stop.is_set():
        sources = sources_now()
        folders = _folders(sources)
        looked = time.monotonic()
        try:
            for found in watch(
                *folders,
                watch_filter=None,
                debounce=_GROUP_MS,
                step=_STEP_MS,
                stop_event=stop,
                rust_timeout=_TICK_MS,
                yield_on_timeout=True,
                raise_interrupt=False,
                recursive=False,
                ignore_permission_denied=True,
            ):
                paths = [path for _, path in found]
                yield missed.union(name for path in paths if (name := _matters(path, sources, folders)))
                missed = frozenset()
                now = time.monotonic()
                if now - looked < RECONCILE_SECONDS and not any(map(_may_move, paths)):
                    continue
                looked, sources = now, sources_now()
                if _folders(sources) != folders:
                    missed = frozenset(
                        {"."}
                    )  # told when the new ones are watched: what is in them came before
                    break
        except FileNotFoundError:  # a folder went away between two looks
            missed = frozenset({"."})
            stop.wait(_TICK_MS / 1_000)


def _folders(sources: IndexSources) -> frozenset[str]:
    return frozenset(folder for folder in sources.folders() if os.path.isdir(folder))


def _may_move(path: str) -> bool:
    """Whether a change of ``path`` may be one of what is to be watched: a folder that is there, or was."""
    return os.path.isdir(path) or not os.path.lexists(path) or path.endswith(SETTINGS_FILE)


def _polled(sources_now: Callable[[], IndexSources], stop: threading.Event) -> Iterator[frozenset[str]]:
    before = _stamps(sources_now())
    if not stop.is_set():
        yield frozenset()
    while not stop.wait(POLL_SECONDS):
        now = _stamps(sources_now())
        yield frozenset(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
        before = now


def _stamps(sources: IndexSources) -> dict[str, tuple[int, int, int]]:
    return {file.path: (file.size, file.ctime_ns, file.inode) for file in sources.scan().files}


def _matters(path: str, sources: IndexSources, folders: frozenset[str]) -> str:
    """How the index calls ``path`` when it is indexed or may be a folder of what is; else an empty text."""
    name = path.removeprefix(sources.root)
    if sources.holds(name) or name == SETTINGS_FILE or path in folders:
        return name
    if not os.path.isdir(path):
        return ""
    prunes = name != path and sources.workspace.layout.prunes(name)
    return "" if prunes else name


class SyncStopped(BaseException):
    """A run was broken off because it is time to end; what it had stored stays, and the next one goes on."""


@frozen
class SyncRun:
    """Why a run was made, and what came of it: a report, or an error."""

    why: Occasion
    report: SyncReport | None = None
    error: WorkbenchError | None = None


class IndexFollower:
    """Follows a workspace, its extra paths and transcripts. ``stop`` ends it, also within a run."""

    def __init__(
        self,
        root: Path,
        stop: threading.Event,
        say: Callable[[str], object],
        *,
        vectors: bool = True,
        agree: Agree | None = None,
        watch: Watch | None = None,
        pause: Pause | None = None,
    ) -> None:
        self._root = root
        self._stop = stop
        self._say = say
        self._vectors = vectors
        self._agree = agree
        self._watch = watch
        self._pause = pause or Pause()
        self._no_vectors = False
        self._last: Workspace | None = None
        self._told = ""
        self._late = LateLines(root)

    def runs(self) -> Iterator[SyncRun]:
        """Each run that did something, or failed at it, as it ends."""
        found = hints(self._sources, self._stop, self._say, watch=self._watch)
        for why in occasions(map(self._carry_late, found), self._pause):
            if self._stop.is_set():
                return
            try:
                run = self._run(why)
            except SyncStopped:
                return
            if run is not None:
                yield run

    def _carry_late(self, changed: frozenset[str]) -> frozenset[str]:
        """Lines that a program wrote into a replaced file change the file that took its place."""
        self._late.carry(at_most_every=CARRY_SECONDS)
        return changed

    def _run(self, why: Occasion) -> SyncRun | None:
        from indexing.sync.run import reindex  # noqa: PLC0415 - who only watches needs no engine

        try:
            workspace = self._open()
            if why != "start" and not self._due(workspace):
                return None
            report = reindex(workspace, vectors=self._vectors, progress=self._break_off, agree=self._agree)
        except BusyError as error:
            self._pause.hint(time.monotonic())  # once more when they may be done
            return self._failed(why, error)
        except WorkbenchError as error:
            return self._failed(why, error)
        self._told = ""
        self._no_vectors = report.vectors is not None or not (report.embedded or report.from_cache)
        return SyncRun(why, report)

    def _failed(self, why: Occasion, error: WorkbenchError) -> SyncRun | None:
        """An error is told once, not every time that it is met again."""
        if error.message == self._told:
            return None
        self._told = error.message
        return SyncRun(why, error=error)

    def _due(self, workspace: Workspace) -> bool:
        """Whether a run would do anything."""
        state = freshness(workspace)
        lacking = self._vectors and state.pending > 0 and not self._no_vectors
        return state.state != "fresh" or lacking

    def _open(self) -> Workspace:
        """The workspace with the settings of now."""
        self._last = Workspace.open(self._root)
        return self._last

    def _sources(self) -> IndexSources:
        try:
            return IndexSources(self._open())
        except WorkbenchError:  # settings that are being written: the next run says what is wrong
            return IndexSources(self._last or Workspace(self._root, Settings()))

    def _break_off(self, _progress: SyncProgress) -> None:
        if self._stop.is_set():
            raise SyncStopped
