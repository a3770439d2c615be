"""Conflicts: another writer's text that is in no memory file, beside the file that it was written for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from textual.app import ComposeResult

from screens.actions.registry import FocusContext
from screens.drawing.safe_text import Row, RowPart, line_text, piece, plural, row_text, words
from screens.frames.overlay_screen import BrowseScreen, Services
from screens.history.history_reader import day_or_time
from screens.widgets.entry_list import SideBySide
from workbench.workspace.workspace import Workspace

_SHOWN_BYTES = 1_000_000
_SHOWN_LINES = 5_000


@dataclass(frozen=True, slots=True)
class ConflictText:
    """One conflict as it is shown: where it is kept, for which file, since when, and both texts."""

    kept: Path
    path: str | None
    since: datetime | None
    text: bytes
    now: bytes | None

    def sides(self) -> tuple[list[Row], list[Row]]:
        """Both texts as rows."""
        gone = [Row("gone", words("there is no such file now"), tone="warn")]
        kept = text_rows(self.text, self.now or b"")
        return kept, gone if self.now is None else text_rows(self.now, self.text)


class ConflictsScreen(BrowseScreen):
    """The kept texts; below, the one under the cursor beside what is in the file now."""

    PLACES = (FocusContext.CONFLICTS,)
    LEAVES = "conflicts"

    def __init__(self, services: Services, discard: Callable[[Path], None]) -> None:
        super().__init__(services, "Conflicts: another writer's text that is in no memory file")
        self._discard = discard
        self._sides = SideBySide()

    def compose_behind(self) -> ComposeResult:
        """The kept text beside the file's."""
        yield self._sides

    def on_mount(self) -> None:
        """Say which side is which."""
        self._sides.entitle("kept: what the other writer wrote", "the file now")

    def reload(self) -> None:
        """Read them anew."""
        self.load(lambda: self.services.history_reader.run(_read), self._show, "conflicts")

    def _show(self, kept: Sequence[ConflictText]) -> None:
        self.show_rows([_row(one) for one in kept], empty="there are none left")

    def look_behind(self) -> None:
        """Both texts, from the first line that differs."""
        row = self.list.row
        if row is None:
            self._sides.show((), ())
            return

        def show(both: tuple[Sequence[Row], Sequence[Row]]) -> None:
            if self.list.row is not None and self.list.row.id == row.id:
                self._sides.show(*both)

        self.load(lambda: asyncio.to_thread(row.of.sides), show, "behind")

    def scroll_behind(self, lines: int) -> None:
        """Scroll both texts."""
        self._sides.scroll(lines)

    def action_discard(self) -> None:
        """Take it off the list; git keeps its text."""
        if self.list.row is not None:
            self._discard(self.list.row.of.kept)


def text_rows(data: bytes, other: bytes) -> list[Row]:
    """The lines of a text, with their numbers; those that the other text has not are brought out."""
    lines = _lines(data)
    known = set(_lines(other))
    rows = [
        Row(
            str(number),
            line_text(f"{number:>4} {'≠' if line not in known else ' '} {line[:2_000]}"),
            tone="match" if line not in known else "muted",
        )
        for number, line in enumerate(lines[:_SHOWN_LINES], 1)
    ]
    if len(lines) > _SHOWN_LINES:
        rows.append(Row("0", words(f"… {plural(len(lines) - _SHOWN_LINES, 'more line')}"), tone="warn"))
    elif len(data) > _SHOWN_BYTES:
        rows.append(Row("0", words(f"… {plural(len(data) - _SHOWN_BYTES, 'more byte')}"), tone="warn"))
    return rows


def _lines(data: bytes) -> list[str]:
    text = data[:_SHOWN_BYTES].decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").split("\n")


def _row(kept: ConflictText) -> Row:
    return Row(
        id=str(kept.kept),
        text=row_text(kept.path or kept.kept.name),
        lead=(piece((day_or_time(kept.since) if kept.since else "").rjust(7), "faint"),),
        tail=(RowPart(plural(len(kept.text), "byte"), "muted"),),
        of=kept,
    )


def _read(workspace: Workspace) -> list[ConflictText]:
    """In the history_reader's thread: all of them, with the files they belong to."""
    found = []
    for conflict in workspace.operations.conflicts():
        now = workspace.files.read_or_none(conflict.path) if conflict.path else None
        since = datetime.fromtimestamp(conflict.since).astimezone() if conflict.since else None
        try:
            text = conflict.text()
        except (OSError, ValueError) as error:  # a link in its place, or it is gone
            text = str(error).encode("utf-8", "replace")
        found.append(ConflictText(conflict.kept, conflict.path, since, text, now))
    return found
