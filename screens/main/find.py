"""Narrowing a pane and finding in the preview: the lines that are typed in, and what esc takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.main.movement import Command
from screens.widgets.query_input import NarrowLine

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


class FindTarget:
    """What is looked for: in the current pane by its filter, in the preview by its find."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self.line = NarrowLine("find in this file", id="find")

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "filter": self._filter,
            "filter_done": self._back_to_rows,
            "find": self._find,
            "find_done": self._back_to_rows,
        }

    @property
    def on(self) -> bool:
        """Whether something is looked for in the preview."""
        return bool(self.line.value.strip()) or self.finding

    @property
    def filtering(self) -> bool:
        """Whether somebody types a filter."""
        return self._screen.focused is self._screen.pane.line and self._screen.pane.line.display

    @property
    def finding(self) -> bool:
        """Whether somebody types what to find."""
        return self._screen.focused is self.line and self.line.display

    def step(self, steps: int) -> None:
        """To another match."""
        self._screen.preview.step(steps)

    def typed(self, sought: str) -> None:
        """Bring out what was typed."""
        self._screen.preview.find(sought)
        self._screen.show_hints()

    def back(self) -> bool:
        """Take away one thing that is looked for; was there any?"""
        screen = self._screen
        if self.on:
            self.line.value = ""
            screen.preview.find("")
            self._back_to_rows()
            screen.row_changed(screen.here.row)
            return True
        if self.filtering:
            screen.pane.clear_filter()
            self._back_to_rows()
            return True
        return False

    def unfilter(self) -> None:
        """Show all rows of the pane again."""
        self._screen.pane.clear_filter()
        self._screen.show_hints()

    def hide_lines(self) -> None:
        """The focus is elsewhere: lines that nobody types in make room."""
        for line in (self.line, *(pane.line for pane in self._screen.panes)):
            if line.display and line is not self._screen.focused:
                line.display = False

    def _filter(self) -> None:
        self._screen.pane.open_line()
        self._open(self._screen.pane.line)

    def _find(self) -> None:
        self._open(self.line)
        self._screen.row_changed(self._screen.here.row)  # more of the file is read than is usually shown

    def _open(self, line: NarrowLine) -> None:
        line.display = True
        line.cursor_position = len(line.value)
        self._screen.set_focus(line)
        self._screen.show_hints()

    def _back_to_rows(self) -> None:
        self._screen.set_focus(self._screen.pane.list)
        self.hide_lines()
        self._screen.show_hints()
