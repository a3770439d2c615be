"""Opening entries and hits, stepping through hits, filtering, finding, and going to related entries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from screens.actions.availability import LEADER, only_read
from screens.actions.keys import key_for
from screens.dialogs.dialog import ChooseScreen
from screens.drawing.safe_text import Row, age, inline, piece, plural, row_text, safe_piece, words
from screens.frames.action_screen import Command
from screens.loading.reader import path_of
from screens.loading.workspace_model import Contents, SourceOrigin, hashes_of, origins_of
from screens.panes.pane import ContentsRead, FilePane
from screens.widgets.lines import NarrowLine
from screens.widgets.preview_pane import DetailLine
from workbench.agent.search_update import SearchUpdate
from workbench.errors import WorkbenchError
from workbench.memory.entry import Entry, Kind, is_outside
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.screen import MainScreen
    from workbench.agent.related import Related
    from workbench.agent.usage import EntryUsage, UsageIndex

_ACTION = "action_"
_PANES = {Kind.MEMORY: 1, Kind.EPISODE: 2, Kind.ENTITY: 3}


def copy_of(entry: Entry, memory: Sequence[Entry]) -> Entry | None:
    """The entry of long-term memory that was made of ``entry``, or says the same."""
    said = [(one, one.provenance) for one in memory if one.provenance]
    place = SourceOrigin(entry.path, entry.start_line)
    by_hash = (one for one, origin in said if entry.hash in hashes_of(origin))
    by_place = (one for one, origin in said if place in origins_of(origin))
    same = (one for one in memory if one.hash == entry.hash)
    return next(chain(by_hash, same, by_place), None)


def commands_of(*parts: object) -> dict[str, Command]:
    """What these parts do by their methods ``action_<id>``, by action id."""
    return {
        name.removeprefix(_ACTION): getattr(part, name)
        for part in parts
        for name in dir(part)
        if name.startswith(_ACTION)
    }


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
        path = path_of(address)
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
            screen.set_fold(row, is_open=not row.fold)
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
            screen.warn(f"{origins[0].path} no longer exists: see the history below")
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

    def move(self, steps: int) -> None:
        """To another row; to another match where somebody types what to find."""
        if self.finding:
            self._screen.preview.step(steps)
        else:
            self._screen.here.move(steps)

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


_REST_SECONDS = 0.4
_WHY = 21


class RelatedEntries:
    """Looks for what belongs to an entry once the cursor rests on it; leads there."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._recalls: UsageIndex | None = None
        self._key = ""
        self.related: tuple[Related, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether it is known what belongs to the row under the cursor."""
        row = self._screen.here.row
        return row is not None and self._key == row.id

    def leave(self, known: str = "") -> None:
        """The cursor goes elsewhere: nothing is known of where it goes, and of ``known`` nothing is told."""
        self._key, self.related = known, ()

    async def tell(self, row: Row) -> None:
        """Show what belongs to the row's entry and who recalled it, once the cursor has rested."""
        await asyncio.sleep(_REST_SECONDS)
        try:
            recalled = await self._screen.operations.history_reader.run(self._recalled, row)
        except (OSError, WorkbenchError):
            self._key = row.id
            return
        preview = self._screen.preview
        preview.show_beneath(row.id, recalled=recalled_lines(recalled, self._screen.pane.today()))
        related = await self._find(row)
        self._key, self.related = row.id, related
        preview.show_beneath(row.id, related=related_lines(related), count=related_fact(related))

    async def _find(self, row: Row) -> tuple[Related, ...]:
        from workbench.agent.related import (  # noqa: PLC0415
            kin,
            like,
            like_by_words,
            merged,
            named,
            question_of,
        )

        screen = self._screen
        entry = row.entry or await screen.operations.history_reader.run(_entry_at, row)
        if entry is None:
            return ()
        names = [(e.name, str(e.path)) for e in screen.graph.view.pages]
        try:
            near = await screen.operations.history_reader.run(
                lambda place: (*kin(place, entry), *named(entry, names))
            )
        except (OSError, WorkbenchError):
            near = ()
        if screen.time_travel.away:  # what is like it is known of today's memory alone
            return merged(near, ())
        said = await screen.index_monitor.engine.consult(question_of(entry))
        if said is not None and "hits" in said:
            found: SearchUpdate | None = msgspec.convert(said, SearchUpdate)
        else:
            found = await screen.operations.history_reader.run(like_by_words, entry)
        return merged(near, like(found, entry))

    def _recalled(self, place: Workspace, row: Row) -> EntryUsage:
        from workbench.agent.usage import UsageIndex  # noqa: PLC0415 - not before the first paint

        if self._recalls is None or self._recalls.workspace is not place:
            self._recalls = UsageIndex(place)
        return self._recalls.of(row.address or "", row.entry.text if row.entry else "")

    def action_related(self) -> None:
        """Choose among what belongs to the entry."""
        row = self._screen.here.row
        if row is None:
            return
        if not self.settled:
            self._screen.say("Still searching for related entries")
        elif not self.related:
            self._screen.say("No related entries: no source, no link, nothing similar")
        else:
            title = plural(len(self.related), "related entry")
            self._screen.show_dialog(
                ChooseScreen(title, related_rows(self.related)), self._screen.navigation.to
            )


def _entry_at(place: Workspace, row: Row) -> Entry | None:
    """The entry that a row stands for which does not have it, as a hit does not; None where it is a page."""
    try:
        return place.locate(row.address or "")[1]
    except (OSError, WorkbenchError):
        return None


def recalled_lines(recalled: EntryUsage, today: date) -> tuple[DetailLine, ...]:
    """``3 times, last 5d ago, for 2 questions · by mcp``."""
    if not recalled.times:
        return (DetailLine(words("used"), words("by no agent yet")),)
    text = plural(recalled.times, "time")
    if recalled.last:
        ago = age(recalled.last.astimezone().date(), today)
        text = words(f"{text}, last {ago}" + (" ago" if ago != "today" else ""))
    if recalled.questions:
        text = words(f"{text}, for {plural(recalled.questions, 'question')}")
    by = row_text(", ".join(recalled.by))
    return (DetailLine(words("used"), words(f"{text} · by {by}" if by else text)),)


def related_fact(related: tuple[Related, ...]) -> tuple[DetailLine, ...]:
    """How many there are, and the key that lists them."""
    text = f"{len(related)}, {key_for('related')} lists them"
    return (DetailLine(words("related"), words(text)),) if related else ()


def related_lines(related: tuple[Related, ...]) -> tuple[DetailLine, ...]:
    """One line for each, with why it belongs here."""
    return tuple(
        DetailLine(words("related"), words(f"{one.why:<{_WHY}}  {inline(row_text(one.title))[0]}"), one.entry)
        for one in related
    )


def related_rows(related: tuple[Related, ...]) -> list[Row]:
    """The same as rows to choose from."""
    rows = []
    for one in related:
        text, emphasis = inline(row_text(one.title))
        tail = (safe_piece(path_of(one.entry), "faint"),)
        lead = (piece(one.why.ljust(_WHY)),)
        rows.append(Row(one.entry, text, lead=lead, tail=tail, emphasis=emphasis))
    return rows
