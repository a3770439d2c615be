"""Conflicts: another writer's text that is in no memory file, beside the file that it was written for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message

from screens.actions.registry import FocusContext, bindings
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import line_text, plural, row_text, words
from screens.frames.browse import BrowseScreen
from screens.history.history_reader import Historian, ago
from screens.widgets.change_list import ChangeList
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

    PLACE = FocusContext.CONFLICTS
    LEAVES = "conflicts"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.CONFLICTS)]

    class Found(Message):
        """The conflicts were read."""

        def __init__(self, kept: Sequence[ConflictText]) -> None:
            super().__init__()
            self.kept = kept

    def __init__(self, historian: Historian, discard: Callable[[Path], None]) -> None:
        super().__init__(words("Conflicts: another writer's text that is in no memory file"))
        self._historian = historian
        self._discard = discard
        self._kept: Sequence[ConflictText] = ()
        self._beside: tuple[str, Sequence[Row]] = ("", ())
        """What the file of a row has now."""
        self._now = ChangeList(id="browse-now")
        self.commands["discard"] = self._drop

    def compose_behind(self) -> ComposeResult:
        """The kept text beside the file's."""
        with Horizontal(id="browse-sides"):
            with Vertical(classes="side") as left:
                left.border_title = Content("kept: what the other writer wrote")
                yield self.behind
            with Vertical(classes="side") as right:
                right.border_title = Content("the file now")
                yield self._now

    def on_mount(self) -> None:
        """Read them."""
        super().on_mount()
        self.reload()

    def reload(self) -> None:
        """Read them anew."""
        self.work(self._find, "conflicts")

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """The kept text; that of the file is remembered for the other side."""
        kept = self._of(row)
        if kept is None:
            return ()
        rows, now = await asyncio.to_thread(kept.sides)
        self._beside = row.id, now
        return rows

    def show_behind(self, row: Row, rows: Sequence[Row]) -> None:
        """Both texts, from the first line that differs."""
        super().show_behind(row, rows)
        of, now = self._beside
        self._now.show(now if of == row.id else ())
        for side in (self.behind, self._now):
            first = next((at for at, line in enumerate(side.rows) if line.tone == "match"), 0)
            side.go(first)
            side.jump(max(0, first - 2))

    def nothing_behind(self) -> None:
        """There is no conflict any more."""
        super().nothing_behind()
        self._now.show(())

    def scroll_behind(self, lines: int) -> None:
        """Scroll both texts."""
        super().scroll_behind(lines)
        self._now.jump(self._now.scroll_offset.y + lines)

    async def _find(self) -> None:
        try:
            self.post_message(self.Found(await self._historian.run(_read)))
        except Exception as error:
            self.list.show(self.failed(error))

    def on_conflicts_screen_found(self, message: ConflictsScreen.Found) -> None:
        """Show them."""
        self._kept = message.kept
        self.list.empty = words("there are none any more")
        self.list.show([_row(kept) for kept in self._kept])
        self.show_place()

    def _drop(self) -> None:
        if self.list.row is not None and (kept := self._of(self.list.row)) is not None:
            self._discard(kept.kept)

    def _of(self, row: Row) -> ConflictText | None:
        """The conflict of a row; None for one that says why there is nothing to be seen."""
        return next((kept for kept in self._kept if str(kept.kept) == row.id), None)


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
        lead=(RowPart(words((ago(kept.since) if kept.since else "").rjust(6)), "faint"),),
        tail=(RowPart(plural(len(kept.text), "byte"), "muted"),),
    )


def _read(workspace: Workspace) -> list[ConflictText]:
    """In the historian's thread: all of them, with the files they belong to."""
    found = []
    for number in range(1, len(workspace.operations.conflicts()) + 1):
        conflict = workspace.operations.conflict(number)
        now = workspace.files.read_or_none(conflict.path) if conflict.path else None
        since = datetime.fromtimestamp(conflict.since).astimezone() if conflict.since else None
        try:
            text = conflict.text()
        except (OSError, ValueError) as error:  # a link in its place, or it is gone
            text = str(error).encode("utf-8", "replace")
        found.append(ConflictText(conflict.kept, conflict.path, since, text, now))
    return found
