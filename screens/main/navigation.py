"""Opening things: a fold, an entry to read, a hit in its pane; and stepping through hits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from screens.actions.availability import LEADER, only_read
from screens.drawing.safe_text import Row, words
from screens.loading.workspace_model import Contents, SourceOrigin, hashes_of, origins_of
from screens.panes.pane import ContentsRead, FilePane
from workbench.memory.entry import Entry, Kind, is_outside

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_PANES = {Kind.MEMORY: 1, Kind.EPISODE: 2, Kind.ENTITY: 3}


def copy_of(entry: Entry, memory: Sequence[Entry]) -> Entry | None:
    """The entry of long-term memory that was made of ``entry``, or says the same."""
    said = [(one, one.provenance) for one in memory if one.provenance]
    place = SourceOrigin(entry.path, entry.start_line)
    by_hash = (one for one, origin in said if entry.hash in hashes_of(origin))
    by_place = (one for one, origin in said if place in origins_of(origin))
    same = (one for one in memory if one.hash == entry.hash)
    return next(chain(by_hash, same, by_place), None)


class Navigation:
    """Takes a person to where an entry stands."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._waits_for: Row | None = None
        self._to_origin = False
        self._beyond = ""
        """The address of the hit that is being read, as it was found too far down in its file for a pane."""

    def to(self, address: str) -> None:
        """Put the cursor of the panes on an address, or on a whole file."""
        path = address.rpartition("#")[0] or address
        self._screen.hide_search()
        self._jump(Row(path, words(""), path=path, address=address))

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
        self._screen.key_queue.drop()

    def arrived(self, event: ContentsRead) -> None:
        """The file that a jump waited for was read: the entry is in it, or it is not there any more."""
        row, contents = self._waits_for, event.contents
        if row is not None and row.path == contents.path:
            self._waits_for = None
            if all(entry.address != row.address for entry in contents.entries):
                self._not_there(row, contents)
            self._screen.key_queue.release()

    def action_open(self) -> None:
        """Unfold the row, read its entry, or go to the hit."""
        screen = self._screen
        row = screen.here.row
        if row is None:
            return
        if row.workspace and row.workspace != LEADER and not is_outside(row.path or ""):
            screen.app.switching.go(Path(row.root), at=row.address or "")
        elif self.is_read_in_place(row):
            screen.pane_layout.read(on=not screen.pane_layout.reading)
        elif screen.live_search.chosen(row):
            return
        elif screen.overlay.is_open:
            screen.hide_search()
            self._jump(row)
        elif row.fold is not None:
            screen.pane.set_fold(row, not row.fold)
        elif row.path is not None:
            screen.pane_layout.read(on=not screen.pane_layout.reading)
            screen.row_changed(row)  # who reads gets more of the file

    def is_read_in_place(self, row: Row) -> bool:
        """Whether no pane has it, so that it is read where it was found."""
        return only_read(row) is not None or (
            self._screen.pane_layout.reading and row.address == self._beyond
        )

    def action_origin(self) -> None:
        """From a copy in long-term memory to where it came from, from anything else to its copy there."""
        screen = self._screen
        row = screen.here.row
        if row is None or row.entry is None:
            return
        entry = row.entry
        if entry.kind is not Kind.MEMORY:
            copy = copy_of(entry, screen.memory_view.entries)
            if copy is None:
                screen.warn("This is not in long-term memory")
            else:
                self.to(copy.address)
            return
        origins = origins_of(entry.provenance) if entry.provenance else ()
        if not origins:
            screen.warn("This entry has no recorded source")
            return
        there = [origin for origin in origins if origin.path in screen.files]
        if not there:
            text = f"{origins[0].path} no longer exists: see the history below"
            screen.warn(text)
            return
        path, line, digits = there[0]
        if len(origins) > 1:
            screen.say(f"It came from {len(origins)} places; this is one of them")
        address = f"{path}#{digits or f'L{line}'}"
        self._jump(Row(path, words(""), path=path, line=line, address=address), to_origin=True)

    def action_next_hit(self) -> None:
        """To the next hit, or match."""
        self._step(1)

    def action_previous_hit(self) -> None:
        """To the one before."""
        self._step(-1)

    def _step(self, step: int) -> None:
        if self._screen.find.on:
            self._screen.preview.step(step)
            return
        hits = self._screen.overlay.hits
        hits.go((hits.cursor + step) % len(hits.rows))
        if hits.row is None:
            return
        if why := only_read(hits.row):
            self._screen.warn(f"Hit {hits.cursor + 1}: {why}; / shows it")
        else:
            self._jump(hits.row)

    def _jump(self, row: Row, *, to_origin: bool = False) -> None:
        path, address = row.path or "", row.address or ""
        self._to_origin = to_origin
        kind = self._screen.files[path].kind if path in self._screen.files else Kind.NOTE
        if kind is Kind.MEMORY and path != self._screen.memory_view.path:
            kind = Kind.NOTE  # the memory pane shows one file; others stand beside the notes
        self._screen.go_to_pane(_PANES.get(kind, 0))
        pane = self._screen.pane
        self._waits_for = None
        if pane.reveal_entry(path, address):
            return
        if not isinstance(pane, FilePane):
            self._not_there(row, None)
        elif pane.is_reading(path):
            self._waits_for = row
        else:
            self._not_there(row, pane.contents.get(path))

    def _not_there(self, row: Row, contents: Contents | None) -> None:
        pane = self._screen.pane
        pane.give_up()
        entries = contents.entries if contents else ()
        near = next((entry for entry in entries if entry.start_line <= row.line <= entry.end_line), None)
        if self._to_origin and near is not None and isinstance(pane, FilePane):
            pane.reveal_entry(near.path, near.address)
            if "#L" not in (row.address or ""):
                self._screen.warn("It has changed since; this is the current text")
            return
        self._screen.key_queue.drop()
        why = "That entry has changed since it was indexed"
        if contents is not None and contents.left_out:
            if row is self._screen.overlay.hits.row:
                self._beyond = row.address or ""
                self._screen.show_hits()
                self._screen.pane_layout.read(on=True)
                self._screen.row_changed(row)
                return
            why = "The list shows only the beginning of so large a file; `o` opens the file"
        self._screen.warn(why)
