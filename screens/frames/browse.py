"""A list, what is behind its row beside or beneath it, and the keys: most screens over the panes are one.

A list with a line to filter it by, and what is behind its row, which can be gone through line by line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from screens.actions.availability import Context
from screens.actions.keys import types_a_character
from screens.drawing.safe_text import Folds, Row, Shown, row_text, words
from screens.frames.overlay_screen import OverScreen, failure_rows
from screens.frames.services import Desk
from screens.main.movement import list_commands
from screens.widgets.change_list import ChangeList
from screens.widgets.entry_list import EntryList
from screens.widgets.query_input import QueryInput

_PAUSE_SECONDS = 0.03
_STEP = 3
_BESIDE_FROM = 110
"""Columns from which what is behind a row stands beside the list, where a screen wants that."""


class BrowseScreen(OverScreen):
    """Rows, and what is behind the one under the cursor. Subclasses say what that is."""

    BESIDE: ClassVar[bool] = False
    """Whether there is more to read behind a row than beside the others: then it stands to the right."""

    def __init__(self, desk: Desk, title: Shown) -> None:
        super().__init__(desk)
        self.list = EntryList(empty="reading …", id="browse-list")
        self.behind = ChangeList(id="browse-behind")
        self.folds = Folds()
        self._title = title
        self._reading = False
        self.commands |= {
            **list_commands(lambda: self.hand),
            "preview_down": lambda: self.scroll_behind(_STEP),
            "preview_up": lambda: self.scroll_behind(-_STEP),
        }

    def compose_body(self) -> ComposeResult:
        """The list in its frame, what is behind it in another."""
        with Container(id="browse-body"):
            with Vertical(id="browse-top") as frame:
                frame.border_title = Content(self._title)
                yield from self.compose_list()
            with Vertical(id="browse-below"):
                yield from self.compose_behind()

    def compose_list(self) -> ComposeResult:
        """The list, and what stands over and under it."""
        yield self.list

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
            place=self.place,
            row=self.list.row,
            reading=self._reading,
            refusal=self.desk.refusal(),
            conflicts=len(self.list.rows),
            why=self.why(),
        )

    # -- keys ------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Read what is behind the row, or fold it where it is a heading."""
        row = self.list.row
        if row is not None and row.fold is not None and row.of is None:
            self.set_fold(row, is_open=not row.fold)
        else:
            self.read()

    def action_unfold(self) -> None:
        """Show what is under the row, or go to the first of it."""
        row = self.list.row
        if row is not None and row.fold:
            self.list.move(1)
        elif row is not None and row.fold is not None:
            self.set_fold(row, is_open=True)

    def action_fold(self) -> None:
        """Hide what is under the row, or go up to the row that it is under."""
        row = self.list.row
        if row is not None and row.fold:
            self.set_fold(row, is_open=False)
        else:
            self.list.go_up()

    def set_fold(self, row: Row, *, is_open: bool) -> None:
        """Open or close a row."""
        self.folds.set(row.id, is_open)
        self.draw()

    def draw(self) -> None:
        """Make the rows of what is known, and show them."""

    def scroll_behind(self, lines: int) -> None:
        """Scroll what is behind; the list keeps its place."""
        self.behind.jump(self.behind.scroll_offset.y + lines)

    def read(self) -> None:
        """Give what is behind most of the room, or take it back."""
        self._reading = not self._reading
        self.set_class(self._reading, "-reading")

    def action_back(self) -> None:
        """Out of reading, else out."""
        if self._reading:
            self.read()
        else:
            self.leave()

    # -- the list --------------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[Row], *, go_to: str | None = None, empty: str = "") -> None:
        """Show these, or say that there is nothing; the cursor stays unless it is to ``go_to`` a row."""
        self.list.empty = empty
        self.list.show(rows, go_to=go_to)
        self.set_class(not rows, "-empty")
        self.show_place()
        self.show_hints()

    def fails(self, error: Exception) -> None:
        """Say why there is nothing to be seen, whole, in the place of the rows."""
        self.show_rows((), empty="\n".join(row.text for row in failure_rows(error)))

    def on_entry_list_moved(self, message: EntryList.Moved) -> None:
        """Show what is behind the row under the cursor, once it rests."""
        if message.entry_list is self.list:
            self.show_place()
            self.show_hints()
            self.look_behind()

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click does what enter does."""
        if message.entry_list is self.list and not self._reading:
            self.action_perform("open")

    def on_entry_list_folded(self, message: EntryList.Folded) -> None:
        """A click on an arrow does what its key does."""
        if message.entry_list is self.list:
            self.action_perform("fold" if message.row.fold else "unfold")

    def entitle(self, title: str) -> None:
        """What is listed, on the frame."""
        frame: Widget = self.query_one("#browse-top")
        frame.border_title = Content(row_text(title))

    def show_place(self) -> None:
        """Where the cursor is, on the frame."""
        frame: Widget = self.query_one("#browse-top")
        count = len(self.list.rows)
        frame.border_subtitle = Content(f"{self.list.cursor + 1}/{count}" if count else "")

    # -- what is behind --------------------------------------------------------------------------

    def look_behind(self) -> None:
        """Read what is behind the row under the cursor, which may be otherwise now."""
        if self.list.row is not None:
            self.work(partial(self._look, self.list.row), "behind", exclusive=True)
        else:
            self.nothing_behind()

    async def _look(self, row: Row) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            rows = await self.read_behind(row)
        except Exception as error:
            rows = failure_rows(error)
        self.call_later(self._looked, row, rows)

    def _looked(self, row: Row, rows: Sequence[Row]) -> None:
        """Show it, if the cursor is still there."""
        if self.list.row is not None and self.list.row.id == row.id:
            self.show_behind(row, rows)

    def nothing_behind(self) -> None:
        """The list is empty."""
        self.behind.empty = words("")
        self.behind.show(())

    def show_behind(self, row: Row, rows: Sequence[Row]) -> None:
        """Show these rows below, from their beginning."""
        self.behind.empty = words("nothing to show")
        self.behind.show(rows, go_to=rows[0].id if rows else None)
        self.behind.jump(0)


_TYPING = frozenset({"down", "up", "page_down", "page_up", "back", "help", "palette"})
"""What keys that are no text do while the filter is typed."""


class NarrowScreen(BrowseScreen):
    """A BrowseScreen whose rows are filtered by what is typed after ``/``. Subclasses say how."""

    def __init__(self, desk: Desk, title: Shown, placeholder: str) -> None:
        super().__init__(desk, title)
        self.input = QueryInput(placeholder=placeholder, compact=True, classes="narrow", id="narrow")
        self.input.display = False

    def compose_list(self) -> ComposeResult:
        """The list under the line to type in."""
        yield self.input
        yield self.list

    def narrowed(self) -> None:
        """Show only what ``self.input`` asks for."""
        self.draw()

    # -- where the hands are ---------------------------------------------------------------------

    @property
    def typing(self) -> bool:
        """Whether keys are text."""
        return self.focused is self.input

    @property
    def hand(self) -> EntryList:
        """The list that keys move in."""
        return self.behind if self.focused is self.behind else self.list

    @property
    def line(self) -> Row | None:
        """The line under the cursor of what is behind, while a person goes through that."""
        return self.behind.row if self.hand is self.behind else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the filter is typed, keys are text."""
        if action != "perform" or not self.typing:
            return super().check_action(action, parameters)
        action_id, key = map(str, parameters)
        return action_id in _TYPING and not types_a_character(key)

    def action_back(self) -> None:
        """Out of the filter, out of what is behind, out of reading, else out."""
        if self.typing or (self.input.value and self.hand is self.list and not self._reading):
            self.input.value = ""
            self.input.display = False
            self.set_focus(self.list)
        elif self.hand is self.behind:
            self.set_focus(self.list)
        else:
            super().action_back()

    def action_narrow(self) -> None:
        """Type what to filter by."""
        self.input.display = True
        self.set_focus(self.input)

    def action_other_side(self) -> None:
        """Between the list and what is behind its row."""
        self.set_focus(self.behind if self.hand is self.list else self.list)
        self.show_hints()

    @on(Input.Changed, "#narrow")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.narrowed()

    @on(Input.Submitted, "#narrow")
    def _submitted(self) -> None:
        self.set_focus(self.list)
