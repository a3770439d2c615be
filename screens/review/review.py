"""What waits for a person: proposals with their reasons, to accept, reword, reject or put off."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from screens.actions.active import key_for
from screens.actions.registry import Context, FocusContext, bindings
from screens.drawing.clock import now
from screens.drawing.rows import Row
from screens.drawing.safe_text import words
from screens.frames.browse import BrowseScreen
from screens.frames.overlay_screen import failure_rows
from screens.frames.services import Desk
from screens.main.request import Request
from screens.review.decision_keys import Acting
from screens.review.dream_commands import Wondering, say_elsewhere
from screens.review.dream_job import dreamer_of
from screens.review.key_queue import WaitingKeys
from screens.review.marks import Marking
from screens.review.progress import progress_parts
from screens.review.proposal_list import (
    CASE,
    LATER,
    Agenda,
    agenda_rows,
)
from screens.review.reword_dialog import Wording
from screens.review.row_subjects import ReviewRows
from screens.widgets.parts_line import PartsLine
from workbench.dreaming.proposals.agent_queues import queue_files
from workbench.dreaming.proposals.overview import Overview, overview
from workbench.dreaming.proposals.source_quotes import Quotation
from workbench.workspace.layout import LEDGER
from workbench.workspace.workspace import Workspace

_LOOK_SECONDS = 1.5
"""How often it is looked whether somebody else decided something."""
_BOOKS = ("proposals-", "decisions-")
_Stamp = tuple[tuple[str, int, int], ...]


class ReviewScreen(BrowseScreen):
    """The list of what waits; beside it what accepting it would do, and why it is proposed."""

    PLACE = FocusContext.REVIEW
    LEAVES = "review"
    SHOWN_ABOVE = "dream"
    BESIDE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.REVIEW)]

    class Read(Message):
        """The proposals were read, as of a moment."""

        def __init__(self, seen: Overview, now: datetime, stamp: _Stamp) -> None:
            super().__init__()
            self.seen = seen
            self.now = now
            self.stamp = stamp

    class Unread(Message):
        """They could not be read."""

        def __init__(self, error: Exception) -> None:
            super().__init__()
            self.error = error

    class Unfolded(Message):
        """The sources of a proposal were read."""

        def __init__(self, row_id: str, sources: Sequence[Quotation]) -> None:
            super().__init__()
            self.row_id = row_id
            self.sources = sources

    class Dreaming(Message):
        """A dream moved on, or is over."""

    class Explained(Message):
        """Why a claim is, or is not, proposed; or why that cannot be told."""

        def __init__(self, asked_on: str, rows: Sequence[Row]) -> None:
            super().__init__()
            self.asked_on = asked_on
            self.rows = rows

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, words("Dream review"))
        self.standing = ReviewRows(Agenda(today=now().date()))
        self.wording = Wording(lambda: self.app, desk)
        self.progress = PartsLine(id="dream-progress")
        self.dreamer = dreamer_of(desk)
        self._stamp: _Stamp = ()
        self._dreamt = self.dreamer.outcome
        self._acting, self._wondering = Acting(self), Wondering(self)
        self._waiting_keys = WaitingKeys(super().action_perform, self._acting.under_hands)
        self.commands |= {
            **self._acting.commands(),
            **self._wondering.commands(),
            **Marking(self.list, self.marks_changed).commands(),
        }

    def compose_body(self) -> ComposeResult:
        """How the dream is going, over the list and what is behind it."""
        yield self.progress
        yield from super().compose_body()

    def on_mount(self) -> None:
        """Read what waits, and hear of the dream that may be under way."""
        super().on_mount()
        self.dreamer.told = self._dream_moved
        self._show_progress()
        self.reload()
        self.set_interval(_LOOK_SECONDS, self._look_again)

    def _dream_moved(self) -> None:
        self.post_message(self.Dreaming())

    def on_unmount(self) -> None:
        """The dream goes on; what comes of it is said wherever the person is by then."""
        self.dreamer.told = partial(say_elsewhere, self.desk, self.dreamer)

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(
            place=self.PLACE,
            row=self.list.row,
            marked=tuple(self.list.marked_rows()),
            refusal=self.desk.refusal(),
            reading=self._reading,
            ranging=self.list.ranging,
            why=self._acting.why() | self._wondering.why_not(),
        )

    # -- what waits ------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read again what waits."""
        self.work(self._read_again, "read", exclusive=True)

    async def _read_again(self) -> None:
        moment = now()
        try:
            stamp, seen = await self.desk.historian.run(
                lambda place: (_stamp(place), overview(place, moment))
            )
        except Exception as error:
            self.post_message(self.Unread(error))
            return
        self.post_message(self.Read(seen, moment, stamp))

    def files_changed(self) -> None:
        """Only what proposals rest on makes a difference here."""
        self._look_again()

    def _look_again(self) -> None:
        self.work(self._look_for_changes, "look", exclusive=True)

    async def _look_for_changes(self) -> None:
        if await self.desk.historian.run(_stamp) != self._stamp:
            self.reload()

    def on_review_screen_read(self, message: ReviewScreen.Read) -> None:
        """Show what waits; the cursor stays on what it is on."""
        self._stamp = message.stamp
        self.standing.take(
            replace(
                self.standing.agenda,
                overview=message.seen,
                today=message.now.date(),
                outcome=self.dreamer.outcome,
            )
        )
        if self.wording.key and not self.standing.waits(self.wording.key):
            self.wording.settled()
        before = self.list.row
        self.draw()
        row = self.list.row
        if before is not None and before.address and not self.standing.waits(before.address):
            self._acting.settled_elsewhere(before, row)
        self._waiting_keys.followed(self.standing.waits, message.now)
        if row is not None and row == before:  # what it would do may not be what it would have done
            self.work(partial(self._look, row), "behind", exclusive=True)

    def on_review_screen_unread(self, message: ReviewScreen.Unread) -> None:
        """Say why there is nothing to be seen."""
        said = [row.text for row in failure_rows(message.error)]
        self.list.empty = "\n".join(("what waits cannot be read", *said))
        self.list.show(())
        self.nothing_behind()
        self.show_place()
        self.show_hints()

    def draw(self, go_to: str | None = None) -> None:
        """Show what waits."""
        rows = agenda_rows(self.standing.agenda, self.folds)
        self.list.empty = _empty(self.desk.refusal())
        if go_to is None and not self.list.rows:
            go_to = next((row.id for row in rows if row.address), None)
        self.list.show(rows, go_to=go_to)
        if not rows:
            self.nothing_behind()
        self.show_place()
        self.show_hints()

    def show_place(self) -> None:
        """How many wait, how many are marked, and where the cursor is."""
        count, marked = len(self.standing.agenda.overview.waits), len(self.list.marked)
        said = [f"{marked} marked"] if marked else []
        said += [f"{count} {'waits' if count == 1 else 'wait'}"]
        said += [f"{self.list.cursor + 1}/{len(self.list.rows)}"] if self.list.rows else []
        self.query_one("#browse-top").border_subtitle = Content(" · ".join(said))

    def marks_changed(self) -> None:
        """Marks change what actions apply to."""
        self.show_place()
        self.show_hints()

    @property
    def copied(self) -> str | None:
        """The words under the cursor, whole: of a proposal, of what was decided, of a source."""
        row = self.list.row
        if one := self.standing.case_of(row) or self.standing.settled_of(row):
            return one.proposal.text
        source = self.standing.quotation_of(row)
        return source.text or None if source else None

    def done(self, request: Request) -> None:
        """What is written in a dialog of this screen may be memory now."""
        self._waiting_keys.done(request.addresses, now())
        self.wording.done(request)

    def refused(self, request: Request) -> None:
        """It waits as it did."""
        self._waiting_keys.refused(request.addresses)

    def decides(self, request: Request) -> None:
        """Keys that would decide on the same wait."""
        self._waiting_keys.decides(request.addresses)

    def action_perform(self, action_id: str, _key: str = "") -> None:
        """Do it, in the order of the keys, once what it is for is under the cursor."""
        if not self._waiting_keys.takes(action_id):
            super().action_perform(action_id, _key)

    # -- what is behind a row --------------------------------------------------------------------

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What accepting a proposal would do and why it is proposed; a source in its place; a run."""
        return await self.standing.behind(row, self.desk.historian, self.dreamer.explained)

    def on_review_screen_explained(self, message: ReviewScreen.Explained) -> None:
        """Show why, if the cursor is still where it was asked."""
        if message.asked_on == (self.list.row.id if self.list.row else ""):
            self.behind.show(message.rows, go_to=message.rows[0].id)
            self.behind.jump(0)

    # -- folds -----------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Open a heading, read a proposal."""
        row = self.list.row
        if row is not None and row.fold is not None and not row.address:
            self.set_fold(row, is_open=not row.fold)
        else:
            self.read()

    def set_fold(self, row: Row, *, is_open: bool) -> None:
        """Open or close a row; the sources of a proposal are read then."""
        self.folds.set(row.id, is_open)
        if is_open and row.id.startswith((CASE, LATER)):
            self.work(partial(self._read_sources, row), f"sources {row.id}", exclusive=True)
        self.draw()

    async def _read_sources(self, row: Row) -> None:
        try:
            found = await self.standing.quotations_of(row, self.desk.historian)
        except Exception as error:
            found = (Quotation(place="", gone=str(error)),)
        self.post_message(self.Unfolded(row.id, found))

    def on_review_screen_unfolded(self, message: ReviewScreen.Unfolded) -> None:
        """Show the sources beneath their proposal."""
        agenda = self.standing.agenda
        self.standing.take(replace(agenda, sources={**agenda.sources, message.row_id: message.sources}))
        self.draw()

    # -- dreaming --------------------------------------------------------------------------------

    def on_review_screen_dreaming(self) -> None:
        """Show how it is going; once it is over, what it proposes."""
        self._show_progress()
        self.show_hints()
        if not self.dreamer.running and self.dreamer.outcome is not self._dreamt:
            self._dreamt = self.dreamer.outcome
            self.desk.changed()

    def _show_progress(self) -> None:
        parts = progress_parts(self.dreamer)
        self.progress.display = bool(parts)
        self.progress.show(parts)

    # -- out -------------------------------------------------------------------------------------

    def action_back(self) -> None:
        """Out of a range, of reading, of marks; then out, while a dream goes on: its own key stops it."""
        if self.list.ranging:
            self.list.end_range(keep=False)
            self.marks_changed()
        elif self._reading:
            self.read()
        elif self.list.marked:
            self.list.mark(set(self.list.marked), on=False)
            self.marks_changed()
        else:
            self.leave()


def _empty(refusal: str | None) -> str:
    now = f"{key_for('dream')} dreams now · {key_for('why')} says why something is not proposed"
    return (
        "no proposals are pending\n"
        "Dreaming reads what was written lately in logs, notes and episodes, weighs every claim in it, and "
        "proposes what is worth keeping. Nothing enters long-term memory until you accept it.\n"
        f"{refusal or now}"
    )


def _stamp(workspace: Workspace) -> _Stamp:
    """What tells that the ledger, long-term memory or the queue of another agent is not as it was."""
    folder = workspace.root / LEDGER
    pages: Iterable[Path] = ()
    if folder.is_dir():
        pages = sorted(page for page in folder.iterdir() if page.name.startswith(_BOOKS))
    found = []
    for path in (*pages, workspace.root / workspace.memory_path(), *map(Path, queue_files(workspace))):
        try:
            status = os.lstat(path)
        except OSError:
            continue
        found.append((path.name, status.st_mtime_ns, status.st_size))
    return tuple(found)
