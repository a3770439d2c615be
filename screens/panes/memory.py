"""Long-term memory by heading, under its budget meter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from textual.app import ComposeResult

from screens.panes.entry_rows import entry_row
from screens.panes.pane import Pane
from screens.rows import SOURCE, Folds, Part, Row
from screens.shown import age, row_text, words
from screens.snapshots import MemoryView
from screens.widgets.budget_meter import BudgetMeter
from workbench.memory.entry import Entry


class MemoryPane(Pane):
    """What the agent knows for good."""

    NUMBER = 2
    NAME = "Memory"
    EMPTY = "MEMORY.md is empty: p on an entry of a log promotes it"

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.view = MemoryView("MEMORY.md")
        self.meter = BudgetMeter()

    def compose(self) -> ComposeResult:
        """The meter over the list."""
        yield self.meter
        yield self.list

    def receive(self, view: MemoryView) -> None:
        """Show this memory."""
        self.view = view
        self.meter.show(view.characters, view.budget)
        self.rebuild()

    def build(self) -> list[Row]:
        """Entries under their headings."""
        return memory_rows(self.view, self.folds, self.today())

    def reveal_entry(self, row_id: str) -> bool:
        """Put the cursor on an entry, unfolding the headings above it."""
        entry = next((entry for entry in self.view.entries if entry.address == row_id), None)
        path = entry.heading if entry else ()
        return self.reveal(row_id, under=[_heading_id(path[: n + 1]) for n in range(len(path))])


def memory_rows(view: MemoryView, folds: Folds, today: date) -> list[Row]:
    """The rows of long-term memory. The one title above everything is left out."""
    skip = 1 if len(view.headings) > 1 and len({path[0] for path in view.headings}) == 1 else 0
    counts: dict[tuple[str, ...], int] = {}
    for entry in view.entries:
        for depth in range(len(entry.heading)):
            path = entry.heading[: depth + 1]
            counts[path] = counts.get(path, 0) + 1
    lines: dict[tuple[str, ...], int] = {}
    for path, line in zip(view.headings, view.heading_lines, strict=True):
        lines.setdefault(path, line)
    rows: list[Row] = []
    last: tuple[str, ...] = ()
    for entry in view.entries:
        path = entry.heading
        shared = 0
        while shared < min(len(path), len(last)) and path[shared] == last[shared]:
            shared += 1
        for depth in range(max(shared, skip), len(path)):
            if _all_open(folds, path[:depth], skip):
                row = _heading(path[: depth + 1], depth - skip, counts, folds)
                rows.append(replace(row, path=view.path, line=lines.get(row.section, 1)))
        last = path
        if _all_open(folds, path, skip):
            depth = max(0, len(path) - skip)
            row = entry_row(entry, depth=depth, tail=_origin(entry, today))
            rows.append(replace(row, done=True))
    return rows


def _heading(path: tuple[str, ...], depth: int, counts: dict[tuple[str, ...], int], folds: Folds) -> Row:
    row_id = _heading_id(path)
    is_open = folds.is_open(row_id, default=True)
    count = Part(words(str(counts.get(path, 0))), "muted")
    return Row(
        row_id, row_text(path[-1]), tone="head", depth=depth, fold=is_open, tail=(count,), section=path
    )


def _heading_id(path: tuple[str, ...]) -> str:
    return "heading:" + "\x1f".join(path)


def _all_open(folds: Folds, path: tuple[str, ...], skip: int) -> bool:
    return all(folds.is_open(_heading_id(path[: n + 1]), default=True) for n in range(skip, len(path)))


def _origin(entry: Entry, today: date) -> tuple[Part, ...]:
    """Age, and whether it says where it came from."""
    origin = entry.provenance
    if origin is None:
        return ()
    parts = []
    day = origin.day("at") or origin.day("occurred_at")
    if day:
        parts.append(Part(age(day, today), "faint"))
    if origin.source:
        parts.append(Part(SOURCE, "accent"))
    return tuple(parts)
