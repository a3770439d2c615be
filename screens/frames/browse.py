"""A list, what is behind its row beside or beneath it, and the keys: most screens over the panes are one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from screens.actions.availability import Context
from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown, words
from screens.frames.overlay_screen import FAILED, OverScreen
from screens.main.movement import list_commands
from screens.widgets.change_list import ChangeList
from screens.widgets.entry_list import EntryList

_PAUSE_SECONDS = 0.03
_STEP = 3
_BESIDE_FROM = 110
"""Columns from which what is behind a row stands beside the list, where a screen wants that."""


class BrowseScreen(OverScreen):
    """Rows, and what is behind the one under the cursor. Subclasses say what that is."""

    BESIDE: ClassVar[bool] = False
    """Whether there is more to read behind a row than beside the others: then it stands to the right."""

    @dataclass
    class Behind(Message):
        """What is behind a row was read."""

        row: Row
        rows: Sequence[Row]

    def __init__(self, title: Shown) -> None:
        super().__init__()
        self.list = EntryList(empty="reading …", id="browse-list")
        self.behind = ChangeList(id="browse-behind")
        self._title = title
        self._reading = False
        self.commands |= {
            **list_commands(lambda: self.hand),
            "preview_down": lambda: self.scroll_behind(_STEP),
            "preview_up": lambda: self.scroll_behind(-_STEP),
            "open": self.read,
        }

    def compose_body(self) -> ComposeResult:
        """The list in its frame, what is behind it in another."""
        with Container(id="browse-body"):
            with Vertical(id="browse-top") as frame:
                frame.border_title = Content(self._title)
                yield from self.compose_above()
                yield self.list
            with Vertical(id="browse-below"):
                yield from self.compose_behind()

    def compose_above(self) -> ComposeResult:
        """What stands over the list; nothing, for most."""
        yield from ()

    def compose_behind(self) -> ComposeResult:
        """What stands behind."""
        yield self.behind

    def on_mount(self) -> None:
        """Ready to move."""
        super().on_mount()
        self.begins_in.focus()
        self.lay_out(update=False)  # a screen that begins is given its styles anyway

    def on_resize(self) -> None:
        """Beside or beneath, as there is room."""
        self.lay_out()

    def lay_out(self, *, update: bool = True) -> None:
        """Beside or beneath, as there is room."""
        self.set_class(self.BESIDE and self.app.size.width >= _BESIDE_FROM, "-beside", update=update)

    # -- what subclasses say ---------------------------------------------------------------------

    @property
    def begins_in(self) -> Widget:
        """What has the focus at first."""
        return self.list

    @property
    def hand(self) -> EntryList:
        """The list that keys move in."""
        return self.list

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """The rows behind ``row``. Raises WorkbenchError, OSError."""
        raise NotImplementedError

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(
            place=self.PLACE, row=self.list.row, reading=self._reading, conflicts=len(self.list.rows)
        )

    # -- keys ------------------------------------------------------------------------------------

    def scroll_behind(self, lines: int) -> None:
        """Scroll what is behind; the list keeps its place."""
        self.behind.jump(self.behind.scroll_offset.y + lines)

    def read(self) -> None:
        """Give what is behind most of the room, or take it back."""
        self._reading = not self._reading
        self.set_class(self._reading, "-reading")

    def back(self) -> None:
        """Out of reading, else out."""
        if self._reading:
            self.read()
        else:
            self.leave()

    # -- what is behind --------------------------------------------------------------------------

    def on_entry_list_moved(self, message: EntryList.Moved) -> None:
        """Show what is behind the row under the cursor, once it rests."""
        if message.entry_list is self.list:
            self.show_place()
            self.show_hints()
            if message.row is not None:
                self.work(partial(self._look, message.row), "behind", exclusive=True)
            else:
                self.nothing_behind()

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click reads."""
        if message.entry_list is self.list and not self._reading:
            self.read()

    def on_entry_list_folded(self, message: EntryList.Folded) -> None:
        """A click on an arrow does what its key does."""
        action = "fold" if message.row.fold else "unfold"
        if message.entry_list is self.list and action in self.commands:
            self.action_perform(action)

    def show_place(self) -> None:
        """Where the cursor is, on the frame."""
        frame: Widget = self.query_one("#browse-top")
        count = len(self.list.rows)
        frame.border_subtitle = Content(f"{self.list.cursor + 1}/{count}" if count else "")

    async def _look(self, row: Row) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            rows: Sequence[Row] = () if row.id.startswith(FAILED) else await self.read_behind(row)
        except Exception as error:
            rows = self.failed(error)
        self.post_message(self.Behind(row, rows))

    def on_browse_screen_behind(self, message: BrowseScreen.Behind) -> None:
        """Show it, if the cursor is still there."""
        if self.list.row is not None and self.list.row.id == message.row.id:
            self.show_behind(message.row, message.rows)

    def nothing_behind(self) -> None:
        """The list is empty."""
        self.behind.empty = words("")
        self.behind.show(())

    def show_behind(self, row: Row, rows: Sequence[Row]) -> None:
        """Show these rows below, from their beginning."""
        self.behind.empty = words("nothing to be seen")
        self.behind.show(rows, go_to=rows[0].id if rows else None)
        self.behind.jump(0)
