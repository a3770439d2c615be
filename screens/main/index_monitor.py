"""The index while the interface runs: files are watched, and a worker process updates the index.

The watcher is only a hint, so a clock looks from time to time.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from screens.actions.keys import key_for
from screens.drawing.safe_text import Shown, row_text, words
from screens.jobs.running_jobs import QUIET_SECONDS, JobStage, RunningJob
from screens.jobs.worker_client import TaskFailedError, WorkerClient
from screens.search.engine import EMBEDDING, KEYWORD_INDEX, Engine, IndexChanged, MeaningChanged, SearchFailed
from workbench.errors import BusyError, StoppedError
from workbench.memory.entry import is_outside
from workbench.workspace.late_writes import CARRY_SECONDS, LateLines
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


_SEARCHABLE = frozenset({"prepare", "embed"})
"""Phases that come after the words are in."""
_BUSY_SECONDS = 3.0
_GRACE_SECONDS = 1.0
_NAMES = {"scan": "scanning", "words": KEYWORD_INDEX, "prepare": "preparing the model", "embed": EMBEDDING}


def stage_text(stage: JobStage) -> Shown:
    """The stage in few words, for a line that has no room for a bar."""
    share = f" {stage.done * 100 // stage.total} %" if stage.is_counted else ""
    return row_text(f"indexing{share} · {stage.phase}")


def watch(
    workspace: Workspace,
    stop: threading.Event,
    changed: Callable[[], object],
    elsewhere: Callable[[], object],
    say: Callable[[str], object],
) -> None:
    """Call ``changed`` soon after something below the workspace changed, until ``stop`` is set: for a thread.

    ``elsewhere`` is called when an extra path or a transcript changed by as much as is worth a run of the
    index, ``say`` when the system cannot tell of changes.
    """
    from indexing.sync.sources import IndexSources  # noqa: PLC0415 - not before the first paint
    from indexing.sync.watch import Pause, hints, occasions  # noqa: PLC0415

    def told(paths: frozenset[str]) -> frozenset[str]:
        """Tell the screen of the workspace's own files at once; what is beside it can wait for a pause."""
        outside = frozenset(filter(is_outside, paths))
        if paths - outside:
            changed()
        return outside

    beside = bool(IndexSources(workspace).all[1:])
    asked = None
    found = hints(lambda: IndexSources(workspace), stop, say)
    with contextlib.suppress(Exception):  # a thread must not write over the screen; its own clock goes on
        for why in occasions(map(told, found), Pause()):
            if why == "start":
                changed()  # what changed before it was watched
            if beside and not stop.is_set():
                from indexing.sync.freshness import freshness  # noqa: PLC0415 - only where it is needed

                state = freshness(workspace)
                seen = (state.added, state.changed, state.removed, state.generation)
                if state.outside and seen != asked:  # what cannot be read is not asked for again and again
                    elsewhere()
                asked = seen if state.outside else None


_RECONCILE_SECONDS = 30.0
_INDEX_PAUSE_SECONDS = 1.5
"""Quiet time before the index follows: a series of actions is painted without an indexer beside it."""
_LONGEST_PAUSE_SECONDS = 10.0
_WORK = "index"


class IndexMonitor:
    """Starts the engines after the first paint, and ends them with the screen.

    Runs of the index follow each other: requests that come during a run are answered by one more run. Without
    ``engines`` no process is started: the index is searched by words as it is.
    """

    def __init__(self, screen: MainScreen, workspace: Workspace, *, engines: bool = True) -> None:
        self._screen = screen
        self._publish = screen.model.publish
        self._engines = engines
        self._workspace = workspace
        self.engine = Engine(workspace, screen.model.publish)
        self._client: WorkerClient | None = None
        self._searchable = False
        self._over = threading.Event()
        self._late = LateLines(workspace.root)
        self._started = False
        self._pause: Timer | None = None
        self._waiting_since = 0.0
        self._meaning = False
        self._progress: Shown | None = None
        self._problem = ""
        self._failing = ""
        """Why the index cannot be searched, though its last run may have gone well."""
        self._mending = False
        self._stopped = False
        """Whether a person stopped it: then it goes on when a person asks for it, or with the next start."""
        self._asked = False
        """Whether a person asked for the run that is under way."""
        self._running = self._again = False
        """Whether a run is under way, and whether it is to be followed by another one."""

    @property
    def indexing(self) -> bool:
        """Whether the index is being brought up to date; not while a stopped run ends."""
        return self._running and not self._stopped

    def begin(self) -> None:
        """Start watching and reconciling; the engines follow when the files have been read."""
        screen = self._screen
        reports = (
            partial(screen.call_later, screen.look_again),
            partial(screen.call_later, self.sources_changed),
            partial(screen.call_later, screen.warn),
        )
        threading.Thread(
            target=watch, args=(self._workspace, self._over, *reports), name="watching", daemon=True
        ).start()
        self._screen.set_interval(_RECONCILE_SECONDS, self._screen.refresh_files)
        self._screen.set_interval(CARRY_SECONDS, lambda: self._screen.work(self._carry_late, "late"))

    async def _carry_late(self) -> None:
        """Lines that a program wrote into a replaced file: the watcher tells of the file that gets them."""
        await asyncio.to_thread(self._late.carry)

    def files_read(self, changed: frozenset[str]) -> None:
        """The panes know the files; the index has to follow."""
        if not self._engines or self._workspace.misread:
            self._draw()
        elif not self._started:
            self._start()
        elif changed:
            self._wish_when_quiet()

    def _start(self) -> None:
        self._started = True
        self._screen.work(self.engine.run_child, "meaning")
        self.wish()

    def sources_changed(self) -> None:
        """What is searched beside the workspace changed: the index has to follow."""
        if self._started:
            self._wish_when_quiet()

    def _wish_when_quiet(self) -> None:
        if self._stopped:
            return
        now = time.monotonic()
        if self._pause is None:
            self._waiting_since = now
        elif now - self._waiting_since < _LONGEST_PAUSE_SECONDS:
            self._pause.stop()
        else:
            return  # somebody writes without a break: the pause that is running is the last one
        self._pause = self._screen.set_timer(_INDEX_PAUSE_SECONDS, self.wish)

    def wish(self) -> None:
        """Bring the index up to date soon; behind the run that is under way, by another one."""
        self._pause = None
        if self._stopped:
            return
        if self._running:
            self._again = True
        else:
            self._running = True
            self._screen.work(self._index, "index")

    async def _index(self) -> None:
        """Run until no wish is left."""
        self._publish(IndexChanged(text=words("indexing"), searchable=False))
        try:
            while True:
                self._again = False
                await self._index_once()
                if not self._again or self._stopped:
                    return
        finally:
            self._running = False

    async def _index_once(self) -> None:
        after = f"the index so far is kept, {key_for('reindex')} continues"
        client = self._client = WorkerClient(
            "reindex", self._workspace.root, progress=self._moved, after=after
        )
        client.stopped = self._stopped
        self._searchable = False
        problem = ""
        try:
            await client.run()
        except StoppedError:
            self._say_stopped()
            return
        except TaskFailedError as error:
            if error.code == BusyError.code:  # somebody else is at it: look again when they may be done
                await self._wait_for_other()
                return
            problem = f"{error}; {after}" if error.hint.endswith(after) else str(error)
        except OSError as error:
            problem = str(error.strerror or error)
        self._publish(IndexChanged(text=None, searchable=not problem, problem=problem))

    async def _wait_for_other(self) -> None:
        told = words("indexing: another process is running")
        self._publish(IndexChanged(text=told, searchable=self._searchable))
        self._again = True
        await asyncio.sleep(_BUSY_SECONDS)
        self._say_stopped()

    def _moved(self, stage: JobStage) -> None:
        self._searchable = self._searchable or stage.phase in _SEARCHABLE
        stage = replace(stage, phase=_NAMES.get(stage.phase, stage.phase))
        self._publish(IndexChanged(text=stage_text(stage), searchable=self._searchable, stage=stage))

    def _say_stopped(self) -> None:
        if self._stopped:
            problem = f"stopped; {key_for('reindex')} continues"
            self._publish(IndexChanged(text=None, searchable=False, problem=problem))

    def progress(self, message: IndexChanged) -> None:
        """Show how far it is."""
        self._progress, self._problem = message.text, message.problem
        works = self._screen.screen_opener.services.works
        if message.stage is not None:
            if not any(work.key == _WORK for work in works.under_way):
                self._screen.set_timer(QUIET_SECONDS, self._screen.screen_opener.show_works)
            stop = self._stop_indexing
            works.show(
                RunningJob(key=_WORK, name="Indexing", stage=message.stage, stop=stop, asked=self._asked)
            )
        elif message.text is None:
            self._asked = False
            works.gone(_WORK)
        self._draw()

    async def _stop_indexing(self) -> None:
        """End the run, and forget what was wished since; what it has stored stays, and the next goes on."""
        self._stopped, self._again = True, False
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        if self._client is not None:
            await self._client.stop(_GRACE_SECONDS)

    def index_fails(self, message: SearchFailed) -> None:
        """It was taken away or damaged since it was made: it is made again by itself, once."""
        if "reindex" in message.hint:
            self._failing = message.reason
            self._draw()
            if self._started and not self._mending and not self._running:
                self._mending = True
                self.wish()

    def index_answers(self) -> None:
        """It can be searched."""
        if self._failing:
            self._failing, self._mending = "", False
            self._draw()

    def meaning(self, message: MeaningChanged) -> None:
        """Show what can be searched by."""
        self._meaning = message.ready
        if not message.ready:
            self._screen.warn(f"Search continues by keyword only: {message.reason}")
        self._draw()

    def settings_changed(self) -> None:
        """The engines go by the settings of now; the index, which may hold other files, follows."""
        self.engine.begin_anew()
        if self._started:
            self._wish_when_quiet()
        elif self._engines:
            self._start()
        self._draw()

    async def close(self) -> None:
        """End the watcher and the children."""
        self._over.set()
        await asyncio.to_thread(self._late.close)
        await self._stop_indexing()
        await self.engine.close()

    def _draw(self) -> None:
        sides = "hybrid" if self._meaning else "keyword"
        if self._progress:
            self._screen.title_line.show(self._progress, "busy")
        elif why := self._waits or self._problem or self._failing:
            self._screen.title_line.show(row_text(f"! index: {why}"), "warn")
        else:
            self._screen.title_line.show(words(f"index up to date · {sides}"), "good")

    @property
    def _waits(self) -> str:
        """Why nothing is indexed: what is to be left out, and who makes vectors, may not be known."""
        return "waits until the settings are corrected" if self._workspace.misread else ""

    def action_reindex(self) -> None:
        """Bring the index up to date now, and start what stopped."""
        if self._waits:
            self._screen.warn(f"The index {self._waits}")
            return
        self._asked, self._stopped = True, False
        self.wish()
        if not self._meaning:
            self._screen.work(self.engine.run_child, "meaning")
        self._screen.say("Bringing the index up to date")
