"""What was written since yesterday, newest first: by whom, from which session; to undo or set aside."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from screens.actions.registry import Context, FocusContext, bindings
from screens.drawing.clock import now
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import Shown, row_text, words
from screens.frames.browse import BrowseScreen
from screens.frames.services import Desk
from screens.history.diff import diff_rows
from screens.history.history_reader import ago
from screens.main.request import Request
from workbench.memory.entry import Kind
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.history.recent import RecentEntry

_AGE, _WHO = 7, 14


class RecentScreen(BrowseScreen):
    """The entries that were written since yesterday; beside each, what its commit did to its file."""

    PLACE = FocusContext.RECENT
    LEAVES = "recent"
    BESIDE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.RECENT)]

    class Loaded(Message):
        """What was written is known."""

        def __init__(self, found: Sequence[RecentEntry]) -> None:
            super().__init__()
            self.found = found

    def __init__(self, desk: Desk) -> None:
        super().__init__(words("Written since yesterday"))
        self._desk = desk
        self._found: dict[str, RecentEntry] = {}
        self.commands |= {
            "promote": partial(self._act, "promote"),
            "quarantine": partial(self._act, "quarantine"),
            "forget": partial(self._act, "forget"),
            "undo": self._undo,
            "go_there": self._go_there,
        }

    def on_mount(self) -> None:
        """Read it."""
        super().on_mount()
        self.reload()

    def reload(self) -> None:
        """Read it again; the cursor stays."""
        self.work(self._read, "recent", exclusive=True)

    def context(self) -> Context:
        """What decides which actions are possible now."""
        one = self._one
        why = {} if one and one.commit else {"undo": "no commit holds this yet"}
        return Context(place=self.PLACE, row=self.list.row, refusal=self._desk.refusal(), why=why)

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """Who wrote it, and what else that commit did to the file."""
        one = self._found[row.id]
        facts = [f"{one.operation or 'in no commit yet'} · {one.action} · {one.actor}", one.entry]
        if one.session:
            facts.append(f"session {one.session}")
        rows = [Row(f"fact:{number}", row_text(fact), tone="muted") for number, fact in enumerate(facts)]
        commit = one.commit
        if commit is None:
            return rows
        edits = await self._desk.historian.run(lambda workspace: workspace.operations.edits(commit))
        mine = [edit for edit in edits if edit.path == one.path]
        return [*rows, Row("fact:end", words(""), inert=True), *await asyncio.to_thread(diff_rows, mine)]

    async def _read(self) -> None:
        begun = datetime.combine(now().date() - timedelta(days=1), time()).astimezone()
        try:
            found = await self._desk.historian.run(partial(_recent, since=begun))
        except Exception as error:
            self.list.empty = Shown("\n".join(row.text for row in self.failed(error)))
            self.list.show(())
            return
        self.post_message(self.Loaded(found))

    def on_recent_screen_loaded(self, message: RecentScreen.Loaded) -> None:
        """Show them."""
        self._found = {one.entry: one for one in message.found}
        self.list.empty = words("nothing was written since yesterday")
        self.list.show([self._row(one) for one in self._found.values()])
        self.show_place()
        self.show_hints()

    def _row(self, one: RecentEntry) -> Row:
        return Row(
            id=one.entry,
            text=row_text(one.title),
            lead=(
                RowPart(words(ago(one.when).rjust(_AGE)), "faint"),
                RowPart(row_text(one.actor[:_WHO].ljust(_WHO)), "accent" if one.commit else "warn"),
            ),
            tail=(RowPart(row_text(one.path), "faint"),),
            address=one.entry,
            path=one.path,
            line=one.line,
            done=self._desk.workspace.layout.kind_of(one.path) is Kind.MEMORY,
        )

    # -- keys ------------------------------------------------------------------------------------

    @property
    def _one(self) -> RecentEntry | None:
        return self._found.get(self.list.row.id) if self.list.row else None

    def _act(self, action: str) -> None:
        if one := self._one:
            self._desk.do(Request(action=action, addresses=(one.entry,)))

    def _undo(self) -> None:
        """Take back what brought it, after a look: a commit may hold more than this entry."""
        row, one = self.list.row, self._one
        if row and one and one.commit:
            self._desk.ask(Request(action="undo", operation=one.commit), (row,))

    def _go_there(self) -> None:
        if one := self._one:
            self._desk.go_to(one.entry)


def _recent(workspace: Workspace, since: datetime) -> Sequence[RecentEntry]:
    from workbench.history.recent import recent_entries  # noqa: PLC0415 - not before it is looked at

    return recent_entries(workspace, since)
