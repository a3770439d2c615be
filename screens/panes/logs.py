"""The pane of daily logs, the newest first; below them notes, context, bootstrap files and dreams."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain, groupby
from typing import TYPE_CHECKING, ClassVar

from screens.drawing.safe_text import (
    PROMOTED,
    Folds,
    Row,
    RowPart,
    Shown,
    Spans,
    Tone,
    grouped,
    inline,
    piece,
    row_text,
    safe_piece,
    words,
)
from screens.loading.workspace_model import (
    Files,
    MemoryView,
    Promoted,
    QuarantineView,
    SummariesRead,
    Summary,
    of_kind,
    stamp,
)
from screens.panes.entry_rows import TRUSTS, told, trust_marks
from screens.panes.pane import FilePane, KeptFiles, MatchesRead, Subject, kept_rows
from screens.widgets.entry_list import EntryList
from workbench.memory.entry import Kind
from workbench.workspace.layout import MemoryFile

if TYPE_CHECKING:
    from workbench.operations.quarantine import SetAside

_GROUPS = (
    (Kind.MEMORY, "Other memory files"),
    (Kind.NOTE, "Notes"),
    (Kind.CONTEXT, "Context"),
    (Kind.BOOTSTRAP, "Bootstrap"),
    (Kind.DREAM, "Dreams"),
)
_DAY_CELLS = 10
_QUARANTINE = "group:quarantine"


class LogsPane(FilePane):
    """What happened, day by day."""

    NUMBER = 1
    NAME = "Logs"
    KIND = "log"
    EMPTY = "no logs yet\nan agent writes them: memory/2026-01-31.md would be one"
    STATES: ClassVar[Collection[str]] = {"promoted", "unpromoted", "pinned", *TRUSTS}
    EXAMPLES = "words, 2026-03, promoted, unpromoted, external, -word"

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.kept = KeptFiles()
        self.days: list[MemoryFile] = []
        self.groups: dict[Kind, list[MemoryFile]] = {}
        self.memory_path = ""
        self.summaries: dict[str, Summary] = {}
        self.quarantine = QuarantineView()
        self._summaries_asked: dict[str, object] = {}

    def receive(self, files: Files) -> None:
        """Show these files."""
        self.files, self.known = files, True
        self.days = sorted(of_kind(files, Kind.LOG), key=lambda f: (_day_in(f), f.path), reverse=True)
        if self.days and not self._summaries_asked:
            self.folds.set(self.days[0].path, True)  # the newest day is open from the start
        self._group()
        if self.kept.files:
            self._look_through()
        self.rebuild()
        self._ask_for(self.list.rows[self.list.scroll_offset.y :][: self.list.size.height])

    def _group(self) -> None:
        """Sort the files that are no logs; the one that the memory pane shows is left out."""
        self.groups = {kind: of_kind(self.files, kind) for kind, _ in _GROUPS}
        others = [one for one in self.groups[Kind.MEMORY] if one.path != self.memory_path]
        self.groups[Kind.MEMORY] = others if self.memory_path else []

    def begin_anew(self) -> None:
        """Ask again for what is open, and for what is in view."""
        super().begin_anew()
        self._summaries_asked = dict.fromkeys(self._summaries_asked)

    def receive_summaries(self, event: SummariesRead) -> None:
        """Fill in counts and first words."""
        self.summaries.update(event.summaries)
        self.rebuild()

    def receive_quarantine(self, view: QuarantineView) -> None:
        """Show what is set aside, last of all."""
        self.quarantine = view
        self.rebuild()

    def build(self) -> list[Row]:
        """Days under their years, then the groups; open files with their entries."""
        if self.filter and not self.filter.only_days:
            return self._narrowed()
        rows: list[Row] = []
        today = self.today()
        days = [file for file in self.days if self.filter is None or self.filter.keeps_day(_day_in(file))]
        for year, files in groupby(days, key=lambda file: _day_in(file)[:4]):
            if year != str(today.year):
                rows.append(Row(f"year:{year}", words(year), tone="faint", inert=True))
            for file in files:
                rows += self._file(file, day_row(file, today), 0)
        if self.filter is None:
            for kind, name in _GROUPS:
                if group := self.groups.get(kind):
                    row = Row(f"group:{kind}", words(name), tone="head", tail=(RowPart(grouped(len(group))),))
                    under = (self._file(file, note_row(file), 1) for file in group)
                    # Where there are no logs, what there is instead is open from the start.
                    rows += self.folds.section(row, chain.from_iterable(under), default=not self.days)
            rows += quarantine_rows(self.quarantine, self.folds)
        self.keep_only()
        return rows

    def receive_memory(self, memory: MemoryView) -> None:
        """Mark what stands in long-term memory; what a filter keeps may depend on it."""
        changed = memory.promoted != self.promoted
        if memory.path != self.memory_path:
            self.memory_path = memory.path
            self._group()
            self.rebuild()
        super().receive_memory(memory)
        if changed and self.filter and self.filter.asks_for("promoted", "unpromoted"):
            self._look_through()

    def receive_matches(self, event: MatchesRead) -> None:
        """Show what the filter keeps of some more files; ignored when another one was typed meanwhile."""
        if event.wanted is self.kept:
            self.kept.found.update(event.found)
            self.kept.looked = event.looked
            if event.found or not self.kept.settling or not self.list.rows:
                self.rebuild()
            else:
                self.caption()

    def narrow(self, typed: str) -> None:
        """Keep what fits; what the names of files do not tell is looked for in them."""
        before = self.filter
        super().narrow(typed)
        if self.filter != before:
            self._look_through()
            if not self.list.rows:
                self.rebuild()  # it is only now known that files are to be looked through

    @property
    def settling(self) -> bool:
        """Whether files are looked through, and nothing was found yet: what follows comes below it."""
        return super().settling or (self.filter is not None and self.kept.settling and not self.list.rows)

    def looked_at(self) -> str:
        """How many files were looked through, while there are more."""
        return self.kept.looked_at if self.kept.settling else ""

    def told(self) -> str:
        """How far the filter has come, where it has not seen everything."""
        return self.kept.told if self.filter else ""

    def _look_through(self) -> None:
        """Look through the files of days that fit, the newest first, then notes and the like."""
        before, self.kept = self.kept, KeptFiles()
        if self.filter is None or self.filter.only_days:
            return
        groups = (file for kind, _ in _GROUPS for file in self.groups.get(kind, ()))
        files = tuple(file for file in (*self.days, *groups) if self.filter.keeps_day(_day_in(file)))
        kept = self.kept = KeptFiles(self.filter, files, self.promoted)
        kept.keep(before)
        if files:
            self.post_message(self.Wanted(lambda reader: reader.look_through(kept), "filter", exclusive=True))

    def _narrowed(self) -> list[Row]:
        """The entries that the filter keeps, under their files."""
        assert self.filter is not None
        rows: list[Row] = []
        today = self.today()
        for file in self.kept.files:
            kept = self.kept.found.get(file.path)
            if kept and kept.entries:
                row = day_row(file, today) if file.kind is Kind.LOG else note_row(file)
                rows += kept_rows(row, kept, self.promoted, self.folds)
        things = tuple(t for t in self.quarantine.things if self.filter.keeps(Subject(t.title)))
        return [*rows, *quarantine_rows(QuarantineView(things), self.folds, default=True)]

    def reveal_entry(self, path: str, row_id: str) -> bool:
        """Put the cursor on an entry of a file, unfolding what it is under."""
        kind = next((kind for kind, files in self.groups.items() for f in files if f.path == path), None)
        return self.reveal(row_id, under=(*((f"group:{kind}",) if kind else ()), path))

    def on_entry_list_in_view(self, message: EntryList.InView) -> None:
        """Ask for what is now seen for the first time."""
        self._ask_for(message.rows)

    def _ask_for(self, rows: Iterable[Row]) -> None:
        missing = []
        for row in rows:
            file = self.files.get(row.id)
            if file is None or self._summaries_asked.get(row.id) == stamp(file):
                continue
            self._summaries_asked[row.id] = stamp(file)
            missing.append(file)
        if missing:
            self.post_message(self.Wanted(lambda reader: reader.summaries(tuple(missing)), "summaries"))

    def _file(self, file: MemoryFile, row: Row, depth: int) -> Iterator[Row]:
        is_open = self.folds.is_open(file.path)
        yield summed(row, self.summaries.get(file.path), self.promoted, is_open=is_open, depth=depth)
        if is_open:
            yield from self.rows_under(file, depth + 1)


def quarantine_rows(view: QuarantineView, folds: Folds, *, default: bool = False) -> Iterator[Row]:
    """What is set aside, dim: no agent loads it and no search finds it."""
    if view.things:
        count = RowPart(grouped(len(view.things)), "warn")
        row = Row(_QUARANTINE, words("Quarantine"), tone="head", tail=(count,))
        yield from folds.section(row, map(_quarantined_row, view.things), default=default)


def _quarantined_row(one: SetAside) -> Row:
    text, emphasis = inline(row_text(one.title))
    tail = [safe_piece(f"from {one.origin}", "faint")] if one.origin else []
    if one.since:
        tail.append(piece(f"since {one.since}", "faint"))
    tail.append(piece("set aside", "warn"))
    return Row(
        one.address, text, tone="faint", depth=1, tail=tuple(tail), emphasis=emphasis,
        path=one.address.rpartition("#")[0] or one.address, address=one.address,
    )  # fmt: skip


def day_row(file: MemoryFile, today: date) -> Row:
    """A day: its date with the weekday, and the name or time of its session where it has one."""
    found = file.named
    slug = row_text(found.title) if found else Shown("")
    is_today = found is not None and found.day == today
    lead = RowPart(
        _day(found.day, today) if found else row_text(file.path), "accent" if is_today else "muted"
    )
    emphasis: Spans = ((0, len(slug), "head"),) if slug else ()
    return Row(file.path, slug, lead=(lead,), path=file.path, emphasis=emphasis)


def note_row(file: MemoryFile) -> Row:
    """A note by its path, less what all notes share."""
    name = file.path.removeprefix("memory/").removeprefix("_system/").removesuffix(".md")
    return Row(file.path, row_text(name), path=file.path)


def summed(row: Row, summary: Summary | None, promoted: Promoted, *, is_open: bool, depth: int) -> Row:
    """``row`` with what is known of its file."""
    text, emphasis = row.text, row.emphasis
    tail: list[RowPart] = []
    if summary is not None:
        if not is_open and row.lead:
            first, marks, *_ = told(summary.first)
            shift = len(text) + 2 if text else 0
            text = Shown(f"{text}: {first}" if text else first)
            emphasis += tuple((a + shift, b + shift, tone) for a, b, tone in marks)
        tail += () if is_open else trust_marks(summary.trust)  # in an open one each entry says it
        said = zip(summary.hashes, summary.lines, strict=True)
        known = sum(promoted.has(digits, row.id, line) for digits, line in said)
        if known:
            tail.append(piece(f"{PROMOTED}{known}", "good"))
        tail.append(piece(f"{summary.count}+" if summary.partial else str(summary.count)))
    tone: Tone = "text" if is_open or row.lead == () else "muted"
    return replace(row, text=text, tone=tone, depth=depth, fold=is_open, tail=tuple(tail), emphasis=emphasis)


def _day_in(file: MemoryFile) -> str:
    """The day that a log is of, as ``2026-03-14``; empty for anything else."""
    found = file.named if file.kind is Kind.LOG else None
    return found.day.isoformat() if found else ""


def _day(day: date, today: date) -> Shown:
    if day == today:
        text = "Today"
    elif day == today - timedelta(days=1):
        text = "Yesterday"
    else:
        text = f"{day:%a} {day.day:>2} {day:%b}"
    return words(text.ljust(_DAY_CELLS))
