"""What the checks look at: the workspace, its memory read once, and what the person permits."""

from __future__ import annotations

import math
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

from indexing.storage import not_a_link
from indexing.sync.report import OnProgress
from workbench.config.settings import Settings
from workbench.errors import UsageError, WorkbenchError, disk_error
from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.workspace.late_lines import carry_late
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.locks import held
from workbench.workspace.plan import Plan
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

CURATED = frozenset({Kind.MEMORY, Kind.ENTITY, Kind.BOOTSTRAP, Kind.CONTEXT})
"""What somebody chose to keep: what an agent loads, and the pages of the graph."""
SYNC, ACTION = "index.lock", "operations.lock"
ASIDE = "set-aside"
"""Where repairs put what they take out of the way: nothing is deleted that was not made to be thrown away."""


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
            workspace = Workspace.open(root)
            carry_late(workspace)
            return cls(workspace, network=network, progress=progress)
        except UsageError as error:
            return cls(Workspace(root.resolve(), Settings()), error, network=network, progress=progress)

    @property
    def root(self) -> Path:
        """The folder of the workspace."""
        return self.workspace.root

    @property
    def state(self) -> Path:
        """``.workbench``, whether it is there or not."""
        return self.workspace.root / STATE_DIR

    @property
    def is_past(self) -> bool:
        """Whether this is memory as it was, of which the machine says nothing."""
        return isinstance(self.workspace, PastWorkspace)

    @cached_property
    def corpus(self) -> Corpus:
        """All memory, as far as there is time to read it."""
        return _read(self)

    def is_busy(self, name: str) -> bool:
        """Whether somebody holds our lock ``name`` now."""
        try:
            found = held(self.state / name)
        except OSError:
            return False
        return found is not None and found.held

    def put_aside(self, path: Path) -> str:
        """Move ``path`` into ``.workbench/set-aside/``; what was done. Raises WorkbenchError."""
        return f"moved to {put_into(self.workspace.state_dir() / ASIDE, path).relative_to(self.root)}"

    def close(self) -> None:
        """End what reading the history started."""
        self.workspace.close()


@dataclass(frozen=True)
class Corpus:
    """All memory of a workspace, read once: every rule sees the same. ``today`` decides what is over.

    ``unreadable`` are the files that cannot be read, with why; ``left_out`` says what there was no time for.
    """

    workspace: Workspace
    documents: Sequence[Document]
    today: date
    unreadable: Sequence[tuple[str, Exception]] = ()
    left_out: str = ""

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries of all files, file by file."""
        return [entry for document in self.documents for entry in document.entries]

    @cached_property
    def curated(self) -> list[Entry]:
        """Entries that somebody chose to keep."""
        return [entry for entry in self.entries if entry.kind in CURATED]

    @cached_property
    def by_path(self) -> dict[str, Document]:
        """Each file by its path."""
        return {document.path: document for document in self.documents}

    @cached_property
    def _ends(self) -> dict[str, list[int]]:
        """The last line of each entry of a file, in order."""
        return {one.path: [entry.end_line for entry in one.entries] for one in self.documents}

    def entry_at(self, path: str, line: int) -> Entry | None:
        """The entry that stands at a line, counted from 1; None between entries."""
        if path not in self.by_path:
            return None
        entries = self.by_path[path].entries[bisect_left(self._ends[path], line) :][:1]
        return next((entry for entry in entries if entry.start_line <= line), None)


def _read(place: CheckSubject) -> Corpus:
    """All memory; what was curated first, where there is not time enough for all of it."""
    documents: list[Document] = []
    unreadable: list[tuple[str, Exception]] = []
    files = sorted(place.workspace.scan(), key=lambda file: file.path.startswith("memory/"))
    begun, left_out = place.clock(), ""
    for number, file in enumerate(files):
        if place.clock() - begun > place.patience:
            left = len(files) - number
            left_out = f"{left:,} of {len(files):,} files were not looked at: no time left"
            break
        try:
            documents.append(place.workspace.document(file.path))
        except FileNotFoundError:  # removed meanwhile
            continue
        except (OSError, WorkbenchError) as error:
            unreadable.append((file.path, error))
    documents.sort(key=lambda document: document.path)
    return Corpus(place.workspace, documents, place.moment.date(), unreadable, left_out)


def put_into(folder: Path, path: Path) -> Path:
    """Move ``path`` into ``folder`` under a name that nothing there has. Raises WorkbenchError."""
    not_a_link(folder)
    target = folder / f"{time.time_ns()}-{path.name}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        os.rename(path, target)
    except OSError as error:
        raise disk_error(error) from error
    return target
