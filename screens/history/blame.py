"""Blame: a file line by line, each with when it was written, by whom, in which operation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from screens.actions.registry import Context, FocusContext, bindings
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import Shown, line_text, row_text, words
from screens.frames.services import Desk
from screens.history.diff import diff_rows
from screens.history.filtered_list import NarrowScreen
from screens.history.history_reader import Historian, ago
from screens.history.open_entry import standing
from screens.history.operation_list import OperationScope
from screens.history.operations import OperationsScreen, Travel
from screens.main.copy import copy
from screens.widgets.row_strip import clipped
from workbench.memory.file_edit import FileEdit
from workbench.memory.names import CommitId, OperationId, RelPath
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.history.attribution import Deed
    from workbench.history.blame import LineOrigin

_WHEN, _WHO, _WHAT, _NUMBER = 6, 9, 10, 5
MAX_LINES = 20_000
_COMPACT_BELOW = 90
_LINE_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class BlamedVersion:
    """A file as it is on disk (``at`` is None), or was in a commit; and the line that the cursor is on."""

    path: str
    line: int
    at: CommitId | None = None
    title: str = ""


class BlameScreen(NarrowScreen):
    """The lines of a file; below, the operation that brought the one under the cursor."""

    PLACE = FocusContext.BLAME
    LEAVES = "blame"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.BLAME)]

    class Blamed(Message):
        """The file's lines are known."""

        def __init__(self, version: BlamedVersion, lines: Sequence[LineOrigin]) -> None:
            super().__init__()
            self.version = version
            self.lines = lines

    class NoneBefore(Message):
        """There is no version before that of the line."""

        def __init__(self, why: Shown) -> None:
            super().__init__()
            self.why = why

    class Arrives(Message):
        """Where the entry or the origin of a line stands."""

        def __init__(self, address: str | None) -> None:
            super().__init__()
            self.address = address

    def __init__(
        self, desk: Desk, historian: Callable[[], Historian], travel: Travel, path: str, line: int
    ) -> None:
        """``historian`` is asked for each time: the panes below may get to another moment meanwhile."""
        super().__init__(row_text(path), "words of a line, by:agent action:promote on:2026-03")
        self._desk = desk
        self._historian = historian
        self._travel = travel
        self._version = BlamedVersion(path, line)
        self._later: list[BlamedVersion] = []
        self._lines: Sequence[LineOrigin] = ()
        self.commands |= {
            "open": self._open_operation,
            "go_there": self._go_there,
            "copy_operation": self._copy,
            "blame_before": self._before,
            "blame_after": self._after,
        }

    def on_mount(self) -> None:
        """Read the file and its history."""
        super().on_mount()
        self.reload()

    def reload(self) -> None:
        """Read it again."""
        self.work(partial(self._blame, self._version), "blame", exclusive=True)

    def context(self) -> Context:
        """What decides which actions are possible now."""
        line = self._line_origin
        why = {} if self._later else {"blame_after": "this is the version that you came from"}
        if line is None or line.deed.commit is None:
            why["blame_before"] = "no commit holds this line yet"
        return Context(place=self.PLACE, row=self.list.row, reading=self._reading, why=why)

    def narrowed(self, text: str) -> None:
        """Only the lines that have these words, or came this way."""
        self._draw()

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What the operation did that brought the line."""
        origin = self._lines[int(row.id) - 1]
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
            f"because {deed.reason}" if deed.reason else "",
            f"session {deed.session}" if deed.session else "",
            f"trust {origin.origin.trust}" if origin.origin else "",
            f"from {origin.origin.source}" if origin.origin and origin.origin.source else "",
        ]
        if any(said):
            facts.append(Row("fact:2", row_text(" · ".join(filter(None, said))), tone="muted"))
        facts.append(Row("fact:end", words(""), inert=True))
        edits = await self._historian().run(lambda workspace: _edits(workspace, deed))
        mine = [edit for edit in edits if edit.path == self._version.path] or edits
        return facts + await asyncio.to_thread(diff_rows, mine)

    # -- reading ---------------------------------------------------------------------------------

    async def _blame(self, version: BlamedVersion) -> None:
        from workbench.history.blame import blame  # noqa: PLC0415 - not before the first paint

        try:
            lines = await self._historian().run(
                lambda workspace: blame(workspace, version.path, at=version.at)
            )
        except Exception as error:
            self.fails(error)
            return
        self.post_message(self.Blamed(version, lines))

    def on_blame_screen_blamed(self, message: BlameScreen.Blamed) -> None:
        """Show the lines, the cursor on the one that the person came from."""
        self._lines, self._version = message.lines, message.version
        self._draw(go_to=str(min(message.version.line, max(1, len(message.lines)))))
        name = message.version.path + (f" · {message.version.title}" if message.version.title else "")
        self.query_one("#browse-top").border_title = Content(row_text(name))

    def on_resize(self) -> None:
        """With or without all of the gutter, as there is room."""
        super().on_resize()
        if self._lines:
            self._draw()

    def _draw(self, go_to: str | None = None) -> None:
        """The lines, each with its gutter; a run of one operation says it once."""
        from workbench.workspace.operation_filter import wanted  # noqa: PLC0415 - only what is typed needs it

        only = wanted(self.input.value)
        compact = self.app.size.width < _COMPACT_BELOW
        rows: list[Row] = []
        last: object = None
        for line in self._lines[:MAX_LINES]:
            if only.terms and not only.holds(_told(line)):
                continue
            rows.append(blame_row(line, same=line.deed == last, compact=compact))
            last = line.deed
        if len(self._lines) > MAX_LINES:
            rows.append(Row("0", words("… the rest is not shown"), tone="warn", inert=True))
        no_line = "no line is like that: esc takes the filter away"
        self.list.empty = words(no_line if only.terms else "the file is empty")
        self.list.show(rows, go_to=go_to)
        self.show_place()
        self.show_hints()

    # -- keys ------------------------------------------------------------------------------------

    @property
    def _line_origin(self) -> LineOrigin | None:
        row = self.list.row
        found = row is not None and row.id.isdecimal() and 0 < int(row.id) <= len(self._lines)
        return self._lines[int(row.id) - 1] if row is not None and found else None

    def _open_operation(self) -> None:
        line = self._line_origin
        if line is None or line.deed.commit is None:
            self._desk.say(words("No commit holds this line yet"), "warning")
            return
        scope = OperationScope(self._version.path)
        self.app.push_screen(OperationsScreen(self._desk, self._travel, scope, at=line.deed.commit))

    def _copy(self) -> None:
        line = self._line_origin
        if line is not None and line.deed.operation:
            copy(self.app, line.deed.operation, row_text(line.deed.operation))

    def _go_there(self) -> None:
        line = self._line_origin
        if line is not None:
            self.work(partial(self._look_up, line), "going", exclusive=True)

    async def _look_up(self, line: LineOrigin) -> None:
        source = line.origin.source if line.origin else None
        places = [place for place in (source, line.entry, self._version.path) if place]
        address = await self._desk.historian.run(lambda workspace: standing(workspace, places))
        self.post_message(self.Arrives(address))

    def on_blame_screen_arrives(self, message: BlameScreen.Arrives) -> None:
        """To the panes."""
        if message.address is None:
            self._desk.say(words("It does not stand in memory any more"), "warning")
        else:
            self._desk.go_to(message.address)

    def _before(self) -> None:
        line = self._line_origin
        if line is not None and line.deed.commit is not None:
            self.work(partial(self._look_before, line.deed, line.number), "blame", exclusive=True)

    async def _look_before(self, deed: Deed, line: int) -> None:
        def find(workspace: Workspace) -> BlamedVersion | None:
            return version_before(workspace, self._version.path, deed, line)

        try:
            version = await self._historian().run(find)
        except Exception as error:
            self.post_message(self.NoneBefore(self.failed(error)[0].text))
            return
        if version is None:
            why = "This change brought the file: there is no version before it"
            self.post_message(self.NoneBefore(words(why)))
            return
        self._later.append(BlamedVersion(self._version.path, line, self._version.at, self._version.title))
        await self._blame(version)

    def on_blame_screen_none_before(self, message: BlameScreen.NoneBefore) -> None:
        """Say why there is nothing older."""
        self._desk.say(message.why, "warning")

    def _after(self) -> None:
        if self._later:
            self.work(partial(self._blame, self._later.pop()), "blame", exclusive=True)


def version_before(workspace: Workspace, path: str, deed: Deed, line: int) -> BlamedVersion | None:
    """The file as it was before what ``deed`` did, under the name of then; None where there was none."""
    from workbench.history.renames import file_log  # noqa: PLC0415 - not before the first paint

    assert deed.commit is not None
    commit = workspace.history.commit(deed.commit)
    if not commit.parents:
        return None
    parent = commit.parents[0]
    steps = (step for step in file_log(workspace, path) if step.operation.commit == deed.commit)
    step = next(steps, None)
    names = (step.path, step.renamed_from) if step is not None else (RelPath(path),)
    for name in filter(None, names):
        if workspace.history.blob_id(parent, name) is not None:
            return BlamedVersion(name, line, parent, f"before {deed.operation}: {deed.summary}")
    return None


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
    lead = [RowPart(Shown(gutter[0]), "faint"), RowPart(Shown(gutter[1]), "muted")]
    if not compact:
        number = words(str(line.number).rjust(_NUMBER))
        lead += [RowPart(Shown(gutter[2]), "accent"), RowPart(number, "faint")]
    return Row(id=str(line.number), text=line_text(line.text[:_LINE_LIMIT]), lead=tuple(lead))


def _told(line: LineOrigin) -> Operation:
    """A line as a filter looks at operations: its words are the summary."""
    deed = line.deed
    return Operation(
        id=deed.operation or OperationId(""),
        commit=deed.commit or CommitId(""),
        action=deed.action,
        summary=line.text,
        when=deed.when or datetime.now(UTC),
        actor=deed.actor,
        reason=deed.reason,
    )


def _edits(workspace: Workspace, deed: Deed) -> tuple[FileEdit, ...]:
    """What the commit of ``deed`` did; nothing for text that is in no commit yet."""
    return workspace.operations.edits(deed.commit) if deed.commit else ()
