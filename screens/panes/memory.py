"""The pane of long-term memory by heading, under its budget meter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import ClassVar

from textual.app import ComposeResult

from screens.actions.keys import key_for
from screens.drawing.safe_text import SOURCE, Folds, Row, RowPart, age, piece, row_text
from screens.loading.workspace_model import MemoryView
from screens.panes.entry_rows import TRUSTS, alike, entry_row, is_label_of, labelled
from screens.panes.pane import Filter, Pane, Subject, iso, states_of
from screens.widgets.lines import BudgetMeter
from workbench.memory.entry import Entry, heading_path


class MemoryPane(Pane):
    """What the agent knows for good."""

    NUMBER = 2
    NAME = "Memory"
    KIND = "memory"
    STATES: ClassVar[Collection[str]] = {"pinned", "unpinned", "sourced", "unsourced", *TRUSTS}
    EXAMPLES = "words, a heading, pinned, sourced, unsourced, external, 2026-03"

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.view = MemoryView("MEMORY.md")
        self.meter = BudgetMeter()

    def compose(self) -> ComposeResult:
        """The meter over the list."""
        yield self.meter
        yield from super().compose()

    def receive(self, view: MemoryView) -> None:
        """Show this memory."""
        self.view, self.known = view, True
        self.meter.use = view.used, view.limit, view.unit
        self.rebuild()

    @property
    def vacant(self) -> bool:
        """Whether it is empty, and there is not more to be said of that than a strip has room for."""
        return super().vacant and not (self.view.deleted or self.view.is_unknown)

    def nothing(self) -> str:
        """Deleted is not empty: git has what stood there."""
        if self.view.is_unknown and not self.view.deleted:
            return f"no agent loads a file here: `workbench init` makes {self.view.path} for one"
        if not self.view.deleted:
            return f"MEMORY.md is empty\n{key_for('promote')} on an entry of a log promotes it"
        path = self.view.path
        return (
            f"{path} was deleted\n{key_for('palette')} “restore long-term memory” restores it, or"
            f" `workbench restore {path} --at today`"
        )

    def build(self) -> list[Row]:
        """Entries under their headings."""
        view = narrowed(self.view, self.filter) if self.filter else self.view
        return memory_rows(view, self.folds, self.today())

    def reveal_entry(self, path: str, row_id: str) -> bool:
        """Put the cursor on an entry, unfolding the headings above it."""
        entry = next((entry for entry in self.view.entries if entry.address == row_id), None)
        heading = entry.heading if entry else ()
        return self.reveal(row_id, under=[_heading_id(heading[: n + 1]) for n in range(len(heading))])


def narrowed(view: MemoryView, wanted: Filter) -> MemoryView:
    """Long-term memory with the entries alone that fit; an entry and what is noted above it are one."""
    kept = {entry.address for entry in view.entries if wanted.keeps(subject_of(entry))}
    for label, entry in pairwise(view.entries):
        if is_label_of(label, entry) and not kept.isdisjoint((label.address, entry.address)):
            kept |= {label.address, entry.address}
    return replace(view, entries=tuple(entry for entry in view.entries if entry.address in kept))


def subject_of(entry: Entry) -> Subject:
    """What a filter looks at: headings, words, source; pinned or not, how far trusted; its days."""
    origin = entry.provenance
    source = (origin.source if origin else None) or ""
    states = states_of(
        ("pinned", entry.pinned), ("unpinned", not entry.pinned),
        ("sourced", bool(source)), ("unsourced", not source),
        (origin.trust if origin else "unknown", True),
    )  # fmt: skip
    days = [origin.day(name) for name in ("at", "occurred_at")] if origin else []
    return Subject(" ".join((*entry.heading, *entry.text.split(), source)), states, iso(entry.date, *days))


def memory_rows(view: MemoryView, folds: Folds, today: date) -> list[Row]:
    """The rows of long-term memory. The one title above everything is left out."""
    skip = 1 if len(view.headings) > 1 and len({path[0] for path in view.headings}) == 1 else 0
    counts = Counter(one.heading[:depth] for one in view.entries for depth in range(1, len(one.heading) + 1))
    # of headings of the same name the first one counts
    lines = dict(zip(reversed(view.headings), reversed(view.heading_lines), strict=True))
    rows: list[Row] = []
    last: tuple[str, ...] = ()
    for entry in view.entries:
        path = entry.heading
        for depth in range(max(alike(path, last), skip), len(path)):
            if _all_open(folds, path[:depth], skip):
                row = _heading(path[: depth + 1], depth - skip, counts, folds)
                rows.append(replace(row, path=view.path, line=lines.get(row.section, 1)))
        last = path
        if _all_open(folds, path, skip):
            depth = max(0, len(path) - skip)
            row = entry_row(entry, depth=depth, tail=_origin(entry, today))
            rows.append(replace(row, done=True))
    return list(labelled(rows))


def _heading(path: tuple[str, ...], depth: int, counts: Counter[tuple[str, ...]], folds: Folds) -> Row:
    row_id = _heading_id(path)
    return Row(
        row_id,
        row_text(heading_path(path[-1:])),
        tone="head",
        depth=depth,
        fold=folds.is_open(row_id, default=True),
        tail=(piece(str(counts[path])),),
        section=path,
    )


def _heading_id(path: tuple[str, ...]) -> str:
    return "heading:" + "\x1f".join(path)


def _all_open(folds: Folds, path: tuple[str, ...], skip: int) -> bool:
    return all(folds.is_open(_heading_id(path[: n + 1]), default=True) for n in range(skip, len(path)))


def _origin(entry: Entry, today: date) -> tuple[RowPart, ...]:
    """Age, and whether it says where it came from."""
    origin = entry.provenance
    if origin is None:
        return ()
    parts = []
    day = origin.day("at") or origin.day("occurred_at")
    if day:
        parts.append(RowPart(age(day, today), "faint"))
    if origin.source:
        parts.append(RowPart(SOURCE, "accent"))
    return tuple(parts)
