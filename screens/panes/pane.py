"""What the four panes share: a frame with a number and a name, a list, and what is unfolded in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from screens.rows import Folds, Row
from screens.shown import grouped
from screens.snapshots import Contents, Promoted, stamp
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

    def reveal(self, row_id: str, *, under: Iterable[str]) -> None:
        """Open the rows ``under`` and put the cursor on ``row_id``, as soon as it is there."""
        for parent in under:
            self.folds.set(parent, True)
        self._awaited = row_id
        self.rebuild()

    def on_entry_list_moved(self) -> None:
        """Keep the caption true."""
        self.caption()


class FilePane(Pane):
    """A pane whose rows unfold to the entries of a file, which is read when it is unfolded."""

    class Wanted(Message):
        """The contents of these files are needed."""

        def __init__(self, pane: FilePane, files: tuple[MemoryFile, ...]) -> None:
            super().__init__()
            self.pane = pane
            self.files = files

    def __init__(self, today: Callable[[], date]) -> None:
        super().__init__(today)
        self.contents: dict[str, Contents] = {}
        self.promoted = Promoted()
        self._asked: dict[str, object] = {}

    def receive_contents(self, contents: Contents) -> None:
        """Show the entries of a file that was asked for."""
        self.contents[contents.path] = contents
        self.rebuild()

    def receive_promoted(self, promoted: Promoted) -> None:
        """Mark what stands in long-term memory."""
        if promoted != self.promoted:
            self.promoted = promoted
            self.rebuild()

    def want(self, files: Iterable[MemoryFile]) -> None:
        """Ask for the files whose contents are not here, or are of an older version."""
        missing = []
        for file in files:
            kept = self.contents.get(file.path)
            if (kept is None or kept.stamp != stamp(file)) and self._asked.get(file.path) != stamp(file):
                self._asked[file.path] = stamp(file)
                missing.append(file)
        if missing:
            self.post_message(self.Wanted(self, tuple(missing)))

    def drop_closed(self, open_paths: set[str]) -> None:
        """Let go of the contents of files that are folded again."""
        for path in self.contents.keys() - open_paths:
            del self.contents[path]
            self._asked.pop(path, None)
