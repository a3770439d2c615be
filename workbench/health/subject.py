"""What the checks look at: the workspace, its memory read once, and what the person permits."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

from indexing.storage import RefusedError, not_a_link
from indexing.sync.freshness import NO_INDEX
from indexing.sync.generations import Generation, Generations, Manifest
from indexing.sync.report import OnProgress
from workbench.config.settings import Settings
from workbench.dreaming.candidates import generated_lines, is_generated
from workbench.errors import ConflictError, UsageError, WorkbenchError, disk_errors
from workbench.health.finding import Finding, Fix, FixKind, Severity, SkippedError
from workbench.memory.entry import Entry, Kind, without_emphasis
from workbench.memory.markdown import Document
from workbench.plural import first_few
from workbench.safety.secrets import masked
from workbench.workspace.late_writes import carry_late
from workbench.workspace.locks import held, hold
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

CURATED = frozenset({Kind.MEMORY, Kind.ENTITY, Kind.BOOTSTRAP, Kind.CONTEXT})
"""What somebody chose to keep: what an agent loads, and the pages of the graph."""
SYNC, ACTION = "index.lock", "operations.lock"
ASIDE = "set-aside"
"""Where repairs put what they take out of the way: nothing is deleted that was not made to be thrown away."""
NAMED = 8
"""Other entries that a finding leads to; each other place is told."""
TITLE = 80
"""Characters of an entry that a finding shows."""
_SHOWN = 3
_LABELS = {
    "forget": "forget it",
    "edit": "edit it",
    "quarantine": "set it aside, where no agent loads it",
}


@dataclass
class CheckSubject:
    """A workspace, the moment it is looked at, and what is permitted.

    ``unreadable`` says why its settings do not count; then the defaults stand in for them. ``now`` is the
    clock's time in seconds since 1970, ``moment`` decides what of memory is over. ``network`` is the person's
    word that a model provider may be asked whether it is there; ``agree`` asks for it before a repair writes
    memory, which none does where it is None. No memory file is begun after ``patience`` seconds.
    """

    workspace: Workspace
    unreadable: UsageError | None = None
    now: float = field(default_factory=time.time)
    moment: datetime = field(default_factory=lambda: datetime.now().astimezone())
    network: bool = False
    agree: Callable[[Plan], bool] | None = None
    progress: OnProgress = None
    patience: float = math.inf
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def open(cls, root: Path, *, network: bool = False, progress: OnProgress = None) -> CheckSubject:
        """The workspace at ``root``, also where its settings cannot be read. Raises NoWorkspaceError."""
        try:
            workspace, unreadable = Workspace.open(root), None
            carry_late(workspace)
        except UsageError as error:
            workspace, unreadable = Workspace(root.resolve(), Settings()), error
        return cls(workspace, unreadable, network=network, progress=progress)

    @property
    def root(self) -> Path:
        """The folder of the workspace."""
        return self.workspace.root

    @property
    def state(self) -> Path:
        """``.workbench``, whether it is there or not."""
        return self.workspace.state_path

    @cached_property
    def corpus(self) -> Corpus:
        """All memory, as far as there is time to read it: what was curated comes first."""
        documents: list[Document] = []
        unreadable: list[tuple[str, Exception]] = []
        files = sorted(self.workspace.scan(), key=lambda file: file.path.startswith("memory/"))
        begun, left_out = self.clock(), ""
        for number, file in enumerate(files):
            if self.clock() - begun > self.patience:
                left_out = f"{len(files) - number:,} of {len(files):,} files were not checked: no time left"
                break
            try:
                documents.append(self.workspace.document(file.path))
            except FileNotFoundError:  # removed meanwhile
                continue
            except (OSError, WorkbenchError) as error:
                unreadable.append((file.path, error))
        documents.sort(key=lambda document: document.path)
        return Corpus(documents, unreadable, left_out)

    @property
    def today(self) -> date:
        """The day that decides what is over."""
        return self.moment.date()

    def require_rest(self, lock: str, doing: str) -> None:
        """Raise SkippedError where somebody holds our ``lock`` now: what they are ``doing`` is not judged."""
        with contextlib.suppress(OSError):
            if (found := held(self.state / lock)) and found.held:
                raise SkippedError(f"not checked: {doing}")

    def index_in_use(self) -> tuple[Generation, Manifest]:
        """The generation that is searched. Raises SkippedError where there is none, or a sync is at it."""
        self.require_rest(SYNC, "a reindex is running")
        try:
            generation = Generations(self.state).current()
            manifest = generation.manifest() if generation else None
        except RefusedError as error:
            raise SkippedError(error.message) from error
        if generation is None or manifest is None:
            raise SkippedError(NO_INDEX)
        return generation, manifest

    def require_agreement(self, plan: Plan) -> None:
        """Raise UsageError where the person does not agree to what a repair would write."""
        if self.agree is None or not self.agree(plan):
            raise UsageError("you declined")

    def carry_out(self, planned: Callable[[Workspace], Plan | None]) -> str:
        """Carry out, as an operation, what the person agrees to; what was done. Raises WorkbenchError."""

        def plan() -> Plan:
            found = planned(self.workspace)
            if found is None:
                raise ConflictError("it was already done in the meantime")
            return found

        self.require_agreement(plan())
        operation = self.workspace.operations.carry_out(plan)
        return f"{operation.summary}; `workbench undo {operation.id}` undoes it"

    def put_aside(self, path: Path, lock: str = "") -> str:
        """Move ``path`` into ``.workbench/set-aside/``, with our ``lock`` held; what was done.

        Raises WorkbenchError.
        """
        folder = self.workspace.state_dir() / ASIDE
        with hold(self.state / lock, "doctor") if lock else contextlib.nullcontext():
            return f"moved to {put_into(folder, path).relative_to(self.root)}"

    def close(self) -> None:
        """End what reading the history started."""
        self.workspace.close()


@dataclass(frozen=True)
class Corpus:
    """All memory of a workspace, read once: every rule sees the same.

    ``unreadable`` are the files that cannot be read, with why; ``left_out`` says what there was no time for.
    """

    documents: Sequence[Document]
    unreadable: Sequence[tuple[str, Exception]] = ()
    left_out: str = ""

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries of all files, file by file."""
        return [entry for document in self.documents for entry in document.entries]

    @cached_property
    def written(self) -> list[Entry]:
        """The entries that somebody wrote: no diary of dreams, and nothing that a program made of logs."""
        return [
            entry
            for document in self.documents
            if document.kind is not Kind.DREAM
            for generated in (generated_lines(document.data),)
            for entry in document.entries
            if not (generated and is_generated(generated, entry.start_line))
        ]

    @cached_property
    def curated(self) -> list[Entry]:
        """Entries that somebody chose to keep."""
        return [entry for entry in self.entries if entry.kind in CURATED]

    @cached_property
    def by_path(self) -> dict[str, Document]:
        """Each file by its path."""
        return {document.path: document for document in self.documents}

    def entry_at(self, path: str, line: int) -> Entry | None:
        """The entry that stands at a line, counted from 1; None between entries."""
        document = self.by_path.get(path)
        return document.at_line(line) if document else None

    def placed(self, finding: Finding, *deeds: FixKind) -> Finding:
        """A finding at a line, with the entry that stands there, and what can be done to it."""
        entry = self.entry_at(finding.path, finding.line)
        if entry is None:
            return finding
        return replace(finding, entry=entry.address, fixes=tuple(fix_of(entry, deed) for deed in deeds))


def about(
    entry: Entry,
    rule: str,
    what: str,
    meaning: str,
    do: str,
    severity: Severity = "warning",
    *,
    others: Sequence[Entry] = (),
    fixes: tuple[Fix, ...] = (),
) -> Finding:
    """A finding about an entry, and ``others`` that it has to do with."""
    return Finding(
        what,
        meaning,
        do,
        severity,
        rule,
        entry.path,
        entry.start_line,
        entry.address,
        also=tuple(map(place_of, others)),
        others=tuple(other.address for other in others[:NAMED]),
        fixes=fixes,
    )


def shown(text: str, most: int = TITLE) -> str:
    """The first characters of ``text`` as a finding shows them.

    Secrets are masked before it is cut: the beginning of one is not known for a secret any more.
    """
    return without_emphasis(masked(text))[:most]


def place_of(entry: Entry) -> str:
    """``path:line`` of an entry."""
    return f"{entry.path}:{entry.start_line}"


def fix_of(entry: Entry, deed: FixKind, label: str = "") -> Fix:
    """One thing that can be done to an entry; memories of the graph are forgotten in their own way."""
    label = label or _LABELS[deed]
    if deed == "forget" and entry.kind is Kind.ENTITY:
        deed = "forget-memory"
    return Fix(deed, label, (entry.address,))


def few(names: Sequence[str]) -> str:
    """The first of these names, and how many more there are."""
    return ", ".join(first_few(names, _SHOWN))


def put_into(folder: Path, path: Path) -> Path:
    """Move ``path`` into ``folder`` under a name that nothing there has. Raises WorkbenchError."""
    not_a_link(folder)
    target = folder / f"{time.time_ns()}-{path.name}"
    with disk_errors():
        folder.mkdir(mode=0o700, exist_ok=True)
        os.rename(path, target)
    return target
