"""The search: a line to type in and the hits under it, over the panes."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from screens.rows import Row
from screens.shown import Shown
from screens.widgets.entry_list import EntryList


class QueryInput(Input):
    """A line of text whose editing keys work in the order in which they are pressed.

    Textual lets them go all the way up to the application first, where letters overtake them.
    """

    async def on_key(self, event: events.Key) -> None:
        """Edit."""
        for binding in Input.BINDINGS:
            if isinstance(binding, Binding) and event.key in binding.key.split(","):
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return


class SearchOverlay(Vertical):
    """Open or closed; it keeps what was typed and what was found either way."""

    class Typed(Message):
        """The words changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(id="search")
        self.input = QueryInput(placeholder="words, a question, a name …", compact=True, id="query")
        self.hits = EntryList(empty="", id="hits")
        self.status = Shown("")
        self._status = Static("", id="search-status", markup=False)
        self.display = False

    def compose(self) -> ComposeResult:
        """The line over the hits."""
        with Horizontal(id="search-line"):
            yield Static("/", id="search-mark", markup=False)
            yield self.input
            yield self._status
        yield self.hits

    def on_mount(self) -> None:
        """Name the frame."""
        self.border_title = Content("Search")

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return bool(self.display)

    def open(self) -> None:
        """Show it, ready to type; what was typed before is selected, so that typing replaces it."""
        self.display = True
        self.input.select_all()

    def close(self) -> None:
        """Hide it."""
        self.display = False

    def say(self, status: Shown) -> None:
        """How the search is doing, at the right end of the line."""
        if status != self.status:
            self.status = status
            self._status.update(Content(status), layout=False)

    def show(self, rows: Sequence[Row], empty: Shown, *, keep: bool = False) -> None:
        """Show these hits; the cursor stays with the hit it is on, or goes to the best one."""
        self.hits.empty = empty
        self.hits.show(rows, go_to=None if keep or not rows else rows[0].id)
        count = len(rows)
        place = f"{self.hits.cursor + 1}/{count}" if count else ""
        self.border_subtitle = Content(place)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    def on_entry_list_moved(self) -> None:
        """Keep the place on the frame true."""
        count = len(self.hits.rows)
        self.border_subtitle = Content(f"{self.hits.cursor + 1}/{count}" if count else "")
