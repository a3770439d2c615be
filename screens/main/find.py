"""Narrowing a pane and finding in the preview: the lines that are typed in, and what esc takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.widgets.query_input import NarrowLine

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


class FindTarget:
    """What is looked for: in the current pane by its filter, in the preview by its find."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self.line = NarrowLine("find in this file", id="find")

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
            self.action_find_done()
            screen.row_changed(screen.here.row)
            return True
        if self.filtering:
            screen.pane.clear_filter()
            self.action_find_done()
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

    def action_filter(self) -> None:
        """Type what the pane is to be narrowed by."""
        self._screen.pane.open_line()
        self._open(self._screen.pane.line)

    def action_find(self) -> None:
        """Type what to find in the preview."""
        self._open(self.line)
        self._screen.row_changed(self._screen.here.row)  # more of the file is read than is usually shown

    def action_filter_done(self) -> None:
        """Leave the line; the filter stays."""
        self.action_find_done()

    def _open(self, line: NarrowLine) -> None:
        line.display = True
        line.cursor_position = len(line.value)
        self._screen.set_focus(line)
        self._screen.show_hints()

    def action_find_done(self) -> None:
        """Leave the line; what is looked for stays."""
        self._screen.set_focus(self._screen.pane.list)
        self.hide_lines()
        self._screen.show_hints()
