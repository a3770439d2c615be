"""A terminal that is too small for any screen: a cover says so, and no key acts on what is not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from screens.actions.availability import FocusContext
from screens.actions.registry import action_at

if TYPE_CHECKING:
    from screens.app import WorkbenchApp

MIN_WIDTH, MIN_HEIGHT = 40, 12


class TooSmall(Static):
    """Lies over all of a screen; what is under it stays as it is."""

    def __init__(self) -> None:
        said = f"This terminal is too small: {MIN_WIDTH} x {MIN_HEIGHT} is the minimum."
        super().__init__(said, markup=False)


class TooSmallGuard:
    """Covers every screen for as long as the terminal is too small."""

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._small = False

    def begin(self) -> None:
        """Follow the screens that come, and the size."""
        self._app.screen_change_signal.subscribe(self._app, lambda _: self.fit(self._app.size))
        self.fit(self._app.size)

    def fit(self, size: Size) -> None:
        """Cover what is open, or uncover it."""
        before, self._small = self._small, size.width < MIN_WIDTH or size.height < MIN_HEIGHT
        if before or self._small:
            for screen in self._app.screen_stack:
                screen.call_later(self._cover, screen)  # behind its own beginning, where it has only come

    def stops(self, event: events.Event) -> bool:
        """Whether it is typed at what cannot be seen; the ways out are open."""
        if not self._small:
            return False
        if isinstance(event, events.Key) and not event.is_forwarded:
            main = self._app.main
            leaves = self._app.screen is main and main.place is FocusContext.PANE
            return event.key != "ctrl+c" and not (
                leaves and action_at(event.key, FocusContext.PANE) == "quit"
            )
        return isinstance(event, events.Paste)

    def _cover(self, screen: Screen[object]) -> None:
        covers = screen.query_children(TooSmall)
        if not self._small:
            covers.remove()
        elif not covers and screen.is_attached:
            screen.mount(TooSmall())
