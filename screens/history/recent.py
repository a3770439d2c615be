"""Entries written since yesterday, the newest first: by whom, from which session; to undo or quarantine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import partial

from screens.actions.registry import FocusContext
from screens.drawing.clock import now
from screens.drawing.safe_text import GAP, Row, line_rows, piece, row_text, safe_piece
from screens.frames.overlay_screen import OverlayScreen, Services
from screens.history.history_reader import day_or_time
from screens.history.operations import change_rows
from screens.main.request import Request
from workbench.history.recent import RecentEntry, recent_entries
from workbench.memory.entry import Kind

_WHEN, _WHO = 7, 14


class RecentScreen(OverlayScreen):
    """The entries that were written since yesterday; beside each, what its commit did to its file."""

    PLACES = (FocusContext.RECENT,)
    LEAVES = "recent"

    def __init__(self, services: Services) -> None:
        super().__init__(services, "Written since yesterday")
        self.commands |= {name: partial(self._act, name) for name in ("promote", "quarantine", "forget")}

    def reload(self) -> None:
        """Read it again; the cursor stays."""
        since = datetime.combine(now().date() - timedelta(days=1), time()).astimezone()
        read = partial(self.history_reader.run, recent_entries, since)
        self.load(read, self._show, "recent")

    def _show(self, found: Sequence[RecentEntry]) -> None:
        who = max((len(row_text(one.actor[:_WHO])) for one in found), default=0)
        self.show_rows([self._row(one, who) for one in found], empty="nothing was written since yesterday")

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        one = self._one
        return {} if one and one.commit else {"undo": "not committed yet"}

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """Who wrote it, and what else that commit did."""
        one: RecentEntry = row.of
        what = f"{one.operation or 'in no commit yet'} · {one.action} · {one.actor}"
        session = f"session {one.session}" if one.session else ""
        rows = line_rows([(what, "muted"), (one.entry, "muted"), (session, "muted"), GAP])
        return rows + await change_rows(self.history_reader, one.commit, one.path)

    def _row(self, one: RecentEntry, who: int) -> Row:
        return Row(
            id=one.entry,
            text=row_text(one.title),
            lead=(
                piece(day_or_time(one.when).rjust(_WHEN), "faint"),
                piece(row_text(one.actor[:_WHO]).ljust(who), "accent" if one.commit else "warn"),
            ),
            tail=(safe_piece(one.path, "faint"),),
            address=one.entry,
            path=one.path,
            line=one.line,
            done=self.services.workspace.layout.kind_of(one.path) is Kind.MEMORY,
            of=one,
        )

    # -- keys ------------------------------------------------------------------------------------

    @property
    def _one(self) -> RecentEntry | None:
        return self.list.of

    def _act(self, action: str) -> None:
        if one := self._one:
            self.services.do(Request(action=action, addresses=(one.entry,)))

    def action_undo(self) -> None:
        """Take back what brought it, after a look: a commit may hold more than this entry."""
        row, one = self.row, self._one
        if row and one and one.commit:
            self.services.ask(Request(action="undo", operation=one.commit), (row,))

    def action_go_there(self) -> None:
        """To the entry in the panes."""
        if one := self._one:
            self.services.go_to(one.entry)
