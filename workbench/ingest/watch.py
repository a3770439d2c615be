"""Following transcripts and daily logs as they grow: facts are saved and sessions ingested in time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, Literal

from indexing.embedding.port import Embedder
from indexing.sync.sources import IndexSources
from indexing.sync.watch import Pause, Watch, hints, occasions
from workbench.errors import BusyError, NotCuratableError, NotMemoryError, WorkbenchError, disk_errors
from workbench.frozen import frozen
from workbench.ingest.episodes import plan_prune
from workbench.ingest.flush import FlushResult, flush_reading
from workbench.ingest.ingest import Ingest, IngestedSource
from workbench.ingest.outcomes import unreadable
from workbench.ingest.sessions import (
    QUIET_SECONDS,
    Checkpoints,
    TranscriptReading,
    nearly_full,
    quiet_seconds,
    read_new,
    take_up,
)
from workbench.ingest.transcript_files import (
    TranscriptFile,
    find,
    watched,
    why_failed,
    why_foreign,
    why_unreadable,
)
from workbench.llm.language_model import LanguageModel
from workbench.memory.entry import Kind as FileKind
from workbench.memory.episode import FOLDER
from workbench.plural import plural
from workbench.workspace.late_writes import CARRY_SECONDS, LateLines
from workbench.workspace.layout import MemoryFile
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

# -- the keyword index, brought up to date after a job wrote memory ----------------------------------


def update_index(workspace: Workspace) -> str:
    """Index by words what changed, where there is an index already; why it could not be done, or nothing.

    Vectors follow with the next `reindex`. Somebody who is indexing at this moment sees the same files.
    """
    from indexing.sync.run import reindex  # noqa: PLC0415 - a job loads what it needs

    if not (workspace.cache_dir() / "index" / "current").exists():
        return ""
    try:
        with disk_errors():
            reindex(workspace, vectors=False)
    except BusyError:
        return ""
    except WorkbenchError as error:
        return f"the index is behind: {error.message}"
    return ""


# -- following ---------------------------------------------------------------------------------------

PRUNE_EVERY = timedelta(hours=6)

_EPISODES = "episodes"
_INDEX = "index"
_CHANGES = ("flushed", "taken", "pruned")
Kind = Literal["flushed", "taken", "pruned", "waiting", "skipped", "failed"]
_QUIETLY = frozenset({"unchanged", "waiting", "excluded", "foreign"})


@frozen
class Event:
    """One thing that was done, or was not, and why; ``error`` is the class of what went wrong."""

    kind: Kind
    at: datetime
    source: str
    why: str
    flushed: tuple[FlushResult, ...] = ()
    taken: IngestedSource | None = None
    operation: Operation | None = None
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "event": self.kind,
            "at": self.at.isoformat(timespec="seconds"),
            "source": self.source,
            "why": self.why,
            "flushed": self.flushed,
            "taken": self.taken,
            "operation": self.operation.id if self.operation else None,
            "error": self.error or None,
        }

    def sentence(self) -> str:
        """The same in a line."""
        if self.kind == "flushed":
            lines = sum(len(one.lines) for one in self.flushed)
            known = sum(one.known for one in self.flushed)
            there = f", {known} were already there" if known else ""
            return f"{self.source}: {plural(lines, 'fact')} saved{there} ({self.why})"
        if self.taken is not None and self.kind == "taken":
            episodes = plural(len(self.taken.episodes), "episode") + ", "
            said = episodes if self.taken.kind == "transcript" else ""
            return f"{self.source}: {said}{plural(self.taken.memories, 'memory')} ({self.why})"
        return f"{self.source}: {self.why}"


class Follower:
    """Follows the transcripts of one workspace. ``clock`` gives the time of now, with its zone.

    A round looks at every transcript and asks the triggers. It remembers nothing that the checkpoints do not
    say, except which events were told already, so one round for cron does what a watcher does.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        clock: Callable[[], datetime],
        model: LanguageModel | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self._workspace = workspace
        self._clock = clock
        self._ingest = Ingest(workspace, now=clock(), model=model, embedder=embedder)
        self._pruned: datetime | None = None
        self._seen: dict[str, tuple[int, float, bool]] = {}
        self._told: dict[tuple[str, Kind], str] = {}
        self._first_seen: dict[str, datetime] = {}
        self._read_logs: dict[str, MemoryFile] = {}
        self.failing: dict[str, str] = {}
        """What fails at present: the class of its error, by the transcript, or `episodes`."""
        self._flushes = Checkpoints("flush")
        self._episodes = Checkpoints("episode")

    def follow(
        self,
        stop: threading.Event,
        say: Callable[[str], object],
        *,
        watch: Watch | None = None,
        after: Callable[[], object] = lambda: None,
    ) -> Iterator[Event]:
        """Round after round until ``stop``; ``after`` is called at the end of each.

        ``say`` is told how files are watched, where that is unusual.
        """
        late = LateLines(self._workspace.root)

        def told(changed: frozenset[str]) -> frozenset[str]:
            late.carry(at_most_every=CARRY_SECONDS)
            return changed

        found = hints(lambda: IndexSources(watched(self._workspace)), stop, say, watch=watch)
        for _ in occasions(map(told, found), Pause()):
            for event in self.round():
                yield event
                if stop.is_set():
                    return
            after()
            if stop.is_set():
                return

    def round(self) -> Iterator[Event]:
        """Look at everything once. What was told before and has not changed is not told again."""
        self._flushes = Checkpoints.read(self._workspace, "flush")
        self._episodes = Checkpoints.read(self._workspace, "episode")
        places = find(self._workspace)
        there = {file.path for file in places.files} | {*places.refused, _EPISODES}
        self.failing = {source: error for source, error in self.failing.items() if source in there}
        for path, why in places.refused.items():
            yield from self._fail(path, why, "NotMemoryError")
        changed, known_logs = False, self._read_logs
        for events in (*map(self._file, places.files), self._logs(), self._prune()):
            for event in events:
                changed = changed or event.kind in _CHANGES
                yield event
        changed = changed or self._read_logs is not known_logs  # a new line is searched, whatever it teaches
        if changed and (problem := update_index(self._workspace)):
            yield from self._fail(_INDEX, problem)

    def _file(self, file: TranscriptFile) -> Iterator[Event]:
        now = self._clock()
        quiet = quiet_seconds(file.changed, now) >= QUIET_SECONDS
        state = (file.size, file.changed, quiet)
        if self._seen.get(file.path) == state and quiet:
            return
        try:
            reading = read_new(file, self._flushes, exclude=self._workspace.settings.transcript_exclude)
            done = True
            why = reading.excluded or why_foreign(self._workspace, file) if reading is not None else ""
            if why:
                yield from self._once(Event("skipped", now, file.path, why))
            else:
                for event in self._live(file, reading, now, quiet=quiet):
                    done = done and event.kind not in ("failed", "skipped")
                    yield from self._once(event)
            if done:  # what failed is tried again with the next round
                self.failing.pop(file.path, None)
                self._seen[file.path] = state
        except Exception as error:  # whatever one transcript holds, the others are followed
            why = why_unreadable(error) if isinstance(error, NotMemoryError) else why_failed(error)
            yield from self._fail(file.path, why, type(error).__name__)

    def _live(
        self, file: TranscriptFile, reading: TranscriptReading | None, now: datetime, *, quiet: bool
    ) -> Iterator[Event]:
        compacted = False
        if reading is not None:
            compacted = any(part.closed for part in reading.parts)
            event = self._flush(file, reading, now, compacted=compacted)
            yield event
            if event.kind != "flushed":
                return
        if quiet or compacted:
            self._ingest.now = now
            taken = self._ingest.transcript(file, self._episodes)
            if taken.outcome == "failed":
                yield Event("failed", now, file.path, taken.why)
            elif taken.outcome not in _QUIETLY or taken.episodes:
                why = "compacted" if compacted else "completed"
                yield Event("taken", now, file.path, why, taken=taken)

    def _flush(
        self, file: TranscriptFile, reading: TranscriptReading, now: datetime, *, compacted: bool
    ) -> Event:
        """Save the facts of what is new, or say why that waits."""
        settings, end, turns = self._workspace.settings, reading.end, reading.transcript.turns
        full = None if end.flushed else nearly_full(end.messages, end.tokens, settings)
        since = next((turn.when for turn in turns if turn.when), None)
        since = since or self._first_seen.setdefault(file.path, now)
        lines = end.line - reading.start.at.line
        why = take_up(
            settings,
            user_messages=sum(turn.role == "user" for turn in turns),
            messages=len(turns),
            size=end.offset - reading.start.at.offset,
            lines=lines,
            quiet=quiet_seconds(file.changed, now),
            waited=abs((now - since).total_seconds()),
            compacted=compacted,
        )
        if full is None and why is None:
            waits = f"{plural(len(turns), 'new message')} of {plural(lines, 'line')}: waits for more"
            return Event("waiting", now, file.path, waits)
        done = flush_reading(
            self._workspace, reading, self._flushes, now=now, model=self._ingest.model, full=full is not None
        )
        self._first_seen.pop(file.path, None)
        said = f"before it is compacted: {full}" if full else str(why)
        bad = f"; {unreadable(file.name, reading.bad, named=3)}" if reading.bad else ""
        if skipped := next((one.skipped for one in done if one.skipped), ""):
            return Event("skipped", now, file.path, skipped, flushed=done)
        return Event("flushed", now, file.path, said + bad, flushed=done)

    def _logs(self) -> Iterator[Event]:
        """Teach the graph what daily logs say that it was not learnt from; those that changed are read."""
        logs: dict[str, MemoryFile] = {
            file.path: file
            for file in self._workspace.scan()
            if file.kind in (FileKind.LOG, FileKind.EPISODE) and not file.path.startswith(FOLDER)
        }
        new = {path for path, file in logs.items() if self._read_logs.get(path) != file}
        if not new:
            return
        now = self._clock()
        self._read_logs = logs
        self._ingest.now = now
        for taken in self._ingest.markdown(among=new):
            if taken.outcome in ("failed", "refused"):
                del self._read_logs[taken.source]  # what failed is tried again with the next round
                yield from self._fail(taken.source, taken.why)
            elif taken.outcome == "taken":
                yield Event("taken", now, taken.source, "new lines", taken=taken)

    def _prune(self) -> Iterator[Event]:
        """Let expired episodes go, every six hours; also after the clock was set back."""
        now = self._clock()
        if self._pruned is not None and abs(now - self._pruned) < PRUNE_EVERY:
            return
        self._pruned = now
        done = None
        try:
            done = self._workspace.operations.carry_out(lambda: plan_prune(self._workspace, now=now))
        except NotCuratableError:  # none has expired
            pass
        except WorkbenchError as error:
            yield from self._fail(_EPISODES, error.message, type(error).__name__)
            return
        self.failing.pop(_EPISODES, None)
        if done is not None:
            yield Event("pruned", now, _EPISODES, done.summary, operation=done)

    def _fail(self, source: str, why: str, error: str = "") -> Iterator[Event]:
        return self._once(Event("failed", self._clock(), source, why, error=error))

    def _once(self, event: Event) -> Iterator[Event]:
        """An event, unless it only repeats what was told of its source last."""
        key = (event.source, event.kind)
        if event.kind == "failed":
            self.failing[event.source] = event.error or "Error"
        if event.kind in _CHANGES:
            yield event
        elif self._told.get(key) != event.why:
            self._told[key] = event.why
            yield event
