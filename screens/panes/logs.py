"""Daily logs, newest first; below them notes, context, bootstrap files and dreams."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import groupby

from textual.message import Message

from screens.panes.entry_rows import lightened
from screens.panes.pane import FilePane, Unfolded
from screens.rows import PROMOTED, Part, Row, Tone
from screens.shown import Shown, grouped, row_text, words
from screens.snapshots import Overview, Promoted, QuarantineView, Summary, stamp
from screens.widgets.entry_list import EntryList
from workbench.memory.entry import Kind
from workbench.memory.provenance import parse_day
from workbench.workspace.layout import MemoryFile

_GROUPS = (
    (Kind.NOTE, "Notes"),
    (Kind.CONTEXT, "Context"),
    (Kind.BOOTSTRAP, "Bootstrap"),
    (Kind.DREAM, "Dreams"),
)
_LOG_NAME = re.compile(r"memory/(\d{4}-\d{2}-\d{2})(?:-(.+))?\.md")
_DAY_CELLS = 10
_QUARANTINE = "group:quarantine"


class LogsPane(FilePane):
    """What happened, day by day."""

    NUMBER = 1
    NAME = "Logs"
    EMPTY = "no logs yet: memory/2026-01-31.md would be one"

    class SummariesWanted(Message):
        """These files came into view and nothing is known of them."""

        def __init__(self, files: tuple[MemoryFile, ...]) -> None:
            super().__init__()
            self.files = files

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.overview = Overview({})
        self.days: list[MemoryFile] = []
        self.groups: dict[Kind, list[MemoryFile]] = {}
        self.summaries: dict[str, Summary] = {}
        self.quarantine = QuarantineView()
        self._summaries_asked: dict[str, object] = {}

    def receive(self, overview: Overview) -> None:
        """Show these files."""
        self.overview = overview
        files = overview.files.values()
        logs = (file for file in files if file.kind is Kind.LOG)
        self.days = sorted(logs, key=lambda file: file.path, reverse=True)
        self.days.sort(key=lambda file: file.path[7:17], reverse=True)
        if self.days and not self._summaries_asked:
            self.folds.set(self.days[0].path, True)  # the newest day is open from the start
        self.groups = {kind: [file for file in files if file.kind is kind] for kind, _ in _GROUPS}
        self.rebuild()
        self._ask_for(self.list.rows[self.list.scroll_offset.y :][: self.list.size.height])

    def receive_summaries(self, summaries: Mapping[str, Summary]) -> None:
        """Fill in counts and first words."""
        self.summaries.update(summaries)
        self.rebuild()

    def receive_quarantine(self, view: QuarantineView) -> None:
        """Show what is set aside, last of all."""
        self.quarantine = view
        self.rebuild()

    def build(self) -> list[Row]:
        """Days under their years, then the groups; open files with their entries."""
        rows: list[Row] = []
        opened: dict[str, Unfolded] = {}
        today = self.today()
        for year, files in groupby(self.days, key=lambda file: file.path[7:11]):
            if year != str(today.year):
                rows.append(Row(f"year:{year}", words(year), tone="faint", inert=True))
            for file in files:
                rows += self._file(file, day_row(file, today), 0, opened)
        for kind, name in _GROUPS:
            if group := self.groups.get(kind):
                row_id = f"group:{kind}"
                is_open = self.folds.is_open(row_id)
                count = Part(grouped(len(group)), "muted")
                rows.append(Row(row_id, words(name), tone="head", fold=is_open, tail=(count,)))
                if is_open:
                    for file in group:
                        rows += self._file(file, note_row(file), 1, opened)
        rows += quarantine_rows(self.quarantine, is_open=self.folds.is_open(_QUARANTINE))
        self.keep_only(opened)
        return rows

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
            file = self.overview.files.get(row.id)
            if file is None or self._summaries_asked.get(row.id) == stamp(file):
                continue
            self._summaries_asked[row.id] = stamp(file)
            missing.append(file)
        if missing:
            self.post_message(self.SummariesWanted(tuple(missing)))

    def _file(self, file: MemoryFile, row: Row, depth: int, opened: dict[str, Unfolded]) -> Iterator[Row]:
        is_open = self.folds.is_open(file.path)
        summary = self.summaries.get(file.path)
        yield summed(row, summary, self.promoted, is_open=is_open, depth=depth)
        if is_open:
            opened[file.path] = Unfolded(file, depth + 1, self.promoted)
            yield from self.rows_under(file, depth + 1)


def quarantine_rows(view: QuarantineView, *, is_open: bool) -> list[Row]:
    """What is set aside, dim: no agent loads it and no search finds it."""
    if not view.things:
        return []
    count = Part(grouped(len(view.things)), "warn")
    rows = [Row(_QUARANTINE, words("Quarantine"), tone="head", fold=is_open, tail=(count,))]
    for one in view.things if is_open else ():
        text, emphasis = lightened(row_text(one.title))
        tail = [Part(row_text(f"from {one.origin}"), "faint")] if one.origin else []
        if one.since:
            tail.append(Part(words(f"since {one.since}"), "faint"))
        tail.append(Part(words("set aside"), "warn"))
        rows.append(
            Row(
                one.address, text, tone="faint", depth=1, tail=tuple(tail), emphasis=emphasis,
                path=one.address.rpartition("#")[0] or one.address, address=one.address,
            )
        )  # fmt: skip
    return rows


def day_row(file: MemoryFile, today: date) -> Row:
    """A day: its date with the weekday, and the name of its session where it has one."""
    found = _LOG_NAME.fullmatch(file.path)
    day = parse_day(found[1]) if found else None
    slug = row_text(found[2].replace("-", " ")) if found and found[2] else Shown("")
    lead = Part(_day(day, today) if day else row_text(file.path), "accent" if day == today else "muted")
    emphasis: tuple[tuple[int, int, Tone], ...] = ((0, len(slug), "head"),) if slug else ()
    return Row(file.path, slug, lead=(lead,), path=file.path, emphasis=emphasis)


def note_row(file: MemoryFile) -> Row:
    """A note by its path, less what all notes share."""
    name = file.path.removeprefix("memory/").removeprefix("_system/").removesuffix(".md")
    return Row(file.path, row_text(name), path=file.path)


def summed(row: Row, summary: Summary | None, promoted: Promoted, *, is_open: bool, depth: int) -> Row:
    """``row`` with what is known of its file."""
    text, emphasis, tail = row.text, row.emphasis, []
    if summary is not None:
        if not is_open and row.lead:
            first, marks = lightened(row_text(summary.first))
            shift = len(text) + 2 if text else 0
            text = Shown(f"{text}: {first}" if text else first)
            emphasis += tuple((a + shift, b + shift, tone) for a, b, tone in marks)
        said = zip(summary.hashes, summary.lines, strict=True)
        known = sum(promoted.has(digits, row.id, line) for digits, line in said)
        if known:
            tail.append(Part(words(f"{PROMOTED}{known}"), "good"))
        tail.append(Part(words(f"{summary.count}+" if summary.partial else str(summary.count)), "muted"))
    tone: Tone = "text" if is_open or row.lead == () else "muted"
    return Row(
        row.id, text, tone=tone, depth=depth, fold=is_open, lead=row.lead, tail=tuple(tail),
        emphasis=emphasis, path=row.path,
    )  # fmt: skip


def _day(day: date, today: date) -> Shown:
    if day == today:
        text = "Today"
    elif day == today - timedelta(days=1):
        text = "Yesterday"
    else:
        text = f"{day:%a} {day.day:>2} {day:%b}"
    return words(text.ljust(_DAY_CELLS))
