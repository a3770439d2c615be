"""What the checks of memory look at: all of it, read once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from workbench.errors import WorkbenchError
from workbench.health.finding import Finding
from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True)
class Corpus:
    """All memory of a workspace, read once: every rule sees the same. ``today`` decides what is over."""

    workspace: Workspace
    documents: Sequence[Document]
    today: date

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries of all files, file by file."""
        return [entry for document in self.documents for entry in document.entries]

    @cached_property
    def curated(self) -> list[Entry]:
        """Entries that somebody chose to keep: what an agent loads, and the pages of the graph."""
        return [entry for entry in self.entries if entry.kind in CURATED]

    @cached_property
    def by_path(self) -> dict[str, Document]:
        """Each file by its path."""
        return {document.path: document for document in self.documents}


CURATED = frozenset({Kind.MEMORY, Kind.ENTITY, Kind.BOOTSTRAP, Kind.CONTEXT})


def place_of(entry: Entry) -> str:
    """``path:line`` of an entry."""
    return f"{entry.path}:{entry.start_line}"


def read_corpus(
    workspace: Workspace,
    today: date,
    *,
    most: float = math.inf,
    patience: float = math.inf,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Corpus, list[Finding], tuple[str, ...]]:
    """All memory, a finding for each file that cannot be read, and what there was no room for, in words.

    At most about ``most`` entries are read, and no file is begun after ``patience`` seconds.
    """
    documents: list[Document] = []
    unreadable: list[Finding] = []
    notes: tuple[str, ...] = ()
    files = workspace.scan()
    files.sort(key=lambda file: file.path.startswith("memory/"))  # what was curated is read first
    begun, entries = clock(), 0
    for number, file in enumerate(files):
        if entries >= most or clock() - begun > patience:
            why = "no time left" if entries < most else f"more than {most:,} entries"
            notes = (f"{len(files) - number:,} of {len(files):,} files were not looked at: {why}",)
            break
        try:
            document = workspace.document(file.path)
        except FileNotFoundError:  # removed meanwhile
            continue
        except (OSError, WorkbenchError) as error:
            unreadable.append(_unreadable(file.path, error))
            continue
        documents.append(document)
        entries += len(document.entries)
    documents.sort(key=lambda document: document.path)
    return Corpus(workspace, documents, today), unreadable, notes


def _unreadable(path: str, error: Exception) -> Finding:
    return Finding(
        rule="unreadable",
        severity="error",
        address=path,
        line=1,
        what=f"it cannot be read: {error}",
        do="correct its permissions, or remove it",
    )
