"""Keeping the index up to date until told to stop: a run after each series of changes, none for nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from indexing.sync.cost_estimate import Agree
from indexing.sync.freshness import freshness
from indexing.sync.report import SyncProgress, SyncReport
from indexing.sync.run import reindex
from indexing.sync.sources import Sources
from indexing.sync.watch import Occasion, Pause, Watch, hints, occasions
from workbench.config.settings import Settings
from workbench.errors import BusyError, WorkbenchError
from workbench.workspace.late_lines import CARRY_SECONDS, LateLines
from workbench.workspace.workspace import Workspace


class Stopped(BaseException):
    """A run was broken off because it is time to end; what it had stored stays, and the next one goes on."""


@dataclass(frozen=True, slots=True)
class SyncRun:
    """Why a run was made, and what came of it: a report, or an error."""

    why: Occasion
    report: SyncReport | None = None
    error: WorkbenchError | None = None


class KeepUp:
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
            except Stopped:
                return
            if run is not None:
                yield run

    def _carry_late(self, changed: frozenset[str]) -> frozenset[str]:
        """Lines that a program wrote into a replaced file change the file that took its place."""
        self._late.carry(at_most_every=CARRY_SECONDS)
        return changed

    def _run(self, why: Occasion) -> SyncRun | None:
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

    def _sources(self) -> Sources:
        try:
            return Sources(self._open())
        except WorkbenchError:  # settings that are being written: the next run says what is wrong
            return Sources(self._last or Workspace(self._root, Settings()))

    def _break_off(self, _progress: SyncProgress) -> None:
        if self._stop.is_set():
            raise Stopped
