"""Moving about: within a list, between panes, zoom, folds, marks, the preview."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from screens.drawing.rows import Row
from screens.widgets.entry_list import EntryList

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_PREVIEW_STEP = 3
_ACTION = "action_"
Command = Callable[[], None]


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


class Moving:
    """Changes where a person is and nothing else."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def toggle(self, row: Row) -> None:
        """Open a closed row, close an open one."""
        self._screen.pane.set_fold(row, not row.fold)

    def action_down(self) -> None:
        """To the next row; to the next match where somebody types what to find."""
        self._move(1)

    def action_up(self) -> None:
        """To the row before, or the match."""
        self._move(-1)

    def _move(self, steps: int) -> None:
        if self._screen.finding.finding:
            self._screen.finding.step(steps)
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

    def action_mark(self) -> None:
        """Mark the row, or take its mark away, and go on."""
        here = self._screen.here
        if here.row:
            here.mark([here.row.id], on=here.row.id not in here.marked)
            here.move(1)
            self._screen.marks_changed()

    def action_range(self) -> None:
        """Begin a range of marks that follows the cursor, or end it."""
        here = self._screen.here
        if here.ranging:
            here.end_range(keep=True)
        else:
            here.begin_range()
        self._screen.marks_changed()

    def action_mark_all(self) -> None:
        """Mark every entry of the list, or none."""
        here = self._screen.here
        ids = [row.id for row in here.rows if row.address and not row.inert]
        here.mark(ids, on=not set(ids) <= here.marked)
        self._screen.marks_changed()

    def action_pane_logs(self) -> None:
        """To the first pane."""
        self._screen.go_to_pane(0)

    def action_pane_memory(self) -> None:
        """To the second."""
        self._screen.go_to_pane(1)

    def action_pane_episodes(self) -> None:
        """To the third."""
        self._screen.go_to_pane(2)

    def action_pane_graph(self) -> None:
        """To the fourth."""
        self._screen.go_to_pane(3)

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
