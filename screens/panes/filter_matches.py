"""What a filter keeps of files that have to be looked through for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import grouped, of_all, words
from screens.loading.snapshots import FilteredEntries, Promoted, stamp
from screens.panes.entry_rows import entry_row
from screens.panes.filter import Filter
from workbench.workspace.layout import MemoryFile

MOST = 1_000
"""Entries that are shown; whoever wants others asks for less."""


@dataclass(slots=True, eq=False)
class KeptFiles:
    """The files that a filter has to look through, and what it has found so far."""

    wanted: Filter | None = None
    files: tuple[MemoryFile, ...] = ()
    promoted: Promoted = field(default_factory=Promoted)
    found: dict[str, FilteredEntries] = field(default_factory=dict)
    looked: int = 0

    @property
    def settling(self) -> bool:
        """Whether more may be found."""
        return self.looked < len(self.files) and not self.full

    @property
    def full(self) -> bool:
        """Whether no more are looked for."""
        return sum(len(kept.entries) for kept in self.found.values()) >= MOST

    @property
    def looked_at(self) -> str:
        """How many of the files were looked through; empty once all of them were."""
        return of_all(self.looked, len(self.files), "files")

    @property
    def told(self) -> str:
        """The same beside the cursor's place, on a frame that may be narrow."""
        looked = self.looked_at
        return f"{'enough in ' if looked and self.full else ''}{looked} · " if looked else ""

    def due(self) -> tuple[MemoryFile, ...]:
        """The files that were not looked through yet, as they stand now."""
        return tuple(
            file
            for file in self.files
            if (kept := self.found.get(file.path)) is None or kept.stamp != stamp(file)
        )

    def keep(self, before: KeptFiles) -> None:
        """Take over what was found under the same filter, until it is looked for again."""
        if before.wanted == self.wanted and before.promoted == self.promoted:
            there = {file.path for file in self.files}
            self.found = {path: kept for path, kept in before.found.items() if path in there}


@dataclass(frozen=True, slots=True)
class MatchesRead:
    """Some more files were looked through for what a filter keeps; ``looked`` of all of them by now."""

    wanted: KeptFiles
    found: Mapping[str, FilteredEntries]
    looked: int


def kept_rows(
    row: Row, kept: FilteredEntries, wanted: Filter, promoted: Promoted, *, is_open: bool
) -> Iterator[Row]:
    """A file with the entries that are kept, their words brought out."""
    tail = (RowPart(words(f"{grouped(len(kept.entries))} of {grouped(kept.count)}")),)
    yield replace(row, fold=is_open, tail=tail)
    for entry in kept.entries if is_open else ():
        yield wanted.brought_out(entry_row(entry, depth=1, promoted=promoted.holds(entry)))
    if is_open and kept.left_out:
        text = words(f"… {grouped(kept.left_out)} more bytes were not looked at; search finds them")
        yield Row(f"{row.id}/note", text, tone="warn", depth=1, inert=True)
