"""Opening things: a fold, an entry to read, a hit in its pane; and stepping through hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.moving import Command
from screens.panes.episodes import EpisodesPane
from screens.panes.graph import GraphPane
from screens.panes.logs import LogsPane
from screens.panes.memory import MemoryPane
from screens.rows import Row
from screens.shown import words
from screens.snapshots import Contents
from workbench.memory.entry import Kind
from workbench.workspace.layout import kind_of

if TYPE_CHECKING:
    from screens.main import MainScreen

_PANES = {Kind.MEMORY: 1, Kind.EPISODE: 2, Kind.ENTITY: 3}


class Jumping:
    """Takes a person to where an entry stands."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._waits_for: Row | None = None

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "open": self._open,
            "next_hit": lambda: self._step(1),
            "previous_hit": lambda: self._step(-1),
        }

    @property
    def under_way(self) -> bool:
        """Whether the file of an entry is being read to go to it."""
        return self._waits_for is not None

    def stop(self) -> None:
        """Stay where the person is."""
        if self._waits_for is not None:
            self._waits_for = None
            self._screen.pane.give_up()

    def failed(self) -> None:
        """The file cannot be read."""
        self.stop()
        self._screen.holding.drop()

    def arrived(self, contents: Contents) -> None:
        """The file that a jump waited for was read: the entry is in it, or it is not there any more."""
        row = self._waits_for
        if row is not None and row.path == contents.path:
            self._waits_for = None
            if all(entry.address != row.address for entry in contents.entries):
                self._not_there()
            self._screen.holding.release()

    def _open(self) -> None:
        screen = self._screen
        row = screen.here.row
        if row is None:
            return
        if screen.overlay.is_open:
            screen.hide_search()
            self._jump(row)
        elif row.fold is not None:
            screen.toggle(row)
        elif row.path is not None:
            screen.read(on=not screen.reading_mode)

    def _step(self, step: int) -> None:
        hits = self._screen.overlay.hits
        hits.go((hits.cursor + step) % len(hits.rows))
        if hits.row:
            self._jump(hits.row)

    def _jump(self, row: Row) -> None:
        path, address = row.path or "", row.address or ""
        kind = kind_of(path)
        self._screen.go_to_pane(_PANES.get(kind, 0))
        pane = self._screen.pane
        self._waits_for = None
        if isinstance(pane, MemoryPane):
            found = pane.reveal_entry(address)
        elif isinstance(pane, GraphPane):
            found = pane.reveal_entry(path, address) or pane.reveal_entry(path, path)
        else:
            assert isinstance(pane, (LogsPane, EpisodesPane))
            found = pane.reveal_entry(path, address)
            if not found and pane.is_reading(path):
                self._waits_for = row  # the file is being read
                return
        if not found:
            self._not_there()

    def _not_there(self) -> None:
        self._screen.pane.give_up()
        self._screen.holding.drop()
        self._screen.say(words("That entry has changed since it was indexed"), severity="warning")
