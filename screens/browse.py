"""What the screens over the panes share: a list, what is behind its row beneath it, and the keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from screens.actions import Context, Place, by_id, hints
from screens.help import HelpScreen
from screens.moving import Command
from screens.rows import Row
from screens.shown import Shown, row_text, words
from screens.widgets.change_list import ChangeList
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import HintLine
from workbench.errors import WorkbenchError

_PAUSE_SECONDS = 0.03
_STEP = 3
_FAILED = "failed:"


class BrowseScreen(Screen[None]):
    """Rows above, what is behind the one under the cursor below. Subclasses say what that is."""

    PLACE: ClassVar[Place]
    LEAVES: ClassVar[str]
    """The action that opened the screen closes it too."""

    class Behind(Message):
        """What is behind a row was read."""

        def __init__(self, row: Row, rows: Sequence[Row]) -> None:
            super().__init__()
            self.row = row
            self.rows = rows

    def __init__(self, title: Shown) -> None:
        super().__init__(classes="browse")
        self.list = EntryList(empty="reading …", id="browse-list")
        self.behind = ChangeList(id="browse-behind")
        self._title = title
        self._hints = HintLine()
        self._reading = False
        here = self.list
        self.commands: dict[str, Command] = {
            "down": lambda: here.move(1),
            "up": lambda: here.move(-1),
            "top": lambda: here.go(0),
            "bottom": lambda: here.go(len(here.rows) - 1),
            "half_down": lambda: here.page(0.5),
            "half_up": lambda: here.page(-0.5),
            "page_down": lambda: here.page(1),
            "page_up": lambda: here.page(-1),
            "preview_down": lambda: self.scroll_behind(_STEP),
            "preview_up": lambda: self.scroll_behind(-_STEP),
            "open": self._read,
            "back": self._back,
            "help": self._help,
            self.LEAVES: self.leave,
        }

    def compose(self) -> ComposeResult:
        """The list in its frame, what is behind it in another, the keys."""
        with Vertical(id="browse-top") as frame:
            frame.border_title = Content(self._title)
            yield self.list
        with Vertical(id="browse-below"):
            yield from self.compose_behind()
        yield self._hints

    def compose_behind(self) -> ComposeResult:
        """What stands below."""
        yield self.behind

    def on_mount(self) -> None:
        """Ready to move."""
        self.list.focus()
        self.show_hints()

    # -- what subclasses say ---------------------------------------------------------------------

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """The rows behind ``row``. Raises WorkbenchError, OSError."""
        raise NotImplementedError

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(
            place=self.PLACE, row=self.list.row, reading=self._reading, conflicts=len(self.list.rows)
        )

    # -- keys ------------------------------------------------------------------------------------

    def action_perform(self, action_id: str, _key: str) -> None:
        """Do it, or say why not."""
        if action_id == self.LEAVES:
            self.leave()
            return
        reason = by_id()[action_id].blocked(self.context())
        if reason is None:
            self.commands[action_id]()
        elif reason:
            text = row_text(reason[:1].upper() + reason[1:])
            self.app.notify(text, severity="warning", markup=False)

    def work(
        self, work: Callable[[], Coroutine[None, None, None]], group: str, *, exclusive: bool = False
    ) -> None:
        """Start a worker, which says itself what goes wrong in it."""
        _: Worker[None] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

    def show_hints(self) -> None:
        """Keep the hint line true."""
        self._hints.show(hints(self.context()))

    def leave(self) -> None:
        """Back to the panes."""
        self.dismiss()

    def scroll_behind(self, lines: int) -> None:
        """Scroll below; the list keeps its place."""
        self.behind.jump(self.behind.scroll_offset.y + lines)

    def _help(self) -> None:
        self.app.push_screen(HelpScreen({}))

    def _read(self) -> None:
        self._reading = not self._reading
        self.set_class(self._reading, "-reading")

    def _back(self) -> None:
        if self._reading:
            self._read()
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
            self._read()

    def show_place(self) -> None:
        """Where the cursor is, on the frame."""
        frame: Widget = self.query_one("#browse-top")
        count = len(self.list.rows)
        frame.border_subtitle = Content(f"{self.list.cursor + 1}/{count}" if count else "")

    def failed(self, error: Exception) -> list[Row]:
        """Why there is nothing to be seen, as rows."""
        known = isinstance(error, WorkbenchError)
        lines = (
            (error.message, error.hint)
            if isinstance(error, WorkbenchError)
            else (f"{type(error).__name__}: {error}",)
        )
        tone = "warn" if known else "bad"
        return [Row(f"{_FAILED}{n}", row_text(line), tone=tone) for n, line in enumerate(lines) if line]  # type: ignore[arg-type]

    async def _look(self, row: Row) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            rows: Sequence[Row] = () if row.id.startswith(_FAILED) else await self.read_behind(row)
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
