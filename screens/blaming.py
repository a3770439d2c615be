"""Blame: a file line by line, each with when it was written, by whom, in which operation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from screens.actions import Place, bindings
from screens.browse import BrowseScreen
from screens.diffing import diff_rows
from screens.historian import Historian, ago
from screens.rows import Part, Row
from screens.shown import Shown, line_text, row_text, words
from screens.widgets.row_strip import clipped
from workbench.memory.file_edit import FileEdit
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.tracing.blame import LineOrigin
    from workbench.tracing.deed import Deed

_WHEN, _WHO, _WHAT, _NUMBER = 6, 9, 10, 5
MAX_LINES = 20_000
_COMPACT_BELOW = 90
_LINE_LIMIT = 2_000


class BlameScreen(BrowseScreen):
    """The lines of a file; below, the operation that brought the one under the cursor."""

    PLACE = Place.BLAME
    LEAVES = "blame"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.BLAME)]

    class Blamed(Message):
        """The file's lines are known, as rows."""

        def __init__(self, lines: Sequence[LineOrigin], rows: Sequence[Row]) -> None:
            super().__init__()
            self.lines = lines
            self.rows = rows

    def __init__(self, historian: Historian, path: str, line: int) -> None:
        super().__init__(row_text(path))
        self._historian = historian
        self._path = path
        self._line = line
        self._lines: Sequence[LineOrigin] = ()

    def on_mount(self) -> None:
        """Read the file and its history."""
        super().on_mount()
        self.work(self._blame, "blame")

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What the operation did that brought the line."""
        number = int(row.id)
        origin = self._lines[number - 1]
        deed = origin.deed
        facts = [
            Row(
                "fact:0",
                row_text(f"{deed.operation or ''} {deed.summary} · {deed.actor}".strip()),
                tone="head",
            ),
        ]
        if deed.when:
            facts.append(Row("fact:1", words(f"{deed.when.astimezone():%a %d %b %Y %H:%M}"), tone="muted"))
        said = [
            f"session {deed.session}" if deed.session else "",
            f"trust {origin.origin.trust}" if origin.origin else "",
            f"from {origin.origin.source}" if origin.origin and origin.origin.source else "",
        ]
        if any(said):
            facts.append(Row("fact:2", row_text(" · ".join(filter(None, said))), tone="muted"))
        facts.append(Row("fact:end", words(""), inert=True))
        edits = await self._historian.run(lambda workspace: _edits(workspace, deed))
        mine = [edit for edit in edits if edit.path == self._path] or edits
        return facts + await asyncio.to_thread(diff_rows, mine)

    async def _blame(self) -> None:
        try:
            lines, rows = await self._historian.run(
                partial(self._rows, compact=self.app.size.width < _COMPACT_BELOW)
            )
        except Exception as error:
            self.list.show(self.failed(error))
            return
        self.post_message(self.Blamed(lines, rows))

    def _rows(self, workspace: Workspace, *, compact: bool) -> tuple[Sequence[LineOrigin], Sequence[Row]]:
        """In the historian's thread: the lines, each with its gutter; a run of one operation says it once."""
        from workbench.tracing.blame import blame  # noqa: PLC0415 - not before the first paint

        lines = blame(workspace, self._path)
        rows: list[Row] = []
        last: object = None
        for line in lines[:MAX_LINES]:
            same = line.deed == last
            last = line.deed
            rows.append(blame_row(line, same=same, compact=compact))
        if len(lines) > MAX_LINES:
            rows.append(Row("0", words("… the rest is not shown"), tone="warn", inert=True))
        return lines, rows

    def on_blame_screen_blamed(self, message: BlameScreen.Blamed) -> None:
        """Show the lines, the cursor on the one that the person came from."""
        self._lines = message.lines
        self.list.empty = words("the file is empty")
        self.list.show(message.rows, go_to=str(self._line))
        self.show_place()


def blame_row(line: LineOrigin, *, same: bool, compact: bool = False) -> Row:
    """A line behind its gutter: when, who, what, and its number; without the last two where it is narrow."""
    deed = line.deed
    gutter = (
        (" " * _WHEN, " " * _WHO, " " * _WHAT)
        if same
        else (
            ago(deed.when).rjust(_WHEN),
            clipped(row_text(deed.actor), _WHO),
            clipped(row_text(deed.action), _WHAT),
        )
    )
    lead = [Part(Shown(gutter[0]), "faint"), Part(Shown(gutter[1]), "muted")]
    if not compact:
        number = words(str(line.number).rjust(_NUMBER))
        lead += [Part(Shown(gutter[2]), "accent"), Part(number, "faint")]
    return Row(id=str(line.number), text=line_text(line.text[:_LINE_LIMIT]), lead=tuple(lead))


def _edits(workspace: Workspace, deed: Deed) -> tuple[FileEdit, ...]:
    """What the commit of ``deed`` did; nothing for text that is in no commit yet."""
    if deed.commit is None or deed.operation is None or deed.when is None:
        return ()
    operation = Operation(
        id=deed.operation, commit=deed.commit, action=deed.action, summary=deed.summary,
        when=deed.when, actor=deed.actor,
    )  # fmt: skip
    return workspace.operations.edits(operation)
