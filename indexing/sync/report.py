"""What a reindex says while it runs and when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from indexing.sync.cost_estimate import Backfill

_SHOWN_LINES = 10

Phase = Literal["scan", "words", "prepare", "embed"]


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """``done`` of ``total`` units of a phase: files for scan and words, entries for embed.

    The phases of a run follow each other, each once, and no count goes back: those of ``embed`` are of all
    entries, and begin with what earlier runs have stored.
    """

    phase: Phase
    done: int
    total: int


OnProgress: TypeAlias = "Callable[[SyncProgress], None] | None"


@dataclass(slots=True)
class SyncReport:
    """What a reindex did. ``failed`` maps paths to reasons; ``vectors`` says why there are none, or None.

    ``waiting`` counts transcripts that grew too little to be indexed again; ``absent`` says of sources that
    are not there what became of their entries; ``bad_lines`` are the numbers of lines of transcripts that
    cannot be read. ``entries_removed`` and ``entries_added`` count entries, edited ones on both sides.
    """

    seen: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    waiting: int = 0
    absent: dict[str, str] = field(default_factory=dict)
    bad_lines: dict[str, tuple[int, ...]] = field(default_factory=dict)
    entries: int = 0
    entries_added: int = 0
    entries_removed: int = 0
    embedded: int = 0
    from_cache: int = 0
    unembedded: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    backfill: Backfill | None = None
    vectors: str | None = None
    rebuilt: str | None = None
    seconds: float = 0.0
    generation: str = ""
    fingerprint: str = ""
    dry_run: bool = False

    def as_json(self) -> dict[str, object]:
        """The report as the command line prints it."""
        return {
            "files": {
                "seen": self.seen,
                "added": self.added,
                "changed": self.changed,
                "removed": self.removed,
                "unchanged": self.unchanged,
                "failed": [{"path": path, "error": why} for path, why in self.failed.items()],
                "waiting": self.waiting,
            },
            "entries": {
                "total": self.entries,
                "added": self.entries_added,
                "removed": self.entries_removed,
            },
            "embedded": self.embedded,
            "from_cache": self.from_cache,
            "seconds": round(self.seconds, 3),
            "generation": self.generation,
            "fingerprint": self.fingerprint,
            "vectors": self.vectors,
            "rebuilt": self.rebuilt,
            "unembedded": [{"entry": entry, "error": why} for entry, why in self.unembedded.items()],
            "notes": list(self.notes),
            "backfill": self.backfill.as_json() if self.backfill else None,
            "absent": [{"source": name, "reason": why} for name, why in self.absent.items()],
            "bad_lines": [
                {"path": path, "count": len(lines), "first": list(lines[:_SHOWN_LINES])}
                for path, lines in self.bad_lines.items()
            ],
            "dry_run": self.dry_run,
        }
