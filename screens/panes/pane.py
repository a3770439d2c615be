"""What the four panes share: a frame with a number and a name, a list, and what is unfolded in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from screens.panes.entry_rows import file_rows
from screens.rows import Folds, Row
from screens.shown import grouped
from screens.snapshots import Contents, Promoted, Stamp, stamp
from screens.widgets.entry_list import EntryList
from workbench.workspace.layout import MemoryFile


class Pane(Vertical):
    """A frame around one list. Subclasses say what rows there are."""

    NUMBER: ClassVar[int]
    NAME: ClassVar[str]
    EMPTY: ClassVar[str] = "nothing here yet"

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(id=self.NAME.lower(), classes="pane")
        self.today = today
        self.folds = Folds()
        self.list = EntryList(empty="reading …", id=f"{self.NAME.lower()}-list")
        self._awaited: str | None = None

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield self.list

    def on_mount(self) -> None:
        """Name the frame."""
        self.border_title = Content(f"{self.NUMBER} {self.NAME}")

    def build(self) -> list[Row]:
        """The rows as they are to be shown now."""
        raise NotImplementedError

    def rebuild(self, *, go_to: str | None = None) -> None:
        """Show what ``build`` answers, the cursor on ``go_to`` or where it was."""
        self.list.empty = self.EMPTY
        self.list.show(self.build(), go_to=go_to or self._awaited)
        if self._awaited and self.list.row and self.list.row.id == self._awaited:
            self._awaited = None
        self.caption()

    def caption(self) -> None:
        """Where the cursor is in the list, and how much is marked, on the frame."""
        marked = f"{grouped(len(self.list.marked))} marked · " if self.list.marked else ""
        count = len(self.list.rows)
        place = f"{grouped(self.list.cursor + 1)}/{grouped(count)}" if count else ""
        self.border_subtitle = Content(marked + place)

    def set_fold(self, row: Row, value: bool) -> None:
        """Open or close a row that can be."""
        if row.fold is not None and row.fold is not value:
            self.folds.set(row.id, value)
            self.rebuild()

    def reveal(self, row_id: str, *, under: Iterable[str]) -> bool:
        """Open the rows ``under`` and put the cursor on ``row_id``, as soon as it is there; is it?"""
        for parent in under:
            self.folds.set(parent, True)
        self._awaited = row_id
        self.rebuild()
        return self._awaited is None

    def follow(self, row_id: str) -> None:
        """The entry under the cursor is called this from now on: stay with it."""
        self._awaited = row_id

    def give_up(self) -> None:
        """Stop waiting for the row that was to be revealed: it is not coming."""
        self._awaited = None

    def on_entry_list_moved(self) -> None:
        """Keep the caption true."""
        self.caption()


@dataclass(frozen=True, slots=True)
class Unfolded:
    """A file that is open in a pane, how deep its entries stand, and what is marked in it."""

    file: MemoryFile
    depth: int
    promoted: Promoted

    def rows(self, contents: Contents | None) -> tuple[Row, ...]:
        """The rows of its entries. May run in any thread."""
        found = file_rows(contents, row_id=self.file.path, depth=self.depth, promoted=self.promoted)
        return tuple(found)


class FilePane(Pane):
    """A pane whose rows unfold to the entries of a file, which is read when it is unfolded."""

    class Wanted(Message):
        """The contents of these files are needed."""

        def __init__(self, pane: FilePane, files: tuple[Unfolded, ...]) -> None:
            super().__init__()
            self.pane = pane
            self.files = files

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.contents: dict[str, Contents] = {}
        self.promoted = Promoted()
        self._asked: dict[str, Stamp] = {}
        self._rows: dict[str, tuple[Unfolded, Contents | None, tuple[Row, ...]]] = {}

    def receive_contents(self, unfolded: Unfolded, contents: Contents, rows: tuple[Row, ...]) -> None:
        """Show the entries of a file that was asked for."""
        path = unfolded.file.path
        self.contents[path] = contents
        self._rows[path] = unfolded, contents, rows
        self.rebuild()

    def is_reading(self, path: str) -> bool:
        """Whether the entries of a file were asked for, or will be once the files are known."""
        return path not in self.contents and (path in self._asked or not self._asked)

    def receive_promoted(self, promoted: Promoted) -> None:
        """Mark what stands in long-term memory."""
        if promoted != self.promoted:
            self.promoted = promoted
            self.rebuild()

    def rows_under(self, file: MemoryFile, depth: int) -> tuple[Row, ...]:
        """The rows of an open file, made once for each version of it."""
        contents = self.contents.get(file.path)
        kept = self._rows.get(file.path)
        if kept and kept[1] is contents and (kept[0].depth, kept[0].promoted) == (depth, self.promoted):
            return kept[2]
        unfolded = Unfolded(file, depth, self.promoted)
        rows = unfolded.rows(contents)
        self._rows[file.path] = unfolded, contents, rows
        return rows

    def keep_only(self, opened: Mapping[str, Unfolded]) -> None:
        """Ask for what of the open files is not here or outdated; let go of what was folded again."""
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
            self.post_message(self.Wanted(self, tuple(missing)))
