"""The parts that the four panes share: a frame with number and name, a list, its filter, unfolded files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message

from screens.actions.keys import key_for
from screens.drawing.cursor import landing
from screens.drawing.safe_text import KINDS, Folds, Row, grouped, of_all, piece, row_text, words
from screens.loading.workspace_model import (
    Contents,
    Files,
    FilteredEntries,
    MemoryView,
    PagesView,
    Promoted,
    Stamp,
    stamp,
)
from screens.panes.entry_rows import entry_row, file_rows, labelled
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import NarrowLine
from workbench.workspace.layout import MemoryFile

if TYPE_CHECKING:
    from screens.loading.reader import WorkspaceReader

Pages = TypeVar("Pages", bound=PagesView[Any])
READING = "reading …"
"""What is said where rows will be."""


class Pane(Vertical):
    """A frame around one list, which a filter can narrow. Subclasses say what rows there are."""

    NUMBER: ClassVar[int]
    NAME: ClassVar[str]
    KIND: ClassVar[str]
    """The kind of what is in it."""
    EMPTY: ClassVar[str] = "nothing yet"
    STATES: ClassVar[Collection[str]] = frozenset()
    """Words that a filter takes for states of what is in this pane."""
    EXAMPLES: ClassVar[str] = ""
    """What a filter could be, for whoever has not typed one yet."""

    @dataclass
    class Wanted(Message):
        """Something is to be read, in a worker of this ``group``; a newer ``exclusive`` one ends it."""

        read: Callable[[WorkspaceReader], Coroutine[None, None, None]]
        group: str
        exclusive: bool = False

    class FilterChanged(Message):
        """Other rows are asked for than before, or all of them."""

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(id=self.NAME.lower(), classes="pane")
        self.today = today
        self.filter: Filter | None = None
        self.line = NarrowLine(self.EXAMPLES, id=f"{self.NAME.lower()}-filter")
        self._folds, self._folds_within = Folds(), Folds()
        self.known = False
        """Whether what this pane shows was read: until then nobody can say that there is none of it."""
        self.list = EntryList(empty=READING, id=f"{self.NAME.lower()}-list")
        self._awaited: str | None = None
        self._renamed: str | None = None
        """The row that is called ``_awaited`` from now on; whoever left it meanwhile is not taken there."""

    def compose(self) -> ComposeResult:
        """The list alone: the line to type a filter in comes when somebody wants it."""
        yield self.list

    def on_mount(self) -> None:
        """Name the frame."""
        self.caption()

    def on_descendant_focus(self) -> None:
        """Show that the person's hands are here."""
        self._bring_out(on=True)

    def on_descendant_blur(self) -> None:
        """Show that they are elsewhere."""
        self._bring_out(on=False)

    def _bring_out(self, *, on: bool) -> None:
        """The frame alone: for ``:focus-within`` all that is in it would be given its styles anew."""
        self.set_class(on, "-within", update=False)
        self.list.staying = True
        try:
            self.app.stylesheet.update_nodes([self])
        finally:
            self.list.staying = False

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Draw what changed: at the sides of an edge everything between would have to be composed anew."""
        if self.list.staying and not (regions or layout or recompose):
            width, height = self.outer_size
            regions = (Region(-1, -1, width, 1), Region(-1, height - 2, width, 1))
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    @property
    def folds(self) -> Folds:
        """What is unfolded: under a filter, what the person folds there."""
        return self._folds_within if self.filter else self._folds

    @property
    def vacant(self) -> bool:
        """Whether it is known that nothing is here: then the room is for the other panes."""
        return self.known and not self.filter and not self.list.rows

    @property
    def settling(self) -> bool:
        """Whether rows that the filter keeps may still come: what was typed is not looked at yet, say."""
        return filter_of(self.line.value, self.STATES) != self.filter

    def open_line(self) -> None:
        """Show the line to type a filter in; what every focus styles anew is there only once it is needed."""
        if not self.line.is_attached:
            self.mount(self.line, before=self.list)
        self.line.display = True

    def narrow(self, typed: str) -> None:
        """Keep the rows that fit what was typed; all of them where that is nothing."""
        wanted = filter_of(typed, self.STATES)
        if wanted == self.filter:
            return
        if self.filter is None:
            self._folds_within = Folds()
        self.filter = wanted
        self.rebuild()
        self.post_message(self.FilterChanged())

    def clear_filter(self) -> None:
        """Show all rows again."""
        self.line.value = ""
        self.narrow("")

    def on_input_changed(self, event: NarrowLine.Changed) -> None:
        """Narrow as somebody types."""
        event.stop()
        self.narrow(self.line.value)  # what stands there now: more may have been typed, or taken away

    def build(self) -> list[Row]:
        """The rows as they are to be shown now."""
        raise NotImplementedError

    def reveal_entry(self, path: str, row_id: str) -> bool:
        """Put the cursor on an entry of a file, or on a page, unfolding what it is under; is it there?"""
        raise NotImplementedError

    def nothing(self) -> str:
        """What is said where no rows are: why, and what to do."""
        return self.EMPTY

    def looked_at(self) -> str:
        """While rows that the filter keeps may still come: how much was looked at; empty after that."""
        return ""

    def _why_empty(self) -> str:
        if not self.known:
            return READING
        if not self.filter:
            return self.nothing()
        if looked := self.looked_at():
            return f"looking …\n{looked} so far"
        return f"no entry matches the filter\n{key_for('back')} clears it, {key_for('filter')} changes it"

    def rebuild(self) -> None:
        """Show what ``build`` answers, the cursor on the row that is awaited or where it was."""
        self.list.empty = self._why_empty()
        self.list.narrowed = self.filter is not None
        if self._renamed is not None and (self.list.row is None or self.list.row.id != self._renamed):
            self.give_up()
        rows = self.build()
        self.list.show([*map(self.filter.brought_out, rows)] if self.filter else rows, go_to=self._awaited)
        if self._awaited and self.list.row and self.list.row.holds(self._awaited):
            self.give_up()
        self.caption()

    def caption(self) -> None:
        """By what the list is narrowed, where the cursor is, and how much is marked, on the frame."""
        only = f" · only {row_text(self.filter.typed)}" if self.filter else ""
        kind = f"bold ${KINDS[self.KIND][1]}"
        self.border_title = Content(f"{self.NUMBER} {self.NAME}{only}").stylize(kind, 0, 1)
        marks, hidden = len(self.list.marked), len(self.list.out_of_sight)
        beside = f", {grouped(hidden)} hidden" if hidden else ""
        marked = f"{grouped(marks)} marked{beside} · " if marks or hidden else ""
        self.border_subtitle = Content(marked + self.told() + self.list.place)

    def told(self) -> str:
        """What is to be said beside the cursor's place, on the frame."""
        return ""

    def reveal(self, row_id: str, *, under: Iterable[str]) -> bool:
        """Open the rows ``under`` and put the cursor on ``row_id``, as soon as it is there; is it?"""
        if self.filter and not any(row.holds(row_id) for row in self.list.rows):
            self.clear_filter()
        for parent in under:
            self.folds.set(parent, True)
        self._awaited, self._renamed = row_id, None
        self.rebuild()
        return self._awaited is None

    def follow(self, row_id: str) -> None:
        """The entry under the cursor is called this from now on: stay with it."""
        if self.list.row is not None:
            self._awaited, self._renamed = row_id, self.list.row.id
            if any(row.id == row_id for row in self.list.rows):
                self.rebuild()  # the files were read again before this was known

    def begin_anew(self) -> None:
        """What was asked for may not be answered any more: other files are shown from now on."""

    def give_up(self) -> None:
        """Stop waiting for the row that was to be revealed: it is not coming, or nobody wants it any more."""
        self._awaited = self._renamed = None

    def on_entry_list_moved(self) -> None:
        """Keep the caption true."""
        self.caption()


class PagesPane(Pane, Generic[Pages]):
    """A pane of pages, which are read one after the other."""

    VIEW: ClassVar[type[Any]]
    """What it shows."""

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.view: Pages = self.VIEW()
        self._subjects = lru_cache(1)(self.subjects)  # not anew with every key

    def subjects(self, day: date) -> Sequence[Any]:
        """The pages, each with what a filter looks at on this day."""
        raise NotImplementedError

    def receive(self, view: Pages) -> None:
        """Show these pages; a cursor that nobody moved from the first row stays on the first one.

        That is only so until all were read: rows that come later may belong above.
        """
        begun = len(self.view.pages) < self.view.total
        top = begun and self._awaited is None and self.list.cursor <= landing(self.list.rows, 0)
        self.view, self.known = view, True
        self._subjects.cache_clear()
        self.rebuild()
        if top:
            self.list.go(0)

    def looked_at(self) -> str:
        """How many pages were read, while there are more."""
        return of_all(len(self.view.pages), self.view.total, "pages")


@dataclass(frozen=True, slots=True)
class Unfolded:
    """A file that is open in a pane, how deep its entries stand, and what is marked in it.

    Equal where the same contents make the same rows, also of another version of the file.
    """

    file: MemoryFile = field(compare=False)
    depth: int
    promoted: Promoted

    def rows(self, contents: Contents | None) -> tuple[Row, ...]:
        """The rows of its entries. May run in any thread."""
        found = labelled(file_rows(contents, row_id=self.file.path, depth=self.depth, promoted=self.promoted))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class ContentsRead:
    """One file's entries were read, for the pane of this name."""

    pane: str
    unfolded: Unfolded
    contents: Contents
    rows: tuple[Row, ...]


class FilePane(Pane):
    """A pane whose rows unfold to the entries of a file, which is read when it is unfolded."""

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.files: Files = {}
        """All files; what of them is shown here says the pane."""
        self.contents: dict[str, Contents] = {}
        self.promoted = Promoted()
        self._asked: dict[str, Stamp] = {}
        self._opened: dict[str, Unfolded] = {}
        """The files whose rows were asked for since ``keep_only``."""
        self._rows: dict[str, tuple[Contents | None, Unfolded, tuple[Row, ...]]] = {}
        """Of each open file, what its rows were made of, and the rows."""

    def receive_contents(self, event: ContentsRead) -> None:
        """Show the entries of a file that was asked for here."""
        if event.pane == self.NAME:
            path = event.contents.path
            self.contents[path] = event.contents
            self._rows[path] = event.contents, event.unfolded, event.rows
            self.rebuild()

    def begin_anew(self) -> None:
        """Ask again for what is open."""
        self._asked.clear()

    def is_reading(self, path: str) -> bool:
        """Whether the entries of a file were asked for, or will be once the files are known."""
        return path not in self.contents and (path in self._asked or not self._asked)

    def receive_memory(self, memory: MemoryView) -> None:
        """Mark what stands in long-term memory."""
        if memory.promoted != self.promoted:
            self.promoted = memory.promoted
            self.rebuild()

    def rows_under(self, file: MemoryFile, depth: int) -> tuple[Row, ...]:
        """The rows of an open file, made once for each version of it."""
        contents = self.contents.get(file.path)
        unfolded = self._opened[file.path] = Unfolded(file, depth, self.promoted)
        kept = self._rows.get(file.path)
        if kept is None or kept[:2] != (contents, unfolded):
            kept = self._rows[file.path] = contents, unfolded, unfolded.rows(contents)
        return kept[2]

    def keep_only(self) -> None:
        """Ask for what of the open files is not here or outdated; let go of what was folded again."""
        opened, self._opened = self._opened, {}
        for path in self.contents.keys() - opened.keys():
            del self.contents[path]
            self._rows.pop(path, None)
            self._asked.pop(path, None)
        missing = []
        for path, unfolded in opened.items():
            wanted, kept = stamp(unfolded.file), self.contents.get(path)
            if (kept is None or kept.stamp != wanted) and self._asked.get(path) != wanted:
                self._asked[path] = wanted
                missing.append(unfolded)
        if missing:
            self.post_message(
                self.Wanted(lambda reader: reader.contents(self.NAME, tuple(missing)), "contents")
            )


_TERM = re.compile(r'(?P<turned>-?)(?:"(?P<exact>[^"]*)"?|(?P<word>[^\s"]+))')
_DAY = re.compile(r"\d{4}(?:-\d{0,2}(?:-\d{0,2})?)?")
Sort = Literal["word", "state", "day"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a filter looks at: text, states, and days as ``2026-03-14``."""

    text: str
    states: Collection[str] = frozenset()
    days: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that has to hold, or not to where it is ``turned``."""

    text: str
    sort: Sort = "word"
    turned: bool = False

    def holds(self, subject: Subject) -> bool:
        """Whether it does, of ``subject``."""
        if self.sort == "state":
            found = self.text in subject.states
        elif self.sort == "day":
            found = any(day.startswith(self.text) for day in subject.days)
        else:
            found = self.text in subject.text.casefold()
        return found is not self.turned


@dataclass(frozen=True, slots=True)
class Filter:
    """All that was typed: ``typed`` as it is, ``terms`` as it is meant."""

    typed: str
    terms: tuple[Term, ...]
    _bring_out: re.Pattern[str] | None = field(default=None, compare=False)

    def keeps(self, subject: Subject) -> bool:
        """Whether all terms hold."""
        return all(term.holds(subject) for term in self.terms)

    def keeps_day(self, day: str) -> bool:
        """Whether something of this day, which may be none, can be kept at all."""
        subject = Subject("", days=(day,) if day else ())
        return all(term.holds(subject) for term in self.terms if term.sort == "day")

    def wanted(self, sort: Sort) -> tuple[str, ...]:
        """The words, small, that have to stand in the text, or the states that have to hold."""
        return tuple(term.text for term in self.terms if term.sort == sort and not term.turned)

    @property
    def only_days(self) -> bool:
        """Whether days alone are asked for, which the names of files tell."""
        return all(term.sort == "day" for term in self.terms)

    def asks_for(self, *states: str) -> bool:
        """Whether one of these states is a term."""
        return any(term.sort == "state" and term.text in states for term in self.terms)

    def brought_out(self, row: Row) -> Row:
        """``row`` with the words that it was kept for brought out."""
        if self._bring_out is None:
            return row
        found = [match.span() for match in self._bring_out.finditer(row.text)]
        if not found:
            return row
        others = [one for one in row.emphasis if all(one[1] <= a or b <= one[0] for a, b in found)]
        emphasis = sorted([*others, *((a, b, "match") for a, b in found)])
        return replace(row, emphasis=tuple(emphasis))


def filter_of(typed: str, states: Collection[str]) -> Filter | None:
    """The filter that was typed, in a pane that knows these states; None where nothing was typed.

    A term is a word, ``"exact words"``, a state that the pane knows (``promoted``, ``expiring``), or the
    beginning of a day (``2026-03``); ``-`` before a term negates it. All terms have to hold.
    """
    terms = []
    for found in _TERM.finditer(typed):
        quoted, text = found.lastgroup == "exact", found[found.lastgroup or 0].casefold()
        sort: Sort = "word"
        if not quoted and text in states:
            sort = "state"
        elif not quoted and _DAY.fullmatch(text):
            sort, text = "day", text.rstrip("-")
        if text.strip("-"):
            terms.append(Term(text, sort, bool(found["turned"])))
    if not terms:
        return None
    asked = Filter(" ".join(typed.split()), tuple(terms))
    words = sorted(asked.wanted("word"), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE) if words else None
    return replace(asked, _bring_out=pattern)


def iso(*days: date | None) -> tuple[str, ...]:
    """Days as filters look at them."""
    return tuple(day.isoformat() for day in days if day is not None)


def states_of(*pairs: tuple[str, bool]) -> frozenset[str]:
    """The names of the states that hold."""
    return frozenset(name for name, holds in pairs if holds)


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


def kept_rows(row: Row, kept: FilteredEntries, promoted: Promoted, folds: Folds) -> Iterator[Row]:
    """A file with the entries that are kept."""
    tail = (piece(f"{grouped(len(kept.entries))} of {grouped(kept.count)}"),)
    row = replace(row, fold=folds.is_open(row.id, default=True), tail=tail)
    yield row
    for entry in kept.entries if row.fold else ():
        yield entry_row(entry, depth=1, promoted=promoted.holds(entry))
    if row.fold and kept.left_out:
        text = words(f"… {grouped(kept.left_out)} more bytes were not filtered; search finds them")
        yield Row(f"{row.id}/note", text, tone="warn", depth=1, inert=True)
