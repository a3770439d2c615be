"""What `check` remarks on: a place in a memory file, the rule that named it, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.workspace.workspace import Workspace

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One remark. ``line`` counts from 1; ``also`` names the other places that it is about."""

    rule: str
    severity: Severity
    path: str
    line: int
    what: str
    do: str = ""
    also: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """``path:line``."""
        return f"{self.path}:{self.line}"

    def as_json(self) -> dict[str, object]:
        """The remark as the command line prints it."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "what": self.what,
            "do": self.do or None,
            "also": list(self.also),
        }


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
