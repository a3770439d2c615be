"""A list with a line to filter it by, and what is behind its row, which can be gone through line by line."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from screens.actions.keys import types_a_character
from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown
from screens.frames.browse import BrowseScreen
from screens.frames.services import Desk
from screens.widgets.entry_list import EntryList
from screens.widgets.query_input import QueryInput

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
