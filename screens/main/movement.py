"""Moving about: within a list, between panes, zoom, folds, marks, the preview."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from screens.drawing.rows import Row
from screens.widgets.entry_list import EntryList

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_PREVIEW_STEP = 3
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


class Moving:
    """The commands that change where a person is and nothing else."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        screen = self._screen
        return {
            **list_commands(lambda: screen.here),
            "down": lambda: self._move(1),
            "up": lambda: self._move(-1),
            "unfold": self._unfold,
            "fold": self._fold,
            "mark": self._mark,
            "mark_all": self._mark_all,
            "range": self._range,
            "pane_logs": lambda: screen.go_to_pane(0),
            "pane_memory": lambda: screen.go_to_pane(1),
            "pane_episodes": lambda: screen.go_to_pane(2),
            "pane_graph": lambda: screen.go_to_pane(3),
            "next_pane": lambda: self._step_pane(1),
            "previous_pane": lambda: self._step_pane(-1),
            "switch": self._switch,
            "preview_down": lambda: screen.preview.scroll_by(_PREVIEW_STEP),
            "preview_up": lambda: screen.preview.scroll_by(-_PREVIEW_STEP),
        }

    def toggle(self, row: Row) -> None:
        """Open a closed row, close an open one."""
        self._screen.pane.set_fold(row, not row.fold)

    def _move(self, steps: int) -> None:
        """To another row; to another match where somebody types what to find."""
        if self._screen.finding.finding:
            self._screen.finding.step(steps)
        else:
            self._screen.here.move(steps)

    def _unfold(self) -> None:
        row = self._screen.here.row
        if row and row.fold is False and not self._screen.overlay.is_open:
            self._screen.pane.set_fold(row, True)
        elif row and row.fold:
            self._screen.here.move(1)

    def _fold(self) -> None:
        """Close the row, or go up to the one that it is under."""
        here = self._screen.here
        if self._screen.overlay.is_open or not (row := here.row):
            return
        if row.fold:
            self._screen.pane.set_fold(row, False)
            return
        above = range(here.cursor - 1, -1, -1)
        parent = (at for at in above if here.rows[at].fold is not None and here.rows[at].depth < row.depth)
        here.go(next(parent, here.cursor))

    def _mark(self) -> None:
        here = self._screen.here
        if here.row:
            here.mark([here.row.id], on=here.row.id not in here.marked)
            here.move(1)
            self._screen.marks_changed()

    def _range(self) -> None:
        here = self._screen.here
        if here.ranging:
            here.end_range(keep=True)
        else:
            here.begin_range()
        self._screen.marks_changed()

    def _mark_all(self) -> None:
        here = self._screen.here
        ids = [row.id for row in here.rows if row.address and not row.inert]
        here.mark(ids, on=not set(ids) <= here.marked)
        self._screen.marks_changed()

    def _step_pane(self, step: int) -> None:
        screen = self._screen
        screen.go_to_pane((screen.current + step) % len(screen.panes))

    def _switch(self) -> None:
        screen, overlay = self._screen, self._screen.overlay
        screen.set_focus(overlay.hits if screen.focused is overlay.input else overlay.input)
