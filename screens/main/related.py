"""What belongs to the entry under the cursor and who recalled it: beneath the preview, and as a list."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import TYPE_CHECKING

import msgspec

from screens.actions.keys import key_for
from screens.dialogs.dialog import ChooseScreen
from screens.drawing.safe_text import Row, Shown, age, inline, piece, plural, row_text, safe_piece, words
from screens.widgets.preview_pane import DetailLine
from workbench.agent.search_update import SearchUpdate
from workbench.errors import WorkbenchError
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.screen import MainScreen
    from workbench.agent.related import Related
    from workbench.agent.usage import EntryUsage, UsageIndex

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
        DetailLine(words("related"), words(f"{one.why:<{_WHY}}  {_title(one)}"), one.entry) for one in related
    )


def related_rows(related: tuple[Related, ...]) -> list[Row]:
    """The same as rows to choose from."""
    rows = []
    for one in related:
        text, emphasis = inline(row_text(one.title))
        tail = (safe_piece(one.entry.rpartition("#")[0] or one.entry, "faint"),)
        lead = (piece(one.why.ljust(_WHY)),)
        rows.append(Row(one.entry, text, lead=lead, tail=tail, emphasis=emphasis))
    return rows


def _title(one: Related) -> Shown:
    return inline(row_text(one.title))[0]
