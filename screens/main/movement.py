"""Moving about: within a list, between panes, folds, marks, the preview; narrowing a pane, finding in the
preview.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from screens.frames.action_screen import Command
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import NarrowLine

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_PREVIEW_STEP = 3
_ACTION = "action_"


def list_commands(here: Callable[[], EntryList]) -> dict[str, Command]:
    """The commands that move in the list which ``here`` answers, by action id."""
    return {
        "down": lambda: here().move(1),
        "up": lambda: here().move(-1),
        "top": lambda: here().go(0),
        "bottom": lambda: here().go(len(here().rows) - 1),
        "half_down": lambda: here().page(0.5),
        "half_up": lambda: here().page(-0.5),
        "page_down": lambda: here().page(1),
        "page_up": lambda: here().page(-1),
    }


def commands_of(*parts: object) -> dict[str, Command]:
    """What these parts do by their methods ``action_<id>``, by action id."""
    return {
        name.removeprefix(_ACTION): getattr(part, name)
        for part in parts
        for name in dir(part)
        if name.startswith(_ACTION)
    }


def mark_commands(here: Callable[[], EntryList], changed: Callable[[], None]) -> dict[str, Command]:
    """The commands that mark rows of the list which ``here`` answers; ``changed`` hears of it."""

    def mark() -> None:
        rows = here()
        if rows.row:
            rows.mark([rows.row.id], on=rows.row.id not in rows.marked)
            rows.move(1)
            changed()

    def mark_range() -> None:
        rows = here()
        if rows.ranging:
            rows.end_range(keep=True)
        else:
            rows.begin_range()
        changed()

    def mark_all() -> None:
        rows = here()
        ids = {row.id for row in rows.rows if row.address and not row.inert}
        rows.mark(ids, on=not ids <= rows.marked)
        changed()

    return {"mark": mark, "range": mark_range, "mark_all": mark_all}


class Movement:
    """Changes where a person is and nothing else."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def action_down(self) -> None:
        """To the next row; to the next match where somebody types what to find."""
        self._move(1)

    def action_up(self) -> None:
        """To the row before, or the match."""
        self._move(-1)

    def _move(self, steps: int) -> None:
        if self._screen.find.finding:
            self._screen.preview.step(steps)
        else:
            self._screen.here.move(steps)

    def action_unfold(self) -> None:
        """Open the row, or go to the first one under it."""
        row = self._screen.here.row
        if row and row.fold is False and not self._screen.overlay.is_open:
            self._screen.pane.set_fold(row, True)
        elif row and row.fold:
            self._screen.here.move(1)

    def action_fold(self) -> None:
        """Close the row, or go up to the one that it is under."""
        here = self._screen.here
        if self._screen.overlay.is_open or not (row := here.row):
            return
        if row.fold:
            self._screen.pane.set_fold(row, False)
        else:
            here.go_up()

    def action_next_pane(self) -> None:
        """To the pane behind this one."""
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        """To the pane before it."""
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        screen = self._screen
        screen.go_to_pane((screen.current + step) % len(screen.panes))

    def action_switch(self) -> None:
        """Between the line that is searched with and its hits."""
        screen, overlay = self._screen, self._screen.overlay
        screen.set_focus(overlay.hits if screen.focused is overlay.input else overlay.input)

    def action_preview_down(self) -> None:
        """Scroll the preview."""
        self._screen.preview.scroll_by(_PREVIEW_STEP)

    def action_preview_up(self) -> None:
        """Scroll it back."""
        self._screen.preview.scroll_by(-_PREVIEW_STEP)


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

    action_filter_done = action_find_done
