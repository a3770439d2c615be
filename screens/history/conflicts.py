"""Conflicts: another writer's text that is in no memory file, beside the file that it was written for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from textual.app import ComposeResult

from screens.actions.registry import FocusContext
from screens.drawing.safe_text import Row, RowPart, line_text, piece, plural, row_text, words
from screens.frames.overlay_screen import OverlayScreen, Services
from screens.history.history_reader import day_or_time
from screens.widgets.entry_list import SideBySide
from workbench.workspace.late_writes import Conflict
from workbench.workspace.workspace import Workspace

_SHOWN_BYTES = 1_000_000
_SHOWN_LINES = 5_000


class ConflictsScreen(OverlayScreen):
    """The kept texts; below, the one under the cursor beside what is in the file now."""

    PLACES = (FocusContext.CONFLICTS,)
    LEAVES = "conflicts"
    BESIDE = False
    SIDES = True

    def __init__(self, services: Services) -> None:
        super().__init__(services, "Conflicts: another writer's text that is in no memory file")
        self._sides = SideBySide()

    def compose_behind(self) -> ComposeResult:
        """The kept text beside the file's."""
        yield self._sides

    def on_mount(self) -> None:
        """Say which side is which."""
        self._sides.entitle("kept: what the other writer wrote", "the file now")

    def reload(self) -> None:
        """Read them anew."""
        read = partial(self.history_reader.run, lambda place: [*map(_row, place.operations.conflicts())])
        self.load(read, partial(self.show_rows, empty="there are none left"), "conflicts")

    async def read_behind(self, row: Row) -> tuple[Sequence[Row], Sequence[Row]]:
        """Both texts."""
        return await self.history_reader.run(both_sides, row.of)

    def show_behind(self, told: tuple[Sequence[Row], Sequence[Row]]) -> None:
        """Both texts, from the first line that differs."""
        self._sides.show(*told)

    def scroll_behind(self, lines: int) -> None:
        """Scroll both texts."""
        self._sides.scroll(lines)

    def action_discard(self) -> None:
        """Take it off the list; git keeps its text."""
        if conflict := self.list.of:
            self.services.discard(conflict.kept)


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


def _row(conflict: Conflict) -> Row:
    since = day_or_time(datetime.fromtimestamp(conflict.since).astimezone()) if conflict.since else ""
    return Row(
        id=str(conflict.kept),
        text=row_text(conflict.path or conflict.kept.name),
        lead=(piece(since.rjust(7), "faint"),),
        tail=(RowPart(plural(len(_text(conflict)), "byte")),),
        of=conflict,
    )


def both_sides(workspace: Workspace, conflict: Conflict) -> tuple[list[Row], list[Row]]:
    """In the history reader's thread: the kept text and that of the file now, as rows."""
    text, now = _text(conflict), workspace.files.read_or_none(conflict.path) if conflict.path else None
    gone = [Row("gone", words("there is no such file now"), tone="warn")]
    return text_rows(text, now or b""), gone if now is None else text_rows(now, text)


def _text(conflict: Conflict) -> bytes:
    """What is kept, or why it cannot be read."""
    try:
        return conflict.text()
    except (OSError, ValueError) as error:  # a link in its place, or it is gone
        return str(error).encode("utf-8", "replace")
