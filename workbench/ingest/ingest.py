"""Ingest: completed sessions become episodes, and episodes and logs teach the graph."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal

from indexing.embedding.local import local_model
from indexing.embedding.port import Embedder
from workbench.config.read_only import require_more_than_looking
from workbench.errors import (
    NotCuratableError,
    NotMemoryError,
    ReadOnlyError,
    StoppedError,
    UsageError,
    WorkbenchError,
)
from workbench.graph.merge import resolve
from workbench.graph.read import GraphReader
from workbench.ingest.entities import NameEvidence
from workbench.ingest.episodes import episode_of, plan_episode
from workbench.ingest.graph_update import learnt, plan_learn, unlearnt
from workbench.ingest.outcomes import Outcome, summed, unreadable, why_left_out, why_nothing
from workbench.ingest.passages import why_no_source
from workbench.ingest.sessions import (
    QUIET_SECONDS,
    Checkpoint,
    Checkpoints,
    ResumePoint,
    SessionPart,
    TranscriptReading,
    quiet_seconds,
    read_new,
)
from workbench.ingest.transcript_files import (
    TranscriptFile,
    find,
    opened,
    why_failed,
    why_foreign,
    why_unreadable,
)
from workbench.llm.language_model import WITHOUT_MODEL, LanguageModel, language_model_or_why
from workbench.memory.episode import FOLDER
from workbench.memory.transcript import Session
from workbench.plural import plural
from workbench.safety.terminal import visible_line
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace


@dataclass(slots=True)
class IngestedSource:
    """What becomes of one source, filled while it is ingested; ``why`` says why nothing became of it.

    ``bad`` are the numbers of lines that cannot be read.
    """

    source: str
    kind: Literal["transcript", "markdown"]
    outcome: Outcome = "unchanged"
    why: str = ""
    episodes: list[str] = field(default_factory=list)
    memories: int = 0
    operations: list[Operation] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list, repr=False)
    notes: list[str] = field(default_factory=list)
    bad: tuple[int, ...] = ()

    def done(self, outcome: Outcome, why: str = "") -> IngestedSource:
        """Itself, with what became of the source."""
        self.outcome, self.why = outcome, why
        self.notes = list(dict.fromkeys(self.notes))
        return self

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "source": self.source,
            "kind": self.kind,
            "outcome": self.outcome,
            "why": self.why or None,
            "episodes": self.episodes,
            "memories": self.memories,
            "operations": [operation.id for operation in self.operations],
            "diff": "".join(plan.diff() for plan in self.plans),
            "bad_lines": [f"{self.source}:{line}" for line in self.bad],
            "notes": self.notes,
        }


_NO_NEWS = "nothing new in it"
Progress = Callable[[str, int, int], object]
"""Told which source comes next, how many are done, and how many there are."""


def sort_of(name: str) -> str:
    """The sort of source that is gone through: each sort has a count, and a rate, of its own."""
    return "logs, notes and episodes" if name.endswith(".md") else "transcripts"


@dataclass(slots=True, kw_only=True)
class Ingest:
    """Takes sources into one workspace. ``max_age`` is in days, of what was said last.

    Each source is taken in by itself, and one that fails does not stop the others. How far a transcript was
    read is noted after its episode, and what that taught, are committed. After a kill in between it is read
    again, but an episode knows its session, and the graph the words that it learnt from. ``dry_run``: nothing
    is written, and what is taken holds the plans.
    """

    workspace: Workspace = field(kw_only=False)
    now: datetime
    model: LanguageModel | None = None
    embedder: Embedder | None = None
    user: str = ""
    max_age: int | None = None
    dry_run: bool = False
    progress: Progress = lambda *_: None
    _graph: GraphReader = field(init=False)
    _evidence: NameEvidence = field(init=False)

    def __post_init__(self) -> None:
        self._graph = GraphReader(self.workspace)
        self._evidence = NameEvidence(self.workspace)

    def run(self, files: Sequence[str] = (), source: str | None = None) -> Iterator[IngestedSource]:
        """Ingest each of ``files`` (pages end in .md), else what there is of ``source``, one after the other.

        ``source`` is markdown, transcript or all; None for the workspace's own pages, and for transcripts
        where the settings name some. Raises UsageError where a file is of the other sort.
        """
        pages = [name for name in files if name.endswith(".md")]
        transcripts = [name for name in files if name not in pages]
        for sort, others in (("markdown", transcripts), ("transcript", pages)):
            if source == sort and others:
                raise UsageError(f"{visible_line(others[0])} is not a {sort}", hint="leave --source out")
        if files:
            if transcripts:
                yield from self.transcripts(transcripts)
            if pages:
                yield from self.markdown(pages)
            return
        named = self.workspace.settings.transcripts
        if source in ("transcript", "all") or (source is None and named):
            yield from self.transcripts()
        if source != "transcript":
            yield from self.markdown()

    def transcripts(self, named: Sequence[str] = ()) -> Iterator[IngestedSource]:
        """Each transcript in turn. Those that are ``named`` count as completed, however new they are."""
        places = find(self.workspace, named)
        for path, why in places.refused.items():
            yield IngestedSource(path, "transcript").done("refused", why)
        checkpoints = Checkpoints.read(self.workspace, "episode")
        for number, file in enumerate(places.files):
            self.progress(file.name, number, len(places.files))
            yield self.transcript(file, checkpoints, named=bool(named))

    def transcript(
        self, file: TranscriptFile, checkpoints: Checkpoints, *, named: bool = False
    ) -> IngestedSource:
        """One transcript: each of its sessions that is completed or was compacted.

        One that somebody ``named`` counts as completed, and as this workspace's whatever it says of itself.
        """
        taken = IngestedSource(file.path, "transcript")
        exclude = self.workspace.settings.transcript_exclude
        try:
            reading = read_new(file, checkpoints, exclude=exclude, user=self.user, whole=True)
            if reading is None:
                return taken.done(*_why_unread(file, checkpoints))
            if left_out := self._left_out(reading, named=named):
                return taken.done(*left_out)
            taken.bad = reading.bad
            return self._sessions(reading, checkpoints, taken, named=named)
        except (OSError, NotMemoryError) as error:
            return taken.done("refused", why_unreadable(error))
        except Exception as error:  # whatever one source holds, the others are taken in
            return taken.done("failed", why_failed(error))

    def markdown(
        self, named: Sequence[str] = (), *, among: Collection[str] | None = None
    ) -> Iterator[IngestedSource]:
        """Each source (``among`` those) with words that the graph was not learnt from.

        Notes on anything teach it where they are ``named``.
        """
        paths = [self._relative(name) for name in named]
        if not named:
            fresh = unlearnt(self.workspace, among)
            for path, problem in fresh.items():
                page = IngestedSource(path, "markdown")
                if problem:
                    yield page.done("refused", problem)
                elif self.max_age is not None and (age := self._age_of(path)) > self.max_age:
                    yield page.done("old", f"it is {plural(age, 'day')} old")
                else:
                    paths.append(path)
            for path in sorted(learnt(self.workspace).keys() - fresh.keys()):
                yield IngestedSource(path, "markdown").done("unchanged", _NO_NEWS)
        for number, path in enumerate(paths):
            self.progress(path, number, len(paths))
            yield self._page(path)

    def _sessions(
        self, reading: TranscriptReading, checkpoints: Checkpoints, taken: IngestedSource, *, named: bool
    ) -> IngestedSource:
        quiet = quiet_seconds(reading.file.changed, self.now) >= QUIET_SECONDS
        shifts: Counter[str] = Counter()
        noted: Checkpoint | None = None
        for part in reading.parts:
            key = part.session.key
            if not (part.closed or named or quiet):
                why = f"session {key} is still going on"
                return taken.done("taken" if taken.episodes else "waiting", why)
            session = replace(part.session, cycle=part.session.cycle + shifts[key])
            session = self._episodes(session, reading.start, taken)
            shifts[key] = session.cycle - part.session.cycle
            noted = _noted(part, session, memories=len(taken.episodes) + taken.memories)
            if not self.dry_run:
                checkpoints.note(self.workspace, noted, self.now)
        end = _end(reading, noted, shifts)
        if not self.dry_run and end != noted:
            checkpoints.note(self.workspace, end, self.now)
        return taken.done("taken") if reading.parts else taken.done("unchanged", _unsaid(reading))

    def _episodes(self, session: Session, start: ResumePoint, taken: IngestedSource) -> Session:
        """Make the episode of a session, or go on with it, and learn from it; what the last one is of.

        An episode that may not be written anew (somebody edited or removed it) ends its cycle: what was said
        since is the next one.
        """
        while True:
            plan = partial(plan_episode, self.workspace, session, now=self.now, model=self.model)
            try:
                made = self._carry_out(plan, taken)
            except NotCuratableError as error:
                there = episode_of(self.workspace, session.source_id)
                if there is not None:  # a kill may have come before it was learnt from
                    self._learn(there.path, taken)
                    settled = there.turns
                else:
                    taken.notes.append(f"{session.source_id}: {error.message}")
                    settled = start.at.messages if start.at.cycle == session.cycle else 0
            else:
                path = next(str(edit.path) for edit in made.edits if edit.path.startswith(FOLDER))
                taken.episodes.append(path)
                if not self.dry_run:
                    self._learn(path, taken)
                return session
            if not 0 < settled < len(session.turns):
                return session
            session = replace(session, cycle=session.cycle + 1, turns=session.turns[settled:])

    def _learn(self, path: str, taken: IngestedSource) -> None:
        """Teach the graph what an episode or log says. It is a warning when that fails, never a stop."""

        barren: list[Plan] = []

        def plan() -> Plan:
            made = plan_learn(self.workspace, path, now=self.now, model=self.model, evidence=self._evidence)
            if not (made.edits or self.dry_run):
                barren.append(made)
                raise NotCuratableError(f"nothing in {path} is new to the graph")
            return made

        try:
            made = self._carry_out(plan, taken)
        except NotCuratableError:
            for record in barren[0].records if barren else ():  # a commit would change nothing
                self.workspace.ledger.append(record.book, [record.fields], self.now)
                taken.notes += barren[0].notes
            return
        except (ReadOnlyError, NotMemoryError):
            raise
        except WorkbenchError as error:
            if taken.kind == "markdown":
                raise
            taken.notes.append(f"{path}: nothing was ingested from it: {error.message}")
            return
        taken.memories += len(made.became)
        if self.embedder is not None and not self.dry_run:
            self._resolve({edit.path for edit in made.edits}, taken)

    def _resolve(self, written: Collection[str], taken: IngestedSource) -> None:
        """Merge the entities that are one right after they were learnt; what only may be is a note."""
        try:
            done = resolve(
                self.workspace, now=self.now, embedder=self.embedder, of=written, reader=self._graph
            )
        except WorkbenchError as error:
            taken.notes.append(f"duplicates were not searched for: {error.message}")
            return
        taken.operations += done.merged
        taken.notes += done.notes
        taken.notes += [
            f"{one.keep.name} and {one.other.name} may be the same: {one.why}" for one in done.flagged
        ]

    def _carry_out(self, planner: Callable[[], Plan], taken: IngestedSource) -> Plan:
        plans: list[Plan] = taken.plans if self.dry_run else []

        def plan() -> Plan:
            plans.append(planner())
            return plans[-1]

        if self.dry_run:
            plan()
        else:
            if self.model is not None:
                planner()  # asks the model before a lock is held; the answer is kept
            taken.operations.append(self.workspace.operations.carry_out(plan))
        taken.notes += plans[-1].notes
        return plans[-1]

    def _left_out(self, reading: TranscriptReading, *, named: bool) -> tuple[Outcome, str] | None:
        """Why a session is not ingested; None where it is."""
        if not named and (why := why_foreign(self.workspace, reading.file)):
            return "foreign", why
        if reading.excluded:
            return "excluded", why_left_out(reading.excluded, len(reading.transcript.turns))
        told = [turn.when for turn in reading.transcript.turns if turn.when]
        last = max(told).timestamp() if told else reading.file.changed
        age = timedelta(seconds=self.now.timestamp() - last)
        if self.max_age is not None and age > timedelta(days=self.max_age):
            return "old", f"its last message is {plural(age.days, 'day')} old"
        return None

    def _page(self, path: str) -> IngestedSource:
        taken = IngestedSource(path, "markdown")
        try:
            self.workspace.read(path)
            if why := why_no_source(path, self.workspace.layout.kind_of(path)):
                return taken.done("refused", f"not a source: {why}")
            self._learn(path, taken)
        except Exception as error:  # whatever one page holds, the others are taken in
            return taken.done("failed", why_failed(error))
        done = taken.operations or any(plan.edits for plan in taken.plans)
        return taken.done("taken") if done else taken.done("unchanged", "nothing in it is new to the graph")

    def _age_of(self, path: str) -> int:
        """How many days old a page is; 0 where it does not say."""
        days: list[date] = []
        with suppress(WorkbenchError, OSError):
            days = [entry.date for entry in self.workspace.document(path).entries if entry.date]
        return (self.now.date() - max(days, default=self.now.date())).days

    def _relative(self, name: str) -> str:
        whole = os.path.join(os.path.realpath(os.path.dirname(name) or "."), os.path.basename(name))
        root = os.fspath(self.workspace.root).rstrip("/") + "/"
        return whole.removeprefix(root)


def _why_unread(file: TranscriptFile, checkpoints: Checkpoints) -> tuple[Outcome, str]:
    """Why nothing of a transcript can be read at present."""
    if not file.size:
        return "unchanged", "it is empty"
    with opened(file.path) as descriptor:
        found = checkpoints.resume(file, descriptor)
        if found and found.at.offset == file.size:
            return "unchanged", _NO_NEWS
    return "waiting", "its last line is still being written"


def _unsaid(reading: TranscriptReading) -> str:
    """What was found in what was read, where nobody spoke."""
    if reading.start.rewritten:
        return "it was rewritten, without anything new"
    before = reading.start.at.line
    bad = sum(line > before for line in reading.bad)
    return why_nothing(reading.transcript.lines - before, bad, anew=before > 0)


def _noted(part: SessionPart, session: Session, *, memories: int) -> Checkpoint:
    """The checkpoint after a part whose last episode is that of ``session``."""
    at = replace(part.checkpoint, memories=memories)
    if part.closed:
        return replace(at, cycle=session.cycle + 1)
    if len(session.turns) == len(part.session.turns):
        return replace(at, cycle=session.cycle)
    since = session.turns[0]
    length = at.offset - since.span.start
    return replace(at, cycle=session.cycle, messages=len(session.turns), bytes=length, first=since.line - 1)


def _end(reading: TranscriptReading, noted: Checkpoint | None, shifts: Mapping[str, int]) -> Checkpoint:
    """The checkpoint at the end of what was read, where nobody spoke after the last part."""
    end = reading.end
    if noted is None or not end.messages:
        return replace(end, cycle=end.cycle + shifts.get(end.session, 0))
    length = noted.bytes + end.offset - noted.offset
    moved = replace(noted, offset=end.offset, line=end.line, digest=end.digest, bytes=length)
    return noted if moved == noted else replace(moved, memories=0)


_TROUBLES = 20
"""Sources that were not taken in which are named, with why."""


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Ingest what is asked for. Raises ReadOnlyError, and what opening the repository raises.

    This is a task of the worker: ``{"files": [...]}``, or without files what the settings name. It is stopped
    between two sources: what was taken in stays, each source as operations of its own, and the next run goes
    on where this one ended.
    """
    with closing(Workspace.open(root)) as workspace:
        require_more_than_looking()
        _ = workspace.operations  # without a repository nothing can be taken in, so it is said once
        files = [str(name) for name in parameters.get("files") or ()]
        model, why_none = language_model_or_why(workspace.settings)
        ingest = Ingest(
            workspace,
            now=moment(parameters.get("now")),
            model=model,
            embedder=local_model(workspace.settings),
            progress=lambda name, done, total: context.progress(sort_of(name), done, total),
        )
        done: list[IngestedSource] = []
        try:
            for taken in ingest.run(files):
                done.append(taken)
            stopped = False
        except StoppedError:
            stopped = True
    notes = [f"{WITHOUT_MODEL}: {why_none}"] if why_none else []
    notes += [note for taken in done for note in taken.notes]
    # A person is told why a source was not ingested: it failed, or they named it.
    troubles = [
        [one.source, one.why]
        for one in done
        if one.why and (one.outcome in ("failed", "refused") or (files and one.outcome != "taken"))
    ]
    bad = [unreadable(os.path.basename(taken.source), taken.bad) for taken in done if taken.bad]
    return {
        "stopped": stopped,
        "counts": Counter(taken.outcome for taken in done),
        "episodes": sum(len(taken.episodes) for taken in done),
        "memories": sum(taken.memories for taken in done),
        "operations": sum(len(taken.operations) for taken in done),
        "troubles": troubles[:_TROUBLES],
        "notes": summed(notes)[:_TROUBLES],
        "unreadable": bad[:_TROUBLES],
        "with_unreadable": len(bad),
    }
